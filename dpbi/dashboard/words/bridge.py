"""The bridge from the papers' names to ours, as a table in words."""

from dpbi.dashboard.words import words
from dpbi.papers.names import NAMES

_CELL = 200  # characters at most


def table() -> str:
    """Markdown: the paper's name, where it stands, and what it is here."""
    rows = [" | ".join(words.escape(part, _CELL).replace("|", "\\|") for part in name) for name in NAMES]
    return "\n".join(["| in the papers | where | here |", "|---|---|---|", *(f"| {row} |" for row in rows)])
