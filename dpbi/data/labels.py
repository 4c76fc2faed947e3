"""Labels of categories as a screen may show them."""

import unicodedata


def visible(label: str) -> str:
    """The label on one line, without control and format characters: one of these can turn the words around it."""
    kept = (c for c in label if c.isspace() or (c.isprintable() and unicodedata.category(c) != "Cf"))
    return " ".join("".join(kept).split())


def isolated(shown: str) -> str:
    """What is shown of a label, between marks that keep a right-to-left one from turning the sentence around it."""
    turns = any(unicodedata.bidirectional(c) in ("R", "AL") for c in shown)
    return f"\u2068{shown}\u2069" if turns else shown


def shortened(label: str, length: int = 60) -> str:
    """What is ``visible`` of a label, cut to so many characters."""
    line = visible(label)
    return line if len(line) <= length else line[: length - 1] + "…"
