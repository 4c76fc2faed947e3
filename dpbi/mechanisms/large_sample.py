"""The law for many records: what the steps delta = r - c of a release tend to as counts grow at fixed shares p.

With c / n -> p, all p_i > 0, and delta fixed, -log BC -> ||delta||_p^2 / 8 n to first order, so that

    sqrt(8 n) H -> ||delta||_p,   ||delta||_p^2 = sum_i delta_i^2 / p_i - (sum_i delta_i)^2

(the last term is that of the totals, 0 where a release sums to n), and sqrt(8 n) LS -> m_p = sqrt(1/p_(1) + 1/p_(2)),
of the two rarest shares: a record goes from one of them to the other. The prior drops out. Noise on counts is cut
nowhere in the limit; P(r) proportional to e^{-epsilon H / (2 s LS)} becomes e^{-(epsilon / 2 s) ||delta||_p / m_p} on
the lattice of all delta with sum 0. At k = 2 that is two-sided geometric of decay epsilon / 2 s.
Source: ours; [P17] section 8, first question.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dpbi import limits
from dpbi.mechanisms.noise.law import GeometricNoise, IntegerNoise
from dpbi.mechanisms.noise.steps import StepsNoise

STEPS_LARGEST = 1_000_000
_LISTED = 6_000_000  # steps that are summed over: about a second
_FEW = 100_000  # where it can be done without
_ROWS = 200_000  # of them at a time
_LEFT_OUT = 1e-10  # of the mean, about
_TRANSFORMED = 1e-9  # of a sum that is not listed: by how much it is off at most
_PLACED = 600_000  # places of x for all different shares: about a second
_SHARPEST = 2_000.0  # t, where ||delta||_p can be as small as may be
_LONGEST = 1 << 19  # of a Fourier transform, times different shares
_REACHES = [*range(1, 64), *(2 ** (i / 8) for i in range(48, 161))]  # tried in turn

Floats = NDArray[np.float64]


def norm(shares: Sequence[float], delta: NDArray[np.int64]) -> Floats:
    """||delta||_p, the limit of sqrt(8 n) H: delta (..., k) -> (...)."""
    square = (delta * delta / np.array(shares)).sum(axis=-1) - delta.sum(axis=-1).astype(np.float64) ** 2
    return np.asarray(np.sqrt(np.maximum(square, 0.0)))


def largest_step(shares: Sequence[float]) -> float:
    """m_p, the limit of sqrt(8 n) LS: ||e_i - e_j||_p of the two rarest shares."""
    first, second = sorted(shares)[:2]
    return math.sqrt(1 / first + 1 / second)


@dataclass(frozen=True)
class LargeSampleLaw:
    """The law of delta in the limit. shares: (k,), positive, of sum 1."""

    shares: tuple[float, ...]

    @property
    def formula(self) -> str:
        """E ||delta||_p / m_p in closed form; "" where it is a sum."""
        return ""

    def mean_norm(self) -> tuple[float, float]:
        """E ||delta||_p, the limit of sqrt(8 n) E[H], and how far off it may be at most, rounding apart."""
        raise NotImplementedError

    def within(self, steps: int) -> tuple[float, float]:
        """P(||delta||_1 <= 2 steps), and how far off it may be at most."""
        raise NotImplementedError


@dataclass(frozen=True)
class NoiseOnOne(LargeSampleLaw):
    """k = 2 and one noise D: delta = (D, -D), so that ||delta||_p = m_p |D|."""

    noise: IntegerNoise

    @property
    def formula(self) -> str:
        return self.noise.mean_size_formula.format(f"{self.noise.decay:.4g}", f"{self.noise.decay / 2:.4g}")

    def mean_norm(self) -> tuple[float, float]:
        return largest_step(self.shares) * self.noise.mean_size, 0.0

    def within(self, steps: int) -> tuple[float, float]:
        beyond = self.noise.log_at_least(steps + 1), self.noise.log_at_most(-steps - 1)
        return float(1 - np.exp(beyond).sum()), 0.0


@dataclass(frozen=True)
class _Summed(LargeSampleLaw):
    """A law that is summed over the delta whose free places lie within ``_reach`` of 0, the rest bounded.

    A subclass writes ``_log_weight``, the logarithm of a multiple of P(delta), and ``_outside(reach)``: what the
    weights, and those times ||delta||_p, come to beyond it at most.
    """

    def _log_weight(self, delta: NDArray[np.int64], size: Floats) -> Floats:
        raise NotImplementedError

    def _outside(self, reach: float) -> tuple[float, float]:
        raise NotImplementedError

    def _box(self, reach: float) -> list[int]:
        """How far each free place goes."""
        return [math.floor(reach)] * self._free

    @property
    def _free(self) -> int:
        """Places that are free: the last one makes the sum 0."""
        return len(self.shares) - 1

    @property
    def _least(self) -> float:
        """About what the weights times ||delta||_p come to."""
        raise NotImplementedError

    @cached_property
    def _reach(self) -> float:
        """How far is summed; 0 where that would be over too many steps."""
        most = _FEW if self._free < len(self.shares) else _LISTED  # the other way is less exact there
        for reach in map(float, _REACHES):
            if math.prod(2 * one + 1 for one in self._box(reach)) > most:
                break
            if self._outside(reach)[1] <= _LEFT_OUT * self._least:
                return reach
        return 0.0

    def _sums(self, box: Sequence[int], farthest: int) -> tuple[float, float]:
        """Of the weights, and of them times ||delta||_p, where ||delta||_1 <= farthest."""
        total, times = 0.0, 0.0
        for free in _in_box(box):
            last = -free.sum(axis=1, keepdims=True)
            delta = free if self._free == len(self.shares) else np.hstack([free, last])
            delta = delta[np.abs(delta).sum(axis=1) <= farthest]
            size = norm(self.shares, delta)
            weight = np.exp(self._log_weight(delta, size))
            total, times = total + float(weight.sum()), times + float(weight @ size)
        return total, times

    def _transformed(self) -> tuple[float, float, float]:
        """log of the sum of the weights, E ||delta||_p, and how far off that may be, without listing; ValueError where
        it is not known."""
        raise NotImplementedError

    @cached_property
    def _found(self) -> tuple[float, float, float, float]:
        """log of the sum of the weights, E ||delta||_p, and how far off each may be, the first relatively.

        With Z in [Z_0, Z_0 + t_0] and the sum in [M_0, M_0 + t_1], |M / Z - M_0 / Z_0| <= (t_1 + t_0 M_0 / Z_0) / Z_0.
        """
        if self._reach:
            total, times = self._sums(self._box(self._reach), 2 * STEPS_LARGEST)
            beyond, times_beyond = self._outside(self._reach)
            mean = times / total
            return math.log(total), mean, beyond / total, (times_beyond + mean * beyond) / total
        log_total, mean, off = self._transformed()
        return log_total, mean, _TRANSFORMED, off

    def mean_norm(self) -> tuple[float, float]:
        _, mean, _, off = self._found
        return mean, off

    def within(self, steps: int) -> tuple[float, float]:
        """ValueError where the steps themselves are too many."""
        log_total, _, off, _ = self._found
        box = [min(one, 2 * steps) for one in self._box(self._reach)] if self._reach else [2 * steps] * self._free
        if math.prod(2 * one + 1 for one in box) > _LISTED:
            raise self._too_many()
        return min(self._sums(box, 2 * steps)[0] * math.exp(-log_total), 1.0), off

    def _too_many(self) -> ValueError:
        return ValueError("For many records this law is not known well enough here: it would be a sum over more "
                          f"than {_LISTED:,} steps. Choose another epsilon, or fewer than k = {len(self.shares):,} "
                          "categories.")


@dataclass(frozen=True)
class NormLaw(_Summed):
    """P(delta) proportional to e^{-decay ||delta||_p}, sum delta = 0.

    Beyond ||delta||_p = R: the unit cubes around lattice points within r lie within r + rho, rho the largest norm of
    half a cube's diagonal, so that at most V (r + rho)^d points do, d = k - 1, V = omega_d sqrt(prod p_i) the volume
    of the unit ball (the form of the free places has determinant 1 / prod p_i). By parts a sum over a falling f is at
    most the integral of V (r + rho)^d (-f'(r)) from R on, and Γ(s, x) <= x^{s-1} e^{-x} / (1 - (s - 1) / x).
    """

    decay: float

    def _log_weight(self, delta: NDArray[np.int64], size: Floats) -> Floats:
        return -self.decay * size

    @property
    def _least(self) -> float:
        step = largest_step(self.shares)
        return step * math.exp(-self.decay * step)

    def _box(self, reach: float) -> list[int]:
        """reach: decay R. |delta_i| <= R sqrt(p_i (1 - p_i)), the inverse of the form being diag(p) - p p'."""
        return [math.floor(reach / self.decay * math.sqrt(p * (1 - p))) for p in self.shares[:-1]]

    @cached_property
    def _half_diagonal(self) -> float:
        """rho, at most: the norm is convex, so that it is largest at a corner, and by the triangle inequality."""
        last = self.shares[-1]
        return sum(math.sqrt(1 / p + 1 / last) for p in self.shares[:-1]) / 2

    def _outside(self, reach: float) -> tuple[float, float]:
        """Of f = e^{-ar} and r e^{-ar}, from R >= 1/a on; -f' is at most a e^{-ar} and a r e^{-ar}."""
        d, x = self._free, reach + self.decay * self._half_diagonal
        if reach < 1 or x <= d + 1:
            return math.inf, math.inf
        log_ball = d / 2 * math.log(math.pi) - math.lgamma(d / 2 + 1) + sum(map(math.log, self.shares)) / 2
        beyond = [math.exp(log_ball - d * math.log(self.decay) - reach + power * math.log(x) - math.log1p(-power / x))
                  for power in (d, d + 1)]
        return beyond[0], beyond[1] / self.decay


    def _transformed(self) -> tuple[float, float, float]:
        """By e^{-a sqrt y} = int g(t) e^{-ty} dt, g(t) = a / (2 sqrt pi) t^{-3/2} e^{-a^2 / 4t}: with theta functions
        Theta(t) = sum_delta e^{-t ||delta||^2}, Z = 1 + int g (Theta - 1) dt, and minus its derivative in a is the sum
        with ||delta||_p.

        Trapezoids in log t, at a distance h: turned by an angle f, by Cauchy's theorem, they err in e^{-a sqrt y} by at
        most about 2 e^{-2 pi f / h} e^{-a cos f sqrt y} / sqrt(cos f), 1e-16 of a law that is wider by 1 / cos f for
        f = 0.6. The constraint sum delta = 0 is a mean over M waves, whose error is what lies at sums of M and more,
        e^{-t M^2}; of many waves the fast ones are left out, as each theta function falls like e^{-p w^2 / 4t}.
        Between rounding and Theta - 1 no more than ``_TRANSFORMED`` may be lost.
        """
        a, h = self.decay, 0.1
        low, high = a * a / (4 * (45 + 3 * len(self.shares))), 45 / _shortest(self.shares)
        t = np.exp(np.arange(math.log(low), max(math.log(high), math.log(low) + 1), h))
        log_g = math.log(h * a / (2 * math.sqrt(math.pi))) - a * a / (4 * t) - np.log(t) / 2
        log_terms = log_g + [self._log_theta(one) for one in t]
        largest = max(float(log_terms.max()), 0.0)
        terms, slope = np.exp(log_terms - largest), a / (2 * t) - 1 / a
        above = terms - np.exp(log_g - largest)
        total, times = math.exp(-largest) + float(above.sum()), float(slope @ above)
        if 1e-15 * float(np.abs(slope) @ terms) > _TRANSFORMED * times:
            raise self._too_many()
        return largest + math.log(total), times / total, _TRANSFORMED * times / total

    def _log_theta(self, t: float) -> float:
        """log of the sum over delta of sum 0 of e^{-t ||delta||_p^2}."""
        waves = 2 * math.ceil(7 / math.sqrt(t)) + 8
        slow = min(waves // 2, max(256, math.ceil(25 * math.sqrt(t) * waves / (2 * np.pi))))
        wave = 2 * np.pi * np.arange(slow + 1) / waves
        product = np.full(slow + 1, 2.0)  # a wave and its mirror image
        product[0] = 1.0
        product[slow] -= 2 * slow == waves
        log_product = np.zeros(slow + 1)
        for p, power in zip(*np.unique(self.shares, return_counts=True), strict=True):
            log_product += power * np.log(np.maximum(_theta(t / p, wave), 1e-300))
        return float(special.logsumexp(log_product, b=product / waves))


def _shortest(shares: Sequence[float]) -> float:
    """The least ||delta||_p^2 above 0 of delta with sum 0: two places at least are not 0."""
    return sum(1 / p for p in sorted(shares)[-2:])


def _theta(x: float, wave: Floats) -> Floats:
    """sum_d e^{-x d^2} cos(wave d); for small x by Poisson's summation."""
    d = np.arange(-7, 8)[:, None]
    if x > 1:
        return np.asarray((np.exp(-x * d * d) * np.cos(wave * d)).sum(axis=0))
    return np.asarray(math.sqrt(math.pi / x) * np.exp(-((wave + 2 * np.pi * d) ** 2) / (4 * x)).sum(axis=0))


@dataclass(frozen=True)
class _Noisy(_Summed):
    """Independent noise ``_place`` in the free places, and a factor e^{-closing |delta_k|} of the last."""

    @property
    def _place(self) -> IntegerNoise:
        raise NotImplementedError

    @property
    def _closing(self) -> float:
        return 0.0

    @property
    def _log_scale(self) -> float:
        """log of the weights over those of noise and factor."""
        return 0.0

    def _transformed(self) -> tuple[float, float, float]:
        """By sqrt y = sqrt m + int (e^{-tm} - e^{-ty}) t^{-3/2} dt / (2 sqrt pi), with f(t) = E e^{-t ||delta||_p^2},
        the free places' sum by Fourier transforms, and m = E ||delta||_p^2, so that little t add nothing.

        Trapezoids in log t, at a distance h, err by |Γ(-1/2 + 2 pi i / h)| / sqrt pi of sqrt m and sqrt y: 3e-12 at
        h = 0.4. Beyond the largest t f is P(delta = 0) but for e^{-45}. Left out are noise and sums beyond e^{-36}.
        Between rounding and what a mean is made of no more than ``_TRANSFORMED`` may be lost.
        """
        *free, last = self.shares
        d, law, length = self._placed()
        sums = np.minimum(np.arange(length), length - np.arange(length)).astype(np.float64)
        closing = np.exp(-self._closing * sums)
        shares, times = np.unique(free, return_counts=True)

        def wave(weight: Floats) -> NDArray[np.complex128]:
            placed = np.zeros(length)
            placed[d] = weight
            return np.fft.rfft(placed)

        def closed(product: NDArray[np.complex128], weight: Floats) -> float:
            return float(np.fft.irfft(product, length) @ (closing * weight))

        def transform(t: float) -> float:
            waves = [wave(law * np.exp(-t * d * d / p)) ** power for p, power in zip(shares, times, strict=True)]
            return closed(np.prod(waves, axis=0), np.exp(-t * sums * sums / last))

        plain, others = wave(law), wave(law) ** (self._free - 1)
        whole = closed(others * plain, np.ones(length))
        m = (sum(1 / p for p in free) * closed(others * wave(law * d * d), np.ones(length))
             + closed(others * plain, sums * sums / last)) / whole
        if m <= _TRANSFORMED:  # lost in rounding
            raise self._too_many()
        h = 0.4
        low, high = 1e-8 / max(m, largest_step(self.shares) ** 2), 45 / min(m, _shortest(self.shares))
        t = np.exp(np.arange(math.log(low), math.log(high) + h, h))
        gap = np.exp(-t * m) - np.array([transform(one) for one in t]) / whole
        weight = h / (2 * math.sqrt(math.pi) * np.sqrt(t))
        mean = math.sqrt(m) + float(weight @ gap + weight[-1] * gap[-1] / math.expm1(h / 2))
        if 1e-15 * weight.sum() > _TRANSFORMED * mean:
            raise self._too_many()
        return math.log(whole) + self._log_scale, mean, _TRANSFORMED * mean

    def _placed(self) -> tuple[NDArray[np.int64], Floats, int]:
        """Values of the noise in one place and their probabilities, but for e^{-36}; and how many sums of all free
        places to tell apart, by Chernoff's bound at shares of the decay."""
        far = math.ceil(36 / self._place.decay)
        if far > _LONGEST:
            raise self._too_many()
        d = np.arange(-far, far + 1)
        law = np.exp(self._place.log_pmf(d))
        tried = np.linspace(0.02, 0.98, 25)[:, None] * self._place.decay
        tilted = np.log(np.maximum(np.exp(tried * d) @ law, np.exp(-tried * d) @ law))
        farthest = max(far, math.ceil(((36 + self._free * tilted) / tried[:, 0]).min()))
        length = 1 << (2 * farthest + 1).bit_length()
        if length * len({*self.shares}) > _LONGEST:
            raise self._too_many()
        return d, law, length


@dataclass(frozen=True)
class CountsLaw(_Noisy):
    """Independent noise on the first ``noised`` counts: k of them, or k - 1 and the last makes the sum 0.

    Beyond a reach J in any place: ||delta||_p <= sum_i w_i |D_i| by the triangle inequality, w_i the norm of one step
    in that place; tails are geometric, so that E[|D|; |D| > J] = P(|D| > J) (J + 1 / (1 - e^{-decay})).
    """

    noise: IntegerNoise
    noised: int

    @property
    def _free(self) -> int:
        return self.noised

    @property
    def _place(self) -> IntegerNoise:
        return self.noise

    @cached_property
    def _of_a_step(self) -> float:
        """sum_i w_i."""
        unit = np.eye(len(self.shares), dtype=np.int64)[:self.noised]
        if self.noised < len(self.shares):
            unit[:, -1] = -1
        return float(norm(self.shares, unit).sum())

    def _log_weight(self, delta: NDArray[np.int64], size: Floats) -> Floats:
        return np.asarray(self.noise.log_pmf(delta[:, :self.noised]).sum(axis=1))

    def _transformed(self) -> tuple[float, float, float]:
        """With noise in all places and s its sum: ||delta||_p^2 + (x - s)^2 = sum_i (delta_i - p_i x)^2 / p_i, so that
        f(t) = sqrt(t / pi) int prod_i sum_d P(d) e^{-t (d - p_i x)^2 / p_i} dx, else as before.

        Trapezoids in x at 1 / 2 sqrt t err relatively by 2 e^{-4 pi^2}. ||delta||_p can be as small as may be without
        being 0, so that beyond the largest t f lies anywhere between 0 and what it was: half of that is taken.
        """
        if self.noised < len(self.shares):
            return super()._transformed()
        d, law, length = self._placed()
        k, first, second = self.noised, float(law @ d), float(law @ (d * d))
        m = second * sum(1 / p for p in self.shares) - k * (second - first**2) - (k * first) ** 2
        h = 0.4
        t = np.exp(np.arange(math.log(1e-8 / max(m, 1 / min(self.shares))), math.log(_SHARPEST / min(m, 1)) + h, h))
        if length * math.sqrt(t[-1]) * len({*self.shares}) > _PLACED:
            raise self._too_many()
        near = np.array([self._transform(one, length // 2) for one in t])
        weight = h / (2 * math.sqrt(math.pi) * np.sqrt(t))
        beyond = float(weight[-1] * near[-1] / math.expm1(h / 2)) / 2
        mean = math.sqrt(m) + float(weight @ (np.exp(-t * m) - near)) - beyond
        return 0.0, mean, beyond + _TRANSFORMED * mean

    def _transform(self, t: float, farthest: int) -> float:
        step = 0.5 / math.sqrt(t)
        x = step * np.arange(-math.ceil(farthest / step) - 14, math.ceil(farthest / step) + 15)
        product = np.ones(x.size)
        for p, power in zip(*np.unique(self.shares, return_counts=True), strict=True):
            wide = math.ceil(min(math.sqrt(45 * p / t), farthest)) + 1
            middle = p * x if wide <= farthest else np.zeros(x.size)
            d = np.rint(middle)[:, None] + np.arange(-wide, wide + 1)
            product *= np.exp(self.noise.log_pmf(d) - t / p * (d - p * x[:, None]) ** 2).sum(axis=1) ** power
        return math.sqrt(t / math.pi) * step * float(product.sum())

    @property
    def _least(self) -> float:
        return self._of_a_step * self.noise.mean_size / self.noised

    def _box(self, reach: float) -> list[int]:
        """reach: decay J."""
        return [math.ceil(reach / self.noise.decay)] * self.noised

    def _outside(self, reach: float) -> tuple[float, float]:
        far = self._box(reach)[0]
        beyond = float(np.exp([self.noise.log_at_least(far + 1), self.noise.log_at_most(-far - 1)]).sum())
        own = beyond * (far - 1 / math.expm1(-self.noise.decay))
        others = (self.noised - 1) * beyond * self.noise.mean_size
        return self.noised * beyond, self._of_a_step * (own + others)


@dataclass(frozen=True)
class StepsLaw(_Noisy):
    """K-norm noise: P(delta) proportional to e^{-epsilon ||delta||_1 / 2}, sum delta = 0.

    Beyond J steps: ||delta||_p <= m_p j at j steps, of which there are sum_i C(k, i) C(j-1, i-1) C(j+k-i-1, k-i-1), i
    places that fall and the others sharing what they lost. From j to j + 1 each term grows by at most
    j (j + k - 1) / ((j - k + 2) (j + 1)), which falls in j, so that what j times them times e^{-epsilon j} comes to is
    at most a geometric series.
    """

    noise: StepsNoise

    @property
    def _place(self) -> IntegerNoise:
        return GeometricNoise(self.noise.epsilon / 2)

    @property
    def _closing(self) -> float:
        return self.noise.epsilon / 2

    @property
    def _log_scale(self) -> float:
        return float(-self._free * self._place.log_pmf(0))

    def _log_weight(self, delta: NDArray[np.int64], size: Floats) -> Floats:
        return np.asarray(-self.noise.epsilon / 2 * np.abs(delta).sum(axis=1))

    @property
    def _least(self) -> float:
        return largest_step(self.shares) * math.exp(-self.noise.epsilon)

    def _box(self, reach: float) -> list[int]:
        """reach: epsilon J."""
        return [math.ceil(reach / self.noise.epsilon)] * self._free

    def _outside(self, reach: float) -> tuple[float, float]:
        j, k = self._box(reach)[0] + 1, len(self.shares)
        ratio = (j + k - 1) / (j - k + 2) * math.exp(-self.noise.epsilon) if j > k - 2 else math.inf
        if ratio >= 1:
            return math.inf, math.inf
        number = sum(math.comb(k, i) * math.comb(j - 1, i - 1) * math.comb(j + k - i - 1, k - i - 1)
                     for i in range(1, k))
        steps = math.exp(math.log(j * number) - self.noise.epsilon * j) / (1 - ratio)
        return steps, steps * largest_step(self.shares)


def _in_box(box: Sequence[int]) -> Iterator[NDArray[np.int64]]:
    """All whole vectors whose places lie within the box of 0, some at a time."""
    first, *rest = [np.arange(-one, one + 1) for one in box]
    inner = np.stack(np.meshgrid(*rest, indexing="ij"), axis=-1).reshape(-1, len(rest)) if rest else np.zeros(
        (1, 0), dtype=np.int64)
    together = max(1, _ROWS // len(inner))
    for start in range(0, first.size, together):
        some = first[start:start + together]
        yield np.hstack([np.repeat(some, len(inner))[:, None], np.tile(inner, (some.size, 1))])


def exponential_law(shares: tuple[float, ...], epsilon: float, spread: float) -> LargeSampleLaw:
    """Of the exponential mechanism whose rate is epsilon / 2 over ``spread`` times LS."""
    decay = epsilon / (2 * spread)
    if len(shares) == 2:
        return NoiseOnOne(shares, GeometricNoise(decay))
    return NormLaw(shares, decay / largest_step(shares))


def check_shares(values: Any) -> tuple[float, ...]:
    """Two shares or more, all above 0, of sum 1."""
    given = limits.positive_numbers("shares", values)
    if given.ndim != 1 or not limits.CATEGORIES_LEAST <= given.size <= limits.CATEGORIES_LARGEST:
        raise ValueError(f"shares must hold one number for each of at least two categories: got shape {given.shape}.")
    if abs(given.sum() - 1) > 1e-9:
        raise ValueError(f"shares must sum to 1: got {given.sum():.10g}.")
    return tuple((given / given.sum()).tolist())
