"""The sentences of the page Read noisy counts."""

from collections.abc import Sequence

from dpbi.dashboard.words import words
from dpbi.inference.ranking import Ranking
from dpbi.releases import stated_noise as stated
from dpbi.releases.reading import SHARE_OF, Outcome

UPLOAD = "A table of noisy counts, or the file of a release"
UPLOAD_HELP = (
    "CSV, TSV, Excel, OpenDocument or Parquet; or JSON as the page Release writes it. It is read in memory and kept in "
    "this session alone, until you discard it."
)
TAKE_OVER = "Read what you brought on Data instead"
PASTE = "Or paste cells, as a spreadsheet copies them"
PUBLISHED_ONLY = "Bring what was published: **noisy** counts, never true ones. Reading them costs no privacy."

SIGMA, EPSILON, RHO, ACCURACY = "sigma", "epsilon", "rho", "accuracy"
_LISTED = 8
_TIED = 4  # categories of a tie that are named
COLUMN = "column: "  # before a measure that each row has in a column
# How people are told of the noise: what the choice is called, what the number is called, a line of help.
STATED = {
    stated.SCALE: ("scale", "Scale",
                   "Of Laplace or geometric noise: as in OpenDP's make_laplace or make_geometric; b in a text book."),
    SIGMA: ("sigma (Gaussian)", "Sigma", "As in OpenDP's make_gaussian."),
    EPSILON: ("epsilon", "Epsilon of this table",
              "Of this table alone, not of all that its publisher spent."),
    RHO: ("rho (zCDP)", "Rho of this table",
          "Of this table alone, not of all that its publisher spent."),
    ACCURACY: ("95 % accuracy", "Accuracy at alpha = 0.05",
               "A value lies within it of its count with probability 0.95."),
    stated.STANDARD_DEVIATION: ("standard deviation", "Standard deviation", "The same for every value."),
    stated.VARIANCE: ("variance", "Variance", "The same for every value, as the Census states it for a table."),
    COLUMN + stated.STANDARD_DEVIATION: ("standard deviations, a column", "Column", "One for each row; 0: exact."),
    COLUMN + stated.VARIANCE: ("variances, a column", "Column", "One for each row; 0: exact."),
    COLUMN + stated.SCALE: ("scales, a column", "Column",
                            "One for each row; 0: exact."),
}  # fmt: skip
SENSITIVITY = {
    EPSILON: ("One person changes the counts, together, by at most",
              "1: each is counted once, and is added or removed; 2: each is replaced by another, from one count to "
              "another."),
    RHO: ("One person changes the counts by at most, as a length (L2)",
          "1: each is counted once, and is added or removed; 1.4142: each is replaced by another, from one count to "
          "another."),
}  # fmt: skip
LAW = "Kind of noise"
LAW_HELP = (
    "What the publisher names; geometric is also called discrete Laplace. They differ little where the noise is wide, "
    "but differ."
)
FLOOR = "Values below 0 were published as 0"
OF_MARKS, OF_TOTALS = "what withheld cells mean", "what the row of a total is"
OF_STATED, OF_SIZE, OF_KIND = "how the noise is stated", "how large the noise is", "of what kind it is"
OF_CHANGE, OF_N, OF_PRIOR = "how much one person changes", "how many records there are", "the prior"
STATED_WITH = ", as stated with the release: "
NO_NOISE = "0: no noise at all, the values are the counts."
ONE_OR_TWO = "1 or 2"
GUESSED = "**Guessed from the headers**, as it stands here: look whether it is so."

# Of withheld cells
BELOW, NOTHING, OUT = "below", "nothing", "out"
WITHHELD = {
    BELOW: "withheld: below a threshold",
    NOTHING: "nothing is known of them",
    OUT: "no categories: left out",
}
WITHHELD_EACH = WITHHELD | {BELOW: "withheld: below what each says"}
# Of rows that say they are a total
MEASURED, EXACT, CATEGORY = "measured", "exact", "category"
TOTALS = {
    OUT: "computed from the others: left out",
    MEASURED: "a total measured with noise",
    EXACT: "the exact total: n is known",
    CATEGORY: "a category like the others",
}
KNOWN, FLAT, LOG, ABOUT, NOISY = "known", "flat", "log", "about", "noisy"
TOTAL = {
    FLAT: "unknown, all as probable",
    LOG: "unknown, each magnitude alike (1/n)",
    KNOWN: "known",
    ABOUT: "about known (Poisson)",
    NOISY: "measured with noise",
}
TOTAL_IS_EXACT = "Total n, number of records: known, in the row that says so."
TOTAL_OF_ROW = "The total is measured, in the row that says so."
NOT_ROUNDED = "Some values have decimals: noise that was not rounded."
SAME_NOISE = "Empty: as that of the values."
DECIMALS = "Decimals are marked by"
PRIOR_HELP = "The pseudo-counts that every category has before the values are seen."
TYPED = "Typed: one number per category"

LOOKS_TRUE = (
    "**These look like true counts**: no value is negative or has decimals, and no name in the table speaks of noise. "
    "If they are, this page is not for them: bring them on the page Data. If noise was added, go on."
)
SUMS_TO_N = (
    "**The values sum to exactly the n you gave**, which noisy counts do by chance alone. Are they true counts, or "
    "were they made to sum to n afterwards? Then the noise is not what is said here."
)
ALL_WITHHELD = (
    "**Every value is withheld**, so that what is shown is the prior with what the thresholds say, and hardly data."
)
PLAIN_ZERO = "Where values are taken for true, negative and withheld ones stand as 0."
SHARES_AND_COUNTS = f"{SHARE_OF}; a count is of the counted themselves. The CSV holds more columns."
INTERVALS_SHOWN = "The largest 40 categories; the CSV holds all. Intervals take long: those on the picture have one."
SCRIPT = (
    "It computes the numbers of this page anew: save it anywhere and run it with `.venv/bin/python` of dpbi's folder. "
    "Nothing private is in it."
)


def kind(law: str) -> str:
    """The name of a law in a list of nothing but laws."""
    shown = law.replace(" noise", "").partition(" (")[0]
    return shown[0].upper() + shown[1:]


def marks(mark: str, many: int) -> str:
    """A mark in place of values, and how often it stands there."""
    cells = "cell" if many == 1 else "cells"
    return f"{many:,} {cells} with {words.plain(mark, 20)}" if mark else f"{many:,} empty {cells}"


def noise(how: str, law: str, size: float | None, sensitivity: float, *, cut: bool) -> str:
    """The noise as it was stated."""
    by = f", one person changing the counts by {sensitivity:.10g}" if how in SENSITIVITY else ""
    of = "" if size is None else f" of {size:.10g}"
    return f"{stated.LAWS[law].called}, stated as {STATED[how][0]}{of}{by}{'; values below 0 published as 0' * cut}"


def several_marks(found: Sequence[str], many: int) -> str:
    return f"{many:,} cells with {words.plain(', '.join(found), 30)}"


def mark_means(mark: str, many: int, meant: str | None, below: int | None) -> str:
    return f"{marks(mark, many)}: {f'below {below:,}' if meant == BELOW else WITHHELD[meant or NOTHING]}"


def listed_marks(said: Sequence[str]) -> str:
    return "; ".join(said[:_LISTED]) + (f"; and {len(said) - _LISTED:,} more" if len(said) > _LISTED else "")


def still_to_be_said(what: Sequence[str]) -> str:
    return f"Still to be said, and nothing is computed before: {'; '.join(what)}."


def answer(found: Outcome, *, fits: bool = True) -> str:
    """Who is first by share, and among the counted where that differs; and how many records there are."""
    rank = found.ranking
    best, most_counted = int(rank.first.argmax()), int(rank.counted_first.argmax())
    first, counted = _first(rank, rank.first[best]), _first(rank, rank.counted_first[most_counted])
    share, low, high = map(_percent, (float(found.mean[best]), *found.intervals[best]))
    name = words.escape(found.labels[best])
    within = f"{share}, with 95 % from {low} to {high}."
    leader = f"{name} is first of the shares θ with probability {first}: its share is {within}"
    if others := rank.leaders[1:]:
        each = 100 * float(rank.first[[best, *others]].mean())
        leader = (f"{alike(found.labels, rank.leaders)}, as far as {rank.draws:,} draws tell: each is first of the "
                  f"shares θ with probability about {each:.2g} %. The share of {name} is {within}")  # fmt: skip
    said = [f"**{leader}**"] if fits else [DOES_NOT_FIT, f"Only if it were so: {leader}"]
    if (best, first) != (most_counted, counted):
        mean, fewest, most = found.counts[most_counted]
        leads = words.escape(found.labels[most_counted])
        said.append(f"Among the counted themselves {leads} is first with probability {counted}: its "
                    f"count is {_count(mean, fewest, most)}.")  # fmt: skip
    said.append(f"The total is n = {found.n:,}." if found.total is None else
                f"The total is {_count(found.total.mean, *found.total.interval())}.")  # fmt: skip
    return " ".join([*said, f"{SHARE_OF}."])


def alike(labels: Sequence[str], places: Sequence[int]) -> str:
    """A tie, named: the first few."""
    names = [words.escape(labels[i]) for i in places[:_TIED]]
    if len(places) > _TIED:
        return f"{', '.join(names)} and {len(places) - _TIED:,} more are alike"
    return f"{', '.join(names[:-1])} and {names[-1]} are alike"


def _first(rank: Ranking, p: float) -> str:
    """A probability from draws, in per cent."""
    least = rank.least
    return (f"above {100 * (1 - least):.6g} %" if p == 1 else f"below {100 * least:.6g} %" if p == 0 else
            f"{100 * p:.0f} %" if 0.01 <= p <= 0.99 else f"{100 * p:.1f} %")  # fmt: skip


def _count(mean: float, fewest: float, most: float) -> str:
    return f"{mean:,.0f}" if fewest == most else f"{mean:,.0f}, with 95 % from {fewest:,.0f} to {most:,.0f}"


def misfit(size: float, reasons: Sequence[str]) -> str:
    return (
        f"**These values are not what this noise makes of counts with this total**: they are {size:,.1f} standard "
        f"deviations from the nearest explanation, and 5 hardly happen. {' '.join(reasons)} The numbers below follow "
        "from what was said, and are wrong where that is."
    )


DOES_NOT_FIT = "**What was said of these values does not fit them: do not use what follows.**"
WRONG_TOTAL = "Their sum is {0}, far from n = {1}: is n right, and are all categories there?"
NO_NEGATIVE = (
    "No value is negative where noise this wide would make some: values may have been cut at 0, or made consistent, "
    "afterwards."
)
TOO_SMALL = (
    "The noise may be wider than stated: a scale in place of a variance, the epsilon of a whole release in place of "
    "this table's, or people that are counted several times."
)


def about(found: Outcome) -> str:
    said = "; ".join(f"{name}: {what}" for name, what in found.assumed.items())
    return f"Read: {words.plain(found.name)}. {said}."


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"
