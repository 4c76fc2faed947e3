"""The bibliography in words: the papers by their marks, and what else is cited by name and year."""

from dpbi.dashboard.words import words
from dpbi.papers import bibliography

_ENTRY = 400  # characters at most

MARKS = words.listed([f"**{mark}**" for mark in bibliography.MARKS])


def papers() -> str:
    """Markdown: each paper's mark, authors, title and date, as its own text has them."""
    return _list([f"**{paper.mark}** {words.escape(paper.words, _ENTRY)}" for paper in bibliography.PAPERS])


def others() -> str:
    """Markdown: all others."""
    return _list([words.escape(other.words, _ENTRY) for other in bibliography.OTHERS])


def _list(entries: list[str]) -> str:
    return "\n".join(f"- {entry}" for entry in entries)
