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
from dpbi.sensitivity import local_sensitivity

from .claim import Case, Claim, Grid, Problem, Setting, at, at_most, case, equal, need, two_categories
from .two_categories import LineLaw, level_of_sensitivity, line_law, outside

_SMALL, _LARGE = (4, 64, 1_024, 16_384), (65_536, 262_144)
_LEAST = 1e-12
_FAR = 30.0  # steps
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
    for k in (1, 2, 3, 5, 10):
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
    ),
    Claim(
        "LSHist stays within LS(x)",
        "P(H <= LS(x)) is at least 1 - (e^{-epsilon} + e^{-2 epsilon})/2 for LSHist.",
        "[D20] and [P20] Corollary 4.4.1",
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
