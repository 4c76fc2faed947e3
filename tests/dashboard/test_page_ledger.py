"""The Release page where the app was started with a ledger that lasts; and what the app can be started with."""

import dataclasses
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest
from streamlit.web.server.starlette.starlette_websocket import _parse_decoded_user_cookie

from dpbi import MECHANISMS, CountTable, Problem, PureDP, read_release_table
from dpbi.dashboard.session import options
from dpbi.dashboard.words import release as release_words, words
from dpbi.mechanisms import Geometric, KNorm
from dpbi.releases.kept_ledger import of_all
from dpbi.releases.ledger import Ledger
from dpbi.releases.ledger_file import LedgerFile
from dpbi.releases.ledger_in_memory import LedgerInMemory
from dpbi.releases.plan import new_plan
from tests.dashboard.person import PATIENCE, ROOT, bare, buttons, everything, opened, press, ran, text, ticked, visit
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
from tests.releases.test_ledger_file import PROBLEM, entry

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
    (held,) = kept.account(NAME).ledger.entries
    forged = dataclasses.replace(held, people="there", guarantee=PureDP(0.0, "theorem", "forged"))
    press(bring(at, Ledger((forged,)).to_json().encode()), "Add to the ledger")
    assert kept.account(NAME).ledger.total().epsilon == 1.5
    assert any("two ledgers said that it cost" in bare(one.value) for one in at.main.warning)
    other = dataclasses.replace(held, people="there", n=13)
    press(bring(at, Ledger((other,)).to_json().encode()), "Add to the ledger")
    assert any("contradict each other about the release" in bare(one.value) for one in at.main.error)


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
    (said,) = [bare(error.value) for error in opened(OVERVIEW).main.error]
    assert said.startswith("The ledger at releases.sqlite is gone, or was moved.")
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


# --- the plan ---


def test_a_plan_is_set_before_its_first_release_and_stands_after_it(kept: LedgerFile) -> None:
    at = page(epsilon="0.1")
    assert "instead of 2-DP by the plain sum" in everything(at)
    for label, value in (("How many releases", "0"), ("delta of the plan", "2"), ("delta of the plan", "many")):
        text_of(at, label, value)
        assert at.main.error[-1].value and "Set this plan" not in buttons(at)
        text_of(at, label, "20" if label[0] == "H" else "1e-6")
    text_of(at, "delta of the plan", "0.05")
    assert "to publish one of the 75 records as it is would keep it" in everything(at)
    press(text_of(at, "delta of the plan", "1e-6"), "Set this plan")
    people = kept.account(NAME).people
    assert people and people.plans[0].number == 20 and people.plans[0].who == "Ada"
    assert "It has no release yet" in everything(at)
    press(at, "Take the plan away")
    assert (people := kept.account(NAME).people) and not people.plans
    press(at, "Set this plan")
    released_by(at)
    assert kept.account(NAME).begun and "Made: 1." in everything(at) and "Set this plan" not in buttons(at)
    assert "1 draws on a plan" in everything(at) and release_words.OFF_THE_PLAN not in everything(at)
    state_the_table(text(at, "epsilon", "0.2"))
    assert release_words.OFF_THE_PLAN in [info.value for info in at.main.info]
    assert "come to 0.3-DP" in bare(at.main.checkbox[0].label)


def test_a_plan_that_cannot_be_is_said(kept: LedgerFile) -> None:
    press(text_of(page(epsilon="1"), "How many releases", "200"), "Set this plan")
    assert not kept.names
    at = page(epsilon="1")
    press(text_of(at, "How many releases", "200"), "Set this plan")
    assert "is beyond the budget of these people, 2. Nothing was set." in bare(at.main.error[-1].value)
    other = page(**ticked({"EHD"}))
    assert "How many releases" not in {one.label for one in other.main.text_input}


def test_what_another_release_of_a_plan_costs_is_said_as_it_is() -> None:
    """13 are the plain sum, the 14th reaches what the whole plan costs, the 15th adds nothing."""
    session = LedgerInMemory()
    session.plan(NAME, plan := new_plan(KNorm(0.1), 10, 40, 20, 1e-6))
    said = []
    for _ in range(15):
        spent = session.account(NAME).ledger
        more = KNorm(0.1).guarantee((1,) * 10, 40)
        said.append(release_words.before_another(spent.total(), spent.total(more, plan=plan)))
        session.release(NAME, KNorm(0.1), Problem((1,) * 10, (40, *[0] * 9)))
    assert all("draws on the plan, and is counted until the whole plan is" in one for one in said[:14])
    assert "adds nothing, as the whole plan is counted already" in said[14]
    assert not any("in full" in one for one in said)
    spent = session.account(NAME).ledger
    off = release_words.before_another(spent.total(), spent.total(KNorm(0.1).guarantee((1,) * 10, 40)))
    assert "another look is paid for in full" in off and "because" not in off


# --- all of it ---

OVERVIEW = "pages/13_Ledger.py"


def text_of(at: AppTest, label: str, value: str) -> AppTest:
    return ran(next(one for one in at.main.text_input if one.label == label).set_value(value))


def overview(kept: LedgerFile) -> AppTest:
    for name, question, remark in ((NAME, "Smokign", ""), (NAME, "Age", "first day"), ("=1+1 ![x](y)", "Age", "")):
        options.ledger().release(name, Geometric(0.5), PROBLEM, ["yes", "no"], question=question, who="Eve",
                                 remark=remark)  # fmt: skip
    return opened(OVERVIEW)


def test_all_people_are_listed_without_any_data(kept: LedgerFile, files: Files) -> None:
    at = opened(OVERVIEW)
    assert release_words.EMPTY in everything(at)
    at = overview(kept)
    people, questions, releases = (one.value for one in at.main.dataframe)
    assert list(people["People"]) == ["=1+1 ![x](y)", NAME]
    assert list(zip(questions["Question"], questions["epsilon"], strict=True)) == [
        ("Age", 0.5), ("Smokign", 0.5), ("Age", 0.5)]
    assert list(people["Spent"]) == ["0.5-DP", "1-DP"] and list(people["Left"]) == ["1.5", "1"]
    assert list(releases["Who"]) == ["Eve"] * 3 and list(releases["Remark"]) == ["", "", "first day"]
    whole = Ledger.from_json(files["dpbi-ledger-whole.json"]())
    assert whole == of_all(kept.accounts) and len(whole.entries) == 3
    tables = [files[f"dpbi-{name}.csv"]().decode() for name in ("ledger-people", "ledger-all-releases",
                                                                "ledger-questions")]  # fmt: skip
    assert tables[2].count("Age") == 2
    assert "'=1+1" in tables[0] and tables[1].count("Eve") == 3
    for words_of, found in (("first", 1), ("age EVE", 2), ("survey", 2), ("nothing", 0), ("", 3)):
        text_of(at, "Search", words_of)
        shown_now = [one.value for one in at.main.dataframe if "Who" in one.value]
        assert sum(map(len, shown_now)) == found
    assert Ledger.from_json(files["dpbi-ledger-whole.json"]()) == whole


def test_what_was_said_to_be_corrected_is_marked_and_nothing_else(kept: LedgerFile) -> None:
    first, second = (kept.release(NAME, Geometric(0.5), PROBLEM, question="Q")[1] for _ in range(2))
    at = text_of(opened(OVERVIEW), "Who you are", "Bob")
    releases = at.main.dataframe[-1].value
    assert list(releases["Release"]) == ["kept", "kept"] and list(releases["Version"]) == [1, 2]
    corrected = widget(at, "selectbox", "It is a corrected one")
    assert corrected.options[1] == f"version 1, last released on {first.time}, {first.mechanism}"
    press(ran(corrected.set_value(first.version)), "Correct the release")
    assert list(at.main.dataframe[-1].value["Release"]) == ["kept, superseded", "kept"]
    assert "to be used in place of was corrected" in at.main.dataframe[-1].value["Corrected"][1]
    assert found_by(at, "superseded") == 1 and found_by(at, "bob") == 1
    text_of(at, "Search", "")
    press(ran(widget(at, "selectbox", "It is a corrected one").set_value("")), "Correct the release")
    assert list(at.main.dataframe[-1].value["Release"]) == ["kept", "kept"]
    assert not kept.account(NAME).ledger.superseded and second.version


def widget(at: AppTest, kind: str, label: str) -> Any:
    return next(one for one in getattr(at.main, kind) if one.label.startswith(label))


def found_by(at: AppTest, words_of: str) -> int:
    """How many releases a search finds."""
    text_of(at, "Search", words_of)
    return sum(len(one.value) for one in at.main.dataframe if "Release" in one.value)


def test_a_search_finds_what_was_before_and_who_changed_it(kept: LedgerFile) -> None:
    _, entry = options.ledger().release(NAME, Geometric(0.5), PROBLEM, question="Smokre", who="Eve")
    kept.correct(NAME, entry.release, question="Smoker", who="Bob")
    kept.rename(NAME, "Survey 2027", "Zoe")
    raising = LedgerFile.opened(kept.path, 4, raising=True)
    raising.release("Survey 2027", Geometric(3.0), PROBLEM, question="Age", who="Kim")
    at = opened(OVERVIEW)
    assert "raised from 2 to 4" in (said := at.main.dataframe[0].value["Changed"][0]) and "by Kim" in said
    for words_of, found in (("smokre", 1), ("raised kim", 2), ("survey 2026", 2), ("zoe", 2), ("bob", 1), ("none", 0)):
        assert found_by(at, words_of) == found, words_of


def test_two_names_beyond_the_budget_are_asked_about_before(kept: LedgerFile) -> None:
    for name in (NAME, "Other"):
        options.ledger().release(name, Geometric(1.5), PROBLEM, question="Q")
    at = text_of(opened(OVERVIEW), "Who you are", "Bob")
    text_of(at, "Their name", NAME)
    assert "Together their releases would come to 3-DP" in bare(everything(at))
    assert "beyond the budget of 2: what was promised to them before would not hold any longer" in bare(everything(at))
    assert "Two names would become one." in everything(at) and "became one" not in everything(at), "it is not pressed"
    assert buttons(at)["Correct the name"].disabled
    press(ran(at.main.checkbox[0].check()), "Correct the name")
    (account,) = kept.accounts
    assert account.beyond and "by Bob" in (people := at.main.dataframe[0].value)["Changed"][0]
    assert list(people["Left"]) == ["0: beyond the budget"] and found_by(at, "beyond") == 2
    at = opened(OVERVIEW)
    at.query_params["talk"] = "true"
    ran(at)
    heads = [one.value.splitlines()[0] for one in at.main.markdown if one.value.startswith("| ")]
    assert len(heads) == 3 and all("Left" in heads[0] and "Changed" not in head for head in heads), "in a room"


def test_tables_of_whomever_are_shown_with_whose_and_which_they_are(kept: LedgerFile, files: Files) -> None:
    table = CountTable.of(["North", "South"], {"Smoker": {"yes": [13, 50], "no": [40, 20]},
                                               "HIV": {"yes": [3, 5], "no": [50, 65]}})  # fmt: skip
    made, entry = kept.release_table(NAME, [Geometric(0.3), Geometric(0.4)], table, who="Eve")
    at = opened(OVERVIEW)
    said = f"People: {NAME}. Asked: Smoker; HIV, in 2 groups. Released on {entry.time} by Eve."
    assert said in bare(everything(at)) and "the charge, not the released counts" in everything(at)
    assert "in the table's own file (JSON), below." in bare(everything(at)), "not on the page Ledger, which this is"
    assert read_release_table(next(files[name]() for name in files if name.startswith("dpbi-table-")
                                   and name.endswith(".json"))) == made  # fmt: skip
    questions = at.main.dataframe[1].value
    assert list(zip(questions["Question"], questions["epsilon"], strict=True)) == [("Smoker", 0.3), ("HIV", 0.4)]
    kept.release_table("Other", [Geometric(0.3), Geometric(0.4)], table, who="Zoe")
    at = opened(OVERVIEW)
    assert "Released on" not in everything(at), "of several one is chosen"
    ran(widget(at, "selectbox", "Which table").set_value(0))
    assert "by Zoe" in everything(at) or "by Eve" in everything(at)
    kept.release("Third", Geometric(0.3), PROBLEM, question="Q")
    assert "Which table" not in {one.label for one in text_of(at, "Search", "third").main.selectbox}


def test_a_table_taken_of_the_ledger_says_how_it_stands_there(kept: LedgerFile, files: Files) -> None:
    """Also once two names became one, which leaves an entry under the token of people that are no more."""
    table = CountTable.of(["North", "South"], {"Smoker": {"yes": [13, 50], "no": [40, 20]}})
    _, first = options.ledger().release_table(NAME, [Geometric(1.5)], table)
    options.ledger().release_table(NAME, [Geometric(0.25)], table, corrects=first.version)
    options.ledger().release("Other", Geometric(1.5), PROBLEM, question="Q")
    options.ledger().rename(NAME, "Other", "Bob")
    at = ran(widget(opened(OVERVIEW), "selectbox", "Which table").set_value(0))
    corrected = "This is version 1 of the table. It was stated to be corrected by version 2: use that."
    for ending in (".md", ".html"):
        said = bare(next(files[name]() for name in files if "-table-" in name and name.endswith(ending)).decode())
        for sentence in ("Question, as stated with the release: Smoker", "People, as stated with the release: Other",
                         "The ledger knows of 3 releases about these people; together: 3.25-DP.",
                         "The budget of these people is epsilon 2.", "Two names became one on", corrected):
            assert sentence in said, sentence
        assert "Bob" not in said, "who did it stays with the ledger"
    assert corrected in bare(everything(at))


def test_what_was_mistyped_is_corrected_with_its_history(kept: LedgerFile) -> None:
    at = overview(kept)
    ran(at.main.selectbox[0].set_value(1))
    assert buttons(at)["Correct the name"].disabled
    text_of(at, "Who you are", "Bob")
    text_of(at, "Their name", "=1+1 ![X](y)")
    assert any("are people of the name" in bare(warning.value) for warning in at.main.warning)
    press(text_of(at, "Their name", "Survey 2027"), "Correct the name")
    assert release_words.IS_CORRECTED in [one.value for one in at.main.success]
    assert kept.names == ("=1+1 ![x](y)", "Survey 2027")
    ran(at.main.selectbox[0].set_value(1))
    ran(at.main.selectbox[1].set_value(0))
    text_of(at, "Its remark", "late")
    press(text_of(at, "Its question", "Age"), "Correct the release")
    one, other = kept.account(NAME).ledger.entries
    assert (one.question, one.remark, [was.who for was in one.corrected]) == ("Age", "late", ["Bob", "Bob"])
    assert one.version != other.version, "another table, unless it is said"
    assert "the name was 'Survey 2026'" in " ".join(at.main.dataframe[0].value["Changed"])
    assert "the question was 'Smokign'" in " ".join(at.main.dataframe[-1].value["Corrected"])
    text_of(at, "Their name", "   ")
    assert "must not be empty" in bare(at.main.error[0].value) and buttons(at)["Correct the name"].disabled
    kept.rename("Survey 2027", "Survey 2028")
    kept.rename("Survey 2028", "Survey 2029")
    press(text_of(ran(at), "Their name", "survey 2028"), "Correct the name")  # of the first
    assert "Others had the name" in bare(at.main.error[0].value) and len(kept.names) == 2


def from_the_server(**claims: Any) -> dict[str, Any]:
    """st.user of a session whose identity token has these claims: as Streamlit's own callback puts them into a cookie
    and its websocket reads them."""
    cookie = json.dumps({**claims, "origin": "https://app.example", "is_logged_in": True, "provider": "default"})
    return _parse_decoded_user_cookie(cookie.encode(), "https://app.example/_stcore/stream")


ADA, MARK = {"email": "ada@x.org", "email_verified": True, "iss": "https://id.example", "sub": "5"}, "https://id.example#5"


@pytest.mark.parametrize(("stewards", "known", "allowed", "who"), [
    ([], {}, True, "Ada"), (["ada@x.org"], {}, False, ""), ([], {"is_logged_in": False}, False, ""),
    ([], {"email": "test@example.com"}, True, "Ada"),
    (["ada@x.org"], {"is_logged_in": False, "email": "ada@x.org", "email_verified": True}, False, ""),
    ([], from_the_server(**ADA), False, ""), (["Ada@x.org", "b"], from_the_server(**ADA), True, "ada@x.org"),
    (["ada@x.org"], from_the_server(**ADA | {"email": "eve@x.org", "name": "ada@x.org"}), False, ""),
    *((["ada@x.org"], from_the_server(**ADA | {"email_verified": no}), False, "") for no in (False, "false", None, 1)),
    (["ada@x.org"], from_the_server(email="ada@x.org", iss="https://id.example", sub="5"), False, ""),
    (["ada@x.org"], from_the_server(iss="https://id.example", preferred_username="ada@x.org", sub="ada@x.org"),
     False, ""),
    ([MARK], from_the_server(**ADA | {"email_verified": False}), True, MARK),
    (["5"], from_the_server(**ADA | {"email_verified": False}), False, ""),
    ([MARK.upper()], from_the_server(iss="https://id.example", sub="5"), False, ""),
    (["ada@x.org"], from_the_server(**ADA | {"email_verified": "true"}), True, "ada@x.org"),
])  # fmt: skip
def test_with_a_login_only_those_named_may_change_anything(
    kept: LedgerFile, monkeypatch: pytest.MonkeyPatch, stewards: list[str], known: dict[str, Any],
    allowed: bool, who: str,
) -> None:
    """On the page, and where its buttons are pressed all the same."""
    monkeypatch.setattr(type(st.user), "to_dict", lambda self: known)
    options.take(["--ledger", str(kept.path), "--budget", "2", *(["--stewards", *stewards] if stewards else [])])
    at = page(epsilon="0.1")
    logged_in = bool(known.get("is_logged_in"))
    assert ("Log in" in buttons(at)) == ("is_logged_in" in known and not logged_in)
    if allowed:
        released_by(at)
        (line,) = kept.account(NAME).lines
        assert line.entry.who == who
    else:
        assert button(at).disabled and buttons(at)["Set this plan"].disabled and not at.main.checkbox
        assert re.search("Log in first|no login is configured|not among those", everything(at))
        assert "not among" in everything(at) or not logged_in
        kept.bring(NAME, [])
        at = opened(OVERVIEW)
        if logged_in or "is_logged_in" not in known:
            assert buttons(text_of(at, "Their name", "Other"))["Correct the name"].disabled
            return
        assert release_words.LOG_IN_TO_SEE in [one.value for one in at.main.info] and "Log in" in buttons(at)
        assert not at.main.dataframe and not at.main.selectbox and NAME not in everything(at)
        assert f"In the ledger: {NAME}." not in [one.value for one in page(people=NAME).main.caption]


def test_who_may_no_longer_is_refused_when_a_button_is_pressed(
    kept: LedgerFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page was read while it was allowed."""
    at, planning, bringing = acknowledge(page(epsilon="0.1")), page(epsilon="0.1"), page(epsilon="0.1")
    bringing = bring(bringing, Ledger((entry(PureDP(0.5, "theorem", "proved")),)).to_json().encode())
    kept.bring("Others", [])
    correcting = text_of(text_of(opened(OVERVIEW), "Who you are", "Eve"), "Their name", "Other")
    monkeypatch.setattr(type(st.user), "to_dict", lambda self: {
        "is_logged_in": True, "email": "eve@x.org", "email_verified": True})  # fmt: skip
    ran(button(at).click())
    for one, label in ((planning, "Set this plan"), (bringing, "Add to the ledger"), (correcting, "Correct the name")):
        press(one, label)
    for one in (at, planning, bringing, correcting):
        assert "eve@x.org is not among those who may release" in everything(one)
    assert kept.names == ("Others",) and not kept.account("Others").lines


@pytest.mark.parametrize(("secrets", "ways"), [
    ({"client_id": "x"}, ["Log in"]), ({"google": {"client_id": "x"}, "okta": {"client_id": "y"}},
                                       ["Log in with google", "Log in with okta"]),
    ({"client_id": "x", "okta": {"client_id": "y"}}, ["Log in", "Log in with okta"]),
])  # fmt: skip
def test_each_provider_has_its_way_in_and_who_is_in_has_the_way_out(
    kept: LedgerFile, secrets: dict[str, Any], ways: list[str]
) -> None:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE)
    at.secrets["auth"], at.user = secrets, {"is_logged_in": False}
    at = visit(at, OVERVIEW)
    assert [label for label in buttons(at) if label.startswith("Log in")] == ways
    kept.bring(NAME, [])
    at.user = from_the_server(**ADA)
    assert "You are logged in as ada@x.org, the address" in everything(ran(at)) and at.main.dataframe
    at.user = from_the_server(**ADA | {"email_verified": False})
    assert f"You are logged in as {MARK}: issuer and subject" in everything(ran(at))
    at = press(at, "Log out")
    assert release_words.LOG_IN_TO_SEE in everything(at) and not at.main.dataframe


def test_which_table_a_release_is_of_is_corrected_and_spending_stays(kept: LedgerFile) -> None:
    first, second = (kept.release(NAME, Geometric(0.5), PROBLEM, question="Q", version=version)[1]
                     for version in (None, None))  # fmt: skip
    kept.correct(NAME, second.release, version=first.version, who="Eve")
    one = kept.account(NAME).whole
    assert one.read_together(one.entries[1])
    before = one.total()
    at = text_of(opened(OVERVIEW), "Who you are", "Bob")
    (*_, releases) = (one.value for one in at.main.dataframe)
    assert list(releases["Version"]) == [1, 1] and buttons(at)["Correct the release"].disabled
    press(ran(widget(at, "selectbox", "Its table is").set_value("")), "Correct the release")
    found = kept.account(NAME)
    (*_, releases) = (one.value for one in at.main.dataframe)
    assert list(releases["Version"]) == [1, 2] and list(releases["Release"]) == ["kept", "kept"]
    assert found.ledger.total() == before and found.whole.read_together(found.whole.entries[1]) is None
    assert [(one.what, one.who) for one in found.whole.entries[1].corrected] == [("version", "Eve"), ("version", "Bob")]
    assert "which version of the table it is of was corrected" in " ".join(releases["Corrected"])
    press(ran(widget(at, "selectbox", "Its table is").set_value(first.version)), "Correct the release")
    assert len({one.version for one in kept.account(NAME).ledger.entries}) == 1 and kept.account(
        NAME).ledger.total() == before


def test_a_shared_ledger_asks_who_releases(kept: LedgerFile) -> None:
    at = text_of(page(), "Who you are", " ")
    assert release_words.WHO_FIRST in [info.value for info in at.main.info] and button(at).disabled
    released_by(at, forced=True)
    assert not kept.names
    released_by(text_of(text_of(at, "Who you are", "Eve"), "Remark", "late"))
    (line,) = kept.account(NAME).lines
    assert (line.entry.who, line.entry.remark) == ("Eve", "late")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--raise-budget", "--ledger", "HERE"], "to raise the budget, say to what"),
        (["--budget", "3"], "say --ledger FILE too"),
        (["--ledger", "HERE", "--budget", "many"], "--budget: invalid float value"),
        (["--ledger", "HERE", "--budget", "-1"], "epsilon must be greater than 0"),
        (["--ledger", "HERE", "--delta", "2"], "unrecognized arguments"),
        (["--stewards"], "expected at least one argument"),
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
