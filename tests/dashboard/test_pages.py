"""The pages through AppTest: what each shows at first, at the limits of every control, and what nobody may meet."""

import inspect
import json
import re

import pytest
from streamlit.testing.v1 import AppTest

from dpbi import MECHANISMS, Problem, Verdict, distance_law, mechanisms, privacy_loss, tables as data, verdict
from dpbi.accuracy.comparison import comparison_of, nearest_private
from dpbi.dashboard.answers import library, work
from dpbi.dashboard.answers.cache import Kept
from dpbi.dashboard.page import DEFAULT_MECHANISMS
from dpbi.dashboard.shown import downloads, tables
from dpbi.dashboard.sidebar import controls, menu, prior
from dpbi.dashboard.words import words
from dpbi.data.examples import EXAMPLES
from dpbi.papers.figures import FIGURES
from dpbi.problem.candidates import number_of_candidates
from dpbi.problem.neighbours import RELATION
from tests.dashboard.exports import assert_page
from tests.dashboard.person import (
    ALL,
    EVERY,
    EXAMPLE,
    HOSTILE,
    QUIET,
    STAGES,
    WITHOUT_MECHANISMS,
    bare,
    buttons,
    cancel_at,
    charts,
    check,
    everything,
    key,
    made_up,
    opened,
    pick,
    press,
    select,
    shown,
    tables_of,
    text,
    tick,
    typed,
)
from tests.dashboard.test_scenario_file import Files

CHOSEN_BY_RESULTS = {"app.py", "pages/3_Sensitivity.py", "pages/5_Accuracy.py", "pages/7_Release.py"}
few_points = pytest.mark.usefixtures("few_points")


# --- first sight ---


def test_no_page_is_ever_empty() -> None:
    at = opened()
    for page in EVERY:
        drawn = shown(at, page).get("plotly_chart")
        assert drawn and len({chart.proto.id for chart in drawn}) == len(drawn)
        for chart in drawn:
            assert len(chart.proto.alt) > 40, "a chart says in words what it shows"
            assert "sendChartToCloud" not in chart.proto.config
        warned = words.CHOICE_WARNING in [warning.value for warning in at.main.warning]
        assert warned == (page in CHOSEN_BY_RESULTS)
        assert RELATION in everything(at) and "48 cured, 42 not cured; n = 90" in everything(at)
        assert words.RAW_NOTICE not in everything(at), "an example has nobody to protect"
        assert not unexplained(at)


def unexplained(at: AppTest) -> list[str]:
    """Columns without a help of their own, or that the glossary does not list."""
    known = [re.escape(name).replace("…", ".+") for name in tables.meanings()]
    columns = [(name, column.get("help")) for table in at.main.dataframe
               for name, column in json.loads(table.proto.columns).items() if name in table.value]  # fmt: skip
    assert len(columns) >= sum(table.value.shape[1] for table in at.main.dataframe)
    return [name for name, said in columns if not said or not any(re.fullmatch(one, name) for one in known)]


@few_points
def test_a_persons_page_says_so_shows_names_inertly_and_makes_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("csv_bytes", "figure_csv", "figure_page"):
        monkeypatch.setattr(downloads, name, lambda *_, **__: pytest.fail("a file was made without being asked for"))
    at = typed(opened(QUIET), f"{HOSTILE}, 12\nplain, 8")
    for page in [*EVERY, *STAGES]:
        shown(at, page)
        public = any(found.public for found in menu.PAGES if found.path == page)
        assert (RELATION in everything(at)) != public and (words.PUBLISHED_NOTICE in everything(at)) == public
        of_a_person = page != menu.page(menu.TOUR).path and not public
        assert (words.RAW_NOTICE in everything(at)) == of_a_person, "the tour brings its own data"
        if page in EVERY:
            for part in [*at.main.markdown, *at.main.caption]:
                assert not re.search(r"(?<!\\)\[go|(?<!\\)\$x|(?<!\\)<img", part.value)
            assert not [chart for chart in at.get("plotly_chart") if re.search("<img|u003cimg", chart.proto.spec)]


def test_the_menu_lists_every_page_once() -> None:
    assert sorted(page.path for page in menu.PAGES) == sorted([*EVERY, *STAGES])


# --- Home ---


def test_home_holds_the_librarys_numbers_names_the_nearest_and_sets_the_unproved_apart() -> None:
    at = tick(opened(), ALL)
    table, said = at.main.dataframe[0].value, everything(at)
    assert list(table["Mechanism"]) == [kind.label for kind in MECHANISMS]
    rows = [comparison_of(distance_law(kind(1.0), EXAMPLE)) for kind in MECHANISMS]
    nearest, level = sorted(rows, key=lambda row: row.mean)[:2]
    assert nearest.mean == pytest.approx(level.mean, rel=1e-9)
    named = [row.mechanism.label for row in rows if row in (nearest, level)]
    best = words.listed(f"**{row.mechanism.label}**" for row in nearest_private(rows))
    assert f"Nearest to the truth here: {best} (each 1-DP (theorem), an exact mean distance of" in said
    for row, guarantee in zip(rows, table["Guarantee"], strict=True):
        label = row.mechanism.label
        claimed, private = row.guarantee.basis == "claim", row.guarantee.is_private
        assert guarantee.startswith("CLAIMED: ") == claimed == (f"{label} is only claimed to be private" in said)
        assert (guarantee == "NOT PRIVATE") == (not private and not claimed) == (f"{label} is not private" in said)
        assert (guarantee == row.guarantee.words) == private
    for counts in ("48 42", "50 44"):  # of the two means one is smaller by the last bit here, the other there
        said = everything(typed(at, counts))
        assert f"Nearest to the truth here: **{named[0]}** and **{named[1]}** (each 1-DP (theorem), an exact" in said
    assert list(table["Mean H"]) == pytest.approx([row.mean for row in rows], rel=1e-12)
    farther = at.main.dataframe[0].value["Mean H"]
    assert (text(at, "epsilon", "5").main.dataframe[0].value["Mean H"] < farther).all()
    unproved = {kind.__name__ for kind in MECHANISMS if not kind(1.0).guarantee((1, 1), 90).is_private}
    assert unproved and "No chosen mechanism has a proved pure guarantee." in everything(tick(at, unproved))


def test_home_draws_the_share_that_is_chosen_of_the_largest_category_by_default() -> None:
    at = typed(opened(), "few, 2\nmany, 9\n<b>some</b>, 5")
    (chosen,) = (one for one in at.main.selectbox if one.label == "Share of")
    assert chosen.value == 0 and chosen.options[0] == "many (largest)" and len(chosen.options) == 4

    def drawn() -> tuple[str, str]:
        spec = json.loads(next(one for one in at.get("plotly_chart") if "publications" in one.proto.id).proto.spec)
        return spec["layout"]["xaxis"]["title"]["text"], spec["data"][0]["x"]["bdata"]

    share, curve = drawn()
    assert share == "θ, share of many"
    select(at, "share", 3)
    assert drawn()[0] == "θ, share of &lt;b&gt;some&lt;/b&gt;" and drawn()[1] != curve
    select(at, "share", 2)
    assert drawn() == (share, curve)
    typed(at, "2 3")
    assert drawn()[0] == "θ, share of Category 1" and "Share of" not in [one.label for one in at.main.selectbox]


@pytest.mark.parametrize("page", ["app.py", "pages/1_Private_posteriors.py", "pages/4_Privacy_loss.py"])
def test_a_page_ends_where_it_is_cancelled_until_it_is_to_go_on(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    at = opened()
    for kept in (library.publication, library.comparison, library.posteriors, library.verdict):
        kept.clear()
    begun = cancel_at(2, monkeypatch)
    shown(at, page)
    for _ in range(2):
        assert len(begun) == 2, "a cancelled computation stays so"
        assert work.CANCELLED in everything(at)
        assert not charts(at) and not at.main.dataframe
        assert at.sidebar.get("download_button"), "the sidebar is whole"
        at.run()
    press(at, "Go on")
    assert work.CANCELLED not in everything(shown(at, page))
    assert charts(at) and at.main.dataframe
    assert not {"Cancel", "Go on"} & {*buttons(at)}


@pytest.mark.parametrize(("ticked", "compares"), [({"EHD"}, False), ({"EHD", "EHDS"}, True)])
def test_one_mechanism_alone_is_compared_with_nobody(ticked: set[str], compares: bool) -> None:
    """With two mechanisms the same places do compare."""
    superlative = re.compile(r"\b(Nearest|nearest|Smallest|smallest|Most likely|cover least|leaves most)\b")
    at = tick(opened(), ticked)
    for page in ("app.py", "pages/1_Private_posteriors.py", "pages/2_Distance_curves.py", "pages/4_Privacy_loss.py"):
        shown(at, page)
        first = [text.value for text in at.main.markdown if "exact mean distance" in text.value]
        titles = [json.loads(chart.proto.spec)["layout"]["title"]["text"] for chart in at.get("plotly_chart")]
        said = bare(" ".join([*first, *titles])).replace("<br>", " ")
        assert bool(superlative.search(said)) == compares, said


def test_home_names_those_that_have_something_to_gain_from_calibration() -> None:
    hint = "Not all of epsilon"
    at = opened()
    losses = {kind.label: privacy_loss(kind(1.0), (1, 1), 90).epsilon for kind in MECHANISMS
              if kind.__name__ in DEFAULT_MECHANISMS}  # fmt: skip
    gaining = [f"{label} loses {words.number(loss)}" for label, loss in losses.items() if loss < 0.999]
    assert 0 < len(gaining) < len(losses), "some spend all of it"
    said = next(line for line in everything(at).splitlines() if hint in line)
    assert f"is spent: {words.listed(gaining)}" in said
    for name in DEFAULT_MECHANISMS:
        check(at, f"calibrated: {name}")
    assert hint not in everything(at)
    assert hint not in everything(typed(opened(), "0 0"))


def test_no_rerun_of_home_waits_for_a_long_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Moving epsilon asks for other verdicts: those of many datasets are left to the page Privacy loss."""
    asked: list[tuple[str, int]] = []

    def noted(mechanism: mechanisms.Mechanism, prior: tuple[float, ...], n: int) -> Verdict:
        asked.append((mechanism.label, n))
        return verdict(mechanism, prior, n)

    monkeypatch.setattr(library, "verdict", noted)
    typed(opened(), "800 700")
    audited = {label for label, n in asked if n == 1500}
    assert audited == {kind.label for kind in MECHANISMS if kind.__name__ in DEFAULT_MECHANISMS
                       and kind(1.0).audit((1, 1), 1500).found == "closed form"}  # fmt: skip


# --- Private posteriors ---


def test_redraw_moves_the_visible_seed_and_as_many_are_drawn_as_asked_for() -> None:
    at = shown(opened(), "pages/1_Private_posteriors.py")
    assert "weighs as much as 2 records, the data as much as n = 90" in everything(at)
    assert list(at.main.dataframe[0].value["Prior expects"]) == ["2 to 88", "2 to 88"]

    def drawn() -> list[float]:
        return list(at.main.dataframe[1].value["H"])

    first = drawn()
    at.run()
    assert drawn() == first
    text(at, "gamma", "1.0")
    assert drawn() == first
    assert at.button(key="redraw").label == "Redraw (seed 1 → 2)"
    at.button(key="redraw").click().run()
    assert at.text_input(key=key(at, "seed")).value == "2"
    assert drawn() != first
    text(at, "seed", "1")
    assert drawn() == first
    assert max(controls.SIZES) == 1000
    for size in (min(controls.SIZES), max(controls.SIZES)):
        at.select_slider(key="entry: size").set_value(size).run()
        assert len(at.main.dataframe[1].value) == len(DEFAULT_MECHANISMS) * min(size, data.DRAWS_SHOWN)
        assert len(library.posteriors(EXAMPLE, MECHANISMS[0](1.0), 1, size).released) == size


# --- Distance curves ---


def test_a_sampled_law_says_so_with_its_error() -> None:
    at = typed(tick(opened(QUIET), ALL), "900 800 700 600 500 400")
    said = everything(shown(at, "pages/2_Distance_curves.py"))
    assert "Sampled, not exact" in said
    assert re.search(r"off by at most 0\.0\d+", said)
    home = shown(at, "app.py").main.dataframe[0].value
    problem = Problem((1,) * 6, (900, 800, 700, 600, 500, 400))
    laws = [distance_law(kind(1.0), problem) for kind in MECHANISMS]
    assert list(home["± of P(H ≤ LS)"]) == [0 if law.exact else law.band for law in laws] and not laws[0].exact
    shown(at, "pages/2_Distance_curves.py")
    table = pick(at, "view", controls.CUMULATIVE).main.dataframe[0].value
    assert "P(H ≤ 0.1)" in table
    assert 0 < table["Off by at most"].max() < 0.05


def test_the_probability_of_a_distance_is_told_for_the_one_asked_for() -> None:
    at = shown(tick(opened(), ALL), "pages/2_Distance_curves.py")
    assert "entry: within" not in {entry.key for entry in at.main.text_input}
    for view in (*controls.VIEWS, controls.CUMULATIVE):
        names = {trace.get("name", "") for trace in charts(pick(at, "view", view))[0]["data"]}
        assert {kind.label for kind in MECHANISMS} <= names and "Every curve is the exact law" in everything(at)
    assert at.text_input(key="entry: within").value == "0.1"
    for t in ("0.1", "0.02", "1"):
        text(at, "within", t)
        table = at.main.dataframe[0].value
        expected = [distance_law(kind(1.0), EXAMPLE).cdf(float(t)) for kind in MECHANISMS]
        assert list(table[f"P(H ≤ {t})"]) == pytest.approx(expected, rel=1e-12)
        assert "Off by at most" not in table
    text(at, "within", "1.5")
    assert ["t is too large" in bare(error.value) for error in at.main.error] == [True]
    assert not [column for column in at.main.dataframe[0].value if column.startswith("P(H")]


def test_a_probability_between_the_edges_of_bins_says_how_far_off_it_can_be() -> None:
    kinds = [kind for kind in MECHANISMS if kind.__name__ in ("EHD", "Geometric")]
    at = typed(tick(opened(), {kind.__name__ for kind in kinds}), "30 40 30 30")
    assert at.main.dataframe[0].value.set_index("Mechanism").loc["EHD", "Law"] == data.LAW_KINDS["bins"]
    shown(at, "pages/2_Distance_curves.py")
    found = pick(at, "view", controls.CUMULATIVE).main.dataframe[0].value["Off by at most"]
    laws = [distance_law(kind(1.0), Problem((1, 1, 1, 1), (30, 40, 30, 30))) for kind in kinds]
    assert list(found) == [law.cdf_error for law in laws]
    assert min(found) > 0


# --- Sensitivity ---


@pytest.mark.parametrize("counts", ["48 42", "20 20 20", "1 1 1 77"])
def test_sensitivity_shows_all_five_and_its_charts(counts: str) -> None:
    """Two of them draw posteriors of two categories."""
    at = typed(opened(QUIET), counts)
    assert len(at.main.metric) == 5
    assert len(charts(at)) == (5 if len(counts.split()) == 2 else 3)
    if len(counts.split()) == 3:
        first = charts(at)[0]
        for measure in controls.MEASURES:
            assert len(charts(pick(at, "measure", measure))) == 3, "one map at a time"
        assert charts(at)[0] != first


@few_points
def test_without_a_mechanism_the_sensitivities_and_the_papers_remain() -> None:
    at = tick(opened(), set())
    for page in EVERY:
        shown(at, page)
        assert (words.NOTHING_TICKED in everything(at)) == (page not in WITHOUT_MECHANISMS)
        assert len(charts(at)) == WITHOUT_MECHANISMS.get(page, 0)


# --- Papers ---


def test_one_figure_of_the_papers_at_a_time(files: Files) -> None:
    at = shown(opened(), "pages/6_Papers.py")
    box = at.selectbox(key="entry: paper figure")
    assert len(box.options) == len(FIGURES)
    for figure in (FIGURES[2], FIGURES[-1]):
        select(at, "paper figure", figure.key)
        assert len(charts(shown(at, "pages/6_Papers.py"))) == 2, "beside that of the scores"
        assert figure.caption in everything(at)
        assert figure.story(figure.result(1)) in everything(at)
        assert_page(at, tables_of(files))
    before = everything(at)
    at.button(key="redraw").click().run()
    assert at.text_input(key=key(at, "seed")).value == "2"
    assert everything(at) == before, "what is exact does not move with the seed"


# --- the limits of every control ---


@few_points
@pytest.mark.parametrize("counts", ["0 0", "0 0 0 0"])
def test_no_records(counts: str) -> None:
    at = typed(tick(opened(QUIET), ALL), counts)
    for page in EVERY:
        sensitivity = page.endswith("Sensitivity.py")
        shown(at, page, refused=sensitivity)
        if sensitivity:
            assert "at least one record" in everything(at)
    table = shown(at, "app.py").main.dataframe[0]
    assert "every mechanism releases the prior itself" in everything(at)
    assert table.value["P(H ≤ LS)"].isna().all() and table.proto.placeholder == "–"
    assert json.loads(table.proto.columns)["P(H ≤ LS)"]["help"] == data.NO_RECORD


@few_points
@pytest.mark.parametrize(("counts", "rule", "strength", "epsilon", "gamma"), [
    ("1 0", prior.CHOICES[0], "1", "1e-9", "0"),
    ("1e12 5", prior.CHOICES[1], "1", "1", "1e6"),
    ("1 0 0", prior.CHOICES[2], "1", "0.01", "1e6"),
    ("1e9 1e9 1e9", prior.CUSTOM, "1", "20", "0"),
    ("2 0 0 0 0 0", prior.SYMMETRIC, "1e-9", "1e6", "1e6"),
    ("48 42", prior.SYMMETRIC, "1e12", "1", "0"),
])  # fmt: skip
def test_every_page_is_drawn_at_the_ends_of_every_entry(
    counts: str, rule: str, strength: str, epsilon: str, gamma: str
) -> None:
    at = select(typed(tick(opened(QUIET), ALL), counts), "prior", rule)
    if rule == prior.SYMMETRIC:
        text(at, "strength", strength)
    text(text(at, "gamma", gamma), "epsilon", epsilon)
    for page in EVERY:
        assert charts(shown(at, page))


@few_points
def test_many_categories() -> None:
    """And on the pages that scan them, more than are scanned."""
    at = made_up(opened(QUIET), n="3000", k="450")
    for page in EVERY[1:5]:
        assert charts(shown(at, page))
    text(shown(at, QUIET), "made-up k", "25")
    for page in (EVERY[0], *EVERY[5:]):
        assert charts(shown(at, page))


def test_every_example_is_exact() -> None:
    """As the one is that has the most candidates: by their number a law is computed or drawn."""
    largest = max(EXAMPLES, key=lambda example: number_of_candidates(sum(example.counts), len(example.counts)))
    at = select(shown(opened(QUIET), "pages/2_Distance_curves.py"), "example", largest.key)
    assert not at.error
    assert "Every curve is the exact law" in everything(at)


# --- what a person's own names may not do ---

def test_no_cached_answer_knows_a_name() -> None:
    """An answer is shared by all who ask with equal arguments, so labels and titles must not be among them."""
    functions = [found for found in vars(library).values() if isinstance(found, Kept)]
    assert len(functions) > 5
    asked = {name for function in functions for name in inspect.signature(function).parameters}
    assert asked == {
        "problem", "neighbour", "mechanism", "seed", "size", "prior", "n", "category", "gamma", "beta", "u", "measure",
        "epsilons", "alpha", "mass", "points", "steps_a_side", "gammas", "limit", "priors", "sizes", "mechanisms",
    }  # fmt: skip


def test_csv_cells_are_safe_and_numbers_stay_numbers() -> None:
    import pandas

    table = pandas.DataFrame({"=cell": ["=1+1", "-5", "@x", " +y", "plain", "\tz"], "number": [-1.5, 2, 3, 4, 5, 6]})
    written = downloads.csv_bytes(table)
    assert written.startswith("\ufeff".encode())
    lines = written.decode("utf-8-sig").splitlines()
    assert lines[0] == "'=cell,number"
    assert [line.rsplit(",", 1)[1] for line in lines[1:]] == ["-1.5", "2.0", "3.0", "4.0", "5.0", "6.0"]
    assert all(line.lstrip('"').startswith(("'", "plain")) for line in lines[1:])


def test_a_columns_numbers_are_written_alike_and_all_fit_beside_the_sidebar() -> None:
    """In talk mode a table is text: each of its columns has numbers of one kind, which differ as the values do."""
    at = tick(opened(), ALL)
    for epsilon in ("20", "0.01", "1"):
        at.toggle(key="entry: talk").set_value(False).run()
        grid = text(at, "epsilon", epsilon).main.dataframe[0].value
        at.toggle(key="entry: talk").set_value(True).run()
        lines = next(found.value for found in at.main.markdown if found.value.startswith("|")).splitlines()
        head, _, *rows = ([bare(cell).strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines)
        for name, cells in zip(head, zip(*rows, strict=True), strict=True):
            if grid[name].dtype.kind != "f":
                continue
            assert [cell == "–" for cell in cells] == list(grid[name].isna())
            written = [cell for cell in cells if cell != "–"]
            assert len({("e" in cell, len(cell.partition(".")[2].partition("e")[0])) for cell in written}) == 1, written
            assert [float(cell) for cell in written] == pytest.approx(list(grid[name].dropna()), rel=0.05)
            assert max(map(float, written)) == pytest.approx(grid[name].max(), rel=5e-4)
    # All its columns in the 860 pixels that a screen of 1280 leaves, with every mechanism and one calibrated.
    at.toggle(key="entry: talk").set_value(False).run()
    check(at, "calibrated: Geometric")
    for epsilon in ("1", "0.015", "0.01"):
        table = text(at, "epsilon", epsilon).main.dataframe[0]
        columns = json.loads(table.proto.columns)
        widths = [column["width"] for name, column in columns.items() if name in table.value]
        assert len(widths) == len(table.value.columns)
        assert sum(widths) <= 860
