"""A Gibbs sampler for noisy counts of unknown total, as one would write it with NumPy. Nothing of dpbi.

theta ~ Dir(alpha), every total n as probable, c ~ Multinomial(n, theta), v_i = c_i + noise of a discrete Gaussian law.
Alternately theta | c ~ Dir(alpha + c), and each c_i given theta, the other counts and v_i from its exact conditional
    p(c_i) proportional to n! / c_i! theta_i^{c_i} e^{-(v_i - c_i)^2 / (2 sd^2)},  n = c_i + the other counts,
listed on a window of eight standard deviations about v_i and inverted. What does not change is computed once.
"""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

Floats = NDArray[np.float64]


def shares(values: Floats, sd: float, prior: Floats, sweeps: int, seed: int) -> Floats:
    """theta after each sweep, (sweeps, k), from counts near the values on."""
    rng, k, width = np.random.default_rng(seed), len(values), math.ceil(8 * sd)
    counts = np.maximum(values, 0)
    windows = [np.arange(max(value - width, 0), max(value, 0) + width + 1) for value in values]
    fixed = [-gammaln(window + 1) - (value - window) ** 2 / (2 * sd**2)
             for value, window in zip(values, windows, strict=True)]  # fmt: skip
    drawn = np.empty((sweeps, k))
    for sweep in range(sweeps):
        theta = rng.dirichlet(prior + counts)
        for i, window in enumerate(windows):
            n = counts.sum() - counts[i] + window
            log_p = gammaln(n + 1) + window * math.log(theta[i]) + fixed[i]
            cumulative = np.cumsum(np.exp(log_p - log_p.max()))
            counts[i] = window[np.searchsorted(cumulative, rng.random() * cumulative[-1])]
        drawn[sweep] = theta
    return drawn
