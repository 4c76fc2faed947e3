"""What is asked of noisy counts, kept between runs. Labels are never an argument, as in ``library``."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbi import JointPosterior, NoiseAwarePosterior, NoisyCountsPosterior, read_release, read_release_table
from dpbi.dashboard.answers.cache import kept
from dpbi.inference import ranking as ranks
from dpbi.inference.ranking import Ranking
from dpbi.inference.tree_posterior import TreePosterior
from dpbi.releases.published import PublishedRelease, is_of_a_table
from dpbi.releases.reading import NoisyReading, counts_of

Posterior = NoisyCountsPosterior | NoiseAwarePosterior | JointPosterior | TreePosterior


class PartOfTable(NamedTuple):
    """One group's answers to one question, of the file of a table; part: (question, group)."""

    data: bytes
    part: tuple[str, str]


Question = NoisyReading | bytes | PartOfTable  # what was read, or the file of a release

_DRAWN = 8_000_000  # numbers, for the ranks


class Moments(NamedTuple):
    """counts: (k, 3), with intervals."""

    mean: NDArray[np.float64]
    sd: NDArray[np.float64] | None
    counts: NDArray[np.float64]
    misfit: float


@kept(4, megabytes=600, said="The posterior.")
def answered(of: Question) -> Posterior | str:
    """The posterior, of which all else is asked, or the sentence that refuses it: to find that out takes as long."""
    try:
        return of.posterior() if isinstance(of, NoisyReading) else published(of).posterior
    except np.linalg.LinAlgError:  # a ValueError, and none of ours
        raise
    except ValueError as refusal:
        return str(refusal)


def posterior(of: Question) -> Posterior:
    """Raises ValueError where it is refused."""
    found = answered(of)
    if isinstance(found, str):
        raise ValueError(found)
    return found


@kept(4)
def published(of: bytes | PartOfTable) -> PublishedRelease:
    return read_release(*of) if isinstance(of, PartOfTable) else read_release(of)


@kept(4)
def parts(data: bytes) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The questions and the groups of a table; (), () for the file of anything else."""
    if not is_of_a_table(data):
        return (), ()
    found = read_release_table(data)
    return found.questions, found.groups


@kept(64, said="Means and standard deviations.")
def moments(of: Question) -> Moments:
    found = posterior(of)
    if isinstance(found, NoisyCountsPosterior):
        return Moments(found.mean, found.sd, counts_of(found), found.misfit)
    return Moments(found.mean, None, counts_of(found), 0.0)


@kept(8192, said="An interval.")
def interval(of: Question, category: int) -> tuple[float, float]:
    return posterior(of).interval(0.95, category)


@kept(64, said="Drawing, for the ranks.")
def ranking(of: Question, seed: int) -> Ranking:
    found = posterior(of)
    draws = min(ranks.DRAWS, _DRAWN // len(found.prior))
    return ranks.ranking(found, np.random.default_rng(seed), draws)
