"""Claims about candidates at equal distance from the truth, and the lemmas of the privacy proof that count them."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from dpbi.mechanisms import EHDNRS
from dpbi.posterior.hellinger import count_loss, distance_of_loss
from dpbi.problem.candidates import list_candidates, number_of_candidates
from dpbi.problem.neighbours import steps

from .claim import (
    BETA_PRIORS,
    FEW_PRIORS,
    Case,
    Claim,
    Grid,
    Problem,
    Setting,
    at,
    at_most,
    case,
    equal,
    exp,
    listed_law,
    need,
    true,
    two_categories,
)
from .two_categories import same_levels

_LISTED = 200_000  # candidates
_SMALL = 12  # records
_PAIRED = 2_000  # levels, whose pairs are all visited


@dataclass(frozen=True, eq=False)
class _Levels:
    """The candidates of a problem by distance from the truth, nearest first, and where a new level starts.

    candidates (N, k); loss, distance, log_probability (N,): -log BC, H and the law under M_H of [N] and [P17]
    Definition 3; start (levels,) their first rows; members (levels,) how many candidates share a level, C_r of [P17]
    Definition 4; clear: whether all levels could be told apart, by their losses, which do not crowd as H does near 1.
    """

    candidates: NDArray[np.int64]
    loss: NDArray[np.float64]
    distance: NDArray[np.float64]
    log_probability: NDArray[np.float64]
    start: NDArray[np.int64]
    clear: bool

    @property
    def members(self) -> NDArray[np.int64]:
        return np.diff(np.append(self.start, self.distance.size))

    @property
    def log_of_level(self) -> NDArray[np.float64]:
        """log P[u(x, z) = u(x, r)] per level."""
        return np.log(self.members) + self.log_probability[self.start]

    def member(self, level: int) -> tuple[int, ...]:
        """The first candidate of a level."""
        return tuple(self.candidates[self.start[level]].tolist())


def _mechanism(setting: Setting) -> EHDNRS:
    return EHDNRS(setting.epsilon, setting.delta)


def _levels(setting: Setting) -> _Levels:
    """Remembered for the grids' small data, at which several claims look."""
    small = setting.problem.k < 4 and setting.problem.n <= _SMALL
    return (_remembered_levels if small else _listed_levels)(setting)


def _listed_levels(setting: Setting) -> _Levels:
    problem = setting.problem
    need(number_of_candidates(problem.n, problem.k) <= _LISTED,
         f"There are too many candidates to list their distances, at most {_LISTED:,}: got n = {problem.n:,} with k = "
         f"{problem.k:,} categories.")
    candidates = list_candidates(problem.n, problem.k)
    loss = count_loss(np.array(problem.prior), np.array(problem.counts), candidates).sum(axis=-1)
    order = np.argsort(loss, kind="stable")
    candidates, loss = candidates[order], loss[order]
    new, clear = same_levels(loss)
    return _Levels(candidates, loss, distance_of_loss(loss), _mechanism(setting).log_pmf(problem, candidates),
                   np.flatnonzero(new), clear)


_remembered_levels = lru_cache(maxsize=1024)(_listed_levels)


def _lemma_5_1(problem: Problem, setting: Setting) -> Iterator[Case]:
    """Along the sorted candidates: log P stays where the distance stays, and falls where it rises.

    Left out are pairs whose log P would differ by less than rounding.
    """
    found = _levels(setting)
    fall, rise = -np.diff(found.log_probability), np.diff(found.distance)
    rises = np.isin(np.arange(1, found.loss.size), found.start)
    rate = _mechanism(setting).rate(problem)
    told = ~rises | (rate * rise > 1e-12 * (1 + np.abs(found.log_probability[1:])))
    so = np.where(rises, fall > 0, np.abs(fall) <= 1e-9 * (1 + np.abs(found.log_probability[1:])))
    yield case(setting.named("prior", "counts", "epsilon", "delta"),
               {"levels": found.start.size, "pairs left out": int((~told).sum())},
               true(bool(so[told].all())) if found.clear and told.any() else 0.0)


def _lemma_5_2(problem: Problem, setting: Setting) -> Iterator[Case]:
    """Distances that doubles cannot tell apart are one level of the law: such data are left out."""
    found = _levels(setting)
    level = listed_law(_mechanism(setting), problem).levels()[1]
    counted = np.exp(found.log_of_level)
    told = found.clear and level.size == counted.size
    error = float(np.abs(counted - level).max()) if told else math.nan
    yield case(setting.named("prior", "counts", "epsilon", "delta"),
               {"levels": found.start.size, "largest error": error},
               true(error <= 1e-9) if told else 0.0)


def _equal_steps(problem: Problem, setting: Setting) -> Iterator[Case]:
    """Of every number of steps, the nearest and the farthest candidate, by their losses."""
    found = _levels(setting)
    moved = steps(problem.counts, found.candidates).astype(np.int64)
    low, high = np.full(problem.n + 1, np.inf), np.zeros(problem.n + 1)
    np.minimum.at(low, moved, found.loss)
    np.maximum.at(high, moved, found.loss)
    spread = np.where(np.isfinite(low) & (high > 0), (high - low) / np.maximum(high, 1e-300), -1.0)
    at = int(spread.argmax())
    nearest, farthest = (float(distance_of_loss(value[at])) for value in (low, high))
    yield case(setting.named("prior", "counts") | {"steps": at}, {"nearest": nearest, "farthest": farthest},
               equal(float(low[at]), float(high[at])),
               within=problem.k == 2 and problem.posterior[0] == problem.posterior[1])


def _at_most_two(problem: Problem, setting: Setting) -> Iterator[Case]:
    found = _levels(setting)
    most = int(found.members.argmax())
    yield case(setting.named("prior", "counts") | {"candidate": found.member(most)},
               {"candidates at its distance": int(found.members[most])},
               true(found.members[most] <= 2) if found.clear else 0.0, within=problem.k == 2)


def _exactly_two(problem: Problem, setting: Setting) -> Iterator[Case]:
    found = _levels(setting)
    odd = np.flatnonzero(found.members[1:] != 2) + 1
    at = int(odd[0]) if odd.size else 0
    yield case(setting.named("prior", "counts") | {"candidate": found.member(at)},
               {"candidates at its distance": int(found.members[at])}, true(odd.size == 0) if found.clear else 0.0,
               within=_mirrored(problem))


def _assertion_5_4_1(problem: Problem, setting: Setting) -> Iterator[Case]:
    """u(t) = e^lambda u(r) > 0 relates any two wrong candidates at different distances, of which there must be two."""
    found = _levels(setting)
    members = found.members[1:]
    if members.size < 2:
        return
    other = int(np.argmax(members != members[0])) + 1
    yield case(setting.named("prior", "counts") | {"r": found.member(1), "t": found.member(other)},
               {"C_r": int(members[0]), "C_t": int(members[other - 1])},
               true(bool((members == members[0]).all())) if found.clear else 0.0, within=_mirrored(problem))


def _mirrored(problem: Problem) -> bool:
    return problem.k == 2 and len(set(problem.prior)) == 1 and len(set(problem.counts)) == 1


def _sliding(problem: Problem, setting: Setting, sign: int) -> Iterator[Case]:
    """log P[u(r)] <= sign rate (u(t) - u(r)) + ln 2 + log P[u(t)], rate = epsilon / (2 S): the margin in logs."""
    found, log_level, u = _pairs(setting)
    rate = _mechanism(setting).rate(problem)
    spare = sign * rate * (u[None, :] - u[:, None]) + math.log(2) + log_level[None, :] - log_level[:, None]
    r, t = np.unravel_index(spare.argmin(), spare.shape)
    yield case(_pair(setting, found, int(r), int(t)),
               {"ln of the claimed bound over the probability": float(spare[r, t])}, float(spare[r, t]))


def _notes_sliding(problem: Problem, setting: Setting) -> Iterator[Case]:
    """Delta >= -S moves the score from -H(r) to -H(t) wherever H(t) <= H(r) + S."""
    found, log_level, u = _pairs(setting)
    smooth = setting.epsilon / (2 * _mechanism(setting).rate(problem))
    yield _worst_pair(setting, found, log_level, u[None, :] <= u[:, None] + smooth, setting.delta / 2)


def _notes_dilation(problem: Problem, setting: Setting) -> Iterator[Case]:
    found, log_level, u = _pairs(setting)
    beta = _mechanism(setting).beta(problem.n, 2)
    log_u = np.log(np.append(1.0, u[1:]))
    allowed = np.abs(log_u[None, :] - log_u[:, None]) <= beta
    allowed[0, 1:] = allowed[1:, 0] = False  # the truth is dilated to itself alone
    yield _worst_pair(setting, found, log_level, allowed, setting.delta / 2)


def _dilation(problem: Problem, setting: Setting) -> Iterator[Case]:
    """Pairs r, t, t farther out, u(t) = e^lambda u(r); delta'/2 = 1 - N exp(epsilon / (2 (1 - e^lambda)))."""
    found, log_level, u = _pairs(setting)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        granted = 1 - (problem.n + 1) * np.exp(setting.epsilon / (2 * (1 - u[None, :] / u[:, None])))
    allowed = (u[None, :] > u[:, None]) & (u[:, None] > 0)
    if allowed.any():
        yield _worst_pair(setting, found, log_level, allowed, np.where(allowed, granted, 0.0))


def _pairs(setting: Setting) -> tuple[_Levels, NDArray[np.float64], NDArray[np.float64]]:
    found = _levels(setting)
    need(found.start.size <= _PAIRED,
         f"All pairs of distances are visited up to {_PAIRED:,} distances: got {found.start.size:,}.")
    return found, found.log_of_level, found.distance[found.start]


def _pair(setting: Setting, found: _Levels, r: int, t: int) -> dict:
    return setting.named("prior", "counts", "epsilon", "delta") | {"r": found.member(r), "t": found.member(t)}


def _worst_pair(
    setting: Setting, found: _Levels, log_level: NDArray, allowed: NDArray, granted: float | NDArray
) -> Case:
    """P[u(r)] <= e^{epsilon/2} P[u(t)] + granted, for the allowed pairs (r, t): the one with the least margin."""
    level = np.exp(log_level)
    bound = np.where(allowed, exp(setting.epsilon / 2) * level[None, :] + granted, np.inf)
    spare = bound - level[:, None]
    r, t = (int(at) for at in np.unravel_index(spare.argmin(), spare.shape))
    return case(_pair(setting, found, r, t), {"claimed bound": float(bound[r, t]), "exact": float(level[r])},
                at_most(float(level[r]), float(bound[r, t])))


# As printed; the posterior meant is Dir(5, 5, 5), of the flat prior and counts (4, 4, 4).
_LISTED_NEIGHBOURS = ((4, 5, 3), (4, 3, 5), (5, 4, 3), (5, 3, 4), (3, 5, 4), (5, 5, 5))


def _listed_neighbours(problem: Problem, setting: Setting) -> Iterator[Case]:
    for parameters in _LISTED_NEIGHBOURS:
        moved = float(steps((5, 5, 5), parameters))
        yield case({"listed": parameters}, {"sum": sum(parameters), "steps from (5, 5, 5)": moved},
                   true(sum(parameters) == 15 and moved == 1))


_LEMMAS = Grid(FEW_PRIORS[:3], (1, 2, 6), "all", epsilons=(0.1, 1.0, 5.0), beyond="every pair of distances")

CLAIMS = (
    Claim(
        "Equal scores, equal probabilities",
        "Under M_H two candidates have the same probability exactly if they have the same distance from the truth.",
        "[P17] Lemma 5.1",
        Grid(FEW_PRIORS, (1, 2, 4), "all", epsilons=(1.0, 5.0)), _lemma_5_1,
    ),
    Claim(
        "A distance has C_r times the probability of a candidate",
        "The probability of a distance is that of one candidate times the number of candidates at that distance.",
        "[P17] Lemma 5.2",
        Grid(FEW_PRIORS, (1, 2, 4), "all"), _lemma_5_2,
    ),
    Claim(
        "Equal steps, equal distance",
        "Candidates that are equally many steps from the truth are equally far from it in Hellinger distance.",
        "[N] section 4.4",
        Grid(FEW_PRIORS, (1, 2, 3, 6), "all"), _equal_steps, "k = 2 and alpha_1 + c_1 = alpha_2 + c_2",
    ),
    Claim(
        "At most two candidates share a distance",
        "C_r, the number of candidates at the distance of r, is 1 or 2.",
        "[P17] Definition 4 and proof of Lemma 5.3; [N] section 2.3.1",
        Grid(FEW_PRIORS, (1, 2, 3, 6), "all"), _at_most_two, "k = 2",
    ),
    Claim(
        "Every candidate but the truth has a twin",
        "C_r is 2 for every candidate r but the true posterior, by symmetry of the distance.",
        "[P17] proof of Lemma 5.3; [N] section 2.3.1",
        Grid(BETA_PRIORS, (1, 2, 3, 4, 6, 10), "all", found=(at((5.0, 5.0, 5.0), (0, 0, 1)),)), _exactly_two,
        "both categories have the same prior parameter and the same count",
    ),
    Claim(
        "Dilated candidates have as many twins",
        "C_r = C_t for every two wrong candidates r and t.",
        "[P17] Assertion 5.4.1",
        Grid(((1.0, 1.0), (0.5, 0.5), (2.0, 1.0), (7.0, 4.0)), (2, 3, 4, 5, 7), "all"), _assertion_5_4_1,
        "both categories have the same prior parameter and the same count",
        speaks_of=two_categories,
    ),
    Claim(
        "The six listed neighbours of Dir(5, 5, 5)",
        "(4,5,3), (4,3,5), (5,4,3), (5,3,4), (3,5,4) and (5,5,5) are the candidates one step from Dir(5, 5, 5).",
        "[N] section 4.4",
        Grid(((1.0, 1.0, 1.0),), (12,)), _listed_neighbours,
    ),
    Claim(
        "Sliding, as printed",
        "P[u(x, z) = u(r)] <= 2 e^{-epsilon k/(2S)} P[u(x, z) = u(r) + k] for all k that lead to a candidate's score.",
        "[P17] Lemma 5.3",
        _LEMMAS, partial(_sliding, sign=-1),
        speaks_of=two_categories,
    ),
    Claim(
        "Sliding, as derived",
        "The same with e^{+epsilon k/(2S)}, which is what the proof derives.",
        "[P17] proof of Lemma 5.3",
        _LEMMAS, partial(_sliding, sign=1),
        speaks_of=two_categories,
    ),
    Claim(
        "The notes' sliding property",
        "P[u = s] <= e^{epsilon/2} P[u = s + Delta] + delta/2 for every Delta >= -S that leads to a candidate's score.",
        "[N] Lemma 2.1",
        _LEMMAS, _notes_sliding,
        speaks_of=two_categories,
    ),
    Claim(
        "The notes' dilation property",
        "P[u = z] <= e^{epsilon/2} P[u = e^lambda z] + delta/2 for |lambda| <= beta, where a candidate has that score.",
        "[N] Lemma 2.2",
        replace(_LEMMAS, found=(at((1.0, 2.0), (21, 20), 0.1), at((7.0, 4.0), (27, 30), 0.1))), _notes_dilation,
        speaks_of=two_categories,
    ),
    Claim(
        "Dilation",
        "P[u = u(r)] <= e^{epsilon/2} P[u = e^lambda u(r)] + delta'/2 for lambda > 0, where a candidate has that "
        "score, with 1 - delta'/2 = N exp(epsilon / (2 (1 - e^lambda))).",
        "[P17] Lemma 5.4",
        Grid(FEW_PRIORS[:3], (3, 6), "all", epsilons=(0.1, 1.0, 5.0), beyond="every pair of distances"), _dilation,
        speaks_of=two_categories,
    ),
)
