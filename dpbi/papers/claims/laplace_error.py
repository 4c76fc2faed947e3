"""Claims about ELap(x), the distance within which LSHist stays with a given probability: Theorems 4.1 to 4.4.

Setting.delta stands for the papers' gamma of this section, the probability of a larger distance.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from dpbi.accuracy.distance_law import distance_law
from dpbi.data.synthesis import balanced_counts
from dpbi.mechanisms import LSHist
from dpbi.mechanisms.noise.law import FlooredLaplace
from dpbi.posterior.hellinger import hellinger
from dpbi.sensitivity import local_sensitivity

from .claim import (
    Case,
    Claim,
    Grid,
    Problem,
    Setting,
    Value,
    at,
    at_most,
    case,
    equal,
    need,
    true,
    two_categories,
)
from .two_categories import LineLaw, level_of_sensitivity, line_law, outside

_SMALL, _LARGE = (4, 64, 1_024, 16_384), (65_536, 262_144)
_LEAST, _TINY = 1e-12, 1e-300
_FAR = 30.0  # steps
_STEPS = (1, 2, 3, 5, 10)
_REAL = (-1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 1.99)
_PLACES = ("balanced", "one category in ten", "one record")


def _law(setting: Setting) -> LineLaw:
    return line_law(LSHist(setting.epsilon), setting.problem)


def _error(setting: Setting, beyond: float) -> tuple[float, bool]:
    """ELap(x), the smallest distance that is exceeded with probability ``beyond`` at most; whether that is clear."""
    need(beyond >= _LEAST, f"Distances exceeded with a probability below {_LEAST:g} are not resolved: got gamma = "
                           f"{beyond:.3g}.")
    law = _law(setting)
    error, clear = law.error(beyond)
    return error, clear and law.clear


def _reach(setting: Setting) -> float:
    """ln(1/gamma) / epsilon: P(|Y| <= it) = 1 - gamma."""
    return -math.log(setting.delta) / setting.epsilon


def _relative_error(prior: tuple[float, ...], counts: tuple[int, ...], epsilon: float, probability: float) -> float:
    problem = Problem(prior, counts)
    return distance_law(LSHist(epsilon), problem).quantile(1 - probability) / local_sensitivity(problem)


def _bounded_in_n(problem: Problem, setting: Setting) -> Iterator[Case]:
    """ELap / (epsilon LS) along growing n: the largest value at large n is no larger than at small n, up to 5 %."""
    prior, epsilon, probability = problem.prior, setting.epsilon, setting.delta
    need(_reach(setting) <= _FAR, f"This claim is computed where ln(1/gamma)/epsilon is at most {_FAR:g} steps, few "
                                  f"beside the sizes visited: got {_reach(setting):.3g}.")
    for place in _PLACES:
        small, large = (max(_relative_error(prior, _placed(place, n), epsilon, probability) for n in sizes) / epsilon
                        for sizes in (_SMALL, _LARGE))
        yield case(setting.named("prior", "epsilon") | {"gamma": probability, "data": place},
                   {"largest up to n = 16,384": small, "beyond": large}, at_most(large, 1.05 * small))


def _placed(place: str, n: int) -> tuple[int, ...]:
    first = {"balanced": balanced_counts(2, n)[0], "one category in ten": -(-n // 10), "one record": 1}[place]
    return first, n - first


def _within_sensitivity(problem: Problem, setting: Setting, strictly: bool) -> Iterator[Case]:
    """P >= 1 - (e^{-epsilon} + e^{-2 epsilon}) / 2, compared as what is left to 1, which keeps its digits."""
    law, left = _law(setting), outside(setting.epsilon, 1)
    at = level_of_sensitivity(law, problem)
    name, exact = ("P(H < LS)", law.strictly[at]) if strictly else ("P(H <= LS)", law.within[at])
    yield case(setting.named("prior", "counts", "epsilon"), {"claimed": 1 - left, name: float(exact)},
               at_most(float(law.beyond[at - strictly]), left) if law.clear else 0.0)


def _one_step_probability(problem: Problem, setting: Setting) -> Iterator[Case]:
    noise, claimed = FlooredLaplace(1 / setting.epsilon), 1 - outside(setting.epsilon, 1)
    exact = float(np.exp(noise.log_pmf([-1, 0, 1])).sum())
    yield case(setting.named("epsilon"), {"claimed": claimed, "exact": exact}, equal(exact, claimed))


def _equals_sensitivity(problem: Problem, setting: Setting) -> Iterator[Case]:
    """At gamma = e^{-epsilon}: ELap / (epsilon LS) = 1 / epsilon says that ELap = LS."""
    exact, clear = _error(setting, math.exp(-setting.epsilon))
    local = local_sensitivity(problem)
    yield case(setting.named("prior", "counts", "epsilon"), {"LS": local, "ELap": exact},
               equal(exact, local) if clear else 0.0,
               within=problem.posterior[0] == problem.posterior[1] and min(problem.counts) > 0)


def _within_reach(problem: Problem, setting: Setting, rounded_down: Callable[[float], int]) -> Iterator[Case]:
    """The noise k is real and the released count floors it: floor(k) runs from -ceil(reach) to floor(reach).

    rounded_down: how the steps down are rounded; the paper prints whole k with |k| <= reach. H grows with the steps on
    either side, so the farthest is at one end.
    """
    law, reach = _law(setting), _reach(setting)
    ends = (max(0, problem.counts[0] - rounded_down(reach)), min(problem.n, problem.counts[0] + math.floor(reach)))
    farthest = float(law.distance[max(law.level[first] for first in ends)])
    error, clear = _error(setting, setting.delta)
    margin = 1.0 if error == farthest else at_most(error, farthest)  # of two levels of one law
    yield case(setting.named("prior", "counts", "epsilon") | {"gamma": setting.delta},
               {"ELap": error, "farthest of these steps": farthest}, margin if clear else 0.0)


def _proportional_to_reach(problem: Problem, setting: Setting) -> Iterator[Case]:
    reach = _reach(setting)
    error, clear = _error(setting, setting.delta)
    ratio = error / local_sensitivity(problem)
    yield case(setting.named("prior", "counts", "epsilon") | {"gamma": setting.delta},
               {"ELap/LS": ratio, "ln(1/gamma)/epsilon": reach}, at_most(ratio, 2 * reach) if clear else 0.0)


def _at_most_the_tail(problem: Problem, setting: Setting) -> Iterator[Case]:
    law = _law(setting)
    for k in _STEPS:
        if k <= problem.counts[1]:
            at = int(law.level[problem.counts[0] + k])
            beyond = math.exp(-k * setting.epsilon)
            yield case(setting.named("prior", "counts", "epsilon") | {"k": k},
                       {"claimed": 1 - beyond, "exact": float(law.within[at])},
                       at_most(beyond, float(law.beyond[at])) if law.clear else 0.0)


def _below_two(problem: Problem, setting: Setting) -> Iterator[Case]:
    """gamma = (e^{-epsilon} + e^{-2 epsilon}) / 2: ELap / LS <= ln(1/gamma)/epsilon < 2."""
    epsilon = setting.epsilon
    error, clear = _error(setting, outside(epsilon, 1))
    ratio = error / local_sensitivity(problem)
    reach = 1 - math.log1p(math.expm1(-epsilon) / 2) / epsilon
    yield case(setting.named("prior", "counts", "epsilon"), {"ELap/LS": ratio, "ln(1/gamma)/epsilon": reach},
               min(at_most(ratio, reach), at_most(reach, 2.0)) if clear else 0.0)


def _theorem_bound(problem: Problem, setting: Setting) -> Iterator[Case]:
    """1 - (e^{-epsilon} + e^{-2 epsilon}) / 2 > 1 - e^{-epsilon}, by what is left to 1."""
    left, stated = outside(setting.epsilon, 1), math.exp(-setting.epsilon)
    yield case(setting.named("epsilon"), {"left of 1 by the first": left, "by the second": stated},
               at_most(left, stated))


def _steps_reached(problem: Problem, setting: Setting) -> Iterator[Case]:
    for k in _STEPS:
        gamma = math.exp(-k * setting.epsilon)
        if _TINY < gamma < 1:
            reached = -math.log(gamma) / setting.epsilon
            yield case(setting.named("epsilon") | {"steps": k}, {"ln(1/gamma)/epsilon": reached},
                       equal(reached, float(k)))


def _between_k_and_one_more(problem: Problem, setting: Setting) -> Iterator[Case]:
    """-k < Y <= k + 1 is -k - 1 < Y <= k + 1 without the cell floor(Y) = -k - 1."""
    noise = FlooredLaplace(1 / setting.epsilon)
    for k in _STEPS:
        exact = -math.expm1(np.logaddexp(noise.log_at_most(-k - 1), noise.log_at_least(k + 1)))
        claimed = 1 - outside(setting.epsilon, k)
        yield case(setting.named("epsilon") | {"steps": k}, {"claimed": claimed, "exact": exact}, equal(exact, claimed))


# --- Beta(alpha + k, n - floor(alpha + k)) of Theorems 4.3 to 4.5, alpha the posterior's first parameter ---


def _printed_beta(problem: Problem, k: float) -> tuple[float, float]:
    first = problem.posterior[0] + k
    return first, problem.n - math.floor(first)


def _is_candidate(problem: Problem, setting: Setting) -> Iterator[Case]:
    """k records more in the first category; with no second parameter above 0 it is no Beta at all."""
    for k in (0, 1, -1):
        if not 0 <= problem.counts[0] + k <= problem.n:
            continue
        printed, candidate = _printed_beta(problem, k), (problem.posterior[0] + k, problem.posterior[1] - k)
        numbers: dict[str, Value] = {"printed": printed, "the candidate": candidate}
        if printed[1] > 0:
            numbers["H between them"] = float(hellinger(candidate, printed))
        yield case(setting.named("prior", "counts") | {"k": k}, numbers, true(printed == candidate))


def _one_step_of_noise(problem: Problem, setting: Setting, as_printed: bool) -> Iterator[Case]:
    """The farthest Beta for -1 <= k < 2: as printed, k real, wherever it is one; or after the floor, k whole."""
    posterior, local = problem.posterior, local_sensitivity(problem)
    for k in _REAL if as_printed else (-1, 0, 1):
        if as_printed:
            reached = _printed_beta(problem, k)
        elif 0 <= problem.counts[0] + k <= problem.n:
            reached = posterior[0] + k, posterior[1] - k
        else:
            continue
        if min(reached) > 0:
            far = float(hellinger(posterior, reached))
            yield case(setting.named("prior", "counts") | {"k": k}, {"H": far, "LS(x)": local}, at_most(far, local))


_DATASETS = Grid(((1.0, 1.0), (7.0, 4.0)), (2, 3, 13), "all", epsilons=(0.1, 1.0, 5.0))
_QUANTILES = Grid(_DATASETS.priors, (2, 3, 13), "all", epsilons=(0.1, 1.0, 5.0), deltas=(0.1,),
                  beyond="gamma = delta")

CLAIMS = (
    Claim(
        "ELap(x) / (epsilon LS(x)) is bounded in n",
        "As n grows, the distance within which LSHist stays with probability 1 - gamma is O(1) times epsilon LS(x).",
        "[D20] and [P20] Theorem 4.1",
        Grid(((1.0, 1.0), (0.5, 0.5)), epsilons=(0.1, 1.0), deltas=(0.1, 0.5),
             beyond=f"gamma = delta; n = {', '.join(f'{n:,}' for n in _SMALL + _LARGE)}; {', '.join(_PLACES)}"),
        _bounded_in_n,
        speaks_of=two_categories,
    ),
    Claim(
        "LSHist stays strictly within LS(x)",
        "P(H < LS(x)) is at least 1 - (e^{-epsilon} + e^{-2 epsilon})/2 for LSHist.",
        "[D20] and [P20] proof of Theorem 4.2, as printed",
        _DATASETS, partial(_within_sensitivity, strictly=True),
        speaks_of=two_categories,
        misprint=True,
    ),
    Claim(
        "LSHist stays within LS(x)",
        "P(H <= LS(x)) is at least 1 - (e^{-epsilon} + e^{-2 epsilon})/2 for LSHist.",
        "[D20] and [P20] Corollary 4.4.1 and proof of Corollary 4.5.3",
        _DATASETS, partial(_within_sensitivity, strictly=False),
        speaks_of=two_categories,
    ),
    Claim(
        "P(-1 <= Y < 2)",
        "Laplace noise Y of scale 1/epsilon lies in [-1, 2) with probability 1 - (e^{-epsilon} + e^{-2 epsilon})/2.",
        "[D20] and [P20] Corollary 4.4.1, equation 2",
        Grid(epsilons=(0.1, 1.0, 5.0)), _one_step_probability,
    ),
    Claim(
        "One step of noise leads no farther than LS(x), as printed",
        "For -1 <= k < 2, Beta(alpha + k, n - floor(alpha + k)) is no farther than LS(x) from the posterior, whose "
        "first parameter is alpha; k = -1, -0.5, 0, 0.5, 1, 1.5, 1.99.",
        "[D20] and [P20] Corollary 4.4.1, equation 1",
        replace(_DATASETS, totals=(2, 3, 10), epsilons=()), partial(_one_step_of_noise, as_printed=True),
        speaks_of=two_categories,
        misprint=True,
    ),
    Claim(
        "One step of noise leads no farther than LS(x)",
        "For -1 <= k < 2, so floor(k) = -1, 0 or 1, the candidate with floor(k) records more in the first category is "
        "no farther than LS(x) from the posterior.",
        "[D20] and [P20] Corollary 4.4.1, equation 1, with the candidate in place of its Beta",
        replace(_DATASETS, totals=(2, 3, 10), epsilons=()), partial(_one_step_of_noise, as_printed=False),
        speaks_of=two_categories,
        ours=True,
    ),
    Claim(
        "1 - (e^{-epsilon} + e^{-2 epsilon})/2 is above 1 - e^{-epsilon}",
        "1 - (e^{-epsilon} + e^{-2 epsilon})/2 > 1 - e^{-epsilon}.",
        "[D20] and [P20] proofs of Theorem 4.2 and Corollary 4.5.3",
        Grid(epsilons=(0.1, 1.0, 5.0)), _theorem_bound,
    ),
    Claim(
        "ELap(x) = LS(x) at gamma = e^{-epsilon}",
        "With probability 1 - e^{-epsilon} LSHist stays within LS(x), and within no less.",
        "[D20] and [P20] Theorem 4.2",
        _DATASETS, _equals_sensitivity, "alpha_1 + c_1 = alpha_2 + c_2 and no count is 0",
        speaks_of=two_categories,
    ),
    Claim(
        "ELap(x) is at most the farthest of ln(1/gamma)/epsilon steps",
        "With probability 1 - gamma LSHist stays within the largest distance of ln(1/gamma)/epsilon steps either way, "
        "rounded up for the steps down, as the floor asks for; the paper prints no such rounding.",
        "[D20] and [P20] Theorem 4.3, first inequality, with a ceiling of ours",
        _QUANTILES, partial(_within_reach, rounded_down=math.ceil),
        speaks_of=two_categories,
        ours=True,
    ),
    Claim(
        "ELap(x) is at most the farthest of ln(1/gamma)/epsilon steps, as printed",
        "With probability 1 - gamma LSHist stays within the largest distance of whole k, |k| <= ln(1/gamma)/epsilon.",
        "[D20] and [P20] Theorem 4.3, first inequality",
        _QUANTILES, partial(_within_reach, rounded_down=math.floor),
        speaks_of=two_categories,
    ),
    Claim(
        "ELap(x)/LS(x) is of the order of ln(1/gamma)/epsilon",
        "ELap(x)/LS(x) is at most twice ln(1/gamma)/epsilon.",
        "[D20] and [P20] Theorem 4.3, second inequality, with 2 for the constant",
        replace(_QUANTILES, found=tuple(at(prior, counts, 8.0, delta=math.exp(-8.8)) for prior, counts in
                                        (((0.01, 0.01), (2, 11)), ((0.5, 0.5), (2, 48))))),
        _proportional_to_reach,
        speaks_of=two_categories,
        ours=True,
    ),
    Claim(
        "Theorem 4.3's Betas are candidates",
        "Beta(alpha + k, n - floor(alpha + k)), alpha the posterior's first parameter, is the candidate with k records "
        "more in the first category; k = -1, 0, 1.",
        "[D20] and [P20] Theorem 4.3; printed in Theorems 4.4 and 4.5 too",
        Grid(((1.0, 1.0), (0.5, 0.5), (7.0, 4.0)), (2, 3), "all", found=(at((1.0, 1.0), (3, 7)),)), _is_candidate,
        speaks_of=two_categories,
        misprint=True,
    ),
    Claim(
        "ln(1/gamma)/epsilon is k",
        "At gamma = e^{-k epsilon}, ln(1/gamma)/epsilon is k; k = 1, 2, 3, 5, 10.",
        "[D20] and [P20] Theorem 4.4, with the sign of its proof and 1 for the constant",
        Grid(epsilons=(0.1, 1.0, 5.0)), _steps_reached,
        ours=True,
    ),
    Claim(
        "P(-k < Y <= k + 1)",
        "Laplace noise Y of scale 1/epsilon lies in (-k, k + 1] with probability 1 - (e^{-k epsilon} + "
        "e^{-(k+1) epsilon})/2; k = 1, 2, 3, 5, 10.",
        "[D20] and [P20] proof of Theorem 4.5",
        Grid(epsilons=(0.1, 1.0, 5.0)), _between_k_and_one_more,
    ),
    Claim(
        "LSHist stays within k steps with probability at most 1 - e^{-k epsilon}",
        "The probability that LSHist stays within the distance of k steps is at most 1 - e^{-k epsilon}.",
        "[D20] and [P20] proof of Theorem 4.4",
        _DATASETS, _at_most_the_tail,
        speaks_of=two_categories,
    ),
    Claim(
        "ELap(x)/LS(x) is below 2",
        "At gamma = (e^{-epsilon} + e^{-2 epsilon})/2, ELap(x)/LS(x) <= ln(1/gamma)/epsilon < 2.",
        "[D20] and [P20] Corollary 4.4.1",
        _DATASETS, _below_two,
        speaks_of=two_categories,
    ),
)
