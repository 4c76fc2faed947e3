"""How far the noise-aware posterior lies from the true one, on average over the data that the public prior expects."""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from dpbi import limits
from dpbi.mechanisms.mechanism import Mechanism, check_mechanism
from dpbi.posterior import dirichlet

ERROR = 1e-7  # of the mean, at most
_PAIRS = 400_000  # of datasets and releases
_TABLE = 8_000_000  # numbers of a table of densities
_TAIL = 36.0
_STEP = 0.4  # of the log-odds; and, in standard deviations of the narrowest posterior:
_OF_NARROWEST = 2 / 3


def noise_aware_distance(mechanism: Mechanism, prior: ArrayLike, n: int) -> float:
    """sum_c P(c) E[H(Dir(alpha + c), p(theta | r)) | c] for two categories, P the prior predictive.

    p(theta | r) is a mixture of Betas, so that its affinity with one is an integral: over x = logit theta, where
    densities are theta^a (1 - theta)^b / B(a, b), by the trapezoidal rule, which converges as e^{-2 pi^2 s^2 / h^2} for
    a step h and a standard deviation s. No private count enters.
    mechanism; prior (2,); n. Returns the mean, in [0, 1], to 1e-7.
    Raises ValueError for other numbers of categories and where the pairs of datasets and releases are too many.
    Source: ours (README, "Reading a release").
    """
    check_mechanism(mechanism)
    alpha, n = limits.check_prior(prior), limits.check_total(n)
    if len(alpha) != 2:
        raise ValueError("The distance of the noise-aware posterior is computed for k = 2 categories: got "
                         f"{len(alpha)}.")
    listed = mechanism.listing(alpha, n, _PAIRS)
    step = min(_STEP, _OF_NARROWEST * 2 / math.sqrt(sum(alpha) + n))
    end = _TAIL / min(1.0, *alpha)
    points = 2 * math.ceil(end / step) + 1
    if listed is None or points * max(listed.log_law.shape) > _TABLE:
        raise ValueError(f"The distance of the noise-aware posterior is not computed at n = {n:,} with this prior: "
                         "there would be too many releases or points to visit.")
    datasets = listed.datasets
    joint = listed.law * np.exp(dirichlet.log_evidence(alpha, datasets))[:, None]
    believed = joint / np.maximum(joint.sum(axis=0), np.finfo(float).tiny)
    (a, b), x = (np.array(alpha) + datasets).T[..., None], np.linspace(-end, end, points)
    density = np.exp(-a * np.logaddexp(0.0, -x) - b * np.logaddexp(0.0, x) - special.betaln(a, b))  # of logit theta
    affinity = np.sqrt(density) @ np.sqrt(believed.T @ density).T * (2 * end / (points - 1))
    return float((joint * np.sqrt(np.clip(1 - affinity, 0.0, 1.0))).sum())
