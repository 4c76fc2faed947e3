"""Mechanisms held against the limit of privacy and each other, on average over the data that the public prior expects.

No private count enters: what is found may be used to choose a mechanism.
"""

from dataclasses import dataclass
from functools import lru_cache

from dpbi.accuracy.optimum import PrivacyLimit
from dpbi.accuracy.order import Measured, lead, rising
from dpbi.inference.prior_average import ExpectedDistance
from dpbi.mechanisms import Mechanism, PureDP


@dataclass(frozen=True)
class LimitComparison:
    """The means of mechanisms at the limit's prior, n and epsilon."""

    limit: PrivacyLimit
    means: tuple[ExpectedDistance, ...]

    def of(self, mechanism: Mechanism) -> ExpectedDistance | None:
        return next((one for one in self.means if one.mechanism == mechanism), None)

    def binds(self, mechanism: Mechanism) -> bool:
        """Whether the mechanism is epsilon-DP for the limit's epsilon, by theorem or check."""
        return _promises(mechanism, self.limit.prior, self.limit.n, self.limit.epsilon)

    def times_limit(self, mechanism: Mechanism) -> Measured | None:
        """The mean over the limit; None where the limit is not known, does not bind the mechanism, or is undercut.

        Draws may take it below 1, within its error.
        """
        found, least = self.of(mechanism), self.limit.measured
        if found is None or least is None or not least.value or not self.binds(mechanism) or self.undercuts(mechanism):
            return None
        return found.measured.over(least)

    def undercuts(self, mechanism: Mechanism) -> bool:
        """Whether the mean lies surely below the limit that binds it: then one of the two is wrong."""
        found, least = self.of(mechanism), self.limit.measured
        return found is not None and least is not None and self.binds(mechanism) and lead(found.measured, least) > 0

    def ranked(self) -> list[ExpectedDistance]:
        """The means of those that the limit binds, the least first."""
        return rising([one for one in self.means if self.binds(one.mechanism)], lambda one: one.measured)


@lru_cache(maxsize=256)  # every row, chart and sentence asks
def _promises(mechanism: Mechanism, prior: tuple[float, ...], n: int, epsilon: float) -> bool:
    promised = mechanism.guarantee(prior, n)
    return isinstance(promised, PureDP) and promised.is_private and promised.epsilon <= epsilon * (1 + 1e-12)
