"""The mean distance of the noise-aware posterior, against quadrature over the share and values found before."""

import numpy as np
import pytest
from scipy import special

from dpbi.inference.noise_aware_distance import noise_aware_distance
from dpbi.mechanisms import EHDS, Geometric, KNorm, Mechanism
from tests import oracles
from tests.every_mechanism import Kind, every_class


@pytest.mark.parametrize(("mechanism", "prior", "n"), [
    (Geometric(0.8), (1.0, 1.0), 3), (EHDS(2.0), (0.4, 2.5), 2), (KNorm(1.5), (3.0, 0.7), 2),
])
def test_it_is_the_sum_over_data_and_releases(mechanism: Mechanism, prior: tuple[float, ...], n: int) -> None:
    laws = oracles.laws_of_all_datasets(mechanism.label, prior, n, epsilon=mechanism.epsilon)
    evidence = {c: float(oracles.mp.exp(oracles.log_evidence_counts(prior, c))) for c in laws}
    # Over u = logit theta the densities theta^a (1 - theta)^b / B fall as e^{-a |u|}: the trapezoid rule is exact.
    u, step = np.linspace(-120, 120, 4_801, retstep=True)
    densities = {
        c: np.exp(a * special.log_expit(u) + b * special.log_expit(-u) - special.betaln(a, b))
        for c in laws for a, b in [np.add(prior, c)]
    }
    total = 0.0
    for r in {r for law in laws.values() for r in law}:
        weight = {c: evidence[c] * float(law.get(r, 0)) for c, law in laws.items()}
        if sum(weight.values()) < 1e-9:
            continue
        shares = np.array(list(weight.values())) / sum(weight.values())
        mixed = sum(share * densities[c] for share, c in zip(shares, weight, strict=True))
        for c, mass in weight.items():
            affinity = np.sqrt(mixed * densities[c]).sum() * step
            total += mass * np.sqrt(max(0.0, 1 - affinity))
    assert noise_aware_distance(mechanism, prior, n) == pytest.approx(total, abs=2e-6)


def test_reference_value_at_ninety_records() -> None:
    assert noise_aware_distance(Geometric(0.5), (1, 1), 90) == pytest.approx(0.2127, abs=5e-5)


@every_class
def test_it_lies_between_zero_and_one_and_vanishes_with_the_noise(kind: Kind) -> None:
    far, near = (noise_aware_distance(kind(epsilon), (1, 0.5), 8) for epsilon in (0.5, 50.0))
    assert 0 <= near <= far < 1


def test_refusals() -> None:
    with pytest.raises(ValueError, match="k = 2 categories"):
        noise_aware_distance(Geometric(1.0), (1, 1, 1), 5)
    with pytest.raises(ValueError, match="too many"):
        noise_aware_distance(Geometric(1.0), (1, 1), 5_000)
    with pytest.raises(ValueError, match="too many"):
        noise_aware_distance(Geometric(1.0), (1e-6, 1), 90)
