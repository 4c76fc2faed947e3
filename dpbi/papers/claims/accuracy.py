"""Claims about accuracy: tail bounds of selection, Theorem 4.5 with its corollaries, and what the papers plot."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from scipy.special import betainc, gammaln

from dpbi.accuracy.distance_law import DistanceLaw
from dpbi.mechanisms import EHD, EHDL, EHDS, LSDim, LSHist, LSZhang, Mechanism
from dpbi.mechanisms.printed_bound import printed_bound
from dpbi.posterior.hellinger import distances_to, hellinger
from dpbi.problem.candidates import number_of_candidates
from dpbi.problem.neighbours import neighbours
from dpbi.problem.problem import Problem
from dpbi.sensitivity import PAPER_GLOBAL_SENSITIVITY, local_sensitivity

from .claim import BETA_PRIORS, PRIORS, Case, Claim, Grid, Setting, at_most, case, equal, exp, listed_law

_STEPS = (1, 2, 3, 5, 10, 20, 50)
_LARGEST_CROSSOVER = 100_000  # records
_SHORT = 100_000  # records of two categories, whose outputs are listed sooner than their mean is integrated
_SIZES = 6  # at which a corollary is looked at
_COMPARED_CONSTANT = 2 * PAPER_GLOBAL_SENSITIVITY

Probability = Callable[[Problem, float, int], float]


# --- tails of selection by exp(-rate H): P(H >= h) at every distance h ---


def _tails(law: DistanceLaw, weight: np.ndarray | float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Distances and, for each, the sum of weight times probability from there on."""
    distance, probability = law.levels()
    return distance, (probability * weight)[::-1].cumsum()[::-1]


def _log_candidates(setting: Setting) -> float:
    return math.log(number_of_candidates(setting.problem.n, setting.problem.k))


def _bounded_tail(setting: Setting, law: DistanceLaw, log_bound: np.ndarray) -> Case:
    """P(H >= h) <= bound(h) at every distance: the one with the least margin."""
    distance, tail = _tails(law)
    bound = np.exp(np.minimum(log_bound, 700.0))
    margin = (bound - tail) / np.maximum(np.maximum(bound, tail), 1e-300)
    at = int(margin.argmin())
    return case(setting.named("prior", "counts", "epsilon") | {"h": float(distance[at])},
                {"claimed bound": float(bound[at]), "exact tail": float(tail[at])}, float(margin[at]))


def _exponential_tail(setting: Setting) -> Iterator[Case]:
    mechanism = EHD(setting.epsilon)
    law = listed_law(mechanism, setting.problem)
    yield _bounded_tail(setting, law, _log_candidates(setting) - mechanism.rate(setting.problem) * law.levels()[0])


def _smoothed(setting: Setting) -> EHDS:
    """M_H of [P17] Definition 6: rate epsilon / (2 S), gamma = 1."""
    return EHDS(2 * setting.epsilon)


def _smooth_tail(setting: Setting) -> Iterator[Case]:
    mechanism = _smoothed(setting)
    law = listed_law(mechanism, setting.problem)
    yield _bounded_tail(setting, law, _log_candidates(setting) - mechanism.rate(setting.problem) * law.levels()[0])


def _normalised_tail(setting: Setting) -> Iterator[Case]:
    """N exp(-epsilon h / S) / NL, where epsilon / S is twice the rate and 1 / NL = P(truth)."""
    mechanism = _smoothed(setting)
    law = listed_law(mechanism, setting.problem)
    distance = law.levels()[0]
    yield _bounded_tail(setting, law, _log_candidates(setting) - 2 * mechanism.rate(setting.problem) * distance
                        + math.log(law.probability_of_truth))


def _tail_formula(setting: Setting) -> Iterator[Case]:
    """sum over H >= h of exp(-epsilon H / S) / NL = sum of P(r) exp(-rate H)."""
    mechanism = _smoothed(setting)
    law = listed_law(mechanism, setting.problem)
    distance, tail = _tails(law)
    printed = _tails(law, np.exp(-mechanism.rate(setting.problem) * distance))[1]
    at = int((printed / np.maximum(tail, 1e-300)).argmin())
    claimed, exact = float(printed[at]), float(tail[at])
    yield case(setting.named("prior", "counts", "epsilon") | {"h": float(distance[at])},
               {"claimed": claimed, "exact tail": exact}, equal(exact, claimed))


# --- Theorem 4.5: P(H < t), t just beyond the distance of k steps ---


def _within_steps(law: DistanceLaw, k: int) -> float:
    """P(H <= H(k)), H(k) the distance to (c_1 + k, c_2 - k)."""
    first, second = law.problem.counts
    return law.cdf(float(distances_to(law.problem, (first + k, second - k))))


def _theorem_4_5(
    setting: Setting, mechanism: Mechanism, claimed: Callable[[int], float], margin: Callable[[float, float], float]
) -> Iterator[Case]:
    """For each k that the data have room for: the exact probability against the claimed one."""
    problem = setting.beta_binomial
    law = listed_law(mechanism, problem)
    symmetric = len(set(problem.prior)) == 1 and len(set(problem.counts)) == 1
    for k in _STEPS:
        if k <= problem.counts[1]:
            exact, stated = _within_steps(law, k), claimed(k)
            yield case(setting.named("prior", "counts", "epsilon") | {"k": k}, {"claimed": stated, "exact": exact},
                       margin(exact, stated), within=symmetric and k < problem.counts[1])


def _spread(epsilon: float, k: int) -> float:
    """P(-k <= floor(Y) <= k) = 1 - (e^{-k epsilon} + e^{-(k+1) epsilon}) / 2 for scale 1/epsilon."""
    return 1 - (math.exp(-k * epsilon) + math.exp(-(k + 1) * epsilon)) / 2


def _zhang_value(setting: Setting) -> Iterator[Case]:
    epsilon = setting.epsilon
    return _theorem_4_5(setting, LSZhang(epsilon, "2"), lambda k: _spread(epsilon / 2, k) ** 2, equal)


def _zhang_bound(setting: Setting) -> Iterator[Case]:
    epsilon = setting.epsilon
    return _theorem_4_5(setting, LSZhang(epsilon, "2"), lambda k: math.expm1(-k * epsilon / 2) ** 2, _at_least)


def _histogram_value(setting: Setting) -> Iterator[Case]:
    epsilon = setting.epsilon
    return _theorem_4_5(setting, LSHist(epsilon), lambda k: _spread(epsilon, k), equal)


def _histogram_bound(setting: Setting) -> Iterator[Case]:
    epsilon = setting.epsilon
    return _theorem_4_5(setting, LSHist(epsilon), lambda k: -math.expm1(-k * epsilon), _at_least)


def _global_lower(setting: Setting) -> Iterator[Case]:
    n, epsilon = setting.problem.n, setting.epsilon
    return _theorem_4_5(setting, EHD(epsilon, "paper"), lambda k: (2 * k * math.exp(-epsilon) + 1) / n, _at_least)


def _global_upper(setting: Setting) -> Iterator[Case]:
    n, epsilon = setting.problem.n, setting.epsilon
    return _theorem_4_5(setting, EHD(epsilon, "paper"), lambda k: (2 * k + 1) * exp(epsilon) / n, at_most)


def _local_lower(setting: Setting) -> Iterator[Case]:
    rate = EHDL(setting.epsilon).rate(setting.beta_binomial)
    return _theorem_4_5(setting, EHDL(setting.epsilon),
                        lambda k: (2 * k * math.exp(-rate) + 1) / setting.problem.n, _at_least)


def _local_upper(setting: Setting) -> Iterator[Case]:
    rate = EHDL(setting.epsilon).rate(setting.beta_binomial)
    return _theorem_4_5(setting, EHDL(setting.epsilon), lambda k: (2 * k + 1) * exp(rate) / setting.problem.n, at_most)


def _at_least(value: float, bound: float) -> float:
    return at_most(bound, value)


def _last_step(setting: Setting) -> Iterator[Case]:
    epsilon = setting.epsilon
    ours, theirs = math.exp(-epsilon / _COMPARED_CONSTANT), math.exp(-epsilon)
    yield case(setting.named("epsilon"), {"e^(-epsilon/(2 GS))": ours, "e^(-epsilon)": theirs}, at_most(theirs, ours))


# --- Corollaries 4.5.1 to 4.5.3: balanced data (m, m), from which n = 2 m on LSHist beats EHD ---


def _beats(prior: tuple[float, ...], epsilon: float, within: Probability, m: int) -> float:
    """How much more probable LSHist is to stay within the distance than EHD, relative to the larger."""
    problem = Problem(prior, (m, m))
    noise, selection = (within(problem, epsilon, which) for which in (0, 1))
    return at_most(selection, noise)


def _of_steps(k: int, problem: Problem, epsilon: float, which: int) -> float:
    return _within_steps(listed_law(_rivals(epsilon)[which], problem), k)


def _of_sensitivity(problem: Problem, epsilon: float, which: int) -> float:
    return listed_law(_rivals(epsilon)[which], problem).cdf(local_sensitivity(problem))


def _rivals(epsilon: float) -> tuple[Mechanism, Mechanism]:
    return LSHist(epsilon), EHD(epsilon, "paper")


def _crossover(lead: Callable[[int], float], least: int, most: int) -> float:
    """The smallest n = 2 m from which LSHist leads; none up to the end: nan.

    LSHist's probability hardly depends on n and EHD's falls with n, as its candidates grow in number: one crossing.
    """
    if lead(most) < 0:
        return math.nan
    while least < most:
        middle = (least + most) // 2
        least, most = (least, middle) if lead(middle) >= 0 else (middle + 1, most)
    return 2.0 * least


def _compared(setting: Setting, stated: float, within: Probability, least: int, above: bool, inputs: dict) -> Case:
    """At a few sizes above (below) the stated one: who is nearer. least: the smallest m with room for the steps."""
    if stated > _LARGEST_CROSSOVER:
        raise ValueError(f"The size that this corollary states is too large to look at: at most "
                         f"{_LARGEST_CROSSOVER:,} records, got {stated:.6g} for epsilon = "
                         f"{printed_bound(setting.epsilon)}.")
    prior = setting.beta_binomial.prior
    first = max(least, math.floor(stated / 2) + 1)
    ends = (first, 4 * first) if above else (least, math.ceil(stated / 2) - 1)
    sizes = np.unique(np.geomspace(*ends, _SIZES).round().astype(int)).tolist()
    lead = {m: _beats(prior, setting.epsilon, within, m) for m in sizes}
    margin = min(lead.values()) if above else min(-value for value in lead.values())
    exact = _crossover(lambda m: lead.get(m, _beats(prior, setting.epsilon, within, m)), least, 4 * first)
    return case(setting.named("prior", "epsilon") | inputs, {"stated n": stated, "exact crossover n": exact}, margin)


def _corollary_4_5_1(setting: Setting) -> Iterator[Case]:
    for k in (1, 2, 3):
        stated = (2 * k + 1) * exp(setting.epsilon) / -math.expm1(-k * setting.epsilon)
        yield _compared(setting, stated, partial(_of_steps, k), k + 1, True, {"k": k})


def _corollary_4_5_2(setting: Setting) -> Iterator[Case]:
    for k in (1, 2, 3):
        stated = (2 * k * math.exp(-setting.epsilon) + 1) / _spread(setting.epsilon, k)
        if stated > 2 * (k + 1):  # else no size is that small, and nothing is claimed
            yield _compared(setting, stated, partial(_of_steps, k), k + 1, False, {"k": k})


def _corollary_4_5_3(setting: Setting) -> Iterator[Case]:
    stated = 3 * exp(setting.epsilon / _COMPARED_CONSTANT) / -math.expm1(-setting.epsilon)
    yield _compared(setting, stated, _of_sensitivity, 2, True, {})


# --- what the papers plot and say of the model ---


def _mean(mechanism: Mechanism, problem: Problem) -> float:
    if problem.n == 0:
        raise ValueError("This claim needs at least one record: got n = 0.")
    short = problem.k == 2 and problem.n <= _SHORT
    known = None if short else mechanism.mean_distance(problem)
    return listed_law(mechanism, problem).mean if known is None else known


def _overtaking(setting: Setting) -> Iterator[Case]:
    problem, epsilon = setting.problem, setting.epsilon
    smooth, baseline = _mean(_smoothed(setting), problem), _mean(LSDim(epsilon, consistent=True), problem)
    margin = at_most(baseline, smooth) if problem.n < 300 else at_most(smooth, baseline)
    yield case(setting.named("prior", "counts", "epsilon"), {"mean H of M_H": smooth, "of the baseline": baseline},
               margin)


def _approaching(setting: Setting) -> Iterator[Case]:
    problem, epsilon = setting.problem, setting.epsilon
    smooth, improved = _mean(_smoothed(setting), problem), _mean(LSHist(epsilon, consistent=True), problem)
    if improved == 0:
        raise ValueError(f"At epsilon = {printed_bound(epsilon)} the improved Laplace mechanism's mean distance is no "
                         "double above 0: there is nothing to come near to.")
    yield case(setting.named("prior", "counts", "epsilon"),
               {"mean H of M_H": smooth, "of the improved Laplace": improved, "ratio": smooth / improved},
               at_most(smooth, 1.05 * improved))


def _density(setting: Setting) -> Iterator[Case]:
    """The integral of prod theta_i^{alpha_i} / B(alpha) is B(alpha + 1) / B(alpha)."""
    alpha = np.array(setting.problem.prior)
    raised = gammaln(alpha + 1).sum() - gammaln((alpha + 1).sum())
    integral = float(np.exp(raised - (gammaln(alpha).sum() - gammaln(alpha.sum()))))
    yield case(setting.named("prior"), {"claimed integral": 1, "exact": integral}, equal(integral, 1.0))


def _total_variation(setting: Setting) -> Iterator[Case]:
    """Neighbouring Betas (a, b), (a + 1, b - 1): their densities cross once, at odds a / (b - 1)."""
    problem = setting.beta_binomial
    for other in neighbours(problem.counts).tolist():
        low, high = sorted((problem.posterior, problem.with_counts(other).posterior))
        crossing = low[0] / (low[0] + high[1])
        variation = abs(float(betainc(*low, crossing) - betainc(*high, crossing)))
        distance = float(hellinger(low, high))
        yield case(setting.named("prior", "counts") | {"neighbour": tuple(other)},
                   {"H^2": distance**2, "total variation": variation, "sqrt(2) H": math.sqrt(2) * distance},
                   min(at_most(distance**2, variation), at_most(variation, math.sqrt(2) * distance)))


_SYMMETRIC = "prior and counts are symmetric and k is below the counts"
_TAILS = Grid(((1.0, 1.0), (0.1, 0.1), (7.0, 4.0, 5.0)), (1, 2, 4), "all", epsilons=(0.1, 5.0), beyond="every distance")
_STEPPED = Grid(((1.0, 1.0), (7.0, 4.0)), (2, 4, 12), "all", epsilons=(0.01, 1.0, 5.0),
                beyond=f"k = {', '.join(map(str, _STEPS))} up to c_2; t just beyond the distance of k steps")
_CROSSED = Grid(epsilons=(0.1, 0.5, 1.0, 2.0), beyond="balanced data; six sizes above or below the stated one")

CLAIMS = (
    Claim(
        "The tail of the exponential mechanism",
        "For EHD, P(H >= h) is at most N exp(-epsilon h / (2 GS)), N the number of candidates.",
        "[P17] section 6.1.1",
        _TAILS, _exponential_tail,
    ),
    Claim(
        "The tail of M_H",
        "For M_H, P(H >= h) is at most N exp(-epsilon h / (2 S)).",
        "[P17] section 6.2, last bound",
        _TAILS, _smooth_tail,
    ),
    Claim(
        "The exact tail of M_H",
        "P(H >= h) is the sum of exp(-epsilon H / S) over the candidates beyond h, divided by M_H's normaliser.",
        "[P17] section 6.2, first bound",
        _TAILS, _tail_formula,
    ),
    Claim(
        "The tail of M_H with its normaliser",
        "P(H >= h) is at most N exp(-epsilon h / S), divided by M_H's normaliser.",
        "[P17] section 6.2, second bound",
        _TAILS, _normalised_tail,
    ),
    Claim(
        "LSZhang within k steps",
        "With noise of scale 2/epsilon on both counts, P(H < t) = (1 - (e^{-k epsilon/2} + e^{-(k+1) epsilon/2})/2)^2.",
        "[D20] Theorem 4.5",
        _STEPPED, _zhang_value, _SYMMETRIC,
    ),
    Claim(
        "LSZhang within k steps, at least",
        "With noise of scale 2/epsilon on both counts, P(H < t) >= (1 - e^{-k epsilon/2})^2.",
        "[D20] Theorem 4.5",
        _STEPPED, _zhang_bound, _SYMMETRIC,
    ),
    Claim(
        "LSHist within k steps",
        "P(H < t) = 1 - (e^{-k epsilon} + e^{-(k+1) epsilon})/2 for LSHist.",
        "[D20] and [P20] Theorem 4.5",
        _STEPPED, _histogram_value, _SYMMETRIC,
    ),
    Claim(
        "LSHist within k steps, at least",
        "P(H < t) >= 1 - e^{-k epsilon} for LSHist.",
        "[D20] and [P20] Theorem 4.5",
        _STEPPED, _histogram_bound, _SYMMETRIC,
    ),
    Claim(
        "EHD within k steps, at least",
        "P(H < t) > (2 k e^{-epsilon} + 1)/n for EHD with sqrt(1 - pi/4).",
        "[D20] and [P20] Theorem 4.5",
        _STEPPED, _global_lower, _SYMMETRIC,
    ),
    Claim(
        "EHD within k steps, at most",
        "P(H < t) < (2 k + 1)/(n e^{-epsilon}) for EHD with sqrt(1 - pi/4).",
        "[D20] and [P20] Theorem 4.5",
        _STEPPED, _global_upper, _SYMMETRIC,
    ),
    Claim(
        "EHDL within k steps, at least",
        "P(H < t) > (2 k e^{-epsilon/(2 LS)} + 1)/n for EHDL (printed as EHD).",
        "[D20] and [P20] Theorem 4.5",
        _STEPPED, _local_lower, _SYMMETRIC,
    ),
    Claim(
        "EHDL within k steps, at most",
        "P(H < t) < (2 k + 1)/(n e^{-epsilon/(2 LS)}) for EHDL (printed as EHD).",
        "[D20] and [P20] Theorem 4.5",
        _STEPPED, _local_upper, _SYMMETRIC,
    ),
    Claim(
        "The last step for EHD",
        "With GS = sqrt(1 - pi/4), e^{-epsilon/(2 GS)} is larger than e^{-epsilon}.",
        "[D20] proof of Theorem 4.5",
        Grid(epsilons=(0.1, 1.0, 5.0)), _last_step,
    ),
    Claim(
        "From which size on LSHist beats EHD",
        "Above n = (2k+1) e^epsilon / (1 - e^{-k epsilon}) LSHist stays within k steps with more probability than EHD; "
        "k = 1, 2, 3.",
        "[D20] and [P20] Corollary 4.5.1",
        _CROSSED, _corollary_4_5_1,
    ),
    Claim(
        "Below which size EHD beats LSHist",
        "Below n = (2k e^{-epsilon} + 1) / (1 - (e^{-k epsilon} + e^{-(k+1) epsilon})/2) EHD stays within k steps with "
        "more probability than LSHist; k = 1, 2, 3.",
        "[D20] and [P20] Corollary 4.5.2",
        Grid(epsilons=(0.02, 0.05, 0.1, 0.2), beyond=_CROSSED.beyond), _corollary_4_5_2,
    ),
    Claim(
        "From which size on LSHist beats EHD within LS(x)",
        "Above n = 3 e^{epsilon/(2 GS)} / (1 - e^{-epsilon}) LSHist stays within the local sensitivity with more "
        "probability than EHD; GS = sqrt(1 - pi/4).",
        "[D20] and [P20] Corollary 4.5.3",
        _CROSSED, _corollary_4_5_3,
    ),
    Claim(
        "M_H overtakes the baseline at n = 300",
        "In the mean, the Laplace baseline is nearer to the truth than M_H below 300 records, M_H from 300 on.",
        "[P17] section 7.2.2 and Figure 4",
        Grid(totals=(2, 10, 20, 50, 100, 200, 250, 300, 500, 1_000, 5_000, 15_000), data="balanced", epsilons=(1.0,)),
        _overtaking,
    ),
    Claim(
        "M_H comes near to the improved Laplace mechanism",
        "With much data M_H's mean distance is that of the improved Laplace mechanism, up to 5 %.",
        "[P17] section 7.2.2 and Figure 4",
        Grid(totals=(1_000, 5_000, 15_000), data="balanced", epsilons=(1.0,)), _approaching,
    ),
    Claim(
        "The printed density is one",
        "prod theta_i^{alpha_i} / B(alpha), which both papers print for a Beta or Dirichlet prior, integrates to 1.",
        "[P17] section 2 (Beta); [N] section 1",
        Grid(PRIORS), _density,
    ),
    Claim(
        "Hellinger distance bounds total variation",
        "H^2 <= total variation <= sqrt(2) H.",
        "[P17] section 3",
        Grid(BETA_PRIORS, (1, 2, 5, 20), "all", beyond="every neighbour"), _total_variation,
    ),
)
