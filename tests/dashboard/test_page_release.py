"""The Release page through AppTest: one draw for one press, what must be acknowledged, the files, and the ledger."""

import io
import json
import random
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
from streamlit.runtime.caching.cache_data_api import DataCache
from streamlit.testing.v1 import AppTest

from dpbi import MECHANISMS, NotPrivate, Release, expected_distance, mechanisms, read_release
from dpbi.accuracy.trials import release_errors
from dpbi.dashboard.answers.cache import Kept
from dpbi.dashboard.page import DEFAULT_MECHANISMS
from dpbi.dashboard.session import options
from dpbi.dashboard.sidebar import data_source
from dpbi.dashboard.words import release as release_words, words
from dpbi.privacy.guessing import guessing_risk
from dpbi.releases import release
from dpbi.releases.kept_ledger import Account, of_all
from dpbi.releases.ledger import Ledger
from dpbi.releases.ledger_in_memory import LedgerInMemory
from dpbi.releases.usefulness import barely_private
from tests.dashboard.person import (
    ALL,
    PATIENCE,
    ROOT,
    bare,
    everything,
    key,
    opened,
    press,
    ran,
    select,
    text,
    tick,
    ticked,
    visit,
)
from tests.dashboard.test_scenario_file import Files
from tests.every_mechanism import lists_datasets
from tests.releases import planted

PAGE = "pages/7_Release.py"
COUNTS = "31 44"
BUTTON = "Release once with"
PEOPLE, QUESTION = "Survey 2026", "Do you smoke?"
FIRST = next(kind.label for kind in MECHANISMS if kind.__name__ in DEFAULT_MECHANISMS)
Draws = list[Release]


@pytest.fixture
def draws(monkeypatch: pytest.MonkeyPatch) -> Draws:
    """Every release that is drawn, in order."""
    made: Draws = []
    drawn: Callable[..., Release] = release.release

    def kept(*arguments: Any) -> Release:
        made.append(drawn(*arguments))
        return made[-1]

    monkeypatch.setattr(release, "release", kept)
    return made


def page(counts: str = COUNTS, people: str = PEOPLE, question: str = QUESTION, **settings: Any) -> AppTest:
    """The first mechanism chosen, and what the ledger asks said; what the sidebar holds is there from the start."""
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE).switch_page(PAGE)
    at.session_state["settings"] = {"source": data_source.TYPED, "typed": counts, "to release": FIRST} | settings
    return said_of(ran(at), people, question) if people else ran(at)


def said_of(at: AppTest, people: str = PEOPLE, question: str = QUESTION) -> AppTest:
    said = {"Whose answers these are": people, "What was asked": question, "Who you are": "Ada"}
    for label, value in said.items():
        field = next(one for one in at.main.text_input if one.label == label)
        if not field.disabled:  # where a login says it
            field.set_value(value)
    return ran(at)


def state_the_table(at: AppTest, said: str = release_words.SAME) -> AppTest:
    (radio,) = at.main.radio
    return ran(radio.set_value(said))


def button(at: AppTest) -> Any:
    return next(one for one in at.main.button if one.label.startswith(BUTTON))


def released_by(at: AppTest, *, forced: bool = False) -> AppTest:
    """After all that is asked for; forced: without it, as a browser that lets a disabled button through."""
    if forced:
        button(at).proto.disabled = False
    else:
        if at.main.radio and at.main.radio[0].value is None:
            state_the_table(at)
        acknowledge(at)
        assert not button(at).disabled
    ran(button(at).click())
    assert not [error.value for error in at.main.error if words.APOLOGY in error.value]
    return at


def acknowledge(at: AppTest) -> AppTest:
    for box in at.main.checkbox:
        box.check()
    return at.run()


def shown(at: AppTest) -> pd.DataFrame:
    """The table of the release that is shown."""
    return next(one.value for one in at.main.dataframe if "Released" in one.value)


def files_of(files: Files, ending: str) -> bytes:
    (name,) = [name for name in files if name.startswith("dpbi-release-") and name.endswith(ending)
               and "-posteriors" not in name]  # fmt: skip
    return files[name]()


# --- the draw ---


def test_nothing_is_drawn_before_the_button_is_pressed(draws: Draws) -> None:
    at = opened(PAGE)
    assert at.main.selectbox[0].value is None and release_words.CHOOSE in everything(at)
    assert not [one for one in at.main.button if one.label.startswith(BUTTON)]
    assert release_words.NOTHING in everything(at)
    at = page(people="")
    assert bare(at.main.info[0].value) == LedgerInMemory().notice
    assert release_words.NAME_FIRST in [info.value for info in at.main.info] and button(at).disabled
    released_by(at, forced=True)
    assert not draws
    at = page()
    assert button(at).label == f"{BUTTON} {at.main.selectbox[0].value}, epsilon = 1"
    assert [bare(box.label) for box in at.main.checkbox] == [
        "I know that a draw is final: it cannot be taken back, and costs these people 1-DP for good."
    ]
    assert button(at).disabled
    released_by(at, forced=True)
    assert not draws
    released_by(at)
    assert len(draws) == 1


def test_one_mechanism_alone_is_chosen_and_of_several_the_private_ones_come_first() -> None:
    at = tick(opened(PAGE), {MECHANISMS[3].__name__})
    assert at.main.selectbox[0].value == MECHANISMS[3].label and button(at)
    tick(at, ALL)
    assert at.main.selectbox[0].value == MECHANISMS[3].label, "a choice stays"
    promised = [kind(1.0).guarantee((1.0, 1.0), 90) for kind in MECHANISMS]
    named = [words.stamped(kind.label, guarantee) for kind, guarantee in zip(MECHANISMS, promised, strict=True)]
    private = [name for name, guarantee in zip(named, promised, strict=True) if guarantee.is_private]
    options = at.main.selectbox[0].options
    assert options[: len(private)] == private and sorted(options) == sorted(named)


def test_no_rerun_no_widget_and_no_other_page_draws_again(draws: Draws) -> None:
    at = released_by(page())
    released = shown(at)
    assert list(released["Released"]) == list(draws[0].released)
    at.run()
    text(at, "epsilon", "0.5")
    tick(at, {*DEFAULT_MECHANISMS, MECHANISMS[0].__name__})
    select(at, "to release", at.main.selectbox[0].options[1])
    visit(visit(at, "app.py"), PAGE)
    assert len(draws) == 1
    assert shown(at).equals(released)
    assert f"drawn on {draws[0].time}" in everything(at)
    assert draws[0].mechanism.epsilon == 1
    scripts = [code.value for code in at.main.code]
    assert not any("dpbi.release" in one for one in scripts) and sum("counts =" in one for one in scripts) == 1


def test_a_second_click_on_its_way_draws_nothing(draws: Draws) -> None:
    at = acknowledge(page())
    at.session_state["releases: drawn"] = 1  # as it is once the first click was served
    ran(button(at).click())
    assert not draws


@pytest.mark.parametrize("before_the_click", [True, False])
def test_a_click_that_comes_with_a_change_draws_nothing_and_asks_again(draws: Draws, before_the_click: bool) -> None:
    """A number typed without Enter arrives with the click: in one run with it, or in one that the click cut short."""
    at = acknowledge(page())
    if before_the_click:
        at.session_state["settings"]["epsilon"] = "7"
    else:
        at.text_input(key=key(at, "epsilon")).set_value("7")
    ran(button(at).click())
    assert not draws
    assert [error.value for error in at.main.error] == [release_words.CHANGED]
    assert button(at).label.endswith("epsilon = 7") and button(at).disabled
    assert "7-DP" in bare(at.main.checkbox[0].label) and not at.main.checkbox[0].value
    released_by(at)
    assert [one.mechanism.epsilon for one in draws] == [7]
    assert not at.main.error


def test_a_second_release_is_warned_of_and_must_be_acknowledged(draws: Draws) -> None:
    at = released_by(page())
    warned = bare(at.main.warning[1].value)
    assert "released once already: 1-DP" in warned and "come to 2-DP" in warned.replace("*", "")
    assert release_words.VERSION_FIRST in [info.value for info in at.main.info] and not at.main.checkbox
    released_by(state_the_table(at), forced=True)
    assert len(draws) == 1
    released_by(at)
    assert len(draws) == 2
    assert "released twice; all together: **2-DP**" in everything(at)
    assert button(at).disabled, "the next one needs its own tick"
    which = at.main.selectbox[1]
    assert [option[:2] for option in which.options] == ["2:", "1:"]
    assert list(shown(at)["Released"]) == list(draws[1].released)
    which.set_value(0).run()
    assert list(shown(at)["Released"]) == list(draws[0].released)
    assert len(draws) == 2


def test_questions_of_the_same_people_add_up_and_are_never_pooled(files: Files) -> None:
    """Three yes/no questions about the same 120 people, which became one posterior of the wrong share."""
    at = page("3 117", question="HIV")
    for counts, question in (("71 49", "Smoking"), ("2 118", "Arrested")):
        released_by(at).text_area(key="entry: typed").set_value(counts).run()
        said_of(at, question=question)
    released_by(at)
    assert "released 3 times; all together: **3-DP**" in everything(at)
    assert "read together" not in everything(at)
    document = json.loads(files_of(files, ".json"))
    assert "all_releases_together" not in document and document["subject"]["question"] == "Arrested"
    assert [one["epsilon"] for one in document["ledger"]["people"]] == [3]
    assert "made" in document["ledger"]["releases"][-1] and "made" not in document["ledger"]["releases"][0]
    assert len({one["version"] for one in document["ledger"]["releases"]}) == 3


def test_a_corrected_table_is_read_alone_and_other_counts_are_noticed(files: Files) -> None:
    at = released_by(page("30 90"))
    at.text_area(key="entry: typed").set_value("90 30").run()
    state_the_table(said_of(at, question=QUESTION.upper()))
    assert release_words.COUNTS_DIFFER in [warning.value for warning in at.main.warning]
    state_the_table(at, release_words.CORRECTED)
    assert release_words.COUNTS_DIFFER not in [warning.value for warning in at.main.warning]
    released_by(at)
    assert "all_releases_together" not in json.loads(files_of(files, ".json"))
    assert list(at.main.dataframe[-1].value["Version"]) == [1, 2]
    replaces = "This is version 2 of the table, which was stated to correct version 1: use it in place of that."
    assert replaces in everything(at) and replaces in files_of(files, ".md").decode().replace("\\", "")
    assert "The ledger knows of 2 releases about these people; together: 2-DP." in files_of(files, ".html").decode()
    table = pd.read_csv(io.BytesIO(files_of(files, ".csv")))
    assert {*zip(table["People"], table["Question"], table["Version"], strict=True)} == {(PEOPLE, QUESTION.upper(), 2)}
    next(one for one in at.main.selectbox if one.label == "Which").set_value(0).run()
    assert "to be corrected by version 2: use that" in files_of(files, ".md").decode() and (
        "corrected by version 2: use that." in everything(at))
    next(one for one in at.main.selectbox if one.label == "Which").set_value(1).run()
    assert list(at.main.dataframe[-1].value["People"]) == [PEOPLE] * 2
    at.text_input(key=key(at, "epsilon")).set_value("0.5").run()
    released_by(state_the_table(at))
    together = json.loads(files_of(files, ".json"))["all_releases_together"]
    assert len(together["releases"]) == 2 and not together["contradiction"]
    assert read_release(files_of(files, ".json")).posterior.mean.tolist() == together["mean"]
    assert [one.version for one in ledger(at).entries[1:]] == [ledger(at).entries[1].version] * 2


def test_the_very_same_table_has_the_same_n_and_categories() -> None:
    at = released_by(page("yes 10\nno 65"))
    for counts in ("yes 10\nno 66", "no 10\nyes 65"):
        at.text_area(key="entry: typed").set_value(counts).run()
        state_the_table(said_of(at))
        assert release_words.NOT_THE_SAME in [info.value for info in at.main.info]
        assert button(at).disabled and not at.main.checkbox
    released_by(state_the_table(at, release_words.CORRECTED))
    assert list(at.main.dataframe[-1].value["Version"]) == [1, 2]


def test_a_wrong_statement_that_noise_cannot_explain_is_said(files: Files) -> None:
    at = released_by(page("10 190"))
    at.text_area(key="entry: typed").set_value("190 10").run()
    released_by(state_the_table(said_of(at)))
    said = json.loads(files_of(files, ".json"))["all_releases_together"]["contradiction"]
    assert said in [bare(warning.value) for warning in at.main.warning]
    assert said[:40] in files_of(files, ".md").decode() and "use this instead" not in everything(at)


def test_other_people_have_a_total_of_their_own_and_old_ones_are_known_again() -> None:
    at = said_of(released_by(page()), "Others")
    assert len(at.main.warning) == 1
    assert "nothing was released in this ledger. Releases about others in it: 1." in everything(at)
    released_by(at)
    first, second = ledger(at).entries
    assert first.people != second.people and {len(first.people), len(second.version)} == {32}
    assert "released once already" in said_of(at, " survey  2026").main.warning[1].value


def ledger(at: AppTest) -> Ledger:
    found: LedgerInMemory = at.session_state[options.OWN_LEDGER]
    return of_all(found.beside(Account()))


@pytest.mark.parametrize("kind", [kind for kind in MECHANISMS if not kind(1.0).guarantee((1, 1), 9).is_private])
def test_what_is_not_private_needs_a_tick_and_is_stamped_and_so_is_what_is_read_together_with_it(
    files: Files, draws: Draws, kind: type[mechanisms.Mechanism]
) -> None:
    """A private release of the same table holds, in its files, a posterior that the other went into."""
    at = page(**ticked({kind.__name__}))
    assert (release_words.CONTROL in everything(at)) == isinstance(kind(1.0).guarantee((1, 1), 9), NotPrivate)
    assert len(at.main.checkbox) == 1, "one tick is enough"
    assert button(at).disabled
    released_by(at, forced=True)
    assert not draws
    released_by(at)
    (made,) = draws
    said = [bare(error.value) for error in at.main.error]
    assert [sentence for sentence in said if "do not publish this" not in sentence] == [made.stamp] * 2
    assert isinstance(made.guarantee, NotPrivate) == ("no bound at all" in everything(at))
    stamped = [files_of(files, ending) for ending in (".json", ".html", ".md", ".csv")]
    stamped += [made() for name, made in files.items() if "-posteriors" in name]
    assert made.stamp and all(b"PRIVATE" in content for content in stamped)
    released_by(tick(at, {MECHANISMS[3].__name__}))
    assert len(draws) == 2 and not draws[1].stamp
    at.run()
    assert any(made.stamp in bare(error.value) for error in at.main.error)
    together = json.loads(files_of(files, ".json"))["all_releases_together"]
    assert together["stamp"] == made.stamp
    assert together["promise"] == f"All of them together promise {ledger(at).total().words}."
    named = [name for name in files if name.endswith((".html", ".md", ".csv"))
             and name.startswith(("dpbi-release-", "dpbi-read-together"))]
    assert len(named) == 7 and all(made.stamp[:11] in files[name]().decode() for name in named)
    assert together["promise"] in files_of(files, ".md").decode().replace("\\", "")


def test_a_useless_and_a_barely_private_release_are_said_beside_the_button(files: Files) -> None:
    at = page()
    assert "do not publish" not in everything(at) and "barely private" not in everything(at)
    text(at, "epsilon", "0.05")
    assert "percentage points on average: do not publish this" in at.main.warning[-1].value
    released_by(at)
    for ending in (".md", ".html"):
        assert "do not publish this" in files_of(files, ending).decode()
    text(at, "epsilon", "20")
    (said,) = [warning.value for warning in at.main.warning if "barely private" in warning.value]
    assert "100 after the worst" in said
    assert "perhaps all after" in " ".join(caption.value for caption in at.sidebar.caption)


def test_the_path_is_in_plain_words_and_the_nearest_is_named() -> None:
    at = opened(PAGE)
    said = everything(at)
    assert "Nearest to the truth " in said and "plays no part" not in said.split("Nearest")[0]
    plain = " ".join(one.value for one in at.main.markdown)
    assert "e^" not in plain and "Basis" not in plain
    compared = at.main.dataframe[0].value
    assert list(compared["Mean H"]) == sorted(compared["Mean H"])
    means = {kind.label: expected_distance(kind(1.0), (1, 1), 90).mean for kind in MECHANISMS}
    assert [means[name] for name in compared["Mechanism"]] == list(compared["Mean H"])
    assert (compared["Right of 100, on average"] <= compared["Right of 100, at worst"]).all()
    chosen = page()
    order = [one.value for one in chosen.main.header]
    assert order[:6] == [
        "What will be published", "Who is protected, and from what", "What to release with", "How exact it will be",
        "What it means for one person", "Release",
    ]  # fmt: skip


def test_who_cannot_release_here_says_why() -> None:
    at = page("10 20 3 4 5 6", people="", epsilon="40", **ticked(ALL))
    assert any("secure draw" in one.value and "smaller epsilon" in one.value for one in at.main.info)
    assert 0 < len(at.main.selectbox[0].options) < len(ALL)
    tick(at, {kind.__name__ for kind in MECHANISMS if lists_datasets(kind)})
    assert not [one for one in at.main.button if one.label.startswith(BUTTON)]


def test_a_failed_draw_is_told_without_its_message_and_its_charge_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*arguments: Any) -> Release:
        raise MemoryError("314159")

    at = acknowledge(page())
    monkeypatch.setattr(release, "release", failing)
    ran(button(at).click())
    assert [error.value for error in at.main.error] == [words.APOLOGY]
    assert release_words.SAY_BROKEN_OFF in [warning.value for warning in at.main.warning]
    assert list(at.main.dataframe[-1].value["Release"]) == [release_words.BROKEN_OFF]
    assert any("released once already: 1-DP" in bare(warning.value) for warning in at.main.warning)


def test_a_release_writes_no_cache(monkeypatch: pytest.MonkeyPatch, draws: Draws) -> None:
    at = page()
    written: list[Any] = []
    monkeypatch.setattr(DataCache, "write_result", lambda self, key, value, *rest: written.append(value))
    monkeypatch.setattr(Kept, "_keep", lambda self, question, answer, size: written.append(answer))
    text(at, "epsilon", "0.9")
    assert written, "what is asked of other settings is kept: the recorder sees it"
    written.clear()
    text(at, "epsilon", "1")
    at.run()
    written.clear()
    released_by(at)
    at.run()
    assert len(draws) == 1 and not written


def test_counts_that_do_not_sum_to_n_are_explained_where_they_do_not(draws: Draws) -> None:
    """Noise of scale 80 on each of two counts: their sum is hardly ever n. A selected candidate's always is."""
    kinds = {not lists_datasets(kind): kind for kind in MECHANISMS[::-1]}
    for noisy, kind in kinds.items():
        at = released_by(page("12 9", epsilon="0.05", **ticked({kind.__name__})))
        total = sum(draws[-1].released)
        said = f"The released counts sum to {total:,} and not to n = 21. This is no error"
        assert (said in everything(at)) == (total != 21)
        assert noisy or total == 21
    assert release_words.NO_RECORDS in everything(released_by(page("0 0 0"))) and draws[-1].released == (0, 0, 0)


# --- the files ---


def test_the_search_for_planted_counts_would_find_one() -> None:
    found = b"[271828, 5]", b"n: 314,159.", b"271829.0", *(b"x" + packed for packed in planted.PACKED)
    others = b"2.71828", b"0.3141592", b"2718281", b"585987", release_words.READER.encode()
    assert all(map(planted.holds_a_count, found)) and not any(map(planted.holds_a_count, others))


def test_no_file_holds_a_planted_count(files: Files, monkeypatch: pytest.MonkeyPatch, draws: Draws) -> None:
    """The draw has a seed here: by chance noise of a scale of 250 is next to nothing."""
    monkeypatch.setattr("secrets.randbits", random.Random(5).getrandbits)
    at = page(planted.TYPED, epsilon="0.004")
    released_by(at)
    (made,) = draws
    assert not isinstance(made.nearest, str) and not planted.near_a_count({*made.released, *made.nearest.counts})
    taken = {name: made() for name, made in files.items()}
    assert {name.rpartition(".")[2] for name in taken} == {"json", "html", "md", "csv", "py", "R"}
    assert len(taken) == 16 and not [name for name, content in taken.items() if planted.holds_a_count(content)]
    said = [count.encode() for count in (str(made.released[0]), f"{made.released[0]:,}")]
    assert sum(any(one in content for one in said) for content in taken.values()) >= 4, "data, table, statement twice"


@pytest.mark.parametrize("counts", ["31 44", "5 0 7"])
def test_the_files_and_the_charts_data_hold_the_release(
    files: Files, draws: Draws, counts: str
) -> None:
    at = page(counts)
    released_by(at)
    (name,) = [name for name in files if name.endswith("expected-errors-chart.csv")]
    errors = pd.read_csv(io.BytesIO(files[name]()))
    assert set(errors["Series"]) == {"95 % of the trials", "50 % of the trials"}
    assert (errors["From"] <= errors["To"]).all() and "y" not in errors
    text(at, "epsilon", "0.125")  # the files are of the release, whatever the sidebar says by now
    (made,) = draws
    packed = files_of(files, ".json")
    assert Release.from_json(packed) == made
    (charged,) = ledger(at).entries
    assert Ledger.from_json(packed) == ledger(at).published(charged) and (charged.who, charged.remark) == ("Ada", "")
    assert read_release(packed).posterior.mean.tolist() == made.noise_aware.mean.tolist()  # type: ignore[union-attr]
    table = pd.read_csv(io.BytesIO(files_of(files, ".csv")))
    assert list(table["released"]) == list(made.released)
    assert list(table["naive_parameter"]) == list(made.naive)
    assert table[["noise_aware_low", "noise_aware_high"]].notna().all(axis=None)
    assert set(table["Guarantee"]) == {made.guarantee.words}
    assert all(made.guarantee.words in files_of(files, ending).decode() for ending in (".md", ".html"))
    assert "'dpbi-release-" in files_of(files, ".py").decode(), "the program reads the file beside it"
    assert not [name for name in files if name.endswith(".zip")], "no report: it shows counts"
    (name,) = [name for name in files if name.endswith("-posteriors-chart.csv")]
    chart = pd.read_csv(io.BytesIO(files[name]()))
    assert "y" not in chart and "x" not in chart
    for kind in ("naive", "noise_aware"):
        drawn = chart[chart["From"].notna() & chart["Series"].str.startswith(kind.replace("_", "-"))]
        rows = table[:1] if len(table) == 2 else table
        share = next(column for column in chart if column.startswith("θ"))
        for column, of_chart in (("mean", share), ("low", "From"), ("high", "To")):
            assert list(drawn[of_chart]) == pytest.approx(list(rows[f"{kind}_{column}"]), rel=1e-5, abs=1e-7)


# --- the ledger ---


def bring(at: AppTest, content: bytes) -> AppTest:
    uploader: Any = at.main.get("file_uploader")[-1]
    return ran(uploader.set_value(("ledger.json", content, "application/json")))


def test_an_exported_ledger_counts_again_after_a_reload(files: Files) -> None:
    """Brought at once, before anything is said on the page; a release brings its part of it too."""
    at = page()
    released_by(at)
    exported = [files["dpbi-ledger.json"](), files_of(files, ".json")]
    other = bring(opened(PAGE), exported[0])
    assert f"About {PEOPLE}: 1 release, 1-DP, last " in everything(other)
    press(other, "Add to the ledger")
    assert list(other.main.dataframe[-1].value["Release"]) == ["brought"]
    other = bring(page(), exported[1])
    assert bare(other.main.info[0].value) == LedgerInMemory().notice
    press(other, "Add to the ledger")
    assert "released once already: 1-DP" in bare(other.main.warning[1].value)
    assert button(other).disabled
    released_by(other)
    assert "released twice; all together: **2-DP**" in everything(other)
    press(bring(other, exported[0]), "Add to the ledger")
    assert len(ledger(other).entries) == 2, "what is in already does not count twice"


@pytest.mark.parametrize("named", [True, False])
def test_releases_go_to_the_people_they_name_and_others_to_those_named_here(named: bool) -> None:
    """A file of version 1 has no names: there somebody must be named first."""
    document = ledger(released_by(page())).document()
    (one,) = document["releases"]
    tokens = ["0" * 32, "1" * 32]
    document["people"] = [{"token": token, "name": "Survey 2025", "raised": []} for token in tokens[: 1 + named]]
    document["releases"] = [one | {"people": token, "release": token} for token in tokens]
    at = bring(opened(PAGE), json.dumps(document).encode())
    assert next(one for one in at.main.button if one.label == "Add to the ledger").disabled is not named
    at = bring(page(people="Others"), json.dumps(document).encode())
    assert (release_words.NAMELESS in [info.value for info in at.main.info]) is not named
    press(at, "Add to the ledger")
    assert [entry.release for entry in ledger(at).entries] == (tokens if named else tokens[::-1])
    assert list(at.main.dataframe[-1].value["People"]) == (["Survey 2025"] * 2 if named else ["Others", "Survey 2025"])
    assert len(at.main.warning) == (1 if named else 2), "those of others are listed and not added up"
    at = press(bring(page(), json.dumps(document).encode()), "Put it away")
    assert not ledger(at).entries and "About " not in at.main.markdown[-1].value


def test_any_other_file_is_refused_in_words() -> None:
    at = opened(PAGE)
    for content in (b"", b"[]", b"\xff\xfe", b'{"format": "dpbi settings 1"}', b"[" * 99_999):
        said = bare(bring(at, content).main.error[0].value)
        assert ("ledger" in said or "JSON" in said) and words.APOLOGY not in said
    assert not ledger(at).entries


def test_no_file_names_the_table_by_its_counts(files: Files) -> None:
    """Equal counts in two sessions have unlike tokens, and so have two releases of one: all is as stated."""
    tokens = set()
    for presses in (1, 2):
        at = page()
        for _ in range(presses):
            released_by(at)
        document = json.loads(files["dpbi-ledger.json"]())
        tokens |= {entry[name] for entry in document["releases"] for name in ("people", "release", "version")}
        assert ledger(at) == Ledger.from_json(files["dpbi-ledger.json"]())
    assert len(tokens) == 7
    assert data_source.TYPED not in json.dumps(document)


def test_few_people_and_exact_releases_are_said_plainly() -> None:
    assert release_words.protected(0) == release_words.NO_RECORDS
    assert release_words.protected(1).startswith("The one person")
    assert "among 1 person" in release_words.published(["a", "b"], 1)
    sure = release_errors(MECHANISMS[3](40.0), (1, 1), 9)
    assert not sure.records.any()
    assert "the true counts themselves, every time" in release_words.expected(sure)
    risk, promised = guessing_risk(sure.mechanism, (1, 1), 9), sure.mechanism.guarantee((1, 1), 9)
    assert barely_private(risk, promised).endswith("Choose a smaller epsilon.")
