"""P(c | r): what is believed about the private counts after a release, from the prior predictive and the likelihood.

P(c | r) is proportional to P(c) P(r | c), P(c) Dirichlet-multinomial: independent negative binomials given that they
sum to n. Where the likelihood is a product over categories as well, c is a vector of independent variables given its
sum, so that its marginals and exact draws take k one-dimensional convolutions and no list of datasets.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dpbi.frozen_result import FrozenResult
from dpbi.mechanisms.likelihood import CountwiseLikelihood, Likelihood, ListedLikelihood, log_likelihood
from dpbi.posterior import dirichlet

_TAIL = 80.0  # e^-80 = 2e-35 of a variable's mass is left outside its window
_NEAR = 3.0  # standard deviations between n and the mean of the untied sum, at most
_SAMPLED = 1024  # values per variable that suffice to find the tilt
_WIDEST = 8_000_000  # numbers in all the windows of sums
_DIRECT = 30_000_000  # products of a convolution that is summed term by term
_DIRECT_AT_MOST = 5_000_000_000  # products of all convolutions, where all have to be
_DRAWN, _PASS = 6e9, 3_000  # numbers that draws pass over, and as many as the start of a pass is worth
_CERTAIN = 1e-20  # P(sum = n) at least: beside it what is cut off at e^-80 is 1e-14
_RARE = 1e-5  # of the most that P(sum = n) can be: where it is less, the transforms' rounding of 1e-16 would show


@dataclass(frozen=True, eq=False)
class Marginal(FrozenResult):
    """P(c_i = first + j | r), j = 0, 1, ...; elsewhere 0."""

    first: int
    probability: NDArray[np.float64]

    @property
    def counts(self) -> NDArray[np.int64]:
        return self.first + np.arange(self.probability.size)

    @property
    def mean(self) -> float:
        return float(self.first + np.arange(self.probability.size) @ self.probability)

    def trimmed(self, least: float) -> Marginal:
        """Without the ends whose probabilities are below ``least``, rescaled to sum to 1."""
        kept = np.flatnonzero(self.probability >= least)
        inside = self.probability[kept[0]:kept[-1] + 1]
        return Marginal(self.first + int(kept[0]), inside / inside.sum())


def count_posterior(prior: tuple[float, ...], n: int, likelihood: Likelihood) -> CountPosterior:
    """P(c | r) for a possible release; ValueError where its windows are too wide to hold."""
    if isinstance(likelihood, ListedLikelihood):
        return _Listed(prior, likelihood)
    return _Chain(prior, n, likelihood)


def dataset_probabilities(
    prior: tuple[float, ...], datasets: NDArray[np.int64], likelihood: Likelihood
) -> NDArray[np.float64]:
    """P(c | r) of every dataset, (N, k) -> (N,): all of them, in the order of a listed likelihood."""
    log_weight = dirichlet.log_predictive(np.array(prior), datasets) + log_likelihood(datasets, likelihood)
    weight = np.exp(log_weight - log_weight.max())
    return np.asarray(weight / weight.sum())


class _Listed(FrozenResult):
    """All datasets with their probabilities."""

    def __init__(self, prior: tuple[float, ...], likelihood: ListedLikelihood) -> None:
        self.datasets = likelihood.datasets
        self.probability = dataset_probabilities(prior, self.datasets, likelihood)
        self._freeze()

    @cached_property
    def marginals(self) -> tuple[Marginal, ...]:
        size = int(self.datasets.max()) + 1
        return tuple(Marginal(0, np.bincount(column, self.probability, size).astype(np.float64))
                     for column in self.datasets.T)

    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.int64]:
        return self.datasets[rng.choice(self.probability.size, size=size, p=self.probability)]


class _Chain(FrozenResult):
    """Independent c_i with weights u_i(c) = NB(c; alpha_i) P(r_i | c) e^{theta c}, given that they sum to n.

    theta changes nothing but the numbers' sizes. It is such that the untied sum has its mean near n: P(sum = n) is then
    not small, and neither the mass outside the windows nor the rounding of a transform, each relative to the whole,
    shows in what is conditioned on the sum. The last variable is never convolved, it takes what remains: without noise
    of its own it can be as wide as n, while the windows of the others are as wide as the noise.
    """

    def __init__(self, prior: tuple[float, ...], n: int, likelihood: CountwiseLikelihood) -> None:
        self.n, self.last = n, len(prior) - 1
        variables = _Variables(prior, n, likelihood)
        theta = variables.tilt()
        low, high = variables.windows_of_total(theta)
        self._check_tilt(bool((low <= high).all()))
        # The sum of the first i variables, i = 0..k-1: at most what the others leave at least
        self.start = np.concatenate([[0], np.cumsum(low[:-1])])
        least_after = np.cumsum(low[::-1])[::-1]
        length = np.minimum(np.concatenate([[0], np.cumsum(high[:-1])]), n - least_after) - self.start + 1
        self._check_work("numbers", int(length.sum() + (high - low)[:-1].sum()), _WIDEST)
        self.low = low
        self.weights = [variables.weights(i, np.arange(low[i], high[i] + 1), theta) for i in range(self.last)]
        remainder = n - self.start[-1] - np.arange(length[-1])
        self.weights.append(variables.weights(self.last, remainder, theta))
        self._join(length, _DIRECT)
        before, remaining = self.sums[-1], self.weights[-1]
        if before @ remaining < _RARE * np.linalg.norm(before) * np.linalg.norm(remaining):
            self._check_work("products", int(length[:-1] @ (high - low + 1.0)[:-1]), _DIRECT_AT_MOST)
            self._join(length, np.inf)
        self._check_tilt(bool(self.sums[-1] @ self.weights[-1] >= _CERTAIN))
        self._freeze()

    def _check_tilt(self, certain: bool) -> None:
        if not certain:
            raise ValueError(
                f"The noise-aware posterior of this release is not certain: under this prior, counts that sum to n = "
                f"{self.n:,} are less likely than {_CERTAIN:g} at every tilt tried. Take a smaller "
                "epsilon or a larger prior."
            )

    def _check_work(self, what: str, needed: int, most: int) -> None:
        if needed > most:
            raise ValueError(
                f"The noise is too wide for a noise-aware posterior at n = {self.n:,} and k = {self.last + 1:,}: it "
                f"takes at most {most:,} {what}, got {needed:,}. Take a larger epsilon or fewer categories."
            )

    def _join(self, length: NDArray[np.int64], direct: float) -> None:
        """The laws of the partial sums, forwards, and the probability of the total given them, backwards."""
        self.direct = direct
        self.sums = [np.ones(1)]
        for i in range(self.last):
            self.sums.append(_convolve(self.sums[i], self.weights[i], direct)[:length[i + 1]])
        self.totals = [self.weights[-1]]
        for i in range(self.last - 1, 0, -1):
            self.totals.insert(0, self._slide(i, self.totals[0], self.weights[i]))
        self.totals.insert(0, np.empty(0))  # of no sum yet: never asked for

    def _slide(self, i: int, total: NDArray, weight: NDArray) -> NDArray[np.float64]:
        """sum_x weight(x) total(x + j), j = 0, 1, ...: over a variable, or over the partial sum before it."""
        full = np.zeros(self.sums[i].size + self.weights[i].size - 1)
        full[:total.size] = total
        return _correlate(full, weight, self.direct)

    @cached_property
    def marginals(self) -> tuple[Marginal, ...]:
        found = []
        for i in range(self.last):
            joint = self.weights[i] * self._slide(i, self.totals[i + 1], self.sums[i])
            found.append(Marginal(int(self.low[i]), joint / joint.sum()))
        joint = (self.sums[-1] * self.weights[-1])[::-1]
        return (*found, Marginal(int(self.n - self.start[-1] - joint.size + 1), joint / joint.sum()))

    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.int64]:
        """Backwards: the sum of all but the last, then each variable given the sum of it and the earlier ones."""
        self._check_draws(size)
        drawn = np.empty((size, self.last + 1), dtype=np.int64)
        sums = _choose(self.sums[-1] * self.weights[-1], rng, size)
        drawn[:, -1] = self.n - self.start[-1] - sums
        for i in range(self.last - 1, -1, -1):
            moved = np.empty(size, dtype=np.int64)
            order = np.argsort(sums, kind="stable")
            totals, starts = np.unique(sums[order], return_index=True)
            for total, here in zip(totals, np.split(order, starts[1:]), strict=False):  # one empty part of no draws
                first = max(0, int(total) - self.sums[i].size + 1)
                own = self.weights[i][first:total + 1]
                before = self.sums[i][total - first - own.size + 1:total - first + 1][::-1]
                moved[here] = first + _choose(own * before, rng, here.size)
            drawn[:, i] = self.low[i] + moved
            sums = sums - moved
        return drawn

    def _check_draws(self, size: int) -> None:
        """Each different sum before a variable takes a pass over that variable's window: sum_j min(1, size P(j)) of
        the j are expected to be drawn at most."""
        needed = 0.0
        for before, after, total, weight in zip(self.sums, self.sums[1:], self.totals[1:], self.weights, strict=False):
            law = after[:total.size] * total[:after.size]
            needed += np.minimum(1.0, size / law.sum() * law).sum() * (min(before.size, weight.size) + _PASS)
        if needed > _DRAWN:
            raise ValueError(f"size is too large for noise as wide as this: {size:,} draws pass over {needed:.2g} "
                             f"numbers, at most {_DRAWN:.2g} are. Draw fewer at a time, or take a larger epsilon.")


class _Variables:
    """The log weights of independent c_i, log NB(c; alpha_i) + log P(r_i | c), and where they matter under a tilt."""

    def __init__(self, prior: tuple[float, ...], n: int, likelihood: CountwiseLikelihood) -> None:
        self.alpha, self.n, self.likelihood = np.array(prior), n, likelihood
        self.category = np.arange(self.alpha.size)
        self.total = float(self.alpha.sum())
        self.kinks = np.sort(np.minimum(likelihood.kinks, n), axis=0)
        self.centre = self.kinks[0]

    def log_weight(self, counts: NDArray[np.int64], category: NDArray[np.int64], theta: float) -> NDArray[np.float64]:
        """log u_i(c) up to a constant of the variable, for counts and categories that broadcast."""
        law = dirichlet.log_negative_binomial(self.alpha[category], counts.astype(np.float64), self.n, self.total)
        terms = self.likelihood.log_terms(counts, category)
        return law + terms + theta * (counts - self.centre[category])

    def weights(self, i: int, counts: NDArray[np.int64], theta: float) -> NDArray[np.float64]:
        """The weights of one variable, with sum 1."""
        log_weight = self.log_weight(counts, np.array(i), theta)
        weight = np.exp(log_weight - log_weight.max())
        return weight / weight.sum()

    def tilt(self) -> float:
        """theta at which the sum's mean is within a few standard deviations of n; it rises with theta.

        Newton steps; where one leaves the bracket, or there is none yet, the bracket is halved, or its step doubled.
        """
        theta, low, high, step = 0.0, -np.inf, np.inf, 0.0
        for _ in range(200):
            mean, variance, possible = self._moments(theta)
            gap = self.n - mean
            if (possible and abs(gap) <= _NEAR * np.sqrt(variance) + 0.5) or high - low <= 1e-15 * abs(theta):
                break
            low, high = (theta, high) if gap > 0 else (low, theta)
            if np.isfinite(high - low):
                newton = theta + gap / max(variance, 1e-300)
                theta = newton if low < newton < high else (low + high) / 2
            else:
                step = 2 * step or 1 / np.sqrt(max(variance, 1.0))
                theta += np.copysign(step, gap)
        return theta

    def _moments(self, theta: float) -> tuple[float, float, bool]:
        """Mean and variance of the sum, and whether the windows allow that it is n.

        Each variable is summed over evenly spaced values where its window is wide.
        """
        low, high = self.windows(theta)
        stride = (high - low) // _SAMPLED + 1
        counts = np.minimum(low + np.arange(min(_SAMPLED, int((high - low).max()) + 1))[:, None] * stride, high)
        log_weight = self.log_weight(counts, self.category, theta)
        repeated = np.concatenate([np.zeros((1, low.size), dtype=bool), np.diff(counts, axis=0) == 0])
        weight = np.where(repeated, 0.0, np.exp(log_weight - log_weight.max(axis=0)))
        weight[1:] *= stride  # the first value stands for itself: it may be an edge or a peak at 0
        weight /= weight.sum(axis=0)
        mean = (weight * counts).sum(axis=0)
        possible = bool(low.sum() <= self.n <= high.sum())
        return float(mean.sum()), float((weight * (counts - mean) ** 2).sum()), possible

    def windows(self, theta: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Per variable the least and largest count whose weight exceeds e^-80 of the largest.

        Between two kinks of the likelihood the log weight is concave (alpha >= 1) or the sum of a convex part and a
        line, so that each piece has its largest value at an end or where differences change sign, and few changes of
        direction: the window begins in the first piece that reaches the level, between its left end and its peak.
        """
        def at(counts: NDArray[np.int64]) -> NDArray[np.float64]:
            return self.log_weight(counts, self.category, theta)

        edges = [np.zeros_like(self.centre), *self.kinks, np.full_like(self.centre, self.n)]
        peaks = np.array([self._peak(low, high, at) for low, high in pairwise(edges)])
        heights = np.array([at(peak) for peak in peaks])
        level = heights.max(axis=0) - _TAIL
        reaches = heights >= level
        first, last = reaches.argmax(axis=0), len(peaks) - 1 - reaches[::-1].argmax(axis=0)
        left, right = np.array(edges)[first, self.category], np.array(edges)[last + 1, self.category]
        low = _first_true(left, peaks[first, self.category], lambda c: at(c) >= level)
        high = self.n - _first_true(self.n - right, self.n - peaks[last, self.category],
                                    lambda c: at(self.n - c) >= level)
        return np.where(at(left) >= level, left, low), np.where(at(right) >= level, right, high)

    @staticmethod
    def _peak(
        low: NDArray[np.int64], high: NDArray[np.int64], at: Callable[[NDArray[np.int64]], NDArray[np.float64]]
    ) -> NDArray[np.int64]:
        """Where the log weight is largest between two kinks, per variable."""
        inner = _first_true(low, high, lambda c: (c >= high) | (at(np.minimum(c + 1, high)) <= at(c)))
        places = np.stack([low, inner, high])
        return np.take_along_axis(places, np.stack([at(c) for c in places]).argmax(axis=0)[None], 0)[0]

    def windows_of_total(self, theta: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The windows, cut to what the other variables leave of n."""
        low, high = self.windows(theta)
        return np.maximum(low, self.n - (high.sum() - high)), np.minimum(high, self.n - (low.sum() - low))


CountPosterior = _Listed | _Chain


def _first_true(
    low: NDArray[np.int64], high: NDArray[np.int64], holds: Callable[[NDArray[np.int64]], NDArray[np.bool_]]
) -> NDArray[np.int64]:
    """Per element the least whole number in [low, high] from which on ``holds`` is true; it is, at high."""
    while (low < high).any():
        middle = low + (high - low) // 2
        true = holds(middle)
        low, high = np.where(true | (low >= high), low, middle + 1), np.where(true, np.minimum(middle, high), high)
    return low


def _choose(weight: NDArray[np.float64], rng: np.random.Generator, size: int) -> NDArray[np.int64]:
    """Indices with probability proportional to the weights."""
    cumulative = np.cumsum(weight)
    return np.minimum(np.searchsorted(cumulative, rng.random(size) * cumulative[-1], side="right"), weight.size - 1)


def _convolve(a: NDArray[np.float64], b: NDArray[np.float64], direct: float) -> NDArray[np.float64]:
    """sum_x a(x) b(j - x), term by term up to ``direct`` products, else by transforms: absolute error 1e-16."""
    if a.size * b.size <= direct:
        return np.convolve(a, b)
    size = 1 << (a.size + b.size - 2).bit_length()
    return np.maximum(np.fft.irfft(np.fft.rfft(a, size) * np.fft.rfft(b, size), size)[:a.size + b.size - 1], 0.0)


def _correlate(a: NDArray[np.float64], b: NDArray[np.float64], direct: float) -> NDArray[np.float64]:
    """sum_x a(j + x) b(x) for the j at which b lies within a."""
    if b.size * (a.size - b.size + 1) <= direct:
        return np.convolve(a, b[::-1], "valid")
    return _convolve(a, b[::-1], 0)[b.size - 1:a.size]
