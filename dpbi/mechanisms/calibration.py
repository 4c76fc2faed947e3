"""A mechanism's rate raised, for one prior and n, until its exact privacy loss equals epsilon."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar

from numpy.typing import ArrayLike

from dpbi import limits
from dpbi.mechanisms.audit import Audit
from dpbi.mechanisms.guarantee import Guarantee, PureDP
from dpbi.mechanisms.printed_bound import printed_bound

# multiplier of the rate (of the noise's decay), prior, n: what the exhaustive check was made for
Calibration = tuple[float, tuple[float, ...], int]


@dataclass(frozen=True)
class Calibratable:
    """What every mechanism is made from, and what follows from that for its guarantee."""

    epsilon: float
    calibration: Calibration | None = field(default=None, kw_only=True)

    remaining_error: ClassVar[str] = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", limits.check_epsilon(self.epsilon))
        object.__setattr__(self, "calibration", check_calibration(self.calibration))

    def audit(self, prior: tuple[float, ...], n: int) -> Audit:
        raise NotImplementedError

    def _promise(self, prior: tuple[float, ...], n: int) -> Guarantee:
        """The guarantee without calibration."""
        raise NotImplementedError

    def guarantee(self, prior: ArrayLike, n: int) -> Guarantee:
        """What the rule promises by theorem or claim; a calibrated mechanism, what its exhaustive check showed."""
        prior, n = limits.check_prior(prior), limits.check_total(n)
        return calibrated_guarantee(self, prior, n) if self.calibration else self._promise(prior, n)

    def _multiplier(self, prior: tuple[float, ...], n: int) -> float:
        """What a calibration multiplies the rate by; ValueError where it was made for another prior or n."""
        return multiplier(self.calibration, prior, n) if self.calibration else 1.0


def check_calibration(calibration: Any) -> Calibration | None:
    """None, or (multiplier, prior, n) as plain numbers; ValueError for anything else."""
    if calibration is None:
        return None
    if not isinstance(calibration, tuple) or len(calibration) != 3:
        raise ValueError(f"calibration must be None or (multiplier, prior, n): got {limits.shown(calibration)}.")
    factor = limits.between("calibration multiplier", calibration[0], 1e-12, 1e12)
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
def calibrated_guarantee(mechanism: Calibratable, prior: tuple[float, ...], n: int) -> PureDP:
    """epsilon-DP for this prior and n, by the check itself: the exact loss plus its margin is at most epsilon.

    The check is made for the very mechanism asked about, so that a multiplier written by hand, or carried over to
    another epsilon or option, certifies nothing: ValueError where the loss exceeds epsilon, or elsewhere.
    """
    assert mechanism.calibration is not None
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
