"""The page Read noisy counts: what was published and how it was made noisy, and below it what follows."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from dpbi import Flat, LogUniform, Poisson, limits, name_of, tables as data
from dpbi.dashboard.answers import noisy_counts as answers
from dpbi.dashboard.answers.work import Cancelled, whole, work
from dpbi.dashboard.session import settings
from dpbi.dashboard.shown import charts, downloads, folds, tables
from dpbi.dashboard.sidebar import entries, menu, prior
from dpbi.dashboard.take_away import report, script
from dpbi.dashboard.words import handover, noisy_counts as said, sidebar, words
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
    marks_of_decimals,
    noisy_cells,
    noisy_table,
    threshold,
)
from dpbi.data.files.outcome import CountsError
from dpbi.data.files.reading import Opened, opened
from dpbi.data.files.table import Table
from dpbi.data.json_object import starts_as_json
from dpbi.inference.total import Known, Total, check_total_law
from dpbi.noise import NoiseLaw
from dpbi.releases import reading as readings, stated_noise as stated
from dpbi.releases.reading import Outcome, Reading

_BROUGHT = "noisy counts: brought"
_OF = "noisy: "  # what the settings of this page begin with
_JOINED, _NO_NAMES = "(joined)", "(none)"
_SIZES = {STANDARD_DEVIATIONS: stated.STANDARD_DEVIATION, VARIANCES: stated.VARIANCE, SCALES: stated.SCALE}
FIRST, BESIDE = 6, 8  # rows and columns of the cells that are shown
MANY, DRAWN = 40, 20  # categories from which on the largest ones are drawn, and how many
_MISFIT = 5.0
_ENTRIES = {
    "values": None, "labels": None, "noise column": None, "decimals": POINT, "stated": None, "law": None, "number": "",
    "sensitivity": "1", "floor": False, "total": said.FLAT, "n": "", "mean": "", "measured": "", "measured noise": "",
    "prior": prior.CHOICES[0], "strength": "1", "alphas": "",
}  # fmt: skip


@dataclass
class Brought:
    """A file or pasted cells, kept in the session until put away; guessed: the sheet that the columns were guessed
    of."""

    name: str
    data: bytes
    file: Opened | None = None
    guessed: str | None = None

    @property
    def is_release(self) -> bool:
        return bool(BRACKET.match(self.data)) and starts_as_json(self.data)


class Question(NamedTuple):
    """What is asked, and what goes with the answer. of: as ``answers`` take it; assumed, remarks: in words."""

    of: answers.Question
    labels: tuple[str, ...]
    values: tuple[float | None, ...]
    plain: np.ndarray[Any, np.dtype[np.float64]]
    assumed: Mapping[str, str]
    remarks: tuple[str, ...] = ()


def draw() -> None:
    brought: Brought | None = st.session_state.get(_BROUGHT)
    if brought is None:
        _bring()
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{words.escape(brought.name)}**", width="content")
        st.button("Discard it", on_click=_put_away)
    try:
        question = _of_release(brought) if brought.is_release else _of_table(brought)
        if question:
            with suppress(Cancelled):
                _show(brought, question)
    except ValueError as refusal:
        st.error(words.opened(refusal))


# --- what is brought ---


def _bring() -> None:
    st.markdown(said.PUBLISHED_ONLY)
    st.file_uploader(said.UPLOAD, key="noisy counts: file", on_change=_take, args=("noisy counts: file",),
                     help=said.UPLOAD_HELP)  # fmt: skip
    st.text_area(said.PASTE, key="noisy counts: cells", height=160, on_change=_take, args=("noisy counts: cells",))


def _take(key: str) -> None:
    given = st.session_state[key]
    _forget()
    st.session_state[_BROUGHT] = (Brought("pasted.txt", given.encode()) if isinstance(given, str) else
                                  Brought(given.name, given.getvalue()))  # fmt: skip


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
    return settings.choice(label, _OF + entry, options, format_func=lambda one: words.plain(options[one], 60),
                           placeholder="Choose", width=more.pop("width", 340), **more)  # fmt: skip


def _typed(label: str, entry: str, default: str = "", **more: Any) -> str:
    if _now(entry) is None:
        settings.keep(_OF + entry, default)
    return str(st.text_input(label, width=240, **more, **settings.entry(_OF + entry)) or "")


# --- a release of ours ---


def _of_release(brought: Brought) -> Question:
    found = answers.published(brought.data)
    release = found.release
    assumed = {
        "Mechanism": f"{name_of(release.mechanism)}, {release.guarantee.words}",
        "Total": f"known to be {release.n:,}",
        "Prior": readings.prior_words(release.prior),
        "Released": release.time,
    }
    return Question(brought.data, found.labels, tuple(map(float, release.released)), np.array(release.naive), assumed,
                    found.remarks)  # fmt: skip


# --- a table ---


def _of_table(brought: Brought) -> Question | None:
    """The question of the form as it stands; None where an answer is still to be given, which the page then says."""
    table, remarks = _opened(brought)
    left, right = st.columns([2, 3], gap="medium")
    with right:
        cells = _columns(table)
    with left:
        _first_rows(table)
        for remark in remarks:
            st.caption(words.escape(remark, words.SENTENCE_LENGTH))
    with right:
        marks, totals = _withheld(cells), _rows_of_totals(cells)
        law_of = _noise(table, cells)
        total, measured_here = _total(measured=said.MEASURED in totals.values())
        alpha_of = _prior()
    if law_of is None or marks is None or None in totals.values() or total is None:
        st.info(said.CHOOSE_NOISE)
        return None
    return _question(cells, marks, totals, law_of, total, measured_here, alpha_of)


def _opened(brought: Brought) -> tuple[Table, tuple[str, ...]]:
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
        brought.guessed = sheet
        _guess(table)
    return table, remarks


def _guess(table: Table) -> None:
    """What the headers say, as the entries begin with."""
    columns = guessed_columns(table)
    settings.keep(_OF + "values", columns.values)
    settings.keep(_OF + "labels", columns.labels[0] if columns.labels else _NO_NAMES)
    settings.keep(_OF + "noise column", columns.noise)
    settings.keep(_OF + "decimals", marks_of_decimals(table, columns)[0])
    settings.keep(_OF + "stated", said.COLUMN + _SIZES[columns.sizes] if columns.sizes else None)


def _first_rows(table: Table) -> None:
    shown = {words.escape(column.title, 24): [words.escape(cell, 24) for cell in column.cells[:FIRST]]
             for column in table.columns[:BESIDE]}  # fmt: skip
    st.table(shown, hide_index=True, border="horizontal", alt="The first rows as they stand in what was brought")
    st.caption(f"The first {min(FIRST, len(table.rows)):,} of {len(table.rows):,} rows.")


def _columns(table: Table) -> NoisyCells:
    """What each column is for, and the cells that come of it."""
    by_key = {key: column for column, key in table.keys.items()}
    titles = {key: column.title for key, column in by_key.items()}
    numeric = {key: titles[key] for key, column in by_key.items() if column.holds_numbers}
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
        decimals = read
        if doubtful:
            decimals = _choose(said.DECIMALS, "decimals", {POINT: "points: 1.234 is a little over 1",
                                                           COMMA: "commas: 1.234 is 1234"})  # fmt: skip
    return noisy_cells(table, columns, decimals or read)


def _withheld(cells: NoisyCells) -> dict[str, tuple[str, str]] | None:
    """By each mark what it means, and the threshold as typed; None where one is not said."""
    found: dict[str, tuple[str, str]] = {}
    for mark, many in Counter(mark for mark in cells.marks if mark is not None).items():
        t = threshold(mark)
        if t is not None and _now(f"mark {mark}") is None:
            settings.keep(_OF + f"mark {mark}", said.BELOW)
        with st.container(horizontal=True):
            meant = _choose(said.marks(mark, many), f"mark {mark}", said.WITHHELD, width=440)
            typed = ""
            if meant == said.BELOW:
                typed = _typed("Threshold", f"below {mark}", "" if t is None else str(t))
        found[mark] = meant, typed
    return None if any(meant is None for meant, _ in found.values()) else found


def _rows_of_totals(cells: NoisyCells) -> dict[int, str | None]:
    """What each row is that says it is a total."""
    return {i: _choose(f"The row {words.plain(cells.labels[i], 30)}", f"row {cells.labels[i]}", said.TOTALS, width=440)
            for i in cells.totals}  # fmt: skip


LawOf = Callable[[float | None, int | None], NoiseLaw]  # of a size in a column, and of a threshold


def _noise(table: Table, cells: NoisyCells) -> LawOf | None:
    """The law of a value's noise; None where something is not said."""
    numeric = sum(column.holds_numbers for column in table.columns)
    offered = {key: what for key, (what, _, _) in said.STATED.items() if numeric > 1 or not key.startswith(said.COLUMN)}
    with st.container(horizontal=True):
        how = _choose("The noise is stated as", "stated", offered, width=440)
        measure = str(how or "").removeprefix(said.COLUMN)
        _, label, help = said.STATED.get(how, ("", "", ""))
        number = sensitivity = ""
        if how and measure == how:
            number = _typed(label, "number", help=help)
        if how in said.SENSITIVITY:
            asked, meant = said.SENSITIVITY[how]
            sensitivity = _typed(asked, "sensitivity", "1", help=meant)
        law = None
        if how:
            fits = {key: one.called for key, one in stated.LAWS.items()
                    if stated.MEASURES[measure].fits(one) and not (one.whole and cells.fractional)}  # fmt: skip
            law = _choose(said.LAW, "law", fits, help=said.LAW_HELP)
    if how and how != measure:
        st.caption("Guessed from its header, as it stands here: look whether it is so.")
    _now("floor")
    floor = 0 if st.checkbox(said.FLOOR, **settings.entry(_OF + "floor")) else None
    if law is None or (how == measure and not number.strip()):
        return None
    given = entries.number(label, number) if how == measure else 0.0
    most = entries.number("The change by one person", sensitivity) if sensitivity else 1.0
    return lambda size, below: stated.stated_law(law, measure, given if size is None else size, most, floor, below)


def _total(*, measured: bool) -> tuple[Total | None, tuple[str, str] | None]:
    """The law of n, and a measured total with its noise, as typed; None for a law that is not said yet."""
    options = {key: what for key, what in said.TOTAL.items() if not (measured and key == said.NOISY)}
    with st.container(horizontal=True):
        choice = _choose("The total n, number of records", "total", options, width=440)
        if choice == said.KNOWN:
            typed = _typed("n", "n")
            return (check_total_law(entries.whole("n", typed, 1, limits.TOTAL_LARGEST)) if typed else None), None
        if choice == said.ABOUT:
            typed = _typed("n is about", "mean")
            return (Poisson(entries.number("n", typed)) if typed else None), None
        if choice == said.NOISY:
            value = _typed("Measured total", "measured")
            size = _typed("Its noise, stated as above", "measured noise", help="Empty: as that of the values.")
            return (Flat() if value else None), (value, size)
    if measured:
        st.caption(said.TOTAL_OF_ROW)
    return (LogUniform() if choice == said.LOG else Flat() if choice else None), None


def _prior() -> Callable[[int], tuple[float, ...]]:
    """The prior of k categories, as it is chosen."""
    with st.container(horizontal=True):
        choice = _choose("Prior", "prior", {**{rule: rule for rule in (*prior.RULES, prior.SYMMETRIC)},
                                            prior.CUSTOM: said.TYPED}, help=sidebar.PRIOR)  # fmt: skip
        if choice == prior.SYMMETRIC:
            strength = prior.check_parameter("strength", entries.number("strength", _typed("Strength", "strength", "1")))
            return lambda k: (strength,) * k
        if choice == prior.CUSTOM:
            _now("alphas")
            typed = entries.numbers("prior", str(st.text_area("Numbers, one per category, in their order",
                                                              **settings.entry(_OF + "alphas"))))  # fmt: skip
            return lambda k: tuple(prior.check_parameter("alpha", one) for one in entries.one_each("prior", typed, k))
    rule = prior.RULES[choice or prior.CHOICES[0]]
    return lambda k: (rule(k),) * k


def _question(
    cells: NoisyCells, marks: Mapping[str, tuple[str, str]], totals: Mapping[int, str | None], law_of: LawOf,
    total: Total, typed_total: tuple[str, str] | None, alpha_of: Callable[[int], tuple[float, ...]],
) -> Question:
    bounds = {mark: entries.whole("The threshold", typed, -limits.VALUE_LARGEST, limits.VALUE_LARGEST)
              for mark, (meant, typed) in marks.items() if meant == said.BELOW}  # fmt: skip
    of_published = next(iter(bounds.values())) if len({*bounds.values()}) == 1 else None
    laws = [law_of(cells.sizes[i] if cells.sizes else None, of_published if mark is None else bounds.get(mark))
            for i, mark in enumerate(cells.marks)]  # fmt: skip
    kept = [i for i, mark in enumerate(cells.marks)
            if totals.get(i) in (None, said.CATEGORY) and (mark is None or marks[mark][0] != said.OUT)]  # fmt: skip
    if len(kept) < 2:
        raise CountsError(f"2 categories at least are needed: {len(kept)} are left.")
    measured = _measured(cells, totals, laws, typed_total, law_of)
    labels = tuple(cells.labels[i] for i in kept)
    asked = Reading(alpha_of(len(kept)), tuple(cells.values[i] for i in kept), tuple(laws[i] for i in kept), total,
                    measured).checked(labels)  # fmt: skip
    withheld = [said.marks(mark, sum(cells.marks[i] == mark for i in kept)) + ": "
                + (f"below {bounds[mark]:,}" if meant == said.BELOW else said.WITHHELD[meant])
                for mark, (meant, _) in marks.items() if meant != said.OUT]  # fmt: skip
    assumed = {
        "Noise": readings.noise_words(asked.noise),
        "Total": readings.total_words(asked.total, asked.measured),
        "Prior": readings.prior_words(asked.prior),
        **({"Withheld": "; ".join(withheld)} if withheld else {}),
    }
    return Question(asked, labels, asked.values, asked.plain, assumed, _remarks(cells, asked))


def _measured(
    cells: NoisyCells, totals: Mapping[int, str | None], laws: Sequence[NoiseLaw], typed: tuple[str, str] | None,
    law_of: LawOf,
) -> tuple[float, NoiseLaw] | None:
    rows = [i for i, meant in totals.items() if meant == said.MEASURED]
    if len(rows) > 1:
        raise CountsError("one total alone can be measured: leave the other rows out.")
    if rows:
        value = cells.values[rows[0]]
        if value is None:
            raise CountsError("the measured total was withheld: leave its row out.")
        return value, laws[rows[0]]
    if typed is None:
        return None
    value, size = typed
    if not size.strip() and cells.sizes:
        raise CountsError("the noise of the measured total must be given, as each row has its own.")
    own = entries.number("The noise of the measured total", size) if size.strip() else None
    return entries.number("The measured total", value), law_of(own, None)


def _remarks(cells: NoisyCells, asked: Reading) -> tuple[str, ...]:
    """What the values look like, where that is not what they should be."""
    published = [value for value in asked.values if value is not None]
    found = []
    if not published:
        found.append(said.ALL_WITHHELD)
    elif not cells.said and not any(value < 0 or value % 1 for value in published) and len(published) == len(asked.values):
        found.append(said.LOOKS_TRUE)
    if published and isinstance(asked.total, Known) and math.fsum(published) == asked.total.n:
        found.append(said.SUMS_TO_N)
    return tuple(found)


# --- what follows ---


def _show(brought: Brought, question: Question) -> None:
    for remark in question.remarks:
        st.warning(remark if isinstance(question.of, Reading) else words.escape(remark, words.SENTENCE_LENGTH))
    k = len(question.labels)
    place = st.container()
    seed = entries.whole("seed", settings.get("seed"), 0, entries.SEED_LARGEST)
    with whole("noisy counts", (question.of, seed), 4, "steps") as current:
        refusal: ValueError | None = None
        try:
            current.ask(answers.posterior, question.of)
            moments = current.ask(answers.moments, question.of)
            ranking = current.ask(answers.ranking, question.of, seed)
            best = int(ranking.first.argmax())
            intervals = {best: current.ask(answers.interval, question.of, best)}
        except ValueError as refused:
            refusal = refused
    if refusal:
        raise refusal
    exact = answers.posterior(question.of)
    total = getattr(exact, "total", None)
    found = Outcome(
        brought.name, question.labels, question.values, question.plain, question.assumed, moments.mean, moments.sd,
        moments.counts, intervals, ranking, seed, total if total is not None and total.probability.size > 1 else None,
        getattr(exact, "n", None) if total is None else total.first, getattr(exact, "error", None), question.remarks,
    )  # fmt: skip
    with place:
        st.header("What follows")
        st.markdown(said.answer(found))
        if moments.misfit > _MISFIT and isinstance(question.of, Reading):
            st.warning(said.misfit(moments.misfit, _reasons(question.of)))
        places = _places(found)
    with work("intervals", (question.of, places), len(places), "intervals") as current, suppress(Cancelled):
        for i in places:
            intervals[i] = current.ask(answers.interval, question.of, i)
    seen = downloads.Shown({"Read": words.plain(found.name), **found.assumed, "Seed": seed}, said.about(found))
    with downloads.collected(seen):
        _pictures(replace(found, intervals=dict(intervals)), [i for i in places if i in intervals])
        _take_away(brought, question, replace(found, intervals=dict(intervals)), seen, k)


def _reasons(asked: Reading) -> list[str]:
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
    st.header("Who is first")
    ranked = sorted(places, key=lambda i: -found.mean[i])
    charts.draw(pictures.ranks(found, ranked), "ranks")
    st.text_input("Seed of the draws", width=200, help=sidebar.SEED, **settings.entry("seed"))
    st.header("The table")
    tables.draw(data.noisy_counts(found, [int(i) for i in found.order[:data.CATEGORIES_SHOWN]]),
                lambda: data.noisy_counts(found, range(len(found.labels))))  # fmt: skip
    if len(found.labels) > len(places):
        st.caption(said.INTERVALS_SHOWN)


def _take_away(brought: Brought, question: Question, found: Outcome, seen: downloads.Shown, k: int) -> None:
    of = question.of if isinstance(question.of, Reading) else None
    program = script.of_noisy_counts(of, found)
    files = {"reading.json": readings.reading_json(found), "statement.md": readings.reading_markdown(found),
             "script.py": program}  # fmt: skip
    page = menu.page("Read noisy counts")
    with st.container(horizontal=True, gap="small"):
        downloads.offer("Numbers (JSON)", lambda: files["reading.json"].encode(), "dpbi-reading.json", "application/json")
        downloads.offer("Statement (Markdown)", lambda: files["statement.md"].encode(), "dpbi-reading.md",
                        "text/markdown")  # fmt: skip
        downloads.offer("Report (ZIP)", lambda: report.zip_bytes(
            page, seen, {name: text.encode() for name, text in files.items()}, readings.NOTHING_PRIVATE),
            "dpbi-read-noisy-counts.zip", "application/zip")  # fmt: skip
    with folds.fold("Copy as Python") as opened_:
        if opened_:
            st.caption(said.SCRIPT)
            st.code(program, language="python")
