"""The sentences of Home: who is nearest, who is not in the running, what calibration could do."""

from collections.abc import Mapping, Sequence

from dpbi import ApproximateDP, LimitComparison, NotPrivate, Problem, name_of, printed_bound
from dpbi.accuracy.comparison import Comparison, nearest_private
from dpbi.accuracy.order import LEFT_OUT, lead
from dpbi.dashboard.words import words
from dpbi.mechanisms.printed_number import listed, number

COLUMNS = (
    "**P(truth)**: how probably the truth itself is released. **× limit**: the mean distance under the prior, in times "
    f"the least there can be at this epsilon ([more]({words.COLUMNS_EXPLAINED}))."
)


def best(rows: Sequence[Comparison], problem: Problem) -> str:
    """Which mechanisms to name here, in one sentence: the nearest of those that are proved to be private."""
    if problem.n == 0:
        return "There are no records (n = 0): every mechanism releases the prior itself, and nothing can leak."
    found = nearest_private(rows)
    if not found:
        return "No chosen mechanism has a proved pure guarantee."
    nearer = any(lead(row.measured, found[0].measured) > 0 for row in rows)
    ahead = f"Nearest to the truth here{', of those proved to be private without a delta' if nearer else ''}"
    each: dict[str, list[str]] = {}
    for row in found:
        facts = f"{row.guarantee.words}, {_mean(row)}"
        each.setdefault(facts, []).append(f"**{name_of(row.mechanism)}**")
    alike = ", too close to tell apart" if len(found) > 1 else ""
    parts = [f"{listed(names)} ({'each ' if len(names) > 1 else ''}{facts})" for facts, names in each.items()]
    return f"{ahead if len(rows) > 1 else 'Shown'}: {'; '.join(parts)}{alike}."


def _mean(row: Comparison) -> str:
    if not row.measured.exact:
        return f"a sampled mean distance of {words.measured(row.measured)}"
    return f"an exact mean distance of {number(row.mean)}" if row.mean else f"a mean distance below {LEFT_OUT:g}"


def columns(averages: LimitComparison | None) -> str:
    """What stands beside the picture's rows, and why a number of them is not there; averages: None as yet unknown."""
    missing = "" if averages is None or averages.limit.value is not None else f" –: {averages.limit.reason}"
    return f"{COLUMNS}{missing}"


def besides(rows: Sequence[Comparison], problem: Problem) -> str:
    """What the best one is not compared with; "" where there is nothing to add."""
    if problem.n == 0:
        return ""
    beside = {
        "only claimed to be private, so not in the running":
            [name_of(row.mechanism) for row in rows if row.guarantee.basis == "claim"],
        "proved to be private but for a delta, so not in the running":
            [name_of(row.mechanism) for row in rows
             if isinstance(row.guarantee, ApproximateDP) and row.guarantee.is_private],
        "not private: shown for contrast only":
            [name_of(row.mechanism) for row in rows if isinstance(row.guarantee, NotPrivate)],
    }  # fmt: skip
    return " ".join(f"{listed(names)} {_verb(names)} {said}." for said, names in beside.items() if names)


def calibration_hint(spent: Mapping[str, float], epsilon: float) -> str:
    """What there is to gain from calibration; spent: exact losses below epsilon."""
    each = listed(f"{name} loses {printed_bound(loss)}" for name, loss in spent.items())
    them = "it loses" if len(spent) == 1 else "each of them loses"
    return (
        f"Not all of epsilon = {printed_bound(epsilon)} is spent: {each}. **Calibrated** (in the sidebar, where "
        f"{' or '.join(spent)} opens below the mechanisms) {them} exactly epsilon, and the release is often nearer to "
        "the truth."
    )


def _verb(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"
