"""The method page: every mechanism and term is there, with the numbers of what was shown last."""

import math
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dpbi import MECHANISMS, tables as data
from dpbi.dashboard.shown import tables
from dpbi.dashboard.views import methods
from dpbi.dashboard.words import words
from tests.dashboard.person import EXAMPLE, QUIET, bare, led_to, opened, select, shown, text, typed, visit
from tests.oracles import hellinger_float

PAGE = "pages/8_Methods.py"


def said(at: AppTest) -> str:
    return bare("\n".join(part.value for part in [*at.main.markdown, *at.main.caption]))


@pytest.fixture(scope="module")
def fresh() -> AppTest:
    return shown(opened(PAGE), PAGE)


def test_every_mechanism_has_its_rule_source_and_promise(fresh: AppTest) -> None:
    assert [formula.value.strip("$\n ") for formula in fresh.main.latex] == [kind.formula for kind in MECHANISMS]
    for kind, heading in zip(MECHANISMS, fresh.main.subheader, strict=True):
        promise = kind(1.0).guarantee(EXAMPLE.prior, EXAMPLE.n)
        assert bare(heading.value) == words.stamped(kind.label, promise)
        assert promise.is_private == (bare(heading.value) == kind.label)
        for part in (kind.idea, kind.source, promise.reason[1:]):
            assert bare(part) in said(fresh)


def test_every_term_is_explained_and_has_a_source(fresh: AppTest) -> None:
    for term in methods.TERMS:
        assert f"**{term.name}**" in said(fresh)
        assert f"${term.symbol}$".replace("\\", "") in said(fresh)
        assert f"Source: {term.source}." in said(fresh)
        assert 1 <= term.meaning.count(". ") + 1 <= 5


def test_every_column_is_in_the_glossary_and_every_table_links_to_it(fresh: AppTest) -> None:
    for name, meaning in tables.meanings().items():
        assert bare(name) in said(fresh)
        assert bare(meaning) in said(fresh)
    anchors = [header.proto.anchor for header in fresh.main.header]
    for link in (words.GLOSSARY, words.COLUMNS_EXPLAINED):
        page, anchor = link.split("#")
        assert page == "Methods"
        assert anchor in anchors


def test_a_picture_shows_why_noisy_counts_are_not_read_as_true_ones(fresh: AppTest) -> None:
    charts: list[Any] = [*fresh.main.get("plotly_chart")]
    assert "5 of 7 intervals miss the true share; allowing for the noise, none" in charts[0].proto.alt
    assert "Read_noisy_counts" in led_to(fresh)


def test_words_that_pages_use_are_terms() -> None:
    names = " ".join(term.name for term in methods.TERMS)
    used = ("P(truth)", "LS(x)", "P(blind)", "Jeffreys", "Perks", "Score", "times the limit", "delta(0)", "Trade-off",
            "budget", "Naive", "Nearest", "coverage", "Cases of 100",
            "Noisy counts", "withheld", "Misfit", "discrete Gaussian")  # fmt: skip
    assert not [word for word in used if word not in names]


def test_what_a_table_says_of_a_law_is_explained_at_its_head_and_in_the_glossary() -> None:
    (term,) = [term for term in methods.TERMS if term.name.startswith("Law of the distance")]
    for kind in data.LAW_KINDS.values():
        assert kind in term.name
        assert f"'{kind}'" in term.meaning
        assert f"'{kind}'" in data.COLUMNS["Law"].help


def test_numbers_are_those_of_the_data_shown_last(fresh: AppTest) -> None:
    here = [
        "Beta(49, 43)",
        "worth 2 records",
        "2 different counts",
        "Here: 91.",
        f"Here: {words.number(hellinger_float((49, 43), (50, 42)))}.",
        f"a factor of at most {words.number(math.e)}",
    ]
    assert not [number for number in here if bare(number) not in said(fresh).replace("**", "")]
    at = text(select(opened(QUIET), "example", "immunotherapy"), "epsilon", "2")
    visit(at, PAGE)
    assert f"a factor of at most {words.number(math.exp(2))}" in said(at)
    assert "epsilon = 2 " in said(at)
    assert "Beta(49, 43)" not in said(at)


def test_after_a_refused_entry_no_older_number_of_a_persons_is_shown() -> None:
    at = text(text(opened(QUIET), "epsilon", "2"), "epsilon", "-1")
    visit(at, PAGE)
    assert "epsilon = 1 " in said(at)


@pytest.mark.parametrize("counts", ["0 0", "1e12 1e12", "7 0 0 0 0 0"])
def test_any_counts_are_survived(counts: str) -> None:
    at = visit(text(typed(opened(QUIET), counts), "epsilon", "1e6"), PAGE)
    assert not at.main.error
    assert ("**Here:**" in said(at)) == (counts != "0 0")
