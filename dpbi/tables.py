"""Tables as data: rows under columns that say what they mean, the same on a page, in a file and in a script.

A function here takes results and gives a ``ResultTable``. Printed, that is its first rows; nothing is computed that a
result does not hold.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dpbi.accuracy.axes import AXES, Value
from dpbi.accuracy.comparison import Comparison
from dpbi.accuracy.curves import AccuracyCurve, Crossover, RequiredEpsilon
from dpbi.accuracy.distance_law import DRAWS, DistanceLaw
from dpbi.accuracy.large_sample import LargeSampleApproach
from dpbi.accuracy.order import rising
from dpbi.accuracy.trials import ReleaseErrors
from dpbi.data.labels import shortened
from dpbi.inference.group_conclusions import RoughDifference
from dpbi.inference.limit_comparison import LimitComparison
from dpbi.inference.noise_aware_releases import NoiseAwareReleases
from dpbi.inference.prior_average import ExpectedDistance
from dpbi.inference.private_posteriors import PrivatePosteriors
from dpbi.mechanisms import name_of
from dpbi.mechanisms.guarantee import Guarantee, NotPrivate
from dpbi.mechanisms.printed_bound import printed_bound
from dpbi.mechanisms.printed_number import number
from dpbi.posterior import dirichlet
from dpbi.privacy.curves import CalibrationGain, DeltaGain
from dpbi.privacy.guessing import GuessingRisk
from dpbi.privacy.loss import PrivacyLoss
from dpbi.privacy.public_rate import BestPublicRate
from dpbi.privacy.verdict import Verdict
from dpbi.problem.problem import Problem
from dpbi.releases.reading import Outcome
from dpbi.releases.release import category_names
from dpbi.releases.statement import Row, outwards
from dpbi.sensitivity.maps import Sensitivities

CATEGORIES_SHOWN, DRAWS_SHOWN, ROWS_SHOWN = 20, 50, 12
LINE_CATEGORIES = 6  # counts that are written out in a line
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
TEXT, BOUND, COUNT, DIGITS, AS_GIVEN = "text", "bound", "localized", "%.4g", "%.6g"
LAW_KINDS = {"levels": "exact", "bins": "exact, in bins", "sampled": "sampled"}
NO_RECORD = "At n = 0 there is no record to replace, so there is no local sensitivity LS(x) to stay within."
ON_RELEASE = "Mean H, on Release"  # where it is over data that are made up
TIMES_LIMIT = "× limit"
NO_TIMES_LIMIT = (
    " A dash: the mechanism is not proved to be epsilon-DP for this epsilon, so the limit does not bind it; or there "
    "are too many records to average it here; or the sentence below the table says what is wrong."
)
_WITHIN, _BAND_WITHIN, _ERROR = "P(H ≤ LS)", "± of P(H ≤ LS)", "± of mean H"

Cell = str | int | float | None


@dataclass(frozen=True)
class Meaning:
    """help: what stands in it, with its unit; written: ``TEXT``, or how its numbers are.

    A ``BOUND`` is never rounded down, a ``COUNT`` has its thousands apart; else a format of C's printf.
    """

    help: str = ""
    written: str = DIGITS


@dataclass(frozen=True)
class ResultTable:
    """name: of its file; about: what a row is; values: of each column, by its title, None for what is not there.

    said: what columns mean in this table, where it is not what ``COLUMNS`` has.
    """

    name: str
    about: str
    values: Mapping[str, Any]
    said: Mapping[str, Meaning] = field(default_factory=dict)

    def __len__(self) -> int:
        return max(map(len, self.values.values()), default=0)

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [dict(zip(self.values, row, strict=True)) for row in zip(*self.values.values(), strict=True)]

    def first(self, rows: int) -> "ResultTable":
        """A table of its first rows."""
        return replace(self, values={title: values[:rows] for title, values in self.values.items()})

    def column(self, title: str) -> Meaning:
        """What a title stands for here."""
        return self.said.get(title) or column(title)

    def __str__(self) -> str:
        """Its first rows, each column as wide as what stands in it."""
        told = [[title, *(_printed(value, self.column(title)) for value in values[:ROWS_SHOWN])]
                for title, values in self.values.items()]
        padded = [[cell.ljust(max(map(len, cells))) for cell in cells] for cells in told]
        lines = [f"  {'  '.join(row)}".rstrip() for row in zip(*padded, strict=True)]
        return "\n".join([f"{self.name} ({len(self):,} rows)", *lines, ""])


def _table(
    name: str, about: str, rows: Sequence[Mapping[str, Cell]], said: Mapping[str, Meaning] | None = None
) -> ResultTable:
    values = {title: [row[title] for row in rows] for title in (rows[0] if rows else ())}
    return ResultTable(name, about, values, said or {})


def _printed(value: Any, column: Meaning) -> str:
    if not isinstance(value, float):
        return "–" if value is None else str(value)
    if column.written == BOUND:
        return printed_bound(value)
    return (column.written if "%" in column.written else AS_GIVEN) % value


def column(title: str) -> Meaning:
    """What a title stands for, by its name or by one whose "…" stands for a part of it; nothing where neither is."""
    patterns = ((re.escape(name).replace("…", ".+"), one) for name, one in COLUMNS.items() if "…" in name)
    return COLUMNS.get(title) or next(
        (one for pattern, one in patterns if re.fullmatch(pattern, title)), Meaning(written=AS_GIVEN))


def guarantee(promised: Guarantee) -> str:
    """What is promised and why; what is not proved is stamped."""
    if isinstance(promised, NotPrivate):
        return "NOT PRIVATE"
    return promised.words if promised.is_private else f"CLAIMED: {promised.words.removesuffix(' (claim)')}"


def pair(loss: PrivacyLoss) -> str:
    """The neighbouring counts and the output that attain a loss, where they fit in a line."""
    if len(loss.counts) > LINE_CATEGORIES:
        return f"two datasets of {len(loss.counts):,} categories"
    counts, neighbour, released = (
        f"({', '.join(f'{c:,}' for c in values)})" for values in (loss.counts, loss.neighbour, loss.released)
    )
    return f"{counts} against {neighbour}, releasing {released}"


def distinct(names: list[str]) -> list[str]:
    """The names, those that were cut to the same text told apart by their place.

    Again where that made another's name: each time one more ends in its place, so once for each name at most.
    """
    times = Counter(names)
    told = [name if times[name] == 1 else f"{name} ({i})" for i, name in enumerate(names, 1)]
    return told if told == names else distinct(told)


# --- the tables ---


def comparison(rows: Sequence[Comparison], averages: LimitComparison | None = None) -> ResultTable:
    """A row per mechanism: what is promised on what basis, and how near the truth the release is.

    averages: of the same mechanisms, where they are known: how many times the limit of privacy each is off.
    """
    drawn = any(row.measured.error for row in rows)
    times = {}
    if averages and averages.limit.value is not None:
        found = {row.mechanism: averages.times_limit(row.mechanism) for row in rows}
        times = {mechanism: None if ratio is None else ratio.value for mechanism, ratio in found.items()}
    table = [
        {
            "Mechanism": name_of(row.mechanism),
            "Guarantee": guarantee(row.guarantee),
            "Mean H": row.mean,
            **({TIMES_LIMIT: times[row.mechanism]} if times else {}),
            **({_ERROR: row.measured.margin} if drawn else {}),
            "P(truth)": row.probability_of_truth,
            _WITHIN: row.probability_within_local_sensitivity,
            **({} if all(one.exact for one in rows) else {_BAND_WITHIN: 0.0 if row.exact else row.error}),
            "Mean L1": row.mean_l1,
            "P(blind)": row.probability_of_ignoring,
            "Law": LAW_KINDS[row.kind],
        }
        for row in rows
    ]
    why = {_WITHIN: NO_RECORD, TIMES_LIMIT: COLUMNS[TIMES_LIMIT].help + NO_TIMES_LIMIT}
    missing = {title: Meaning(said, COLUMNS[title].written) for title, said in why.items()
               if any(row.get(title, 0) is None for row in table)}
    return _table("comparison", "One row per mechanism: guarantee and distances from the truth", table, missing)


def losses(found: Sequence[Verdict]) -> ResultTable:
    """A row per mechanism: what is stated and promised, the exact loss, and where it is attained."""
    return _table("losses", "One row per audited mechanism: stated epsilon, exact loss and verdict", [
        {
            "Mechanism": name_of(one.loss.mechanism),
            "Guarantee": guarantee(one.guarantee),
            "Stated": one.stated,
            "Exact loss": one.loss.epsilon,
            "Unused": one.unused,
            "Verdict": one.said,
            "Attained by": pair(one.loss),
        }
        for one in found
    ])  # fmt: skip


def calibration(gains: Sequence[CalibrationGain]) -> ResultTable:
    """A row per mechanism: exact losses and mean distances before and after, and the factor on the rate."""
    return _table("calibration", "One row per mechanism: before and after calibration", [
        {
            "Mechanism": name_of(gain.before.mechanism),
            "Loss before": gain.before.epsilon,
            "Loss after": gain.after.epsilon,
            "Rate times": gain.multiplier,
            "Mean H before": gain.mean_before,
            "Mean H after": gain.mean_after,
        }
        for gain in gains
    ])  # fmt: skip


def public_rates(found: BestPublicRate) -> ResultTable:
    """A row per rule for the rate, the best that was found first."""
    return _table("public-rates", "One row per rule for the rate", [
        {"Rate": rule.name, "Exact loss": rule.loss, "Mean H": rule.mean, TIMES_LIMIT: found.times_limit(rule.mean)}
        for rule in (found.best, *found.others)
    ], {
        "Rate": Meaning("What the rate is, as a function of the counts.", TEXT),
        "Mean H": COLUMNS[ON_RELEASE],
    })  # fmt: skip


def best_public_rates(found: Sequence[BestPublicRate]) -> ResultTable:
    """A row per prior and epsilon: between which bounds, in times the limit of privacy, the best public rate lies."""
    return _table("best-public-rates", "One row per prior and epsilon", [
        {
            "Prior": f"({', '.join(f'{alpha:g}' for alpha in one.prior)})",
            "n": one.n,
            "epsilon": one.epsilon,
            "At least": one.between and one.between[0],
            "At most": one.between and one.between[1],
        }
        for one in found
    ], {
        "Prior": Meaning("Its parameters.", TEXT),
        "epsilon": Meaning("The exact privacy loss.", BOUND),
        "At least": Meaning("No public rate is fewer times as far off as the limit of privacy.", "%.3f"),
        "At most": Meaning("So many times as far off the best rate lies that was found.", "%.3f"),
    })  # fmt: skip


def what_deltas_buy(found: DeltaGain) -> ResultTable:
    """A row per delta."""
    said = {"delta": Meaning("What is allowed beside epsilon.", BOUND)}
    values = {"delta": found.deltas.tolist(), "Rate times": found.multipliers.tolist()}
    return ResultTable("deltas", "One row per delta", values, said)


def sensitivities(found: Sensitivities, gamma: float, beta: float) -> ResultTable:
    """A row per kind of sensitivity; gamma, beta: smoothness of the two smooth kinds."""
    meanings = {
        "Local": "How far one replaced record can move the posterior of these very data.",
        "Smooth, reciprocal": f"The largest 1 / (1/LS + gamma d) over all datasets at d steps, gamma = "
        f"{number(gamma)}.",
        "Smooth, exponential": f"The largest LS e^(-beta d) over all datasets at d steps, beta = {number(beta)} as "
        "epsilon and delta set it.",
        "Global, exact": "The largest LS over all datasets, for this prior and n.",
        "Global, papers": "The papers' constant, printed in [D20] and [P20]: the square root of 1 - pi/4.",
    }
    values = {"Sensitivity": [*meanings], "H": [*found], "Meaning": [*meanings.values()]}
    said = {"H": Meaning("As a Hellinger distance.")}
    return ResultTable("sensitivities", "One row per kind of sensitivity", values, said)


def quantiles(laws: Sequence[DistanceLaw], t: float | None = None) -> ResultTable:
    """A row per mechanism: mean and quantiles of the distance; where t is asked for, P(H <= t) with its band."""
    banded = any(law.cdf_error for law in laws)
    asked = f"P(H ≤ {t:.15g})" if t is not None else ""
    off = Meaning(
        f"By how much {asked} can be off: with 95 % confidence where the law is sampled, by no more than the "
        "probability of one bin where it is in bins, 0 where every output is counted by itself."
    )
    return _table("quantiles", "One row per mechanism: mean and quantiles of the distance", [
        {
            "Mechanism": name_of(law.mechanism),
            **({asked: law.cdf(t)} if t is not None else {}),
            **({"Off by at most": law.cdf_error} if t is not None and banded else {}),
            "Mean H": law.mean,
            **{f"{q:.0%} within": law.quantile(q) for q in QUANTILES},
        }
        for law in laws
    ], {"Off by at most": off})  # fmt: skip


def categories(
    problem: Problem,
    sampled: Sequence[PrivatePosteriors | NoiseAwareReleases],
    labels: Sequence[str] | None = None,
    expects: Callable[..., tuple[int, int]] = dirichlet.prior_predictive_interval,
) -> ResultTable:
    """A row per category, of the first 20: prior, data, true posterior, and how often each mechanism's interval covers
    its mean.

    expects: what answers for the prior predictive interval, so that answers can be kept.
    """
    shown = range(min(problem.k, CATEGORIES_SHOWN))
    low, high = dirichlet.interval(problem.posterior, category=shown)
    mean, names = dirichlet.mean(problem.posterior), _categories(category_names(labels, problem.k)[: len(shown)])
    covers = {f"{name_of(one.mechanism)} covers": one.coverage(categories=shown) for one in sampled}
    expected = [expects(problem.prior, problem.n, category=i) for i in shown]
    return _table("categories", "One row per category: prior, count, true posterior and coverage", [
        {
            "Category": names[i],
            "Prior alpha": problem.prior[i],
            "Prior expects": f"{expected[i][0]:,} to {expected[i][1]:,}",
            "Count": problem.counts[i],
            "True mean": float(mean[i]),
            "95 % from": float(low[i]),
            "95 % to": float(high[i]),
            **{title: float(shares[i]) for title, shares in covers.items()},
        }
        for i in shown
    ])  # fmt: skip


def parameters(
    sampled: Sequence[PrivatePosteriors], labels: Sequence[str] | None = None, draws: int | None = None
) -> ResultTable:
    """A row per released posterior: its distance from the true one and its parameters.

    draws: the first of each mechanism; labels: of the first categories, where not of all.
    """
    names = labels if labels is not None else category_names(None, sampled[0].problem.k)
    titles = distinct([f"alpha of {shortened(label, 24)}" for label in names])
    alpha = np.concatenate([one.parameters[:draws] for one in sampled])
    drawn = [len(one.distance[:draws]) for one in sampled]
    return ResultTable("parameters", "One row per released posterior: its distance from the truth and its parameters", {
        "Mechanism": [name_of(one.mechanism) for one, size in zip(sampled, drawn, strict=True) for _ in range(size)],
        "Draw": [place for size in drawn for place in range(1, size + 1)],
        "H": np.concatenate([one.distance[:draws] for one in sampled]),
        **{title: alpha[:, i] for i, title in enumerate(titles)},
    })  # fmt: skip


def to_release_with(
    labels: Sequence[str], means: Sequence[ExpectedDistance], errors: Sequence[ReleaseErrors],
    risks: Sequence[GuessingRisk],
) -> ResultTable:
    """A row per mechanism that can release, the nearest first: what it is off by, and what it tells about a person."""
    known = {one.mechanism: one.mean for one in means}
    nearest_first = [one.mechanism for one in rising(means, lambda one: one.measured)]
    rows = {
        error.mechanism: {
            "Mechanism": label,
            "Mean H": known.get(error.mechanism),
            "Off by, points": 100 * error.mean_share,
            "± points": 200 * error.mean_share_error,
            "Right of 100, on average": risk.average_of_hundred,
            "Right of 100, at worst": risk.worst_of_hundred,
        }
        for label, error, risk in zip(labels, errors, risks, strict=True)
    }
    order = [*(one for one in nearest_first if one in rows), *(one for one in rows if one not in known)]
    about = "One row per mechanism: how far off a release would be, and how many guesses of 100 would be right"
    return _table("to-release-with", about, [rows[one] for one in order], {"Mean H": COLUMNS[ON_RELEASE]})


def release(rows: Sequence[Row], name: str) -> ResultTable:
    """A row per category of a release: what was released, and both posteriors with their 95 % intervals."""
    table = [{title: row[key] for key, title in RELEASE.items()} for row in map(outwards, rows)]
    for row, category in zip(table, _categories([str(row["Category"]) for row in table]), strict=True):
        row["Category"] = category
    return _table(name, "One row per category: released count and both posteriors", table)


def every_column(rows: Sequence[Row], name: str) -> ResultTable:
    """As ``release``, with all that is known of each category, under the names of the release's files."""
    return _table(name, "One row per category", rows)


def noisy_counts(found: Outcome, places: Iterable[int], *, every: bool = True) -> ResultTable:
    """A row per category, of these: the published value, its count and share with the noise allowed for, its rank, and,
    of every column, what follows where values are taken for true."""
    rows = found.rows
    names = _categories(found.labels)
    titles = {key: title for key, title in READING.items() if every or key not in _ASIDE}
    table = [{title: rows[i][key] for key, title in titles.items()} | {"Category": names[i]} for i in places]
    return _table("noisy-counts", "One row per category: published value, count, share, rank", table)


def accuracy(curves: Sequence[AccuracyCurve], own: Value | None = None) -> ResultTable:
    """A row per point: where, how large the error is, how that was found.

    own: the value whose rows come first; where there is none, the least.
    """
    bounded = {error.bounded for curve in curves for error in curve.errors}
    several = len({curve.mechanism.epsilon for curve in curves}) > 1
    points = [(curve, *point) for curve in curves for point in zip(curve.values, curve.errors, strict=True)]
    first = min((value for _, value, _ in points), default=None) if own is None else own
    return _table("accuracy", "One row per computed point: mechanism, value, mean error, how found", _without_zeros([
        {
            "Mechanism": name_of(curve.mechanism),
            **({"epsilon": curve.mechanism.epsilon} if several else {}),
            curve.axis.title: value,
            **({"Mean error": None if error.bounded else error.high} if bounded != {True} else {}),
            **({"At least": error.low, "At most": error.high} if True in bounded else {}),
            "Standard error": max(error.low_error, error.high_error),
            "Found": "exact" if error.exact else "draws",
        }
        for curve, value, error in sorted(points, key=lambda point: point[1] != first)
    ]))  # fmt: skip


def crossovers(found: Sequence[Crossover]) -> ResultTable:
    """A row per crossover."""
    return _table("crossovers", "One row per crossover: who overtakes whom and from which value on", [
        {
            "Ahead from there on": name_of(one.ahead),
            "Overtaken": name_of(one.behind),
            "Last before": one.before,
            "From": one.value,
            "Found": "exact" if one.exact else "between two points",
        }
        for one in found
    ])  # fmt: skip


def required_epsilon(found: Sequence[RequiredEpsilon]) -> ResultTable:
    """A row per mechanism: its smallest epsilon and the mean distance there."""
    return _table("required-epsilon", "One row per mechanism: the smallest epsilon for the distance", _without_zeros([
        {
            "Mechanism": name_of(one.mechanism),
            "Guarantee there": guarantee(one.mechanism.guarantee(one.problem.prior, one.problem.n)),
            "Smallest epsilon": one.epsilon,
            "Mean H": one.mean.high,
            "Standard error": one.mean.high_error,
            "Always falls": "yes" if one.monotone else "no",
        }
        for one in found
    ]))  # fmt: skip


def large_sample(found: Sequence[LargeSampleApproach]) -> ResultTable:
    """A row per mechanism: the limit of sqrt(8 n) E[H], how near it is at the largest n, and at the one before."""
    more = {len(one.limit.shares) for one in found if len(one.limit.shares) > 2}
    name = "-".join(["large-sample", *map(str, sorted(more))])
    return _table(name, "One row per mechanism: what sqrt(8 n) times the mean H tends to, and how fast", [
        {
            "Mechanism": name_of(one.limit.mechanism),
            "k": len(one.limit.shares),
            "Limit over m": one.limit.formula or None,
            "Limit": one.limit.value,
            "Limit of P(truth)": one.limit.within(0).value,
            "Largest n": one.sizes[-1],
            "√(8n) mean H": one.scaled[-1],
            "n × gap": one.gaps[-1],
            "n × gap, before": one.gaps[-2] if len(one.sizes) > 1 else None,
            "Found": "exact" if one.errors[-1].exact else "draws",
        }
        for one in found
    ])  # fmt: skip


def points(name: str, results: Iterable[Any], fields: Sequence[str]) -> ResultTable:
    """A row per point of each result: what its fields hold there, arrays of one length or single numbers."""
    rows: list[dict[str, Any]] = []
    for one in results:
        whose = {"Mechanism": name_of(one.mechanism)} if hasattr(one, "mechanism") else {}
        columns = [np.atleast_1d(getattr(one, field)).tolist() for field in fields]
        rows += [whose | dict(zip(fields, values, strict=True)) for values in zip(*columns, strict=True)]
    return _table(name, "One row per point", rows)


def _categories(labels: Sequence[str]) -> list[str]:
    return distinct([shortened(label) for label in labels])


def _without_zeros(rows: list[dict[str, Cell]]) -> list[dict[str, Cell]]:
    """Without the standard errors where all is exact."""
    if any(row["Standard error"] for row in rows):
        return rows
    return [{title: value for title, value in row.items() if title != "Standard error"} for row in rows]


def contrasts(first: str, second: str, true: Sequence[Sequence[float]] | None, private: Sequence[Sequence[float]]
              ) -> ResultTable:  # fmt: skip
    """A row per contrast of two groups' shares; true, private: of each its value at the mean shares, and the interval;
    true: None where releases are all that is known.
    """
    names = (f"Difference, {first} less {second}", f"Odds ratio, {first} to {second}",
             f"Risk ratio, {first} to {second}")  # fmt: skip
    read_titles = ("Private", "Private from", "Private to")
    rows: list[dict[str, Cell]] = [{"Contrast": name} | dict(zip(read_titles, read, strict=True))
                                   for name, read in zip(names, private, strict=True)]  # fmt: skip
    if true is None:
        return _table("contrasts", "One row per contrast of two groups: by their releases", rows)
    titles = ("Contrast", "True", "True from", "True to")
    rows = [dict(zip(titles, (row["Contrast"], *known), strict=True)) | row
            for row, known in zip(rows, true, strict=True)]  # fmt: skip
    return _table("contrasts", "One row per contrast of two groups: by the true counts and by one release", rows)


def released_pairs(names: Sequence[tuple[str, str]], read: Sequence[RoughDifference]) -> ResultTable:
    """A row per pair of groups of which releases are all that is known, the one whose mean share is higher first."""
    rows: list[dict[str, Cell]] = [
        {"Group": one, "Against": two, "Private P(higher)": found.probability_greater, "Private": found.mean,
         "Private from": found.low, "Private to": found.high}
        for (one, two), found in zip(names, read, strict=True)
    ]  # fmt: skip
    return _table("pairs", "One row per pair of groups: which is higher, by their releases", rows)


def pairs(names: Sequence[tuple[str, str]], true: Sequence[RoughDifference], private: Sequence[RoughDifference]
          ) -> ResultTable:  # fmt: skip
    """A row per pair of groups, the one whose true share is higher first."""
    rows: list[dict[str, Cell]] = [
        {
            "Higher": one,
            "Lower": two,
            "P(higher)": known.probability_greater,
            "Difference": known.mean,
            "Difference from": known.low,
            "Difference to": known.high,
            "Private P(higher)": read.probability_greater,
            "Private from": read.low,
            "Private to": read.high,
        }
        for (one, two), known, read in zip(names, true, private, strict=True)
    ]
    return _table("pairs", "One row per pair of groups: which is higher, by the true counts and by one release", rows)


# --- what the columns mean ---


RELEASE = {
    "category": "Category",
    "prior": "Prior alpha",
    "released": "Released",
    "naive_mean": "Naive mean",
    "naive_low": "Naive from",
    "naive_high": "Naive to",
    "noise_aware_mean": "Aware mean",
    "noise_aware_low": "Aware from",
    "noise_aware_high": "Aware to",
}

READING = {
    "category": "Category",
    "value": "Published",
    "mean_count": "Expected count",
    "count_low": "Count from",
    "count_high": "Count to",
    "mean": "Share",
    "low": "Share from",
    "high": "Share to",
    "first": "P(first)",
    "counted_first": "P(count first)",
    "rank_low": "Rank from",
    "rank_high": "Rank to",
    "sd": "Standard deviation",
    "plain_mean": "Plain share",
    "plain_low": "Plain from",
    "plain_high": "Plain to",
}
# In the file, not on the screen
_ASIDE = frozenset({"rank_low", "rank_high", "sd", "plain_mean", "plain_low", "plain_high"})

LEDGER = ("People", "Question", "Part", "Version", "Guarantee", "epsilon", "delta", "Release", "Plan", "Who", "Remark",
          "Corrected")  # fmt: skip
PEOPLE = ("People", "Spent", "Left", "Budget", "Releases", "Last (UTC)", "Changed", "Planned")

COLUMNS: Mapping[str, Meaning] = {
    **{axis.title: Meaning(axis.kept, AS_GIVEN) for axis in AXES},
    "Contrast": Meaning("What is compared of two groups' shares.", TEXT),
    "True": Meaning("The contrast of the mean shares, by the true counts: private.", "%.5f"),
    "True from": Meaning("Lower end of its 95 % interval.", "%.5f"),
    "True to": Meaning("Upper end of its 95 % interval.", "%.5f"),
    "Private": Meaning("The contrast of the mean shares, by a reader of the release who allows for its noise.", "%.5f"),
    "Private from": Meaning("Lower end of that reader's 95 % interval.", "%.5f"),
    "Private to": Meaning("Upper end of that reader's 95 % interval.", "%.5f"),
    "Higher": Meaning("The group whose mean share is higher by the true counts.", TEXT),
    "Lower": Meaning("The other group.", TEXT),
    "P(higher)": Meaning("Probability that its share is higher, given the true counts.", "%.4f"),
    "Difference": Meaning("Difference of the mean shares, by the true counts.", "%.5f"),
    "Difference from": Meaning("Lower end of its 95 % interval.", "%.5f"),
    "Difference to": Meaning("Upper end of its 95 % interval.", "%.5f"),
    "Private P(higher)": Meaning("Probability that its share is higher, for a reader of one release each.", "%.4f"),
    "Against": Meaning("The group it is compared with.", TEXT),
    "Mechanism": Meaning("How the counts are made noisy: each one's rule is under Mechanisms, on Methods.", TEXT),
    "Guarantee": Meaning("What is promised for one record replaced, and on what basis.", TEXT),
    "Mean H": Meaning("Mean Hellinger distance between the true and the released posterior; 0 same, 1 apart."),
    ON_RELEASE: Meaning(
        "Mean Hellinger distance from the true posterior, over the data that the public prior expects. A dash: not "
        "private, or not known here."
    ),
    TIMES_LIMIT: Meaning(
        "Mean H over the data that the public prior expects, divided by the least that any epsilon-DP mechanism "
        "releasing a candidate posterior can have: 1 is as near as those can come. No private count enters. Where it "
        "comes from draws, the sentence below the table has its error.",
        "%.3f",
    ),
    _ERROR: Meaning("Two standard errors of a mean that comes from draws; 0 where it is exact."),
    "P(truth)": Meaning("Probability that the release is the true posterior itself."),
    _WITHIN: Meaning(
        "Probability that the release is no farther from the truth than the local sensitivity LS(x), which is how far "
        "one replaced record can move the true posterior."
    ),
    _BAND_WITHIN: Meaning("How far off it can be, with 95 % confidence, where the law is sampled; 0 elsewhere."),
    "Mean L1": Meaning(
        "Mean sum of the absolute errors of the released counts, in records: twice the mean number of records moved. "
        f"Where the law is sampled, the mean of {DRAWS:,} draws."
    ),
    "P(blind)": Meaning("Probability that the release ignores the data: it does not depend on the counts at all."),
    "Law": Meaning(
        "How the law of the distance was found. 'exact': every distance there can be, with its probability. 'exact, in "
        "bins': there are too many distances to keep, so those far from the truth are gathered in narrow ranges, whose "
        "probabilities and means are exact. 'sampled': from draws, with a stated error, where the outputs are too many "
        "to list.",
        TEXT,
    ),
    "Stated": Meaning("The epsilon that the mechanism is set to.", BOUND),
    "Exact loss": Meaning("The largest log ratio of probabilities over all neighbouring datasets and all outputs.",
                         BOUND),
    "Unused": Meaning("The share of the stated epsilon that is not spent."),
    "Verdict": Meaning(
        "Of a mechanism, for this prior and n: whether its exact loss is within epsilon; ACCUSED where epsilon is "
        "exceeded, or where a delta is stated, that delta at epsilon. Of a claim: whether it holds, holds under a "
        "condition, or fails.",
        TEXT,
    ),
    "Attained by": Meaning("Two neighbouring datasets and the output whose odds move most.", TEXT),
    "Loss before": Meaning("Exact privacy loss of the mechanism as it is.", BOUND),
    "Loss after": Meaning("Exact privacy loss of the calibrated one: epsilon.", BOUND),
    "Rate times": Meaning(
        "What calibration multiplies the rate by; for noise on counts, what it divides the scale by."
    ),
    "Mean H before": Meaning("Mean Hellinger distance between true and released posterior, as it is."),
    "Mean H after": Meaning("The same, calibrated."),
    "P(H ≤ …)": Meaning("Probability that the release lies within this distance of the true posterior."),
    "Off by at most": Meaning("By how much the probability beside it can be off, where it is not exact."),
    "… within": Meaning("This share of all releases lies within this distance H of the true posterior."),
    "Category": Meaning(
        "One of the answers that are counted. Two names that were cut to the same text carry their place.", TEXT
    ),
    "Prior alpha": Meaning("Pseudo-count of this category before any data."),
    "Prior expects": Meaning("The prior predictive 95 % interval of this category's count among n records.", TEXT),
    "Count": Meaning("The true count: private.", COUNT),
    "True mean": Meaning("Mean of the true posterior."),
    "95 % from": Meaning("Lower end of the true posterior's 95 % interval."),
    "95 % to": Meaning("Upper end of the true posterior's 95 % interval."),
    "… covers": Meaning("Share of the released 95 % intervals that hold this category's true posterior mean."),
    "Draw": Meaning("The place of the release in the stream of the seed.", "%d"),
    "H": Meaning("Hellinger distance of the released posterior from the true one: 0 the same, 1 apart."),
    "Score": Meaning("The distance that scores the candidates.", TEXT),
    "prior …, epsilon …": Meaning("Mean Hellinger distance under this prior, at this exact loss."),
    "alpha of …": Meaning(
        "The released posterior's parameter of this category: the prior's and the released count.", AS_GIVEN
    ),
    "Mean error": Meaning("Expected error of a release at this value."),
    "At least": Meaning("Lower bound of the mean error."),
    "At most": Meaning("Upper bound of the mean error."),
    "Standard error": Meaning(
        "How far a mean that comes from draws can be off, as a standard deviation; 0 where it is exact."
    ),
    "Found": Meaning(
        "How the number was found: exact, or from draws; a crossover also between two computed points.", TEXT
    ),
    "Ahead from there on": Meaning("The mechanism that is nearer to the truth from this value on.", TEXT),
    "Overtaken": Meaning("The mechanism that was nearer before.", TEXT),
    "Last before": Meaning("The last computed value at which the other was nearer.", "%.10g"),
    "From": Meaning("The first computed value at which this one is nearer.", "%.10g"),
    "k": Meaning("How many categories there are.", AS_GIVEN),
    "Limit": Meaning("What √(8n) times the mean H tends to as n grows at fixed shares, whatever the prior.", "%.6g"),
    "Limit over m": Meaning(
        "The limit divided by m = √(1/p + 1/p') of the two rarest shares, in closed form. A dash: it is a sum.", TEXT),
    "Limit of P(truth)": Meaning(
        "What the probability that the release is the truth tends to; of an exponential mechanism 1 over the limit of "
        "its normaliser N(n)."),
    "Largest n": Meaning("The largest number of records at which the mean was computed.", COUNT),
    "√(8n) mean H": Meaning("√(8n) times the mean Hellinger distance there.", "%.6g"),
    "n × gap": Meaning("n times the relative distance from the limit, at that n.", "%.2f"),
    "n × gap, before": Meaning(
        "The same at the next smaller n that was computed: where both agree, the gap falls like 1 / n.", "%.2f"),
    "Guarantee there": Meaning("What is promised at the smallest epsilon, and on what basis.", TEXT),
    "Smallest epsilon": Meaning("The least epsilon at which the mean distance is what was asked for, rounded up.",
                               BOUND),
    "Always falls": Meaning(
        "Whether the mean distance fell at each epsilon looked at, two to a power of ten; if not, a larger epsilon can "
        "be worse.",
        TEXT,
    ),
    "Off by, points": Meaning("Mean error of a share in percentage points, tried on some data made up from the prior."),
    "± points": Meaning("Two standard errors of it: what lies within them is no difference."),
    "Right of 100, on average": Meaning(
        "Of 100 guesses of a person's answer, 50 of them right before the release, so many are right after it at most, "
        "averaged over releases."
    ),
    "Right of 100, at worst": Meaning("The same after the worst possible release."),
    "Released": Meaning("The released count. The naive posterior's parameter is it plus the prior's."),
    "Naive mean": Meaning("Mean share by the posterior that takes the released counts for the true ones."),
    "Naive from": Meaning("Lower end of the 95 % interval that takes the released counts for the true ones."),
    "Naive to": Meaning("Its upper end."),
    "Aware mean": Meaning("Mean share by the posterior that knows about the noise."),
    "Aware from": Meaning("Lower end of the 95 % interval that knows about the noise."),
    "Aware to": Meaning("Its upper end."),
    "Published": Meaning("The published noisy value. A dash: it was withheld.", AS_GIVEN),
    "Share": Meaning("Mean share θ among people like these, of whom the counted are a sample, with noise allowed for.",
                     "%.5f"),
    "Share from": Meaning("Lower end of its 95 % interval. A dash: not computed.", "%.5f"),
    "Share to": Meaning("Upper end of its 95 % interval. A dash: not computed.", "%.5f"),
    "Standard deviation": Meaning("Of the share. A dash: not computed.", "%.5f"),
    "Expected count": Meaning("Mean of the true count behind a published value, as far as it is known.", "%.1f"),
    "Count from": Meaning("Lower end of the 95 % interval of the true count.", "%d"),
    "Count to": Meaning("Upper end of that interval.", "%d"),
    "P(first)": Meaning("Probability that the share θ is the largest of all, from draws: 0.000 is below 0.001, 1.000 "
                        "above 0.999.", "%.3f"),
    "P(count first)": Meaning("Probability that the true count is larger than all others, from the same draws.",
                              "%.3f"),
    "Rank from": Meaning("Least rank in the 95 % interval of the rank by share; 1 is the largest.", "%d"),
    "Rank to": Meaning("Largest rank in that interval.", "%d"),
    "Plain share": Meaning("Mean share where published values are taken for true counts, those below 0 for 0.", "%.5f"),
    "Plain from": Meaning("Lower end of the 95 % interval that takes published values for true counts.", "%.5f"),
    "Plain to": Meaning("Upper end of that interval.", "%.5f"),
    "People": Meaning("Whose answers were released, as named on this page. The budget is theirs.", TEXT),
    "Question": Meaning("As stated with the release. Empty: nothing was, and it is never read with others.", TEXT),
    "Part": Meaning("Which of the people. Empty: all of them, together.", TEXT),
    "Version": Meaning("Of the question's table: 1, or one more for each that was stated to be another.", "%d"),
    "Time (UTC)": Meaning("When the release was drawn.", TEXT),
    "n": Meaning("How many records the data have.", AS_GIVEN),
    "epsilon": Meaning("The privacy loss that is promised. A dash where nothing is.", BOUND),
    "delta": Meaning("What that promise leaves out. A dash where it is 0, or nothing is promised.", BOUND),
    "Release": Meaning(
        "kept: drawn and kept here; brought: from another ledger; broken off: a charge alone. superseded: "
        "another was stated to correct it.", TEXT
    ),
    "Plan": Meaning("Whether the release draws on the plan of its people.", TEXT),
    "Who": Meaning("Who made the line: as the login has it, else as typed.", TEXT),
    "Remark": Meaning("Of whoever released, for the keeper of the ledger.", TEXT),
    "Corrected": Meaning("What was said of the release before it was corrected, when and by whom.", TEXT),
    "Releases": Meaning("How many there are about these people.", "%d"),
    "Spent": Meaning("What all releases about these people promise together.", TEXT),
    "Budget": Meaning("What they may come to, an epsilon. A dash where none was set.", BOUND),
    "Left": Meaning("The epsilon that is left of the budget, rounded down; and where that was broken.", TEXT),
    "Planned": Meaning("The releases that were fixed beforehand, and what they cost together.", TEXT),
    "Last (UTC)": Meaning("When something was last released about them.", TEXT),
    "Changed": Meaning("What became of the budget, by whom, and what these people were called before.", TEXT),
    "Claim": Meaning("A statement of a paper, in our words.", TEXT),
    "Source": Meaning("Where the paper says it.", TEXT),
    "What the grid shows": Meaning("What was found, in a sentence.", TEXT),
    "Cases": Meaning("How many cases of the claim were computed.", COUNT),
    "Held": Meaning("In how many of them the claim holds.", COUNT),
    "Left out": Meaning("Further cases: both sides are equal up to rounding.", COUNT),
}
