"""Claims about the sensitivities of the Hellinger score and about the set of candidates."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from dpbi.mechanisms import EHDNRS
from dpbi.papers.figures.notes import PRINTED_BETA, smoothness
from dpbi.posterior.hellinger import distances_to, hellinger
from dpbi.problem.candidates import list_candidates, number_of_candidates
from dpbi.problem.neighbours import neighbours
from dpbi.sensitivity import (
    PAPER_GLOBAL_SENSITIVITY,
    Kind,
    global_sensitivity,
    local_sensitivities,
    local_sensitivity,
    smooth_sensitivities,
)

from .claim import (
    FEW_PRIORS,
    PRIORS,
    Case,
    Claim,
    Grid,
    Problem,
    Setting,
    at,
    at_most,
    captioned_prior,
    case,
    equal,
    need,
    true,
    two_categories,
)

_LISTED = 5_000_000  # pairs of candidate and neighbour, visited at most
_NEIGHBOURS = 250_000  # at most, of one dataset
# LS and S in the captions of [N], figures 3 and 4, with their decimals, by n.
_CAPTIONED = {100: ((0.08, 2), (0.09, 2)), 120: ((0.0945, 4), (0.096, 3)), 150: ((0.0945, 4), (0.096, 3))}


def _global(
    problem: Problem, setting: Setting, margin: Callable[[float, float], float], within: Callable[[Problem], bool]
) -> Iterator[Case]:
    exact = global_sensitivity(problem.prior, problem.n)
    yield case(setting.named("prior", "n"), {"claimed": PAPER_GLOBAL_SENSITIVITY, "exact GS": exact},
               margin(exact, PAPER_GLOBAL_SENSITIVITY), within(problem))


def _captioned_global_sensitivity(problem: Problem, setting: Setting) -> Iterator[Case]:
    exact = global_sensitivity(problem.prior, problem.n)
    pair = float(hellinger((7, 4), (8, 3)))
    yield case(setting.named("prior", "n"), {"claimed": 0.239992747797, "exact GS": exact,
                                             "H(Beta(7, 4), Beta(8, 3))": pair}, equal(exact, 0.239992747797))


def _captioned_smoothness(problem: Problem, setting: Setting) -> Iterator[Case]:
    """The notes' formula with n + 1 candidates, and with n, which gives the captions."""
    n, epsilon, delta = problem.n, setting.epsilon, setting.delta
    need(n in PRINTED_BETA, f"The captions speak of n = 100, 120 and 150: got n = {n:,}.")
    stated, shifted = (smoothness(candidates, epsilon, delta) for candidates in (n + 1, n))
    numbers = {"captioned": PRINTED_BETA[n], "with n + 1": stated, "with n": shifted,
               "with all candidates": EHDNRS(epsilon, delta).beta(n, problem.k)}
    yield case(setting.named("n", "epsilon", "delta"), numbers, equal(stated, PRINTED_BETA[n]))


def _captioned_pair(problem: Problem, setting: Setting) -> Iterator[Case]:
    """LS and S of all data of that size, S with the caption's beta: the data whose pair is relatively nearest to the
    printed one, and whether any pair rounds to it."""
    n = problem.n
    need(problem.k == 3 and n in _CAPTIONED, f"The captions speak of three categories and n = 100, 120 and 150: got "
                                             f"k = {problem.k} and n = {n:,}.")
    counts = list_candidates(n, problem.k)
    local = local_sensitivities(problem.prior, counts)
    smooth = smooth_sensitivities(problem.prior, counts, PRINTED_BETA[n], "exponential")
    (printed_local, places), (printed_smooth, others) = _CAPTIONED[n]
    miss = np.maximum(np.abs(local / printed_local - 1), np.abs(smooth / printed_smooth - 1))
    rounds = (np.round(local, places) == printed_local) & (np.round(smooth, others) == printed_smooth)
    nearest = int(miss.argmin())
    yield case(setting.named("prior", "n"),
               {"captioned LS": printed_local, "S": printed_smooth, "nearest LS": float(local[nearest]),
                "nearest S": float(smooth[nearest]), "missed by": float(miss[nearest]),
                "datasets": int(rounds.size), "that have the pair": int(rounds.sum())},
               1.0 if rounds.any() else -float(miss[nearest]))


def _local_at_truth(problem: Problem, setting: Setting) -> Iterator[Case]:
    near = neighbours(problem.counts)
    need(number_of_candidates(problem.n, problem.k) * len(near) <= _LISTED,
         f"There are too many candidates and neighbours to visit all pairs: at most {_LISTED:,} pairs are visited, got "
         f"n = {problem.n:,} and k = {problem.k}.")
    at_truth = local_sensitivity(problem)
    candidates = list_candidates(problem.n, problem.k)
    here = distances_to(problem, candidates)
    anywhere = max(float(np.abs(here - distances_to(problem.with_counts(other), candidates)).max())
                   for other in near.tolist())
    yield case(setting.named("prior", "counts"), {"at the true posterior": at_truth, "over all candidates": anywhere},
               equal(at_truth, anywhere))


def _number_of_candidates(problem: Problem, setting: Setting, stated: Callable[[int, int], int]) -> Iterator[Case]:
    n, k = problem.n, problem.k
    claimed, exact = stated(n, k), number_of_candidates(n, k)
    yield case(setting.named("n", "k"), {"claimed": claimed, "exact": exact}, true(claimed == exact), within=k == 2)


def _moved(problem: Problem, setting: Setting, all_counts: bool) -> Iterator[Case]:
    """By how much a replaced record moves all counts, which is k, or all but one, which is at most 1, or 2 above."""
    k = problem.k
    changes = np.abs(_neighbours(setting) - np.array(problem.counts))
    moved = int(changes[:, : None if all_counts else -1].sum(axis=1).max())
    claimed = k if all_counts else min(k - 1, 2)
    yield case(setting.named("counts", "k"), {"claimed": claimed, "exact": moved},
               true(moved == claimed if all_counts else moved <= claimed), within=k == 2)


def _all_moved(problem: Problem, setting: Setting) -> Iterator[Case]:
    changes = np.abs(_neighbours(setting) - np.array(problem.counts))
    moved = int(changes.sum(axis=1).max())
    yield case(setting.named("counts", "k"), {"claimed at most": 2, "exact": moved}, true(moved <= 2))


def _each_moved(problem: Problem, setting: Setting) -> Iterator[Case]:
    moved = int(np.abs(_neighbours(setting) - np.array(problem.counts)).max())
    yield case(setting.named("counts"), {"claimed": 1, "exact": moved}, true(moved == 1))


def _neighbours(setting: Setting) -> np.ndarray:
    problem = setting.problem
    need(problem.n > 0, "With n = 0 there are no neighbouring datasets (got n = 0).")
    need(problem.k * problem.k <= _NEIGHBOURS,
         f"There are too many neighbours to visit: at most {_NEIGHBOURS:,}, got k = {problem.k:,}.")
    return neighbours(problem.counts)


def _smoothness(problem: Problem, setting: Setting, kind: Kind) -> Iterator[Case]:
    """With gamma for the beta of the exponential kind: a claim for every beta."""
    prior, gamma = problem.prior, setting.gamma
    here, *there = smooth_sensitivities(prior, np.vstack([problem.counts, _neighbours(setting)]), gamma, kind)
    if kind == "reciprocal":
        parameter, said, changes = "gamma", "largest |1/S(x) - 1/S(x')|", np.abs(1 / np.array(there) - 1 / here)
    else:
        parameter, said, changes = "beta", "largest ln(S(x')/S(x))", np.log(there / here)
    change = float(changes.max())
    yield case(setting.named("prior", "counts") | {parameter: gamma}, {said: change}, at_most(change, gamma))


def _smoothing_matters(problem: Problem, setting: Setting) -> Iterator[Case]:
    prior, counts = problem.prior, problem.counts
    local = float(local_sensitivities(prior, counts))
    smooth = float(smooth_sensitivities(prior, counts, 1.0))
    yield case(setting.named("prior", "counts"), {"LS(x)": local, "S(x)": smooth}, true(smooth > local * (1 + 1e-9)))


def _between(problem: Problem, setting: Setting) -> Iterator[Case]:
    local, most = local_sensitivity(problem), global_sensitivity(problem.prior, problem.n)
    smooth = float(smooth_sensitivities(problem.prior, problem.counts, setting.gamma))
    yield case(setting.named("prior", "counts", "gamma"), {"LS": local, "S": smooth, "GS": most},
               min(at_most(local, smooth), at_most(smooth, most)))


_SIZES = Grid((*PRIORS, (2.0, 2.0, 2.0, 2.0), (0.5, 3.0)), (*range(1, 13), 50, 200))
_SPACES = Grid(tuple((1.0,) * k for k in range(2, 7)), tuple(range(1, 8)))

CLAIMS = (
    Claim(
        "The global sensitivity is at most sqrt(1 - pi/4)",
        "Replacing one record changes the Hellinger score by at most sqrt(1 - pi/4) = 0.46325, whatever the prior.",
        "[D20] and [P20] section 1",
        _SIZES, partial(_global, margin=at_most, within=lambda problem: min(problem.prior) >= 1),
        "no prior parameter is below 1",
    ),
    Claim(
        "The global sensitivity equals sqrt(1 - pi/4)",
        "The largest change of the score over all neighbouring datasets is exactly sqrt(1 - pi/4).",
        "[D20] and [P20] section 1",
        replace(_SIZES, found=(at((1.0, 1.0, 3.0), (3, 2, 2)),)),
        partial(_global, margin=equal, within=lambda problem: set(problem.prior) == {1.0} and (
            problem.k > 2 or problem.n == 1)), "the prior is flat and k > 2 or n = 1",
    ),
    Claim(
        "The notes' global sensitivity 0.2399927",
        "Under the prior Dir(7, 4, 5) of the notes' figures the global sensitivity is 0.239992747797.",
        "[N] captions of Figures 3 and 4",
        Grid(((7.0, 4.0, 5.0),), (100, 120, 150)), _captioned_global_sensitivity,
        speaks_of=captioned_prior,
    ),
    Claim(
        "The notes' smoothness beta",
        "The captioned beta is ln(1 - epsilon / (2 ln(delta / (2 (n + 1))))) at epsilon = delta = 0.8.",
        "[N] section 2.3.1 and captions of Figures 3 and 4",
        Grid(((7.0, 4.0, 5.0),), (100, 120, 150), epsilons=(0.8,), deltas=(0.8,)), _captioned_smoothness,
    ),
    Claim(
        "The notes' local and smooth sensitivities",
        "Among all data under Dir(7, 4, 5) there are some with the captions' LS(x) and, with their beta, S(x), rounded "
        "as they are: 0.08 and 0.09 at n = 100, 0.0945 and 0.096 at 120 and 150.",
        "[N] captions of Figures 3 and 4",
        Grid(((7.0, 4.0, 5.0),), (100, 120, 150), beyond="all data"), _captioned_pair, everywhere=False,
        speaks_of=captioned_prior,
    ),
    Claim(
        "Local sensitivity is attained at the true posterior",
        "Of all candidates r, the score of the true posterior itself changes most when one record is replaced.",
        "[P17] section 7.1 and Figure 2; [N] section 4.1",
        Grid(FEW_PRIORS, (1, 2, 6), "all"), _local_at_truth,
    ),
    Claim(
        "There are C(n + 1, k - 1) candidates",
        "With k categories and n records there are C(n + 1, k - 1) candidate posteriors.",
        "[P17] section 4.2",
        _SPACES, partial(_number_of_candidates, stated=lambda n, k: math.comb(n + 1, k - 1)), "k = 2",
    ),
    Claim(
        "There are n + 1 candidates",
        "The candidate set has n + 1 members. Both papers say so of beta distributions; the captions of the notes' "
        "Dirichlet figures count so too.",
        "[N] section 2.3.3; [P17] section 4",
        _SPACES, partial(_number_of_candidates, stated=lambda n, k: n + 1), "k = 2",
        stated=True,
    ),
    Claim(
        "There are n candidates",
        "The candidate set is r_1, ..., r_n, of n members.",
        "[P17] section 4.1.1",
        _SPACES, partial(_number_of_candidates, stated=lambda n, k: n),
        misprint=True,
    ),
    Claim(
        "L1 sensitivity grows with the dimension",
        "The L1 sensitivity of the posterior's parameters is proportional to the number of categories (2 at k = 2).",
        "[P17] section 4.1.3",
        Grid(tuple((1.0,) * k for k in range(2, 6)), (1, 2, 3), "all"), partial(_moved, all_counts=True), "k = 2",
    ),
    Claim(
        "L1 sensitivity is at most 2",
        "The L1 sensitivity of the posterior's parameters is at most 2, for any number of categories.",
        "[P17] sections 3 and 4.1.4",
        Grid(tuple((1.0,) * k for k in range(2, 6)), (1, 2, 3), "all"), _all_moved,
    ),
    Claim(
        "Each count has sensitivity 1",
        "A replaced record changes each of both counts by at most 1, and some by 1.",
        "[L17]",
        Grid(totals=(1, 2, 3), data="all"), _each_moved,
        speaks_of=two_categories,
    ),
    Claim(
        "Sensitivity 1 suffices at k = 2, and 2 above",
        "One replaced record moves the first k - 1 counts by at most 1 in all at k = 2, and by at most 2 above.",
        "[P17] section 4.1.4; [D20] Algorithm 3; [P20] Algorithm 2",
        Grid(tuple((1.0,) * k for k in range(2, 6)), (1, 2, 3), "all"), partial(_moved, all_counts=False),
    ),
    Claim(
        "1/S changes by at most gamma",
        "For neighbours x, x' the reciprocal smooth sensitivity satisfies |1/S(x) - 1/S(x')| <= gamma.",
        "[P17] Theorem 5.1, Definition 5, equations 3 and 4; [D20] and [P20] section 1",
        Grid(FEW_PRIORS, (1, 2, 6), "all", gammas=(0.01, 1.0), beyond="every neighbour"),
        partial(_smoothness, kind="reciprocal"),
    ),
    Claim(
        "S changes by a factor of at most e^beta",
        "For neighbours x, x' the exponential smooth sensitivity satisfies S(x') <= e^beta S(x).",
        "[N] section 2.3.1; [P17] Definition 3 and equation 1, after Nissim, Raskhodnikova and Smith",
        Grid(FEW_PRIORS, (1, 2, 6), "all", gammas=(0.01, 0.3), beyond="beta = gamma; every neighbour"),
        partial(_smoothness, kind="exponential"),
    ),
    Claim(
        "S lies between the local and the global sensitivity",
        "The reciprocal smooth sensitivity is an upper bound on the local one and no larger than the global one.",
        "[P17] sections 1 and 5.2.5",
        Grid(FEW_PRIORS, (1, 2, 6), "all", gammas=(0.01, 1.0)), _between,
    ),
    Claim(
        "gamma = 1 smooths",
        "With gamma = 1 there are datasets whose smooth sensitivity is above their local sensitivity.",
        "[P17] Definition 6 (gamma = 1); [P20] Algorithm 5",
        Grid(FEW_PRIORS, (1, 2, 5, 10), "all"), _smoothing_matters, everywhere=False,
    ),
)
