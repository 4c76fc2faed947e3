"""What can be asked of a mechanism's output laws, compared over all neighbouring datasets of one prior and n."""

from __future__ import annotations

from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Counts = tuple[int, ...]
Worst = tuple[float, Counts, Counts, Counts]


class Audit(Protocol):
    """A mechanism's output laws for every dataset of one prior and n, ready to be compared."""

    def margin(self, loss: float) -> float:
        """The numerical error of a loss of that size at most."""

    @property
    def found(self) -> Literal["exhaustive", "closed form"]:
        """How the worst case is found."""

    def worst(self, multiplier: float = 1.0) -> Worst:
        """The privacy loss and the counts, neighbour and output that attain it, all rates times ``multiplier``."""

    def profile(self, epsilons: NDArray[np.float64]) -> NDArray[np.float64]:
        """delta(epsilon), per epsilon."""

    def by_count(self) -> NDArray[np.float64]:
        """k = 2: the largest log ratio of (u, n - u) to a neighbour, u = 0..n."""

    def marginal(self, counts: tuple[int, ...], category: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Values of one released count and their probabilities under a dataset."""
