"""Claims that a definition, a footnote or a formula makes by how it is printed."""

import math
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from scipy.special import betaln

from dpbi.data.synthesis import balanced_counts
from dpbi.mechanisms import EHDNRS, EHDS
from dpbi.posterior.dirichlet import log_density
from dpbi.posterior.hellinger import hellinger
from dpbi.problem.neighbours import neighbours
from dpbi.sensitivity import local_sensitivities, local_sensitivity, smooth_sensitivities

from .claim import (
    BETA_PRIORS,
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
    case,
    equal,
    exp,
    need,
    shown,
    true,
    two_categories,
)

_INTEGRATED = 10_000  # records and the prior's weight
_FINE, _NEGLIGIBLE = 0.25, 45.0
_MANY, _VERY_MANY, _FALLEN = 10**11, 10**15, 0.9
_HEAVIEST, _KEPT = 10**8, "kept"
_AT = (-2, -1, 0, 1, 2)
_LARGE_CONSTANT = 10.0


def _as_integral(problem: Problem, setting: Setting) -> Iterator[Case]:
    """The affinity 1 - H^2 against the integral of sqrt(p q), over the log odds t by trapezoids, for each neighbour.

    The integrand is s(t)^a (1 - s(t))^b, s the logistic function: near its peak a normal density of variance 1/a + 1/b,
    by which the steps are set (for steps of h standard deviations trapezoids err by e^{-2 pi^2 / h^2}), and far from it
    e^{-|t| min(a, b)}.
    """
    need(0.01 <= min(problem.prior) and sum(problem.prior) + problem.n <= _INTEGRATED,
         f"This claim integrates where prior parameters are at least 0.01 and all of them with n at most "
         f"{_INTEGRATED:,}: got prior {shown(problem.prior)} and n = {problem.n:,}.")
    for other in neighbours(problem.counts).tolist():
        p, q = problem.posterior, problem.with_counts(other).posterior
        a, b = ((x + y) / 2 for x, y in zip(p, q, strict=True))
        peak, step = math.log(a / b), _FINE * min(1.0, math.sqrt(1 / a + 1 / b))
        reach = abs(peak) + _NEGLIGIBLE / min(a, b) + math.sqrt(2 * _NEGLIGIBLE * (1 / a + 1 / b))
        t = peak + step * np.arange(-math.ceil(reach / step), math.ceil(reach / step) + 1)
        log_constant = -sum(betaln(*of) for of in (p, q)) / 2
        integral = step * float(np.exp(-a * np.logaddexp(0, -t) - b * np.logaddexp(0, t) + log_constant).sum())
        affinity = 1 - float(hellinger(p, q)) ** 2
        yield case(setting.named("prior", "counts") | {"neighbour": tuple(other)},
                   {"1 - H^2": affinity, "integral of sqrt(p q)": integral}, equal(integral, affinity))


def _conjugate(problem: Problem, setting: Setting) -> Iterator[Case]:
    """Prior times likelihood over the density of Dir(alpha + c) is the same at every theta."""
    need(problem.n + sum(problem.prior) <= _INTEGRATED, f"This claim compares densities up to n = {_INTEGRATED:,}, the "
                                                        f"prior's weight with it: got n = {problem.n:,}.")
    k, counts = problem.k, np.array(problem.counts)
    even, tilted = np.full(k, 1 / k), np.arange(1.0, k + 1) / (k * (k + 1) / 2)
    here, there = (float(log_density(problem.prior, theta) + counts @ np.log(theta)
                         - log_density(problem.posterior, theta)) for theta in (even, tilted))
    yield case(setting.named("prior", "counts"), {"log ratio at equal shares": here, "at others": there},
               true(abs(here - there) <= ROUNDING * (1 + problem.n + sum(problem.prior))))


def _algorithm_1(problem: Problem, setting: Setting) -> Iterator[Case]:
    """Its loop fills k - 1 of k zeros; a noisy count is 0 at least."""
    least = np.zeros(problem.k)
    least[:-1] = problem.prior[:-1]
    numbers = {"last parameter": float(least[-1]), "least of the others": float(least[:-1].min())}
    yield case(setting.named("prior"), numbers, true(bool((least > 0).all())))


def _equality(problem: Problem, setting: Setting, pure: bool) -> Iterator[Case]:
    """For B the set of all outputs both probabilities are 1."""
    printed = exp(setting.epsilon) + (0.0 if pure else setting.delta)
    yield case(setting.named("epsilon", *([] if pure else ["delta"])),
               {"P[B], B all outputs": 1.0, "e^epsilon P'[B]" + ("" if pure else " + delta"): printed},
               equal(1.0, printed))


def _adjacency(problem: Problem, setting: Setting) -> Iterator[Case]:
    """One replaced record leaves n - 1 that agree."""
    yield case(setting.named("n"), {"records that agree": problem.n - 1}, true(problem.n <= 2), within=problem.n <= 2)


def _printed_local_sensitivity(problem: Problem, setting: Setting) -> Iterator[Case]:
    """max |H(BI(x'), r) - H(BI(x'), r)| = 0."""
    yield case(setting.named("prior", "counts"), {"as printed": 0.0, "LS(x)": local_sensitivity(problem)},
               equal(0.0, local_sensitivity(problem)))


def _adjacent_only(problem: Problem, setting: Setting) -> Iterator[Case]:
    """max of LS(x) and LS(x') e^{-gamma} over neighbours against all datasets: Definition 3's S."""
    prior, counts, gamma = problem.prior, problem.counts, setting.gamma
    local = local_sensitivity(problem)
    adjacent = max(local, float(local_sensitivities(prior, neighbours(counts)).max()) * math.exp(-gamma))
    everywhere = float(smooth_sensitivities(prior, counts, gamma, "exponential"))
    yield case(setting.named("prior", "counts", "gamma"),
               {"over neighbours": adjacent, "over all datasets": everywhere}, equal(adjacent, everywhere))


def _printed_smooth_sensitivity(problem: Problem, setting: Setting) -> Iterator[Case]:
    """With BI(x) in place of BI(y) every term is LS(x) times e^{-beta d} <= 1."""
    local = local_sensitivity(problem)
    smooth = setting.epsilon / (2 * EHDNRS(setting.epsilon, setting.delta).rate(problem))
    yield case(setting.named("prior", "counts", "epsilon", "delta"), {"as printed": local, "S(x)": smooth},
               equal(local, smooth))


def _integer_parameters(problem: Problem, setting: Setting) -> Iterator[Case]:
    prior, n = problem.prior, problem.n
    yield case(setting.named("prior", "n"), {"sum of a candidate's parameters": sum(prior) + n, "n + 2": n + 2},
               true(all(value == round(value) for value in prior) and sum(prior) == 2), within=set(prior) == {1.0})


def _vanishing(problem: Problem, setting: Setting) -> Iterator[Case]:
    """LS(x) at 10^11 and 10^15 records, on three ways there from x: it falls as 1/sqrt of the rarer count, or not.

    A way on which the rarer category's posterior parameter, prior and all, does not double in between tells nothing.
    """
    need(sum(problem.prior) <= _HEAVIEST,
         f"This claim is computed for priors worth {_HEAVIEST:,} records at most: got {shown(sum(problem.prior))}.")
    rarer = problem.counts.index(min(problem.counts))
    count, weight = problem.counts[rarer], problem.prior[rarer]
    ways: dict[str, Callable[[int], int]] = {_KEPT: lambda n: count}
    if count > 0:
        ways["at its share"] = lambda n: n * count // problem.n
    if count > 1:
        ways["as a power of n"] = lambda n: int(n ** (math.log(count) / math.log(problem.n)))
    for way, rare in ways.items():
        few, many = rare(_MANY), rare(_VERY_MANY)
        if way != _KEPT and weight + many < 2 * (weight + few):
            continue
        here, there = (local_sensitivity(problem.with_counts((c, n - c) if rarer == 0 else (n - c, c)))
                       for c, n in ((few, _MANY), (many, _VERY_MANY)))
        yield case(setting.named("prior", "counts") | {"rarer count": way},
                   {"share at 10^15": many / _VERY_MANY, "LS at 10^11": here, "LS at 10^15": there},
                   at_most(there, _FALLEN * here), within=way != _KEPT)


def _void_gamma(problem: Problem, setting: Setting) -> Iterator[Case]:
    yield case(setting.named("epsilon"), {"gamma = e^epsilon": exp(setting.epsilon)},
               at_most(exp(setting.epsilon), 1.0))


def _order_of_epsilon(problem: Problem, setting: Setting) -> Iterator[Case]:
    """At gamma = e^{-epsilon} the proof gives 1/epsilon."""
    epsilon = setting.epsilon
    yield case(setting.named("epsilon"), {"1/epsilon": 1 / epsilon, "10 epsilon": _LARGE_CONSTANT * epsilon},
               at_most(1 / epsilon, _LARGE_CONSTANT * epsilon), within=epsilon * epsilon >= 1 / _LARGE_CONSTANT)


def _improved_scale(problem: Problem, setting: Setting) -> Iterator[Case]:
    k, epsilon = problem.k, setting.epsilon
    defined = (1 if k == 2 else 2) / epsilon
    yield case(setting.named("k", "epsilon"), {"section 6.1.3": 2 / epsilon, "section 4.1.4": defined},
               equal(2 / epsilon, defined), within=k > 2)


def _normaliser_of_size(problem: Problem, setting: Setting) -> Iterator[Case]:
    """NL(x) = 1 / P(truth) under Definition 6, against that of balanced data of the same size."""
    mechanism = EHDS(2 * setting.epsilon)
    even = problem.with_counts(balanced_counts(problem.k, problem.n))
    if sorted(even.counts) != sorted(problem.counts):
        here, there = (math.exp(-float(mechanism.log_pmf(one, one.counts))) for one in (problem, even))
        yield case(setting.named("prior", "counts", "epsilon"), {"NL(x)": here, "NL of balanced data": there},
                   equal(here, there))


def _printed_density(problem: Problem, setting: Setting) -> Iterator[Case]:
    """exp(-y epsilon/2) against (epsilon/4) exp(-|y| epsilon/2), the density of noise of scale 2/epsilon."""
    decay = setting.epsilon / 2
    for y in _AT:
        yield case(setting.named("epsilon") | {"y": y}, {"as printed": exp(-y * decay),
                                                         "density": decay / 2 * math.exp(-abs(y) * decay)},
                   equal(exp(-y * decay), decay / 2 * math.exp(-abs(y) * decay)))


def _step_of_lemma_2_3(problem: Problem, setting: Setting) -> Iterator[Case]:
    """(S(x)/S(y)) ln(NL(x)/NL(y)) <= e^beta, over the neighbours y."""
    mechanism = EHDNRS(setting.epsilon, setting.delta)
    bound = math.exp(mechanism.beta(problem.n, 2))
    for other in neighbours(problem.counts).tolist():
        there = problem.with_counts(other)
        stretch = mechanism.rate(there) / mechanism.rate(problem)  # S(x)/S(y)
        ratio = float(mechanism.log_pmf(there, there.counts) - mechanism.log_pmf(problem, problem.counts))
        yield case(setting.named("prior", "counts", "epsilon", "delta") | {"neighbour": there.counts},
                   {"the product": stretch * ratio, "1 - epsilon/(2 ln(delta/(2(n+1))))": bound},
                   at_most(stretch * ratio, bound))


_EPSILONS = (0.1, 1.0, 5.0)
_DATA = Grid(FEW_PRIORS, (1, 2, 6), "all")

CLAIMS = (
    Claim(
        "The posterior is Dir(alpha + c)",
        "Prior times likelihood is Dir(alpha + c), Beta(alpha + c_1, beta + c_2) at k = 2, up to its constant.",
        "[P17] section 2; [N] section 1; [L17]",
        Grid(PRIORS, (1, 2, 6), "all", beyond="equal shares, and shares as 1 to k"), _conjugate,
    ),
    Claim(
        "The Hellinger distance of two Dirichlets",
        "H = sqrt(1 - B((a + b)/2) / sqrt(B(a) B(b))): 1 - H^2 is the integral of the root of both densities.",
        "[D20] and [P20] section 1; [P17] sections 3 and 4.2",
        Grid(BETA_PRIORS, (1, 2, 20), "all", beyond="every neighbour, k = 2"), _as_integral,
        speaks_of=two_categories,
    ),
    Claim(
        "LSZhang returns a Dirichlet distribution",
        "All parameters that the algorithm returns, its loop taken as printed, are above 0.",
        "[D20] Algorithm 1",
        Grid(tuple((1.0,) * k for k in (2, 3, 4))), _algorithm_1,
        misprint=True,
    ),
    Claim(
        "The equality of Definition 1",
        "For neighbours and every set B of outputs the probability of B is e^epsilon times that under the neighbour.",
        "[P17] Definition 1, printed with =",
        Grid(epsilons=_EPSILONS), partial(_equality, pure=True),
        misprint=True,
    ),
    Claim(
        "The equality of Definition 2",
        "For neighbours and every set B the probability of B is e^epsilon times that under the neighbour, plus delta.",
        "[P17] Definition 2, printed with =",
        Grid(epsilons=_EPSILONS, deltas=(1e-8, 0.1)), partial(_equality, pure=False),
        misprint=True,
    ),
    Claim(
        "Adjacent data agree in at most one record",
        "Two datasets of n records of which one is replaced agree in at most one record.",
        "[P17] footnote 1",
        Grid(totals=(1, 2, 3, 10)), _adjacency, "n is at most 2",
        misprint=True,
    ),
    Claim(
        "The local sensitivity as printed",
        "LS(x) is the largest |H(BI(x'), r) - H(BI(x'), r)|, with the neighbour x' in both places.",
        "[P17] sections 4.1.2 and 7.1",
        _DATA, _printed_local_sensitivity,
        misprint=True,
    ),
    Claim(
        "Neighbours suffice for S",
        "Taken over x and its neighbours only, S(x) is the exponential smooth sensitivity with smoothness gamma.",
        "[P17] section 4.2",
        Grid(FEW_PRIORS, (1, 2, 6), "all", gammas=(0.01, 1.0)), _adjacent_only,
    ),
    Claim(
        "The smooth sensitivity of Definition 2.1, as printed",
        "With the local sensitivity of x itself in every term the maximum is the smooth sensitivity.",
        "[N] Definition 2.1",
        Grid(FEW_PRIORS, (1, 2, 6), "all", epsilons=(1.0,)), _printed_smooth_sensitivity,
        misprint=True,
    ),
    Claim(
        "Candidates have integer parameters that sum to n + 2",
        "The candidates are the Beta distributions with integer parameters of sum n + 2.",
        "[N] section 2.3.1",
        Grid(((1.0, 1.0), (0.5, 0.5), (7.0, 4.0)), (1, 5)), _integer_parameters, "the prior is flat",
        speaks_of=two_categories,
    ),
    Claim(
        "LS(x) goes to 0 as n grows",
        "LS(x) falls by a tenth or more from 10^11 to 10^15 records, on every way there from x: the rarer count grows "
        "at its share, or as the power of n that it is, or is kept.",
        "[D20] and [P20] proof of Theorem 4.5, last lines",
        Grid(((1.0, 1.0), (0.5, 0.5), (7.0, 4.0)), (1, 5, 20), "all"), _vanishing, "the rarer count grows with n",
        speaks_of=two_categories,
    ),
    Claim(
        "The gamma of Theorem 4.2 is a probability",
        "gamma = e^{O(epsilon)}, read as e^epsilon, is at most 1: else ELap(x) = 0 and nothing is claimed.",
        "[D20] and [P20] Theorem 4.2, whose O(epsilon) leaves the sign open",
        Grid(epsilons=_EPSILONS), _void_gamma,
        ours=True,
    ),
    Claim(
        "ELap(x) / (epsilon LS(x)) is O(epsilon)",
        "What the proof arrives at for ELap(x) / (epsilon LS(x)) at gamma = e^{-epsilon}, 1/epsilon, is at most 10 "
        "epsilon.",
        "[D20] and [P20] Theorem 4.2, with 10 for the constant",
        Grid(epsilons=(0.01, *_EPSILONS)), _order_of_epsilon, "epsilon^2 is at least 0.1",
        ours=True,
    ),
    Claim(
        "The improved Laplace mechanism has scale 2/epsilon",
        "The scale 2/epsilon of its accuracy bound is the scale that the improved Laplace mechanism is defined with.",
        "[P17] section 6.1.3 against 4.1.4",
        Grid(tuple((1.0,) * k for k in (2, 3, 4)), epsilons=_EPSILONS), _improved_scale, "k > 2",
    ),
    Claim(
        "The normaliser depends on n alone",
        "NL(x) is the same for all data of a size, so that an N(n) can stand for it.",
        "[P17] section 6.2, third bound, which looks for such an N(n)",
        Grid(FEW_PRIORS, (2, 6), "all", epsilons=(1.0,)), _normaliser_of_size,
        ours=True,
    ),
    Claim(
        "The step of Lemma 2.3",
        "(S(x)/S(y)) ln(NL(x)/NL(y)) is at most 1 - epsilon/(2 ln(delta/(2(n+1)))) for neighbours x, y.",
        "[N] proof of Lemma 2.3",
        Grid(FEW_PRIORS[:3], (1, 2, 6), "all", epsilons=_EPSILONS, deltas=(0.01,), found=(
            at((0.01, 0.01), (1, 151), 6.5, delta=0.999), at((0.01, 0.01), (1, 199), 6.0, delta=0.8),
            at((0.01, 0.01), (1, 4_999), 12.0), at((1.0, 1.0), (1, 19_999), 6.0, delta=0.8))),
        _step_of_lemma_2_3,
        speaks_of=two_categories,
    ),
    Claim(
        "The density of the noise",
        "exp(-y epsilon/2) is the density at y of Laplace noise of scale 2/epsilon; y = -2 to 2.",
        "[L17]",
        Grid(epsilons=_EPSILONS), _printed_density,
        misprint=True,
    ),
)
