"""Everything a mechanism can release, listed with log P(r | c): what all that is not told in closed form follows from.

What there is to list is asked of ``can_release`` at a few corners: the candidates; or all of [0, R]^{k-1} with what
remains of n, R = n or as far above as a count can be; or all of [0, R]^k; or, where no R is found, vectors of larger
and larger totals. The certificate is the sum: where some dataset's probabilities lack something of 1 on a list, the
next larger one is used instead; where they exceed 1, ``log_pmf`` is no law, which is refused.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpbi.frozen_result import FrozenResult
from dpbi.problem import list_candidates, number_of_candidates

LISTED = 2_000_000  # numbers in one list of releases
PAIRS_LARGEST = 100_000_000  # of datasets and releases: their probabilities take 800 MB
_ABOVE = (0, *(int(1.25**j) for j in range(66)))  # n, up to LISTED: where a largest count is looked for
_SURE = 1e-9  # what the sum of a complete list may miss 1 by: rounding
_ALL = 1e-12  # of probability that a list of counts above n may lack
_OFTEN = 1e-3  # probability of all releases but the truth, beside which _ALL is nothing
_LAST = 1e-6  # of a smaller one: what the last totals of the list may have, as the next have less by far

Counts = NDArray[np.int64]


class Law(Protocol):
    """What is listed: a mechanism."""

    def log_laws(self, prior: ArrayLike, counts: ArrayLike, released: ArrayLike) -> NDArray[np.float64]: ...

    def can_release(self, n: int, released: tuple[int, ...]) -> bool: ...


@dataclass(frozen=True, eq=False)
class Listing(FrozenResult):
    """Datasets (N, k), releases (R, k), each once, and log P(r | c), (N, R).

    Nothing else can be released; or, where counts have no largest that can be listed up to, it has a probability of
    1e-12 at most, whatever the counts.
    """

    datasets: Counts
    released: Counts
    log_law: NDArray[np.float64]

    @property
    def law(self) -> NDArray[np.float64]:
        """P(r | c), an array of its own each time."""
        return np.exp(self.log_law)

    @property
    def of_candidates(self) -> bool:
        """Whether the releases are the datasets, in their order."""
        return np.array_equal(self.datasets, self.released)


def largest_count(law: Law, n: int, k: int) -> int | None:
    """What no released count exceeds: n or at most a quarter too far above; None where its list would be too long."""
    return next((n + above for above in _ABOVE if not above or (n + above + 1) ** (k - 1) <= LISTED // k
                 if not _can_exceed(law, n + above, n, k)), None)


def _can_exceed(law: Law, largest: int, n: int, k: int) -> bool:
    return n > 0 and any(law.can_release(n, corner) for corner in (
        (largest + 1,) + (0,) * (k - 1), (0,) * (k - 1) + (largest + 1,), (largest + 1,) * k))


def numbers_of_outputs(law: Law, n: int, k: int, largest: int) -> list[int]:
    """How long the lists are that can hold all releases with no count above that, from the shortest that may do."""
    if n == 0:
        return [1]
    lengths = [number_of_candidates(n, k), (largest + 1) ** (k - 1), (largest + 1) ** k]
    if law.can_release(n, (n,) * k) or law.can_release(n, (0,) * k):
        return lengths[2:]
    return lengths[1:] if largest > n or (k > 2 and law.can_release(n, (n,) * (k - 1) + (0,))) else lengths


def listing(law: Law, prior: tuple[float, ...], datasets: Counts, most: int) -> Listing | None:
    """All releases, with their probabilities under datasets (N, k) of one size.

    None where there would be more than ``most`` pairs (c, r) or ``LISTED`` numbers, and where no list is certified.
    ValueError where ``log_pmf`` sums to more than 1.
    """
    n, k = int(datasets[0].sum()), len(prior)
    longest = min(most // len(datasets), LISTED // k)
    largest = largest_count(law, n, k)
    if largest is None:
        return _beyond(law, prior, datasets, longest) if number_of_candidates(n, k) <= longest else None
    for length in numbers_of_outputs(law, n, k, largest):
        if length > longest:
            return None
        released = _outputs(n, k, largest, length)
        log_law = law.log_laws(prior, datasets, released)
        if least_sum(law, np.exp(log_law).sum(axis=1)) >= 1 - _SURE:
            return Listing(datasets, released, log_law)
    return None


def least_sum(law: Law, sums: NDArray[np.float64]) -> float:
    """The smallest of the sums of P(r | c) over different r, one a dataset; ValueError where one exceeds 1."""
    if sums.max() > 1 + _SURE:
        raise ValueError(f"log_pmf of {type(law).__name__} is no law: its probabilities sum to more than 1, to "
                         f"{sums.max():.10g}.")
    return float(sums.min())


def _outputs(n: int, k: int, largest: int, length: int) -> Counts:
    """The list of that length, see ``numbers_of_outputs``."""
    if length == number_of_candidates(n, k):
        return list_candidates(n, k)
    free = k if length == (largest + 1) ** k else k - 1
    box = _box(largest, free)
    return box if free == k else np.column_stack([box, np.maximum(n - box.sum(axis=1), 0)])


def _box(largest: int, k: int) -> Counts:
    """[0, largest]^k."""
    return np.indices((largest + 1,) * k).reshape(k, -1).T


def _beyond(law: Law, prior: tuple[float, ...], datasets: Counts, longest: int) -> Listing | None:
    """More and more totals, twice the excess each time, until nothing is lacking.

    Where the truth is released nearly always the last totals listed must be rare even beside all else, so that small
    means keep their digits.
    """
    released: list[Counts] = []
    log_law: list[NDArray[np.float64]] = []
    off = 0.0
    for part in _parts_beyond(law, int(datasets[0].sum()), len(prior), longest):
        released.append(part)
        log_law.append(law.log_laws(prior, datasets, part))
        if len(released) == 1:
            others = (part != datasets[:, None]).any(axis=2)
            off = float((np.exp(log_law[0]) * others).sum(axis=1).min())
        probability = [np.exp(one).sum(axis=1) for one in log_law]
        rare = off > _OFTEN or (len(released) > 1 and probability[-1].max() <= _LAST * off)
        if least_sum(law, np.sum(probability, axis=0)) > 1 - _ALL and rare:
            return Listing(datasets, np.concatenate(released), np.concatenate(log_law, axis=1))
    return None


def _parts_beyond(law: Law, n: int, k: int, longest: int) -> Iterator[Counts]:
    """Candidates, then vectors with a zero whose total is above n; or boxes, each without the one before."""
    excess, before = 1, 0
    if law.can_release(n, (n,) + (1,) * (k - 1)) or law.can_release(n, (0,) * k):
        reach, inner = n, -1
        while (reach + 1) ** k <= longest:
            box = _box(reach, k)
            yield box[(box > inner).any(axis=1)]
            reach, inner = 2 * reach, reach
        return
    yield list_candidates(n, k)
    while number_of_candidates(n, k) + excess * k * number_of_candidates(n + excess, k - 1) // 2 <= longest:
        yield _with_zeros(n, before, excess, k)
        before, excess = excess, 2 * excess


def _with_zeros(n: int, above: int, excess: int, k: int) -> Counts:
    """As ``_with_zero``, for all totals above n + ``above`` to n + excess: of two categories there can be a million."""
    if k > 2:
        return np.concatenate([_with_zero(n + s, k) for s in range(above + 1, excess + 1)])
    alone = np.zeros((excess - above, 2), dtype=np.int64)
    alone[:, 0] = n + np.arange(above + 1, excess + 1)
    return np.concatenate([alone, alone[:, ::-1]])


def _with_zero(total: int, k: int) -> Counts:
    """All vectors of this total with a zero, each once."""
    listed = []
    for first in range(k):  # the first zero stands here
        rest = list_candidates(total, k - 1)
        rest = rest[(rest[:, :first] > 0).all(axis=1)]
        listed.append(np.insert(rest, first, 0, axis=1))
    return np.concatenate(listed)
