"""Claims about Laplace noise, continuous and floored."""

import math
from collections.abc import Iterator
from functools import partial

from scipy.special import gammaincc

from dpbi.mechanisms.noise.law import FlooredLaplace

from .claim import Case, Claim, Grid, Problem, Setting, at_most, case, equal

_AT = (0, 1, -1, 2, -2, 3, -3, 10, -10)


def _noise(setting: Setting) -> FlooredLaplace:
    """Scale 2/epsilon: the L1 sensitivity of the posterior's parameters is 2."""
    return FlooredLaplace(2 / setting.epsilon)


def _tail(problem: Problem, setting: Setting) -> Iterator[Case]:
    """|Y| >= t is floor(Y) >= t or, since Y = -t has probability 0, floor(Y) <= -t - 1."""
    noise = _noise(setting)
    for t in (0, 1, 2, 3, 10):
        exact = float(sum(math.exp(part) for part in (noise.log_at_least(t), noise.log_at_most(-t - 1))))
        claimed = math.exp(-t * noise.decay)
        yield case(setting.named("epsilon") | {"t": t}, {"claimed": claimed, "exact": exact}, equal(exact, claimed))


def _floored_pmf(problem: Problem, setting: Setting) -> Iterator[Case]:
    noise = _noise(setting)
    for t in _AT:
        exact = math.exp(float(noise.log_pmf(t)))
        # (e^{-(t-1)/b} - e^{-t/b}) / 2, which overflows for t far below 0
        claimed = (math.exp(min(-(t - 1) * noise.decay, 700.0)) - math.exp(min(-t * noise.decay, 700.0))) / 2
        yield case(setting.named("epsilon") | {"t": t}, {"claimed": claimed, "exact": exact}, equal(exact, claimed))


def _centred(problem: Problem, setting: Setting) -> Iterator[Case]:
    """E[D] = sum_{d >= 1} P(D >= d) - sum_{d <= -1} P(D <= d), both geometric with ratio e^{-1/b}."""
    noise = _noise(setting)
    above, below = math.exp(float(noise.log_at_least(1))), math.exp(float(noise.log_at_most(-1)))
    mean = (above - below) / -math.expm1(-noise.decay)
    yield case(setting.named("epsilon"), {"claimed": 0.0, "exact mean of the noise": mean}, -abs(mean))


def _largest_noise(problem: Problem, setting: Setting) -> Iterator[Case]:
    """|Y_i| / b is exponential: P(max >= ln(k/p) b) = 1 - (1 - p/k)^k."""
    k, probability = problem.k, setting.delta
    exact = -math.expm1(k * math.log1p(-probability / k))
    yield case({"k": k, "probability": probability}, {"claimed": probability, "exact": exact},
               equal(exact, probability))


def _total_noise(problem: Problem, setting: Setting, factor_of: str) -> Iterator[Case]:
    """sum |Y_i| / b has the Gamma(k) law: P(sum >= factor ln(k/p)), the factor being k or n."""
    k, probability, factor = problem.k, setting.delta, getattr(problem, factor_of)
    exact = float(gammaincc(k, factor * (math.log(k) - math.log(probability))))
    inputs = {"k": k, "factor": factor, "probability": probability}
    yield case(inputs, {"claimed at most": probability, "exact": exact}, at_most(exact, probability), factor >= k)


_EPSILONS = (0.1, 1.0, 5.0)
_DIMENSIONS = tuple((1.0,) * k for k in range(2, 6))

CLAIMS = (
    Claim(
        "The tail of Laplace noise",
        "P(|Y| >= t) = e^{-t/b} for Laplace noise Y of scale b.",
        "[P17] section 6.1.2; [D20] and [P20] proof of Corollary 4.4.1",
        Grid(epsilons=_EPSILONS, beyond="b = 2/epsilon; t = 0, 1, 2, 3, 10"), _tail,
    ),
    Claim(
        "The probabilities of floored Laplace noise",
        "P(floor(Y) = t) = (e^{-(t-1)/b} - e^{-t/b}) / 2 for Laplace noise Y of scale b.",
        "[P17] sections 6.1.2 and 6.1.3",
        Grid(epsilons=_EPSILONS, beyond=f"b = 2/epsilon; t = {', '.join(map(str, _AT))}"), _floored_pmf,
    ),
    Claim(
        "Floored noise is centred",
        "The noise that reaches a count, Lap(0, b) rounded down, has mean 0.",
        "[P17] section 4.1.3; [D20] Algorithms 1 to 3; [P20] Algorithms 1 and 2 (centred at 0 before the floor)",
        Grid(epsilons=_EPSILONS, beyond="b = 2/epsilon"), _centred,
        ours=True,
    ),
    Claim(
        "The largest of k noises exceeds (2/epsilon) ln(k/p) with probability p",
        "The largest of k independent noises of scale 2/epsilon is above (2/epsilon) ln(k/p) with probability p.",
        "[N] section 3.1, last equation",
        Grid(_DIMENSIONS, deltas=(0.01, 0.1, 0.5), beyond="p = delta"), _largest_noise,
        misprint=True,
    ),
    Claim(
        "The sum of k noises exceeds k (2/epsilon) ln(k/p) with probability at most p",
        "The L1 error of k independent noises of scale 2/epsilon exceeds k (2/epsilon) ln(k/p) with probability <= p.",
        "[N] section 3.1",
        Grid(_DIMENSIONS, deltas=(0.01, 0.1, 0.5), beyond="p = delta"), partial(_total_noise, factor_of="k"),
    ),
    Claim(
        "The same with n in place of k",
        "The L1 error of k independent noises of scale 2/epsilon exceeds n (2/epsilon) ln(k/p) with probability <= p.",
        "[N] section 3.1, first equation",
        Grid(_DIMENSIONS, (1, 2, 3, 4, 5, 20), deltas=(0.01, 0.1, 0.5), beyond="p = delta"),
        partial(_total_noise, factor_of="n"),
        "n is at least k",
    ),
)
