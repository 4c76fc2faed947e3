"""The noise of published counts as those who publish it state it, turned into a law of ``dpbi.noise``.

Two things are said: what kind of noise it is (``LAWS``) and how large, in one of several measures (``MEASURES``).
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from dpbi import limits, noise
from dpbi.noise import NoiseLaw


class StatedLaw(NamedTuple):
    """called: in a sentence; normal: whether its parameter is a sigma, else a scale; whole: whether it publishes whole
    numbers; discrete: whether it was drawn as such; made: the law of a parameter."""

    called: str
    normal: bool
    whole: bool
    discrete: bool
    made: Callable[..., NoiseLaw]


def _discrete_gaussian(sigma: float, **cut: Any) -> NoiseLaw:
    return noise.DiscreteGaussian(limits.between("sigma", sigma, limits.NOISE_LEAST, limits.NOISE_LARGEST) ** 2, **cut)


LAWS = {
    "geometric": StatedLaw("geometric noise (discrete Laplace)", False, True, True, noise.TwoSidedGeometric),
    "laplace rounded": StatedLaw("Laplace noise, rounded", False, True, False, noise.Laplace),
    "laplace": StatedLaw("Laplace noise, not rounded", False, False, False,
                   lambda scale, **cut: noise.Laplace(scale, False, **cut)),
    "discrete gaussian": StatedLaw("discrete Gaussian noise", True, True, True, _discrete_gaussian),
    "gaussian rounded": StatedLaw("Gaussian noise, rounded", True, True, False, noise.Gaussian),
    "gaussian": StatedLaw("Gaussian noise, not rounded", True, False, False,
                    lambda sd, **cut: noise.Gaussian(sd, False, **cut)),
}  # fmt: skip


class Measure(NamedTuple):
    """number, sensitivity: what each is called, "" where there is no second one; fits: which laws it can be said of;
    parameter: of the law, from the law and both numbers."""

    number: str
    fits: Callable[[StatedLaw], bool]
    parameter: Callable[[StatedLaw, float, float], float]
    sensitivity: str = ""


def _of_sd(law: StatedLaw, sd: float, _: float) -> float:
    return sd if law.normal else noise.scale_of_sd(sd, law.discrete)


def _of_variance(law: StatedLaw, variance: float, _: float) -> float:
    most = limits.NOISE_LEAST**2, limits.NOISE_LARGEST**2
    return _of_sd(law, math.sqrt(limits.between("variance", variance, *most)), 0.0)


def _of_accuracy(law: StatedLaw, accuracy: float, _: float) -> float:
    return noise.sd_of_accuracy(accuracy) if law.normal else noise.scale_of_accuracy(accuracy, discrete=law.discrete)


STANDARD_DEVIATION, VARIANCE, SCALE = "standard deviation", "variance", "scale"  # may stand in a column
MEASURES = {
    SCALE: Measure("scale", lambda law: not law.normal, lambda law, scale, _: scale),
    "sigma": Measure("sigma", lambda law: law.normal, lambda law, sigma, _: sigma),
    "epsilon": Measure("epsilon", lambda law: not law.normal,
                       lambda law, epsilon, most: noise.scale_of_epsilon(epsilon, most), "sensitivity"),
    "rho": Measure("rho", lambda law: law.normal, lambda law, rho, most: noise.sd_of_rho(rho, most), "sensitivity"),
    "accuracy": Measure("accuracy", lambda law: not (law.normal and law.discrete), _of_accuracy),
    STANDARD_DEVIATION: Measure("sd", lambda law: True, _of_sd),
    VARIANCE: Measure("variance", lambda law: True, _of_variance),
}  # fmt: skip


def stated_law(
    law: str, measure: str, number: float, sensitivity: float = 1.0, floor: int | None = None,
    below: float | None = None,
) -> NoiseLaw:
    """The law of noise as it is stated.

    law: one of ``LAWS``; measure: one of ``MEASURES``; number: in that measure, its 0 in a standard deviation,
    variance or scale being no noise at all; sensitivity: with epsilon or rho; floor, below: as in ``dpbi.noise``.
    Raises ValueError for a measure that cannot be said of this law, and for numbers that the law does not take.
    Source: the conversions of ``dpbi.noise``.
    """
    kind = LAWS[limits.one_of("law", law, tuple(LAWS))]
    said = MEASURES[limits.one_of("measure", measure, tuple(MEASURES))]
    if not said.fits(kind):
        raise ValueError(f"{kind.called[0].upper()}{kind.called[1:]} has no {measure}.")
    if number == 0 and measure in (STANDARD_DEVIATION, VARIANCE, SCALE):
        return noise.Exact(below=below)
    if measure == VARIANCE and kind.made is _discrete_gaussian:  # as it stands, not the square of its root
        return noise.DiscreteGaussian(number, floor=floor, below=below)
    return kind.made(said.parameter(kind, number, sensitivity), floor=floor, below=below)
