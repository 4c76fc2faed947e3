"""The page Read noisy counts: from what is brought and said of it to shares, total and ranks; else a sentence."""

import io
import json
import zipfile
from collections.abc import Iterator
from contextlib import redirect_stdout
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import dpbi
from dpbi import noise
from dpbi.dashboard.sidebar import prior
from dpbi.dashboard.views import noisy_counts as view
from dpbi.dashboard.words import noisy_counts as said, words
from dpbi.inference import ranking as ranks
from dpbi.releases.reading import NOTHING_PRIVATE
from dpbi.releases.stated_noise import LAWS
from tests.dashboard.exports import assert_page, made
from tests.dashboard.person import (
    HOSTILE,
    bare,
    buttons,
    cancel_at,
    charts,
    everything,
    led_to,
    opened,
    press,
    ran,
    select,
    text,
    typed,
    unfold,
    visit,
)
from tests.data.reader import saved, workbook

PAGE, CELLS = "pages/11_Read_noisy_counts.py", "noisy counts: cells"
OPENDP = "answer\tnoisy count\nRed\t412\nBlue\t377\nGreen\t-3\nYellow\t12\n"
CENSUS = "race,estimate,variance\nA,5210,130.5\nB,811,130.5\nC,-4,130.5\nTotal,6040,40.2\n"
WIKIMEDIA = "page,country,views\nX,France,212\nX,Chad,<90\nY,France,180\nY,Chad,<90\n"
GEOMETRIC = noise.TwoSidedGeometric(10.0)


@pytest.fixture(autouse=True)
def _few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranks, "DRAWS", 300)


@pytest.fixture(scope="module")
def app() -> AppTest:
    """One person's session, in which one table after another is brought."""
    return opened(PAGE)


def brought(at: AppTest, cells: str, **entries: Any) -> AppTest:
    """The cells pasted, and what is said of them, in this order."""
    if "Discard the file" in buttons(at):
        press(at, "Discard the file")
    ran(at.text_area(key=CELLS).set_value(cells))
    return say(at, **entries)


def _entry(widget: Any) -> str:
    return str(widget.key).removeprefix("entry: ").partition(", ")[0]


def say(at: AppTest, **entries: Any) -> AppTest:
    for name, value in entries.items():
        name = f"noisy: {name.replace('_', ' ')}"
        (select if name in {_entry(box) for box in at.selectbox} else text)(
            at, name, value)  # fmt: skip
    return at


def shares(at: AppTest) -> dict[str, float]:
    """What the table says; {} where nothing is shown, and then no picture is either."""
    frames = [frame.value for frame in at.main.dataframe]
    assert bool(frames) == bool(charts(at))
    return dict(zip(frames[0]["Category"], frames[0]["Share"], strict=True)) if frames else {}


def expected(*asked: Any) -> Any:
    return pytest.approx(dpbi.noisy_counts_posterior(*asked).mean.tolist(), rel=1e-12)


def test_an_opendp_table_is_read_in_three_entries(app: AppTest) -> None:
    at = brought(app, OPENDP)
    left = [said.OF_STATED, said.OF_SIZE, said.OF_KIND]
    assert at.main.info[0].value == said.still_to_be_said(left) and not shares(at)
    for said_now in ({"stated": "scale"}, {"number": "10"}):
        del left[0]
        say(at, **said_now)
        assert at.main.info[0].value == said.still_to_be_said(left)
    say(at, law="geometric")
    assert [*shares(at).values()] == expected((1,) * 4, [412, 377, -3, 12], GEOMETRIC, dpbi.Flat())
    assert "Red is first of the shares θ with probability" in everything(at) and "95 % from" in everything(at)
    assert len(charts(at)) == 3 and not at.main.error and not at.main.warning
    assert words.PUBLISHED_NOTICE in everything(at) and words.RELATION_NOTICE not in everything(at)
    for total, entry, law in (("known", {"n": "800"}, 800), ("log", {}, dpbi.LogUniform()),
                              ("about", {"mean": "800"}, dpbi.Poisson(800))):  # fmt: skip
        say(at, total=total, **entry)
        assert [*shares(at).values()] == expected((1,) * 4, [412, 377, -3, 12], GEOMETRIC, law)
        assert len(charts(at)) == 2 + (total != "known")
    say(at, stated="sigma", law="discrete gaussian", total="noisy", measured="800")
    stated = noise.DiscreteGaussian(100)
    for size, own in (("", stated), ("4", noise.DiscreteGaussian(16))):
        say(at, **{"measured noise": size})
        measured = [(range(4), 800, own)]
        assert [*shares(at).values()] == expected((1,) * 4, [412, 377, -3, 12], stated, dpbi.Flat(), measured)


def test_a_census_table_has_its_noise_and_its_total_in_the_file(app: AppTest) -> None:
    at = brought(app, CENSUS, law="discrete gaussian")
    assert said.OF_TOTALS in at.main.info[0].value and said.GUESSED in everything(at)
    law, of_total = noise.DiscreteGaussian(130.5), noise.DiscreteGaussian(40.2)
    asked = (1, 1, 1), [5210, 811, -4], law, dpbi.Flat()
    say(at, **{"row Total": "measured"})
    assert [*shares(at).values()] == expected(*asked, [(range(3), 6040, of_total)])
    say(at, **{"row Total": "out"})
    assert [*shares(at).values()] == expected(*asked)
    say(at, **{"row Total": "category"})
    assert len(shares(at)) == 4


def test_a_total_without_noise_is_exact_or_left_out(app: AppTest) -> None:
    at = brought(app, "race,estimate,variance\nA,5210,130.5\nB,811,130.5\nTotal,6040,\n", law="discrete gaussian")
    asked = (1, 1), [5210, 811], noise.DiscreteGaussian(130.5)
    assert not shares(at) and said.OF_TOTALS in at.main.info[0].value
    for meant, total in (("exact", 6040), ("out", dpbi.Flat())):
        say(at, **{"row Total": meant})
        assert [*shares(at).values()] == expected(*asked, total)
        assert (said.TOTAL_IS_EXACT in everything(at)) == (meant == "exact")


def test_withheld_cells_are_asked_about_and_never_0(app: AppTest) -> None:
    at = brought(app, WIKIMEDIA, labels="(joined)", stated="sigma", number="10", law="discrete gaussian")
    law = noise.DiscreteGaussian(100, below=90)
    assert [*shares(at).values()] == expected((1,) * 4, [212, None, 180, None], law, dpbi.Flat())
    assert "X / France" in shares(at)
    say(at, **{"below <90": "100"})
    law = noise.DiscreteGaussian(100, below=100)
    assert [*shares(at).values()] == expected((1,) * 4, [212, None, 180, None], law, dpbi.Flat())
    say(at, **{"mark <90": "nothing"}, total="known", n="500")
    law = noise.DiscreteGaussian(100)
    assert [*shares(at).values()] == expected((1,) * 4, [212, None, 180, None], law, 500)
    say(at, **{"mark <90": "out"})
    assert len(shares(at)) == 2
    at = brought(app, "a,120\nb,*\nc,\n", stated="sigma", number="10", law="gaussian rounded")
    assert said.OF_MARKS in at.main.info[0].value and not shares(at)
    say(at, **{"mark *": "below", "mark ": "out"})
    assert said.OF_MARKS in at.main.info[0].value  # no threshold yet
    say(at, **{"below *": "20"})
    assert [*shares(at)] == ["a", "b"]
    at = brought(app, "a,120\nb,<5\nc,<10\n", stated="sigma", number="3", law="gaussian rounded")
    laws = [noise.Gaussian(3), noise.Gaussian(3, below=5), noise.Gaussian(3, below=10)]
    assert [*shares(at).values()] == expected((1,) * 3, [120, None, None], laws, dpbi.Flat())


@pytest.mark.parametrize(("stated", "entries", "law"), [
    ("epsilon", {"number": "0.5", "sensitivity": "2"}, noise.TwoSidedGeometric(4.0)),
    ("accuracy", {"number": "12"}, noise.TwoSidedGeometric(noise.scale_of_accuracy(12))),
    ("scale", {"number": "1/0.25"}, noise.TwoSidedGeometric(4.0)),
    ("standard deviation", {"number": "3"}, noise.TwoSidedGeometric(noise.scale_of_sd(3))),
    ("variance", {"number": "9"}, noise.TwoSidedGeometric(noise.scale_of_sd(3))),
])  # fmt: skip
def test_noise_in_words_that_people_have(app: AppTest, stated: str, entries: dict[str, str], law: Any) -> None:
    at = brought(app, OPENDP, stated=stated, **entries, law="geometric")
    assert [*shares(at).values()] == expected((1,) * 4, [412, 377, -3, 12], law, dpbi.Flat())


def test_decimals_leave_noise_that_was_not_rounded_and_values_may_be_cut(app: AppTest) -> None:
    at = brought(app, "a,40.5\nb,0\nc,12.25\n", stated="scale", number="3")
    box = next(one for one in at.selectbox if one.label == said.LAW)
    assert box.options == [said.kind(LAWS["laplace"].called)]
    say(at, law="laplace")
    ran(next(one for one in at.checkbox if one.label == said.FLOOR).check())
    law = noise.Laplace(3, False, floor=0)
    assert [*shares(at).values()] == expected((1,) * 3, [40.5, 0, 12.25], law, dpbi.Flat())
    for choice, entry, alpha in (("Jeffreys: 1/2 per category", {}, (0.5,) * 3),
                                 ("Symmetric: one strength for all", {"strength": "2"}, (2,) * 3)):  # fmt: skip
        say(at, prior=choice, **entry)
        assert [*shares(at).values()] == expected(alpha, [40.5, 0, 12.25], law, dpbi.Flat())
    say(at, prior=prior.CUSTOM)
    ran(at.text_area(key="entry: noisy: alphas").set_value("1 2 3"))
    assert [*shares(at).values()] == expected((1, 2, 3), [40.5, 0, 12.25], law, dpbi.Flat())


REFUSED: dict[str, tuple[str, dict[str, Any], str]] = {
    "a number that is none": (OPENDP, {"stated": "scale", "number": "wide", "law": "geometric"}, "such as 0.5"),
    "no scale": (OPENDP, {"stated": "scale", "number": "0.0001", "law": "geometric"}, "Scale must"),
    "less than none": (OPENDP, {"stated": "scale", "number": "-1"}, "Scale must be at least 0: got -1."),
    "no epsilon": (OPENDP, {"stated": "epsilon", "number": "0"}, "Epsilon of this table must be greater than 0"),
    "improper": ("a,*\nb,*\n", {"mark *": "nothing", "stated": "scale", "number": "3", "law": "geometric"}, "improper"),
    "below the threshold": ("a,-3\nb,<9\n", {"stated": "scale", "number": "3", "law": "geometric"},
                            "The value of 'a' must be at least 9"),
    "a name twice": ("a,3\na,9\n", {}, "names 2 rows"),
    "no table": ("hello", {}, ""),
    "no release": ('{"format": "other"}', {}, ""),
    "no n": (OPENDP, {"stated": "scale", "number": "3", "law": "geometric", "total": "known", "n": "0"}, "n must"),
    "too wide": (OPENDP, {"stated": "scale", "number": "1e8", "law": "geometric"}, ""),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_a_sentence_and_no_old_picture_stands_beside_it(app: AppTest, case: str) -> None:
    cells, entries, sentence = REFUSED[case]
    brought(app, OPENDP, stated="scale", number="10", law="geometric")
    assert shares(app)
    at = brought(app, cells, **entries)
    (error,) = at.main.error
    assert sentence in bare(error.value) and words.APOLOGY not in error.value
    assert not shares(at) and not at.exception


def test_what_looks_wrong_is_said(app: AppTest) -> None:
    noted = {"stated": "scale", "number": "2", "law": "geometric"}
    at = brought(app, "a,40\nb,31\n")  # before anything is said of the noise
    assert [box.value for box in at.main.warning] == [said.LOOKS_TRUE] and "Data" in led_to(at)
    assert [box.value for box in say(at, **noted).main.warning] == [said.LOOKS_TRUE]
    assert not brought(app, "a,40\nb,-1\n", **noted).main.warning
    at = brought(app, "a,40\nb,-1\nc,22\n", **noted, total="known", n="61")
    assert [box.value for box in at.main.warning] == [said.SUMS_TO_N]
    (warning,) = say(at, n="100").main.warning
    assert "Their sum is 61, far from n = 100" in warning.value and said.TOO_SMALL in warning.value
    assert said.DOES_NOT_FIT in everything(at) and "**a is first" not in everything(at)
    cut = "noisy\n" + "\n".join(["400", *"0" * 12])
    *_, warning = brought(app, cut, **noted | {"number": "12"}, total="known", n="250").main.warning
    assert said.NO_NEGATIVE in warning.value
    at = brought(app, "a,<5\nb,<5\n", **noted, total="known", n="4")
    assert [box.value for box in at.main.warning] == [said.ALL_WITHHELD]


def test_a_workbook_of_several_sheets_and_names_that_are_no_markup(app: AppTest) -> None:
    name = HOSTILE.lstrip("=")  # a formula
    sheets = workbook(notes=[["see the other sheet"]], table=[["who", "dp_count"], [name, 30], ["b", -2]])
    press(app, "Discard the file") if "Discard the file" in buttons(app) else None
    uploader: Any = app.main.get("file_uploader")[0]
    at = ran(uploader.set_value(("x.xlsx", saved(sheets), "application/octet-stream")))
    say(at, stated="scale", number="2", law="geometric")
    first, second = shares(at)
    assert second == "b" and name.startswith(first.rstrip(" …"))
    assert any(words.escape(name) in one.value for one in at.main.markdown)
    at = say(at, sheet="notes")
    assert len(at.main.error) == 1 and not shares(at)


@pytest.fixture(scope="module")
def release() -> dpbi.Release:
    mechanism = next(kind for kind in dpbi.MECHANISMS if kind.palette_place == 3)(0.7)
    return dpbi.release(mechanism, dpbi.Problem((1, 1, 1), (40, 31, 5)))


def test_the_file_of_a_release_needs_no_further_answer(app: AppTest, release: dpbi.Release) -> None:
    at = brought(app, release.to_json(("x", "y", "z")))
    posterior = release.noise_aware
    assert isinstance(posterior, dpbi.NoiseAwarePosterior)
    assert [*shares(at).values()] == posterior.mean.tolist() and not at.selectbox
    assert "Count from" in at.main.dataframe[0].value and "n = 76" in everything(at)
    found = run(code(at), {"pasted.txt": release.to_json(("x", "y", "z")).encode()})
    assert found["posterior"].mean.tolist() == posterior.mean.tolist()


@pytest.mark.parametrize("membership", ["public", "private"])
def test_of_the_file_of_a_table_question_and_group_are_chosen(app: AppTest, membership: Any) -> None:
    table = dpbi.CountTable.of(["North", "South"], {"Smokes?": {"yes": [40, 7], "no": [31, 9]},
                                                    "Votes": {"a": [30, 5], "b": [21, 5], "c": [20, 6]}})  # fmt: skip
    made_table = dpbi.release_tables([dpbi.mechanisms.KNorm(0.7)] * 2, table, membership=membership)
    at = brought(app, made_table.to_json())
    assert [*shares(at).values()] == made_table.posterior("Smokes?", "North").mean.tolist()
    boxes = {box.label: box for box in at.main.selectbox}
    ran(boxes["Question"].set_value("Votes"))
    at = ran({box.label: box for box in at.main.selectbox}["Group"].set_value("South"))
    posterior = made_table.posterior("Votes", "South")
    assert [*shares(at).values()] == posterior.mean.tolist()
    assert [*shares(at)] == ["a", "b", "c"]
    found = run(code(at), {"pasted.txt": made_table.to_json().encode()})
    assert found["posterior"].mean.tolist() == posterior.mean.tolist()


def test_the_report_of_a_release_holds_the_file_that_its_script_opens(
    files: dict[str, Any], release: dpbi.Release
) -> None:
    text = release.to_json(("x", "y", "z"))
    brought(opened(PAGE), text)
    with zipfile.ZipFile(io.BytesIO(made(files)["dpbi-read-noisy-counts.zip"])) as packed:
        assert packed.read("dpbi/pasted.txt").decode() == text
        assert "open('pasted.txt', 'rb')" in packed.read("dpbi/script.py").decode()
        assert "pasted.txt                       what was read" in packed.read("dpbi/README.txt").decode()


def code(at: AppTest) -> str:
    return next(one.value for one in unfold(at, "Copy as Python").main.code)


def run(program: str, files: dict[str, bytes] | None = None) -> dict[str, Any]:
    found: dict[str, Any] = {"open": lambda name, mode: io.BytesIO((files or {})[name])}
    with redirect_stdout(io.StringIO()):
        exec(compile(program, "script.py", "exec"), found)
    return found


@pytest.mark.parametrize(("cells", "entries"), [
    (CENSUS, {"row Total": "measured", "law": "discrete gaussian"}),
    (WIKIMEDIA, {"labels": "(joined)", "stated": "epsilon", "number": "0.5", "sensitivity": "1", "law": "geometric",
                 "total": "about", "mean": "500"}),
    ("a,40.5\nb,-3\n", {"stated": "sigma", "number": "3", "law": "gaussian", "total": "known", "n": "40"}),
])  # fmt: skip
def test_the_script_gives_the_numbers_of_the_page(app: AppTest, cells: str, entries: dict[str, Any]) -> None:
    at = brought(app, cells, **entries)
    table = at.main.dataframe[0].value
    found = run(code(at))
    assert found["posterior"].mean.tolist() == table["Share"].tolist()
    assert found["ranks"].first.tolist() == table["P(first)"].tolist()
    assert [found["posterior"].interval(0.95, i)[0] for i in range(len(table))] == table["Share from"].tolist()


def test_files_hold_what_is_shown_and_nothing_of_the_sidebars_private_counts(
    files: dict[str, Any],
) -> None:
    at = typed(opened(), "secret person, 7919\nother, 6007")
    brought(visit(at, PAGE), CENSUS, law="discrete gaussian", **{"row Total": "out"})
    taken = made(files)
    assert_page(at, {name: content for name, content in taken.items() if name.endswith(".csv")})
    document = json.loads(taken["dpbi-reading.json"])
    shown = at.main.dataframe[0].value
    assert [row["mean"] for row in document["categories"]] == shown["Share"].tolist()
    with zipfile.ZipFile(io.BytesIO(taken["dpbi-read-noisy-counts.zip"])) as packed:
        texts = {name: packed.read(name).decode() for name in packed.namelist()}
    assert NOTHING_PRIVATE in texts["dpbi/README.txt"] and "sidebar" not in texts["dpbi/README.txt"]
    assert "Neighbours" not in texts["dpbi/README.txt"]
    assert {"dpbi/reading.json", "dpbi/statement.md", "dpbi/script.py", "dpbi/figures/shares.html",
            "dpbi/tables/noisy-counts.csv"} <= {*texts}  # fmt: skip
    texts |= {name: content.decode() for name, content in taken.items() if not name.endswith((".zip", ".html"))}
    everywhere = [everything(at), *(one for name, one in texts.items() if not name.endswith((".js", ".html")))]
    assert len(everywhere) > 12
    assert not [one for one in everywhere if "secret" in one or "7919" in one or words.RAW_NOTICE in one]
    assert not at.sidebar.text_input and not at.sidebar.selectbox
    assert not any("5210" in str(value) for value in at.query_params.values())


def test_a_noisy_table_of_the_page_data_comes_along_and_replaces_nothing_unasked(app: AppTest) -> None:
    at = visit(opened(), "pages/10_Data.py")
    ran(at.text_area(key="data: cells").set_value(OPENDP))
    use = next(one for one in at.main.button if one.label == "Use these counts")
    assert use.proto.type == "secondary"
    visit(at, PAGE)
    say(at, stated="scale", number="10", law="geometric")
    assert len(shares(at)) == 4
    press(at, "Discard the file")
    assert not shares(at) and "Discard the file" not in buttons(at)  # once
    brought(at, WIKIMEDIA)
    press(visit(at, "pages/10_Data.py"), "Discard the file")
    ran(at.text_area(key="data: cells").set_value(OPENDP))
    (label,) = {*buttons(visit(at, PAGE))} & {said.TAKE_OVER}
    say(press(at, label), stated="scale", number="10", law="geometric")
    assert "Yellow" in shares(at) and said.TAKE_OVER not in buttons(at)


def test_what_was_said_stays_while_other_pages_are_visited_and_goes_with_what_was_brought(app: AppTest) -> None:
    before = shares(brought(app, OPENDP, stated="scale", number="10", law="geometric", total="known", n="800"))
    visit(app, "pages/10_Data.py")
    assert shares(visit(app, PAGE)) == before
    at = brought(app, OPENDP)
    assert [box.value for box in at.selectbox if _entry(box) == "noisy: stated"] == [None]
    assert not shares(at)


@pytest.fixture
def many() -> Iterator[str]:
    values = np.random.default_rng(3).integers(-5, 400, 60)
    yield "page\tnoisy\n" + "\n".join(f"P{i}\t{value}" for i, value in enumerate(values))


def test_of_many_categories_the_largest_are_drawn_and_the_work_can_be_cancelled(
    app: AppTest, many: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = brought(app, many, stated="scale", number="3", law="geometric", total="known", n="11000")
    assert len(charts(at)[0]["layout"]["yaxis"]["ticktext"]) == view.DRAWN
    table = at.main.dataframe[0].value
    assert table["Share"].is_monotonic_decreasing and len(table) == view.MANY
    last = str(table["Category"].iloc[-1])
    ran(at.multiselect(key="noisy counts: also").set_value([int(last.removeprefix("P"))]))
    assert charts(at)[0]["layout"]["yaxis"]["ticktext"][-1] == last
    begun = cancel_at(1, monkeypatch)
    at = say(at, number="4")
    assert begun and not shares(at) and "Go on" in buttons(at)
    monkeypatch.undo()
    assert shares(press(at, "Go on"))
