"""Brute force for every closed form of dpbi: the second, independent route.

Nothing here is imported from dpbi and nothing here is clever. Each function enumerates straight
from a definition and is meant to be read against the papers, not to be fast. Real numbers are mpmath
numbers of 50 digits (`float(x)` where a float is wanted), so that no subtraction, underflow or
overflow can make the oracle agree with a wrong answer; only `hellinger_float` works in float64.

Words used throughout. `prior` is alpha, k numbers > 0. `counts` is c, k whole numbers >= 0, n = sum c.
The posterior BI(c) is Dirichlet(alpha + c). Neighbours have one record replaced, so n is the same.
A candidate is any count vector with total n. A law is a dict from a released count vector to its
probability; an output with probability zero may be absent.
"""

import itertools
import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import mpmath  # type: ignore[import-untyped]
import numpy as np
from scipy import special

Counts = tuple[int, ...]
Real = Any  # an mpmath number; mpmath ships no types
Law = Mapping[Counts, Real]

DIGITS = 50
mp = mpmath.mp.clone()
mp.dps = DIGITS


# Datasets -------------------------------------------------------------------------------------------


def compositions(n: int, k: int) -> Iterator[Counts]:
    """All count vectors of k categories with total n, in lexicographic order: C(n+k-1, k-1) of them."""
    if k == 1:
        yield (n,)
        return
    for first in range(n + 1):
        for rest in compositions(n - first, k - 1):
            yield (first, *rest)


def compositions_with_a_zero(n: int, k: int) -> set[Counts]:
    """Those in which a category is empty."""
    return {(*rest[:i], 0, *rest[i:]) for rest in compositions(n, k - 1) for i in range(k)}


def neighbours(counts: Sequence[int]) -> Iterator[Counts]:
    """All c' = c - e_j + e_i with c_j >= 1 and i != j: one record moves from category j to category i."""
    for j, i in itertools.permutations(range(len(counts)), 2):
        if counts[j] >= 1:
            moved = list(counts)
            moved[j] -= 1
            moved[i] += 1
            yield tuple(moved)


def steps(counts: Sequence[int], other: Sequence[int]) -> float:
    """||c - c'||_1 / 2: for equal totals the number of records to replace, half-integral otherwise."""
    return sum(abs(a - b) for a, b in zip(counts, other, strict=True)) / 2


# Hellinger distance ---------------------------------------------------------------------------------


@lru_cache(maxsize=100_000)
def _log_gamma(x: Real) -> Real:
    return mp.loggamma(x)


def _log_beta(a: Sequence[Real]) -> Real:
    """log of the multivariate beta function, prod Gamma(a_i) / Gamma(sum a_i)."""
    return mp.fsum(_log_gamma(x) for x in a) - _log_gamma(mp.fsum(a))


def _hellinger(a: Sequence[Real], b: Sequence[Real]) -> Real:
    middle = [(x + y) / 2 for x, y in zip(a, b, strict=True)]
    log_affinity = _log_beta(middle) - (_log_beta(a) + _log_beta(b)) / 2
    # The affinity is at most 1; rounding of the last of 50 digits may leave it above, for a = b only.
    return mp.sqrt(max(mp.zero, -mp.expm1(log_affinity)))


def hellinger_mp(a: Sequence[Any], b: Sequence[Any], digits: int = DIGITS) -> Real:
    """H(Dir(a), Dir(b)) = sqrt(1 - B((a+b)/2) / sqrt(B(a) B(b))) in `digits`-digit arithmetic.

    Parameters may be ints, floats or decimal strings. About 2 log10(max a) + 5 digits are lost to
    cancellation, so 50 serve up to 1e15 and beyond.
    """
    with mp.workdps(digits):
        return _hellinger([mp.mpf(x) for x in a], [mp.mpf(x) for x in b])


def hellinger_float(a: Sequence[float], b: Sequence[float]) -> float:
    """The same formula in float64, for small arguments: its error in H^2 is about 1e-16 lgamma(max a)."""

    def log_beta(parameters: Sequence[float]) -> float:
        return math.fsum(map(math.lgamma, parameters)) - math.lgamma(math.fsum(parameters))

    middle = [(x + y) / 2 for x, y in zip(a, b, strict=True)]
    affinity = math.exp(log_beta(middle) - (log_beta(a) + log_beta(b)) / 2)
    return math.sqrt(max(0.0, 1 - affinity))


def posterior(prior: Sequence[Any], counts: Sequence[int]) -> tuple[Real, ...]:
    """alpha + c without rounding."""
    return tuple(mp.mpf(a) + c for a, c in zip(prior, counts, strict=True))


@lru_cache(maxsize=200_000)
def _posterior_distance(prior: tuple[Any, ...], counts: Counts, released: Counts) -> Real:
    return _hellinger(posterior(prior, counts), posterior(prior, released))


def posterior_distance(prior: Sequence[Any], counts: Sequence[int], released: Sequence[int]) -> Real:
    """H(Dir(alpha + c), Dir(alpha + r)); the totals of c and r may differ."""
    return _posterior_distance(tuple(prior), *sorted((tuple(counts), tuple(released))))  # the same either way round


# Sensitivities --------------------------------------------------------------------------------------


def local_sensitivity_by_definition(prior: Sequence[Any], counts: Sequence[int]) -> Real:
    """max over neighbours c' and ALL candidates r of |H(BI(c), r) - H(BI(c'), r)|; n = 0 raises."""
    candidates = list(compositions(sum(counts), len(counts)))
    return max(
        abs(posterior_distance(prior, counts, released) - posterior_distance(prior, neighbour, released))
        for neighbour in neighbours(counts)
        for released in candidates
    )


def local_sensitivity(prior: Sequence[Any], counts: Sequence[int]) -> Real:
    """The reduced form, max over neighbours c' of H(BI(c), BI(c')); n = 0 raises ValueError."""
    return _local_sensitivity(tuple(prior), tuple(counts))


@lru_cache(maxsize=100_000)
def _local_sensitivity(prior: tuple[Any, ...], counts: Counts) -> Real:
    return max(posterior_distance(prior, counts, neighbour) for neighbour in neighbours(counts))


def global_sensitivity(prior: Sequence[Any], n: int) -> Real:
    """max of the local sensitivity over all datasets of n records. n = 0 raises ValueError."""
    return max(local_sensitivity(prior, counts) for counts in compositions(n, len(prior)))


def smooth_reciprocal(prior: Sequence[Any], counts: Sequence[int], gamma: Any) -> Real:
    """max over all datasets c' of 1 / (1/LS(c') + gamma d(c, c'))."""
    return max(
        1 / (1 / local_sensitivity(prior, other) + mp.mpf(gamma) * mp.mpf(steps(counts, other)))
        for other in compositions(sum(counts), len(counts))
    )


def smooth_exponential(prior: Sequence[Any], counts: Sequence[int], beta: Any) -> Real:
    """max over all datasets c' of LS(c') exp(-beta d(c, c'))."""
    return max(
        local_sensitivity(prior, other) * mp.exp(-mp.mpf(beta) * mp.mpf(steps(counts, other)))
        for other in compositions(sum(counts), len(counts))
    )


# The exponential mechanism --------------------------------------------------------------------------


class ExponentialLaw(NamedTuple):
    """P(r) = exp(-rate H(r)) / Z over all candidates, with H(r) = H(BI(c), BI(r)).

    candidates: tuple of N count vectors; distance, probability: N numbers in that order;
    log_partition: log Z; mean: of H.
    """

    candidates: tuple[Counts, ...]
    distance: tuple[Real, ...]
    probability: tuple[Real, ...]
    log_partition: Real

    @property
    def mean(self) -> Real:
        return mp.fdot(self.probability, self.distance)

    @property
    def law(self) -> Law:
        """The probabilities as a law."""
        return dict(zip(self.candidates, self.probability, strict=True))


def exponential_pmf(prior: Sequence[Any], counts: Sequence[int], rate: Any) -> ExponentialLaw:
    """The exponential mechanism of this rate, by listing the candidates."""
    candidates = tuple(compositions(sum(counts), len(counts)))
    distance = tuple(posterior_distance(prior, counts, released) for released in candidates)
    rate = mp.mpf(rate)
    weight = [mp.exp(-rate * h) for h in distance]
    partition = mp.fsum(weight)
    return ExponentialLaw(candidates, distance, tuple(w / partition for w in weight), mp.log(partition))


PAPER_GLOBAL_SENSITIVITY = mp.sqrt(1 - mp.pi / 4)


def rate_ehd(
    prior: Sequence[Any], counts: Sequence[int], epsilon: Any, global_sensitivity: str = "exact"
) -> Real:
    """epsilon / (2 GS), GS exact for this prior and n or ("paper") the papers' constant."""
    if global_sensitivity == "paper":
        return mp.mpf(epsilon) / (2 * PAPER_GLOBAL_SENSITIVITY)
    return mp.mpf(epsilon) / (2 * _global_sensitivity(tuple(prior), sum(counts)))


@lru_cache(maxsize=1000)
def _global_sensitivity(prior: tuple[Any, ...], n: int) -> Real:
    return global_sensitivity(prior, n)


def rate_ehdl(prior: Sequence[Any], counts: Sequence[int], epsilon: Any) -> Real:
    """epsilon / (2 LS(c))."""
    return mp.mpf(epsilon) / (2 * local_sensitivity(prior, counts))


def rate_ehds(prior: Sequence[Any], counts: Sequence[int], epsilon: Any, gamma: Any = 1) -> Real:
    """epsilon / (2 (1 + gamma) S_gamma(c)), reciprocal smooth sensitivity."""
    return mp.mpf(epsilon) / (2 * (1 + mp.mpf(gamma)) * smooth_reciprocal(prior, counts, gamma))


def nrs_beta(n: int, k: int, epsilon: Any, delta: Any) -> Real:
    """ln(1 - epsilon / (2 ln(delta / (2 N)))), N = C(n+k-1, k-1) the number of candidates."""
    candidates = math.comb(n + k - 1, k - 1)
    return mp.log(1 - mp.mpf(epsilon) / (2 * mp.log(mp.mpf(delta) / (2 * candidates))))


def rate_ehdnrs(prior: Sequence[Any], counts: Sequence[int], epsilon: Any, delta: Any = 1e-8) -> Real:
    """epsilon / (2 S_beta(c)), exponential smooth sensitivity with beta = nrs_beta."""
    beta = nrs_beta(sum(counts), len(prior), epsilon, delta)
    return mp.mpf(epsilon) / (2 * smooth_exponential(prior, counts, beta))


# Noise on the counts --------------------------------------------------------------------------------


def laplace_cdf(y: Any, scale: Any) -> Real:
    """P(Y <= y), Y with density exp(-|y|/b) / 2b."""
    y, scale = mp.mpf(y), mp.mpf(scale)
    return mp.exp(y / scale) / 2 if y < 0 else 1 - mp.exp(-y / scale) / 2


@lru_cache(maxsize=100_000)
def clamped_laplace(count: int, n: int, scale: Any) -> tuple[Real, ...]:
    """P(clamp(floor(count + Y), 0, n) = r) for r = 0 ... n, Y Laplace of this scale.

    floor(count + Y) = r means r - count <= Y < r - count + 1; the clamp gives 0 everything below 1 and
    n everything from n on. The working precision grows with n / scale, since a far cell is the
    difference of two CDF values near 1.
    """
    with mp.workdps(DIGITS + int(n / mp.mpf(scale)) + 10):
        below = [mp.zero, *(laplace_cdf(r - count, scale) for r in range(1, n + 1)), mp.one]
        return tuple(+(upper - lower) for lower, upper in itertools.pairwise(below))


def clamped_geometric(count: int, n: int, p: Any) -> list[Real]:
    """P(clamp(count + Y, 0, n) = r) for r = 0 ... n, Y two-sided geometric, P(Y = d) ∝ p^|d|.

    The two end cells hold the tails sum_{e >= d} p^e (1-p)/(1+p) = p^d / (1+p), d >= 0.
    """
    if n == 0:
        return [mp.one]
    p = mp.mpf(p)
    inner = [(1 - p) / (1 + p) * p ** abs(r - count) for r in range(1, n)]
    return [p**count / (1 + p), *inner, p ** (n - count) / (1 + p)]


def _noised_law(marginals: Sequence[Sequence[Real]], settle: Callable[[Counts], Counts]) -> Law:
    """The law of settle(z), z with independent coordinates of these pmfs on 0, 1, ...: all z are listed."""
    law: dict[Counts, Real] = {}
    for noised in itertools.product(*(range(len(pmf)) for pmf in marginals)):
        released = settle(noised)
        probability = mp.fprod(pmf[z] for pmf, z in zip(marginals, noised, strict=True))
        law[released] = law.get(released, mp.zero) + probability
    return law


def _with_last(n: int, consistent: bool) -> Callable[[Counts], Counts]:
    """How k-1 noised counts become k released ones.

    Plain: the last is max(0, n - sum), so the total may exceed n. Consistent: truncate in turn, each
    count to what the ones before it left of n; the last is what is left, and the total is n.
    """

    def plain(noised: Counts) -> Counts:
        return (*noised, max(0, n - sum(noised)))

    def in_turn(noised: Counts) -> Counts:
        left, released = n, []
        for z in noised:
            released.append(min(z, left))
            left -= released[-1]
        return (*released, left)

    return in_turn if consistent else plain


def law_lszhang(prior: Sequence[Any], counts: Sequence[int], epsilon: Any, scale_rule: str = "2k") -> Law:
    """Laplace noise on every count, each floored and clamped to [0, n]; scale 2k/epsilon or 2/epsilon."""
    scale = mp.mpf({"2k": 2 * len(counts), "2": 2}[scale_rule]) / mp.mpf(epsilon)
    return _noised_law([clamped_laplace(c, sum(counts), scale) for c in counts], tuple)


def law_lsdim(prior: Sequence[Any], counts: Sequence[int], epsilon: Any, consistent: bool = False) -> Law:
    """Laplace noise of scale k/epsilon on counts 1 ... k-1, the last from n."""
    n, scale = sum(counts), mp.mpf(len(counts)) / mp.mpf(epsilon)
    return _noised_law([clamped_laplace(c, n, scale) for c in counts[:-1]], _with_last(n, consistent))


def histogram_sensitivity(k: int) -> int:
    """L1 change of the k-1 noised counts when a record is replaced: 1 at k = 2, else 2."""
    return 1 if k == 2 else 2


def law_lshist(prior: Sequence[Any], counts: Sequence[int], epsilon: Any, consistent: bool = False) -> Law:
    """Laplace noise of scale 1/epsilon (k = 2) or 2/epsilon on counts 1 ... k-1, the last from n."""
    n, scale = sum(counts), histogram_sensitivity(len(counts)) / mp.mpf(epsilon)
    return _noised_law([clamped_laplace(c, n, scale) for c in counts[:-1]], _with_last(n, consistent))


def law_geometric(prior: Sequence[Any], counts: Sequence[int], epsilon: Any, consistent: bool = False) -> Law:
    """As law_lshist with two-sided geometric noise of p = exp(-epsilon / sensitivity)."""
    n, p = sum(counts), mp.exp(-mp.mpf(epsilon) / histogram_sensitivity(len(counts)))
    return _noised_law([clamped_geometric(c, n, p) for c in counts[:-1]], _with_last(n, consistent))


class KNormLaw(Mapping[Counts, Real]):
    """max(t, 0), P(t) = e^{-epsilon steps(c, t)} / Z over all whole t with sum n: sums every t that gives a release.

    Asked for one release it answers; walked through it stops where totals exceed n by so much that all the rest
    has less than 1e-14.
    """

    def __init__(self, counts: Counts, epsilon: Any) -> None:
        self.counts, self.n, self.epsilon = counts, sum(counts), mp.mpf(epsilon)
        self.partition = mp.legendre(len(counts) - 1, mp.coth(self.epsilon / 2))
        self.known: dict[Counts, Real] = {}
        self.walked: list[Counts] = []

    def __getitem__(self, released: Counts) -> Real:
        if released not in self.known:
            self.known[released] = self._summed(released)
        return self.known[released]

    def _summed(self, released: Counts) -> Real:
        excess, zeros = sum(released) - self.n, [i for i, r in enumerate(released) if r == 0]
        if min(released) < 0 or excess < 0 or (excess > 0 and not zeros) or (excess > 0 == self.n):
            raise KeyError(released)
        if self.n == 0:
            return mp.one
        total = mp.zero
        for below in compositions(excess, len(zeros)) if zeros else [()]:
            t = list(released)
            for i, lacking in zip(zeros, below, strict=True):
                t[i] = -lacking
            moved = sum(abs(a - b) for a, b in zip(t, self.counts, strict=True))
            total += mp.exp(-self.epsilon * moved / 2)
        return total / self.partition

    def __iter__(self) -> Iterator[Counts]:
        if not self.walked:
            reach = math.ceil((40 + 2 * len(self.counts)) / self.epsilon) if self.n else 0
            self.walked = list(compositions(self.n, len(self.counts)))
            for excess in range(1, reach + 1):
                self.walked += compositions_with_a_zero(self.n + excess, len(self.counts))
        return iter(self.walked)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def law_knorm(prior: Sequence[Any], counts: Sequence[int], epsilon: Any) -> Law:
    """Beyond the papers: noise that falls off with the number of records replaced."""
    return KNormLaw(tuple(counts), epsilon)


def _exponential(rate: Callable[..., Real]) -> Callable[..., Law]:
    def law(prior: Sequence[Any], counts: Sequence[int], **parameters: Any) -> Law:
        """n = 0: the prior is the only candidate and no rate exists."""
        if sum(counts) == 0:
            return {tuple(counts): mp.one}
        return exponential_pmf(prior, counts, rate(prior, counts, **parameters)).law

    return law


PmfByDataset = Mapping[Counts, Mapping[Counts, Any]]

# Class name -> law(prior, counts, **constructor fields).
LAWS: dict[str, Callable[..., Law]] = {
    "LSZhang": law_lszhang,
    "LSDim": law_lsdim,
    "LSHist": law_lshist,
    "Geometric": law_geometric,
    "KNorm": law_knorm,
    "EHD": _exponential(rate_ehd),
    "EHDL": _exponential(rate_ehdl),
    "EHDS": _exponential(rate_ehds),
    "EHDNRS": _exponential(rate_ehdnrs),
}


def laws_of_all_datasets(name: str, prior: Sequence[Any], n: int, **parameters: Any) -> dict[Counts, Law]:
    """The law of the mechanism of this name for every dataset of n records."""
    return {c: LAWS[name](prior, c, **parameters) for c in compositions(n, len(prior))}


# The law of the distance ----------------------------------------------------------------------------


def same_level(distance: Any) -> Real:
    """Two distances this close are one level: 1e-12 + 1e-10 d."""
    return SAME_LEVEL + 100 * SAME_LEVEL * distance


SAME_LEVEL = mp.mpf("1e-12")


class Levels(NamedTuple):
    """Levels of H(BI(c), BI(r)) in increasing order and their probabilities."""

    distance: tuple[Real, ...]
    probability: tuple[Real, ...]


class DistanceLaw(Levels):
    """A law of H(BI(c), BI(r))."""

    @cached_property
    def cumulative(self) -> tuple[Real, ...]:
        """Of no level, the first, the first two and so on."""
        return tuple(itertools.accumulate(self.probability, initial=mp.zero))

    @property
    def mean(self) -> Real:
        """E[H]."""
        return mp.fsum(p * h for p, h in zip(self.probability, self.distance, strict=True))

    def cdf(self, t: Any) -> Real:
        """P(H <= t), where a level within `same_level` of t counts as <= t."""
        return self.cumulative[bisect_right(self.distance, mp.mpf(t) + same_level(t))]

    def quantile(self, q: Any) -> Real:
        """The smallest level with cdf >= q."""
        q = mp.mpf(q)
        return next(h for h in self.distance if self.cdf(h) >= q)


def distance_law(pmf: Mapping[Counts, Any], prior: Sequence[Any], counts: Sequence[int]) -> DistanceLaw:
    """The law of H(BI(c), BI(r)), r of law `pmf`; distances within `same_level` of the one below join it."""
    pairs = sorted((posterior_distance(prior, counts, released), p) for released, p in pmf.items())
    levels: list[list[tuple[Real, Real]]] = []
    for h, p in pairs:
        if levels and h - levels[-1][-1][0] <= same_level(h):
            levels[-1].append((h, p))
        else:
            levels.append([(h, p)])
    return DistanceLaw(
        tuple(level[0][0] for level in levels), tuple(mp.fsum(p for _, p in level) for level in levels)
    )


# Privacy --------------------------------------------------------------------------------------------


class PrivacyLoss(NamedTuple):
    """The largest log P_c(r) - log P_c'(r) and where it is attained."""

    epsilon: Real
    counts: Counts
    neighbour: Counts
    released: Counts


def _neighbouring_pairs(prior: Sequence[Any], n: int) -> Iterator[tuple[Counts, Counts]]:
    for counts in compositions(n, len(prior)):
        for neighbour in neighbours(counts):
            yield counts, neighbour


def privacy_loss(pmf_by_dataset: PmfByDataset, prior: Sequence[Any], n: int) -> PrivacyLoss:
    """max over ordered neighbouring pairs and outputs of the log ratio; inf where only P_c' is zero."""

    where: tuple[Counts, Counts, Counts] = ((), (), ())
    largest, laws = mp.zero, {counts: dict(law) for counts, law in pmf_by_dataset.items()}
    for counts, neighbour in _neighbouring_pairs(prior, n):
        there = laws[neighbour]
        for released, probability in laws[counts].items():
            other = there.get(released, 0)
            if probability > 0 == other:
                return PrivacyLoss(mp.inf, counts, neighbour, released)
            if probability > largest * other:
                largest, where = probability / other, (counts, neighbour, released)
    return PrivacyLoss(mp.log(largest), *where)


def privacy_profile(
    pmf_by_dataset: PmfByDataset, prior: Sequence[Any], n: int, epsilons: Iterable[Any]
) -> list[Real]:
    """delta(epsilon) = max over ordered neighbouring pairs of sum_r (P_c(r) - e^epsilon P_c'(r))_+."""

    laws = {counts: dict(law) for counts, law in pmf_by_dataset.items()}

    def divergence(counts: Counts, neighbour: Counts, factor: Real) -> Real:
        other = laws[neighbour]
        excess = (p - factor * other.get(r, mp.zero) for r, p in laws[counts].items())
        return mp.fsum(x for x in excess if x > 0)

    return [
        max(divergence(c, c2, mp.exp(mp.mpf(epsilon))) for c, c2 in _neighbouring_pairs(prior, n))
        for epsilon in epsilons
    ]


# The Dirichlet-multinomial model --------------------------------------------------------------------


def posterior_mean(prior: Sequence[Any], counts: Sequence[int]) -> list[Real]:
    """(alpha_i + c_i) / (A + n)."""
    a = posterior(prior, counts)
    return [x / mp.fsum(a) for x in a]


def posterior_variance(prior: Sequence[Any], counts: Sequence[int]) -> list[Real]:
    """a_i (A' - a_i) / (A'^2 (A' + 1)), a = alpha + c and A' its sum."""
    a = posterior(prior, counts)
    total = mp.fsum(a)
    return [x * (total - x) / (total**2 * (total + 1)) for x in a]


def log_evidence_sequence(prior: Sequence[Any], counts: Sequence[int]) -> Real:
    """log B(alpha + c) - log B(alpha): the log probability of the records in one given order."""
    return _log_beta(posterior(prior, counts)) - _log_beta([mp.mpf(a) for a in prior])


def log_evidence_counts(prior: Sequence[Any], counts: Sequence[int]) -> Real:
    """The log probability of the counts: log_evidence_sequence plus log (n! / prod c_i!)."""
    orders = _log_gamma(mp.mpf(sum(counts) + 1)) - mp.fsum(_log_gamma(mp.mpf(c + 1)) for c in counts)
    return log_evidence_sequence(prior, counts) + orders


def beta_pdf(x: Any, a: Any, b: Any) -> Real:
    """x^(a-1) (1-x)^(b-1) / B(a, b) on [0, 1], its limit (0, finite or inf) at the ends."""
    x, a, b = mp.mpf(x), mp.mpf(a), mp.mpf(b)

    def power(base: Real, exponent: Real) -> Real:
        if base > 0:
            return base**exponent
        return mp.inf if exponent < 0 else mp.one if exponent == 0 else mp.zero

    return power(x, a - 1) * power(1 - x, b - 1) / mp.exp(_log_beta([a, b]))


@lru_cache(maxsize=10_000)
def beta_cdf(x: Any, a: Any, b: Any) -> Real:
    """P(theta <= x), theta of law Beta(a, b); for parameters up to a few thousand."""
    return mp.betainc(mp.mpf(a), mp.mpf(b), 0, mp.mpf(x), regularized=True)


def beta_tails(x: Any, a: Any, b: Any) -> tuple[Real, Real]:
    """P(theta <= x) and P(theta > x), theta of law Beta(a, b), each from where its digits are; parameters to 1e7 and
    beyond where they differ much. By the continued fraction of DLMF 8.17.22, with Lentz's algorithm.
    """
    x, a, b = mp.mpf(x), mp.mpf(a), mp.mpf(b)
    if x <= 0 or x >= 1:
        return (mp.zero, mp.one) if x <= 0 else (mp.one, mp.zero)
    if x > (a + 1) / (a + b + 2):
        return beta_tails(1 - x, b, a)[::-1]
    c, d = mp.one, 1 / (1 - (a + b) * x / (a + 1))
    total, m = d, 0
    while m == 0 or abs(c * d - 1) > mp.mpf(10) ** -30:
        m += 1
        odd = -(a + m) * (a + b + m) / (a + 2 * m) / (a + 2 * m + 1)
        for term in (m * (b - m) / (a + 2 * m - 1) / (a + 2 * m), odd):
            d, c = 1 / (1 + term * x * d), 1 + term * x / c
            total *= c * d
    log_front = a * mp.log(x) + b * mp.log1p(-x) + mp.loggamma(a + b) - mp.loggamma(a + 1) - mp.loggamma(b)
    below = mp.exp(log_front) * total
    return below, 1 - below


# What a release says --------------------------------------------------------------------------------


def counts_given_release(
    laws: PmfByDataset, prior: Sequence[Any], released: Sequence[int]
) -> dict[Counts, Real]:
    """P(c | r) for every dataset of `laws`, by Bayes' rule: prior predictive times the law's value at r."""
    joint = {
        c: mp.exp(log_evidence_counts(prior, c)) * law.get(tuple(released), mp.zero) for c, law in laws.items()
    }
    total = mp.fsum(joint.values())
    return {c: p / total for c, p in joint.items()}


def marginal_counts(law: Mapping[Counts, Any], category: int) -> list[Real]:
    """P(c_i = u) for u = 0 ... n."""
    n = sum(next(iter(law)))
    return [mp.fsum(p for c, p in law.items() if c[category] == u) for u in range(n + 1)]


def noise_aware_cdf(law: Mapping[Counts, Any], prior: Sequence[Any], category: int, x: Any) -> Real:
    """P(theta_i <= x), theta of the mixture sum_c P(c) Dir(alpha + c): Betas with the mixture's weights."""
    total = mp.fsum(mp.mpf(a) for a in prior)
    return mp.fsum(
        p * beta_cdf(x, mp.mpf(prior[category]) + c[category],
                     total - mp.mpf(prior[category]) + sum(c) - c[category])
        for c, p in law.items()
    )


# Accuracy -------------------------------------------------------------------------------------------


def beta_variation(a: Sequence[float], b: Sequence[float], points: int = 40_001) -> float:
    """Half the integral of |p_a - p_b|, Beta(a) and Beta(b), over u = logit x by the trapezoid rule, in float64.

    p(u) = x^a_1 (1-x)^a_2 / B(a), which falls as e^{-a |u|}: beyond 120 / a nothing is left of parameters up to 300.
    """
    end = 120 / min(*a, *b)
    u, step = np.linspace(-end, end, points, retstep=True)

    def density(parameters: Sequence[float]) -> Any:
        log_b = math.fsum(map(math.lgamma, parameters)) - math.lgamma(math.fsum(parameters))
        return np.exp(-parameters[0] * np.logaddexp(0, -u) - parameters[1] * np.logaddexp(0, u) - log_b)

    return float(step * math.fsum(np.abs(density(a) - density(b))) / 2)


def expected(law: Mapping[Counts, Any], statistic: Callable[[Counts], Any]) -> Real:
    """The mean of a statistic of the release."""
    return mp.fsum(p * statistic(released) for released, p in law.items())


# Noisy counts that somebody else published ----------------------------------------------------------

NoiseLaw = Callable[[Real], tuple[Real, Real]]  # of d: P(D = d), or the density, and P(D <= d)


def geometric_noise(scale: Any) -> NoiseLaw:
    q = mp.exp(-1 / mp.mpf(scale))
    return lambda d: ((1 - q) / (1 + q) * q ** abs(d), q**-d / (1 + q) if d < 0 else 1 - q ** (d + 1) / (1 + q))


def discrete_gaussian_noise(variance: Any, reach: int = 400) -> NoiseLaw:
    """Sums as far as ``reach``, which must be many standard deviations."""
    weights = [mp.exp(-mp.mpf(d) ** 2 / (2 * mp.mpf(variance))) for d in range(reach)]
    total = weights[0] + 2 * mp.fsum(weights[1:])
    above = [mp.zero] * (reach + 1)
    for d in range(reach - 1, -1, -1):
        above[d] = above[d + 1] + weights[d] / total

    def law(d: Real) -> tuple[Real, Real]:
        at = mp.exp(-mp.mpf(d) ** 2 / (2 * mp.mpf(variance))) / total
        beyond = above[min(reach, int(-d if d < 0 else d + 1))]
        return at, beyond if d < 0 else 1 - beyond

    return law


def laplace_noise(scale: Any, rounded: bool) -> NoiseLaw:
    def below(y: Real) -> Real:
        tail = mp.exp(-abs(y) / mp.mpf(scale)) / 2
        return tail if y < 0 else 1 - tail

    return _published(below, lambda d: mp.exp(-abs(d) / mp.mpf(scale)) / (2 * mp.mpf(scale)), rounded)


def gaussian_noise(sd: Any, rounded: bool) -> NoiseLaw:
    return _published(lambda y: mp.erfc(-y / (mp.mpf(sd) * mp.sqrt(2))) / 2, lambda d: mp.npdf(d, 0, sd), rounded)


def _published(below: Callable[[Real], Real], density: Callable[[Real], Real], rounded: bool) -> NoiseLaw:
    if not rounded:
        return lambda d: (density(mp.mpf(d)), below(mp.mpf(d)))
    half = mp.mpf(1) / 2  # on the side of the smaller tail nothing cancels
    return lambda d: (below(-abs(d) + half) - below(-abs(d) - half), below(d + half))


def no_noise() -> NoiseLaw:
    return lambda d: (mp.mpf(d == 0), mp.mpf(d >= 0))


def likelihood_of_count(
    law: NoiseLaw, value: Any, largest: int, floor: bool = False, below: Any = None, whole: bool = True
) -> list[Real]:
    """P(value | c), c = 0 .. largest; value None: withheld below ``below``, or for any reason."""
    if value is None:
        if below is None:
            return [mp.one] * (largest + 1)
        return [law(below - (1 if whole else 0) - c)[1] for c in range(largest + 1)]
    return [law(value - c)[1 if floor and value == 0 else 0] for c in range(largest + 1)]


class NoisyCounts(NamedTuple):
    """P(c | v) of every dataset: counts (N, k), probability (N,) as long doubles; beyond: what was not listed."""

    prior: tuple[float, ...]
    counts: Any
    probability: Any
    beyond: float = 0.0

    @property
    def n(self) -> Any:
        return self.counts.sum(axis=1)

    def moments(self) -> tuple[Any, Any]:
        """E theta_i and sd theta_i, (k,)."""
        total = np.sum(np.array(self.prior, dtype=np.longdouble)) + self.n
        share = (np.array(self.prior, dtype=np.longdouble) + self.counts) / total[:, None]
        mean = self.probability @ share
        within = share * (1 - share) / (total[:, None] + 1)
        return mean, np.sqrt(self.probability @ (within + (share - mean) ** 2))

    def law_of(self, values: Any) -> Any:
        """P(value = 0, 1, ...) of whole numbers, one a dataset."""
        found = np.zeros(int(values.max()) + 1, dtype=np.longdouble)
        np.add.at(found, values, self.probability)
        return found

    def betas(self, category: int) -> tuple[Any, Any, Any]:
        """Weights and parameters of the Betas that theta_i is a mixture of, equal ones together."""
        n = self.n
        both = self.counts[:, category] * (int(n.max()) + 1) + n
        distinct, which = np.unique(both, return_inverse=True)
        weight = np.zeros(distinct.size, dtype=np.longdouble)
        np.add.at(weight, which, self.probability)
        c, n = distinct // (int(n.max()) + 1), distinct % (int(n.max()) + 1)
        alpha, rest = self.prior[category], math.fsum(self.prior[:category] + self.prior[category + 1:])
        return weight.astype(np.float64), alpha + c, rest + (n - c)


def noisy_counts(
    prior: Sequence[float], likelihoods: Sequence[Sequence[Real]], total: Sequence[Real],
    sums: Sequence[tuple[Sequence[int], Sequence[Real]]] = (),
) -> NoisyCounts:
    """p(n) n! Gamma(A)/Gamma(A + n) prod_i Gamma(alpha_i + c_i) / (c_i! Gamma(alpha_i)) L_i(c_i) of all c, summed up.

    total: p(n), n = 0 .. N, none of which has more mass beyond; likelihoods: L_i(c), c = 0 .. N at least; sums: cells
    and the likelihood of their sum.
    """
    largest, k = len(total) - 1, len(prior)
    of_cell = np.stack([log_rising(alpha, largest) + _logs(one[:largest + 1])
                        for alpha, one in zip(prior, likelihoods, strict=True)])
    of_total = _logs(total) - log_rising(np.sum(np.array(prior, dtype=np.longdouble)), largest)
    blocks = []
    for n in np.flatnonzero(np.isfinite(of_total)).tolist():
        bars = np.array(list(itertools.combinations(range(n + k - 1), k - 1))).reshape(-1, k - 1)
        walls = np.column_stack([np.full(len(bars), -1), bars, np.full(len(bars), n + k - 1)])
        blocks.append(np.diff(walls, axis=1) - 1)
    counts = np.concatenate(blocks)
    log_weight = of_total[counts.sum(axis=1)] + sum(of_cell[i][counts[:, i]] for i in range(k))
    for cells, one in sums:
        log_weight = log_weight + _logs(one)[counts[:, list(cells)].sum(axis=1)]
    weight = np.exp(log_weight - log_weight.max())
    return NoisyCounts(tuple(map(float, prior)), counts, weight / weight.sum())


def log_rising(alpha: Any, largest: int) -> Any:
    """log of Gamma(alpha + c) / (c! Gamma(alpha)), c = 0 .. largest, as the product of (alpha + j) / (1 + j)."""
    j = np.arange(largest, dtype=np.longdouble)
    return np.concatenate([[np.longdouble(0)], np.cumsum(np.log((np.longdouble(alpha) + j) / (1 + j)))])


def _logs(values: Sequence[Real]) -> Any:
    return np.array([np.longdouble(mp.nstr(mp.log(x), 25)) if x > 0 else -np.inf for x in map(mp.mpf, values)],
                    dtype=np.longdouble)


def mixture_of_betas(betas: tuple[Any, Any, Any], x: float) -> float:
    """P(theta_i <= x)."""
    weight, a, b = betas
    return float(weight @ special.betainc(a, b, x))
