"""Noisy counts as they were read: what they are taken to be, what follows, and the files to take away.

Nothing in it is private: it is made of what was published, and of assumptions that are said.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpbi import limits
from dpbi.frozen_result import FrozenResult
from dpbi.inference.count_posterior import Marginal
from dpbi.inference.noisy_counts import NoisyCountsPosterior, noisy_counts_posterior
from dpbi.inference.ranking import Ranking
from dpbi.inference.total import Flat, Known, LogUniform, Total
from dpbi.mechanisms.printed_number import number
from dpbi.noise import NoiseLaw
from dpbi.posterior import dirichlet
from dpbi.version import __version__

FORMAT = "dpbi reading of noisy counts"
TITLE = "How noisy counts were read"
NOTHING_PRIVATE = (
    "Nothing private was used: only the published values and the assumptions above. Reading them costs no privacy, "
    "however often it is done."
)

SHARE_OF = "A share θ is one among people like these, of whom the counted are a sample"

_PRECISION = 1e-12  # of what is summed in double precision

Row = dict[str, str | float | int | None]


@dataclass(frozen=True)
class NoisyReading:
    """values: (k,), None where withheld; noise: a law for each; total: of n; measured: a noisy total of all cells with
    its law, or None."""

    prior: tuple[float, ...]
    values: tuple[float | None, ...]
    noise: tuple[NoiseLaw, ...]
    total: Total
    measured: tuple[float, NoiseLaw] | None = None

    def checked(self, labels: Sequence[str]) -> "NoisyReading":
        """Itself; ValueError, which names the category, for a value that its noise cannot have led to."""
        for label, value, law in zip(labels, self.values, self.noise, strict=True):
            law.check_value(f"The value of {limits.shown(label)}", value)
        if self.measured:
            self.measured[1].check_value("The measured total", self.measured[0])
        return self

    @property
    def laws(self) -> NoiseLaw | tuple[NoiseLaw, ...]:
        """One where all cells have the same."""
        return self.noise[0] if len(set(self.noise)) == 1 else self.noise

    @property
    def sums(self) -> tuple[tuple[range, float, NoiseLaw], ...]:
        return ((range(len(self.prior)), *self.measured),) if self.measured else ()

    def posterior(self) -> NoisyCountsPosterior:
        return noisy_counts_posterior(self.prior, self.values, self.laws, self.total, self.sums)

    @property
    def plain(self) -> NDArray[np.float64]:
        """What the values would give if they were true counts: prior + values, what is below 0 or withheld taken as
        0."""
        return np.array([alpha + max(value or 0.0, 0.0) for alpha, value in zip(self.prior, self.values, strict=True)])


def plain_intervals(parameters: NDArray[np.float64], mass: float = 0.95) -> tuple[NDArray[np.float64], ...]:
    """Mean, low and high of each share, of one Dirichlet distribution."""
    return dirichlet.mean(parameters), *dirichlet.interval(parameters, mass)


def counts_of(posterior: Any) -> NDArray[np.float64]:
    """Mean, low and high of each true count, (k, 3), the interval equal-tailed of 95 %; posterior: has marginals."""
    return np.array([(marginal.mean, *marginal.interval()) for marginal in posterior.marginals])


# --- what was assumed, in words ---


def law_words(law: NoiseLaw) -> str:
    """The law in plain words, with its standard deviation."""
    said = law.words
    return said if "standard deviation" in said or not law.sd else f"{said}, standard deviation {number(law.sd)}"


def noise_words(laws: Sequence[NoiseLaw]) -> str:
    different = list(dict.fromkeys(laws))
    if len(different) == 1:
        return law_words(different[0])
    sds = [law.sd for law in laws]
    said = "; ".join(law.words for law in different[:3]) + ("; and others" if len(different) > 3 else "")
    return f"a law for each value ({said}), standard deviations from {number(min(sds))} to {number(max(sds))}"


def total_words(total: Total, measured: tuple[float, NoiseLaw] | None) -> str:
    heard = f"measured as {_plain(measured[0])} with noise of its own ({law_words(measured[1])})" if measured else ""
    if measured and isinstance(total, Flat) and total.largest is None:
        return f"{heard}, and nothing else known of it"
    if isinstance(total, Known):
        said = f"known to be {total.n:,}"
    elif isinstance(total, Flat | LogUniform):
        each = "number" if isinstance(total, Flat) else "order of magnitude"
        said = f"unknown, every {each} being as probable before the values are seen"
    else:
        said = f"about {number(total.mean)}: Poisson with this mean before the values are seen"
    return f"{heard}; before that {said}" if measured else said


def prior_words(prior: Sequence[float]) -> str:
    if len(set(prior)) == 1:
        return f"Dirichlet, {number(prior[0])} for each of {len(prior):,} categories"
    return "Dirichlet, " + ", ".join(map(number, prior[:8])) + (", …" if len(prior) > 8 else "")


# --- files ---


@dataclass(frozen=True, eq=False)
class Outcome(FrozenResult):
    """All that a page shows of noisy counts. name: of what was brought; assumed: what was taken to be so, each with its
    words; laws: of the noise of each value in words, () where ``assumed`` says all; counts: mean and 95 % interval of
    each true count, (k, 3); intervals: of the noise-aware shares, by category; total: None where n is known; sd: None
    where not at hand."""

    name: str
    labels: tuple[str, ...]
    values: tuple[float | None, ...]
    plain: NDArray[np.float64]
    assumed: Mapping[str, str]
    mean: NDArray[np.float64]
    sd: NDArray[np.float64] | None
    counts: NDArray[np.float64]
    intervals: Mapping[int, tuple[float, float]]
    ranking: Ranking
    seed: int
    total: Marginal | None
    n: int | None
    error: float | None = None
    remarks: tuple[str, ...] = field(default=())
    laws: tuple[str, ...] = ()

    @property
    def rows(self) -> list[Row]:
        """One per category, in the order of what was brought."""
        mean, low, high = plain_intervals(self.plain)
        rank = self.ranking
        none = (None, None)
        return [{
            "category": label, "value": _written(value),
            **({"noise": self.laws[i]} if self.laws else {}), "mean": float(self.mean[i]),
            "sd": None if self.sd is None else float(self.sd[i]),
            "low": self.intervals.get(i, none)[0], "high": self.intervals.get(i, none)[1],
            "mean_count": float(self.counts[i, 0]), "count_low": int(self.counts[i, 1]),
            "count_high": int(self.counts[i, 2]), "first": float(rank.first[i]),
            "counted_first": float(rank.counted_first[i]), "rank": int(rank.middle[i]),
            "rank_low": int(rank.low[i]), "rank_high": int(rank.high[i]),
            "plain_mean": float(mean[i]), "plain_low": float(low[i]), "plain_high": float(high[i]),
        } for i, (label, value) in enumerate(zip(self.labels, self.values, strict=True))]  # fmt: skip

    @property
    def order(self) -> NDArray[np.int64]:
        """The categories by their mean shares, the largest first."""
        return np.argsort(-self.mean, kind="stable")

    @property
    def total_row(self) -> dict[str, float | int]:
        """Of n: mean and 95 % interval, or that it is known."""
        if self.total is None:
            return {"n": self.n or 0}
        low, high = self.total.interval()
        return {"mean": self.total.mean, "low": low, "high": high}


def reading_json(found: Outcome) -> str:
    """The outcome as JSON: what was assumed, the total, and a row per category."""
    return json.dumps({
        "format": FORMAT, "version": __version__, "read": found.name, "assumed": dict(found.assumed),
        "private_data_used": False, "interval_mass": 0.95, "shares": SHARE_OF, "total": found.total_row,
        "ranking": {"draws": found.ranking.draws, "seed": found.seed, "error": found.ranking.error},
        "error": found.error, "remarks": [*found.remarks], "categories": found.rows,
    }, indent=1, ensure_ascii=False)  # fmt: skip


def reading_markdown(found: Outcome) -> str:
    """The statement: what was read, under which assumptions, and what follows. Source: ours."""
    from dpbi.releases.statement import escaped

    lines = [f"# {TITLE}", "", f"Read: {escaped(found.name)}, {len(found.labels):,} categories.", "", "## Assumed", ""]
    lines += [f"- {escaped(name)}: {escaped(said)}" for name, said in found.assumed.items()]
    lines += ["", NOTHING_PRIVATE, "", "## What follows", ""]
    lines += [f"{escaped(remark)}\n" for remark in found.remarks]
    row = found.total_row
    if found.total is not None:
        lines += [f"Total: {row['mean']:,.1f}, 95 % from {row['low']:,} to {row['high']:,}.", ""]
    several = len({*found.laws}) > 1
    lines += [f"{SHARE_OF}; a count is of the counted themselves.", ""]
    lines += ["| Category | Value | Count | 95 % from | to | Share θ | 95 % from | to | P(θ is first) | "
              "P(count is first) | Ranks of θ, 95 % |" + " Noise |" * several,
              "|" + " --- |" * (11 + several)]  # fmt: skip
    for one in found.rows:
        low, high = ("–" if end is None else f"{end:.4g}" for end in (one["low"], one["high"]))
        value = "withheld" if one["value"] is None else _plain(one["value"])
        first, counted = (probability(one[name], found.ranking) for name in ("first", "counted_first"))
        lines.append(f"| {escaped(str(one['category']))} | {value} | {one['mean_count']:,.1f} | {one['count_low']:,} | "
                     f"{one['count_high']:,} | {one['mean']:.4g} | {low} | {high} | {first} | {counted} | "
                     f"{one['rank_low']} to {one['rank_high']} |" + f" {one.get('noise')} |" * several)
    lines += ["", "Counts and shares are means of the posterior with equal-tailed 95 % intervals. Ranks are "
              f"from {found.ranking.draws:,} draws (seed {found.seed}): a probability is within "
              f"{found.ranking.error:.2g} of its value with 95 % confidence."]  # fmt: skip
    if found.error is not None:
        lines.append(f"Any other probability is within {max(found.error, _PRECISION):.1g} of its value.")
    return "\n".join([*lines, "", f"dpbi {__version__}", ""])


def probability(p: Any, of: Ranking) -> str:
    """A probability from draws, which cannot tell it from 0 or 1 beyond ``Ranking.least``."""
    return f"below {of.least:g}" if p == 0 else f"above {1 - of.least:g}" if p == 1 else f"{p:.3g}"


def _written(value: float | None) -> float | int | None:
    return int(value) if value is not None and value % 1 == 0 else value


def _plain(value: Any) -> str:
    return f"{value:,.0f}" if value % 1 == 0 else f"{value:,.6g}"
