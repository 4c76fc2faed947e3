"""A table at once on the page Release: one press, one charge, one file; nothing before the press."""

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import dpbi
from dpbi import MECHANISMS
from dpbi.accuracy.trials import release_errors
from dpbi.dashboard.page import DEFAULT_MECHANISMS
from dpbi.dashboard.session import options
from dpbi.dashboard.sidebar import data_source
from dpbi.dashboard.views.brought import Brought
from dpbi.dashboard.words import release as release_words, release_tables as said, words
from dpbi.inference.budget_split import split_epsilon
from dpbi.releases.ledger_in_memory import LedgerInMemory
from dpbi.releases.plan import new_plan
from dpbi.releases.usefulness import points
from tests.dashboard.person import PATIENCE, ROOT, ran, ticked
from tests.dashboard.test_scenario_file import Files

FIRST = next(kind.label for kind in MECHANISMS if kind.__name__ in DEFAULT_MECHANISMS)
PEOPLE = b"region,smokes,vote\n" + b"North,yes,red\nSouth,no,blue\nSouth,yes,\nWest,no,red\nNorth,no,blue\n" * 6


def page(content: bytes | None = PEOPLE) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE).switch_page("pages/7_Release.py")
    at.session_state["settings"] = {"source": data_source.TYPED, "typed": "3 4"}
    if content:
        at.session_state["data: brought"] = Brought("people.csv", content)
    return ran(at)


def widget(at: AppTest, kind: str, label: str) -> Any:
    return next(one for one in getattr(at.main, kind) if one.label.startswith(label))


def chosen(at: AppTest) -> AppTest:
    """The table said: groups, questions, mechanism, people."""
    ran(widget(at, "multiselect", "Groups").set_value(["region"]))
    ran(widget(at, "multiselect", "Questions").set_value(["smokes", "vote"]))
    mechanism = widget(at, "selectbox", "Mechanism of all questions")
    ran(mechanism.set_value(next(one for one in mechanism.options if one.startswith(FIRST))))
    return ran(widget(at, "text_input", "Whose answers the table holds").set_value("Survey"))


def button(at: AppTest) -> Any:
    return widget(at, "button", "Release the table once")


def plain(boxes: Any) -> list[str]:
    return [one.value.replace("\\", "").replace("\u2060", "") for one in boxes]


def test_the_page_begins_with_a_table_that_is_there() -> None:
    heads = [one.value for one in page().main.header]
    assert heads[0] == said.HEADING
    assert heads.index("Or a single table of counts") < heads.index("What to release with")
    assert page(None).main.header[0].value != said.HEADING


def test_all_mechanisms_are_offered_and_what_to_expect_of_each_group_is_said() -> None:
    at = page(PEOPLE + b"Tiny,yes,red\nTiny,no,blue\n" * 3)
    ran(widget(at, "multiselect", "Groups").set_value(["region"]))
    ran(widget(at, "multiselect", "Questions").set_value(["smokes", "vote"]))
    offered = widget(at, "selectbox", "Mechanism of all questions").options
    assert len(offered) == len(MECHANISMS)
    knorm = next(one for one in offered if one.startswith("KNorm"))
    ran(widget(at, "selectbox", "Mechanism of all questions").set_value(knorm))
    errors = next(one.value for one in at.main.table if "(n = " in str(one.value))
    share = widget(at, "number_input", "epsilon of smokes").value
    found = release_errors(dpbi.mechanisms.KNorm(share), (1, 1, 1), 6)  # (missing) is a category too
    assert [*errors["smokes"]][-1] == f"{points(found.share).split(' percentage')[0]} (n = 6)"
    assert any("Tiny, smokes (n = 6)" in one for one in plain(at.main.warning))


def test_what_is_spent_and_left_is_said_before_and_after(monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = LedgerInMemory()
    monkeypatch.setattr(ledger, "epsilon", 3.0, raising=False)
    monkeypatch.setattr(options, "ledger", lambda: ledger)
    at = chosen(page())
    assert "Of these people 3 is allowed, nothing is spent, 3 is left; this leaves 2." in plain(at.main.caption)
    ran(widget(at, "checkbox", "I know that a draw is final").check())
    ran(button(at).click())
    assert "Of these people 3 is allowed, 1-DP is spent, 2 is left." in plain(at.main.caption)
    assert release_words.NOTHING not in [one.value for one in at.main.markdown]


def test_a_split_that_no_distance_tells_from_another_says_so() -> None:
    far, near = (split_epsilon(dpbi.mechanisms.KNorm(epsilon), [(1, 1, 1)] * 2, [[1000, 900]] * 2)
                 for epsilon in (1e-3, 3.0))  # fmt: skip
    assert "Go by the percentage points" in said.split(far)
    assert "of 4 at most" in said.split(near)
    assert "Proposed are equal shares" in said.split(near), "nothing better was found of two like questions"
    unlike = split_epsilon(dpbi.mechanisms.Geometric(1.0), [(1, 1), (1, 1)], [[1000], [15]])
    assert "than equal ones" in said.split(unlike)


def test_what_was_said_stands_after_another_page_and_what_leaks_is_said_above_it() -> None:
    at = chosen(page())
    assert [one.value for one in at.main.warning].count(words.CHOICE_WARNING) == 1
    assert said.epsilon(1.0, several=True) in [one.value for one in at.main.caption]
    ran(widget(at, "text_input", "Prior of vote").set_value("2"))
    ran(widget(at, "radio", "Who is in which group is").set_value("private"))
    mechanism = widget(at, "selectbox", "Mechanism of all questions").value
    ran(at.switch_page("pages/10_Data.py"))
    ran(at.switch_page("pages/7_Release.py"))
    assert widget(at, "selectbox", "Mechanism of all questions").value == mechanism
    assert widget(at, "text_input", "Prior of vote").value == "2"
    assert widget(at, "radio", "Who is in which group is").value == "private"
    assert widget(at, "text_input", "Whose answers the table holds").value == "Survey"


def test_without_a_file_the_page_says_where_to_bring_one() -> None:
    at = page(None)
    assert said.BRING in [one.value for one in at.main.markdown]
    assert not [one for one in at.main.button if one.label.startswith("Release the table")]


def test_a_table_is_released_once_and_its_files_hold_all_parts(files: Files) -> None:
    at = chosen(page())
    assert button(at).disabled
    assert not options.ledger().account("Survey").lines
    shares = [one.value for one in at.main.number_input if one.label.startswith("epsilon of")]
    assert len(shares) == 2
    assert 0.99 < sum(float(one or 0) for one in shares) <= 1
    ran(widget(at, "checkbox", "I know that a draw is final").check())
    press = button(at)
    assert not press.disabled
    ran(press.click())
    assert not [one.value for one in at.main.error]
    ledger = options.ledger()
    assert isinstance(ledger, LedgerInMemory)
    (line,) = ledger.account("Survey").lines
    made = dpbi.read_release_table(line.document or "")
    assert (made.groups, made.questions) == (("North", "South", "West"), ("smokes", "vote"))
    assert made.labels[1] == ("red", "blue", "(missing)")
    assert list(made.epsilons) == shares
    (name,) = [name for name in files if name.startswith("dpbi-table-") and name.endswith(".json")]
    assert dpbi.read_release_table(files[name]()) == made
    at.run()  # a rerun draws nothing
    assert len(ledger.account("Survey").lines) == 1
    assert button(at).disabled  # all is to be confirmed anew


def test_a_share_that_is_changed_and_private_membership() -> None:
    at = chosen(page())
    ran(widget(at, "radio", "Who is in which group is").set_value("private"))
    ran(widget(at, "number_input", "epsilon of smokes").set_value(0.25))
    ran(widget(at, "checkbox", "I know that a draw is final").check())
    ran(button(at).click())
    (line,) = options.ledger().account("Survey").lines
    made = dpbi.read_release_table(line.document or "")
    assert made.membership == "private"
    assert made.epsilons[0] == 0.25
    assert json.loads(line.document or "")["questions"][0]["parts"][0]["groups"] == ["North", "South", "West"]


def test_a_question_may_have_a_mechanism_and_a_prior_of_its_own() -> None:
    at = chosen(page())
    other = next(one for one in widget(at, "selectbox", "Mechanism of vote").options if not one.startswith(FIRST)
                 and one not in (said.AS_ALL, "EHD", "EHDS"))  # fmt: skip
    ran(widget(at, "selectbox", "Mechanism of vote").set_value(other))
    ran(widget(at, "text_input", "Prior of all questions").set_value("0.5"))
    ran(widget(at, "text_input", "Prior of vote").set_value("2 1 1"))
    shown = next(table.value for table in at.main.table if "Mechanism" in table.value)
    assert [str(one) for one in shown["Prior"]] == ["Dirichlet(0.5 × 3)", "Dirichlet(2, 1, 1)"]
    ran(widget(at, "checkbox", "I know that a draw is final").check())
    ran(button(at).click())
    made = dpbi.read_release_table(options.ledger().account("Survey").lines[0].document or "")
    assert [dpbi.name_of(row[0].mechanism).startswith(name) for row, name in zip(
        made.releases, (FIRST, other), strict=True)] == [True, True]  # fmt: skip
    assert [row[0].prior for row in made.releases] == [(0.5,) * 3, (2, 1, 1)]
    assert sum(made.epsilons) <= 1
    ran(widget(at, "text_input", "Prior of vote").set_value("2 1"))
    assert any("must have one number per category" in one.value for one in at.main.error)


def test_the_same_table_again_is_read_together_where_that_is_said() -> None:
    at = chosen(page())
    ran(widget(at, "checkbox", "I know that a draw is final").check())
    ran(button(at).click())
    assert button(at).disabled
    assert release_words.VERSION_FIRST in [one.value.replace("\\", "").replace("\u2060", "") for one in at.main.info]
    ran(widget(at, "radio", "Who is in which group is").set_value("private"))  # another table, in no one's place
    assert not [one for one in at.main.radio if one.label.startswith("This question was released before")]
    assert any("The sizes of these groups were published" in one for one in plain(at.main.warning))
    ran(widget(at, "radio", "Who is in which group is").set_value("public"))
    ran(widget(at, "radio", "This question was released before").set_value(release_words.SAME))
    ran(next(one for one in at.main.checkbox if str(one.key).startswith("tables: agreed")).check())
    ran(button(at).click())
    lines = options.ledger().account("Survey").lines
    assert len({line.entry.version for line in lines}) == 1
    assert said.TOGETHER in [one.value for one in at.main.subheader]
    assert said.together(2) in [one.value for one in at.main.markdown]


def test_what_is_not_private_is_acknowledged_too() -> None:
    bad = next(kind for kind in MECHANISMS if not kind(1.0).guarantee((1.0, 1.0), 9).is_private)
    at = page()
    at.session_state["settings"] |= ticked({bad.__name__})
    ran(widget(ran(at), "multiselect", "Groups").set_value(["region"]))
    mechanism = widget(at, "selectbox", "Mechanism of all questions")
    ran(mechanism.set_value(mechanism.options[0]))
    ran(widget(at, "text_input", "Whose answers the table holds").set_value("Survey"))
    sentences = [one for one in at.main.checkbox if str(one.key).startswith("tables: agreed")]
    assert len(sentences) == 2
    ran(sentences[1].check())
    assert button(at).disabled
    assert len([one for one in at.main.error if "NOT PRIVATE" in one.value]) == 2  # of the single release too


def test_people_who_have_a_plan_are_told_why_a_table_is_off_it() -> None:
    options.ledger().plan("Survey", new_plan(dpbi.mechanisms.KNorm(0.1), 3, 30, 9, 1e-6))
    assert said.OFF_THE_PLAN in [one.value for one in chosen(page()).main.info]


def test_what_cannot_be_read_is_said_in_the_library_s_words() -> None:
    at = page()
    ran(widget(at, "multiselect", "Groups").set_value(["region"]))
    assert "region" not in widget(at, "multiselect", "Questions").options  # it names the groups
    ran(widget(at, "text_area", "Groups").set_value("North\nSouth"))
    errors = [one.value.replace("\\", "") for one in at.main.error]
    assert any("not on the list of groups" in one for one in errors)
    assert not any(words.APOLOGY in one for one in errors)


def test_a_click_that_comes_with_another_change_draws_nothing() -> None:
    at = chosen(page())
    ran(widget(at, "checkbox", "I know that a draw is final").check())
    press = button(at)
    widget(at, "number_input", "epsilon of smokes").set_value(0.3)
    ran(press.click())
    assert not options.ledger().account("Survey").lines
    assert said.CHANGED in [one.value for one in at.main.error]


@pytest.fixture(autouse=True)
def own_ledger(monkeypatch: pytest.MonkeyPatch) -> None:
    """The session's ledger, at hand outside of a run."""
    ledger = LedgerInMemory()
    monkeypatch.setattr(options, "ledger", lambda: ledger)
