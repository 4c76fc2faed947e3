"""The exact privacy loss of a mechanism: not a bound on it, and where it is attained."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpbi import limits
from dpbi.mechanisms.audit import Audit
from dpbi.mechanisms.calibration import LARGEST, LEAST
from dpbi.mechanisms.mechanism import Mechanism, check_mechanism
from dpbi.mechanisms.printed_bound import printed_bound
from dpbi.problem.neighbours import RELATION

AnyMechanism = TypeVar("AnyMechanism", bound=Mechanism)

_SPARE = 1e-9  # share of epsilon that a calibrated mechanism leaves unspent, room for the solver's tolerance


@dataclass(frozen=True)
class PrivacyLoss:
    """max over neighbours c, c' and outputs r of log P_c(r) - log P_c'(r), for one prior and total count.

    epsilon: the loss, infinite where an output is possible under c alone; margin: its numerical error at most, so that
    epsilon + margin bounds the true loss; counts, neighbour, released: a pair and an output that attain it; found: by
    visiting every pair and output, or in closed form from the mechanism's structure; neighbours: the relation.
    """

    mechanism: Mechanism
    prior: tuple[float, ...]
    n: int
    epsilon: float
    margin: float
    counts: tuple[int, ...]
    neighbour: tuple[int, ...]
    released: tuple[int, ...]
    found: Literal["exhaustive", "closed form"]
    neighbours: str = RELATION

    @property
    def upper(self) -> float:
        """A bound on the true loss: the computed one plus its numerical margin."""
        return self.epsilon + self.margin


def privacy_loss(mechanism: Mechanism, prior: ArrayLike, n: int) -> PrivacyLoss:
    """The exact worst case over all neighbouring datasets and all outputs.

    An observer's odds between two neighbouring datasets change by a factor of at most e^loss, and by that factor for
    the pair and output named in the result. mechanism; prior (k,); n: total count (n = 0: loss 0).
    Raises ValueError where every pair cannot be visited, naming the size that can.
    Source: [P17] section 7.3 estimates it for given data; the exhaustive form is ours (README, "Privacy").
    """
    alpha, n = limits.check_prior(prior), limits.check_total(n)
    audit = check_mechanism(mechanism).audit(alpha, n)
    epsilon, counts, neighbour, released = audit.worst()
    margin = audit.margin(epsilon) if math.isfinite(epsilon) else 0.0  # that an output cannot be is no rounding
    return PrivacyLoss(mechanism, alpha, n, epsilon, margin, counts, neighbour, released, audit.found)


def privacy_profile(
    mechanism: Mechanism, prior: ArrayLike, n: int, epsilons: Iterable[float]
) -> NDArray[np.float64]:
    """delta(epsilon) = max over neighbours of sum_r (P_c(r) - e^epsilon P_c'(r))_+, exactly.

    The mechanism is (epsilon, delta(epsilon))-DP for this prior and n, and for no smaller delta. epsilons: >= 0 each.
    Returns one delta per epsilon; delta(0) is the largest total variation distance, delta(loss) is 0.
    Raises ValueError as ``privacy_loss``. Source: ours (README, "Privacy"); the hockey-stick divergence of Balle,
    Barthe and Gaboardi 2018.
    """
    alpha, n = limits.check_prior(prior), limits.check_total(n)
    listed = limits.sequence("epsilons", epsilons, "of numbers")
    values = np.array([limits.check_gamma(epsilon, "epsilons") for epsilon in listed])
    return check_mechanism(mechanism).audit(alpha, n).profile(values)


def calibrate(mechanism: AnyMechanism, prior: ArrayLike, n: int) -> AnyMechanism:
    """The same mechanism with its rate (its noise's decay) multiplied until the exact loss equals its epsilon.

    The multiplier depends on the mechanism, the prior and n alone, so nothing of the counts enters; the exhaustive
    check at that multiplier is the certificate: computed loss plus numerical margin is at most epsilon. It refuses
    any other (prior, n). n = 0 has no loss to spend and leaves the mechanism as it is.
    Raises ValueError as ``privacy_loss``. Source: ours; it follows [P17] section 8, direction 2. The loss grew with the
    multiplier in every case tried, which is not proved: the final multiplier is verified, not inferred.
    """
    alpha, n = limits.check_prior(prior), limits.check_total(n)
    plain = replace(check_mechanism(mechanism), calibration=None)
    audit = plain.audit(alpha, n)
    return plain if n == 0 else replace(plain, calibration=(calibrated_multiplier(audit, mechanism.epsilon), alpha, n))


def calibrated_multiplier(audit: Audit, epsilon: float) -> float:
    """What all rates of an audit are multiplied by so that the loss with its margin is epsilon, to 1e-9, or less.

    audit: of n >= 1; epsilon: > 0. Source: as ``calibrate``.
    """
    from scipy.optimize import brentq

    lost: list[float] = []

    def spare(multiplier: float) -> float:
        lost.append(audit.worst(multiplier)[0])
        return epsilon * (1 - _SPARE) - lost[-1] - audit.margin(lost[-1])

    low = high = 1.0
    why = (f"no multiple of its strength between {LEAST:g} and {LARGEST:g} was found to lose epsilon = "
           f"{printed_bound(epsilon)}.")
    try:
        while high <= LARGEST and spare(high) > 0:
            low, high = high, 2 * high
        while low >= LEAST and spare(low) < 0:
            low, high = low / 2, low
    except ValueError as refusal:
        low, why = 0.0, f"not every strength that is needed can be tried. {limits.opened(str(refusal))}"
    if low < LEAST or high > LARGEST:
        raise ValueError("This mechanism cannot be calibrated here: " + (
            "its loss is infinite at every strength tried." if min(lost, default=0.0) == np.inf else why))
    multiplier = float(brentq(spare, low, high, xtol=1e-12, rtol=1e-12))
    while spare(multiplier) < -_SPARE / 2 * epsilon:
        multiplier *= 1 - _SPARE
    return multiplier
