"""The Release page where the app was started with a ledger that lasts; and what the app can be started with."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from dpbi import MECHANISMS, PureDP
from dpbi.dashboard.session import options
from dpbi.dashboard.words import release as release_words, words
from dpbi.releases.ledger import Ledger
from dpbi.releases.ledger_file import LedgerFile
from tests.dashboard.person import bare, everything, press, ran, text, ticked
from tests.dashboard.test_page_release import (
    COUNTS,
    acknowledge,
    bring,
    button,
    files_of,
    page,
    released_by,
    said_of,
    shown,
    state_the_table,
)
from tests.dashboard.test_scenario_file import Files
from tests.releases.test_ledger_file import entry

NAME = "Survey 2026"


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[LedgerFile]:
    path = tmp_path / "releases.sqlite"
    options.take(["--ledger", str(path), "--budget", "2"])
    yield LedgerFile.opened(path)
    options.take([])


def test_a_release_is_charged_kept_and_seen_in_another_session(
    kept: LedgerFile, files: Files
) -> None:
    at = page(people="")
    assert LedgerFile.notice in [bare(info.value) for info in at.main.info]
    assert release_words.NAME_FIRST in [info.value for info in at.main.info] and not at.main.error
    assert acknowledge(at) and button(at).disabled
    released_by(said_of(at))
    (line,) = kept.account(NAME).lines
    made = line.whole.made
    assert made
    assert list(shown(at)["Released"]) == list(made.released)
    assert NAME not in f"{at.session_state['settings']} {dict(at.query_params)}", "no link and no setting names them"
    other = page("5 70", "  survey 2026")  # other counts: it is the name that counts
    assert any("released once already: 1-DP" in bare(warning.value) for warning in other.main.warning)
    assert list(shown(other)["Released"]) == list(made.released), "a release is there for everybody"
    assert f"In the ledger: {NAME}." in [caption.value for caption in other.main.caption]
    acknowledge(state_the_table(other))
    assert release_words.COUNTS_DIFFER not in everything(other), "another session's counts are nowhere"
    button(other).click().run()
    together = kept.account(NAME).whole.read_together(kept.account(NAME).lines[-1].entry)
    assert together and together.posterior
    joint = together.posterior
    assert json.loads(files_of(files, ".json"))["all_releases_together"]["mean"] == joint.mean.tolist()
    assert "2 releases of this table read together" in files_of(files, ".md").decode()
    assert f"{joint.interval()[0]}"[:12] in files_of(files, ".csv").decode()
    assert kept.account(NAME).ledger.total().epsilon == 2
    assert button(other).disabled and any("beyond the budget" in error.value for error in other.main.error)
    released_by(other, forced=True)
    assert len(kept.account(NAME).lines) == 2
    released_by(text(said_of(other, "Another"), "epsilon", "0.5"))
    assert kept.names == ("Another", NAME)
    assert COUNTS not in everything(other)


def test_two_who_press_at_once_share_what_is_left(kept: LedgerFile) -> None:
    """Both pages were read while there was room for one."""
    first, second = (acknowledge(page(epsilon="2")) for _ in range(2))
    released_by(first)
    ran(button(second).click())
    (said,) = [bare(error.value) for error in second.main.error if "do not publish" not in error.value]
    assert "spent so far: 2-DP" in said and "it would be 4-DP, beyond the budget" in said
    assert not [warning for warning in second.main.warning if "already" in warning.value], "one box, one total"
    text(second, "epsilon", "0.5")
    assert "would be 2.5-DP" in bare(second.main.error[0].value) and "4-DP" not in everything(second)
    assert len(kept.account(NAME).lines) == 1


def test_a_name_that_looks_like_markup_is_shown_as_it_is(kept: LedgerFile) -> None:
    """Everybody who opens the page sees it: a picture in it would be asked for by every browser."""
    name = "![x](http://elsewhere.example/a.png) **bold**"
    kept.bring(name, [])
    (said,) = [caption.value for caption in page().main.caption if caption.value.startswith("In the ledger")]
    assert words.escape(name, 60) in said and "![" not in said and "**" not in said


def test_who_has_read_another_total_is_asked_again(kept: LedgerFile) -> None:
    """There is room for both, and the second has confirmed a total that the first has made false by then."""
    first, second = (acknowledge(page()) for _ in range(2))
    released_by(first)
    button(second).click().run()
    assert [error.value for error in second.main.error] == [release_words.ANOTHER_CAME]
    assert len(kept.account(NAME).lines) == 1 and button(second).disabled
    released_by(second)
    assert kept.account(NAME).ledger.total().epsilon == 2 and release_words.ANOTHER_CAME not in everything(second)


def test_what_is_not_private_is_refused(kept: LedgerFile) -> None:
    for kind in MECHANISMS:
        if not kind(1.0).guarantee((1, 1), 75).is_private:
            at = page(**ticked({kind.__name__}))
            assert "takes only what is private by theorem" in at.main.error[-1].value
            released_by(at, forced=True)
    assert not kept.names


def test_brought_entries_count(kept: LedgerFile) -> None:
    at = page()
    at = bring(at, Ledger((entry(PureDP(1.5, "theorem", "proved")),)).to_json().encode())
    press(at, "Add to the ledger")
    assert kept.account(NAME).ledger.total().epsilon == 1.5
    assert "An epsilon of at most 0.5 is left" in bare(at.main.error[0].value)
    assert list(at.main.dataframe[-1].value["Release"]) == ["brought"]


def test_a_name_that_comes_with_the_click_draws_nothing(kept: LedgerFile) -> None:
    at = acknowledge(page())
    next(one for one in at.main.text_input if one.label == "Whose answers these are").set_value("Other")
    ran(button(at).click())
    assert not kept.names
    assert release_words.CHANGED in [error.value for error in at.main.error]


def test_a_ledger_that_has_gone_is_said(kept: LedgerFile) -> None:
    at = acknowledge(page())
    kept.path.unlink()
    ran(button(at).click())
    assert any("cannot be opened" in error.value for error in at.main.error)
    assert not kept.path.exists()


def test_another_budget_is_refused_and_a_raise_must_be_acknowledged(kept: LedgerFile) -> None:
    released_by(page(epsilon="1.5"))
    options.take(["--ledger", str(kept.path), "--budget", "4"])
    at = page()
    assert "Start it with --budget 2, or with --raise-budget" in bare(at.main.error[0].value) and button(at).disabled
    options.take(["--ledger", str(kept.path), "--budget", "4", "--raise-budget"])
    at = page()
    assert "raises the budget of these people from 2 to 4" in bare(at.main.warning[1].value) and button(at).disabled
    released_by(at)
    assert (people := kept.account(NAME).people)
    assert [(change.before, change.after) for change in people.raised] == [(2, 4)]
    assert "raised from 2 to 4 on" in " ".join(caption.value for caption in at.main.caption)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--raise-budget", "--ledger", "HERE"], "to raise the budget, say to what"),
        (["--budget", "3"], "say --ledger FILE too"),
        (["--ledger", "HERE", "--budget", "many"], "--budget: invalid float value"),
        (["--ledger", "HERE", "--budget", "-1"], "epsilon must be greater than 0"),
        (["--ledger", "HERE", "--delta", "2"], "unrecognized arguments"),
        (["--ledger", "NOT"], "is damaged, or no ledger"),
        (["--ledger", "GONE"], "cannot be opened"),
        (["--legder", "x"], "unrecognized arguments"),
    ],
)
def test_the_app_does_not_start_with_what_cannot_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    (tmp_path / "not").write_text("a,b\n" * 500)
    paths = {"HERE": tmp_path / "l.sqlite", "NOT": tmp_path / "not", "GONE": tmp_path / "gone" / "l.sqlite"}
    with pytest.raises(SystemExit):
        options.take([str(paths.get(one, one)) for one in arguments])
    assert said in capsys.readouterr().err
    assert not isinstance(options.ledger(), LedgerFile)
