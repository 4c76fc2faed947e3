"""The page Read noisy counts: what was published and how it was made noisy, and below it what follows."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any, NamedTuple, TypeVar

import numpy as np
import streamlit as st

from dpbi import Flat, LogUniform, Poisson, limits, name_of, tables as data
from dpbi.dashboard.answers import noisy_counts as answers
from dpbi.dashboard.answers.work import Cancelled, whole, work
from dpbi.dashboard.session import address, settings
from dpbi.dashboard.shown import charts, downloads, folds, tables
from dpbi.dashboard.sidebar import entries, menu, prior
from dpbi.dashboard.take_away import report, script
from dpbi.dashboard.views import data as data_page
from dpbi.dashboard.views.brought import BROUGHT, Brought
from dpbi.dashboard.words import guard, noisy_counts as said, sidebar, words
from dpbi.data.files.file_format import BRACKET
from dpbi.data.files.form import Form
from dpbi.data.files.noisy_cells import (
    COMMA,
    POINT,
    SCALES,
    STANDARD_DEVIATIONS,
    VARIANCES,
    NoisyCells,
    NoisyColumns,
    guessed_columns,
    holds_values,
    marks_of_decimals,
    noisy_cells,
    noisy_table,
    threshold,
    with_values_apart,
)
from dpbi.data.files.outcome import CountsError
from dpbi.data.files.reading import Opened, opened
from dpbi.data.files.table import Table
from dpbi.data.json_object import starts_as_json
from dpbi.inference.total import Known, Total
from dpbi.noise import NoiseLaw
from dpbi.releases import reading as readings, stated_noise as stated
from dpbi.releases.reading import NoisyReading, Outcome

Number = TypeVar("Number")

_BROUGHT = "noisy counts: brought"
_TAKEN = "noisy counts: taken over"
_OF = "noisy: "  # what the settings of this page begin with
_JOINED, _NO_NAMES = "(joined)", "(none)"
_SIZES = {STANDARD_DEVIATIONS: stated.STANDARD_DEVIATION, VARIANCES: stated.VARIANCE, SCALES: stated.SCALE}
FIRST, LAST, BESIDE = 6, 2, 8  # rows at each end, and columns, of the cells that are shown
MANY, DRAWN = 40, 20  # categories from which on the largest ones are drawn, and how many
_MISFIT = 5.0
_MARKS = 8  # different ones that are asked about
_ENTRIES = {
    "values": None, "labels": None, "noise column": None, "decimals": POINT, "stated": None, "law": None, "number": "",
    "sensitivity": "", "floor": False, "total": said.FLAT, "n": "", "mean": "", "measured": "", "measured noise": "",
    "prior": prior.CHOICES[0], "strength": "1", "alphas": "",
}  # fmt: skip


@dataclass
class Published:
    """What was brought, a file or pasted cells, kept in the session until put away; guessed: the sheet that the columns
    were guessed of; guesses: what was guessed, by the entries."""

    name: str
    data: bytes
    file: Opened | None = None
    guessed: str | None = None
    guesses: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_release(self) -> bool:
        return bool(BRACKET.match(self.data)) and starts_as_json(self.data)


class Question(NamedTuple):
    """What is asked, and what goes with the answer. of: as ``answers`` take it; assumed, remarks, notes (which warn of
    nothing), laws (of each value): in words."""

    of: answers.Question
    labels: tuple[str, ...]
    values: tuple[float | None, ...]
    plain: np.ndarray[Any, np.dtype[np.float64]]
    assumed: Mapping[str, str]
    remarks: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    laws: tuple[str, ...] = ()


def draw() -> None:
    brought: Published | None = st.session_state.get(_BROUGHT)
    elsewhere: Brought | None = st.session_state.get(BROUGHT)
    if elsewhere and not (elsewhere.noisy and st.session_state.get(_TAKEN) is not elsewhere):
        elsewhere = None
    if brought is None and elsewhere:
        _take_over(elsewhere)
        brought, elsewhere = st.session_state[_BROUGHT], None
    if brought is None:
        _bring()
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{words.escape(brought.name)}**", width="content")
        st.button("Discard the file", on_click=_put_away)
        if elsewhere:
            st.button(said.TAKE_OVER, on_click=_take_over, args=(elsewhere,))
    refused: dict[str, list[str]] = {}
    with guard.refusal(refused, ""):
        question = _of_release(brought) if brought.is_release else _of_table(brought)
        if question:
            with suppress(Cancelled):
                _show(brought, question)
    for sentence in refused:
        st.error(limits.opened(sentence))


# --- what is brought ---


def _bring() -> None:
    st.markdown(said.PUBLISHED_ONLY)
    st.file_uploader(said.UPLOAD, key="noisy counts: file", on_change=_take, args=("noisy counts: file",),
                     help=said.UPLOAD_HELP)  # fmt: skip
    data_page.say_if_files_are_refused()
    st.text_area(said.PASTE, key="noisy counts: cells", height=160, on_change=_take, args=("noisy counts: cells",))


def _take(key: str) -> None:
    given = st.session_state[key]
    _forget()
    pasted = isinstance(given, str)
    st.session_state[_BROUGHT] = (Published("pasted.txt", with_values_apart(given).encode()) if pasted else
                                  Published(given.name, given.getvalue()))  # fmt: skip


def _take_over(brought: Brought) -> None:
    """What was brought on the page Data, once."""
    _forget()
    st.session_state.update({_BROUGHT: Published(brought.name, brought.data), _TAKEN: brought})


def _put_away() -> None:
    _forget()
    st.session_state[_BROUGHT] = None


def _forget() -> None:
    """What was said of one table is not said of another."""
    for name in settings.everything():
        if name.startswith(_OF):
            settings.keep(name, _ENTRIES.get(name.removeprefix(_OF)))


def _now(entry: str) -> Any:
    return settings.setdefault(_OF + entry, _ENTRIES.get(entry))


def _choose(label: str, entry: str, options: Mapping[Any, str], **more: Any) -> Any:
    """A choice by its words; None where nothing is chosen."""
    _now(entry)
    with st.container():
        return settings.choice(label, _OF + entry, options, placeholder="Choose",
                               format_func=lambda one: words.plain(options[one], 60), **more)  # fmt: skip


def _typed(label: str, entry: str, default: str = "", **more: Any) -> str:
    _preset(entry, default)
    with st.container():
        return str(st.text_input(label, **more, **settings.entry(_OF + entry)) or "")


# --- a release of ours ---


def _of_release(brought: Published) -> Question:
    of = _part(brought.data)
    found = answers.published(of)
    release = found.release
    assumed = {
        "Mechanism": f"{name_of(release.mechanism)}, {release.guarantee.words}",
        "Total": f"known to be {release.n:,}",
        "Prior": readings.prior_words(release.prior),
        "Released": release.time,
    }
    released, naive = release.released, release.naive
    if isinstance(of, answers.PartOfTable) and len(naive) > len(found.labels):  # a block of all groups' cells
        place, k = answers.parts(brought.data)[1].index(of.part[1]), len(found.labels)
        released, naive = released[place * k : (place + 1) * k], naive[place * k : (place + 1) * k]
        assumed["Total"] = f"of all groups known to be {release.n:,}"
    return Question(of, found.labels, tuple(map(float, released)), np.array(naive), assumed,
                    tuple(one for one in found.remarks if said.STATED_WITH not in one),
                    tuple(one for one in found.remarks if said.STATED_WITH in one))  # fmt: skip


def _part(data: bytes) -> bytes | answers.PartOfTable:
    """The file, or, of a table of several questions and groups, the part that is chosen."""
    questions, groups = answers.parts(data)
    if len(questions) * len(groups) < 2:
        return data
    with st.container(horizontal=True, key="part-answer"):
        question, group = (
            names[0] if len(names) == 1 else st.selectbox(label, names, key=f"noisy counts: {label} {hash(names)}",
                                                          format_func=lambda name: words.plain(name, 60), width=360)
            for label, names in (("Question", questions), ("Group", groups)))  # fmt: skip
    return answers.PartOfTable(data, (question, group))


# --- a table ---


def _of_table(brought: Published) -> Question | None:
    """The question of the form as it stands; None where an answer is still to be given or is refused, which the page
    then says."""
    table, remarks = _opened(brought)
    left, right = st.columns([1, 2], gap="medium")
    with left:
        _rows_as_they_stand(table)
        for remark in remarks:
            st.caption(words.escape(remark, words.SENTENCE_LENGTH))
    refused: list[str] = []  # each stands beside its entry
    with right.container(key="form"):
        cells = _columns(table)
        if all(_now(entry) == guess for entry, guess in brought.guesses.items()):
            st.caption(said.GUESSED)
        if _look_true(cells):
            st.warning(said.LOOKS_TRUE)
            st.page_link(menu.page("Data").path, label="True counts? Data", icon=":material/arrow_forward:",
                         query_params=address.elsewhere(on_tour=False))  # fmt: skip
        marks, totals = _withheld(cells, refused), _rows_of_totals(cells)
        missing: list[str] = []
        noise = _noise(table, cells, refused, missing)
        total_here, prior_here = st.columns(2)
        with total_here:
            total, measured = _total(cells, totals, refused)
        with prior_here:
            alpha = _prior(len(_kept(cells, marks, totals)), refused)
    unsaid = any(mark.meant is None or (mark.meant == said.BELOW and mark.below is None) for mark in marks.values())
    if refused or noise is None or unsaid or None in totals.values() or total is None or not alpha:
        others = {said.OF_MARKS: unsaid, said.OF_TOTALS: None in totals.values()}
        last = {said.OF_N: total is None, said.OF_PRIOR: not alpha}
        missing = [*_lacking(others), *missing, *_lacking(last)]
        if not refused:
            st.info(said.still_to_be_said(missing))
        return None
    return _question(cells, marks, totals, noise, total, measured, alpha)


def _lacking(of: Mapping[str, bool]) -> list[str]:
    return [what for what, lacks in of.items() if lacks]


def _opened(brought: Published) -> tuple[Table, tuple[str, ...]]:
    if brought.file is None:
        brought.file = opened(brought.data, brought.name, Form())
    if len(brought.file.sheets) > 1:
        if _now("sheet") is None:
            settings.keep(_OF + "sheet", brought.file.form.entries["sheet"])
        sheet = _choose("Sheet", "sheet", {sheet: sheet for sheet in brought.file.sheets})
        if sheet != brought.file.form.entries["sheet"]:
            brought.file = opened(brought.data, brought.name, Form(sheet=sheet))
    table, remarks = noisy_table(brought.file)
    sheet = str(brought.file.form.entries.get("sheet", ""))
    if brought.guessed != sheet:
        brought.guessed, brought.guesses = sheet, _guesses(table)
        for entry, guess in brought.guesses.items():
            settings.keep(_OF + entry, guess)
    return table, remarks


def _guesses(table: Table) -> dict[str, Any]:
    """What the headers say, as the entries begin with."""
    columns = guessed_columns(table)
    found: dict[str, Any] = {"values": columns.values, "labels": columns.labels[0] if columns.labels else _NO_NAMES}
    if columns.sizes:
        found |= {"noise column": columns.noise, "stated": said.COLUMN + _SIZES[columns.sizes]}
    return found


def _rows_as_they_stand(table: Table) -> None:
    k = len(table.rows)
    at = [i for i in range(k) if i < FIRST or i >= k - LAST]
    shown = {"Row": [f"{table.rows[i]:,}" for i in at]}
    for column in table.columns[:BESIDE]:
        cells = column.cells
        shown[words.escape(column.title, 24)] = [words.escape(cells[i], 24) for i in at]
    st.table(shown, hide_index=True, border="horizontal", alt="The first and last rows of what was brought")
    st.caption(f"{len(at):,} of {k:,} rows, numbered as in the file.")


def _columns(table: Table) -> NoisyCells:
    """What each column is for, and the cells that come of it."""
    by_key = {key: column for column, key in table.keys.items()}
    titles = {key: column.title for key, column in by_key.items()}
    numeric = {key: titles[key] for key, column in by_key.items() if holds_values(column)}
    texts = [key for key in titles if key not in numeric]
    joined = {_JOINED: " / ".join(titles[key] for key in texts)} if len(texts) > 1 else {}
    with st.container(horizontal=True):
        values = _choose("Column of values", "values", numeric)
        labels = _choose("Column of names", "labels", titles | joined | {_NO_NAMES: "none: category 1, 2, …"})
        if values is None or labels is None:
            raise CountsError("choose the column of values, and that of names.")
        names = () if labels == _NO_NAMES else tuple(texts) if labels == _JOINED else (labels,)
        noise = None
        if str(_now("stated") or "").startswith(said.COLUMN):
            others = {key: title for key, title in numeric.items() if key != values}
            noise = _choose("Column of the noise", "noise column", others)
        columns = NoisyColumns(values, names, noise)
        read, doubtful = marks_of_decimals(table, columns)
        decimals = _now("decimals") or read
        if doubtful:
            decimals = _choose(said.DECIMALS, "decimals", {POINT: "points: 1.234 is a little over 1",
                                                           COMMA: "commas: 1.234 is 1234"})  # fmt: skip
    return noisy_cells(table, columns, decimals or read)


class Mark(NamedTuple):
    """What a mark in place of a value means, None where that is not said; below: the threshold, where it is one."""

    meant: str | None
    below: int | None = None


def _withheld(cells: NoisyCells, refused: list[str]) -> dict[str, Mark]:
    """What each mark means. Several that name their thresholds are one question."""
    many = Counter(mark for mark in cells.marks if mark is not None)
    own = {mark: t for mark in many if (t := threshold(mark)) is not None}
    found: dict[str, Mark] = {}
    if len(own) > 1:
        label = said.several_marks([*own], sum(many[mark] for mark in own))
        meant = _choose(label, _preset("marks", said.BELOW), said.WITHHELD_EACH)
        found |= {mark: Mark(meant, t) for mark, t in own.items()}
    others = [mark for mark in many if mark not in found]
    if len(others) > _MARKS:
        raise CountsError(f"{len(others):,} different marks stand in place of values, at most {_MARKS} are read: write "
                          "the same in all withheld cells.")  # fmt: skip
    for mark in others:
        with st.container(horizontal=True):
            entry = _preset(f"mark {mark}", said.BELOW) if mark in own else f"mark {mark}"
            meant, below = _choose(said.marks(mark, many[mark]), entry, said.WITHHELD), None
            if meant == said.BELOW:
                typed = _typed("Threshold", f"below {mark}", str(own.get(mark, "")))
                below = _number(refused, typed, _threshold)
        found[mark] = Mark(meant, below)
    return found


def _threshold(typed: str) -> int:
    return entries.whole("The threshold", typed, -limits.VALUE_LARGEST, limits.VALUE_LARGEST)


def _preset(entry: str, value: Any) -> str:
    """The entry, which begins with this value."""
    if _now(entry) is None:
        settings.keep(_OF + entry, value)
    return entry


def _rows_of_totals(cells: NoisyCells) -> dict[int, str | None]:
    """What each row is that says it is a total; one without noise of its own is exact, or left out."""
    found: dict[int, str | None] = {}
    for i in cells.totals:
        has_noise = not cells.sizes or cells.sizes[i] is not None
        offered = {key: what for key, what in said.TOTALS.items() if has_noise or key in (said.OUT, said.EXACT)}
        name = cells.labels[i]
        found[i] = _choose(f"The row {words.plain(name, 30)}", f"row {name}", offered)
    return found


def _number(refused: list[str], typed: str, read: Callable[[str], Number]) -> Number | None:
    """What was typed, read; None where it is refused, which is said beside it, or nothing was typed."""
    found = None
    if typed.strip():
        with guard.beside(refused):
            found = read(typed)
    return found


class StatedNoise(NamedTuple):
    """As ``stated_law`` takes it; number: None where each row has its own in a column; how: of ``said.STATED``."""

    how: str
    law: str
    number: float | None
    sensitivity: float
    floor: int | None

    @property
    def words(self) -> str:
        return said.noise(self.how, self.law, self.number, self.sensitivity, cut=self.floor is not None)

    def of(self, own: float | None, below: int | None) -> NoiseLaw:
        """The law of a value whose noise has a size of its own, or else the one of all."""
        number = self.number if own is None else own
        return stated.stated_law(self.law, self.how.removeprefix(said.COLUMN), number or 0.0, self.sensitivity,
                                 self.floor, below)  # fmt: skip


def _size(measure: str, label: str, typed: str) -> float:
    """A size of noise, or a quotient of two numbers as 1/0.1; 0 only where it means that there is none."""
    above, divided, below = typed.partition("/")
    size = entries.number(label, above)
    if divided:
        by = entries.number(label, below)
        if by <= 0:
            raise ValueError(f"{label} cannot be divided by {below.strip()}.")
        size /= by
    if size < 0 or (size == 0 and measure not in _SIZES.values()):
        raise ValueError(f"{label} must be {'at least' if measure in _SIZES.values() else 'greater than'} 0: got "
                         f"{typed.strip()}.")  # fmt: skip
    return size


def _noise(table: Table, cells: NoisyCells, refused: list[str], unsaid: list[str]) -> StatedNoise | None:
    """None where something is not said, which is put down, or refused."""
    numeric = sum(map(holds_values, table.columns))
    offered = {key: what for key, (what, _, _) in said.STATED.items() if numeric > 1 or not key.startswith(said.COLUMN)}
    size: float | None = None
    most: float | None = 1.0
    with st.container(horizontal=True):
        how = _choose("The noise is stated as", "stated", offered)
        if not how:
            unsaid.extend((said.OF_STATED, said.OF_SIZE, said.OF_KIND))
            return None
        measure = str(how).removeprefix(said.COLUMN)
        _, label, help = said.STATED[how]
        if measure == how:
            size = _number(refused, _typed(label, "number", help=help), lambda text: _size(measure, label, text))
            if size is None:
                unsaid.append(said.OF_SIZE)
        if how in said.SENSITIVITY:
            asked, meant = said.SENSITIVITY[how]
            most = _number(refused, _typed(asked, "sensitivity", help=meant, placeholder=said.ONE_OR_TWO),
                           lambda text: entries.number("The change by one person", text))  # fmt: skip
            if most is None:
                unsaid.append(said.OF_CHANGE)
        fits = {key: said.kind(one.called) for key, one in stated.LAWS.items()
                if stated.MEASURES[measure].fits(one) and not (one.whole and cells.fractional)}  # fmt: skip
        law = _choose(said.LAW, "law", fits, help=said.LAW_HELP)
        if law is None:
            unsaid.append(said.OF_KIND)
    if size == 0:
        st.caption(said.NO_NOISE)
    if cells.fractional:
        st.caption(said.NOT_ROUNDED)
    _now("floor")
    floor = 0 if st.checkbox(said.FLOOR, **settings.entry(_OF + "floor")) else None
    if law is None or most is None or (how == measure and size is None):
        return None
    return StatedNoise(how, law, size, most, floor)


class TypedTotal(NamedTuple):
    """A measured total; size: of its noise, stated as that of the values, None for the same."""

    value: float
    size: float | None


def _total(
    cells: NoisyCells, totals: Mapping[int, str | None], refused: list[str]
) -> tuple[Total | None, TypedTotal | None]:
    """The law of n, None where it is not said yet, and a measured total. totals: what the rows are that say total."""
    if exact := _exact_total(cells, totals):
        st.caption(said.TOTAL_IS_EXACT)
        return exact, None
    measured = said.MEASURED in totals.values()
    options = {key: what for key, what in said.TOTAL.items() if not (measured and key == said.NOISY)}
    found: Total | None = None
    with st.container(horizontal=True):
        choice = _choose("Total n, number of records", "total", options)
        if choice == said.KNOWN:
            found = _number(refused, _typed("n", "n"), lambda text: Known(
                entries.whole("n", text, 1, limits.TOTAL_LARGEST)))  # fmt: skip
        elif choice == said.ABOUT:
            found = _number(refused, _typed("n is about", "mean"), lambda text: Poisson(entries.number("n", text)))
        elif choice == said.NOISY:
            value = _number(refused, _typed("Measured total", "measured"),
                            lambda text: entries.number("The measured total", text))  # fmt: skip
            size = _number(refused, _typed("Its noise, stated as above", "measured noise",
                                           help=None if cells.sizes else said.SAME_NOISE),
                           lambda text: entries.number("Its noise", text))  # fmt: skip
            if value is not None and not (cells.sizes and size is None):
                return Flat(), TypedTotal(value, size)
        elif choice:
            found = LogUniform() if choice == said.LOG else Flat()
    if measured:
        st.caption(said.TOTAL_OF_ROW)
    return found, None


def _exact_total(cells: NoisyCells, totals: Mapping[int, str | None]) -> Known | None:
    """The total that a row is, without noise."""
    found = {cells.values[i] for i, meant in totals.items() if meant == said.EXACT}
    if not found:
        return None
    if len(found) > 1:
        raise CountsError("the rows of exact totals differ: leave all but one out.")
    (value,) = found
    if value is None or value % 1 or not 1 <= value <= limits.TOTAL_LARGEST:
        raise CountsError(f"an exact total must be a whole number from 1 to {limits.TOTAL_LARGEST:,}: got "
                          f"{'a withheld one' if value is None else f'{value:,.10g}'}.")  # fmt: skip
    return Known(int(value))


def _prior(k: int, refused: list[str]) -> tuple[float, ...]:
    """The prior of k categories, as it is chosen; () where it is refused or not said."""
    with st.container(horizontal=True):
        choice = _choose("Prior", "prior", {**{rule: rule for rule in (*prior.RULES, prior.SYMMETRIC)},
                                            prior.CUSTOM: said.TYPED}, help=sidebar.PRIOR)  # fmt: skip
        if choice == prior.SYMMETRIC:
            return _number(refused, _typed("Strength", "strength", "1"), lambda text: (
                prior.check_parameter("strength", entries.number("strength", text)),) * k) or ()  # fmt: skip
        if choice == prior.CUSTOM:
            _now("alphas")
            typed = str(st.text_area(f"{k:,} numbers, one per category, in their order",
                                     **settings.entry(_OF + "alphas")) or "")  # fmt: skip
            return _number(refused, typed, lambda text: tuple(
                prior.check_parameter("alpha", one)
                for one in entries.one_each("prior", entries.numbers("prior", text), k))) or ()  # fmt: skip
    return (prior.RULES[choice or prior.CHOICES[0]](k),) * k


def _kept(cells: NoisyCells, marks: Mapping[str, Mark], totals: Mapping[int, str | None]) -> list[int]:
    """The places of the rows that are categories."""
    return [i for i, mark in enumerate(cells.marks)
            if totals.get(i) in (None, said.CATEGORY) and (mark is None or marks[mark].meant != said.OUT)]  # fmt: skip


def _question(
    cells: NoisyCells, marks: Mapping[str, Mark], totals: Mapping[int, str | None], noise: StatedNoise,
    total: Total, typed: TypedTotal | None, alpha: tuple[float, ...],
) -> Question:
    bounds = {mark.below for mark in marks.values() if mark.meant == said.BELOW}
    of_published = next(iter(bounds)) if len(bounds) == 1 else None  # below it none may be published
    laws = [noise.of(cells.sizes[i] if cells.sizes else None, of_published if mark is None else
                   marks[mark].below if marks[mark].meant == said.BELOW else None)
            for i, mark in enumerate(cells.marks)]  # fmt: skip
    kept = _kept(cells, marks, totals)
    if len(kept) < 2:
        raise CountsError(f"2 categories at least are needed: {len(kept)} are left.")
    measured = (typed.value, noise.of(typed.size, None)) if typed else _measured(cells, totals, laws)
    labels = tuple(cells.labels[i] for i in kept)
    asked = NoisyReading(alpha, tuple(cells.values[i] for i in kept), tuple(laws[i] for i in kept), total,
                    measured).checked(labels)  # fmt: skip
    withheld = [said.mark_means(mark, sum(cells.marks[i] == mark for i in kept), one.meant, one.below)
                for mark, one in marks.items() if one.meant != said.OUT]  # fmt: skip
    assumed = {
        "Noise": f"{noise.words}; {readings.noise_words(asked.noise)}",
        "Total": readings.total_words(asked.total, asked.measured),
        "Prior": readings.prior_words(asked.prior),
        **({"Withheld": said.listed_marks(withheld)} if withheld else {}),
    }
    return Question(asked, labels, asked.values, asked.plain, assumed, _remarks(cells, asked),
                    laws=tuple(map(readings.law_words, asked.noise)))  # fmt: skip


def _measured(
    cells: NoisyCells, totals: Mapping[int, str | None], laws: Sequence[NoiseLaw]
) -> tuple[float, NoiseLaw] | None:
    """The total that a row is, with its noise."""
    rows = [i for i, meant in totals.items() if meant == said.MEASURED]
    if len(rows) > 1:
        raise CountsError("one total alone can be measured: leave the other rows out.")
    value = cells.values[rows[0]] if rows else None
    if rows and value is None:
        raise CountsError("the measured total was withheld: leave its row out.")
    return None if value is None else (value, laws[rows[0]])


def _look_true(cells: NoisyCells) -> bool:
    return not cells.said and all(value is not None and value >= 0 and value % 1 == 0 for value in cells.values)


def _remarks(cells: NoisyCells, asked: NoisyReading) -> tuple[str, ...]:
    """What the values look like, where that is not what they should be."""
    published = [value for value in asked.values if value is not None]
    found = []
    if not published:
        found.append(said.ALL_WITHHELD)
    elif _look_true(cells):
        found.append(said.LOOKS_TRUE)
    if published and isinstance(asked.total, Known) and math.fsum(published) == asked.total.n:
        found.append(said.SUMS_TO_N)
    return tuple(found)


# --- what follows ---


def _show(brought: Published, question: Question) -> None:
    for remark in question.remarks:
        if remark == said.LOOKS_TRUE:  # said already
            continue
        st.warning(remark if isinstance(question.of, NoisyReading) else words.escape(remark, words.SENTENCE_LENGTH))
    for note in question.notes:
        st.caption(words.escape(note, words.SENTENCE_LENGTH))
    place = st.container()
    seed = entries.whole("seed", settings.get("seed"), 0, entries.SEED_LARGEST)
    with whole("noisy counts", (question.of, seed), 4, "steps") as current:
        if not isinstance(current.ask(answers.answered, question.of), str):
            moments = current.ask(answers.moments, question.of)
            ranking = current.ask(answers.ranking, question.of, seed)
            best = int(ranking.first.argmax())
            intervals = {best: current.ask(answers.interval, question.of, best)}
    exact = answers.posterior(question.of)
    total = getattr(exact, "total", None)
    misfit = ""
    if moments.misfit > _MISFIT and isinstance(question.of, NoisyReading):
        misfit = said.misfit(moments.misfit, _reasons(question.of))
    remarks = [one for one in (misfit, *question.remarks, *question.notes) if one]
    found = Outcome(
        PurePath(brought.name).name, question.labels, question.values, question.plain, question.assumed, moments.mean,
        moments.sd, moments.counts, intervals, ranking, seed,
        total if total is not None and total.probability.size > 1 else None,
        getattr(exact, "n", None) if total is None else total.first, getattr(exact, "error", None),
        tuple(one.replace("**", "") for one in remarks), question.laws,
    )  # fmt: skip
    with place:
        st.header("What follows")
        if misfit:
            st.warning(misfit)
        st.markdown(said.answer(found, fits=not misfit))
        st.caption(words.escape(said.about(found), words.SENTENCE_LENGTH))
        places = _places(found)
    with work("intervals", (question.of, places), len(places), "intervals") as current, suppress(Cancelled):
        for i in places:
            intervals[i] = current.ask(answers.interval, question.of, i)
    seen = downloads.Shown({"Read": words.plain(found.name), **found.assumed, "Seed": seed}, said.about(found))
    with downloads.collected(seen):
        _pictures(replace(found, intervals=dict(intervals)), [i for i in places if i in intervals])
        _take_away(brought, question, replace(found, intervals=dict(intervals)), seen)


def _reasons(asked: NoisyReading) -> list[str]:
    """Which mistake it may be, as far as the values tell."""
    gaps = [(value, law.sd) for value, law in zip(asked.values, asked.noise, strict=True) if value is not None]
    found = []
    if isinstance(asked.total, Known) and len(gaps) == len(asked.values):
        total = math.fsum(value for value, _ in gaps)
        if abs(total - asked.total.n) > 3 * math.hypot(*(sd for _, sd in gaps)):
            found.append(said.WRONG_TOTAL.format(f"{total:,.6g}", f"{asked.total.n:,}"))
    small = sum(1 for value, sd in gaps if value < sd)
    if small > 3 and not any(value < 0 for value, _ in gaps) and all(getattr(law, "floor", 0) is None
                                                                      for law in asked.noise):  # fmt: skip
        found.append(said.NO_NEGATIVE)
    return [*found, said.TOO_SMALL]


def _places(found: Outcome) -> tuple[int, ...]:
    """The categories that are drawn: all in their order, or of many the largest ones and those that are chosen."""
    k = len(found.labels)
    if k <= MANY:
        return tuple(range(k))
    largest = [int(i) for i in found.order[:DRAWN]]
    others = [int(i) for i in found.order[DRAWN:]]
    also = st.multiselect(f"Beside the largest {DRAWN} of {k:,} categories, show", others, key="noisy counts: also",
                          format_func=lambda i: words.plain(found.labels[i], 40), select_all=False)  # fmt: skip
    return (*largest, *also)


def _pictures(found: Outcome, places: Sequence[int]) -> None:
    from dpbi.figures import noisy_counts as pictures

    charts.draw(pictures.shares(found, places), "shares")
    st.caption(said.PLAIN_ZERO)
    if found.total is not None:
        st.header("The total")
        charts.draw(pictures.total(found.total), "total")
    st.header("Who is first of the shares θ")
    ranked = sorted(places, key=lambda i: -found.mean[i])
    charts.draw(pictures.ranks(found, ranked), "ranks")
    st.text_input("Seed of the draws", width=200, help=sidebar.SEED, **settings.entry("seed"))
    st.header("Shares θ and counts")
    st.caption(said.SHARES_AND_COUNTS)
    k = len(found.labels)
    order = range(k) if k <= MANY else found.order.tolist()
    tables.draw(data.noisy_counts(found, order[:MANY], every=False), lambda: data.noisy_counts(found, order))
    if k > MANY:
        st.caption(said.INTERVALS_SHOWN)


def _take_away(brought: Published, question: Question, found: Outcome, seen: downloads.Shown) -> None:
    of = question.of if isinstance(question.of, NoisyReading) else None
    made: dict[str, Callable[[], str]] = {
        "reading.json": lambda: readings.reading_json(found),
        "statement.md": lambda: readings.reading_markdown(found),
        "script.py": lambda: script.of_noisy_counts(of, found, question.of.part if isinstance(
            question.of, answers.PartOfTable) else None),
    }
    page = menu.page("Read noisy counts")
    with st.container(horizontal=True, gap="small"):
        for label, name, mime in (("Numbers (JSON)", "reading.json", "application/json"),
                                  ("Statement (Markdown)", "statement.md", "text/markdown")):  # fmt: skip
            downloads.offer(label, lambda make=made[name]: make().encode(), f"dpbi-{name}", mime)  # type: ignore[misc]
        read = {} if of else {found.name: brought.data}  # which the script opens
        downloads.offer("Report (ZIP)", lambda: report.zip_bytes(
            page, seen, {**read, **{name: make().encode() for name, make in made.items()}}, readings.NOTHING_PRIVATE),
            "dpbi-read-noisy-counts.zip", "application/zip")  # fmt: skip
    with folds.fold("Copy as Python") as open_:
        if open_:
            st.caption(said.SCRIPT)
            st.code(made["script.py"](), language="python")
