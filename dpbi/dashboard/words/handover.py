"""The sentences about what is taken away and brought: settings, link, script and report."""

from collections.abc import Mapping, Sequence, Set

from dpbi.mechanisms.printed_bound import printed_bound
from dpbi.mechanisms.printed_number import listed

LINK_HOLDS_COUNTS = (
    "The link held counts. They stand in the address of this page, and so in the browser's history and in the log of "
    "every server that the address passes."
)
LINK_WARNING = (
    "**The counts travel in this address**: whoever sees it, or a browser's history or a server's log that has it, "
    "has them."
)
LINK_HELP = "Opens this page with these settings, for anyone who can reach this app."
WITH_COUNTS = (
    "Puts your labels and counts, and what they are called, into the settings and the link. Without them, n and k "
    "alone go along: they are public, as are the prior and all other settings."
)
WITH_GROUPS = (
    "Puts your groups, categories and counts into the settings and the link. Without them the other settings alone go "
    "along, and whoever opens them is asked for the counts."
)
REPORT_HELP = (
    "A ZIP of all that this page shows: tables, figures, the script, the settings, versions. It shows the counts."
)
REPORT_WARNING = "The tables, the figures and the script show the counts: this folder is as private as they are."
SCENES_HELP = "A ZIP of every scene with its answer revealed: figures, their data, the speaker's notes to be printed."
SCENES_WARNING = "All counts are an example's or made up: nobody's answers are in this folder."
REPORT_FILES = (
    "CSV files are UTF-8 with a mark. Their last columns say what the sidebar was set to, so that files of several "
    "settings\ncan be put under one another. Figures are drawn without a network. The settings hold the counts only "
    "if that was ticked."
)
PUBLISHED_FILES = (
    "CSV files are UTF-8 with a mark. Their last columns say what was assumed, so that files of several assumptions\n"
    "can be put under one another. Figures are drawn without a network."
)
SCRIPT_NOTICE = (
    "It computes the numbers of this page anew, its settings at the top: save it anywhere and run it with "
    "`.venv/bin/python` of dpbi's folder. It prints the tables and writes the figures beside where it is run. **The "
    "counts are written in it**: keep it, and what it writes, as private as they are."
)
# Beside the import, so that the error where it is missing quotes it.
SCRIPT_NEEDS = "# run with .venv/bin/python of dpbi's folder: the first line of its README installs it there"
BRING_AGAIN = "A person's own counts are not kept in an address, so nothing is shown: bring them again."


def stand_in(
    held: Set[str], labels: Sequence[str], counts: Sequence[int], sizes: Mapping[str, tuple[int, bool]]
) -> str:
    """Why a document brings no counts of a person, and what is shown instead.

    held: which of labels and counts it has; labels, counts: as read, empty where refused; sizes: k and n of what is
    shown, each with whether the document gives it.
    """
    if not held:
        why = "The counts were left out of it"
    elif len(held) == 1:
        (one,), (other,) = held, {"labels", "counts"} - held
        why = f"It holds {one} without {other}, which need each other"
    elif labels and counts:
        why = f"labels and counts must be as many: got {len(labels):,} and {len(counts):,}"
    else:
        why = "Its labels and counts were not both accepted"
    shown = listed(f"{key} = {size:,}" + ("" if given else " (the default)") for key, (size, given) in sizes.items())
    return f"{why}; balanced counts with {shown} stand in for them."


def counts_of_no_use(held: Set[str], source: str) -> str:
    """That a person's labels or counts are not looked at, since others are asked for."""
    return f"Its {listed(sorted(held))} were not used: the counts it asks for are '{source}'."


def scenes(epsilons: Mapping[str, float], seed: int) -> str:
    """What the tour's figures are of; epsilons: by their names."""
    said = listed(f"{printed_bound(epsilon)} in {name}" for name, epsilon in epsilons.items())
    return f"Tour. Settings: epsilon = {said}; Seed = {seed}."


def link_too_long(length: int) -> str:
    return f"The address would have {length:,} characters, more than servers take. Take the settings as a file instead."
