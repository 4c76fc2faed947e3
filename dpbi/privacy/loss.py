"""The exact privacy loss of a mechanism: not a bound on it, and where it is attained."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpbi import limits
from dpbi.mechanisms.audit import Audit
from dpbi.mechanisms.calibration import LARGEST, LEAST, check_allowed
from dpbi.mechanisms.mechanism import Mechanism, check_mechanism
from dpbi.mechanisms.printed_bound import printed_bound
from dpbi.problem.neighbours import RELATION

AnyMechanism = TypeVar("AnyMechanism", bound=Mechanism)

_SPARE = 1e-9  # share of epsilon or delta that a calibrated mechanism leaves unspent, room for the solver's tolerance


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


def calibrate(mechanism: AnyMechanism, prior: ArrayLike, n: int, *, delta: float = 0.0) -> AnyMechanism:
    """The same mechanism with its rate (its noise's decay) multiplied until the exact loss equals its epsilon; with a
    delta, until the exact delta(epsilon) = max over neighbours of sum_r (P_c(r) - e^epsilon P_c'(r))_+ equals it.

    The multiplier depends on the mechanism, the prior, n and delta alone, so nothing of the counts enters; the
    exhaustive check at that multiplier is the certificate: computed loss plus numerical margin is at most epsilon, or
    delta(epsilon) plus margin at most delta. What comes of a delta > 0 promises (epsilon, delta), never epsilon alone,
    even where delta is too small to raise the rate. It refuses any other (prior, n). n = 0 has no loss to spend and
    leaves the mechanism as it is. delta: 0, or in (0, 1); one below about 1e-9 is less than the margin, and then the
    exact delta may be lower, or 0.
    Raises ValueError as ``privacy_loss``. Source: ours; it follows [P17] section 8, direction 2 (with a delta
    too). Loss and delta grew with the multiplier in every case tried, which is not proved: the final multiplier is
    verified, not inferred.
    """
    alpha, n, delta = limits.check_prior(prior), limits.check_total(n), check_allowed(delta)
    plain = replace(check_mechanism(mechanism), calibration=None)
    audit = plain.audit(alpha, n)
    if n == 0:
        return plain
    found = calibrated_multiplier(audit, mechanism.epsilon, delta), alpha, n
    return replace(plain, calibration=(*found, delta) if delta else found)


def calibrated_multiplier(audit: Audit, epsilon: float, delta: float = 0.0) -> float:
    """What all rates of an audit are multiplied by so that the loss with its margin is epsilon, to 1e-9, or less; with
    a delta > 0, so that delta(epsilon) with its margin is delta or less.

    audit: of n >= 1; epsilon: > 0; delta: in [0, 1). Source: as ``calibrate``.
    """
    from scipy.optimize import brentq

    lost: list[float] = []

    def spare(multiplier: float) -> float:
        if delta:  # in logarithms, which are nearer to a line
            return math.log(delta * (1 - _SPARE)) - math.log(max(audit.largest_delta(epsilon, multiplier), delta / 3))
        lost.append(audit.worst(multiplier)[0])
        return epsilon * (1 - _SPARE) - lost[-1] - audit.margin(lost[-1])

    low = high = 1.0
    why = (f"no multiple of its strength between {LEAST:g} and {LARGEST:g} was found to lose epsilon = "
           f"{printed_bound(epsilon)}.")
    if delta:  # noise that is rounded down can leave neighbours alike however little of it there is
        why = (f"at every strength tried, up to {LARGEST:g} times its own, its delta at epsilon = "
               f"{printed_bound(epsilon)} stays below delta = {printed_bound(delta)}. Choose a smaller delta.")
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
    tolerance = 1e-15 if delta else 1e-12  # where noise spends nearly all of epsilon delta rises from 0 at once
    multiplier = float(brentq(spare, low, high, xtol=tolerance, rtol=tolerance))
    while spare(multiplier) < -_SPARE / 2 * (1 if delta else epsilon):
        multiplier *= 1 - _SPARE
    return multiplier
