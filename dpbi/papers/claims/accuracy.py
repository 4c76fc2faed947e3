"""Claims about accuracy: tail bounds of selection, Theorem 4.5 with its corollaries, and what the papers plot."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Literal

import numpy as np
from scipy.special import betainc, gammaln

from dpbi.accuracy.distance_law import DistanceLaw
from dpbi.mechanisms import EHD, EHDL, EHDS, LSDim, LSHist, LSZhang, Mechanism
from dpbi.mechanisms.distance_table import slack
from dpbi.mechanisms.printed_bound import printed_bound
from dpbi.posterior.hellinger import distances_to, hellinger
from dpbi.problem.candidates import number_of_candidates
from dpbi.problem.neighbours import neighbours
from dpbi.sensitivity import PAPER_GLOBAL_SENSITIVITY, local_sensitivity

from .claim import (
    BETA_PRIORS,
    PRIORS,
    Case,
    Claim,
    Grid,
    Problem,
    Setting,
    at,
    at_most,
    balanced,
    candidates_of,
    case,
    equal,
    exp,
    listed_law,
    need,
    shown,
    two_categories,
)
from .two_categories import LineLaw, level_of_sensitivity, line_law, outside

_STEPS = (1, 2, 3, 5, 10, 20, 50)
_DATASETS = 100  # all of which are visited
_SHORT = 100_000  # records of two categories, whose outputs are listed sooner than their mean is integrated
_EQUAL_GAP, _CLEAR_GAP = 1e-3, 3.0  # of two distances, in slacks
_SATURATED = 1 - 1e-6  # a distance from which on levels crowd
NEAR = 1.05  # "comparable", "approaching" and "very close": up to 5 %
_COMPARED_CONSTANT = 2 * PAPER_GLOBAL_SENSITIVITY


# --- tails of selection by exp(-rate H): P(H >= h) at every distance h ---


def _tails(law: DistanceLaw, weight: np.ndarray | float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Distances and, for each, the sum of weight times probability from there on."""
    distance, probability = law.levels()
    return distance, (probability * weight)[::-1].cumsum()[::-1]


def smoothed(setting: Setting) -> EHDS:
    """M_H of [P17] Definition 6: rate epsilon / (2 S), gamma = 1."""
    return EHDS(2 * setting.epsilon)


def _tail(
    problem: Problem, setting: Setting,
    of: Callable[[Setting], EHD | EHDS] = smoothed,
    rates: float = 1.0,
    log_normaliser: Callable[[EHD | EHDS, Problem], float] = lambda mechanism, problem: 0.0,
) -> Iterator[Case]:
    """P(H >= h) <= N exp(-rates rate h) / normaliser at every distance: the one with the least margin."""
    mechanism = of(setting)
    distance, tail = _tails(listed_law(mechanism, problem))
    log_bound = (math.log(number_of_candidates(problem.n, problem.k)) - rates * mechanism.rate(problem) * distance
                 - log_normaliser(mechanism, problem))
    bound = np.exp(np.minimum(log_bound, 700.0))
    margin = (bound - tail) / np.maximum(np.maximum(bound, tail), 1e-300)
    at = int(margin.argmin())
    yield case(setting.named("prior", "counts", "epsilon") | {"h": float(distance[at])},
               {"claimed bound": float(bound[at]), "exact tail": float(tail[at])}, float(margin[at]))


def _log_normaliser(mechanism: Mechanism, problem: Problem) -> float:
    """log NL(x), as 1 / NL = P(truth)."""
    return -float(mechanism.log_pmf(problem, problem.counts))


def _least_log_normaliser(mechanism: Mechanism, problem: Problem) -> float:
    """log min NL over all data of that size."""
    need(number_of_candidates(problem.n, problem.k) <= _DATASETS,
         f"This claim visits all data of that size, at most {_DATASETS} datasets: got n = {problem.n:,} with k = "
         f"{problem.k:,} categories.")
    return min(_log_normaliser(mechanism, problem.with_counts(counts)) for counts in candidates_of(problem).tolist())


def _consistent_tail_formula(problem: Problem, setting: Setting) -> Iterator[Case]:
    """sum over H >= h of exp(-epsilon H / (2 S)) / NL, by candidates, against the exact law's tail."""
    mechanism = smoothed(setting)
    distance, tail = _tails(listed_law(mechanism, problem))
    far = np.sort(distances_to(problem, candidates_of(problem)))
    beyond = np.exp(-mechanism.rate(problem) * far)[::-1].cumsum()[::-1]
    gap = np.diff(far) / slack(far[1:])
    crowded = bool(((gap > _EQUAL_GAP) & (gap < _CLEAR_GAP)).any())  # the law joins distances so near
    told = (distance < _SATURATED) & (tail > 1e-290) & (not crowded)
    printed = beyond[np.searchsorted(far, distance - slack(distance))] / beyond[0]
    at = int((told * np.abs(printed - tail) / np.maximum(tail, 1e-300)).argmax())
    yield case(setting.named("prior", "counts", "epsilon") | {"h": float(distance[at])},
               {"claimed": float(printed[at]), "exact tail": float(tail[at])},
               equal(float(tail[at]), float(printed[at])) if told[at] else 0.0)


def _tail_formula(problem: Problem, setting: Setting) -> Iterator[Case]:
    """sum over H >= h of exp(-epsilon H / S) / NL = sum of P(r) exp(-rate H)."""
    mechanism = smoothed(setting)
    law = listed_law(mechanism, problem)
    distance, tail = _tails(law)
    printed = _tails(law, np.exp(-mechanism.rate(problem) * distance))[1]
    at = int((printed / np.maximum(tail, 1e-300)).argmin())
    claimed, exact = float(printed[at]), float(tail[at])
    yield case(setting.named("prior", "counts", "epsilon") | {"h": float(distance[at])},
               {"claimed": claimed, "exact tail": exact}, equal(exact, claimed))


# --- Theorem 4.5: P(H < t), t just beyond the distance of k steps ---

Side = Literal["equal", "at least", "at most"]


def _within_steps(law: LineLaw, problem: Problem, k: int) -> int:
    """The level of (c_1 + k, c_2 - k)."""
    return int(law.level[problem.counts[0] + k])


def _theorem_4_5(problem: Problem, setting: Setting, mechanism: Mechanism, stated: Callable[[int], float], side: Side,
                 beyond: bool = False) -> Iterator[Case]:
    """For each k that the data have room for: the exact probability against the stated one.

    beyond: ``stated`` is of P(H >= t), which keeps the digits that 1 minus it loses.
    """
    law = line_law(mechanism, problem)
    for k in _steps(problem):
        at = _within_steps(law, problem, k)
        claimed = stated(k)
        margin = _margin(float(law.beyond[at]), claimed, _OTHER[side]) if beyond else \
            _margin(float(law.within[at]), claimed, side)
        yield _stepped_case(setting, k, 1 - claimed if beyond else claimed, float(law.within[at]),
                            margin if law.clear else 0.0)


_OTHER: dict[Side, Side] = {"equal": "equal", "at least": "at most", "at most": "at least"}


def _margin(exact: float, claimed: float, side: Side) -> float:
    if side == "equal":
        return equal(exact, claimed)
    return at_most(exact, claimed) if side == "at most" else at_most(claimed, exact)


# The theorem allows every t up to the distance of k + 1 steps. Looked at is t just beyond that of k: "at least" is then
# hardest to keep, and of symmetric data no candidate lies between the two.


def _steps(problem: Problem) -> list[int]:
    return [k for k in _STEPS if k <= problem.counts[1]]


def _stepped_case(setting: Setting, k: int, claimed: float, exact: float, margin: float) -> Case:
    problem = setting.problem
    symmetric = len(set(problem.prior)) == 1 and len(set(problem.counts)) == 1
    return case(setting.named("prior", "counts", "epsilon") | {"k": k}, {"claimed": claimed, "exact": exact}, margin,
                within=symmetric and k < problem.counts[1])


def _zhang(problem: Problem, setting: Setting, stated: Callable[[float, int], float], side: Side) -> Iterator[Case]:
    """stated: of P(H >= t), by epsilon and k. Released totals differ, and near H = 1 levels cannot be told."""
    law = listed_law(LSZhang(setting.epsilon, "2"), problem)
    distance, probability = law.levels()
    for k in _steps(problem):
        claimed = stated(setting.epsilon, k)
        reach = float(distances_to(problem, (problem.counts[0] + k, problem.counts[1] - k)))
        beyond = float(probability[distance > reach + slack(reach)].sum())
        margin = _margin(beyond, claimed, side) if reach < _SATURATED else 0.0
        yield _stepped_case(setting, k, 1 - claimed, law.cdf(reach), margin)


def _either(q: float) -> float:
    """1 - (1 - q)^2, q the probability that one of two noises leads farther than k steps."""
    return q * (2 - q)


def _histogram(problem: Problem, setting: Setting, stated: Callable[[float, int], float], side: Side) -> Iterator[Case]:
    return _theorem_4_5(problem, setting, LSHist(setting.epsilon), partial(stated, setting.epsilon), side, beyond=True)


def _selection(problem: Problem, setting: Setting, side: Side, local: bool) -> Iterator[Case]:
    """EHD with the papers' constant, whose rate is taken for epsilon, or EHDL with its own rate."""
    epsilon = setting.epsilon
    rate = EHDL(epsilon).rate(problem) if local else epsilon

    def stated(k: int) -> float:
        return ((2 * k + 1) * exp(rate) if side == "at most" else 2 * k * math.exp(-rate) + 1) / problem.n

    return _theorem_4_5(problem, setting, EHDL(epsilon) if local else EHD(epsilon, "paper"), stated, side)


def _in_the_proof(
    problem: Problem, setting: Setting, local: bool, stated: Callable[[float, int, float], float], side: Side
) -> Iterator[Case]:
    """stated: n P(H < t), by the rate, k and t; EHD with the papers' constant, or EHDL."""
    mechanism = EHDL(setting.epsilon) if local else EHD(setting.epsilon, "paper")
    rate, first = mechanism.rate(problem), problem.counts[0]

    def bound(k: int) -> float:
        far = float(distances_to(problem, (first + k, problem.counts[1] - k)))
        return stated(rate, k, far) / problem.n

    return _theorem_4_5(problem, setting, mechanism, bound, side)


def _largest(rate: float, k: int, t: float) -> float:
    return (2 * k + 1) * exp(rate)


def _least(rate: float, k: int, t: float) -> float:
    return 2 * k * math.exp(-rate * t) + 1


def _last_step(problem: Problem, setting: Setting) -> Iterator[Case]:
    ours, theirs = (math.exp(-setting.epsilon / by) for by in (_COMPARED_CONSTANT, 1.0))
    yield case(setting.named("epsilon"), {"e^(-epsilon/(2 GS))": ours, "e^(-epsilon)": theirs}, at_most(theirs, ours))


# At k = 0 the theorem allows every t up to H_1, the distance of one step up. P(H < t) rises with t: for t near 0 it is
# the probability of the truth, and at H_1 that of the other neighbour is in it too, where that one is nearer.

_NEAR_0, _ONE_STEP = "near 0", "at the distance of one step"


def _truth(
    problem: Problem, setting: Setting, stated: Callable[[Setting], Mapping[Mechanism, float]], side: Side,
    no_count_0: bool = False,
) -> Iterator[Case]:
    """stated: P(H < t) by mechanism; no_count_0: whether the claim's condition asks for that too."""
    for mechanism, claimed in stated(setting).items():
        for t, exact, told in _below_one_step(mechanism, problem):
            yield case({"mechanism": mechanism.label, "t": t} | setting.named("prior", "counts", "epsilon"),
                       {"claimed": claimed, "exact": exact}, _margin(exact, claimed, side) if told else 0.0,
                       within=t == _NEAR_0 and (min(problem.counts) > 0 or not no_count_0))


def _below_one_step(mechanism: Mechanism, problem: Problem) -> Iterator[tuple[str, float, bool]]:
    """Both ends of t with P(H < t), and whether distances could be told apart; with no step up t near 0 alone."""
    yield _NEAR_0, math.exp(float(mechanism.log_pmf(problem, problem.counts))), True
    if problem.counts[1] == 0:
        return
    if isinstance(mechanism, LSZhang):  # released totals differ
        distance, probability = listed_law(mechanism, problem).levels()
        reach = float(distances_to(problem, (problem.counts[0] + 1, problem.counts[1] - 1)))
        yield _ONE_STEP, float(probability[distance < reach - slack(reach)].sum()), reach < _SATURATED
    else:
        law = line_law(mechanism, problem)
        yield _ONE_STEP, float(law.strictly[_within_steps(law, problem, 1)]), law.clear


def _of_noise(setting: Setting) -> dict[Mechanism, float]:
    epsilon = setting.epsilon
    return {LSZhang(epsilon, "2"): (-math.expm1(-epsilon / 2) / 2) ** 2, LSHist(epsilon): -math.expm1(-epsilon) / 2}


def _of_selection(setting: Setting, local: bool) -> dict[Mechanism, float]:
    problem, epsilon = setting.problem, setting.epsilon
    if local:
        return {EHDL(epsilon): exp(EHDL(epsilon).rate(problem)) / problem.n}
    return {EHD(epsilon, "paper"): exp(epsilon) / problem.n}


# --- Corollaries 4.5.1 to 4.5.3: balanced data (m, m), where n lies beyond the stated size ---


def _compared(
    problem: Problem, setting: Setting, stated: float, level: Callable[[LineLaw, Problem], int], above: bool,
    inputs: dict,
) -> Iterator[Case]:
    """P(H <= that level) under LSHist and under EHD, where n is above (below) the stated size."""
    epsilon = setting.epsilon
    if (problem.n > stated) if above else (problem.n < stated):
        laws = [line_law(mechanism, problem) for mechanism in (LSHist(epsilon), EHD(epsilon, "paper"))]
        noise, selection = (float(law.within[level(law, problem)]) for law in laws)
        clear = all(law.clear for law in laws)
        margin = at_most(selection, noise) if above else at_most(noise, selection)
        yield case(setting.named("prior", "counts", "epsilon") | inputs,
                   {"stated n": stated, "LSHist": noise, "EHD": selection}, margin if clear else 0.0)


def halved(problem: Problem) -> None:
    """Of the counts (m, m)."""
    two_categories(problem)
    need(problem.counts[0] == problem.counts[1],
         f"This claim speaks of balanced data (m, m) only, so not of yours: got counts {shown(problem.counts)}.")


def _corollary(
    problem: Problem, setting: Setting, stated: Callable[[float, int], float], above: bool
) -> Iterator[Case]:
    """stated: n, by epsilon and k."""
    for k in range(1, min(4, problem.counts[1])):
        yield from _compared(problem, setting, stated(setting.epsilon, k), partial(_within_steps, k=k), above, {"k": k})


def _corollary_4_5_3(problem: Problem, setting: Setting) -> Iterator[Case]:
    stated = 3 * exp(setting.epsilon / _COMPARED_CONSTANT) / -math.expm1(-setting.epsilon)
    return _compared(problem, setting, stated, level_of_sensitivity, True, {})


def _good_outputs(
    problem: Problem, setting: Setting, stated: Callable[[Setting, float, float], float], within: bool = True
) -> Iterator[Case]:
    """stated: n P(H <= LS(x)) under EHD at most, by the setting, EHD's rate and LS(x)."""
    mechanism = EHD(setting.epsilon, "paper")
    law = line_law(mechanism, problem)
    claimed = stated(setting, mechanism.rate(problem), local_sensitivity(problem)) / problem.n
    exact = float(law.within[level_of_sensitivity(law, problem)])
    yield case(setting.named("prior", "counts", "epsilon"), {"claimed at most": claimed, "exact": exact},
               at_most(exact, claimed) if law.clear else 0.0, within=len(set(problem.prior)) == 1)


# --- what the papers plot and say of the model ---


def means(setting: Setting) -> dict[str, float]:
    """Mean H of M_H, of the baseline and of the improved Laplace mechanism, both made consistent."""
    problem, epsilon = setting.problem, setting.epsilon
    need(problem.n > 0, "This claim needs at least one record: got n = 0.")
    rivals: dict[str, Mechanism] = {"M_H": smoothed(setting), "baseline Laplace": LSDim(epsilon, consistent=True),
                                    "improved Laplace": LSHist(epsilon, consistent=True)}
    return {name: _mean(mechanism, problem) for name, mechanism in rivals.items()}


def _mean(mechanism: Mechanism, problem: Problem) -> float:
    short = problem.k == 2 and problem.n <= _SHORT
    known = None if short else mechanism.mean_distance(problem)
    return listed_law(mechanism, problem).mean if known is None else known


def mean_case(
    problem: Problem, setting: Setting, margin: Callable[[float, float, float], float], within: bool = True
) -> Case:
    """margin: of the means of M_H, of the baseline and of the improved Laplace mechanism."""
    found = means(setting)
    numbers = {f"mean H of {name}": mean for name, mean in found.items()}
    return case(setting.named("prior", "counts", "epsilon"), numbers, margin(*found.values()), within)


def overtaking(problem: Problem, setting: Setting) -> Iterator[Case]:
    """Nearer than the baseline from 300 records on, and below farther."""
    n = problem.n
    yield mean_case(problem, setting, lambda smooth, baseline, _: at_most(baseline, smooth) if n < 300 else
                    at_most(smooth, baseline))


def _approaching(problem: Problem, setting: Setting) -> Iterator[Case]:
    found = mean_case(problem, setting, lambda smooth, _, improved: at_most(smooth, NEAR * improved))
    need(dict(found.numbers)["mean H of improved Laplace"] != 0,
         f"At epsilon = {printed_bound(setting.epsilon)} the improved Laplace mechanism's mean distance is no double "
         "above 0: there is nothing to come near to.")
    yield found


def _density(problem: Problem, setting: Setting) -> Iterator[Case]:
    """The integral of prod theta_i^{alpha_i} / B(alpha) is B(alpha + 1) / B(alpha)."""
    alpha = np.array(problem.prior)
    raised, own = (gammaln(of).sum() - gammaln(of.sum()) for of in (alpha + 1, alpha))
    integral = float(np.exp(raised - own))
    yield case(setting.named("prior"), {"claimed integral": 1, "exact": integral}, equal(integral, 1.0))


def _total_variation(problem: Problem, setting: Setting) -> Iterator[Case]:
    """Neighbouring Betas (a, b), (a + 1, b - 1): their densities cross once, at odds a / (b - 1)."""
    for other in neighbours(problem.counts).tolist():
        low, high = sorted((problem.posterior, problem.with_counts(other).posterior))
        ends = (low, high) if low[0] < high[1] else (high[::-1], low[::-1])  # from the end the crossing is nearer to
        crossing = ends[0][0] / (low[0] + high[1])
        variation = abs(float(betainc(*ends[0], crossing) - betainc(*ends[1], crossing)))
        distance = float(hellinger(low, high))
        yield case(setting.named("prior", "counts") | {"neighbour": tuple(other)},
                   {"H^2": distance**2, "total variation": variation, "sqrt(2) H": math.sqrt(2) * distance},
                   min(at_most(distance**2, variation), at_most(variation, math.sqrt(2) * distance)))


_SYMMETRIC = "prior and counts are symmetric and k is below the counts"
_ONLY_THE_TRUTH = "t is so small that only the truth is nearer"
_TAILS = Grid(((1.0, 1.0), (0.1, 0.1), (7.0, 4.0, 5.0)), (1, 2, 4), "all", epsilons=(0.1, 5.0), beyond="every distance")
_STEPPED = Grid(((1.0, 1.0), (7.0, 4.0)), (2, 4, 12), "all", epsilons=(0.01, 1.0, 5.0),
                beyond=f"k = {', '.join(map(str, _STEPS))} up to c_2; t just beyond the distance of k steps")
_AT_THE_TRUTH = Grid(((1.0, 1.0), (0.1, 0.1), (7.0, 4.0)), (1, 2, 4, 7), "all", epsilons=(0.01, 1.0, 5.0),
                     beyond="t near 0 and at the distance of one step up")
_MANY_RECORDS = tuple(at(prior, (m, m), epsilon) for prior, m, epsilon in (
    ((0.01, 0.01), 464, 0.235), ((1.0, 1.0), 609, 0.1), ((1.0, 1.0), 798, 1.0), ((50.0, 50.0), 1_500, 1.0),
    ((1.0, 1.0), 5_000, 1.0)))
_CROSSED = Grid(((1.0, 1.0), (0.5, 0.5), (50.0, 50.0)), (4, 8, 16, 32, 64, 256, 1_024), "balanced",
                epsilons=(0.1, 0.5, 1.0, 2.0), beyond="where n is above (below) the stated one")
_EVERY_SIZE = Grid(_CROSSED.priors, (2, *_CROSSED.totals), "balanced", epsilons=_CROSSED.epsilons,
                   found=(at((1.0, 1.0), (700, 700), 0.1),))
_SHORT_CROSSED = Grid(_CROSSED.priors, (4, 6, 8, 12, 20, 50), "balanced", epsilons=(0.02, 0.05, 0.1, 0.2),
                      beyond=_CROSSED.beyond)

CLAIMS = (
    Claim(
        "The tail of the exponential mechanism",
        "For EHD, P(H >= h) is at most N exp(-epsilon h / (2 GS)), N the number of candidates.",
        "[P17] section 6.1.1",
        _TAILS, partial(_tail, of=lambda setting: EHD(setting.epsilon)),
    ),
    Claim(
        "The tail of M_H",
        "For M_H, P(H >= h) is at most N exp(-epsilon h / (2 S)).",
        "[P17] section 6.2, last bound",
        _TAILS, _tail,
    ),
    Claim(
        "The exact tail of M_H",
        "P(H >= h) is the sum of exp(-epsilon H / S) over the candidates beyond h, divided by M_H's normaliser.",
        "[P17] section 6.2, first bound",
        _TAILS, _tail_formula,
        misprint=True,
    ),
    Claim(
        "The tail of M_H with its normaliser",
        "P(H >= h) is at most N exp(-epsilon h / S), divided by M_H's normaliser.",
        "[P17] section 6.2, second bound",
        _TAILS, partial(_tail, rates=2.0, log_normaliser=_log_normaliser),
        misprint=True,
    ),
    Claim(
        "The exact tail of M_H, with 2 S",
        "P(H >= h) is the sum of exp(-epsilon H / (2 S)) over the candidates beyond h, divided by M_H's normaliser.",
        "[P17] section 6.2, first bound, with the 2 S of Definition 6",
        _TAILS, _consistent_tail_formula,
        ours=True,
    ),
    Claim(
        "The tail of M_H with its normaliser, with 2 S",
        "P(H >= h) is at most N exp(-epsilon h / (2 S)), divided by M_H's normaliser.",
        "[P17] section 6.2, second bound, with the 2 S of Definition 6",
        _TAILS, partial(_tail, log_normaliser=_log_normaliser),
        ours=True,
    ),
    Claim(
        "The tail of M_H with an N(n), with 2 S",
        "P(H >= h) is at most N exp(-epsilon h / (2 S)) / N(n), N(n) the least normaliser of all data of that size.",
        "[P17] section 6.2, third bound, with the 2 S of Definition 6; the N(n) that it leaves open is ours",
        _TAILS, partial(_tail, log_normaliser=_least_log_normaliser),
        ours=True,
    ),
    Claim(
        "LSZhang within k steps",
        "With noise of scale 2/epsilon on both counts, P(H < t) = (1 - (e^{-k epsilon/2} + e^{-(k+1) epsilon/2})/2)^2.",
        "[D20] Theorem 4.5",
        _STEPPED, partial(_zhang, stated=lambda epsilon, k: _either(outside(epsilon / 2, k)), side="equal"),
        speaks_of=two_categories,
    ),
    Claim(
        "LSZhang within k steps, at least",
        "With noise of scale 2/epsilon on both counts, P(H < t) >= (1 - e^{-k epsilon/2})^2.",
        "[D20] Theorem 4.5",
        _STEPPED, partial(_zhang, stated=lambda epsilon, k: _either(math.exp(-k * epsilon / 2)), side="at most"),
        _SYMMETRIC,
        speaks_of=two_categories,
    ),
    Claim(
        "LSHist within k steps",
        "P(H < t) = 1 - (e^{-k epsilon} + e^{-(k+1) epsilon})/2 for LSHist.",
        "[D20] and [P20] Theorem 4.5",
        _STEPPED, partial(_histogram, stated=outside, side="equal"), _SYMMETRIC,
        speaks_of=two_categories,
    ),
    Claim(
        "LSHist within k steps, at least",
        "P(H < t) >= 1 - e^{-k epsilon} for LSHist.",
        "[D20] and [P20] Theorem 4.5",
        _STEPPED, partial(_histogram, stated=lambda epsilon, k: math.exp(-k * epsilon), side="at least"), _SYMMETRIC,
        speaks_of=two_categories,
    ),
    Claim(
        "EHD within k steps, at least",
        "P(H < t) > (2 k e^{-epsilon} + 1)/n for EHD with sqrt(1 - pi/4).",
        "[D20] and [P20] Theorem 4.5",
        _STEPPED, partial(_selection, side="at least", local=False),
        speaks_of=two_categories,
    ),
    Claim(
        "EHD within k steps, at most",
        "P(H < t) < (2 k + 1)/(n e^{-epsilon}) for EHD with sqrt(1 - pi/4).",
        "[D20] and [P20] Theorem 4.5",
        replace(_STEPPED, found=_MANY_RECORDS), partial(_selection, side="at most", local=False),
        speaks_of=two_categories,
    ),
    Claim(
        "EHDL within k steps, at least",
        "P(H < t) > (2 k e^{-epsilon/(2 LS)} + 1)/n for EHDL (printed as EHD).",
        "[D20] and [P20] Theorem 4.5",
        _STEPPED, partial(_selection, side="at least", local=True),
        speaks_of=two_categories,
    ),
    Claim(
        "EHDL within k steps, at most",
        "P(H < t) < (2 k + 1)/(n e^{-epsilon/(2 LS)}) for EHDL (printed as EHD).",
        "[D20] and [P20] Theorem 4.5",
        _STEPPED, partial(_selection, side="at most", local=True), _SYMMETRIC,
        speaks_of=two_categories,
    ),
    Claim(
        "EHD within k steps, at most, before the last step",
        "P(H < t) <= (2 k + 1) e^{epsilon/(2 GS)}/n for EHD with GS = sqrt(1 - pi/4).",
        "[D20] and [P20] proof of Theorem 4.5",
        replace(_STEPPED, found=_MANY_RECORDS), partial(_in_the_proof, local=False, stated=_largest, side="at most"),
        _SYMMETRIC,
        speaks_of=two_categories,
    ),
    Claim(
        "EHD within k steps, at least, before the last step",
        "P(H < t) >= (2 k e^{-t epsilon/(2 GS)} + 1)/n for EHD with GS = sqrt(1 - pi/4).",
        "[D20] proof of Theorem 4.5",
        _STEPPED, partial(_in_the_proof, local=False, stated=_least, side="at least"),
        speaks_of=two_categories,
    ),
    Claim(
        "EHDL within k steps, at least, before the last step",
        "P(H < t) >= (2 k e^{-t epsilon/(2 LS)} + 1)/n for EHDL (printed as EHD).",
        "[D20] proof of Theorem 4.5",
        _STEPPED, partial(_in_the_proof, local=True, stated=_least, side="at least"),
        speaks_of=two_categories,
    ),
    Claim(
        "EHD within k steps, at least its own upper bound",
        "P(H < t) >= (2 k + 1) e^{epsilon/(2 GS)}/n for EHD with GS = sqrt(1 - pi/4): the bound from above once more, "
        "where [D20] has a smaller one.",
        "[P20] proof of Theorem 4.5",
        replace(_STEPPED, found=(at((1.0, 1.0), (50, 50)),)),
        partial(_in_the_proof, local=False, stated=_largest, side="at least"),
        speaks_of=two_categories,
        misprint=True,
    ),
    Claim(
        "EHDL within k steps, at least its own upper bound",
        "P(H < t) >= (2 k + 1) e^{epsilon/(2 LS)}/n for EHDL (printed as EHD): the bound from above once more, where "
        "[D20] has a smaller one.",
        "[P20] proof of Theorem 4.5",
        replace(_STEPPED, found=(at((1.0, 1.0), (50, 50)),)),
        partial(_in_the_proof, local=True, stated=_largest, side="at least"),
        speaks_of=two_categories,
        misprint=True,
    ),
    Claim(
        "Theorem 4.5 at k = 0, noise",
        "P(H < t) = ((1 - e^{-epsilon/2})/2)^2 for LSZhang and (1 - e^{-epsilon})/2 for LSHist, for every t up to the "
        "distance of one step up.",
        "[D20] and [P20] Theorem 4.5",
        _AT_THE_TRUTH, partial(_truth, stated=_of_noise, side="equal", no_count_0=True),
        f"no count is 0 and {_ONLY_THE_TRUTH}",
        speaks_of=two_categories,
    ),
    Claim(
        "Theorem 4.5 at k = 0, at least",
        "P(H < t) > 1/n for EHD with sqrt(1 - pi/4) and for EHDL, for every t up to the distance of one step up.",
        "[D20] and [P20] Theorem 4.5",
        _AT_THE_TRUTH, partial(_truth, side="at least", stated=lambda setting: dict.fromkeys(
            (EHD(setting.epsilon, "paper"), EHDL(setting.epsilon)), 1 / setting.problem.n)),
        speaks_of=two_categories,
    ),
    Claim(
        "Theorem 4.5 at k = 0, at most, EHD",
        "P(H < t) < e^epsilon/n for EHD with sqrt(1 - pi/4), for every t up to the distance of one step up.",
        "[D20] and [P20] Theorem 4.5",
        replace(_AT_THE_TRUTH, found=tuple(at(*found) for found in (
            ((0.002, 0.002), (1, 77), 0.8), ((0.03, 0.03), (1, 165), 2.3), ((0.008, 0.008), (62, 6_349), 2.5)))),
        partial(_truth, stated=partial(_of_selection, local=False), side="at most"),
        speaks_of=two_categories,
    ),
    Claim(
        "Theorem 4.5 at k = 0, at most, EHDL",
        "P(H < t) < e^{epsilon/(2 LS)}/n for EHDL (printed as EHD), for every t up to the distance of one step up.",
        "[D20] and [P20] Theorem 4.5",
        _AT_THE_TRUTH, partial(_truth, stated=partial(_of_selection, local=True), side="at most"), _ONLY_THE_TRUTH,
        speaks_of=two_categories,
    ),
    Claim(
        "The last step for EHD",
        "With GS = sqrt(1 - pi/4), e^{-epsilon/(2 GS)} is larger than e^{-epsilon}.",
        "[D20] and [P20] proof of Theorem 4.5",
        Grid(epsilons=(0.1, 1.0, 5.0)), _last_step,
    ),
    Claim(
        "From which size on LSHist beats EHD",
        "At balanced data (m, m): above n = (2k+1) e^epsilon / (1 - e^{-k epsilon}) LSHist stays within k "
        "steps with more probability than EHD; k = 1, 2, 3.",
        "[D20] and [P20] Corollary 4.5.1",
        _CROSSED, partial(_corollary, above=True, stated=lambda epsilon, k: (
            (2 * k + 1) * exp(epsilon) / -math.expm1(-k * epsilon))),
        speaks_of=halved,
    ),
    Claim(
        "Below which size EHD beats LSHist",
        "At balanced data (m, m): below n = (2k e^{-epsilon} + 1) / (1 - (e^{-k epsilon} + e^{-(k+1) epsilon})/2) EHD "
        "stays within k steps with more probability than LSHist; k = 1, 2, 3.",
        "[D20] and [P20] Corollary 4.5.2",
        _SHORT_CROSSED, partial(_corollary, above=False, stated=lambda epsilon, k: (
            (2 * k * math.exp(-epsilon) + 1) / (1 - outside(epsilon, k)))),
        speaks_of=halved,
    ),
    Claim(
        "From which size on LSHist beats EHD within LS(x)",
        "At balanced data (m, m): above n = 3 e^{epsilon/(2 GS)} / (1 - e^{-epsilon}) LSHist stays within the local "
        "sensitivity with more probability than EHD; GS = sqrt(1 - pi/4).",
        "[D20] and [P20] Corollary 4.5.3",
        _CROSSED, _corollary_4_5_3,
        speaks_of=halved,
    ),
    Claim(
        "EHD within LS(x), at most",
        "At balanced data (m, m) EHD with GS = sqrt(1 - pi/4) stays within the local sensitivity with probability at "
        "most (2 e^{-epsilon LS/(2 GS)} + 1) e^{epsilon/(2 GS)}/n, and so at most 3 e^{epsilon/(2 GS)}/n.",
        "[D20] and [P20] proof of Corollary 4.5.3",
        replace(_EVERY_SIZE, priors=(*_EVERY_SIZE.priors, (7.0, 4.0))),
        partial(_good_outputs, stated=lambda setting, rate, local: (2 * math.exp(-rate * local) + 1) * exp(rate)),
        "the prior is symmetric",
        speaks_of=halved,
    ),
    Claim(
        "EHD within LS(x), at most, the last step",
        "At balanced data (m, m) EHD with sqrt(1 - pi/4) stays within the local sensitivity with probability at most "
        "3 e^epsilon/n.",
        "[D20] and [P20] proof of Corollary 4.5.3",
        _EVERY_SIZE, partial(_good_outputs, stated=lambda setting, rate, local: 3 * exp(setting.epsilon)),
        speaks_of=halved,
    ),
    Claim(
        "M_H overtakes the baseline at n = 300",
        "At balanced data: in the mean, the Laplace baseline is nearer to the truth than M_H below 300 records, M_H "
        "from 300 on.",
        "[P17] section 7.2.2 and Figure 4",
        Grid(totals=(2, 10, 20, 50, 100, 200, 250, 300, 500, 1_000, 5_000, 15_000), data="balanced", epsilons=(1.0,)),
        overtaking,
        speaks_of=balanced,
    ),
    Claim(
        "M_H comes near to the improved Laplace mechanism",
        "With much balanced data M_H's mean distance is that of the improved Laplace mechanism, up to 5 %.",
        "[P17] section 7.2.2 and Figure 4, with 5 % for its approach",
        Grid(totals=(1_000, 5_000, 15_000), data="balanced", epsilons=(1.0,)), _approaching,
        speaks_of=balanced,
        ours=True,
    ),
    Claim(
        "The printed density is one",
        "prod theta_i^{alpha_i} / B(alpha), which both papers print for a Beta or Dirichlet prior, integrates to 1.",
        "[P17] section 2 (Beta); [N] section 1",
        Grid(PRIORS), _density,
        misprint=True,
    ),
    Claim(
        "Hellinger distance bounds total variation",
        "H^2 <= total variation <= sqrt(2) H.",
        "[P17] section 3",
        Grid(BETA_PRIORS, (1, 2, 5, 20), "all", beyond="every neighbour"), _total_variation,
        speaks_of=two_categories,
    ),
)
