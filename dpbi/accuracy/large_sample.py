"""How far off a release is with many records, in closed form: lim sqrt(8 n) E[H] at fixed shares p.

Shares p, all above 0, are kept while n grows. Then sqrt(8 n) H -> ||delta||_p of the steps delta = r - c, which have a
limiting law of their own (``mechanisms.large_sample``), and E[H] is value / sqrt(8 n). At k = 2, with the mechanism's
epsilon, m_p = 1 / sqrt(p_1 p_2) and q = e^{-epsilon / 2 s}, s = 1 (EHDL, EHDNRS) or 1 + gamma (EHDS):

    exponential      m_p / sinh(epsilon / 2 s),   P(within j steps) = 1 - 2 q^{j+1} / (1 + q),   N(n) -> (1+q) / (1-q)
    LSHist, LSDim    m_p coth(epsilon / 2) / 2, m_p coth(epsilon / 4) / 2
    Geometric, KNorm m_p / sinh(epsilon), the least of any epsilon-DP mechanism

so that EHDL over LSHist tends to 2 / cosh(epsilon / 2), and is nearer only from epsilon = 2 arcosh 2 = 2.634 on; over
LSDim to sech^2(epsilon / 4) < 1; EHDS at gamma = 1 over LSDim to 2 / cosh(epsilon / 4), nearer from 5.268 on.

Theorem, by dominated convergence: for the exponential mechanisms rate H >= const min(|delta|, sqrt n) uniformly (see
their ``large_sample_law``); for noise, sqrt(8 n) H <= const |delta| where no count falls by half, which fails with a
probability that falls exponentially in n. **Evidence** is how fast: the limits are approached like 1 / n where it was
computed (like 1 / sqrt(n) where the total is noisy too, as steps along p change little but the total), after n has
outgrown what candidates far off weigh, about n^{k-1} e^{-epsilon sqrt(8 n) / (2 s m_p)}.
N(n), the least normaliser of all data of size n, at k = 2, a theorem: along least data either both counts grow, and
H / LS -> |delta| for each delta, so that by Fatou's lemma no less than coth(epsilon / 4 s) is left; or one stays
bounded, LS does not fall, and each of n + 1 candidates keeps its weight. Data at fixed shares attain it.
Source: ours. It answers the first open question of [P17] section 8 for many records, gives the N(n) that section 6.2
leaves open and the lower bound that [D20] does not find below Theorem 4.5; that M_H "approaches the improved Laplace
mechanism" ([P17] section 7.2) it refutes.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction

from numpy.typing import ArrayLike
from scipy import special

from dpbi import limits
from dpbi.accuracy.curves import AccuracyCurve
from dpbi.accuracy.error import Evaluate, ExpectedError, expected_error
from dpbi.accuracy.order import Measured, tied
from dpbi.data.synthesis import apportioned
from dpbi.mechanisms.large_sample import STEPS_LARGEST, LargeSampleLaw, check_shares, largest_step
from dpbi.mechanisms.mechanism import Mechanism, check_mechanism
from dpbi.problem.problem import Problem, check_problem

_FINE = 1e-9  # relative width to which a threshold is narrowed


@dataclass(frozen=True)
class LargeSampleError:
    """The limit of sqrt(8 n) E[H] as n grows at fixed shares.

    mechanism, shares: as asked for; measured: the limit, with the half width of a bracket that surely holds it where it
    is a lattice sum; ``value`` is its number; law: of the steps.
    """

    mechanism: Mechanism
    shares: tuple[float, ...]
    measured: Measured
    law: LargeSampleLaw = field(repr=False)

    @property
    def value(self) -> float:
        return self.measured.value

    @property
    def formula(self) -> str:
        """The value over m_p in closed form; "" where it is a sum."""
        return self.law.formula

    def at(self, n: int) -> float:
        """What E[H] is near at n >= 1 records: value / sqrt(8 n); no bound, and above 1 where n is too small for it."""
        return self.value / math.sqrt(8 * limits.whole_number("n", n, 1, limits.TOTAL_LARGEST))

    def within(self, steps: int) -> Measured:
        """The limit of P(a release is at most so many steps from the truth): ||r - c||_1 / 2 <= steps.

        At 0 it is the limit of 1 / N(n) for an exponential mechanism, N(n) its normaliser.
        """
        value, half_width = self.law.within(limits.whole_number("steps", steps, 0, STEPS_LARGEST))
        return Measured(value, half_width=half_width)


def large_sample_error(mechanism: Mechanism, shares: ArrayLike) -> LargeSampleError:
    """lim sqrt(8 n) E[H] of a mechanism as n grows at fixed shares, whatever the prior: in closed form at k = 2, as a
    lattice sum with a bound of what it leaves out else.

    mechanism: without calibration; shares: (k,), above 0, of sum 1. Returns a ``LargeSampleError``. Raises ValueError
    where the mechanism has no such limit (EHD: its E[H] tends to 1), and where too many steps would have to be summed.
    A theorem (see the module). Source: ours; [P17] section 8, first question.
    """
    law = check_mechanism(mechanism).large_sample_law(shares)
    value, half_width = law.mean_norm()
    return LargeSampleError(mechanism, law.shares, Measured(value, half_width=half_width), law)


def least_large_sample_error(shares: ArrayLike, epsilon: float) -> float:
    """The least lim sqrt(8 n) of the mean H that an epsilon-DP mechanism can have on average over the data around n p,
    for two categories: m_p / sinh(epsilon), which geometric noise attains.

    Theorem: by that of ``limit_of_privacy``, for weights 1 on |i - n p| <= W, the least is sum_t lam_t min_r sum_i w_i
    H(i, r) a^|i-t|; there sqrt(8 n) H(i, r) -> m_p |i - r|, whose mean is least at r = t, and W -> infinity after n.
    At given data it would be 0, by publishing a guess. Raises ValueError for k > 2, where it is not known.
    shares: (2,); epsilon > 0. Source: ours.
    """
    p, epsilon = check_shares(shares), limits.check_epsilon(epsilon)
    if len(p) != 2:
        raise ValueError(f"The limit of privacy for many records is known for two categories: got shares of {len(p)}.")
    return largest_step(p) * _over_sinh(epsilon)


def least_average_large_sample_error(prior: ArrayLike, epsilon: float) -> float:
    """lim sqrt(8 n) L(prior, n, epsilon), L the limit of privacy: E[1 / sqrt(theta_1 theta_2)] / sinh(epsilon), theta
    from the prior, for two categories: B(alpha_1 - 1/2, alpha_2 - 1/2) / B(alpha_1, alpha_2) / sinh(epsilon).

    Theorem, by Fatou's lemma from below and geometric noise from above. infinity where a parameter is at most 1/2, as
    under Jeffreys' prior: L then falls more slowly than 1 / sqrt(n). Raises ValueError for k > 2.
    prior: (2,); epsilon > 0. Source: ours.
    """
    alpha, epsilon = limits.check_prior(prior), limits.check_epsilon(epsilon)
    if len(alpha) != 2:
        raise ValueError(f"The limit of privacy for many records is known for two categories: got {len(alpha)} "
                         "parameters of the prior.")
    if min(alpha) <= 0.5:
        return math.inf
    # B(a - 1/2, b - 1/2) / B(a, b) = (a + b - 1) / [Γ(a)/Γ(a - 1/2)] / [Γ(b)/Γ(b - 1/2)]
    ratios = special.poch([one - 0.5 for one in alpha], 0.5)
    return float((sum(alpha) - 1) / ratios.prod()) * _over_sinh(epsilon)


def _over_sinh(epsilon: float) -> float:
    return 2 * math.exp(-epsilon) / -math.expm1(-2 * epsilon)


@dataclass(frozen=True)
class LargeSampleThreshold:
    """From ``epsilon`` on ``ahead`` is nearer than ``behind`` with many records, up to there it was not."""

    ahead: Mechanism
    behind: Mechanism
    epsilon: float


@dataclass(frozen=True)
class LargeSampleBoard:
    """Who is nearest with many records, at each epsilon.

    shares, epsilons: as asked for; mechanisms: those that have a limit, at their own epsilon; errors: of each of them,
    the limits of sqrt(8 n) E[H] at the epsilons; least: the limit of privacy in the same scale where it is known, at
    k = 2; thresholds: where two change places, rising; refused: why the other mechanisms are not there.
    """

    shares: tuple[float, ...]
    epsilons: tuple[float, ...]
    mechanisms: tuple[Mechanism, ...]
    errors: tuple[tuple[Measured, ...], ...]
    least: tuple[float, ...] | None
    thresholds: tuple[LargeSampleThreshold, ...]
    refused: tuple[tuple[Mechanism, str], ...]


def large_sample_board(
    mechanisms: Sequence[Mechanism], shares: ArrayLike, epsilons: Sequence[float]
) -> LargeSampleBoard:
    """The limits of sqrt(8 n) E[H] along epsilon, and where two mechanisms change places.

    mechanisms: at any epsilon, which varies; shares: (k,); epsilons: rising, between which changes are looked for, the
    place then narrowed to a relative 1e-9: two changes between neighbours go unseen. A mechanism without a limit at one
    of the epsilons is left out and said. Raises ValueError for bad arguments. Source: ours.
    """
    every = [check_mechanism(one) for one in limits.sequence("mechanisms", mechanisms, "of mechanisms")]
    places = [limits.check_epsilon(one, "epsilons") for one in limits.sequence("epsilons", epsilons, "of numbers")]
    if sorted(set(places)) != places:
        raise ValueError(f"epsilons must rise: got {limits.shown(places)}.")
    p = check_shares(shares)
    along: dict[Mechanism, tuple[Measured, ...]] = {}
    refused = {}
    for one in dict.fromkeys(every):
        try:
            along[one] = tuple(_error(one, p, epsilon) for epsilon in places)
        except ValueError as why:
            refused[one] = str(why)
    found = [threshold for one, other in itertools.combinations(along, 2)
             for threshold in _thresholds((one, along[one]), (other, along[other]), p, places)]
    least = tuple(least_large_sample_error(p, epsilon) for epsilon in places) if len(p) == 2 else None
    return LargeSampleBoard(p, tuple(places), tuple(along), tuple(along.values()), least,
                            tuple(sorted(found, key=lambda one: one.epsilon)), tuple(refused.items()))


def _error(mechanism: Mechanism, shares: tuple[float, ...], epsilon: float) -> Measured:
    return large_sample_error(replace(mechanism, epsilon=epsilon), shares).measured


_Along = tuple[Mechanism, tuple[Measured, ...]]


def _thresholds(
    one: _Along, other: _Along, shares: tuple[float, ...], places: Sequence[float]
) -> Iterator[LargeSampleThreshold]:
    order = [(at, math.copysign(1, mine.value - theirs.value))
             for at, mine, theirs in zip(places, one[1], other[1], strict=True) if not tied(mine, theirs)]
    for (low, before), (high, after) in itertools.pairwise(order):
        if before != after:
            ahead, behind = (other[0], one[0]) if after > 0 else (one[0], other[0])
            while high > low * (1 + _FINE):
                middle = math.sqrt(low * high)
                nearer = _error(ahead, shares, middle).value < _error(behind, shares, middle).value
                low, high = (low, middle) if nearer else (middle, high)
            yield LargeSampleThreshold(ahead, behind, high)


@dataclass(frozen=True)
class LargeSampleApproach:
    """How E[H] nears its limit: means at sizes that grow, exact where they can be (``ExpectedError``).

    prior: it drops out in the limit alone; limit: with mechanism and shares; sizes, errors: n and E[H] there, the
    counts nearest to n p.
    """

    prior: tuple[float, ...]
    limit: LargeSampleError
    sizes: tuple[int, ...]
    errors: tuple[ExpectedError, ...]

    @property
    def scaled(self) -> tuple[float, ...]:
        """sqrt(8 n) E[H]."""
        return tuple(math.sqrt(8 * n) * error.high for n, error in zip(self.sizes, self.errors, strict=True))

    @property
    def gaps(self) -> tuple[float, ...]:
        """n times the relative distance from the limit: where it settles, the limit is approached like 1 / n."""
        return tuple(n * (scaled / self.limit.value - 1) for n, scaled in zip(self.sizes, self.scaled, strict=True))


def large_sample_approach(
    mechanism: Mechanism, prior: ArrayLike, shares: ArrayLike, sizes: Sequence[int],
    evaluate: Evaluate = expected_error,
) -> LargeSampleApproach:
    """sqrt(8 n) E[H] at finite n, beside its limit: evidence of how fast it is reached, no bound.

    prior, shares: (k,); sizes: n, rising; evaluate: what answers for a point, so that answers can be kept.
    Raises ValueError as ``large_sample_error`` and ``expected_error``. Source: ours.
    """
    limit, alpha = large_sample_error(mechanism, shares), limits.check_prior(prior)
    limits.check_function("evaluate", evaluate)
    given = limits.sequence("sizes", sizes, "of numbers of records")
    totals = sorted({limits.whole_number("sizes", n, 1, limits.TOTAL_LARGEST) for n in given})
    exactly = [Fraction(p) for p in limit.shares]
    errors = tuple(evaluate(mechanism, Problem(alpha, apportioned(exactly, n)), "hellinger") for n in totals)
    return LargeSampleApproach(alpha, limit, tuple(totals), errors)


def large_sample_limits(curves: Sequence[AccuracyCurve], problem: Problem) -> tuple[LargeSampleError, ...]:
    """What curves of the mean distance along n tend to, at the problem's own shares: of each that has a limit.

    curves: at the problem; those along something else, and of another metric, have none, nor has any where a count is
    0, as its share must be above 0. Source: ours.
    """
    n = check_problem(problem).n
    shares = [count / n for count in problem.counts] if n else []
    found = []
    for curve in limits.sequence("curves", curves, "of results of accuracy_curve"):
        limits.instance("curves", curve, AccuracyCurve, "results of accuracy_curve")
        if curve.axis.name == "n" and curve.metric == "hellinger" and min(shares, default=0.0) > 0:
            with suppress(ValueError):  # it has none
                found.append(large_sample_error(curve.mechanism, shares))
    return tuple(found)
