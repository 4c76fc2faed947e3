"""The page Groups: its numbers are the library's, its readers are drawn by the seed, its plan uses nothing private."""

import io
import json
import zipfile
from contextlib import redirect_stdout
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import dpbi
from dpbi import Problem
from dpbi.dashboard.page import DEFAULT_OF_GROUPS
from dpbi.dashboard.sidebar import grouped
from dpbi.dashboard.views import groups as view
from dpbi.dashboard.words import groups as said, words
from dpbi.inference.group_conclusions import conclusion
from dpbi.inference.group_planning import chance_at_counts, chance_of_order, cost_of_noise, epsilon_needed, people_needed
from tests.dashboard.exports import assert_page, made
from tests.dashboard.person import (
    HOSTILE,
    bare,
    charts,
    everything,
    key,
    opened,
    pick,
    press,
    ran,
    select,
    unfold,
    visit,
)

PAGE = "pages/12_Groups.py"
TYPED = "arm, yes, no\nA, 30, 20\nB, 14, 31"
ONE, TWO = Problem((1, 1), (30, 20)), Problem((1, 1), (14, 31))


@pytest.fixture(scope="module")
def app() -> AppTest:
    """One person's session, with few readers."""
    at = opened(PAGE)
    return select(at, "groups: draws", 10)


def typed(at: AppTest, text: str = TYPED) -> AppTest:
    if at.session_state["settings"]["groups: source"] != view.TYPED:
        select(at, "groups: source", view.TYPED)
    return ran(at.text_area(key=key(at, "groups: typed")).set_value(text))


def entered(at: AppTest, name: str, value: str) -> AppTest:
    return ran(at.text_input(key=key(at, f"groups: {name}")).set_value(value))


def chosen(epsilon: float = 1.0) -> dpbi.Mechanism:
    return next(kind for kind in dpbi.MECHANISMS if kind.__name__ == DEFAULT_OF_GROUPS)(epsilon)


def test_the_examples_comparison_is_the_librarys(app: AppTest) -> None:
    assert words.RAW_NOTICE not in everything(app), "an example has nobody to protect"
    example = next(iter(grouped.BY_KEY.values()))
    first, second = ((1 + yes, 1 + no) for yes, no in example.counts)
    truth = dpbi.compare(first, second)
    table = app.main.dataframe[0].value
    for row, contrast in zip(table.to_dict("records"), (truth.difference, truth.odds_ratio, truth.risk_ratio),
                             strict=True):  # fmt: skip
        assert (row["True from"], row["True to"]) == pytest.approx(contrast.interval(), rel=1e-9)
    assert "placebo has the larger share of heart attack, with probability above 0.9999" in everything(app)
    assert len(charts(app)) == 2


def test_typed_groups_their_readers_the_exact_chance_and_the_cost(app: AppTest) -> None:
    at = typed(app)
    assert words.RAW_NOTICE in everything(at)
    drawn = [conclusion(chosen(), ONE, TWO, np.random.default_rng([1, i])) for i in range(10)]
    sure = sum(one.difference.low > 0 for one in drawn)
    text = everything(at)
    assert f"{sure} of 10 readers would be sure of that" in text
    right, _ = chance_at_counts(chosen(), (1, 1), (30, 14), (50, 45)) or (0.0, 0.0)
    assert f"the chance to be sure of it is {right:.3f}, exactly" in text
    cost = cost_of_noise(chosen(), (1, 1), (50, 45), np.random.default_rng(1))
    assert f"{cost.ratio:.3f} times** as large (exactly)" in text
    assert f"{sure} of 10 readers" in charts(at)[0]["layout"]["title"]["text"].replace("<br>", " ")
    middle = sorted(drawn, key=lambda one: one.difference.mean)[5]
    read = [dpbi.noise_aware_posterior(chosen(), (1, 1), one.n, r)
            for one, r in zip((ONE, TWO), middle.released, strict=True)]  # fmt: skip
    low, high = dpbi.compare(read[0], read[1]).difference.interval()
    row = at.main.dataframe[0].value.iloc[0]
    assert (row["Private from"], row["Private to"]) == pytest.approx((low, high), rel=1e-9)
    before = charts(at)[0]["data"]
    assert charts(press(at, "Redraw (seed 1 → 2)"))[0]["data"] != before
    press(at, "Redraw (seed 2 → 3)")
    at.session_state["settings"]["seed"] = "1"
    assert charts(ran(at))[0]["data"] == before


def test_the_other_category_turns_the_order(app: AppTest) -> None:
    at = typed(app)
    assert "A has the larger share of yes" in everything(at)
    assert "B has the larger share of no" in everything(select(at, "groups: category", "no"))
    select(at, "groups: category", "yes")
    at = select(at, "groups: first", "B")
    assert at.selectbox(key=key(at, "groups: second")).value == "A", "a group is not compared with itself"
    assert "A has the larger share of yes" in everything(at)
    assert charts(at)[0]["layout"]["xaxis"]["title"]["text"].startswith("θ(B) − θ(A)")
    select(at, "groups: first", "A")


def test_a_plan_of_people_and_of_epsilon_is_the_librarys_and_uses_no_count(app: AppTest) -> None:
    at = typed(app)
    shares = (0.65, 0.25)
    for name, value in (("share", "0.25"), ("gap", "0.4"), ("wanted", "0.7")):
        at = entered(at, name, value)
    needed = people_needed(chosen(), (1, 1), shares, 0.7)
    assert needed is not None
    assert f"{needed.sizes[0]:,} people a group** give a chance of {needed.right:.1%}, exactly" in everything(at)
    plan = charts(at)[1]
    at = typed(at, "arm, yes, no\nA, 3, 47\nB, 40, 5")
    assert charts(at)[1] == plan
    at = pick(at, "groups: vary", said.EPSILON)
    found = epsilon_needed(chosen(), (1, 1), (50, 45), shares, 0.7)
    assert found is not None and f"gives a chance of {found[1].right:.1%} with 50 and 45 people" in everything(at)
    at = typed(at, "arm, yes, no\nA, 3, 2\nB, 4, 5")
    without = chance_of_order(None, (1, 1), (5, 9), shares).right
    assert without < 0.7 and "no epsilon up to 100 gives a chance of 70%**" in everything(at)
    pick(at, "groups: vary", said.PEOPLE)


def test_all_pairs_of_a_survey_by_region(app: AppTest) -> None:
    at = select(app, "groups: source", view.EXAMPLE)
    at = select(at, "groups: example", "plebiscite")
    example = grouped.BY_KEY["plebiscite"]
    table = at.main.dataframe[1].value
    assert len(table) == 10 and set(table["Higher"]) | set(table["Lower"]) == set(example.groups)
    assert (table["Difference"] >= 0).all() and (table["P(higher)"] >= 0.49).all()
    row = table[(table["Higher"] == "North") & (table["Lower"] == "Central")].iloc[0]
    north, central = (tuple(1 + c for c in example.counts[g]) for g in (0, 1))
    assert row["P(higher)"] == pytest.approx(dpbi.compare(north, central).probability_greater, abs=1e-4)
    assert "10 pairs are looked at" in everything(at)
    sure = table["P(higher)"][table["P(higher)"] >= 0.95]
    assert f"these {(1 - sure).sum():.2g} are expected to be in the wrong order" in everything(at)
    select(at, "groups: example", "aspirin")


REFUSED = {
    "a count that is none": ("a, yes, no\nA, 3, x\nB, 4, 5", "Line 2: the count must be a whole number"),
    "a count too few": ("a, yes, no\nA, 3\nB, 4, 5", "Line 2: one count per category is needed: got 1 for 2"),
    "one group": ("a, yes, no\nA, 3, 4", "two groups at least"),
    "one category": ("a, yes\nA, 3\nB, 4", "number of categories"),
    "a name twice": ("a, yes, no\nA, 3, 4\nA, 4, 5", "called 'A'"),
    "nobody": ("a, yes, no\nA, 3, 4\nB, 0, 0", "Nobody is in the group 'B'"),
    "no name": ("a, yes, no\nA, 3, 4\n, 0, 3", "needs a name"),
    "nothing": ("", "two groups at least"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_typed_wrong_is_a_sentence_and_no_old_picture_stands_beside_it(app: AppTest, case: str) -> None:
    assert charts(typed(app))
    text, sentence = REFUSED[case]
    at = typed(app, text)
    (error,) = at.main.error
    assert sentence in bare(error.value) and not charts(at)


def test_wrong_entries_of_a_plan_leave_the_comparison(app: AppTest) -> None:
    at = typed(app)
    for name, value in (("gap", "0.9"), ("share", "1.2"), ("wanted", "many")):
        at = entered(at, name, value)
        assert len(at.main.error) == 1 and len(charts(at)) == 1
        at = entered(at, name, {"gap": "0.1", "share": "0.3", "wanted": "0.8"}[name])
    assert len(charts(at)) == 2 and not at.main.error
    at = entered(at, "strength", "0")
    assert len(at.main.error) == 1 and not charts(at)
    entered(at, "strength", "1")


def test_names_are_shown_and_never_markup(app: AppTest) -> None:
    at = typed(app, f"arm\tyes\t{HOSTILE}\n{HOSTILE}\t30\t20\nB\t14\t31")
    select(at, "groups: category", HOSTILE)
    for chart in at.get("plotly_chart"):
        spec: Any = chart
        assert "<img" not in spec.proto.spec and "u003cimg" not in spec.proto.spec
    assert words.escape(HOSTILE) in "\n".join(one.value for one in at.main.markdown)


def test_the_file_in_use_is_read_where_its_groups_stand_apart(app: AppTest) -> None:
    used = {"name": "trial.csv", "labels": ["A / yes", "A / no", "B / yes", "B / no"], "counts": [30, 20, 14, 31]}
    app.session_state["settings"] |= {"uploaded": None}
    at = select(app, "groups: source", view.FILE)
    assert said.NO_FILE in [info.value for info in at.main.info] and not charts(at)
    for labels in (["yes", "no"], ["A / yes", "A / no", "B / yes"], ["A / yes", "B / no"]):
        assert grouped.of_file({"name": "x", "labels": labels, "counts": [1] * len(labels)}) is None
    at.session_state["settings"] |= {"uploaded": used}
    at = ran(at)
    assert "A has the larger share of yes" in everything(at) and words.RAW_NOTICE in everything(at)
    at.session_state["settings"] |= {"uploaded": None}
    select(at, "groups: source", view.TYPED)


def test_files_and_script_hold_what_is_shown(files: dict[str, Any]) -> None:
    at = typed(select(opened(PAGE), "groups: draws", 10))
    taken = made(files)
    assert_page(at, {name: content for name, content in taken.items() if name.endswith(".csv")})
    with zipfile.ZipFile(io.BytesIO(taken["dpbi-groups.zip"])) as packed:
        names = packed.namelist()
        script = packed.read("dpbi/script.py").decode()
    assert {"dpbi/tables/contrasts.csv", "dpbi/figures/groups.html", "dpbi/figures/plan.csv"} <= {*names}
    shown = next(one.value for one in unfold(at, "Copy as Python").main.code)
    assert shown == script.strip()
    out, found = io.StringIO(), dict[str, Any]()
    with redirect_stdout(out):
        exec(compile(script, "script.py", "exec"), found)
    row = at.main.dataframe[0].value.iloc[0]
    assert found["truth"].difference.interval() == (row["True from"], row["True to"])
    drawn = sorted(one.difference.mean for one in found["drawn"])
    told = [trace for trace in charts(at)[0]["data"] if trace["name"] != "true counts"]
    assert sum(len(trace["y"]) for trace in told) == len(drawn) == 10
    assert str(people_needed(chosen(), (1, 1), (0.4, 0.3), 0.8)) in out.getvalue()
    assert f"{found['cost'].ratio:.3f} times" in everything(at)


def test_what_was_said_stays_while_other_pages_are_visited_and_no_address_holds_it(app: AppTest) -> None:
    at = typed(app)
    before = charts(at)[0]
    visit(at, "pages/10_Data.py")
    at = visit(at, PAGE)
    assert charts(at)[0] == before
    assert not any("14" in json.dumps(at.query_params[name]) for name in at.query_params)


def test_in_talk_mode_both_pictures_stand(app: AppTest) -> None:
    at = typed(app)
    at.query_params["talk"] = "true"
    assert len(charts(ran(at))) == 2
    del at.query_params["talk"]
