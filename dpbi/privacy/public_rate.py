"""The best public rate: how near the exponential mechanism scored by H can come when its rate may depend on the data.

P_c(r) proportional to exp(-rate(c) H(c, r)), k = 2. Every smooth sensitivity is a rule for rate(c), epsilon / (2 (1 +
gamma) S(c)); here rate(c) is any function at all whose exact loss is at most epsilon, and the mean distance under the
prior is made least. What no rate reaches, no smooth sensitivity does.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpbi import limits
from dpbi.accuracy.optimum import PrivacyLimit, limit_of_privacy
from dpbi.frozen_result import FrozenResult, frozen
from dpbi.mechanisms.selection.audit import SelectionAudit, distance_matrix
from dpbi.posterior import dirichlet
from dpbi.privacy.loss import calibrated_multiplier
from dpbi.problem.candidates import list_candidates
from dpbi.sensitivity.closed_form import local_at, smooth_at

Floats = NDArray[np.float64]

LARGEST_N = 200  # a second or two, ten for the most lopsided priors
EPSILON_LEAST, EPSILON_LARGEST = 1e-3, 20.0  # beyond, all rates are alike, or what is missed is lost in rounding
GAMMAS_LARGEST = 20  # at once
_BESIDE = 4  # rates tried on either side of the best so far
_WIDEST, _NARROWEST = 0.3, 1e-3  # how far they reach, in the logarithm
_GAIN = 1e-4  # of the mean, below which a search goes nearer, and splitting ends
_EDGES = np.concatenate([[0.0], np.geomspace(0.02, 1, 24)])  # of the first intervals, as shares of the largest rate
_NEAR, _FAR = 6, 24  # releases at which a pair of intervals is refuted: near the truth, and spread over all
_CLOSE = 2e-3  # of the mean: bounds that lie so near each other are near enough
_ROUNDS = 40  # of splitting intervals
_AGAIN = 8  # rounds, after which the search begins anew
_ROUNDING = 1e-9  # of the least mean, relative
_LOG_ERROR, _LOG_RELATIVE = 1e-10, 1e-11  # of a log probability, as in ``Audit.margin``: more refutes intervals


@dataclass(frozen=True, eq=False)
class PublicRate(FrozenResult):
    """A rule for the rate: its rates for c_1 = 0..n, (n + 1,), its exact loss, and E[H] under the prior predictive.

    gamma: of a smooth sensitivity, None of the best that was found; calibrated: whether raised to a loss of epsilon.
    """

    rates: Floats
    loss: float
    mean: float
    gamma: float | None = None
    calibrated: bool = True

    @property
    def name(self) -> str:
        """What it is called where several stand together."""
        if self.gamma is None:
            return "best public rate"
        return f"smooth, gamma {self.gamma:g}{' calibrated' if self.calibrated else ''}"


@dataclass(frozen=True, eq=False)
class BestPublicRate(FrozenResult):
    """The least E[H] of any public rate whose exact loss is at most epsilon, between two bounds, and other rates.

    prior, n, epsilon: what was asked; best: the nearest that was found, so that the least mean is at most its mean;
    lower: no public rate has a smaller mean; others: the rates of smooth sensitivities, as proved and calibrated;
    limit: of privacy, of any mechanism.
    """

    prior: tuple[float, ...]
    n: int
    epsilon: float
    best: PublicRate
    lower: float
    others: tuple[PublicRate, ...]
    limit: PrivacyLimit

    def times_limit(self, mean: float) -> float | None:
        """So many times the limit of privacy; None where that is not known."""
        return mean / self.limit.value if self.limit.value else None

    @property
    def between(self) -> tuple[float, float] | None:
        """Both bounds of the least mean in times the limit of privacy, rounded outwards to thousandths."""
        if not (self.limit.lower and self.limit.upper):
            return None
        return (math.floor(1000 * self.lower / self.limit.upper) / 1000,
                math.ceil(1000 * self.best.mean / self.limit.lower) / 1000)


def best_public_rate(
    prior: ArrayLike, n: int, epsilon: float, gammas: Sequence[float] = (0.5, 1.0, 2.0)
) -> BestPublicRate:
    """min over rate(c) >= 0 of sum_c P(c) E[H(c, r)], r of P_c(r) = exp(-rate(c) H(c, r)) / Z_c, every neighbour's
    exact loss being at most epsilon. k = 2.

    E[H] falls with the rate: its derivative is -Var H. The datasets are a chain, c and c + 1 are neighbours, so that
    rates at each c out of a finite list are chosen best by dynamic programming, whatever the number of lists.

    ``best`` is feasible: the search begins at epsilon / (2 LS(c)) calibrated, tries rates ever closer beside the best
    so far, and ends by the exact audit, which verifies loss + margin <= epsilon. That no other rate is nearer is not
    proved by the search; ``lower`` says how near it could be.

    ``lower`` is a relaxation. (1) rate(c) <= 2 epsilon / LS(c): for a neighbour c', P_c(c') >= e^-epsilon P_c'(c') >=
    e^-epsilon P_c'(c) >= e^-2 epsilon P_c(c), and P_c(c') / P_c(c) = exp(-rate H(c, c')). (2) The rates of each c are
    cut into intervals, each counted with the mean at its upper end. (3) Two intervals of neighbours are allowed
    together unless at some release -log P_c(r), least over the one, exceeds -log P_c'(r), largest over the other, by
    more than epsilon. As rate H + log Z is convex in the rate, its largest is at an end, and its least no less than
    where the tangents at the ends meet. (4) The cheapest allowed chain is a lower bound; the intervals on it are split
    until the bounds are 0.2 % apart, splitting gains nothing, or 40 times. Rounding is allowed for, as in the audit's
    margin, not enclosed.

    It is a yardstick: no mechanism of the library releases by it.

    prior: two parameters; n: 1 to 200; epsilon: 1e-3 to 20, the privacy loss; gammas: smoothness of the sensitivities
    to compare with, >= 0 each. Returns a ``BestPublicRate``. Raises ValueError beyond that.
    Status: both bounds are proved but for floating-point arithmetic, the least mean itself lies between.
    Source: ours (README, "Privacy"); it answers how much a better smooth sensitivity than [D20]'s could gain.
    """
    alpha, epsilon = limits.check_prior(prior), limits.between("epsilon", epsilon, EPSILON_LEAST, EPSILON_LARGEST)
    if len(alpha) != 2:
        raise ValueError(f"prior must have two parameters, as the datasets of two categories are a chain: got k = "
                         f"{len(alpha):,}. Merge categories.")
    n = limits.whole_number("n", n, 1, LARGEST_N)
    smooth = [limits.check_gamma(gamma, "gammas")
              for gamma in limits.sequence("gammas", gammas, "of numbers", GAMMAS_LARGEST)]
    chain = _Chain(alpha, n, epsilon)
    others = tuple(rule for gamma in smooth for rule in chain.smooth(gamma))
    best, lower = chain.bounds()
    nearest = min((best, *others), key=lambda rule: rule.mean)
    best = PublicRate(nearest.rates, nearest.loss, nearest.mean)
    return BestPublicRate(alpha, n, epsilon, best, min(lower, best.mean), others, limit_of_privacy(alpha, n, epsilon))


class _RateAudit(SelectionAudit):
    """Of any rates: permuted counts need not have the same one, so that every dataset is visited."""

    def _in_order(self) -> NDArray[np.bool_]:
        return np.ones(len(self.datasets), dtype=bool)


class _Chain:
    """All datasets of two categories by c_1 = 0..n, their distances and their weights P(c)."""

    def __init__(self, prior: tuple[float, ...], n: int, epsilon: float) -> None:
        self.prior, self.n, self.epsilon = prior, n, epsilon
        self.datasets = list_candidates(n, 2)
        self.distance = distance_matrix(prior, n)
        self.weight = np.exp(dirichlet.log_evidence(prior, self.datasets))
        self.largest = 2 * epsilon / local_at(np.array(prior), self.datasets)  # of a rate: (1)

    def audit(self, rates: Floats) -> SelectionAudit:
        return _RateAudit(self.prior, self.n, lambda _: rates)

    def calibrated(self, rates: Floats) -> Floats:
        return rates * calibrated_multiplier(self.audit(rates), self.epsilon)

    def rule(self, rates: Floats, gamma: float | None = None, *, calibrated: bool = True) -> PublicRate:
        audit = self.audit(rates)
        mean = float(self.weight @ (audit.listed.law * self.distance).sum(axis=1))
        return PublicRate(frozen(rates), audit.worst()[0], mean, gamma, calibrated)

    def smooth(self, gamma: float) -> tuple[PublicRate, PublicRate]:
        """epsilon / (2 (1 + gamma) S_gamma(c)), as proved and calibrated."""
        proved = self.epsilon / (2 * (1 + gamma) * smooth_at(np.array(self.prior), self.datasets, gamma, "reciprocal"))
        return self.rule(proved, gamma, calibrated=False), self.rule(self.calibrated(proved), gamma)

    def law(self, c: int, rates: Floats) -> tuple[Floats, Floats]:
        """-log P_c(r) = rate H + log Z for rates (m,): (m, n + 1); and E[H], (m,)."""
        exponent = rates[:, None] * self.distance[c]
        weights = np.exp(-exponent)
        total = weights.sum(axis=1)
        return exponent + np.log(total)[:, None], (weights @ self.distance[c]) / total

    def bounds(self) -> tuple[PublicRate, float]:
        """Feasible rates, and a bound on the mean of all; a search begins anew at what the bound was attained by."""
        edges = [_EDGES * largest for largest in self.largest]
        best, lower, before = self._searched(self.largest / 4), 0.0, 0.0
        for done in range(1, _ROUNDS + 1):
            least, chosen = self._relaxed(edges)
            lower = max(lower, least * (1 - _ROUNDING))
            if done % _AGAIN == 0:
                ends = np.array([of[place + 1] for of, place in zip(edges, chosen, strict=True)])
                best = min(best, self._searched(ends), key=lambda rule: rule.mean)
                if lower <= before * (1 + _GAIN):
                    break
                before = lower
            if lower >= best.mean * (1 - _CLOSE):
                break
            edges = [_split(of, place) for of, place in zip(edges, chosen, strict=True)]
        return best, lower

    def _searched(self, rates: Floats) -> PublicRate:
        """A feasible rate: these calibrated, then the best of windows around the best so far."""
        rates = self.calibrated(rates)
        beside = np.arange(-_BESIDE, _BESIDE + 1) / _BESIDE
        least, width = np.inf, _WIDEST
        while width > _NARROWEST:
            tried = rates[:, None] * np.exp(width * beside)
            laws = [self.law(c, tried[c]) for c in range(self.n + 1)]
            allowed = [np.abs(here[:, None] - there[None]).max(axis=2) <= self.epsilon
                       for (here, _), (there, _) in pairwise(laws)]
            found, chosen = cheapest([w * mean for w, (_, mean) in zip(self.weight, laws, strict=True)], allowed)
            if found < least * (1 - _GAIN):
                rates, least = tried[np.arange(self.n + 1), chosen], found
            else:
                width /= 2
        return self.rule(self.calibrated(rates))

    def _relaxed(self, edges: list[Floats]) -> tuple[float, list[int]]:
        """The cheapest chain of intervals that are not refuted, and which they are."""
        spread = np.linspace(0, self.n, min(self.n + 1, _FAR)).round().astype(int)
        costs, allowed = [], []
        before: tuple[Floats, Floats] | None = None
        for c, of in enumerate(edges):
            surprise, mean = self.law(c, of)
            costs.append(self.weight[c] * mean[1:])
            low = _between(surprise, self.distance[c] - mean[:, None], of)
            high = np.maximum(surprise[:-1], surprise[1:])
            if before is not None:
                near = np.arange(c - _NEAR, c + _NEAR)
                at = np.union1d(spread, near[(near >= 0) & (near <= self.n)])
                gap = np.zeros((len(before[0]), len(low)))
                for one in at:  # one release at a time stays within the processor's cache
                    np.maximum(gap, np.subtract.outer(-before[1][:, one], -low[:, one]), out=gap)
                    np.maximum(gap, np.subtract.outer(before[0][:, one], high[:, one]), out=gap)
                error = _LOG_ERROR + _LOG_RELATIVE * max(float(high.max()), float(before[1].max()))
                allowed.append(gap <= self.epsilon + error)
            before = low, high
        return cheapest(costs, allowed)


def _between(value: Floats, slope: Floats, at: Floats) -> Floats:
    """No more than a convex function is anywhere between neighbouring places: value, slope (m, ...), at (m,)."""
    left, right, falls, rises = value[:-1], value[1:], slope[:-1], slope[1:]
    width = np.diff(at)[:, None]
    inside = (falls < 0) & (rises > 0)
    bend = np.where(inside, rises - falls, 1.0)
    # left + falls x = right - rises (width - x) at x = (right - left - rises width) / (falls - rises)
    meeting = left + falls * (left - right + rises * width) / bend
    return np.where(inside, np.minimum(meeting, np.minimum(left, right)), np.minimum(left, right))


def _split(edges: Floats, place: int) -> Floats:
    """The interval cut into three, and those beside it, where they are no narrower, into two."""
    width = edges[place + 1] - edges[place]
    more = [edges[place] + width / 3, edges[place] + 2 * width / 3]
    for beside in (place - 1, place + 1):
        if 0 <= beside < edges.size - 1 and edges[beside + 1] - edges[beside] >= 0.75 * width:
            more.append((edges[beside] + edges[beside + 1]) / 2)
    return np.unique(np.concatenate([edges, more]))


def cheapest(costs: Sequence[Floats], allowed: Sequence[NDArray[np.bool_]]) -> tuple[float, list[int]]:
    """The least sum of one cost of each list, (m_c,), neighbours (i, j) being allowed, (m_c, m_{c+1}); inf for none.

    From the last list to the first. Source: Bellman's principle.
    """
    total = costs[-1]
    follow: list[NDArray[np.int64]] = []
    for cost, pairs in zip(costs[-2::-1], allowed[::-1], strict=True):
        onward = np.where(pairs, total, np.inf)
        follow.append(onward.argmin(axis=1))
        total = cost + onward.min(axis=1)
    chosen = [int(total.argmin())]
    for step in reversed(follow):
        chosen.append(int(step[chosen[-1]]))
    return float(total.min()), chosen
