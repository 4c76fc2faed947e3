"""Planning the comparison of two groups, from public things alone: who will see a difference, and what the noise costs.

Each group is a table of its own, released by itself. A reader sees that theta_1 is above theta_2 where P(theta_1 >
theta_2 | r_1, r_2) >= sure; at sure = 0.975 that is where the difference's equal-tailed 95 % interval lies above 0.

For two categories the chance of that is a sum over all counts and releases. With f(c_1, c_2) = P(theta_1 > theta_2 |
c), theta_g | c_g ~ Beta(a + c_g, b + n_g - c_g), neighbouring counts differ by terms of one sign,

    f(c_1 + 1, c_2) = f(c_1, c_2) + h(c_1, c_2) (1 / (a + c_1) + 1 / (b + n_1 - c_1 - 1))
    h(c_1, c_2) = B(2a + c_1 + c_2, 2b + n_1 + n_2 - c_1 - c_2 - 1)
                  / (B(a + c_1, b + n_1 - c_1 - 1) B(a + c_2, b + n_2 - c_2))

by integration by parts, so that nothing cancels; and P(theta_1 > theta_2 | r) = sum_c P(c_1 | r_1) f(c_1, c_2)
P(c_2 | r_2).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from dpbi import limits
from dpbi.inference.noise_aware import CountMixture, posterior_given
from dpbi.inference.share_comparison import compare
from dpbi.mechanisms.mechanism import Mechanism, check_mechanism
from dpbi.posterior import dirichlet
from dpbi.problem.problem import Problem

Floats = NDArray[np.float64]
Pair = tuple[Mechanism, Mechanism]  # of the first group and of the second

SURE = 0.975  # that the order is right: then a 95 % interval of the difference lies on one side of 0
SIZE_LARGEST = 10**7  # that is looked for
EXACT_LARGEST = 1_000  # records a group whose counts and releases are all visited
_RELEASES = 4_000  # of a group that are visited
_PAIRS = 1_100_000  # of counts and releases
_NEVER = 1e-13  # of probability, together, that is left out
_DRAWS = 16  # where the cost of the noise is not listed
_EPSILON = (1e-3, 100.0)  # between these an epsilon is looked for
_CLOSE = 1.002  # times the least epsilon: near enough


@dataclass(frozen=True)
class OrderChance:
    """P(the reader is sure of the right order) and of the wrong one.

    sizes: records of both groups; exact: whether all counts and releases were visited (error below 1e-8); else it is
    the normal approximation, which has no bound.
    """

    sizes: tuple[int, int]
    right: float
    wrong: float
    exact: bool


@dataclass(frozen=True)
class NoiseCost:
    """Root mean square standard deviations of the difference over what the prior expects, with noise and without.

    error: standard error of ``with_noise``, 0 where all counts and releases were visited.
    """

    with_noise: float
    without: float
    error: float

    @property
    def ratio(self) -> float:
        return self.with_noise / self.without


def chance_of_order(
    mechanism: Mechanism | Pair | None, prior: ArrayLike, sizes: tuple[int, int], shares: tuple[float, float],
    sure: float = SURE, category: int = 0,
) -> OrderChance:
    """The chance that a reader of both releases will be sure which share is larger.

    c_g ~ Multinomial(n_g, theta_g), r_g ~ mechanism(c_g); the other categories share the rest as the prior has them.
    For two categories, and without noise for any number, as the others are then one, sum_{r_1, r_2} P(r_1) P(r_2)
    1{P(theta_1 > theta_2 | r_1, r_2) >= sure}, exact up to 1,000 records a group. Else the normal approximation, no
    bound: the posterior of theta_g has mean m_g and variance s_g^2 given the release that the counts expect, and over
    releases that mean varies by t_g^2 = s_g^2 (1 - s_g^2 A / (m_g (1 - m_g))), as of normal shares of which the prior
    knows as much as A records; Phi((m_1 - m_2 - z s) / t), z = Phi^-1(sure), s^2 = s_1^2 + s_2^2, t^2 = t_1^2 + t_2^2.
    mechanism: of both groups, or of each its own (first, second), None without noise; prior: (k,); sizes: (n_1, n_2),
    each at least 1; shares: of the category, each in (0, 1), and not equal; sure in (0.5, 1); category: 0..k - 1.
    Returns the OrderChance.
    Raises ValueError for anything else, and where the approximation's posterior is refused. Source: ours.
    """
    pair, prior, (n_1, n_2), category = _checked(mechanism, prior, sizes, category)
    one, two = (limits.inside("each of shares", share) for share in limits.pair("shares", shares, "(theta_1, theta_2)"))
    if one == two:
        raise ValueError(f"The shares must differ for one order to be right: got {one:g} twice.")
    sure = limits.between("sure", sure, math.nextafter(0.5, 1), math.nextafter(1, 0))
    if pair[0] is None:  # theta | c ~ Beta(alpha_i + c_i, A - alpha_i + n - c_i), c_i ~ Binomial(n, theta_i)
        prior, category = (prior[category], math.fsum(prior) - prior[category]), 0
    if len(prior) == 2 and max(n_1, n_2) <= EXACT_LARGEST:
        laws = _binomial(n_1, one), _binomial(n_2, two)
        if (found := _exact_chance(pair, prior, (n_1, n_2), laws, sure, category)) is not None:
            right, wrong = found if one > two else found[::-1]
            return OrderChance((n_1, n_2), right, wrong, True)
    groups = zip(pair, (n_1, n_2), (one, two), strict=True)
    (m_1, s_1, t_1), (m_2, s_2, t_2) = (_expected(own, prior, n, share, category) for own, n, share in groups)
    gap = m_1 - m_2 if one > two else m_2 - m_1
    needed, over = float(special.ndtri(sure)) * math.hypot(s_1, s_2), math.hypot(t_1, t_2)
    right, wrong = (float(special.ndtr((side - needed) / over)) for side in (gap, -gap))
    return OrderChance((n_1, n_2), right, wrong, False)


def chance_at_counts(
    mechanism: Mechanism | Pair | None, prior: ArrayLike, counts: tuple[int, int], sizes: tuple[int, int],
    sure: float = SURE, category: int = 0,
) -> tuple[float, float] | None:
    """P(sure that theta_1 is larger) and P(sure that theta_2 is), at counts of the category out of sizes, k = 2.

    As ``chance_of_order``, of given counts. None where not all counts and releases can be visited. Source: ours.
    """
    pair, prior, (n_1, n_2), category = _checked(mechanism, prior, sizes, category)
    if len(prior) != 2:
        raise ValueError(f"prior must have 2 parameters: got {len(prior)}.")
    sure = limits.between("sure", sure, math.nextafter(0.5, 1), math.nextafter(1, 0))
    if max(n_1, n_2) > EXACT_LARGEST:
        return None
    one, two = (np.eye(1, n + 1, limits.whole_number("each of counts", c, 0, n))[0]
                for c, n in zip(limits.pair("counts", counts, "(c_1, c_2)"), (n_1, n_2), strict=True))  # fmt: skip
    return _exact_chance(pair, prior, (n_1, n_2), (one, two), sure, category)


def people_needed(
    mechanism: Mechanism | Pair | None, prior: ArrayLike, shares: tuple[float, float], chance: float,
    sure: float = SURE, category: int = 0, proportion: tuple[float, float] = (1, 1),
) -> OrderChance | None:
    """Sizes of the groups that give at least this chance, where one person less in the larger one does not.

    n_g = ceil(n w_g / max w), w = proportion, n the larger size. The chance mostly rises with n, not at each step: by
    doubling and halving, the first n that is found.
    chance in (0, 1); proportion: of the groups' sizes, each at least 1e-6 of the other; the rest as for
    ``chance_of_order``. Returns the OrderChance at these sizes; None where n would be beyond 10 million. Raises
    ValueError as that. Source: ours.
    """
    wanted = limits.inside("chance", chance)
    parts = [limits.between("proportion", w, 1e-300, 1e300)
             for w in limits.pair("proportion", proportion, "of sizes, (1, 2)")]  # fmt: skip
    part = [limits.between("proportion of the smaller group", w / max(parts), 1e-6, 1.0) for w in parts]

    def at(n: int) -> OrderChance:
        sizes = math.ceil(n * part[0]), math.ceil(n * part[1])
        return chance_of_order(mechanism, prior, sizes, shares, sure, category)

    high = 2
    while (found := at(high)).right < wanted:
        if high >= SIZE_LARGEST:
            return None
        high = min(2 * high, SIZE_LARGEST)
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        tried = at(middle)
        low, high, found = (low, middle, tried) if tried.right >= wanted else (middle, high, found)
    return found


def with_epsilon(mechanism: Pair, epsilon: float) -> Pair:
    """Both with other epsilons in the same proportion, the larger of which is this. Source: ours."""
    one, two = mechanism
    largest = max(one.epsilon, two.epsilon)
    return (replace(one, epsilon=epsilon * (one.epsilon / largest)),
            replace(two, epsilon=epsilon * (two.epsilon / largest)))  # fmt: skip


def epsilon_needed(
    mechanism: Mechanism | Pair, prior: ArrayLike, sizes: tuple[int, int], shares: tuple[float, float], chance: float,
    sure: float = SURE, category: int = 0,
) -> tuple[float, OrderChance] | None:
    """An epsilon of both releases that gives at least this chance, within 0.2 % of one that does not.

    Of a pair of mechanisms it is the larger epsilon, which is what both releases cost together where sizes are public
    and nobody could be in the other group; the other one stays in proportion.
    Arguments as for ``people_needed``. Returns it with the OrderChance there; None where it would be above 100; 0.001
    where that is enough. Raises ValueError as ``chance_of_order``. Source: ours.
    """
    wanted = limits.inside("chance", chance)
    pair, _, _, _ = _checked(mechanism, prior, sizes, category)
    both = (check_mechanism(pair[0]), check_mechanism(pair[1]))

    def at(epsilon: float) -> OrderChance:
        return chance_of_order(with_epsilon(both, epsilon), prior, sizes, shares, sure, category)

    low, high = _EPSILON
    found = at(high)
    if found.right < wanted:
        return None
    if (tried := at(low)).right >= wanted:
        return low, tried
    while high > low * _CLOSE:
        middle = math.sqrt(low * high)
        tried = at(middle)
        low, high, found = (low, middle, tried) if tried.right >= wanted else (middle, high, found)
    return high, found


def cost_of_noise(
    mechanism: Mechanism | Pair, prior: ArrayLike, sizes: tuple[int, int], rng: np.random.Generator, category: int = 0
) -> NoiseCost:
    """sqrt(E Var(theta_1 - theta_2 | r_1, r_2)) against sqrt(E Var(theta_1 - theta_2 | c_1, c_2)).

    E over theta_g ~ prior, c_g, r_g: no private count enters. Without noise E Var(theta | c) = Var(theta) A / (A + n).
    With it, for two categories sum_r P(r) Var(theta | r), exact; else the mean over 16 draws of rng.
    mechanism: of both groups, or of each its own; prior (k,); sizes: (n_1, n_2); category: 0..k - 1. Returns the
    NoiseCost. Raises ValueError for anything else, and where a posterior is refused. Source: ours.
    """
    pair, prior, sizes, category = _checked(mechanism, prior, sizes, category)
    both = check_mechanism(pair[0]), check_mechanism(pair[1])
    limits.check_generator(rng)
    total = sum(prior)
    spread = prior[category] * (total - prior[category]) / (total * total * (total + 1))
    exact = {n: spread * total / (total + n) for n in sizes}
    groups = [*zip(both, sizes, strict=True)]
    means = {(own, n): _mean_variance(own, prior, n, category, exact[n], rng) for own, n in dict.fromkeys(groups)}
    value = math.fsum(means[group][0] for group in groups)
    error = math.hypot(*(means[group][1] * groups.count(group) for group in means))
    return NoiseCost(math.sqrt(value), math.sqrt(math.fsum(exact[n] for n in sizes)), error / (2 * math.sqrt(value)))


def rounded_up(value: float) -> float:
    """To two digits: finer than that the normal approximation knows no size and no epsilon. Source: ours."""
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return float(f"{math.ceil(value / unit * (1 - 1e-12)) * unit:.2g}")


def check_pair(mechanism: Mechanism | Pair) -> Pair:
    """Of both groups, or of each its own (first, second). ValueError for anything else."""
    if isinstance(mechanism, tuple | list):
        one, two = limits.pair("mechanism", mechanism, "(first, second)")
        return check_mechanism(one), check_mechanism(two)
    return check_mechanism(mechanism), mechanism


def _checked(
    mechanism: Mechanism | Pair | None, prior: ArrayLike, sizes: tuple[int, int], category: int
) -> tuple[Pair | tuple[None, None], tuple[float, ...], tuple[int, int], int]:
    pair = (None, None) if mechanism is None else check_pair(mechanism)
    alpha = limits.check_prior(prior)
    n_1, n_2 = (limits.whole_number("each of sizes", n, 1, limits.TOTAL_LARGEST)
                for n in limits.pair("sizes", sizes, "(n_1, n_2)"))  # fmt: skip
    return pair, alpha, (n_1, n_2), limits.check_category(category, len(alpha))


# Two categories -------------------------------------------------------------------------------------


def _exact_chance(
    pair: Pair | tuple[None, None], prior: tuple[float, ...], sizes: tuple[int, int], laws: tuple[Floats, Floats],
    sure: float, category: int,
) -> tuple[float, float] | None:
    """P(sure that theta_1 > theta_2), P(sure that theta_1 < theta_2); laws: of both counts of the category."""
    greater = _greater((prior[category], prior[1 - category]), sizes)
    p_1, p_2 = laws
    first, second = pair
    if first is not None and second is not None:
        groups = (first, sizes[0]), (second, sizes[1])
        read = {(own, n): _releases(own, prior, n, category) for own, n in dict.fromkeys(groups)}
        one, two = (read[group] for group in groups)
        if one is None or two is None:
            return None
        (likelihood_1, given_1), (likelihood_2, given_2) = one, two
        p_1, p_2 = p_1 @ likelihood_1, p_2 @ likelihood_2
        kept_1, kept_2 = _likely(p_1), _likely(p_2)
        p_1, p_2 = p_1[kept_1], p_2[kept_2]
        greater = given_1[kept_1] @ greater @ given_2[kept_2].T
    return float(p_1 @ (greater >= sure) @ p_2), float(p_1 @ (greater <= 1 - sure) @ p_2)


def _releases(
    mechanism: Mechanism, prior: tuple[float, ...], n: int, category: int
) -> tuple[Floats, Floats] | None:
    """P(r | c), (n + 1, R), and P(c | r), (R, n + 1), c of the category from 0 on; None where they are too many."""
    listed = mechanism.listing(prior, n, _PAIRS)
    if listed is None or len(listed.released) > _RELEASES:
        return None
    order = np.argsort(listed.datasets[:, category])
    likelihood = listed.law[order]
    joint = likelihood * np.exp(dirichlet.log_predictive(np.array(prior), listed.datasets[order]))[:, None]
    return likelihood, (joint / np.maximum(joint.sum(axis=0), np.finfo(float).tiny)).T


def _likely(p: Floats) -> NDArray[np.int64]:
    """All but the least probable, which together have next to nothing."""
    order = np.argsort(p, kind="stable")
    return np.sort(order[np.cumsum(p[order]) > _NEVER])


def _binomial(n: int, share: float) -> Floats:
    c = np.arange(n + 1)
    return np.exp(special.gammaln(n + 1) - special.gammaln(c + 1) - special.gammaln(n - c + 1)
                  + special.xlogy(c, share) + special.xlog1py(n - c, -share))  # fmt: skip


def _greater(prior: tuple[float, ...], sizes: tuple[int, int]) -> Floats:
    """f(c_1, c_2), (n_1 + 1, n_2 + 1): along the first row from its end, then down, see above."""
    (a, b), (n_1, n_2) = prior, sizes
    end = compare((a, b + n_1), (a + n_2, b)).probability_greater
    found = np.empty((n_1 + 1, n_2 + 1))
    found[0, -1] = end
    # Of the second share the same with the roles changed: 1 - f
    found[0, :-1] = end + np.cumsum(_steps((b, a), (n_2, n_1))[:, -1])
    found[0, :-1] = found[0, :-1][::-1]
    found[1:] = found[0] + np.cumsum(_steps(prior, sizes), axis=0)
    return np.clip(found, 0.0, 1.0)


def _steps(prior: tuple[float, ...], sizes: tuple[int, int]) -> Floats:
    """f(c_1 + 1, c_2) - f(c_1, c_2), (n_1, n_2 + 1)."""
    (a, b), (n_1, n_2) = prior, sizes
    own, other, both = np.arange(n_1), np.arange(n_2 + 1), np.arange(n_1 + n_2)
    log_both = special.betaln(2 * a + both, 2 * b + n_1 + n_2 - both - 1)
    log_h = (log_both[own[:, None] + other] - special.betaln(a + own, b + n_1 - own - 1)[:, None]
             - special.betaln(a + other, b + n_2 - other))  # fmt: skip
    return np.exp(log_h) * (1 / (a + own) + 1 / (b + n_1 - own - 1))[:, None]


# Where not all is visited ---------------------------------------------------------------------------


def _expected(
    mechanism: Mechanism | None, prior: tuple[float, ...], n: int, share: float, category: int
) -> tuple[float, float, float]:
    """Mean m and standard deviation s of the posterior given the release that the counts expect, and t, how the mean
    varies over releases."""
    rest = sum(prior) - prior[category]
    shares = [share if i == category else (1 - share) * alpha / rest for i, alpha in enumerate(prior)]
    counts = _rounded(n, shares)
    if mechanism is None:
        parameters = np.array(prior) + counts
        mean, variance = float(dirichlet.mean(parameters)[category]), float(dirichlet.variance(parameters)[category])
    else:
        given = posterior_given(mechanism, prior, n, tuple(counts))
        mean, variance = float(given.mean[category]), _variance(given, category)
    told = max(1 - variance * sum(prior) / (mean * (1 - mean)), np.finfo(float).tiny)
    return mean, math.sqrt(variance), math.sqrt(variance * told)


def _rounded(n: int, shares: list[float]) -> list[int]:
    """Whole counts near n times the shares: the largest remainders get one more."""
    exact = [n * share for share in shares]
    counts = [int(x) for x in exact]
    by_remainder = sorted(range(len(shares)), key=lambda i: counts[i] - exact[i])
    for i in by_remainder[: n - sum(counts)]:
        counts[i] += 1
    return counts


def _variance(posterior: CountMixture, category: int) -> float:
    """Var(theta_i | r) = E Var(theta_i | c) + Var E(theta_i | c)."""
    marginal, total = posterior.marginals[category], sum(posterior.prior) + posterior.n
    share = (posterior.prior[category] + marginal.counts) / total
    mean = float(marginal.probability @ share)
    return float(marginal.probability @ (share * (1 - share) / (total + 1) + (share - mean) ** 2))


def _mean_variance(
    mechanism: Mechanism, prior: tuple[float, ...], n: int, category: int, without: float, rng: np.random.Generator
) -> tuple[float, float]:
    """E Var(theta_i | r) over the prior predictive, with its standard error; without: E Var(theta_i | c)."""
    total = sum(prior)
    if len(prior) == 2 and n <= EXACT_LARGEST:
        c = np.arange(n + 1)
        own = np.array([prior[category], prior[1 - category]])
        if (found := _releases(mechanism, prior, n, category)) is not None:
            likelihood, given = found
            p = np.exp(dirichlet.log_predictive(own, np.stack([c, n - c], axis=1))) @ likelihood
            share = (own[0] + c) / (total + n)
            return float(p @ (given @ (share * (1 - share) / (total + n + 1) + share**2) - (given @ share) ** 2)), 0.0
    problems = [Problem(prior, tuple(rng.multinomial(n, theta).tolist()))
                for theta in dirichlet.sample(np.array(prior), rng, _DRAWS)]  # fmt: skip
    drawn = mechanism.sample_each(problems, rng, 1)[:, 0].tolist()
    # Most of the variance of Var(theta | r) is that of Var(theta | c), whose mean is known
    extra = np.array([
        _variance(posterior_given(mechanism, prior, n, tuple(r)), category)
        - float(dirichlet.variance(np.array(problem.posterior))[category])
        for problem, r in zip(problems, drawn, strict=True)
    ])  # fmt: skip
    return without + float(extra.mean()), float(extra.std(ddof=1) / math.sqrt(_DRAWS))
