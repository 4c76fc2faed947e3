"""Any bytes up to the limit are read or refused in linear time: each case here took seconds to hours before."""

import re
import unicodedata
from typing import Any

import pytest
from hypothesis import example, given, strategies as st

from dpbi import limits
from dpbi.data.files import CountsError, delimited, table, tally

from .reader import outcome, read

RECORDS = '{"ride":"bus","n":1}'
HOSTILE_TABLES: dict[str, tuple[str, dict[str, Any], str]] = {
    "a name of spaces": ("h\na" + " " * 100_000 + "b\nc\n", {"column": 1, "header_row": 1}, "too long for the name of"),
    "a header of spaces": ("a" + " " * 100_000 + "b,n\nx,y\n", {"header_row": 1}, "only one category was found in 'a "),
    "accents on one letter": ("h\na" + "\u0301\u0316" * 60_000 + "\nc\n", {"column": 1, "header_row": 1},
                              "too long for the name"),
    "spaces where a count could follow": (
        "".join(f"a{i}{' ' * 5_000}x\n" for i in range(50)), {}, "may hold the categories"),
    "different answers": ("".join(f"{i}\n" for i in range(250_000)), {"column": 1}, "as an identifier would"),
    "different answers, each twice": ("".join(f"c{i // 2}\n" for i in range(200_000)), {"column": 1},
                                      "too many categories: at most 2,000 are read"),
    "5,000 columns": ("a" + ",a" * 4_999 + "\n" + ("1" + ",1" * 4_999 + "\n") * 20, {}, "one person, or counts"),
    "5,000 columns of one name": ("a" + ",a" * 4_999 + "\n" + "1" + ",1" * 4_999, {"layout": "counts"},
                                  "5000 columns are called 'a' .columns 1, 2, 3.* and 4,988 more"),
    "JSON": (f"[{','.join([RECORDS] * 100_000)}]", {}, "this is JSON"),
    "JSON, a record a line": ("\n".join([RECORDS] * 100_000), {}, "this is JSON"),
}


@pytest.mark.parametrize("hostile", HOSTILE_TABLES)
def test_hostile_tables_are_refused_in_a_sentence(hostile: str) -> None:
    text, answers, said = HOSTILE_TABLES[hostile]
    with pytest.raises(CountsError, match=said) as refusal:
        read(text, **answers)
    assert len(str(refusal.value)) < 2_000


# --- the quick ways give what the plain ones do ---

BLANKS = "a \t\n\v\f\r\x85\u2028\u2029\u3000\x1c"


@given(st.text(BLANKS, max_size=12))
def test_one_line_is_the_rule_as_one_expression(name: str) -> None:
    rule = re.sub(r"\s*[\t\n\v\f\r\x85\u2028\u2029]+\s*", " ", name.strip())
    assert table.one_line(name) == unicodedata.normalize("NFC", rule)


LINES = ["a,1", "b,2", '"a\nb",3', "", " , ", "c", "d,4,5", '"e"', '"f,1', "g\r"]


@given(st.lists(st.sampled_from(LINES), max_size=12))
@example(["a,1", "", "b,2", "", ""])
def test_a_table_is_the_same_in_pieces(lines: list[str]) -> None:
    text = "\n".join(lines)
    whole = outcome(text, category_column=1, count_column=2)
    with pytest.MonkeyPatch.context() as patch:
        for module, size in ((delimited, "CHUNK"), (delimited, "SHARED"), (tally, "CHUNK")):
            patch.setattr(module, size, 1)
        assert outcome(text, category_column=1, count_column=2) == whole


@pytest.mark.parametrize("extra", ["", " ", "\t "])
def test_names_that_differ_by_spaces_only_are_not_too_many(extra: str) -> None:
    """2,000 names in ten spellings each, and blank cells: as many names as may be."""
    rows = [" " * (i % 10) + f"n{i // 10}" for i in range(10 * limits.CATEGORIES_LARGEST)] * 2
    found = read(("name,x\n" + f"{extra},1\n".join([*rows, ""])).encode(), "a.csv", column="name")
    assert len(found.labels) == limits.CATEGORIES_LARGEST
    assert set(found.counts) == {20}
