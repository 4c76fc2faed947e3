"""Claims about what the mechanisms keep private, against their exact loss."""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from dpbi.mechanisms import EHD, EHDL, EHDNRS, EHDS, LSDim, LSHist, LSZhang, Mechanism
from dpbi.mechanisms.printed_bound import printed_bound
from dpbi.papers.figures.notes import smoothness
from dpbi.posterior.hellinger import distances_to
from dpbi.privacy.loss import PrivacyLoss, privacy_loss, privacy_profile
from dpbi.problem.neighbours import neighbours
from dpbi.sensitivity import PAPER_GLOBAL_SENSITIVITY, global_sensitivity, smooth_sensitivities

from .claim import (
    FEW_PRIORS,
    PRIORS,
    ROUNDING,
    Case,
    Claim,
    Grid,
    Problem,
    Setting,
    at,
    at_most,
    candidates_of,
    captioned_prior,
    case,
    equal,
    exp,
    need,
    true,
    two_categories,
)
from .heavy_prior import heavy_prior_delta

CAPTIONED_SENSITIVITY = 0.239992747797  # of [N], figures 3 and 4
_LIGHT, _ROOM, _LEAST_HEAVY = 1_000, 20, 4.0  # light categories, records per category, epsilon
_INPUTS = "prior", "counts", "epsilon", "delta"  # of M_H
_TABLED = 300  # records at most, where a table of all released pairs is made


def _loss(setting: Setting, mechanism: Mechanism) -> PrivacyLoss:
    return privacy_loss(mechanism, setting.problem.prior, setting.problem.n)


def _kept(
    problem: Problem, setting: Setting, of: Callable[[float, float], Iterable[Mechanism]], allowed: float = 1.0
) -> Iterator[Case]:
    """One case per mechanism at that epsilon and gamma: its exact loss is at most ``allowed`` times epsilon."""
    for mechanism in of(setting.epsilon, setting.gamma):
        loss, bound = _loss(setting, mechanism), allowed * setting.epsilon
        yield case({"mechanism": mechanism.label} | setting.named("prior", "n", "epsilon"),
                   {"allowed": bound, "exact loss": loss.epsilon}, at_most(loss.epsilon, bound))


def _kept_at_gamma(problem: Problem, setting: Setting) -> Iterator[Case]:
    """Selection by exp(-epsilon H / (2 S)) is EHDS at (1 + gamma) epsilon."""
    allowed = (1 + setting.gamma) * setting.epsilon
    loss = _loss(setting, EHDS(allowed, setting.gamma)).epsilon
    yield case(setting.named("prior", "n", "epsilon", "gamma"), {"allowed": allowed, "exact loss": loss},
               at_most(loss, allowed))


def _step_of_lemma_5_6(problem: Problem, setting: Setting) -> Iterator[Case]:
    """exp(epsilon u g / 2) <= exp(epsilon g / 2), g = 1/S(x') - 1/S(x) at gamma = 1 and u = H(x', r) <= 1: the r with
    the least margin. Where g < 0 it is the other way round, and then both are at most 1."""
    candidates, half = candidates_of(problem), setting.epsilon / 2
    others = neighbours(problem.counts).tolist()
    here, *there = (1 / smooth_sensitivities(problem.prior, [problem.counts, *others], 1.0)).tolist()
    for other, reciprocal in zip(others, there, strict=True):
        change = reciprocal - here
        u = distances_to(problem.with_counts(other), candidates)
        at = int((u * change).argmax())
        yield case(setting.named("prior", "counts", "epsilon")
                   | {"neighbour": tuple(other), "r": tuple(candidates[at].tolist())},
                   {"1/S(x') - 1/S(x)": change, "claimed at most": exp(half * change),
                    "exact": exp(half * float(u[at]) * change)},
                   half * change * (1 - float(u[at])))


def _captioned_loss(problem: Problem, setting: Setting) -> Iterator[Case]:
    """Selection scaled by the captions' 0.24 is EHD at another epsilon, that times GS / 0.24."""
    exact = global_sensitivity(problem.prior, problem.n)
    loss = _loss(setting, EHD(setting.epsilon * exact / CAPTIONED_SENSITIVITY)).epsilon
    yield case(setting.named("prior", "n", "epsilon"), {"exact GS": exact, "exact loss": loss},
               at_most(loss, setting.epsilon))


def _paper_constant(problem: Problem, setting: Setting) -> Iterator[Case]:
    prior, n, epsilon = problem.prior, problem.n, setting.epsilon
    loss = _loss(setting, EHD(epsilon, "paper")).epsilon
    yield case(setting.named("prior", "n", "epsilon"),
               {"exact loss": loss, "exact GS": global_sensitivity(prior, n), "their GS": PAPER_GLOBAL_SENSITIVITY},
               at_most(loss, epsilon), within=min(prior) >= 1)


def _zhang_is_private(problem: Problem, setting: Setting) -> Iterator[Case]:
    for rule in ("2k", "2"):
        loss = _loss(setting, LSZhang(setting.epsilon, rule)).epsilon
        yield case({"scale": f"{rule}/epsilon"} | setting.named("k", "n", "epsilon"), {"exact loss": loss},
                   at_most(loss, setting.epsilon))


def _local_is_not_private(problem: Problem, setting: Setting) -> Iterator[Case]:
    found = _loss(setting, EHDL(setting.epsilon))
    yield case(setting.named("prior", "n", "epsilon"),
               {"exact loss": found.epsilon, "between": found.counts, "and": found.neighbour},
               at_most(setting.epsilon * (1 + 1e-6), found.epsilon))  # what rounding may have made is no excess


def _lemma_2_3(problem: Problem, setting: Setting) -> Iterator[Case]:
    mechanism = EHDNRS(setting.epsilon, setting.delta)
    exact = float(privacy_profile(mechanism, problem.prior, problem.n, [setting.epsilon])[0])
    loss = _loss(setting, mechanism).epsilon
    yield case(setting.named("prior", "n", "epsilon", "delta"), {"exact delta": exact, "exact loss": loss},
               at_most(exact, setting.delta))


def _concrete_loss(problem: Problem, setting: Setting) -> Iterator[Case]:
    loss = _loss(setting, EHDNRS(setting.epsilon, setting.delta)).epsilon
    yield case(setting.named("prior", "n", "epsilon", "delta"), {"exact loss": loss}, at_most(loss, setting.epsilon),
               within=(problem.prior, setting.epsilon, setting.delta) == ((1.0, 1.0), 1.0, 0.0005))


@dataclass(frozen=True)
class _Printed:
    """What Lemma 5.5 prints for x and a neighbour x', in its largest case, where r is the true posterior of x.

    epsilon: ln 4 + epsilon H(x, x') / (2 S(x)) + epsilon / 2; delta: 2 e^{epsilon H / (2 S)} (1 - N e^{epsilon / (2 (1
    - e^lambda))}), e^lambda = (S(x) / S(x')) ln(NL(x) / NL(x')), which is no number where NL(x) <= NL(x').
    """

    neighbour: Problem
    epsilon: float
    log_ratio: float
    delta: float | None


def _lemma_5_5(setting: Setting) -> list[_Printed]:
    problem = setting.problem
    epsilon, mechanism = setting.epsilon, EHDNRS(setting.epsilon, setting.delta)
    here = float(mechanism.log_pmf(problem, problem.counts))  # -log NL, since H = 0 at the truth
    others = [problem.with_counts(other) for other in neighbours(problem.counts).tolist()]
    smooth = smooth_sensitivities(problem.prior, [problem.counts, *(other.counts for other in others)],
                                  mechanism.beta(problem.n, 2), "exponential").tolist()
    distance = distances_to(problem, [other.counts for other in others]).tolist()
    printed = []
    for other, far, sensitivity in zip(others, distance, smooth[1:], strict=True):
        log_ratio = float(mechanism.log_pmf(other, other.counts)) - here
        slid = epsilon * far / (2 * smooth[0])
        stretch = smooth[0] / sensitivity * log_ratio
        delta = None
        if stretch > 0 and stretch != 1:
            delta = 2 * exp(slid) * (1 - (problem.n + 1) * exp(epsilon / (2 * (1 - stretch))))
        printed.append(_Printed(other, math.log(4) + slid + epsilon / 2, log_ratio, delta))
    return printed


def _printed_delta(problem: Problem, setting: Setting) -> Iterator[Case]:
    for one in _lemma_5_5(setting):
        if one.delta is not None and abs(one.log_ratio) > ROUNDING:
            yield case(setting.named(*_INPUTS) | {"neighbour": one.neighbour.counts},
                       {"ln(NL(x)/NL(x'))": one.log_ratio, "printed delta": one.delta}, true(0 <= one.delta <= 1))


def _delta_exists(problem: Problem, setting: Setting) -> Iterator[Case]:
    for one in _lemma_5_5(setting):
        yield case(setting.named(*_INPUTS) | {"neighbour": one.neighbour.counts},
                   {"ln(NL(x)/NL(x'))": one.log_ratio}, one.log_ratio)


def _printed_epsilon(problem: Problem, setting: Setting) -> Iterator[Case]:
    """The largest ln P_x(r) - ln P_x'(r) over all r against the printed epsilon', with no delta at all."""
    mechanism = EHDNRS(setting.epsilon, setting.delta)
    candidates = candidates_of(problem)
    here = mechanism.log_pmf(problem, candidates)
    for one in _lemma_5_5(setting):
        loss = float((here - mechanism.log_pmf(one.neighbour, candidates)).max())
        yield case(setting.named(*_INPUTS) | {"neighbour": one.neighbour.counts},
                   {"printed epsilon'": one.epsilon, "largest log ratio": loss}, at_most(loss, one.epsilon))


def _printed_inequality(problem: Problem, setting: Setting) -> Iterator[Case]:
    """P_x(r) <= e^epsilon' P_x'(r) + delta, for every r and wherever there is a delta: the r with the least margin."""
    mechanism = EHDNRS(setting.epsilon, setting.delta)
    candidates = candidates_of(problem)
    here = np.exp(mechanism.log_pmf(problem, candidates))
    for one in _lemma_5_5(setting):
        if one.delta is None or abs(one.log_ratio) <= ROUNDING:
            continue
        bound = exp(one.epsilon) * np.exp(mechanism.log_pmf(one.neighbour, candidates)) + one.delta
        at = int((bound - here).argmin())
        yield case(setting.named(*_INPUTS)
                   | {"neighbour": one.neighbour.counts, "r": tuple(candidates[at].tolist())},
                   {"printed bound": float(bound[at]), "exact": float(here[at])},
                   at_most(float(here[at]), float(bound[at])))


# --- [N] Lemma 2.3 with n + 1 for the number of candidates, in the limit of a heavy prior ---


def _heavy_prior(problem: Problem, setting: Setting) -> Iterator[Case]:
    """x has all n records in a category that the prior makes far heavier than the others, x' all but one."""
    epsilon, delta = setting.epsilon, setting.delta
    light, n = problem.k - 1, problem.n
    need(2 <= light <= _LIGHT and n >= _ROOM * problem.k and epsilon >= _LEAST_HEAVY,
         f"This claim is computed for 3 to {_LIGHT + 1} categories, {_ROOM} records or more per category and epsilon "
         f"of at least {_LEAST_HEAVY:g}: got k = {problem.k}, n = {n:,} and epsilon = {printed_bound(epsilon)}.")
    beta = smoothness(n + 1, epsilon, delta)
    found = heavy_prior_delta(light, epsilon, beta)
    yield case(setting.named("k", "n", "epsilon", "delta"), {"beta with n + 1": beta, "exact delta": found},
               at_most(found, delta))


def _scale_as_written(problem: Problem, setting: Setting) -> Iterator[Case]:
    """b = epsilon / 2 is the scale 2 / epsilon of another epsilon, namely 4 / epsilon."""
    epsilon = setting.epsilon
    loss = privacy_loss(LSZhang(4 / epsilon, "2"), problem.prior, problem.n).epsilon
    yield case(setting.named("n", "epsilon"), {"exact loss": loss, "4 / epsilon": 4 / epsilon},
               at_most(loss, epsilon), within=epsilon >= 2)


def _ratio_is_constant(problem: Problem, setting: Setting) -> Iterator[Case]:
    mechanism = LSZhang(setting.epsilon, "2")
    need(problem.n <= _TABLED, f"All pairs of released counts are visited up to n = {_TABLED}: got n = {problem.n:,}.")
    released = np.stack(np.meshgrid(*[np.arange(problem.n + 1)] * 2), axis=-1).reshape(-1, 2)
    other = problem.with_counts(neighbours(problem.counts)[0].tolist())
    ratios = mechanism.log_pmf(problem, released) - mechanism.log_pmf(other, released)
    low, high = float(ratios.min()), float(ratios.max())
    yield case(setting.named("counts", "epsilon") | {"neighbour": other.counts},
               {"least log ratio": low, "largest": high},
               min(equal(ratio, setting.epsilon) for ratio in (low, high)))


_EPSILONS = (0.1, 1.0, 5.0)
_NEIGHBOURING = Grid(FEW_PRIORS[:3], (1, 2, 5), "all", epsilons=_EPSILONS, beyond="every neighbour")
_STRONG = (100.0, 1000.0, 100.0)

CLAIMS = (
    Claim(
        "Four mechanisms keep epsilon",
        "LSDim, LSHist, EHD with the exact global sensitivity, and EHDS lose at most epsilon.",
        "[D20] and [P20] Theorem 3.1; all but EHDS: [P17] section 5.1; EHD: [N] section 2.1",
        Grid((*PRIORS, _STRONG), (1, 2, 5, 10), epsilons=_EPSILONS, beyond="LSDim, LSHist, EHD, EHDS"),
        partial(_kept, of=lambda epsilon, gamma: (LSDim(epsilon), LSHist(epsilon), EHD(epsilon),
                                                  EHDS(epsilon, gamma))),
    ),
    Claim(
        "EHD keeps epsilon with sqrt(1 - pi/4)",
        "EHD scaled by sqrt(1 - pi/4) in place of the global sensitivity loses at most epsilon.",
        "[D20] section 1, Algorithm 4 and Theorem 3.1; [P20] section 1, Algorithm 3 and Theorem 3.1",
        Grid(((0.01, 0.01), (0.01,) * 3, *PRIORS), (1, 2, 5, 12), epsilons=_EPSILONS), _paper_constant,
        "no prior parameter is below 1",
    ),
    Claim(
        "LSZhang keeps epsilon",
        "Laplace noise of scale 2k/epsilon, or 2/epsilon, on each of the k counts loses at most epsilon.",
        "[D20] Algorithm 1, read with noise on all k; [P17] section 3, its sentence; [L17]",
        Grid(tuple((1.0,) * k for k in (2, 3, 4)), (1, 2, 5, 20), epsilons=_EPSILONS, beyond="both scales"),
        _zhang_is_private,
    ),
    Claim(
        "One noise of scale 2/epsilon keeps epsilon",
        "One Laplace noise of scale 2/epsilon, added to one count of a Beta-binomial problem and taken from the other, "
        "loses at most epsilon.",
        "[P17] section 3, its formula (its sentence has independent noise on both parameters)",
        Grid(totals=(1, 2, 5, 20), epsilons=_EPSILONS, beyond="LSDim at k = 2"),
        partial(_kept, of=lambda epsilon, _: [LSDim(epsilon)]),
        speaks_of=two_categories,
    ),
    Claim(
        "The captions' exponential mechanism keeps epsilon",
        "Under Dir(7, 4, 5) the exponential mechanism with 0.239992747797 for its global sensitivity loses at most "
        "epsilon.",
        "[N] captions of Figures 3 and 4",
        Grid(((7.0, 4.0, 5.0),), (1, 2, 5, 12), epsilons=(0.8,)), _captioned_loss,
        speaks_of=captioned_prior,
    ),
    Claim(
        "EHDL is not private",
        "Scaled by the local sensitivity of the data, the exponential mechanism can lose more than epsilon.",
        "[P17] section 5.1; [N] section 2.2",
        Grid((*PRIORS, _STRONG, (10.0, 100.0)), (1, 2, 5, 10, 25), epsilons=(0.1, 1.0)), _local_is_not_private,
        everywhere=False,
    ),
    Claim(
        "With 2 S and gamma = 1 the loss is at most 2 epsilon",
        "Selection by exp(-epsilon H / (2 S)), S the reciprocal smooth sensitivity with gamma = 1, is 2 epsilon-DP.",
        "[P17] Definition 6 and Lemma 5.6",
        Grid((*PRIORS, _STRONG), (1, 2, 5, 12), epsilons=_EPSILONS),
        partial(_kept, of=lambda epsilon, _: [EHDS(2 * epsilon)], allowed=2.0),  # exp(-epsilon H / (2 S)) at gamma = 1
    ),
    Claim(
        "The step of Lemma 5.6",
        "exp(epsilon H(x', r)/2 (1/S(x') - 1/S(x))) is at most exp(epsilon/2 (1/S(x') - 1/S(x))), as H is at most 1.",
        "[P17] proof of Lemma 5.6",
        Grid(FEW_PRIORS[:4], (1, 2, 5), "all", epsilons=_EPSILONS, beyond="every neighbour and r"), _step_of_lemma_5_6,
    ),
    Claim(
        "At any gamma the loss is at most (1 + gamma) epsilon",
        "Selection by exp(-epsilon H / (2 S)), S the reciprocal smooth sensitivity, loses at most (1 + gamma) epsilon.",
        "[P17] proof of Lemma 5.6; [D20] Algorithm 6 with Theorem 3.1",
        Grid((*PRIORS, _STRONG), (1, 2, 5), epsilons=_EPSILONS, gammas=(0.01, 0.3, 3.0)), _kept_at_gamma,
    ),
    Claim(
        "(epsilon, delta) for the exponential smooth sensitivity",
        "EHDNRS is (epsilon, delta)-DP: its exact delta(epsilon) is at most delta. Its beta counts all candidates, "
        "where the notes write n + 1 for every k. The notes' proof does not hold.",
        "[N] Lemma 2.3, with the number of candidates in its beta, which is ours above k = 2",
        Grid((*FEW_PRIORS, _STRONG), (1, 2, 5, 12), epsilons=(0.1, 0.8, 5.0), deltas=(1e-8, 0.8)), _lemma_2_3,
        ours=True,
    ),
    Claim(
        "(epsilon, delta) with n + 1 in beta for every k",
        "With the n + 1 that the notes' beta has for beta distributions, taken at every k, the mechanism is (epsilon, "
        "delta)-DP: computed in the limit of heavy priors, "
        "one category's the heaviest without bound, between the data with all records there and with all but one.",
        "[N] Lemma 2.3 with section 2.3.1's beta, which at every k is ours",
        Grid(((1.0,) * 3, (1.0,) * 30, (1.0,) * 150, (1.0,) * 300), (10_000,), epsilons=(8.6,), deltas=(0.8,)),
        _heavy_prior,
        ours=True,
    ),
    Claim(
        "Lemma 5.5 has a delta",
        "The logarithm of NL(x)/NL(x'), of which the printed delta takes the logarithm again, is above 0.",
        "[P17] Lemma 5.5",
        _NEIGHBOURING, _delta_exists,
        speaks_of=two_categories,
    ),
    Claim(
        "The printed delta of M_H is a probability",
        "Wherever there is one, the delta printed at the end of the proof lies in [0, 1].",
        "[P17] Lemma 5.5",
        _NEIGHBOURING, _printed_delta,
        speaks_of=two_categories,
    ),
    Claim(
        "M_H keeps the printed epsilon' and delta",
        "P_x(r) <= e^epsilon' P_x'(r) + delta for every r, with the printed epsilon' and delta, wherever there is one.",
        "[P17] Lemma 5.5",
        _NEIGHBOURING, _printed_inequality,
        speaks_of=two_categories,
    ),
    Claim(
        "M_H keeps the printed epsilon' alone",
        "No log ratio of M_H between x and x' exceeds ln 4 + epsilon H(x, x')/(2 S(x)) + epsilon/2.",
        "[P17] Lemma 5.5, its epsilon' without the delta",
        replace(_NEIGHBOURING, found=(at((100.0, 0.01), (3, 1), 10.0, delta=0.9),
                                      at((1.0, 0.01), (8, 1), 12.0, delta=0.5))), _printed_epsilon,
        speaks_of=two_categories,
    ),
    Claim(
        "The concrete loss lies below epsilon",
        "Computed exactly, M_H with the exponential smooth sensitivity loses no more than epsilon.",
        "[P17] section 7.3 and Figure 6, and section 8, second direction",
        Grid(((1.0, 1.0),), (1, 2, 5, 10, 20, 50, 100, 200), epsilons=(1.0,), deltas=(0.0005,),
             found=(at((1.0, 1.0), (3, 3), 0.5), at((60.0, 2600.0, 60.0), (1, 3, 1), 9.28, delta=0.2))),
        _concrete_loss,
        "the prior is flat with k = 2, epsilon is 1 and delta is 0.0005, as in the paper",
        stated=True,
    ),
    Claim(
        "Two independent noises of scale 2/epsilon keep epsilon",
        "Independent Laplace noise of scale 2/epsilon on both counts of a Beta-binomial problem loses at most epsilon.",
        "[L17]",
        Grid(totals=(1, 2, 5, 20), epsilons=_EPSILONS),
        partial(_kept, of=lambda epsilon, _: [LSZhang(epsilon, "2")]),
        speaks_of=two_categories,
    ),
    Claim(
        "The noise written as Lap(epsilon/2) keeps epsilon",
        "Taken as it is written, with epsilon/2 for the scale, the noise on both counts loses at most epsilon.",
        "[L17]",
        Grid(totals=(1, 2, 5, 20), epsilons=(0.1, 1.0, 2.0, 5.0),
             found=(at((1.0, 1.0), (1, 0), 1.75),)),
        _scale_as_written, "epsilon is at least 2",
        speaks_of=two_categories,
        misprint=True,
    ),
    Claim(
        "The ratio of two neighbours' probabilities is e^epsilon",
        "For neighbouring datasets the ratio of the probabilities of an output equals e^epsilon, for every output.",
        "[L17] last equation",
        Grid(totals=(1, 2, 5, 20), data="balanced", epsilons=_EPSILONS, beyond="every output"), _ratio_is_constant,
        speaks_of=two_categories,
        misprint=True,
    ),
)
