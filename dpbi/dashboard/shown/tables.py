"""Results as tables: what is on screen, sortable, and the same numbers to take away."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.column_config import NumberColumn, TextColumn

from dpbi.accuracy.axes import AXES
from dpbi.accuracy.comparison import Comparison
from dpbi.accuracy.distance_law import DRAWS
from dpbi.accuracy.order import rising
from dpbi.accuracy.trials import ReleaseErrors
from dpbi.dashboard.answers import library
from dpbi.dashboard.answers.library import QUANTILES
from dpbi.dashboard.scenario import Scenario
from dpbi.dashboard.session import address, settings
from dpbi.dashboard.shown import downloads
from dpbi.dashboard.words import limit, words
from dpbi.dashboard.words.columns import MEANINGS, meaning_of
from dpbi.inference.limit_comparison import LimitComparison
from dpbi.inference.noise_aware_releases import NoiseAwareReleases
from dpbi.inference.prior_average import ExpectedDistance
from dpbi.inference.private_posteriors import PrivatePosteriors
from dpbi.mechanisms import name_of
from dpbi.mechanisms.printed_bound import printed_bound
from dpbi.posterior import dirichlet
from dpbi.privacy.curves import CalibrationGain
from dpbi.privacy.guessing import GuessingRisk
from dpbi.privacy.verdict import Verdict
from dpbi.releases.statement import Row, outwards

CATEGORIES_SHOWN, DRAWS_SHOWN = 20, 50
_BAND = "Off by at most"
_FOUR_DIGITS, _AS_GIVEN = "%.4g", "%.6g"
_LEAST_POWER, _LARGEST_POWER = -4, 6  # of ten, that a column without powers of ten may span
_HEIGHT_ROW, _HEIGHT_LINE, _ROWS_SHOWN = 36, 20, 12
_CHARACTER, _PADDING = 6.8, 20  # pixels of a cell's width
_WITHIN = "P(H ≤ LS)"
_ERROR = "± of mean H"
_BAND_WITHIN = f"± of {_WITHIN}"
_MECHANISM = 92  # pixels: its letters are wide
_MISSING = "–"  # a number that is not there, which a grid else writes as "None"


def show(
    table: pd.DataFrame,
    name: str,
    columns: dict[str, Any],
    alt: str,
    whole: Callable[[], pd.DataFrame] | None = None,
    lines: int = 1,
) -> None:
    """The table, scrolling beyond a dozen lines, with its CSV: that of the whole one where only a part is shown.

    Each column is as wide as what stands in it, where its width is not given; lines: of text in a row. In talk mode
    its first dozen rows, in the page's own type: a grid keeps its size whatever the page's is.
    """
    row_height = _HEIGHT_ROW + (lines - 1) * _HEIGHT_LINE
    height = min(len(table) * row_height, _ROWS_SHOWN * _HEIGHT_ROW) + _HEIGHT_ROW + 3
    plain = {name: _number(None, _AS_GIVEN) if pd.api.types.is_numeric_dtype(table[name]) else TextColumn()
             for name in table}  # fmt: skip
    columns = {
        name: _wide_enough(name, _even(_explained(name, column), table[name]), table[name])
        for name, column in (plain | columns).items()
        if name in table
    }
    cut = ""
    if settings.get(address.TALK):
        st.markdown(_for_a_room(table.head(_ROWS_SHOWN), columns))
        cut = f"The first {_ROWS_SHOWN} of {len(table):,} rows. " if len(table) > _ROWS_SHOWN else ""
    else:
        st.dataframe(
            _with_bounds(table, columns),
            hide_index=True,
            column_config=columns,
            row_height=row_height,
            height=height,
            key=f"table: {name}",
            placeholder=_MISSING,
            alt=alt,
        )
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        downloads.button(whole or (lambda: table), name)
        st.markdown(f":small[{cut}[What the columns mean]({words.COLUMNS_EXPLAINED})]", width="content")


def _explained(name: str, column: Any) -> Any:
    return column if column.get("help") else column | {"help": meaning_of(name)}


def meanings() -> dict[str, str]:
    """What every column means, by its title."""
    along = {axis.title: axis.kept for axis in AXES}
    told = _COMPARISON | {"Mean H, on Release": {"help": _TO_RELEASE_WITH["Mean H"]}} | _CATEGORIES | LEDGER_OF_RELEASES
    told |= {name: column for name, column in _LOSSES.items() if name not in MEANINGS}
    helps = {name: column["help"] for name, column in told.items() if column.get("help")}
    return along | _TO_RELEASE_WITH | MEANINGS | _GAINS | _RELEASE_HELP | helps


def comparison(rows: Sequence[Comparison], averages: LimitComparison | None = None) -> None:
    """A row per mechanism: what is promised on what basis, and how near the truth the release is.

    averages: of the same mechanisms, where they are known by now: how many times the limit of privacy each is off.
    """
    table = pd.DataFrame(
        {
            "Mechanism": [name_of(row.mechanism) for row in rows],
            "Guarantee": [words.guarantee(row.guarantee) for row in rows],
            "Mean H": [row.mean for row in rows],
            **({_ERROR: [2 * row.mean_error for row in rows]} if any(row.mean_error for row in rows) else {}),
            "P(truth)": [row.probability_of_truth for row in rows],
            _WITHIN: [row.probability_within_local_sensitivity for row in rows],
            **({} if all(row.exact for row in rows) else {
                _BAND_WITHIN: [0.0 if row.exact else row.error for row in rows]}),
            "Mean L1": [row.mean_l1 for row in rows],
            "P(blind)": [row.probability_of_ignoring for row in rows],
            "Law": [words.LAW_KINDS[row.kind] for row in rows],
        }
    )
    if averages and averages.limit.value is not None:
        times = [averages.times_limit(row.mechanism) for row in rows]
        table.insert(3, limit.COLUMN, [math.nan if one is None else one.value for one in times])
    missing = {_WITHIN: words.NO_RECORD, limit.COLUMN: limit.DASH}
    said = {name: _COMPARISON[name] | {"help": why} for name, why in missing.items()
            if name in table and table[name].isna().any()}
    alt = "One row per ticked mechanism: guarantee and distances from the truth"
    show(table, "comparison", _COMPARISON | said, alt)


def verdicts(found: Sequence[Verdict]) -> None:
    """A row per mechanism: what is stated and promised, the exact loss, and where it is attained."""
    table = pd.DataFrame(
        {
            "Mechanism": [name_of(one.loss.mechanism) for one in found],
            "Guarantee": [words.guarantee(one.guarantee) for one in found],
            "Stated": [one.stated for one in found],
            "Exact loss": [one.loss.epsilon for one in found],
            "Unused": [one.unused for one in found],
            "Verdict": [one.said for one in found],
            "Attained by": [words.pair(one.loss) for one in found],
        }
    )
    show(table, "losses", _LOSSES, "One row per audited mechanism: stated epsilon, exact loss and verdict")


def calibrations(gains: Sequence[CalibrationGain]) -> None:
    """A row per mechanism: exact losses and mean distances before and after, and the factor on the rate."""
    table = pd.DataFrame(
        {
            "Mechanism": [name_of(gain.before.mechanism) for gain in gains],
            "Loss before": [gain.before.epsilon for gain in gains],
            "Loss after": [gain.after.epsilon for gain in gains],
            "Rate times": [gain.multiplier for gain in gains],
            "Mean H before": [gain.mean_before for gain in gains],
            "Mean H after": [gain.mean_after for gain in gains],
        }
    )
    columns = {name: bound(said) if name.startswith("Loss") else _number(said) for name, said in _GAINS.items()}
    show(table, "calibration", _COMPARISON | columns, "One row per mechanism: before and after calibration")


def quantiles(
    rows: Sequence[Comparison], found: Sequence[tuple[float, ...]], t: float | None, within: Sequence[float]
) -> None:
    """A row per mechanism: mean and quantiles of the distance; where t is asked for, P(H <= t) with its band."""
    table = pd.DataFrame({"Mechanism": [name_of(row.mechanism) for row in rows], "Mean H": [row.mean for row in rows]})
    for place, q in enumerate(QUANTILES):
        table[f"{q:.0%} within"] = [levels[place] for levels in found]
    columns = dict.fromkeys(table.columns[2:], _number(None))
    if t is not None:
        asked = f"P(H ≤ {t:.15g})"
        table.insert(1, asked, within)
        columns[asked] = _number(None)
        if any(row.error for row in rows):
            table.insert(2, _BAND, [row.error for row in rows])
            columns[_BAND] = _number(
                f"By how much {asked} can be off: with 95 % confidence where the law is sampled, by no more than the "
                "probability of one bin where it is in bins, 0 where every output is counted by itself."
            )
    show(table, "quantiles", _COMPARISON | columns, "One row per ticked mechanism: mean and quantiles of the distance")


def categories(scenario: Scenario, sampled: Sequence[PrivatePosteriors | NoiseAwareReleases]) -> None:
    """A row per category: prior, data, true posterior, and how often each mechanism's interval covers its mean."""
    problem = scenario.problem
    shown = range(min(problem.k, CATEGORIES_SHOWN))
    low, high = library.intervals(problem)
    expected = [library.prior_predictive(problem.prior, problem.n, i) for i in shown]
    table = pd.DataFrame(
        {
            "Category": _distinct([words.plain(label) for label in scenario.labels[: len(shown)]]),
            "Prior alpha": [problem.prior[i] for i in shown],
            "Prior expects": [f"{least:,} to {most:,}" for least, most in expected],
            "Count": [problem.counts[i] for i in shown],
            "True mean": dirichlet.mean(problem.posterior)[: len(shown)],
            "95 % from": low[: len(shown)],
            "95 % to": high[: len(shown)],
        }
    )
    columns: dict[str, Any] = dict(_CATEGORIES)
    for one in sampled:
        name = f"{name_of(one.mechanism)} covers"
        table[name], columns[name] = one.coverage(categories=shown), _number(None)
    show(table, "categories", columns, "One row per category: prior, count, true posterior and coverage")
    if problem.k > CATEGORIES_SHOWN:
        st.caption(f"The first {CATEGORIES_SHOWN} of {problem.k:,} categories.")


def parameters(scenario: Scenario, sampled: Sequence[PrivatePosteriors]) -> None:
    """A row per released posterior: its parameters and its distance from the true one; the CSV holds all of them."""
    k, size = scenario.problem.k, len(sampled[0].released)
    shown = _parameters(scenario.labels[:CATEGORIES_SHOWN], sampled, DRAWS_SHOWN)
    columns = {"Draw": _number(None, "%d"), "H": _number(None)}
    show(
        shown,
        "parameters",
        columns,
        "One row per released posterior: its distance from the truth and its parameters",
        lambda: _parameters(scenario.labels, sampled, size),
    )
    if size > DRAWS_SHOWN or k > CATEGORIES_SHOWN:
        st.caption(
            f"On screen: the first {min(size, DRAWS_SHOWN)} of {size:,} draws, {min(k, CATEGORIES_SHOWN)} of {k:,} "
            "categories. The CSV holds all."
        )


def to_release_with(
    labels: Sequence[str], means: Sequence[ExpectedDistance], errors: Sequence[ReleaseErrors],
    risks: Sequence[GuessingRisk],
) -> None:
    """A row per mechanism that can release, the nearest first: what it is off by, and what it tells about a person."""
    nearest_first = {one.mechanism: place for place, one in enumerate(rising(means, lambda one: one.measured))}
    known = {one.mechanism: one.mean for one in means}
    table = pd.DataFrame(
        {
            "Mechanism": labels,
            "Mean H": [known.get(one.mechanism, math.nan) for one in errors],
            "Off by, points": [100 * one.mean_share for one in errors],
            "± points": [200 * one.mean_share_error for one in errors],
            "Right of 100, on average": [one.average_of_hundred for one in risks],
            "Right of 100, at worst": [one.worst_of_hundred for one in risks],
        }
    )
    order = sorted(range(len(errors)), key=lambda row: nearest_first.get(errors[row].mechanism, len(means)))
    table = table.iloc[order].reset_index(drop=True)
    columns = {title: _number(said) for title, said in _TO_RELEASE_WITH.items()}
    alt = "One row per mechanism: how far off a release would be, and how many guesses of 100 would be right"
    show(table, "to-release-with", _COMPARISON | columns, alt)


def release(rows: Sequence[Row], name: str) -> None:
    """A row per category of a release: what was released, and both posteriors with their 95 % intervals."""
    shown = [outwards(row) for row in rows[:CATEGORIES_SHOWN]]
    table = pd.DataFrame({title: [row[key] for row in shown] for key, title in _RELEASE.items()})
    table["Category"] = _distinct([words.plain(str(label)) for label in table["Category"]])
    columns = {title: _number(said) for title, said in _RELEASE_HELP.items()}
    show(
        table, name, columns, "One row per category: released count and both posteriors", lambda: pd.DataFrame(rows)
    )
    if len(rows) > CATEGORIES_SHOWN:
        st.caption(f"The first {CATEGORIES_SHOWN} of {len(rows):,} categories; the CSV holds all of them.")


def _parameters(labels: Sequence[str], sampled: Sequence[PrivatePosteriors], draws: int) -> pd.DataFrame:
    names = _distinct([f"alpha of {words.plain(label, 24)}" for label in labels])
    shown = [one.parameters[:draws] for one in sampled]
    return pd.DataFrame(
        {
            "Mechanism": [name_of(one.mechanism) for one, part in zip(sampled, shown, strict=True) for _ in part],
            "Draw": [place for part in shown for place in range(1, len(part) + 1)],
            "H": np.concatenate([one.distance[:draws] for one in sampled]),
            **{name: np.concatenate([part[:, i] for part in shown]) for i, name in enumerate(names)},
        }
    )


def _distinct(names: list[str]) -> list[str]:
    """The names, those that were cut to the same text told apart by their place.

    Again where that made another's name: each time one more ends in its place, so once for each name at most.
    """
    times = Counter(names)
    told = [name if times[name] == 1 else f"{name} ({i})" for i, name in enumerate(names, 1)]
    return told if told == names else _distinct(told)


def _for_a_room(table: pd.DataFrame, columns: dict[str, Any]) -> str:
    """The table as Markdown, numbers to the right."""
    kinds = ["---:" if pd.api.types.is_numeric_dtype(table[name]) else ":---" for name in table]
    cells = {name: [_cell(columns.get(name), value) for value in table[name]] for name in table}
    rows = [[words.escape(name) for name in table], kinds, *zip(*cells.values(), strict=True)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _cell(column: Any, value: Any) -> str:
    """One value as Markdown."""
    return words.escape(value) if isinstance(value, str) else _plain_cell(column, value)


def _plain_cell(column: Any, value: Any) -> str:
    """One value as its column writes it; a dash for what is not there."""
    if isinstance(value, str) or pd.isna(value):
        return value if isinstance(value, str) else _MISSING
    if _is_bound(column):
        return printed_bound(value)
    format = column["type_config"].get("format")
    if format is None:  # of no one kind
        return f"{value}"
    return f"{value:,}" if format == "localized" else format % value


def _number(help: str | None, format: str = _FOUR_DIGITS) -> Any:
    return NumberColumn(help=help, format=format)


def bound(help: str | None) -> Any:
    """A column of what is lost at most. It has no format, which would round to the nearest: see ``printed_bound``."""
    return NumberColumn(help=help)


def _with_bounds(table: pd.DataFrame, columns: Mapping[str, Any]) -> Any:
    """The table; where it has columns of bounds, with the text of each beside its value."""
    found = [name for name, column in columns.items() if _is_bound(column)]
    if not found:
        return table
    return table.style.format(printed_bound, subset=found, na_rep=_MISSING)


def _is_bound(column: Any) -> bool:
    return column["type_config"]["type"] == "number" and not column["type_config"].get("format")


def _even(column: Any, values: pd.Series) -> Any:
    """The column with one format for all its numbers, so that they are read down it: decimals, or powers of ten.

    As many decimals as give the largest number its digits and the smallest two, without zeros that all would end in.
    """
    digits = {_FOUR_DIGITS: 4, _AS_GIVEN: 6}.get(column["type_config"].get("format"))
    if digits is None:
        return column
    sizes = [abs(value) for value in values.tolist() if value is not None]  # NaN is neither above 0 nor below infinity
    sizes = [size for size in sizes if 0 < size < math.inf]
    return column | {"type_config": column["type_config"] | {"format": _format_of(sizes, digits)}}


def _wide_enough(name: str, column: Any, values: pd.Series) -> Any:
    if column.get("width"):
        return column
    longest = max(len(plain) for plain in (name, *(_plain_cell(column, value) for value in values)))
    return column | {"width": max(round(_CHARACTER * longest + _PADDING), _MECHANISM if name == "Mechanism" else 0)}


def _format_of(sizes: Sequence[float], digits: int) -> str:
    if all(size % 1 == 0 for size in sizes):
        return "%.0f"
    least, most = (math.floor(math.log10(size)) for size in (min(sizes), max(sizes)))
    if least < _LEAST_POWER or most > _LARGEST_POWER:
        return f"%.{digits - 1}e"
    decimals = max(digits - 1 - most, 1 - least, 0)
    while decimals and all(f"{size:.{decimals}f}".endswith("0") for size in sizes):
        decimals -= 1
    return f"%.{decimals}f"


_COMPARISON: dict[str, Any] = {
    "Guarantee": TextColumn(help="What is promised for one record replaced, and on what basis."),
    "Mean H": _number(None),
    limit.COLUMN: _number(limit.MEANING, "%.3f"),
    "P(truth)": _number("Probability that the release is the true posterior itself."),
    _WITHIN: _number(
        "Probability that the release is no farther from the truth than the local sensitivity LS(x), which is how far "
        "one replaced record can move the true posterior."
    ),
    "Mean L1": _number(
        "Mean sum of the absolute errors of the released counts, in records: twice the mean number of records moved. "
        f"Where the law is sampled, the mean of {DRAWS:,} draws."
    ),
    _BAND_WITHIN: _number("How far off it can be, with 95 % confidence, where the law is sampled; 0 elsewhere."),
    _ERROR: _number("Two standard errors of a mean that comes from draws; 0 where it is exact."),
    "P(blind)": _number("Probability that the release ignores the data: it does not depend on the counts at all."),
    "Law": TextColumn(help=words.LAW_KINDS_SAID),
}

_LOSSES: dict[str, Any] = {
    "Guarantee": _COMPARISON["Guarantee"],
    "Stated": bound("The epsilon that the mechanism is set to."),
    "Exact loss": bound("The largest log ratio of probabilities over all neighbouring datasets and all outputs."),
    "Unused": _number("The share of the stated epsilon that is not spent."),
    "Attained by": TextColumn(help="Two neighbouring datasets and the output whose odds move most."),
}

_GAINS = {
    "Loss before": "Exact privacy loss of the mechanism as it is.",
    "Loss after": "Exact privacy loss of the calibrated one: epsilon.",
    "Rate times": "What calibration multiplies the rate by; for noise on counts, what it divides the scale by.",
    "Mean H before": "Mean Hellinger distance between true and released posterior, as it is.",
    "Mean H after": "The same, calibrated.",
}

_CATEGORIES: dict[str, Any] = {
    "Prior alpha": _number("Pseudo-count of this category before any data."),
    "Prior expects": TextColumn(
        help="The prior predictive 95 % interval of this category's count among n records."
    ),
    "Count": _number("The true count: private.", "localized"),
    "True mean": _number("Mean of the true posterior."),
    "95 % from": _number("Lower end of the true posterior's 95 % interval."),
    "95 % to": _number("Upper end of the true posterior's 95 % interval."),
}

_TO_RELEASE_WITH = {
    "Mean H": "Mean Hellinger distance from the true posterior, over the data that the public prior expects. A dash: "
    "not private, or not known here.",
    "Off by, points": "Mean error of a share in percentage points, tried on some data made up from the prior.",
    "± points": "Two standard errors of it: what lies within them is no difference.",
    "Right of 100, on average": "Of 100 guesses of a person's answer, 50 of them right before the release, so many are "
    "right after it at most, averaged over releases.",
    "Right of 100, at worst": "The same after the worst possible release.",
}

_RELEASE = {
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
_RELEASE_HELP = {
    "Prior alpha": "Pseudo-count of this category before any data.",
    "Released": "The released count. The naive posterior's parameter is it plus the prior's.",
    "Naive mean": "Mean share by the posterior that takes the released counts for the true ones.",
    "Naive from": "Lower end of the 95 % interval that takes the released counts for the true ones.",
    "Naive to": "Its upper end.",
    "Aware mean": "Mean share by the posterior that knows about the noise.",
    "Aware from": "Lower end of the 95 % interval that knows about the noise.",
    "Aware to": "Its upper end.",
}

LEDGER_OF_RELEASES: dict[str, Any] = {
    "People": TextColumn(help="Whose answers were released, as named on this page. The budget is theirs."),
    "Question": TextColumn(help="As stated with the release. Empty: nothing was, and it is never read with others."),
    "Version": NumberColumn(help="Of the question's table: 1, or one more for each that was stated to be corrected."),
    "Guarantee": _COMPARISON["Guarantee"],
    "epsilon": bound(None),
    "delta": bound(None),
    "Release": TextColumn(help="kept: drawn and kept here; brought: from another ledger; broken off: a charge alone."),
}
