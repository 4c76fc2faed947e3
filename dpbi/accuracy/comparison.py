"""One row of the comparison of mechanisms: what is promised, and how near the truth the release is."""

from collections.abc import Iterable
from dataclasses import dataclass

from dpbi import limits
from dpbi.accuracy.distance_law import DistanceLaw
from dpbi.accuracy.order import Measured, foremost
from dpbi.mechanisms import Guarantee, Mechanism, PureDP
from dpbi.problem.problem import Problem
from dpbi.sensitivity import local_sensitivity


@dataclass(frozen=True, eq=False)
class Comparison:
    """A mechanism at one problem, in numbers.

    guarantee: for the problem's prior and n; measured: E[H] in [0, 1] with its standard error, of which ``mean`` and
    ``mean_error`` are the parts (the error can be 0 where the law is sampled);
    probability_of_truth: P(r = c); probability_within_local_sensitivity: P(H <= LS(c)), None where n = 0;
    mean_l1: E ||r - c||_1, in records; kind: "levels", "bins" or "sampled"; exact: all but the last;
    error: what P(H <= t) can be off by at any t (``DistanceLaw.cdf_error``): with 95 % confidence where the law is
    sampled, surely where it is in bins, 0 where every output has its row;
    probability_of_ignoring: that the release does not depend on the counts at all.
    """

    mechanism: Mechanism
    problem: Problem
    guarantee: Guarantee
    measured: Measured
    probability_of_truth: float
    probability_within_local_sensitivity: float | None
    mean_l1: float
    kind: str
    exact: bool
    error: float
    probability_of_ignoring: float = 0.0

    @property
    def mean(self) -> float:
        return self.measured.value

    @property
    def mean_error(self) -> float:
        return self.measured.error


def comparison_of(law: DistanceLaw) -> Comparison:
    """The row of one mechanism, from the law of its distance. Source: ours; the distances are [P17] section 7.2.1's."""
    problem = limits.instance("law", law, DistanceLaw, "a result of distance_law").problem
    return Comparison(
        law.mechanism,
        problem,
        law.mechanism.guarantee(problem.prior, problem.n),
        law.measured,
        law.probability_of_truth,
        law.cdf(local_sensitivity(problem)) if problem.n else None,
        2 * law.mean_steps,
        law.kind,
        law.exact,
        law.cdf_error,
        law.mechanism.probability_of_ignoring(problem),
    )


def nearest_private(rows: Iterable[Comparison]) -> tuple[Comparison, ...]:
    """The rows, in their order, whose mean distance no other is surely below (``order.foremost``).

    Pure guarantees by theorem or exhaustive check compete, claimed and approximate ones do not. Source: ours.
    """
    competing = [row for row in rows if isinstance(row.guarantee, PureDP) and row.guarantee.is_private]
    return tuple(foremost(competing, lambda row: row.measured))
