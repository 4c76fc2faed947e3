"""The libraries people use today, each brought to the exponential mechanism P(r) proportional to exp(-rate H(r)).

They draw an index from a list of scores that the caller has computed. Imports wait inside functions: a peer that is
not installed is left out.
"""

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

Draw = Callable[[], int]
Selector = Callable[[float, NDArray[np.float64]], Draw]  # rate, distance of each candidate


def opendp(rate: float, distance: NDArray[np.float64], measure: str = "zero_concentrated_divergence") -> Draw:
    """OpenDP's noisy max at scale 1 / rate: exp(score / scale), drawn with exact arithmetic.

    Only under zero-concentrated divergence is it the exponential mechanism. Under max divergence it is
    permute-and-flip, another law, and so is what is called Gumbel there.
    """
    prelude = import_module("opendp.prelude")
    prelude.enable_features("contrib")
    select = prelude.m.make_noisy_max(
        prelude.vector_domain(prelude.atom_domain(T=float, nan=False)), prelude.linf_distance(T=float),
        getattr(prelude, measure)(), scale=1 / rate)
    scores = (-distance).tolist()
    return lambda: int(select(scores))


def diffprivlib(rate: float, distance: NDArray[np.float64]) -> Draw:
    """diffprivlib's Exponential, exp(epsilon score / (2 sensitivity)): an inverse distribution function per draw."""
    mechanisms = import_module("diffprivlib.mechanisms")
    mechanism = mechanisms.Exponential(epsilon=2 * rate, sensitivity=1.0, utility=(-distance).tolist())
    return lambda: int(mechanism.randomise())


SELECTORS: dict[str, Selector] = {"opendp": opendp, "diffprivlib": diffprivlib}


def installed(name: str) -> bool:
    return find_spec(name) is not None


def selectors() -> dict[str, Selector]:
    """The installed peers that draw from a list."""
    return {name: selector for name, selector in SELECTORS.items() if installed(name)}
