"""What error to expect of a release, from the prior and n alone: tried on data that are made up."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpbi import limits
from dpbi.accuracy.order import Measured
from dpbi.data.synthesis import prior_predictive_counts
from dpbi.frozen_result import FrozenResult
from dpbi.mechanisms.mechanism import Mechanism
from dpbi.posterior import dirichlet, distances_between
from dpbi.problem import Problem, number_of_candidates

_TRIALS, _EACH, _COUNTS = 200, 10, 800_000  # datasets, releases of each, and counts of all releases at most
_CANDIDATES = 2_000_000  # that all made-up datasets may have together: a second or two
_DATASETS_LEAST = 10


@dataclass(frozen=True, eq=False)
class ReleaseErrors(FrozenResult):
    """Trials: c from the prior predictive, r released from c.

    mechanism, prior, n: as asked for; datasets: how many c there are; records: ||r - c||_1, (N,); distance: H of the
    posteriors, (N,); shares: mean of Dir(alpha + r) less mean of Dir(alpha + c), (N, k); blind: the prior's mean less
    mean of Dir(alpha + c), what whoever publishes nothing is off by, (datasets, k).
    """

    mechanism: Mechanism
    prior: tuple[float, ...]
    n: int
    datasets: int
    records: NDArray[np.int64]
    distance: NDArray[np.float64]
    shares: NDArray[np.float64]
    blind: NDArray[np.float64]

    @property
    def share(self) -> Measured:
        """E|error of a share|, over trials and categories: ``mean_share`` and ``mean_share_error``."""
        return self._mean(np.abs(self.shares))

    @property
    def mean_share(self) -> float:
        return self.share.value

    @property
    def mean_share_error(self) -> float:
        return self.share.error

    @property
    def mean_records(self) -> Measured:
        """E ||r - c||_1."""
        return self._mean(self.records)

    def _mean(self, values: NDArray[Any]) -> Measured:
        """With its standard error: releases of one dataset count as one."""
        of_data = values.reshape(self.datasets, -1).mean(axis=1)
        return Measured(float(values.mean()), float(of_data.std() / np.sqrt(max(self.datasets - 1, 1))))

    @property
    def blind_share(self) -> float:
        """E|error of a share| of the prior's mean, over the same data."""
        return float(np.abs(self.blind).mean())

    def quantile_of_shares(self, q: float) -> NDArray[np.float64]:
        """The q-quantile of each share's error over the trials, (k,)."""
        return np.quantile(self.shares, q, axis=0)


def release_errors(mechanism: Mechanism, prior: ArrayLike, n: int) -> ReleaseErrors:
    """Simulated releases r, 10 each of 200 datasets c drawn from the Dirichlet-multinomial prior predictive.

    No count of a person is an argument, so what is found may be published and chosen by. A fixed stream: the same
    arguments give the same trials. Where releasing lists many candidates, fewer data are made up, 10 at least, and
    more releases tried of each; of many categories fewer releases, one at least.
    mechanism; prior (k,); n. Raises ValueError where no release can be made. Source: ours.
    """
    alpha, n = limits.check_prior(prior), limits.check_total(n)
    few = max(_DATASETS_LEAST, min(_TRIALS, _CANDIDATES // number_of_candidates(n, len(alpha))))
    datasets = few if mechanism.rounding(alpha, n) > 0 else _TRIALS
    each = max(-(-_TRIALS // datasets), min(_EACH, _COUNTS // (datasets * len(alpha))))
    rng = np.random.default_rng(0)
    problems = [Problem(alpha, prior_predictive_counts(alpha, n, rng)) for _ in range(datasets)]
    released = np.array([mechanism.sample(problem, rng, each) for problem in problems])
    counts = np.array([problem.counts for problem in problems])[:, None]
    truth = dirichlet.mean(np.array(alpha) + counts)
    return ReleaseErrors(
        mechanism, alpha, n, datasets,
        records=np.abs(released - counts).sum(axis=-1).ravel(),
        distance=distances_between(alpha, counts, released).ravel(),
        shares=(dirichlet.mean(np.array(alpha) + released) - truth).reshape(-1, len(alpha)),
        blind=(dirichlet.mean(alpha) - truth)[:, 0],
    )  # fmt: skip
