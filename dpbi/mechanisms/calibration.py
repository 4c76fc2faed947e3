"""A mechanism's rate raised, for one prior and n, until its exact privacy loss equals epsilon."""

from __future__ import annotations

from typing import Any

from dpbi import limits
from dpbi.guarantee import PureDP

# multiplier of the rate (of the noise's decay), prior, n: what the exhaustive check was made for
Calibration = tuple[float, tuple[float, ...], int]


def check_calibration(calibration: Any) -> None:
    """ValueError unless it is None or a (multiplier, prior, n)."""
    if calibration is None:
        return
    if not isinstance(calibration, tuple) or len(calibration) != 3:
        raise ValueError(f"calibration must be None or (multiplier, prior, n): got {calibration!r}.")
    limits.between("calibration multiplier", calibration[0], 1e-12, 1e12)
    limits.check_prior(calibration[1])
    limits.check_total(calibration[2])


def multiplier(calibration: Calibration, prior: tuple[float, ...], n: int) -> float:
    """The multiplier, if this is the prior and n it was found for; ValueError elsewhere, where nothing was checked."""
    if (calibration[1], calibration[2]) != (tuple(prior), n):
        raise ValueError(
            f"This mechanism was calibrated for prior {calibration[1]} and n = {calibration[2]:,} and promises "
            f"nothing elsewhere: got prior {tuple(prior)} and n = {n:,}. Calibrate it again."
        )
    return calibration[0]


def calibrated_guarantee(epsilon: float, calibration: Calibration, prior: tuple[float, ...], n: int) -> PureDP:
    """epsilon-DP for this prior and n, by the exhaustive check that set the multiplier."""
    factor = multiplier(calibration, prior, n)
    return PureDP(epsilon, "exhaustive check", f"rate times {factor:.4g}: exact loss over all neighbours and outputs")
