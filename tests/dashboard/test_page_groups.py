"""The page Groups: its numbers are the library's, its readers are drawn by the seed, its plan uses nothing private."""

import contextlib
import io
import json
import os
import tempfile
import zipfile
from contextlib import redirect_stdout
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import dpbi
from dpbi import Problem
from dpbi.dashboard.page import DEFAULT_OF_GROUPS
from dpbi.dashboard.sidebar import grouped
from dpbi.dashboard.take_away import scenario_file
from dpbi.dashboard.words import groups as said, handover, words
from dpbi.inference.group_conclusions import conclusion
from dpbi.inference.group_planning import (
    chance_at_counts,
    chance_of_order,
    cost_of_noise,
    epsilon_needed,
    people_needed,
)
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
from tests.dashboard.test_links import ADDRESS, follow, parameters, written
from tests.dashboard.test_scenario_file import bring, numbers_shown

PAGE = "pages/12_Groups.py"
TYPED = "arm, yes, no\nA, 30, 20\nB, 14, 31"
ONE, TWO = Problem((1, 1), (30, 20)), Problem((1, 1), (14, 31))


@pytest.fixture(scope="module")
def app() -> AppTest:
    """One person's session, with few readers."""
    at = opened(PAGE)
    return select(at, "groups: draws", 10)


def typed(at: AppTest, text: str = TYPED) -> AppTest:
    if at.session_state["settings"]["groups: source"] != grouped.TYPED:
        select(at, "groups: source", grouped.TYPED)
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
    assert "B has the larger share of no" in everything(select(at, "groups: category", 2))
    select(at, "groups: category", 1)
    at = select(at, "groups: first", 2)
    assert at.selectbox(key=key(at, "groups: second")).value == 1, "a group is not compared with itself"
    assert "A has the larger share of yes" in everything(at)
    assert charts(at)[0]["layout"]["xaxis"]["title"]["text"].startswith("θ(B) − θ(A)")
    select(at, "groups: first", 1)


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
    at = pick(at, "groups: vary", grouped.EPSILON)
    found = epsilon_needed(chosen(), (1, 1), (50, 45), shares, 0.7)
    assert found is not None and f"gives a chance of {found[1].right:.1%} with 50 and 45 people" in everything(at)
    at = typed(at, "arm, yes, no\nA, 3, 2\nB, 4, 5")
    without = chance_of_order(None, (1, 1), (5, 9), shares).right
    assert without < 0.7 and "no epsilon up to 100 gives a chance of 70%**" in everything(at)
    pick(at, "groups: vary", grouped.PEOPLE)


def test_all_pairs_of_a_survey_by_region(app: AppTest) -> None:
    at = select(app, "groups: source", grouped.EXAMPLE)
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
    "a line that is no row": ('a, yes, no\nA, 3, 4\nB, 3\r4, 2', "Line 3 cannot be read"),
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
    select(at, "groups: category", 2)
    for chart in at.get("plotly_chart"):
        spec: Any = chart
        assert "<img" not in spec.proto.spec and "u003cimg" not in spec.proto.spec
    assert words.escape(HOSTILE) in "\n".join(one.value for one in at.main.markdown)


def test_the_file_in_use_is_read_where_its_groups_stand_apart(app: AppTest) -> None:
    used = {"name": "trial.csv", "labels": ["A / yes", "A / no", "B / yes", "B / no"], "counts": [30, 20, 14, 31]}
    app.session_state["settings"] |= {"uploaded": None, "groups: category": 1}
    at = select(app, "groups: source", grouped.FILE)
    assert said.NO_FILE in [info.value for info in at.main.info] and not charts(at)
    for labels in (["yes", "no"], ["A / yes", "A / no", "B / yes"], ["A / yes", "B / no"]):
        assert grouped.of_file({"name": "x", "labels": labels, "counts": [1] * len(labels)}) is None
    at.session_state["settings"] |= {"uploaded": used}
    at = ran(at)
    assert "A has the larger share of yes" in everything(at) and words.RAW_NOTICE in everything(at)
    at.session_state["settings"] |= {"uploaded": None}
    select(at, "groups: source", grouped.TYPED)


def ran_script(script: str) -> tuple[dict[str, Any], str]:
    """What it leaves, and what it prints; in a folder of its own, as it writes its figures."""
    out, found = io.StringIO(), dict[str, Any]()
    with redirect_stdout(out), tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        exec(compile(script, "script.py", "exec"), found)
        found["written"] = sorted(os.listdir(folder))
    return found, out.getvalue()


@pytest.mark.parametrize("case", ["typed, people", "three groups, each its own, epsilon"])
def test_files_and_script_hold_what_is_shown(files: dict[str, Any], case: str) -> None:
    at = opened(PAGE)
    at.session_state["settings"] |= {"groups: source": grouped.TYPED, "groups: draws": 10, "groups: typed": TYPED}
    if "three" in case:
        at.session_state["settings"] |= {
            "groups: typed": f"{TYPED}\nC, 9, 9", "groups: first": 3, "groups: epsilon of the second": "0.3",
            "groups: size of the first": "300", "groups: vary": grouped.EPSILON, "groups: category": 2,
            "groups: gap": "0.5"}  # fmt: skip
    taken = made(files) if ran(at) else {}
    assert_page(at, {name: content for name, content in taken.items() if name.endswith(".csv")})
    with zipfile.ZipFile(io.BytesIO(taken["dpbi-groups.zip"])) as packed:
        names = packed.namelist()
        script, answers = (packed.read(f"dpbi/{name}").decode() for name in ("script.py", "answers.md"))
        document = json.loads(packed.read("dpbi/settings.json"))
    assert {"dpbi/tables/contrasts.csv", "dpbi/figures/groups.html", "dpbi/figures/plan.csv"} <= {*names}
    assert "groups" not in document and "counts-typed-in" == document["groups_from"]
    lines = [line for line in answers.split("\n\n") if line.strip()]
    assert len(lines) >= 5 and all(bare(line.strip()) in everything(at) for line in lines)
    shown = next(one.value for one in unfold(at, "Copy as Python").main.code)
    assert shown == script.strip()
    found, out = ran_script(script)
    assert found["written"] == ["groups.html", "plan.html"]
    for table, frame in zip(found["tables"], at.main.dataframe, strict=True):
        for title in frame.value:
            if pd.api.types.is_numeric_dtype(frame.value[title]):
                assert list(table.values[title]) == pytest.approx(list(frame.value[title]), rel=1e-12)
    for (_, figure), chart in zip(found["figures"](), charts(at), strict=True):
        assert figure.settings["title"]["text"].split("<br>")[0] in chart["layout"]["title"]["text"]
        assert len(figure.to_plotly_json()["data"]) == len(chart["data"])
    assert f"{found['cost'].ratio:.3f} times" in answers
    right = max(found["dpbi"].chance_at_counts(found["mechanisms"], (1, 1), found["known"], found["sizes_counted"],
                                               category=found["category"]))  # fmt: skip
    assert f"{right:.3f}, exactly" in answers and str(right) in out
    needed = found["needed"][1] if "three" in case else found["needed"]
    assert str(found["needed"]) in out and f"{needed.right:.1%}" in answers


def test_each_group_has_an_epsilon_and_a_size_its_own(app: AppTest) -> None:
    at = typed(app)
    plain = charts(at)
    at = unfold(at, said.OWN)
    at = entered(at, "epsilon of the second", "0.25")
    pair = chosen(), chosen(0.25)
    text = everything(at)
    assert "If A were released at epsilon = 1 and B at 0.25" in text and "cost the larger epsilon, 1, not" in text
    assert f"{cost_of_noise(pair, (1, 1), (50, 45), np.random.default_rng(1)).ratio:.3f} times" in text
    right, _ = chance_at_counts(pair, (1, 1), (30, 14), (50, 45)) or (0.0, 0.0)
    assert f"the chance to be sure of it is {right:.3f}, exactly" in text
    needed = people_needed(pair, (1, 1), (0.4, 0.3), 0.8)
    assert needed and f"{needed.sizes[0]:,} people a group** give a chance of {needed.right:.1%}" in text
    at = entered(at, "size of the first", "90")
    needed = people_needed(pair, (1, 1), (0.4, 0.3), 0.8, proportion=(90, 45))
    assert needed and "{:,} and {:,} people** give".format(*needed.sizes) in everything(at)
    assert said.taken_for_higher("A") in everything(at)
    at = entered(at, "size of the first", "a few")
    assert len(at.main.error) == 1 and not charts(at)
    for name in ("size of the first", "epsilon of the second"):
        at = entered(at, name, "")
    assert charts(at) == plain


ASKED = {"groups: first": 2, "groups: second": 1, "groups: category": 2, "groups: draws": 10, "groups: strength": "0.5",
         "groups: share": "0.25", "groups: gap": "0.4", "groups: wanted": "0.7", "groups: mechanism": "Geometric",
         "groups: vary": grouped.EPSILON, "groups: epsilon of the first": "0.8", "groups: size of the second": "70",
         "epsilon": "1.5", "seed": "4"}  # fmt: skip


@pytest.mark.parametrize("source", [grouped.TYPED, grouped.FILE, grouped.EXAMPLE])
def test_a_link_a_file_of_settings_and_a_reload_give_the_same_page(files: dict[str, Any], source: str) -> None:
    at = follow(PAGE, {})
    used = {"name": "trial.csv", "labels": ["A, 1 / yes", "A, 1 / no", "B / yes", "B / no"], "counts": [30, 20, 14, 31]}
    at.session_state["settings"] |= {**ASKED, "groups: source": source, "groups: typed": TYPED, "uploaded": used}
    own = source != grouped.EXAMPLE
    address = written(ran(at))
    assert not {"groups", "counts", "labels"} & address.keys() and "31" not in address.values()
    if own:
        ran(at.checkbox(key="take away: groups").check())
    unfold(at, "Link to this page")
    shared = parameters(next(code.value for code in at.main.code if ADDRESS in code.value))
    assert ("groups" in shared) == own == (handover.LINK_WARNING in [one.value for one in at.main.warning])
    before = charts(at), numbers_shown(at)
    settings_file = files["dpbi-settings.json"]()
    for other in (follow(PAGE, shared), bring(opened(PAGE), settings_file)):
        assert (charts(other), numbers_shown(other)) == before
    if own:
        assert written(follow(PAGE, shared))["groups"] == shared["groups"], "a reload of the link keeps it"
    other = follow(PAGE, address)
    if own:
        said_now = said.NO_FILE if source == grouped.FILE else said.NOTHING_TYPED
        assert said_now in [info.value for info in other.main.info] and not charts(other)
        other.session_state["settings"] |= {"groups: typed": TYPED, "uploaded": used}
        ran(other)
    assert (charts(other), numbers_shown(other)) == before


def test_a_home_page_after_this_one_keeps_its_settings_in_its_address() -> None:
    at = opened(PAGE)
    at.session_state["settings"] |= ASKED
    at = visit(ran(at), "pages/3_Sensitivity.py")
    address = written(at)
    assert address["planned_difference"] == "0.4" and address["group"] == "2" and address["size_of_second"] == "70"
    found = scenario_file.restored(scenario_file.from_query({name: [value] for name, value in address.items()}))
    assert not found.notices and ASKED.items() <= found.settings.items()


@pytest.mark.parametrize("key_, value", [("group", 0), ("readers", 11), ("groups", "a, yes"), ("epsilon_of_first", -1),
                                         ("size_of_second", 2.5), ("planned_chance", 1), ("groups_mechanism", "x"),
                                         ("groups_prior", 0), ("size_of_first", True)])  # fmt: skip
def test_a_setting_of_a_file_that_cannot_be_is_left_out_and_named(key_: str, value: Any) -> None:
    found = scenario_file.restored({key_: value})
    assert not found.settings and len(found.notices) == 1 and key_ in found.notices[0]


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
