"""Noisy counts beside a textbook Gibbs sampler; and how long, and in how much memory, a wide table takes."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

import dpbi

from . import gibbs
from .measurement import cost_in_fresh_process, costs
from .table import Row, peak, quicker, within

Table = tuple[int, int, float]  # k, n and the noise's standard deviation
Floats = NDArray[np.float64]

INTERVALS, WIDE = 50, 1_000  # times Python's loop: half a second, and ten, where that takes 10 ms
WIDE_PEAK = 7  # times what is held before: 500 MB
_PRECISE = 0.01  # of an interval's width, at its ends
_ENDS = (0.025, 0.975)
_GIBBS = "Gibbs sampler"


def published(table: Table, seed: int) -> Floats:
    """Values of a table whose shares fall like 1, 1/2, 1/3, ..., with discrete Gaussian noise."""
    k, n, sd = table
    rng, shares = np.random.default_rng(seed), 1 / np.arange(1, k + 1)
    return dpbi.noise.DiscreteGaussian(sd**2).publish(rng.multinomial(n, shares / shares.sum()), rng)


def posterior(table: Table, seed: int) -> dpbi.NoisyCountsPosterior:
    """Of an unknown total, all sizes of it as probable."""
    law = dpbi.noise.DiscreteGaussian(table[2] ** 2)
    return dpbi.noisy_counts_posterior((1.0,) * table[0], published(table, seed), law, dpbi.Flat())


def intervals(table: Table, seed: int) -> Floats:
    found = posterior(table, seed)
    return np.array([found.interval(0.95, i) for i in range(table[0])])


def noisy_counts(
    tables: Sequence[Table] = ((10, 10**6, 10.0), (10, 20_000, 60.0)), sweeps: int = 2_000, chains: int = 4,
    wide: Table = (2_000, 10**6, 10.0), repetitions: int = 3,
) -> Iterator[Row]:
    """All intervals of a table, beside the sweeps after which the sampler's ends lie within a hundredth of the width.

    Its root mean square error at the ends is taken over chains and categories and falls like 1 / sqrt(sweeps).
    """
    for table in tables:
        k, n, sd = table
        drawn: list[Floats] = []
        values, prior = published(table, 0), np.ones(k)
        taken = costs({
            "dpbi": lambda i, table=table: intervals(table, i),  # type: ignore[misc]
            _GIBBS: lambda i, values=values, sd=sd, prior=prior, drawn=drawn: drawn.append(  # type: ignore[misc]
                gibbs.shares(values, sd, prior, sweeps, i)),
        }, chains)  # fmt: skip
        exact = intervals(table, 0)
        found = np.array([np.quantile(chain, _ENDS, axis=0).T for chain in drawn])
        error = np.sqrt(np.mean(((found - exact) / np.ptp(exact, axis=1)[:, None]) ** 2))
        what = f"noisy counts, k = {k}, n = {n:,}, sd {sd:g}: all 95 % intervals"
        yield within(what, taken["dpbi"], INTERVALS if table == tables[0] else None)
        yield quicker("    their ends, within 1 % of the width", taken["dpbi"], _GIBBS,
                      taken[_GIBBS].times(float(error / _PRECISE) ** 2))  # fmt: skip
    setup = f"import dpbi\nfrom tests.benchmarks.noisy import posterior\ntable = {wide}"
    taken_once = cost_in_fresh_process(setup, "found = posterior(table, 1)\nfound.mean, found.sd", repetitions)
    yield within(f"noisy counts, k = {wide[0]:,}, n = {wide[1]:,}, sd {wide[2]:g}: all means and sds", taken_once, WIDE)
    yield peak(taken_once, WIDE_PEAK)
