"""Why noisy counts are not read as true ones: a made-up table whose true shares are known, read in both ways."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from dpbi.inference.noisy_counts import noisy_counts_posterior
from dpbi.noise import DiscreteGaussian
from dpbi.posterior import dirichlet

_SHARES = {"Walk": 0.38, "Bus": 0.27, "Bicycle": 0.16, "Tram": 0.10, "Ferry": 0.03, "Skates": 0.02, "Scooter": 0.04}
_RECORDS = 400
_VARIANCE, _THRESHOLD = 300.0, 20
_LAWS: tuple[DiscreteGaussian, ...] = (
    *(DiscreteGaussian(_VARIANCE) for _ in range(5)),
    DiscreteGaussian(_VARIANCE, floor=0),
    DiscreteGaussian(_VARIANCE, below=_THRESHOLD),
)

Interval = tuple[float, float]


@dataclass(frozen=True)
class Line:
    """A category: its true share theta_i, what was published of it (None: withheld) under which law, and for both
    readings the posterior mean and the 95 % interval of theta_i."""

    label: str
    share: float
    value: float | None
    noise: DiscreteGaussian
    plain_mean: float
    plain: Interval
    aware_mean: float
    aware: Interval


@cache
def plain_reading() -> tuple[Line, ...]:
    """A table drawn from the true shares and published with discrete Gaussian noise, one value cut at 0 and one
    withheld, n public; both readings from the uniform prior. The plain one is Dir(1 + v), where a negative or withheld
    value v counts as 0.

    It has the first seed at which one value is negative, the cut one is 0 and the other is withheld: it was not looked
    which intervals then miss.
    """
    theta = np.array([*_SHARES.values()])
    k, seed = theta.size, 0
    while True:
        rng = np.random.default_rng(seed)
        counts = rng.multinomial(_RECORDS, theta)
        drawn = [float(law.publish(count, rng)) for law, count in zip(_LAWS, counts, strict=True)]
        if min(drawn[:5]) < 0 and drawn[5] == 0 and np.isnan(drawn[6]):
            break
        seed += 1
    values = [None if np.isnan(value) else value for value in drawn]
    alpha = 1 + np.array([max(value or 0.0, 0.0) for value in values])
    plain = np.stack(dirichlet.interval(alpha), axis=1)
    aware = noisy_counts_posterior((1.0,) * k, values, _LAWS, _RECORDS)
    return tuple(
        Line(label, share, values[i], _LAWS[i], float(alpha[i] / alpha.sum()), (float(plain[i, 0]), float(plain[i, 1])),
             float(aware.mean[i]), aware.interval(0.95, i))
        for i, (label, share) in enumerate(_SHARES.items())
    )  # fmt: skip
