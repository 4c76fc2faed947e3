"""A mechanism's rate raised, for one prior and n, until its exact loss is epsilon, or its delta(epsilon) is delta."""

from functools import lru_cache
from typing import Any

from dpbi import limits
from dpbi.mechanisms.guarantee import ApproximateDP, PureDP
from dpbi.mechanisms.printed_bound import printed_bound

# multiplier of the rate (of the noise's decay), prior, n: what the exhaustive check was made for; delta where not 0
Calibration = tuple[float, tuple[float, ...], int] | tuple[float, tuple[float, ...], int, float]
LEAST, LARGEST = 1e-12, 1e12  # of a multiplier


def check_calibration(calibration: Any) -> Calibration | None:
    """None, or (multiplier, prior, n) or (multiplier, prior, n, delta > 0) as plain numbers; ValueError for anything
    else.
    """
    if calibration is None:
        return None
    if not isinstance(calibration, tuple) or len(calibration) not in (3, 4):
        raise ValueError("calibration must be None, (multiplier, prior, n) or (multiplier, prior, n, delta): got "
                         f"{limits.shown(calibration)}.")
    factor = limits.between("calibration multiplier", calibration[0], LEAST, LARGEST)
    try:
        found = factor, limits.check_prior(calibration[1]), limits.check_total(calibration[2])
        delta = check_allowed(calibration[3]) if len(calibration) == 4 else 0.0
    except ValueError as refusal:
        raise ValueError(f"calibration must hold the prior, n and delta it was made for: {refusal}") from None
    return (*found, delta) if delta else found


def check_allowed(delta: Any, name: str = "delta") -> float:
    """The delta that a calibration allows for: 0, or in (0, 1)."""
    return 0.0 if limits.finite_number(name, delta) == 0 else limits.inside(name, delta)


def delta_of(calibration: Calibration | None) -> float:
    """The delta that a mechanism was calibrated with, 0 for none."""
    return calibration[3] if calibration and len(calibration) == 4 else 0.0


def multiplier(calibration: Calibration, prior: tuple[float, ...], n: int) -> float:
    """The multiplier, if this is the prior and n it was found for; ValueError elsewhere, where nothing was checked."""
    if (calibration[1], calibration[2]) != (tuple(prior), n):
        raise ValueError(
            f"This mechanism was calibrated for prior {calibration[1]} and n = {calibration[2]:,} and promises "
            f"nothing elsewhere: got prior {tuple(prior)} and n = {n:,}. Calibrate it again."
        )
    return calibration[0]


@lru_cache(maxsize=256)
def calibrated_guarantee(mechanism: Any, prior: tuple[float, ...], n: int) -> PureDP | ApproximateDP:
    """What the check itself shows for this prior and n: epsilon-DP, the exact loss plus its margin being at most
    epsilon; or (epsilon, delta)-DP, the exact delta(epsilon) with its margin being at most delta.

    The check is made for the very mechanism asked about, so that a multiplier written by hand, or carried over to
    another epsilon or option, certifies nothing: ValueError where the loss exceeds epsilon, delta(epsilon) exceeds
    delta, or elsewhere.
    """
    factor = multiplier(mechanism.calibration, prior, n)
    audit, delta = mechanism.audit(prior, n), delta_of(mechanism.calibration)
    if delta:
        if (found := audit.largest_delta(mechanism.epsilon)) > delta:
            raise ValueError(
                f"The calibration of this mechanism does not hold: its exact delta at epsilon = "
                f"{printed_bound(mechanism.epsilon, 12)} is {printed_bound(found, 12)}, above delta = "
                f"{printed_bound(delta, 12)}. Calibrate it again."
            )
        return ApproximateDP(mechanism.epsilon, delta, "exhaustive check",
                             f"rate times {factor:.4g}: exact delta at this epsilon over all neighbours and outputs")
    loss = audit.worst()[0]
    if loss + audit.margin(loss) > mechanism.epsilon:
        raise ValueError(
            f"The calibration of this mechanism does not hold: its exact loss is {printed_bound(loss, 12)}, above "
            f"epsilon = {printed_bound(mechanism.epsilon, 12)}. Calibrate it again."
        )
    return PureDP(mechanism.epsilon, "exhaustive check",
                  f"rate times {factor:.4g}: exact loss over all neighbours and outputs")
