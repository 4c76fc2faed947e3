"""The answers a person has given about a file, checked once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from dpbi import limits

from .outcome import CountsError, CountsQuestion, UnknownAnswer, listed, shown

CHOICES: dict[str, tuple[Any, ...]] = {
    "layout": ("counts", "wide", "raw"),
    "total_row": ("drop", "keep"),
    "thousands": (".", ",", " ", "'", "", "lakh", "myriad"),
    "confirm_percentages": (True, False),
    "missing": ("drop", "keep"),
    "unlisted": ("other", "refuse"),
    "unit": ("person", "category"),
    "cells": ("row", "column", "group", "all", "row sums", "column sums", "group sums"),
    "hidden": ("drop", "keep"),
    "second_header": ("drop", "keep"),
}
LAYOUT_OF = {
    "column": "raw", "category_column": "counts", "count_column": "counts", "missing": "raw", "chosen": "raw",
    "row": "wide", "group": "counts",
}  # fmt: skip
COLUMNS = ("column", "category_column", "count_column")


@dataclass(frozen=True)
class Answers:
    """One field per answer, None where it was not given. A column is a header or a position, from 1."""

    layout: str | None = None
    column: str | int | None = None
    category_column: str | int | None = None
    count_column: str | int | None = None
    sheet: str | None = None
    header_row: int | None = None
    total_row: str | None = None
    thousands: str | None = None
    confirm_percentages: bool | None = None
    missing: str | None = None
    categories: tuple[str, ...] | None = None
    unlisted: str | None = None
    unit: str | None = None
    row: str | None = None
    cells: str | None = None
    group: str | None = None
    hidden: str | None = None
    second_header: str | None = None
    skip_rows: int | None = None
    skip_footer: int | None = None
    chosen: str | None = None

    @classmethod
    def checked(cls, given: Mapping[str, Any]) -> Answers:
        known = [field.name for field in fields(cls)]
        for name, value in given.items():
            if name not in known:
                raise UnknownAnswer(f"{shown(name)} is not an answer; known are {', '.join(known)}.")
            if value is not None:
                _check(name, value)
        listed_once = given.get("categories")
        answers = cls(**{**given, "categories": None if listed_once is None else tuple(listed_once)})
        answers._check_together()
        return answers

    def _check_together(self) -> None:
        implied = {name: layout for name, layout in LAYOUT_OF.items() if getattr(self, name) is not None}
        wanted = {*implied.values(), *([self.layout] if self.layout else [])}
        if len(wanted) > 1:
            raise CountsError(
                f"{', '.join(f'{name}= is for layout {layout!r}' for name, layout in implied.items())}: "
                f"it cannot go with {'layout=' + repr(self.layout) if self.layout else 'the others'}."
            )

    @property
    def named_columns(self) -> list[str]:
        """The headers that the answers mention."""
        return [name for field in COLUMNS if isinstance(name := getattr(self, field), str)]

    def question(
        self,
        text: str,
        defaults: Mapping[str, Any],
        options: Mapping[str, tuple[Any, ...]] | None = None,
        row: int | None = None,
        cell: str | None = None,
    ) -> CountsQuestion:
        """The question, its suggestion being the answers so far and the defaults."""
        so_far = {name: value for name, value in asdict(self).items() if value is not None}
        choices = {name: CHOICES[name] for name in defaults if name in CHOICES}
        return CountsQuestion(text, {**so_far, **defaults}, {**choices, **(options or {})}, row, cell)


def _is_whole(value: Any, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= limits.UPLOAD_ROWS_LARGEST


def _are_names(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str) and all(isinstance(name, str) for name in value)


# What each answer that is not one of a few must be, in words, and whether a value is that.
KINDS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "header_row": ("be the number of a row, or 0 for none", lambda value: _is_whole(value, 0)),
    "skip_rows": ("say how many rows at the top are left out", lambda value: _is_whole(value, 0)),
    "skip_footer": ("say how many rows at the end are left out", lambda value: _is_whole(value, 0)),
    "categories": ("be a sequence of names", _are_names),
    "sheet": ("be the name of a sheet", lambda value: isinstance(value, str)),
    **dict.fromkeys(("row", "group", "chosen"), ("be a name in the file", lambda value: isinstance(value, str))),
    **dict.fromkeys(COLUMNS, ("be a header or a position from 1",
                              lambda value: isinstance(value, str) or _is_whole(value, 1))),
}  # fmt: skip


def _check(name: str, value: Any) -> None:
    if name not in CHOICES:
        kind, fits = KINDS[name]
        if not fits(value):
            raise CountsError(f"{name} must {kind}: got {_received(value)}.")
    elif not any(value is choice or (isinstance(value, str) and value == choice) for choice in CHOICES[name]):
        raise CountsError(f"{name} must be one of {', '.join(map(repr, CHOICES[name]))}: got {_received(value)}.")


def _received(value: Any) -> str:
    return shown(value) if isinstance(value, str) else limits.shown(value)


def columns_listed(names: list[str]) -> str:
    return "The columns are " + listed(names, most=12) + "."
