"""What the app was started with, after ``--``: the ledger that all its sessions share."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

from dpbi import limits
from dpbi.releases.ledger_file import LedgerFile

_started: dict[str, LedgerFile | None] = {}


def take(arguments: Sequence[str]) -> None:
    """Opens the ledger that the arguments name; SystemExit, with a sentence, for arguments or a file that cannot be."""
    reader = argparse.ArgumentParser(prog="streamlit run app.py --", allow_abbrev=False)
    reader.add_argument("--ledger", metavar="FILE", help="keeps all releases in this file, which is made if need be")
    reader.add_argument("--budget", type=_budget, metavar="EPSILON",
                        help="what all releases of the same data may come to together (without it: no limit)")
    reader.add_argument("--delta", type=_delta, default=0.0, metavar="DELTA",
                        help="what their deltas may come to together (0)")
    asked = reader.parse_args(arguments)
    if asked.ledger is None and (asked.budget is not None or asked.delta):
        reader.error("a budget is kept in a ledger: say --ledger FILE too")
    try:
        opened = LedgerFile.opened(asked.ledger, asked.budget, asked.delta) if asked.ledger else None
    except ValueError as refusal:
        reader.error(str(refusal))
    _started["ledger"] = opened


def ledger_file() -> LedgerFile | None:
    """The ledger that lasts, or None where each session has one of its own."""
    return _started.get("ledger")


def _budget(text: str) -> float:
    return _number("the budget", text, limits.check_epsilon)


def _delta(text: str) -> float:
    return _number("delta", text, lambda value: limits.between("delta", value, 0.0, 1.0))


def _number(name: str, text: str, checked: Callable[[float], float]) -> float:
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{name} must be a number such as 0.5 or 1e-8: got {text!r}") from None
    try:
        return checked(value)
    except ValueError as refusal:
        raise argparse.ArgumentTypeError(str(refusal)) from None
