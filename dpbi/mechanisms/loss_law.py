"""The law of the privacy loss log P_c(r) - log P_c'(r), r drawn under c: what adds up over independent releases.

delta(epsilon) = E(1 - e^{epsilon - loss})_+ is the mechanism's, for one pair of neighbours or a pair that no other
exceeds at any epsilon.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpbi.frozen_result import FrozenResult


@dataclass(frozen=True, eq=False)
class LossLaw(FrozenResult):
    """losses, increasing and distinct, +inf among them where an output gives the pair away, and their probabilities.

    exact: whether it is the loss's own law for some pair of neighbours; else a law that exceeds every pair's at each
    epsilon.
    """

    losses: NDArray[np.float64]
    probabilities: NDArray[np.float64]
    exact: bool


def no_loss() -> LossLaw:
    return LossLaw(np.zeros(1), np.ones(1), True)


def three_losses(epsilon: float, most: float, exact: bool = True) -> LossLaw:
    """+epsilon with probability ``most``, -epsilon with e^-epsilon times that, else 0."""
    least = most * math.exp(-epsilon)
    none = max(1.0 - most - least, 0.0)
    kept = np.array([True, none > 0, True])
    return LossLaw(np.array([-epsilon, 0.0, epsilon])[kept], np.array([least, none, most])[kept], exact)


def randomised_response(epsilon: float, delta: float = 0.0) -> LossLaw:
    """No (epsilon, delta)-DP mechanism exceeds it, at any epsilon. Source: Kairouz, Oh and Viswanath 2015."""
    law = three_losses(epsilon, 1 / (1 + math.exp(-epsilon)), exact=False)
    if delta == 0:
        return law
    return LossLaw(np.append(law.losses, np.inf), np.append((1 - delta) * law.probabilities, delta), law.exact)
