"""What the app was started with, after ``--``: the ledger that all sessions share, or each has its own, and who may
release.
"""

import argparse
from collections.abc import Sequence

import streamlit as st

from dpbi.releases.kept_ledger import KeptLedger
from dpbi.releases.ledger_file import LedgerFile
from dpbi.releases.ledger_in_memory import LedgerInMemory

OWN_LEDGER = "ledger of releases"  # under this key the session has it

_started: dict[str, LedgerFile | None] = {}
_stewards: list[str] = []


def take(arguments: Sequence[str]) -> None:
    """Opens the ledger that the arguments name; SystemExit, with a sentence, for arguments or a file that cannot be."""
    reader = argparse.ArgumentParser(prog="streamlit run app.py --", allow_abbrev=False)
    reader.add_argument("--ledger", metavar="FILE", help="keeps all releases in this file, which is made if need be")
    reader.add_argument("--budget", type=float, metavar="EPSILON",
                        help="what all releases about the same people may come to (without it: no limit)")
    reader.add_argument("--raise-budget", action="store_true",
                        help="people with a smaller budget get this one once they need it, which is recorded: it voids "
                             "what was promised to them")
    reader.add_argument("--stewards", nargs="+", metavar="NAME", default=[],
                        help="who may release, raise a budget and correct the ledger, by the address that the login of "
                             "Streamlit gives; without it nobody may where a login is configured")
    asked = reader.parse_args(arguments)
    if asked.ledger is None and asked.budget is not None:
        reader.error("a budget is kept in a ledger: say --ledger FILE too")
    if asked.raise_budget and asked.budget is None:
        reader.error("to raise the budget, say to what: --budget EPSILON")
    try:
        opened = LedgerFile.opened(asked.ledger, asked.budget, raising=asked.raise_budget) if asked.ledger else None
    except ValueError as refusal:
        reader.error(str(refusal))
    _started["ledger"], _stewards[:] = opened, asked.stewards


def stewards() -> tuple[str, ...]:
    """Those named."""
    return tuple(_stewards)


def ledger() -> KeptLedger:
    """The one that the app was started with; else this session's own."""
    return _started.get("ledger") or st.session_state.setdefault(OWN_LEDGER, LedgerInMemory())
