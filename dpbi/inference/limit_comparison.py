"""Mechanisms held against the limit of privacy and each other, on average over the data that the public prior expects.

No private count enters: what is found may be used to choose a mechanism.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dpbi.accuracy.optimum import PrivacyLimit
from dpbi.accuracy.order import SURE, lead, rising
from dpbi.inference.prior_average import ExpectedDistance
from dpbi.mechanisms.guarantee import PureDP
from dpbi.mechanisms.mechanism import Mechanism

_ROUNDING = 1e-6  # of a ratio


@dataclass(frozen=True)
class LimitComparison:
    """The means of mechanisms at the limit's prior, n and epsilon."""

    limit: PrivacyLimit
    means: tuple[ExpectedDistance, ...]

    def of(self, mechanism: Mechanism) -> ExpectedDistance | None:
        return next((one for one in self.means if one.mechanism == mechanism), None)

    def binds(self, mechanism: Mechanism) -> bool:
        """Whether the mechanism is epsilon-DP for the limit's epsilon, by theorem or check."""
        promised = mechanism.guarantee(self.limit.prior, self.limit.n)
        if not isinstance(promised, PureDP):
            return False
        return promised.is_private and promised.epsilon <= self.limit.epsilon * (1 + 1e-12)

    def times_limit(self, mechanism: Mechanism) -> float | None:
        """The mean over the limit; None where the limit is not known, does not bind the mechanism, or is undercut.

        Draws may take it below 1, within its error.
        """
        return None if self.undercuts(mechanism) else self._ratio(mechanism)

    def undercuts(self, mechanism: Mechanism) -> bool:
        """Whether the mean lies surely below the limit that binds it: then one of the two is wrong."""
        ratio = self._ratio(mechanism)
        return ratio is not None and ratio + SURE * self.error_of_times(mechanism) < 1 - _ROUNDING

    def error_of_times(self, mechanism: Mechanism) -> float:
        """The error of mean over limit, a standard error where anything was drawn, next to 0 elsewhere."""
        found, ratio = self.of(mechanism), self._ratio(mechanism)
        if found is None or ratio is None or not self.limit.value:
            return 0.0
        return math.hypot(found.error, ratio * self.limit.error) / self.limit.value

    def _ratio(self, mechanism: Mechanism) -> float | None:
        found = self.of(mechanism)
        if found is None or not self.limit.value or not self.binds(mechanism):
            return None
        return found.mean / self.limit.value

    def ranked(self) -> tuple[ExpectedDistance, ...]:
        """The means of those that the limit binds, the least first."""
        return ranked([one for one in self.means if self.binds(one.mechanism)])


def surely_nearer(one: ExpectedDistance, other: ExpectedDistance) -> bool:
    """Whether one mean is below the other by four standard errors, and by more than rounding."""
    return lead(one.mean, other.mean, one.error, other.error) > 0


def ranked(means: Sequence[ExpectedDistance]) -> tuple[ExpectedDistance, ...]:
    """The least first; those that are equal up to rounding in the order given."""
    return tuple(means[place] for place in rising([one.mean for one in means]))
