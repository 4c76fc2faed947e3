"""A mechanism's rate raised, for one prior and n, until its exact privacy loss equals epsilon."""

from functools import lru_cache
from typing import Any

from dpbi import limits
from dpbi.mechanisms.guarantee import PureDP
from dpbi.mechanisms.printed_bound import printed_bound

# multiplier of the rate (of the noise's decay), prior, n: what the exhaustive check was made for
Calibration = tuple[float, tuple[float, ...], int]
LEAST, LARGEST = 1e-12, 1e12  # of a multiplier


def check_calibration(calibration: Any) -> Calibration | None:
    """None, or (multiplier, prior, n) as plain numbers; ValueError for anything else."""
    if calibration is None:
        return None
    if not isinstance(calibration, tuple) or len(calibration) != 3:
        raise ValueError(f"calibration must be None or (multiplier, prior, n): got {limits.shown(calibration)}.")
    factor = limits.between("calibration multiplier", calibration[0], LEAST, LARGEST)
    try:
        return factor, limits.check_prior(calibration[1]), limits.check_total(calibration[2])
    except ValueError as refusal:
        raise ValueError(f"calibration must hold the prior and n it was made for: {refusal}") from None


def multiplier(calibration: Calibration, prior: tuple[float, ...], n: int) -> float:
    """The multiplier, if this is the prior and n it was found for; ValueError elsewhere, where nothing was checked."""
    if (calibration[1], calibration[2]) != (tuple(prior), n):
        raise ValueError(
            f"This mechanism was calibrated for prior {calibration[1]} and n = {calibration[2]:,} and promises "
            f"nothing elsewhere: got prior {tuple(prior)} and n = {n:,}. Calibrate it again."
        )
    return calibration[0]


@lru_cache(maxsize=256)
def calibrated_guarantee(mechanism: Any, prior: tuple[float, ...], n: int) -> PureDP:
    """epsilon-DP for this prior and n, by the check itself: the exact loss plus its margin is at most epsilon.

    The check is made for the very mechanism asked about, so that a multiplier written by hand, or carried over to
    another epsilon or option, certifies nothing: ValueError where the loss exceeds epsilon, or elsewhere.
    """
    factor = multiplier(mechanism.calibration, prior, n)
    audit = mechanism.audit(prior, n)
    loss = audit.worst()[0]
    if loss + audit.margin(loss) > mechanism.epsilon:
        raise ValueError(
            f"The calibration of this mechanism does not hold: its exact loss is {printed_bound(loss, 12)}, above "
            f"epsilon = {printed_bound(mechanism.epsilon, 12)}. Calibrate it again."
        )
    return PureDP(mechanism.epsilon, "exhaustive check",
                  f"rate times {factor:.4g}: exact loss over all neighbours and outputs")
