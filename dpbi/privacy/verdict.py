"""What the exact audit says of a promise: kept for this prior and n, with how much to spare, or broken."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpbi import limits
from dpbi.frozen_result import FrozenResult
from dpbi.mechanisms import ApproximateDP, Guarantee, Mechanism
from dpbi.privacy.loss import PrivacyLoss, privacy_loss, privacy_profile

_ROUNDING = 1e-9  # relative: a loss that attains epsilon exactly may err in its last digits
_ALIKE = 1e-8  # relative: losses that are called equal; calibration leaves 1e-9 of epsilon unspent


@dataclass(frozen=True)
class Verdict:
    """The exact loss of a mechanism beside the epsilon it is stated with and the guarantee it gives.

    loss: exact, with the pair that attains it; guarantee: for the loss's prior and n; delta: the exact
    delta(epsilon) at the guarantee's epsilon where an (epsilon, delta) is promised, else None.
    """

    loss: PrivacyLoss
    guarantee: Guarantee
    delta: float | None

    @property
    def stated(self) -> float:
        """The epsilon that the mechanism is set to."""
        return self.loss.mechanism.epsilon

    @property
    def exceeds(self) -> bool:
        """``exceeds_stated`` of the loss."""
        return exceeds_stated(self.loss)

    @property
    def accused(self) -> bool:
        """Whether what is stated is broken: epsilon, or where a delta is allowed, that delta at epsilon."""
        if self.delta is not None and isinstance(self.guarantee, ApproximateDP):
            return self.delta > self.guarantee.delta * (1 + _ROUNDING)
        return self.exceeds

    @property
    def said(self) -> str:
        """The verdict in a phrase: what every table, figure and file says of it."""
        if self.accused:
            return "ACCUSED"
        return "exceeds epsilon, keeps delta here" if self.exceeds else "within epsilon here"

    @property
    def unused(self) -> float:
        """The share of the stated epsilon that is not spent, 0 where all is or more."""
        return max(0.0, 1 - self.loss.epsilon / self.stated)


@dataclass(frozen=True, eq=False)
class Profile(FrozenResult):
    """delta(epsilon) beside the verdict it belongs to. epsilons, deltas: (m,) each."""

    verdict: Verdict
    epsilons: NDArray[np.float64]
    deltas: NDArray[np.float64]

    @property
    def mechanism(self) -> Mechanism:
        return self.verdict.loss.mechanism


def exceeds_stated(loss: PrivacyLoss) -> bool:
    """Whether a loss is above the epsilon its mechanism is set to, beyond its numerical error. Source: ours."""
    return loss.epsilon - loss.margin > loss.mechanism.epsilon * (1 + _ROUNDING)


def loses_most(losses: Sequence[PrivacyLoss]) -> PrivacyLoss:
    """The first whose loss is the largest, but for what calibration leaves unspent. Source: ours."""
    found = [limits.instance("losses", loss, PrivacyLoss, "results of privacy_loss")
             for loss in limits.sequence("losses", losses, "of results of privacy_loss")]
    if not found:
        raise ValueError("losses must hold one at least: got none.")
    most = max(loss.epsilon for loss in found)
    return next(loss for loss in found if loss.epsilon >= most * (1 - _ALIKE))


def verdict(mechanism: Mechanism, prior: ArrayLike, n: int) -> Verdict:
    """Audits a mechanism's promise for one prior (k,) and total count n, over all neighbours and outputs.

    A verdict holds for this prior and n and nowhere else. Raises ValueError as ``privacy_loss``.
    Source: ours (README, "Privacy").
    """
    loss = privacy_loss(mechanism, prior, n)
    promised = mechanism.guarantee(loss.prior, n)
    if not isinstance(promised, ApproximateDP):
        return Verdict(loss, promised, None)
    return Verdict(loss, promised, float(privacy_profile(mechanism, loss.prior, n, [promised.epsilon])[0]))
