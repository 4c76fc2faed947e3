"""What all mechanisms that add noise to the counts answer alike."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from dpbi import limits
from dpbi.mechanisms.guarantee import Guarantee, PureDP
from dpbi.mechanisms.mechanism import Mechanism


@dataclass(frozen=True)
class AddedNoise(Mechanism):
    """Whole-number noise of decay proportional to epsilon; the rest of a release is post-processing."""

    _basis: ClassVar[str]  # why its guarantee holds

    def _exact_decay(self, spread: int) -> Fraction:
        """epsilon over the spread, calibrated, as the fraction that the secure draw uses."""
        return (Fraction(self.calibration[0]) if self.calibration else 1) * Fraction(self.epsilon) / spread

    def _promise(self, prior: tuple[float, ...], n: int) -> Guarantee:
        """epsilon-DP for replacing one record: noise fitted to what one record can move, the rest post-processing."""
        return PureDP(self.epsilon, "theorem", self._basis)

    def rounding(self, prior: tuple[float, ...], n: int) -> float:
        """0: the decay is an exact fraction, the noise and the cuts are whole numbers."""
        limits.check_prior(prior)
        limits.check_total(n)
        return 0.0
