"""The law for many records: closed forms, lattice sums and transforms against each other and against exact laws."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from dpbi import (
    MECHANISMS,
    Problem,
    accuracy_curves,
    hellinger,
    large_sample_approach,
    large_sample_board,
    large_sample_error,
    large_sample_limits,
    least_average_large_sample_error,
    least_large_sample_error,
    limit_of_privacy,
    local_sensitivity,
)
from dpbi.accuracy.axes import axis
from dpbi.mechanisms import EHD, EHDL, EHDNRS, EHDS, Geometric, KNorm, LSDim, LSHist, LSZhang, Mechanism
from dpbi.mechanisms.large_sample import LargeSampleLaw, NormLaw, _Summed, largest_step, norm
from tests.every_mechanism import EVERY

HALVES, THIRDS = (0.5, 0.5), (1 / 3,) * 3
LIMITED = [kind(3.0, **chosen) for kind, chosen in EVERY
           if kind is not EHD and chosen.get("gamma", 1.0) == 1.0 and not chosen.get("consistent")]


def ratio(one: Mechanism, other: Mechanism, shares: tuple[float, ...] = HALVES) -> float:
    return large_sample_error(one, shares).value / large_sample_error(other, shares).value


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 1.0, 2.5, 9.0])
def test_closed_forms_of_two_categories(epsilon: float) -> None:
    """As the issue has them; the values themselves by lattice sums that share nothing with the library."""
    steps = np.arange(-200_000, 200_001)
    for shares in (HALVES, (0.1, 0.9)):
        m = 1 / math.sqrt(shares[0] * shares[1])
        for mechanism, decay in ((EHDL(epsilon), epsilon / 2), (EHDNRS(epsilon), epsilon / 2),
                                 (EHDS(epsilon, 0.5), epsilon / 3), (Geometric(epsilon), epsilon),
                                 (KNorm(epsilon), epsilon)):
            weight = np.exp(-decay * np.abs(steps))
            found = large_sample_error(mechanism, shares)
            assert found.value == pytest.approx(m * float(weight @ np.abs(steps)) / weight.sum(), rel=1e-10)
            assert found.value == pytest.approx(m / math.sinh(decay), rel=1e-12)
            q = math.exp(-decay)
            for j in (0, 1, 4):
                assert found.within(j).value == pytest.approx(1 - 2 * q ** (j + 1) / (1 + q), rel=1e-12)
            assert 1 / found.within(0).value == pytest.approx(1 / math.tanh(decay / 2), rel=1e-12)
        for floored, scale in ((LSHist(epsilon), 1 / epsilon), (LSDim(epsilon), 2 / epsilon)):
            edges = -np.expm1(-np.arange(200_002) / scale)
            mass = np.diff(edges) / 2  # of [d, d + 1) and of [-d - 1, -d)
            d = np.arange(200_001)
            by_sum = m * float(mass @ d + mass @ (d + 1))
            assert large_sample_error(floored, shares).value == pytest.approx(by_sum, rel=1e-9)
    assert ratio(EHDL(epsilon), LSHist(epsilon)) == pytest.approx(2 / math.cosh(epsilon / 2), rel=1e-12)
    assert ratio(EHDL(epsilon), LSDim(epsilon)) == pytest.approx(math.cosh(epsilon / 4) ** -2, rel=1e-12)
    assert ratio(EHDS(epsilon), LSDim(epsilon)) == pytest.approx(2 / math.cosh(epsilon / 4), rel=1e-12)


def test_the_numbers_of_the_issue() -> None:
    assert large_sample_error(EHDL(1.0), HALVES).value == pytest.approx(3.8381, abs=5e-5)
    assert ratio(EHDL(1.0), LSHist(1.0)) == pytest.approx(1.7736, abs=5e-5)
    assert ratio(EHDL(1.0), LSDim(1.0)) == pytest.approx(0.940, abs=5e-4)
    assert [ratio(EHDL(1.0), other, THIRDS) for other in (LSDim(1.0), LSHist(1.0))] == pytest.approx(
        [0.814, 1.198], abs=5e-4)
    approach = large_sample_approach(EHDL(1.0), (1, 1), HALVES, (1_000, 10_000, 100_000))
    assert approach.scaled == pytest.approx([3.86052, 3.84023, 3.83829], abs=1e-5)
    assert approach.scaled[-1] == pytest.approx(3.8383, abs=5e-5)


@pytest.mark.parametrize("mechanism", LIMITED, ids=str)
@pytest.mark.parametrize(("shares", "sizes"), [(HALVES, (5_000, 20_000)), ((0.2, 0.8), (5_000, 20_000)),
                                               ((0.2, 0.3, 0.5), (1_500, 6_000))])
def test_exact_means_near_the_limit(mechanism: Mechanism, shares: tuple[float, ...], sizes: tuple[int, int]) -> None:
    """Like 1 / n by the exact law, but where the total is noisy too; whatever the prior."""
    if isinstance(mechanism, LSZhang) and len(shares) > 2:
        return  # its exact mean takes seconds
    for prior in ((1.0,) * len(shares), (0.5, *(4.0,) * (len(shares) - 1)))[:4 - len(shares)]:
        found = large_sample_approach(mechanism, prior, shares, sizes)
        near, nearer = (abs(one / found.limit.value - 1) for one in found.scaled)
        assert nearer < 0.005
        assert nearer < 0.3 * near or isinstance(mechanism, LSZhang)  # whose gap is of two orders, and changes sign


@pytest.mark.parametrize("shares", [THIRDS, (0.05, 0.35, 0.6), (0.1, 0.2, 0.3, 0.4)])
@pytest.mark.parametrize("mechanism", [EHDL(8.0), EHDS(16.0), LSHist(5.0), Geometric(4.0), KNorm(2.0), LSZhang(60.0)],
                         ids=str)
def test_sums_and_transforms_agree_with_a_walk_over_steps(mechanism: Mechanism, shares: tuple[float, ...]) -> None:
    """A walk over all steps of a box, by the definition; and the transform where there is one."""
    law, k = mechanism.large_sample_law(shares), len(shares)
    assert isinstance(law, _Summed)
    free = k if isinstance(mechanism, LSZhang) else k - 1
    reach = {2: 24, 3: 10, 4: 4}[free]
    box = np.array([*itertools.product(range(-reach, reach + 1), repeat=free)])
    delta = box if free == k else np.column_stack([box, -box.sum(axis=1)])
    size = np.sqrt(np.maximum([sum(x * x / p for x, p in zip(row, shares, strict=True)) - sum(row) ** 2
                               for row in delta[::97]], 0))
    assert norm(shares, delta[::97]) == pytest.approx(size, abs=1e-6)
    weight = np.exp(law._log_weight(delta, norm(shares, delta)))
    mean = float(weight @ norm(shares, delta)) / weight.sum()
    value, off = law.mean_norm()
    assert value == pytest.approx(mean, rel=1e-6 if free == 2 else 2e-3) and off < 1e-8 * value
    for j in (0, 1, 3):
        near = weight[np.abs(delta).sum(axis=1) <= 2 * j].sum() / weight.sum()
        assert law.within(j)[0] == pytest.approx(near, rel=1e-6 if free == 2 else 5e-3)
    log_total, transformed, apart = law._transformed()
    assert abs(transformed - value) <= apart + off and apart <= (1.1e-9 if free < k else 2e-3) * value
    assert log_total == pytest.approx(law._found[0], abs=1e-9)


@pytest.mark.parametrize("law", [mechanism.large_sample_law(THIRDS) for mechanism in (
    EHDL(2.0), LSHist(2.0), Geometric(2.0), KNorm(1.0), LSZhang(20.0))], ids=lambda law: type(law).__name__)
@pytest.mark.parametrize("reach", [6.0, 12.0])
def test_what_is_left_out_is_bounded(law: LargeSampleLaw, reach: float) -> None:
    assert isinstance(law, _Summed)
    inside, whole = (law._sums(law._box(far), 10**6) for far in (reach, 34.0))
    bounds = law._outside(reach)
    assert all(0 < more - less <= bound for less, more, bound in zip(inside, whole, bounds, strict=True))
    assert bounds[1] < 1e4 * (whole[1] - inside[1]) or isinstance(law, NormLaw)


@pytest.mark.parametrize("k", [2, 5, 12])
def test_many_records_at_any_number_of_categories(k: int) -> None:
    """At small epsilon the lattice is fine: E ||delta||_p of e^{-a ||delta||} tends to (k - 1) / a."""
    shares = tuple((np.arange(1, k + 1) / (k * (k + 1) / 2)).tolist())
    decay = 0.02 / largest_step(shares) / 2
    assert large_sample_error(EHDL(0.02), shares).value == pytest.approx((k - 1) / decay, rel=1e-3)
    values = [large_sample_error(kind(2.0), shares).value for kind in (KNorm, Geometric, LSHist)]
    assert values == sorted(values)


def test_the_limit_of_privacy_with_many_records() -> None:
    for prior, epsilon in (((2.0, 3.0), 1.0), ((4.0, 4.0), 2.0)):
        limit = least_average_large_sample_error(prior, epsilon)
        gaps = []
        for n in (400, 4_000):
            least = limit_of_privacy(prior, n, epsilon).value
            assert least is not None
            gaps.append(abs(math.sqrt(8 * n) * least / limit - 1))
        assert gaps[1] < 0.02 and gaps[1] < gaps[0] / 2
    theta = (np.arange(200_000) + 0.5) / 200_000
    mean = float((theta**0.5 * (1 - theta) ** 1.5 * 12).mean())  # Beta(2, 3)
    assert least_average_large_sample_error((2, 3), 1.0) == pytest.approx(mean / math.sinh(1), rel=1e-6)
    assert least_average_large_sample_error((0.5, 3), 1.0) == math.inf
    assert least_large_sample_error((0.2, 0.8), 1.0) == pytest.approx(large_sample_error(KNorm(1.0), (0.2, 0.8)).value)


def test_around_given_shares_no_mechanism_is_nearer_on_average() -> None:
    """The theorem for any weights: 1 on |i - n p| <= W, with the sum over t and the minimum over r by hand."""
    n, width, epsilon, a = 40_000, 60, 0.8, math.exp(-0.8)
    i = np.arange(n // 2 - width, n // 2 + width + 1)
    reach = np.arange(n // 2 - width - 40, n // 2 + width + 41)
    far = np.array([hellinger((1.0 + c, 1.0 + n - c), np.stack([1.0 + reach, 1.0 + n - reach], axis=1)) for c in i])
    costs = [float((far * a ** np.abs(i - t)[:, None]).sum(axis=0).min()) for t in reach]
    least = math.tanh(epsilon / 2) * sum(costs) / i.size
    assert math.sqrt(8 * n) * least == pytest.approx(least_large_sample_error(HALVES, epsilon), rel=2 / width)


def test_the_least_normaliser_of_all_data_of_a_size() -> None:
    """N(n) of [P17] section 6.2, by visiting all data: it tends to coth(epsilon / 4), here to a hundredth."""
    n, epsilon = 500, 2.0
    line = np.stack([np.arange(n + 1), n - np.arange(n + 1)], axis=1)
    least = math.inf
    for c in range(n // 2 + 1):
        far = hellinger(line[c] + 1.0, line + 1.0)
        rate = epsilon / (2 * local_sensitivity(Problem((1, 1), (c, n - c))))
        least = min(least, float(np.exp(-rate * far).sum()))
    assert least == pytest.approx(1 / math.tanh(epsilon / 4), rel=0.01)


def test_thresholds() -> None:
    board = large_sample_board([kind(1.0) for kind in (LSDim, LSHist, EHDL, EHDS, EHD)], HALVES, [0.5, 1, 2, 4, 8])
    found = {(one.ahead.label, one.behind.label): one.epsilon for one in board.thresholds}
    assert found == {
        ("EHDL", "LSHist"): pytest.approx(2 * math.acosh(2), rel=1e-8),
        ("EHDS", "LSDim"): pytest.approx(4 * math.acosh(2), rel=1e-8),
        ("EHDS", "LSHist"): pytest.approx(5.7518237, rel=1e-7),
    }
    assert round(2 * math.acosh(2), 3) == 2.634 and round(4 * math.acosh(2), 3) == 5.268
    assert board.least == pytest.approx([2 / math.sinh(epsilon) for epsilon in board.epsilons])
    assert [(one.label, "tends to 1" in why) for one, why in board.refused] == [("EHD", True)]
    with pytest.raises(ValueError, match="epsilons must rise"):
        large_sample_board([EHDL(1.0)], HALVES, [1, 0.5])


def test_curves_along_n_have_limits_at_the_data_s_own_shares() -> None:
    problem = Problem((1, 1), (3, 1))
    curves = [accuracy_curves.accuracy_curve(axis("n"), kind(2.0), problem, "hellinger", [10]) for kind in MECHANISMS]
    found = large_sample_limits(curves, problem)
    assert [one.mechanism for one in found] == [kind(2.0) for kind in MECHANISMS if kind is not EHD]
    assert {one.shares for one in found} == {(0.75, 0.25)}
    assert found[0].at(50) == pytest.approx(found[0].value / 20)
    assert large_sample_limits(curves, problem.with_counts((4, 0))) == ()
    other = accuracy_curves.accuracy_curve(axis("epsilon"), KNorm(2.0), problem, "hellinger", [1.0])
    assert large_sample_limits([other, replace(curves[0], metric="l1")], problem) == ()


@pytest.mark.parametrize(("shares", "said"), [
    ((0.5, 0.6), "shares must sum to 1: got 1.1"), ((1.0, 0.0), "shares must be finite and greater than 0"),
    ((1.0,), "at least two categories"),
])
def test_what_are_no_shares_is_refused(shares: tuple[float, ...], said: str) -> None:
    for mechanism in (KNorm(1.0), LSHist(1.0), EHDL(1.0), EHD(1.0)):
        with pytest.raises(ValueError, match=said):
            large_sample_error(mechanism, shares)


def test_what_has_no_limit_says_why() -> None:
    for mechanism in (EHD(1.0), EHDS(1.0, gamma=0.0)):
        with pytest.raises(ValueError, match="mean distance tends to 1"):
            large_sample_error(mechanism, HALVES)
    for calibrated in (replace(KNorm(1.0), calibration=(2.0, (1.0, 1.0), 9)), EHDL(1.0).sharpened(2.0, (1, 1), 9),
                       LSHist(1.0).sharpened(2.0, (1, 1), 9)):
        with pytest.raises(ValueError, match="a calibration holds for one prior and n"):
            large_sample_error(calibrated, HALVES)
    with pytest.raises(ValueError, match="known for two categories"):
        least_large_sample_error(THIRDS, 1.0)
    with pytest.raises(ValueError, match="known for two categories"):
        least_average_large_sample_error((1, 1, 1), 1.0)
    for unknown in (LSZhang(0.1), LSDim(1e-6), KNorm(1e3)):
        with pytest.raises(ValueError, match="not known well enough here"):
            large_sample_error(unknown, (0.1,) * 10)
