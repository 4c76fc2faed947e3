"""A table of counts: what several groups of people answered to several questions, read from one file at once."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any

from dpbi import limits
from dpbi.data.files import vocabulary
from dpbi.data.files.form import ABOVE, ADDED, COUNTS, RAW, WIDE, Form, Key, Understanding
from dpbi.data.files.outcome import Counts, CountsError, CountsQuestion, Doubt, listed, shown
from dpbi.data.files.public_list import MISSING, OTHER
from dpbi.data.files.reading import Opened, Understood, letting_go, opened, selected, table_in, understood
from dpbi.data.files.roles import asks_the_same_people, names_questions
from dpbi.data.files.table import JOIN, Column, Table, are_years, filled, is_outer, joined, one_line
from dpbi.data.labels import visible

GROUPS_LARGEST, QUESTIONS_LARGEST = 500, 200
EVERYBODY = ""  # the name of the only group where people are not in groups
_DISJOINT = (
    "Groups are different people. Where the size of every group is public and everybody stays in theirs, releases of "
    "all groups about one question cost together what the dearest of them costs. Where it is private who is in which "
    "group, the sizes tell it: release the question as one table then."
)
_SAME = "The questions were asked of the same people, so what their releases cost adds up."


@dataclass(frozen=True)
class CountTable:
    """Counts of groups x questions. Made by ``read_tables``, or by ``CountTable.of``. Validated: ValueError.

    groups: G names, public, of disjoint groups of people; ("",) where there are none. questions: Q titles, asked of
    the same people. counts: for each question one Counts a group, all with the same labels. warnings: sentences for
    the person who brought the file. silent: for each question how many of each group gave no answer and are in no
    count; () where that is not known, as of rows of counts. groups_found,
    categories_found (titles): whether the list was found in the data, which then is not protected.
    """

    groups: tuple[str, ...]
    questions: tuple[str, ...]
    counts: tuple[tuple[Counts, ...], ...]
    warnings: tuple[str, ...] = ()
    silent: tuple[tuple[int, ...], ...] = ()
    groups_found: bool = False
    categories_found: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for what, names, most in (("groups", self.groups, GROUPS_LARGEST),
                                  ("questions", self.questions, QUESTIONS_LARGEST)):  # fmt: skip
            if not 1 <= len(names) <= most:
                raise ValueError(f"A table has 1 to {most} {what}: got {len(names):,}.")
            if again := [name for name, times in Counter(names).items() if times > 1]:
                raise ValueError(f"{what} must have different names: {limits.shown(again[0])} comes again.")
        for name, rows in (("counts", self.counts), ("silent", self.silent or self.counts)):
            if len(rows) != len(self.questions) or any(len(row) != len(self.groups) for row in rows):
                raise ValueError(f"{name} must have a row for each question, and in it one entry for each group.")
        for question, row in zip(self.questions, self.counts, strict=True):
            if len({one.labels for one in row}) > 1:
                raise ValueError(f"The groups must have the same categories of {limits.shown(question)}.")

    @staticmethod
    def of(groups: Sequence[str], questions: Mapping[str, Mapping[str, Sequence[int]]]) -> CountTable:
        """From numbers: for each question the counts of each category, one a group, in the order of the groups."""
        names = limits.sequence("groups", groups, "of names", GROUPS_LARGEST) or (EVERYBODY,)
        rows = []
        for title, of in questions.items():
            labels = tuple(of)
            limits.between("the number of categories", len(labels), limits.CATEGORIES_LEAST, limits.CATEGORIES_LARGEST)
            columns = [limits.sequence(f"the counts of {label}", of[label], "of one a group") for label in labels]
            if any(len(column) != len(names) for column in columns):
                raise ValueError(f"{title}: each category must have {len(names)} counts, one for each group.")
            rows.append(tuple(
                Counts(labels, tuple(limits.whole_number("a count", column[g], 0, limits.TOTAL_LARGEST)
                                     for column in columns), (), (), COUNTS, (), (), None)
                for g in range(len(names))))  # fmt: skip
        return CountTable(names, tuple(questions), tuple(rows))

    def cell(self, question: str, group: str = EVERYBODY) -> Counts:
        """The counts of one group's answers to one question. Raises ValueError where the table has no such cell."""
        limits.one_of("question", question, self.questions)
        limits.one_of("group", group, self.groups)
        return self.counts[self.questions.index(question)][self.groups.index(group)]

    def labels(self, question: str) -> tuple[str, ...]:
        """The categories of a question, the same in every group."""
        return self.cell(question, self.groups[0]).labels

    @cached_property
    def answered(self) -> tuple[tuple[int, ...], ...]:
        """For each question the number n of each group that answered it: public, once anything is released."""
        return tuple(tuple(sum(one.counts) for one in row) for row in self.counts)

    @property
    def answered_only(self) -> bool:
        """Whether somebody who gave no answer to a question is in no count of it, as far as that is known."""
        return any(map(any, self.silent)) or any(len(set(of)) > 1 for of in zip(*self.answered, strict=True))

    @property
    def privacy(self) -> tuple[str, ...]:
        """How the privacy of its releases composes, in sentences."""
        return (*((_DISJOINT,) if len(self.groups) > 1 else ()), *((_SAME,) if len(self.questions) > 1 else ()))


@letting_go()
def read_tables(
    data: bytes, filename: str, *, by: Key | Sequence[Key] | None = None,
    questions: Sequence[Key] | Mapping[str, Key | Sequence[Key]] | None = None, question_column: Key | None = None,
    groups: Sequence[str] | None = None, categories: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
    **said: Any,
) -> CountTable:
    """Counts c_qgi of people of group g whose answer to question q is category i, from one file, opened once.

    Each question is read as by ``read_counts`` over all groups, then each group with the categories found there, so
    that a group in which nobody gave an answer has its count 0.
    data, filename: as for ``read_counts``.
    by: the column or columns that name the groups; None: everybody is one group.
    questions: of people's rows the columns, each a question; of counts the columns of counts: {title: column or
      columns}, or a list of headers. With question_column the titles that are read, in this order; of a file with one
      question its title.
    question_column: the column that names the question, where each row has the answer, or the count, of one question.
    groups: the public list of groups; a group on it that the file lacks has no people; others are refused.
    categories: the public list of categories, of all questions or {title: list}.
    said: entries of the form of ``read_counts``. missing: "keep" is recommended, since n is public: who did not answer
      is then a category, "(missing)". group: "(all, added up)" where rows of a group that another column tells apart
      are to be added.
    Returns CountTable: groups, questions, counts, warnings; ``answered`` (n), ``privacy`` (sentences).
    Raises CountsError and CountsQuestion as ``read_counts``; read_tables(data, filename, **question.suggested) goes on.
    Source: ours; which records neighbours may differ in is [P17] section 3.
    """
    own = {"by": by, "questions": questions, "question_column": question_column, "groups": groups,
           "categories": categories}  # fmt: skip
    # The lists are those of questions, and checked there; unlisted= goes with any
    form = replace(Form.checked(said | {"categories": None if categories is None else ()}), categories=None)
    for entry in ("group_column", "chosen"):
        if getattr(form, entry) is not None:
            raise CountsError(f"{entry}= is for one question of one group; a table takes "
                              f"{'by=' if entry == 'group_column' else 'every answer as a category'}.", entry=entry)
    if by is not None and form.group not in (None, ADDED):
        raise CountsError(f"group: with by= every group is read: it can only be {shown(ADDED)}.", entry="group")
    reader = _Reader(opened(data, filename, form), form, own)
    first = [reader.over_all_groups(asked) for asked in reader.asked]
    reader.refuse(first)
    return reader.table_of(first)


@dataclass(frozen=True)
class _Asked:
    """A question: its title, the rows that answer it, and the entries that name its columns."""

    title: str
    content: Opened
    columns: dict[str, Any]

    @property
    def table(self) -> Table:
        assert isinstance(self.content.content, Table)  # made so
        return self.content.content


class _Reader:
    """One file on its way to a table. own: what was said beside the form."""

    def __init__(self, file: Opened, form: Form, own: Mapping[str, Any]) -> None:
        self.form, self.own = form, own
        self.by = _keys("by", own["by"])
        self.doubts: list[Doubt] = []  # of what the form has no entry for
        before = Understanding(form, {**file.form.entries}, [*file.form.doubts], [*file.form.remarks])
        table = table_in(file, before)
        self.question_column = self._question_column(table)
        if self.question_column is not None:
            before.said = replace(form, only=form.only or ())  # else one question would be chosen
        table = selected(table, before)
        # What opening and these two have settled is not settled again, of rows that are no longer there
        self.base = replace(form, header_row=None, only=(), leave_out=None if form.leave_out is None else ())
        self.content = replace(file, content=table, form=before)
        self.table = table
        parts = [] if self.question_column is None else [*self._one_a_row(self.question_column)]
        self.layout = self._layout(parts[0].content if parts else self.content)
        self.asked = parts or [*self._asked()]
        if self.by:
            self._refuse_alike(self._found(self.by, "by"))
        if self.layout == RAW and self.by:
            self.group_of = dict(zip(table.rows, joined([of.cells for of in self._found(self.by, "by")]), strict=True))
            self.asked = [replace(one, content=self._without(self._found(self.by, "by"), one)) for one in self.asked]

    def _refuse_alike(self, by: Sequence[Column]) -> None:
        """Different entries of several columns whose names run together to the same one."""
        entries = {*zip(*([*map(one_line, filled(column, self.table.texts))] for column in by), strict=True)}
        names = Counter(JOIN.join(filter(None, entry)) for entry in entries)
        if alike := [name for name, times in names.items() if times > 1]:
            raise CountsError(f"by: different groups would both be called {shown(alike[0])}; name the groups "
                              "otherwise, or put their names in one column.", entry="by")  # fmt: skip

    @staticmethod
    def _without(columns: Sequence[Column], asked: _Asked) -> Opened:
        """Of people's rows, in which the names of groups are no answers, and rows that are blank were left out."""
        of = {column.position for column in columns}
        if not (left := [column for column in asked.table.columns if column.position not in of]):
            raise CountsError("by: no column is left for the answers.", entry="by")
        return replace(asked.content, content=replace(asked.table, columns=left, blank_rows=0))

    def _question_column(self, table: Table) -> Key | None:
        """As said; else a column that is named like one, which is asked."""
        if (said := self.own["question_column"]) is not None:
            return table.found(said, "question_column").position
        named = {*self.by, *(self.form.column or ()), *(self.form.category_column or ())}
        named |= {key for of in _columns_of(self.own["questions"]).values() for key in of}
        for column in table.columns if len(table.columns) > 1 + len(self.by) else ():
            if (column.says(vocabulary.QUESTIONS) and column.repeats and not {column.name, column.position} & named
                    and not re.search(r"\d", column.name) and not column.may_hold_counts):  # fmt: skip
                return self._guessed_questions(column, "which were asked of the same people")
        if self.form.layout == RAW:
            return None
        counts = [column for column in table.columns if column.may_hold_counts and not (
            column.has_fractions or column.is_identifier or are_years(column.sample))]  # fmt: skip
        texts = [column for column in table.texts if column.distinct > 1]
        by = [table.found(key, "by") for key in self.by]
        for column in texts if counts else ():
            asked = column not in by and not {column.name, column.position} & named
            if asked and names_questions(column, by or texts, counts):
                return self._guessed_questions(column, "as they add to the same number in every group")
        return None

    def _guessed_questions(self, column: Column, why: str) -> Key:
        self.doubts.append(Doubt("question_column", column.title, f"{column.label} may name the questions, {why}: each "
                                 "is read apart."))  # fmt: skip
        return column.position

    def _layout(self, content: Opened) -> str:
        """What each row is, the same for all questions; that it is guessed is asked."""
        found = understood(content, replace(self.base, **self._added_up()))
        if found.roles is None:
            raise found.refusal or CountsError("nothing was read.")
        if not self.base.layout:
            content.form.doubts += [doubt for doubt in found.form.open if doubt.entry == "layout"]
        self.roles = found.roles
        return found.roles.layout

    def _added_up(self) -> dict[str, Any]:
        """The entries that add up all groups, which are of different people."""
        if not self.by:
            return {}
        return {"group_column": tuple(column.position for column in self._found(self.by, "by")), "group": ADDED}

    def _found(self, keys: Sequence[Key], entry: str) -> list[Column]:
        return [self.table.found(key, entry) for key in keys]

    # The questions

    def _asked(self) -> Iterator[_Asked]:
        said = self.own["questions"]
        entry = "column" if self.layout == RAW else "count_column"
        if said is None and self.layout == RAW and self.form.column is None:
            if not (said := [column.position for column in self._like_answers()]):
                raise CountsError("by: no column is left for the answers.", entry="by")
            labels = listed([self.table.found(key, "questions").label for key in said])
            names = [self.table.keys[self.table.found(key, "questions")] for key in said]
            self.doubts.append(Doubt("questions", names, f"Each row is one person: {labels} may answer questions."))
        elif said is None:
            named = self.roles.categories[0].title if self.roles.categories else "The counts"
            yield _Asked(named, self.content, {})
            return
        of, groups = _columns_of(said), self._found(self.by, "by")
        for title, keys in of.items():
            if both := [column for column in groups if {column.name, column.position} & {*keys}]:
                raise CountsError(f"questions: {both[0].label} names the groups, and cannot be a question too.",
                                  entry="questions")  # fmt: skip
            if self.layout == WIDE and len(keys) < 2 and (len(of) > 1 or self._has(keys)):
                raise CountsError("questions: where a row has a column of counts per category, a question has several "
                                  "columns: questions={'title': [columns]}.", entry="questions")  # fmt: skip
            alone = len(of) == 1 and not isinstance(said, Mapping) and self.layout != RAW and not self._has(keys)
            found = () if alone else tuple(column.position for column in self._found(keys, "questions"))
            yield _Asked(self._title(title), self.content, {entry: found} if found else {})

    def _like_answers(self) -> list[Column]:
        """The columns that people's answers may stand in, of which the best is one."""
        by = self._found(self.by, "by")
        free = [column for column in self.table.columns if column not in by]
        return [column for column in free if 1 < column.distinct < len(column.sample) and not (
            column.is_identifier or column.holds_times or column.holds_numbers)] or free[:1]  # fmt: skip

    def _title(self, key: Key) -> str:
        return one_line(key) if isinstance(key, str) else self.table.found(key, "questions").title

    def _has(self, keys: Sequence[Key]) -> bool:
        return any(key in (column.name, column.position) for key in keys for column in self.table.columns)

    def _one_a_row(self, key: Key) -> Iterator[_Asked]:
        column, said = self.table.found(key, "question_column"), self.own["questions"]
        titles = joined([filled(column, self.table.texts)])
        different = [*dict.fromkeys(filter(None, titles))]
        if "" in titles:
            raise CountsError(f"{column.label} names no question.", self.table.rows[titles.index("")])
        if isinstance(said, Mapping):
            raise CountsError("questions: with question_column= it lists titles.", entry="questions")
        wanted = different if said is None else [one_line(str(key)) for key in _keys("questions", said)]
        for title in wanted:
            if title not in different:
                raise CountsError(f"questions: no row asks {shown(title)}; there are "
                                  f"{listed(list(map(shown, different)), 12)}.", entry="questions")  # fmt: skip
            part = self.table.kept([i for i, one in enumerate(titles) if one == title])
            part.columns = [one for one in part.columns if one.position != column.position]
            if not part.columns:
                raise CountsError("question_column: no column is left for the answers.", entry="question_column")
            yield _Asked(title, replace(self.content, content=part), {})
        if left := [shown(title) for title in different if title not in wanted]:
            self.content.form.remark(f"Questions that were not read: {listed(left)}.")

    # Over all groups

    def over_all_groups(self, asked: _Asked) -> Understood:
        """A question as everybody answered it: its categories, and all that is doubtful."""
        by = self._added_up() if self.layout != RAW else {}
        listed_names = self._categories(asked.title)
        return understood(asked.content, replace(self.base, layout=self.layout, categories=listed_names,
                                                 **asked.columns, **by))  # fmt: skip

    def _categories(self, title: str) -> tuple[str, ...] | None:
        said = self.own["categories"]
        if isinstance(said, Mapping):
            if unknown := [key for key in said if key not in [one.title for one in self.asked]]:
                raise CountsError(f"categories: there is no question {shown(str(unknown[0]))}.", entry="categories")
            said = said.get(title)
        if said is None:
            return None
        listed_names = limits.sequence("categories", said, "of names", limits.CATEGORIES_LARGEST)
        return Form.checked({"categories": listed_names}).categories

    def refuse(self, first: Sequence[Understood]) -> None:
        """Raises what any question's reading comes to that is no counts, all doubts at once."""
        by = self._found(self.by, "by")
        for found in first:
            if found.wrong and found.refusal:
                raise found.refusal
            if both := [column for column in found.roles.categories if column in by] if found.roles else []:
                raise CountsError(f"by: {both[0].label} names the groups, and no column is left for the categories; "
                                  "where each has a column of its own, layout='wide'.", entry="by")  # fmt: skip
        doubts = [*self.doubts, *chain.from_iterable(found.form.open for found in first)]
        if self.layout == RAW and self.form.missing is None:
            doubts += self._silent(first)
        elif self.layout != RAW and self.form.group != ADDED:
            doubts += self._told_apart(first)
        if doubts:
            of_table = {(doubt.entry, doubt.reason): self._own(doubt) for doubt in doubts}
            raise CountsQuestion([*of_table.values()], self._suggested(first, [*of_table.values()]))
        for found in first:
            if found.counts is None:
                raise found.refusal or CountsError("nothing was read.")

    def _silent(self, first: Sequence[Understood]) -> Iterator[Doubt]:
        short = [f"{shown(asked.title)} ({missing:,})" for asked, found in zip(self.asked, first, strict=True)
                 if found.counts and (missing := len(asked.table.rows) - sum(found.counts.counts)) > 0]  # fmt: skip
        if short:
            yield Doubt("missing", "keep", f"Not everybody answered {listed(short)}. As n is public, who answered is "
                        f"not protected where they are left out (drop): count them as the category {shown(MISSING)} "
                        "(keep).")  # fmt: skip

    def _told_apart(self, first: Sequence[Understood]) -> Iterator[Doubt]:
        """Where a group has several rows of a category that an unread column tells apart: of other questions?"""
        for asked, found in zip(self.asked, first, strict=True):
            if not (roles := found.roles):
                continue
            of = [*roles.categories, *roles.groups]
            sides = asked.table.texts
            once = joined([filled(column, sides) for column in of]) if of else [""] * len(asked.table.rows)
            kept = [i for i, row in enumerate(asked.table.rows) if row not in found.form.left_out]
            if len({once[i] for i in kept}) == len(kept):
                continue
            for column in self._unread(asked, found):
                apart = joined([once, column.cells])
                side = column in sides or are_years(column.sample)
                if not side or len({apart[i] for i in kept}) < len(kept):
                    continue
                if asks_the_same_people(column, roles.groups, roles.counts):
                    yield Doubt("question_column", column.title, f"{column.label} tells rows apart whose counts add to "
                                "about the same number: it may name questions that the same people were asked. Each is "
                                "read apart.")  # fmt: skip
                else:
                    yield Doubt("by", [*self.by, column.title], f"{column.label} tells rows apart that would be added "
                                "up: it may be part of what names the groups. Add them up only where nobody is in "
                                "two of them.")  # fmt: skip

    def _own(self, doubt: Doubt) -> Doubt:
        """A doubt in the words of a table, whose columns of groups are by."""
        if doubt.entry not in ("group", "group_column"):
            return doubt
        return replace(doubt, entry="by", guess=[column.title for column in self.roles.groups])

    def _suggested(self, first: Sequence[Understood], doubts: Sequence[Doubt]) -> dict[str, Any]:
        written = Understanding(self.form).suggested
        now = {name: value for name, value in (written | dict(self.own)).items() if value is not None}
        now |= {doubt.entry: doubt.guess for doubt in reversed(doubts) if doubt.guess is not None}
        now.pop("leave_out", None)
        out = {row for found in first for row, why in found.form.left_out.items() if why != ABOVE}
        out |= set(self.form.leave_out or ())
        return now | {"leave_out": tuple(sorted(out))} if out or self.form.leave_out is not None else now

    def _unread(self, asked: _Asked, found: Understood) -> list[Column]:
        """The columns that say nothing here."""
        roles = found.roles or self.roles
        read = {column.position for column in (*roles.categories, *roles.counts, *roles.groups,
                                               *self._found(self.by, "by"))}  # fmt: skip
        return [column for column in asked.table.columns if column.position not in read and not column.is_blank]

    # Each group

    def table_of(self, first: Sequence[Understood]) -> CountTable:
        """Every group of every question, with the categories that were found over all groups."""
        keys = [self._keys_of(asked, found) for asked, found in zip(self.asked, first, strict=True)]
        name_of = self._groups(list(dict.fromkeys(key for of in keys for key in of if key is not None)))
        own: dict[str, list[str]] = {}
        for key, name in name_of.items():
            own.setdefault(name, []).append(key)
        counts, silent = [], []
        for asked, found, of in zip(self.asked, first, keys, strict=True):
            rows_of: dict[str | None, list[int]] = {}
            for i, one in enumerate(of):
                rows_of.setdefault(one, []).append(i)
            counts.append(tuple(self._cell(asked, found, of, {key: rows_of[key] for key in own[name] if key in rows_of})
                                for name in own))  # fmt: skip
            people = [sum(len(rows_of.get(key, ())) for key in own[name]) for name in own]
            silent.append(tuple(n - sum(one.counts) for n, one in zip(people, counts[-1], strict=True)))
        titles, names = tuple(asked.title for asked in self.asked), tuple(own)
        try:
            return CountTable(names, titles, tuple(counts), self._warnings(first, counts, names),
                              tuple(silent) if self.layout == RAW else (), bool(self.by) and self.own["groups"] is None,
                              tuple(title for title in titles if self._categories(title) is None))  # fmt: skip
        except ValueError as refusal:
            raise CountsError(str(refusal)) from None

    def _keys_of(self, asked: _Asked, found: Understood) -> list[str | None]:
        """The group of each row, None for those that are left out."""
        table = asked.table
        if not self.by:
            keys = [EVERYBODY] * len(table.rows)
        elif self.layout == RAW:
            keys = [self.group_of[row] or MISSING for row in table.rows]
        else:
            keys = list(found.roles.keys) if found.roles else []
        out = found.form.left_out
        kept = [None if row in out else key for row, key in zip(table.rows, keys, strict=True)]
        if self.by and "" in kept:
            raise CountsError("names no group; leave it out if it is a total or a note.", table.rows[kept.index("")])
        return kept

    def _groups(self, found: Sequence[str]) -> dict[str, str]:
        """The name of the group of each key, all names on the public list among them."""
        said = self.own["groups"]
        if said is None:
            return {key: key for key in found}
        if not self.by:
            raise CountsError("groups= is the list of the groups that by= names; there is none.", entry="groups")
        wanted = tuple(one_line(limits.check_name("groups", name, limits.UPLOAD_LABEL_CHARACTERS_LARGEST))
                       for name in limits.sequence("groups", said, "of names", GROUPS_LARGEST))  # fmt: skip
        folded = Counter(map(str.casefold, wanted))
        by_case = {name.casefold(): name for name in wanted if folded[name.casefold()] == 1}
        named = {key: key if key in wanted else by_case.get(key.casefold(), "") for key in found}
        if outside := [shown(key) for key, name in named.items() if not name]:
            raise CountsError(f"{listed(outside)}: not on the list of groups; add what is missing to the list, or "
                              "leave the rows out.", entry="groups")  # fmt: skip
        spelled = {name: [key for key, of in named.items() if of == name] or [name] for name in wanted}
        return {key: name for name, keys in spelled.items() for key in keys}

    def _cell(self, asked: _Asked, found: Understood, keys: Sequence[str | None],
              rows_of: Mapping[str, Sequence[int]]) -> Counts:  # fmt: skip
        """The counts of the rows of these keys; keys: of all rows."""
        assert found.counts  # else it was refused
        labels, own = found.counts.labels, [*rows_of]
        counts = dict.fromkeys(labels, 0)
        if self.layout == RAW:
            answers = found.roles.categories if found.roles else []
            rows = sorted(chain.from_iterable(rows_of.values()))
            # What else a row holds is read with all groups; here it would take ten times as long
            alone = replace(asked, content=replace(asked.content, content=replace(asked.table, columns=[
                column for column in asked.table.columns if column in answers])))  # fmt: skip
            columns = tuple(column.position for column in answers)
            parts = [self._part(alone, found, rows, {"column": columns})] if rows else []
        else:
            parts = [self._part(asked, found, self._rows_of(key, keys, asked, found), self._as_read(found, key))
                     for key in own]  # fmt: skip
        for part in parts:
            if part.counts is None:
                raise CountsError(f"{asked.title}, {listed(list(map(shown, own)))}: {part.refusal}")
            if part.counts.labels != labels:
                raise CountsError(f"{asked.title}: the categories of {listed(list(map(shown, own)))} are not those of "
                                  "all groups; give the public list of categories.")  # fmt: skip
            for label, count in zip(labels, part.counts.counts, strict=True):
                counts[label] += count
        return replace(found.counts, counts=tuple(counts.values()), warnings=(), form=())

    @staticmethod
    def _rows_of(key: str, keys: Sequence[str | None], asked: _Asked, found: Understood) -> list[int]:
        """The rows of a group; all that are read, where a name may stand above rows of another group."""
        named = [*found.roles.categories, *found.roles.groups] if found.roles else []
        above = any(is_outer(column, asked.table.texts) for column in named)
        return [i for i, one in enumerate(keys) if one == key or (above and one is not None)]

    def _part(self, asked: _Asked, found: Understood, rows: Sequence[int], entries: dict[str, Any]) -> Understood:
        assert found.counts
        labels = found.counts.labels
        said = replace(
            self.base, layout=self.layout, leave_out=(), categories=labels, confirm_percentages=True,
            unlisted="other" if OTHER in labels else None, missing=found.form.entries.get("missing"), **entries,
        )  # fmt: skip
        content = replace(asked.content, content=asked.table.kept(rows), form=Understanding(said))
        return understood(content, said)

    def _as_read(self, found: Understood, key: str) -> dict[str, Any]:
        """The roles and the marks that were settled over all groups, of one of them."""
        assert found.roles
        entries: dict[str, Any] = {
            "count_column": tuple(column.position for column in found.roles.counts),
            "group_column": tuple(column.position for column in found.roles.groups) if self.by else (),
            "group": key if self.by else ADDED,
            "thousands": found.form.entries.get("thousands"),
        }
        if self.layout == COUNTS:
            entries["category_column"] = tuple(column.position for column in found.roles.categories)
        return entries

    # Warnings

    def _warnings(
        self, first: Sequence[Understood], counts: Sequence[Sequence[Counts]], groups: Sequence[str]
    ) -> tuple[str, ...]:
        of: dict[str, list[str]] = {}
        for asked, found in zip(self.asked, first, strict=True):
            for remark in found.form.remarks:
                of.setdefault(remark, []).append(shown(asked.title))
        said = [one if len(titles) == len(first) else f"Of {listed(titles, 4)}: {one}" for one, titles in of.items()]
        unread = [{column.label for column in self._unread(asked, found)}
                  for asked, found in zip(self.asked, first, strict=True)]  # fmt: skip
        if left := [column.label for column in self.table.columns if all(column.label in one for one in unread)]:
            said.append(f"Columns that were not read: {listed(left)}.")
        if self.by and self.own["groups"] is None:
            said.append("The groups were found in the data, so the list of them is not protected: give it in full if "
                        "you can.")  # fmt: skip
        spelled: dict[str, list[str]] = {}
        for name in groups:
            spelled.setdefault(unicodedata.normalize("NFKC", visible(name)).casefold(), []).append(name)
        for names in (names for names in spelled.values() if len(names) > 1):
            told = listed([shown(name) if visible(name) == name else ascii(name) for name in names])
            said.append(f"Groups differ only by case, or by what is not seen ({told}): spell them alike, or give the "
                        "list of groups, to merge them.")  # fmt: skip
        sizes = [[sum(one.counts) for one in row] for row in counts]
        if uneven := [g for g in range(len(groups)) if len({row[g] for row in sizes}) > 1]:
            where = f" of {shown(groups[uneven[0]])}" if self.by else ""
            numbers = listed([f"{row[uneven[0]]:,}" for row in sizes], 4)
            said.append(f"The questions were answered by different numbers{where} ({numbers}), which are public: count "
                        "who did not answer as a category to protect that.")  # fmt: skip
        if empty := [shown(groups[g]) for g in range(len(groups)) if self.by and not any(row[g] for row in sizes)]:
            said.append(f"Nobody is in {listed(empty)}: their posterior equals the prior.")
        return tuple(dict.fromkeys(said))


def _columns_of(questions: Any) -> dict[Any, tuple[Key, ...]]:
    """The columns of each question by its title, as they are said."""
    said = questions if isinstance(questions, Mapping) else {key: key for key in _keys("questions", questions)}
    if questions is not None and not (said and all(isinstance(keys, str | int) or keys for keys in said.values())):
        raise CountsError("questions must name one column at least of each question, and one question.",
                          entry="questions")  # fmt: skip
    return {title: _keys("questions", keys) for title, keys in said.items()}


def _keys(entry: str, value: Any) -> tuple[Key, ...]:
    """Columns as they are said: headers, or positions from 1."""
    if value is None:
        return ()
    try:
        several = not isinstance(value, str | int)
        keys = limits.sequence(entry, value, "of headers", limits.UPLOAD_COLUMNS_LARGEST) if several else (value,)
        return Form.checked({"group_column": keys}).group_column or ()
    except ValueError as refusal:
        raise CountsError(str(refusal).replace("group_column", entry), entry=entry) from None
