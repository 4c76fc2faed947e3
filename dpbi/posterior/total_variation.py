"""The total variation distance between posteriors: exact for two categories, between bounds from H for more."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from dpbi import limits
from dpbi.posterior.dirichlet import log_density, mean

Floats = NDArray[np.float64]

_LARGEST = 1 << 21  # numbers at a time
PARAMETERS_LARGEST = 1e8  # checked by quadrature up to here
_HALVINGS = 46
_FARTHEST = 740.0  # on the logit scale: e^-740 is about the smallest double


def beta_variation(alpha: ArrayLike, other: ArrayLike) -> Floats:
    """TV = sup_A |P_a(A) - P_b(A)| of Beta(a_1, a_2) and Beta(b_1, b_2), from where their densities cross.

    With d = b - a the log ratio of the densities, log(p_a / p_b) = -d_1 log x - d_2 log(1 - x) + log B(b) - log B(a),
    falls or rises throughout where d_1 d_2 <= 0: one crossing x, TV = |I_x(a) - I_x(b)|. Else it turns once, at
    x = d_1 / (d_1 + d_2): two crossings, and TV is the difference of what lies between them. Where the totals agree,
    d_1 = -d_2 = d, the crossing is logit x = [log B(b) - log B(a)] / d. At a crossing TV is at its largest in x, so
    an error in x counts by its square only.

    alpha, other: (..., 2), positive, broadcast. Returns (...), in [0, 1], absolute error below 1e-11.
    Raises ValueError for another number of categories, or parameters that sum to more than ``PARAMETERS_LARGEST``.
    Source: ours.
    """
    a, b = limits.broadcast_pair(
        "alpha and other", limits.dirichlet_parameters("alpha", alpha), limits.dirichlet_parameters("other", other))
    limits.check_numbers("alpha and other together", a.size, _LARGEST)
    if a.shape[-1] != 2:
        raise ValueError(f"The total variation is exact for two categories: got {a.shape[-1]}.")
    largest = max(a.sum(axis=-1).max(initial=0.0), b.sum(axis=-1).max(initial=0.0))
    if largest > PARAMETERS_LARGEST:
        raise ValueError(f"The total variation is exact for parameters that sum to at most {PARAMETERS_LARGEST:g}: "
                         f"got {largest:g}.")
    shape = a.shape[:-1]
    a, b = a.reshape(-1, 2), b.reshape(-1, 2)
    # Beta(a) and Beta(b) swapped have the same distance: d_1 >= 0, and d_2 >= 0 where d_1 = 0.
    swapped = (b[:, 0] < a[:, 0]) | ((b[:, 0] == a[:, 0]) & (b[:, 1] < a[:, 1]))
    a, b = np.where(swapped[:, None], b, a), np.where(swapped[:, None], a, b)
    gap = b - a
    constant = _log_ratio_of_constants(a, b, gap)
    result = np.zeros(len(a))
    level = (gap[:, 0] > 0) & (gap[:, 0] == -gap[:, 1])
    once = (gap != 0).any(axis=1) & (gap[:, 1] <= 0) & ~level
    twice = (gap >= 0).all(axis=1) & (gap != 0).any(axis=1) & ~once
    result[level] = _between(a[level], b[level], constant[level] / gap[level, 0])
    result[once] = _between(a[once], b[once], _crossing(gap[once], constant[once], -_FARTHEST, _FARTHEST))
    if twice.any():
        with np.errstate(divide="ignore"):
            turn = np.clip(np.log(gap[twice, 0]) - np.log(gap[twice, 1]), -_FARTHEST, _FARTHEST)
        ends = [_crossing(gap[twice], constant[twice], end, turn) for end in (-_FARTHEST, _FARTHEST)]
        result[twice] = _between(a[twice], b[twice], ends[1]) + _between(a[twice], b[twice], ends[0])
    return np.clip(result, 0.0, 1.0).reshape(shape)


def variation_bounds(distance: ArrayLike) -> tuple[Floats, Floats]:
    """H^2 <= TV <= H sqrt(2 - H^2), for any two laws at Hellinger distance H. distance: (...) -> two of (...).

    Source: Le Cam's inequalities, with H^2 = 1 - BC.
    """
    h = np.asarray(distance, dtype=np.float64)
    return h * h, np.minimum(h * np.sqrt(2 - h * h), 1.0)


def _log_ratio_of_constants(a: Floats, b: Floats, gap: Floats) -> Floats:
    """log B(b) - log B(a), from the log ratio of the densities at the mean of a.

    Both logarithms grow with the parameters: their difference would be noise of 1e-8 at 1e8, where the log ratio of
    two near posteriors is no larger. ``log_density`` keeps its digits near the means.
    """
    centre = mean(a)
    return log_density(a, centre) - log_density(b, centre) + (gap * np.log(centre)).sum(axis=-1)


def _crossing(gap: Floats, constant: Floats, high: ArrayLike, low: ArrayLike) -> Floats:
    """logit x where the log ratio, > 0 at ``high`` and <= 0 at ``low``, is 0."""
    high, low = (np.broadcast_to(end, constant.shape).astype(np.float64) for end in (high, low))
    for _ in range(_HALVINGS):
        middle = (high + low) / 2
        ratio = gap[:, 0] * np.logaddexp(0, -middle) + gap[:, 1] * np.logaddexp(0, middle) + constant
        high, low = np.where(ratio > 0, middle, high), np.where(ratio > 0, low, middle)
    return (high + low) / 2


def _between(a: Floats, b: Floats, logit: Floats) -> Floats:
    """|I_x(a) - I_x(b)|, x = expit(logit), from the nearer end."""
    flipped = (logit > 0)[:, None]
    x = special.expit(-np.abs(logit))
    a, b = np.where(flipped, a[:, ::-1], a), np.where(flipped, b[:, ::-1], b)
    return np.abs(special.betainc(a[:, 0], a[:, 1], x) - special.betainc(b[:, 0], b[:, 1], x))
