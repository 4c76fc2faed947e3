"""What a release is worth to someone who guesses a person's answer, in cases of a hundred; and the best attacker.

The one who guesses knows every record but one, and holds two answers of that person for equally likely: 50 of 100
guesses are right. Two neighbouring datasets are to be told apart.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpbi import limits
from dpbi.mechanisms import ApproximateDP, Guarantee, Mechanism, NotPrivate, check_mechanism
from dpbi.mechanisms.listing import Listing, listing
from dpbi.privacy.loss import privacy_loss, privacy_profile
from dpbi.problem import Problem, check_problem, steps_between

_ROUNDING = 1e-9  # of delta(0) and of a total variation, sums of doubles
_PAIRS = 200_000  # of two datasets and releases: listed at each of a slider's epsilons within seconds


@dataclass(frozen=True)
class GuessingRisk:
    """How often the best guess is right after a release, for the worst pair of neighbours, as shares in [1/2, 1].

    average: over releases; worst: after the worst possible release; exact: from the exact laws for this prior and n,
    else a bound that follows from the guarantee. Both are rounded up, and hold for the law that is really drawn from.
    """

    average: float
    worst: float
    exact: bool

    @property
    def average_of_hundred(self) -> int:
        """Whole cases of 100, rounded up: 50 to 100."""
        return of_hundred(self.average)

    @property
    def worst_of_hundred(self) -> int:
        return of_hundred(self.worst)

    @property
    def words(self) -> str:
        """Both, as people count."""
        average, worst = (f"in at most {of} of 100" if of < 100 else "perhaps in all 100"
                          for of in (self.average_of_hundred, self.worst_of_hundred))
        return (
            "Someone who knows all other records and would have guessed this person's answer right in 50 of 100 cases "
            f"is right {average} after the release, averaged over what may be released; after the worst possible "
            f"release {worst}."
        )


def guessing_risk(mechanism: Mechanism, prior: ArrayLike, n: int) -> GuessingRisk:
    """(1 + delta(0)) / 2 on average, and e^loss / (1 + e^loss) after the worst release.

    Of two equally likely datasets the likelier is right with probability (1 + TV) / 2, TV the total variation distance
    of the two laws, and delta(0) is the largest TV of neighbours. After a release r the odds are P_c(r) / P_c'(r), at
    most e^loss. The draw's rounding moves any log probability by at most rounding / 2: that is added.
    prior (k,); n: total count. Where not every pair of datasets can be visited, the bound of ``risk_of`` the guarantee.
    Raises ValueError for arguments that cannot be. Source: ours; the first is Le Cam's, as in Wasserman and Zhou 2010.
    """
    alpha, n = limits.check_prior(prior), limits.check_total(n)
    promised = risk_of(check_mechanism(mechanism).guarantee(alpha, n))
    try:
        loss = privacy_loss(mechanism, alpha, n).upper
        delta = float(privacy_profile(mechanism, alpha, n, [0.0])[0])
        rounding = mechanism.rounding(alpha, n)
    except ValueError:
        return promised
    total_variation = min(1.0, delta + math.expm1(rounding / 2) + _ROUNDING) if n else 0.0
    worst = _from_odds(loss + rounding)
    return GuessingRisk(min((1 + total_variation) / 2, worst), worst, exact=True)


@dataclass(frozen=True)
class BestGuess:
    """How often the best guess is right, after a release, which of two neighbouring datasets it was made from.

    Both are equally likely before. share: in [1/2, 1], (1 + TV) / 2 of their two laws where ``exact``, else a bound for
    any two neighbours; rounded up.
    """

    mechanism: Mechanism
    problem: Problem
    neighbour: Problem
    share: float
    exact: bool

    @property
    def of_hundred(self) -> int:
        """Whole cases of 100, rounded up: 50 to 100."""
        return of_hundred(self.share)


def best_guess(mechanism: Mechanism, problem: Problem, neighbour: Problem) -> BestGuess:
    """(1 + TV) / 2, TV = 1/2 sum_r |P_c(r) - P_c'(r)|: the likelier dataset is guessed.

    problem, neighbour: of one prior, one record replaced. Where they and their releases are more than 200,000 pairs,
    the bound that follows from the guarantee (``risk_of``). Raises ValueError for two that are no neighbours, and for a
    mechanism calibrated for another prior or n.
    Source: Le Cam's, as in Wasserman and Zhou 2010.
    """
    return guess_from(listed_pair(mechanism, problem, neighbour), mechanism, problem, neighbour)


def listed_pair(mechanism: Mechanism, problem: Problem, neighbour: Problem) -> Listing | None:
    """All releases with their probabilities under both; None where they are too many. ValueError as ``best_guess``."""
    check_pair(problem, neighbour)
    return listing(check_mechanism(mechanism), problem.prior, np.array([problem.counts, neighbour.counts]), _PAIRS)


def guess_from(found: Listing | None, mechanism: Mechanism, problem: Problem, neighbour: Problem) -> BestGuess:
    """``best_guess``, of the pair's list."""
    if found is None:
        bound = risk_of(mechanism.guarantee(problem.prior, problem.n)).average
        return BestGuess(mechanism, problem, neighbour, bound, exact=False)
    here, there = found.law
    share = min(1.0, (1 + float(np.abs(here - there).sum()) / 2) / 2 + _ROUNDING)
    return BestGuess(mechanism, problem, neighbour, share, exact=True)


def check_pair(problem: Problem, neighbour: Problem) -> None:
    """ValueError unless the two are of one prior and differ by one replaced record."""
    if check_problem(problem).prior != check_problem(neighbour, "neighbour").prior:
        raise ValueError("problem and neighbour must have one prior: got "
                         f"{limits.shown(problem.prior)} and {limits.shown(neighbour.prior)}.")
    moved = steps_between(np.array(problem.counts), np.array(neighbour.counts))
    if problem.n != neighbour.n or moved != 1:
        raise ValueError("problem and neighbour must differ by one replaced record: got counts "
                         f"{limits.shown(problem.counts)} and {limits.shown(neighbour.counts)}.")


def risk_of(guarantee: Guarantee) -> GuessingRisk:
    """What follows from a guarantee alone, for any prior and n it holds for.

    epsilon-DP: e^epsilon / (1 + e^epsilon) at worst, and on average too (TV <= tanh(epsilon / 2)). (epsilon, delta)-DP:
    TV <= (e^epsilon - 1 + 2 delta) / (e^epsilon + 1), and nothing at worst. No guarantee: nothing.
    Source: Kairouz, Oh and Viswanath 2015, their region for one release.
    """
    if isinstance(guarantee, NotPrivate):
        return GuessingRisk(1.0, 1.0, exact=False)
    delta = guarantee.delta if isinstance(guarantee, ApproximateDP) else 0.0
    pure = _from_odds(guarantee.epsilon)
    average = min(1.0, pure + delta * (1 - pure))
    return GuessingRisk(average, 1.0 if delta else pure, exact=False)


def of_hundred(share: float) -> int:
    """The share as whole cases of 100, never below it but for a millionth of a case: 50 stays 50."""
    return min(100, math.ceil(100 * share - 1e-6))


def trade_off(epsilons: ArrayLike, deltas: ArrayLike, false_alarms: ArrayLike) -> NDArray[np.float64]:
    """The least share of missed alarms that any test of two neighbours can have at each share of false alarms.

    f(a) = max over epsilon of max(0, 1 - delta(epsilon) - e^epsilon a, e^{-epsilon} (1 - delta(epsilon) - a)): by the
    Neyman-Pearson lemma 1 - delta - e^epsilon a supports the curve at the test that rejects where the likelihood ratio
    is above e^epsilon. epsilons, deltas (m,): of ``privacy_profile``, from 0 to the loss; false_alarms: in [0, 1].
    Between the epsilons given the curve is cut short by chords below it: never above the true one. Returns as many
    shares. Source: Dong, Roth and Su 2022, proposition 6; Wasserman and Zhou 2010.
    """
    at = limits.number_array("false_alarms", false_alarms)
    slopes = np.exp(-limits.number_array("epsilons", epsilons))
    left = 1 - limits.number_array("deltas", deltas)
    with np.errstate(divide="ignore", invalid="ignore"):  # e^epsilon beyond all doubles: 0 at no false alarms
        steep = np.where(at.ravel() == 0, 0.0, at.ravel() / slopes[:, None])
    few = (left[:, None] - steep).max(axis=0)
    many = (slopes[:, None] * (left[:, None] - at.ravel())).max(axis=0)
    return np.maximum(0.0, np.maximum(few, many)).reshape(at.shape)


def _from_odds(log_odds: float) -> float:
    return 1 / (1 + math.exp(-log_odds))
