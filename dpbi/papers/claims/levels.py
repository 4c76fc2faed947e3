"""Claims about candidates at equal distance from the truth, and the lemmas of the privacy proof that count them."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from dpbi.mechanisms import EHDNRS
from dpbi.posterior.hellinger import count_loss, distance_of_loss, distances_to
from dpbi.problem.candidates import list_candidates, number_of_candidates
from dpbi.problem.neighbours import neighbours, steps
from dpbi.sensitivity import local_sensitivity

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
    candidates_of,
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
_TINY = 1e-290  # probabilities that are left out below it
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


def _far_event(
    problem: Problem, setting: Setting, margin: Callable[[float, float], float], stated: Callable[[float], float]
) -> Iterator[Case]:
    """P(u <= S / (1 - e^lambda)) at lambda = beta, u = -H: H is at least S / (e^beta - 1) = ln(2 N / delta) / rate.

    stated: the probability, by delta.
    """
    found, mechanism = _levels(setting), _mechanism(setting)
    least = (math.log(2 * (problem.n + 1)) - math.log(setting.delta)) / mechanism.rate(problem)
    exact = float(np.exp(found.log_probability[found.distance >= least]).sum())
    claimed = stated(setting.delta)
    yield case(setting.named("prior", "counts", "epsilon", "delta"),
               {"H is at least": least, "claimed": claimed, "exact": exact},
               margin(exact, claimed) if found.clear else 0.0)


def _void_event(problem: Problem, setting: Setting) -> Iterator[Case]:
    """There u = H >= 0, and S / (1 - e^lambda) < 0 for lambda > 0: lambda = gamma."""
    mechanism = _mechanism(setting)
    smooth = setting.epsilon / (2 * mechanism.rate(problem))
    threshold = smooth / -math.expm1(min(setting.gamma, 700.0))
    claimed = (problem.n + 1) * math.exp(setting.epsilon / (2 * -math.expm1(min(setting.gamma, 700.0))))
    exact = float(np.exp(_levels(setting).log_probability[_levels(setting).distance <= threshold]).sum())
    yield case(setting.named("prior", "counts", "epsilon", "delta") | {"lambda": setting.gamma},
               {"S/(1 - e^lambda)": threshold, "claimed 1 - delta'/2": claimed, "exact": exact},
               equal(exact, claimed) if claimed > _TINY else 0.0)


def _negative_lambda(problem: Problem, setting: Setting) -> Iterator[Case]:
    """The largest u(r) (1 - e^lambda), u = H, at lambda = -gamma."""
    farthest = float(_levels(setting).distance[-1])
    shrunk = farthest * -math.expm1(-setting.gamma)
    yield case(setting.named("prior", "counts") | {"lambda": -setting.gamma}, {"u(r) (1 - e^lambda)": shrunk},
               at_most(shrunk, 0.0))


def _negative_ratio(problem: Problem, setting: Setting, log: bool) -> Iterator[Case]:
    """h(z) / h(e^lambda z) = exp(-rate H (1 - e^lambda)) at the nearest wrong candidate: largest after the truth's."""
    rate, nearest = _mechanism(setting).rate(problem), float(_levels(setting).distance[1])
    log_ratio = -rate * nearest * -math.expm1(-setting.gamma)
    name, value = ("log ratio", log_ratio) if log else ("ratio", math.exp(log_ratio))
    yield case(setting.named("prior", "counts", "epsilon", "delta") | {"lambda": -setting.gamma},
               {name: value, "epsilon/2": setting.epsilon / 2}, at_most(value, setting.epsilon / 2),
               within=setting.epsilon >= 2)


def _printed_probability(problem: Problem, setting: Setting) -> Iterator[Case]:
    """sum over H = c of exp(-epsilon c / S) / NL is P(H = c) exp(-rate c): the distance where that is least."""
    found = _levels(setting)
    rate = _mechanism(setting).rate(problem)
    exact = np.exp(found.log_of_level)
    c = found.distance[found.start]
    at = int((rate * c * (exact > _TINY)).argmax())
    claimed = float(exact[at] * np.exp(-rate * c[at]))
    yield case(setting.named("prior", "counts", "epsilon", "delta") | {"c": float(c[at])},
               {"claimed": claimed, "exact": float(exact[at])}, equal(float(exact[at]), claimed))


def _least_shift(problem: Problem, setting: Setting) -> Iterator[Case]:
    """U_1 = (u(y, z) - u(x, z)) / S(x) over neighbours y and candidates z is least at z = x: -LS(x) / S(x)."""
    need(problem.n > 0, "This claim needs at least one record: got n = 0.")
    smooth = setting.epsilon / (2 * _mechanism(setting).rate(problem))
    least = -local_sensitivity(problem) / smooth
    yield case(setting.named("prior", "counts", "epsilon", "delta"), {"least U_1": least, "-S(x)": -smooth},
               at_most(-smooth, least))


def _largest_case(problem: Problem, setting: Setting) -> Iterator[Case]:
    """ln(C_t / C_r) + epsilon (u(x', r) - u(x, r)) / (2 S(x)), all that its cases differ by: at r = x and elsewhere.

    C is 1 at distance 0 and else 2, as the paper has it.
    """
    mechanism = _mechanism(setting)
    candidates = candidates_of(problem)
    here, rate = distances_to(problem, candidates), mechanism.rate(problem)
    for other in neighbours(problem.counts).tolist():
        there = distances_to(problem.with_counts(other), candidates)
        values = np.log((2.0 - (there == 0)) / (2.0 - (here == 0))) + rate * (there - here)
        elsewhere = candidates[:, 0] != problem.counts[0]
        largest, at_x = float(values[elsewhere].max()), float(values[~elsewhere][0])
        yield case(setting.named("prior", "counts", "epsilon", "delta") | {"neighbour": tuple(other)},
                   {"epsilon' at r = x, less ln 2 + epsilon/2": at_x, "largest elsewhere": largest},
                   at_most(largest, at_x))


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


_EVENTS = Grid(FEW_PRIORS[:3], (1, 2, 6), "all", epsilons=(0.1, 1.0, 5.0), deltas=(0.01, 0.8))
_LEMMAS_SMALL = Grid(FEW_PRIORS[:3], (1, 2, 6), "all", epsilons=(0.1, 1.0, 5.0), beyond="every neighbour and r")
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
        stated=True,
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
        misprint=True,
    ),
    Claim(
        "The notes' probability of a distance",
        "P(H = c) is the sum of exp(-epsilon c / S) over the candidates at distance c, divided by the normaliser.",
        "[N] section 4.4",
        Grid(FEW_PRIORS[:3], (1, 2, 4), "all", epsilons=(0.8,), deltas=(0.8,)), _printed_probability,
        speaks_of=two_categories,
    ),
    Claim(
        "Sliding, as printed",
        "P[u(x, z) = u(r)] <= 2 e^{-epsilon k/(2S)} P[u(x, z) = u(r) + k] for all k that lead to a candidate's score.",
        "[P17] Lemma 5.3",
        _LEMMAS, partial(_sliding, sign=-1),
        speaks_of=two_categories,
        misprint=True,
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
        "The notes' event G",
        "u = -H is at most S/(1 - e^lambda) with probability 1 - delta/2, at lambda = beta; the end of the proof has "
        "delta/2.",
        "[N] proof of Lemma 2.2, where G is defined",
        _EVENTS, partial(_far_event, margin=equal, stated=lambda delta: 1 - delta / 2),
        speaks_of=two_categories,
        misprint=True,
    ),
    Claim(
        "The notes' event has probability delta/2",
        "u = -H is at most S/(1 - e^lambda) with probability (n + 1) exp(epsilon/(2 (1 - e^lambda))), which is delta/2 "
        "at lambda = beta.",
        "[N] proof of Lemma 2.2, last equation",
        _EVENTS, partial(_far_event, margin=equal, stated=lambda delta: delta / 2),
        speaks_of=two_categories,
        misprint=True,
    ),
    Claim(
        "The notes' event has probability at most delta/2",
        "u = -H is at most S/(1 - e^lambda) with probability at most delta/2, at lambda = beta.",
        "[N] proof of Lemma 2.2, last line",
        _EVENTS, partial(_far_event, margin=at_most, stated=lambda delta: delta / 2),
        speaks_of=two_categories,
    ),
    Claim(
        "Below lambda = 0 the ratio is at most epsilon/2, as printed",
        "For lambda < 0 the ratio of P[u = z] to P[u = e^lambda z], by one candidate each, is at most epsilon/2; z the "
        "score nearest to 0. What follows in both proofs is of the log ratio.",
        "[N] proof of Lemma 2.2; [P17] proof of Lemma 5.4",
        replace(_EVENTS, gammas=(0.1, 1.0), beyond="lambda = -gamma",
                found=(at((7.0, 4.0), (2, 4), 1.8, gamma=1.8, delta=0.8),)),
        partial(_negative_ratio, log=False), "epsilon is at least 2",
        speaks_of=two_categories,
        misprint=True,
    ),
    Claim(
        "Below lambda = 0 the log ratio is at most epsilon/2",
        "For lambda < 0 the logarithm of the ratio of P[u = z] to P[u = e^lambda z], by one candidate each, is at most "
        "epsilon/2; z the score nearest to 0.",
        "[N] proof of Lemma 2.2; [P17] proof of Lemma 5.4, whose next sentences are of the log ratio",
        replace(_EVENTS, gammas=(0.1, 1.0), beyond="lambda = -gamma"), partial(_negative_ratio, log=True),
        speaks_of=two_categories,
    ),
    Claim(
        "Below lambda = 0 there is nothing to show",
        "u(x, r) (1 - e^lambda) is at most 0 for lambda < 0, where u = H, as section 5.2 has it: of u = -H it is true.",
        "[P17] proof of Lemma 5.4",
        Grid(FEW_PRIORS[:3], (1, 2, 6), "all", gammas=(0.1, 1.0), beyond="lambda = -gamma; the farthest candidate"),
        _negative_lambda,
        speaks_of=two_categories,
        misprint=True,
    ),
    Claim(
        "M_H's event has probability 1 - delta'/2",
        "u = H is at most S/(1 - e^lambda) with probability N exp(epsilon/(2 (1 - e^lambda))), the 1 - delta'/2, for "
        "lambda > 0: the event is that a distance is below a number below 0.",
        "[P17] proof of Lemma 5.4, equation 2 and after",
        Grid(FEW_PRIORS[:3], (1, 2, 6), "all", epsilons=(0.1, 1.0, 5.0), gammas=(0.1, 1.0), beyond="lambda = gamma"),
        _void_event,
        speaks_of=two_categories,
    ),
    Claim(
        "The shift of Lemma 2.3",
        "U_1 = (u(y, z) - u(x, z)) / S(x) is at least -S(x), for all neighbours y and candidates z.",
        "[N] proof of Lemma 2.3",
        _EVENTS, _least_shift,
    ),
    Claim(
        "The largest case of Lemma 5.5",
        "Of all r, the true posterior of x has the largest epsilon', for every neighbour x'.",
        "[P17] proof of Lemma 5.5, last lines",
        _LEMMAS_SMALL, _largest_case,
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
