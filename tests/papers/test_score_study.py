"""Scores of the exponential mechanism: each distance, its sensitivity, its calibrated loss and mean, by enumeration."""

import dataclasses
import math

import numpy as np
import pytest
from scipy import integrate, stats

from dpbi import compare_scores, hellinger
from dpbi.papers import score_study
from tests import oracles
from tests.oracles import mp

PRIORS = [((0.7, 2.0), 5), ((1.0, 1.0), 9), ((0.3, 1.0, 4.0), 3), ((6.5, 9.0), 6), ((4.0, 3.5, 3.2), 3)]


def log_beta(values: list[float]) -> object:
    return mp.fsum(mp.loggamma(v) for v in values) - mp.loggamma(mp.fsum(values))


def chi_square(a: list[float], b: list[float]) -> float:
    """chi^2(Dir(a) || Dir(b)) = int p^2 / q - 1 in 50 digits, infinite where the integrand is at an edge."""
    tilted = [2 * mp.mpf(x) - y for x, y in zip(a, b, strict=True)]
    if min(tilted) <= 0:
        return math.inf
    return float(mp.exp(log_beta(tilted) + log_beta(b) - 2 * log_beta(a)) - 1)  # type: ignore[operator]


def divergence(a: list[float], b: list[float]) -> float:
    """KL(Dir(a) || Dir(b)) in 50 digits."""
    terms = [(mp.mpf(x) - y) * (mp.digamma(x) - mp.digamma(mp.fsum(a))) for x, y in zip(a, b, strict=True)]
    return float(log_beta(b) - log_beta(a) + mp.fsum(terms))  # type: ignore[operator]


@pytest.mark.parametrize(("prior", "n"), PRIORS, ids=str)
def test_each_score_is_the_distance_it_is_called(prior: tuple[float, ...], n: int) -> None:
    posterior = [[a + c for a, c in zip(prior, counts, strict=True)] for counts in oracles.compositions(n, len(prior))]
    scores = {name: score(prior, n) for name, score in score_study._SCORES.items()
              if len(prior) == 2 or name != "total variation"}
    for i, a in enumerate(posterior):
        for j, b in enumerate(posterior):
            expected = {"Hellinger": float(hellinger(a, b)), "squared Hellinger": float(hellinger(a, b)) ** 2,
                        "KL(truth || released)": divergence(a, b), "KL(released || truth)": divergence(b, a),
                        "chi-square(truth || released)": chi_square(a, b),
                        "chi-square(released || truth)": chi_square(b, a),
                        "steps": sum(abs(x - y) for x, y in zip(a, b, strict=True)) / 2}
            assert {name: scores[name][i, j] for name in expected} == pytest.approx(expected, rel=1e-11, abs=1e-13)
    if len(prior) == 2:
        one, other = stats.beta(*posterior[1]), stats.beta(*posterior[3])
        apart = integrate.quad(lambda x: abs(one.pdf(x) - other.pdf(x)) / 2, 0, 1, limit=400)[0]
        assert scores["total variation"][1, 3] == pytest.approx(apart, abs=1e-7)
        if math.isfinite(squared := scores["chi-square(truth || released)"][3, 1]):
            found = integrate.quad(lambda x: other.pdf(x) ** 2 / one.pdf(x), 0, 1, limit=400)[0] - 1
            assert squared == pytest.approx(found, rel=1e-6)


@pytest.mark.parametrize(("prior", "n"), PRIORS, ids=str)
def test_every_number_of_the_study_by_enumeration(prior: tuple[float, ...], n: int) -> None:
    epsilon, k = 1.3, len(prior)
    datasets = list(oracles.compositions(n, k))
    at = {c: i for i, c in enumerate(datasets)}
    pairs = [(at[c], at[other]) for c in datasets for other in oracles.neighbours(c)]
    predictive = [float(mp.exp(oracles.log_evidence_counts(prior, c))) for c in datasets]
    posterior = np.array(prior) + np.array(datasets)
    distance = hellinger(posterior[:, None], posterior[None])
    found = compare_scores(prior, n, epsilon)
    assert found.limit.value is not None
    infinite = [name for name in score_study._SCORES if name.startswith("chi-square")] if n >= min(prior) else []
    assert list(found.unbounded) == infinite
    assert [row.score for row in found.rows] == [
        s for s in score_study._SCORES if s not in infinite and (k == 2 or s != "total variation")]  # fmt: skip
    for row in found.rows:
        score = score_study._SCORES[row.score](prior, n)
        change = max(np.abs(score[i] - score[j]).max() for i, j in pairs)
        assert row.sensitivity == pytest.approx(change, rel=1e-12) and row.at_truth <= row.sensitivity * (1 + 1e-12)

        def at_rate(rate: float, score: np.ndarray = score) -> tuple[float, float]:
            log_law = -rate * score - np.log(np.exp(-rate * score).sum(axis=1, keepdims=True))
            loss = max(float((log_law[i] - log_law[j]).max()) for i, j in pairs)
            return float(np.array(predictive) @ (np.exp(log_law) * distance).sum(axis=1)), loss

        assert (row.mean, row.loss) == pytest.approx(at_rate(epsilon / (2 * change)), rel=1e-9)
        assert row.loss <= epsilon
        low, high = 0.0, 1e4 * epsilon / change
        for _ in range(100):
            middle = (low + high) / 2
            low, high = (middle, high) if at_rate(middle)[1] < epsilon else (low, middle)
        assert row.calibrated_mean == pytest.approx(at_rate(low)[0], rel=1e-6)
        assert row.times_limit == pytest.approx(row.calibrated_mean / found.limit.value)
        assert row.calibrated_mean >= found.limit.value - 1e-9


def test_what_is_nearest_is_told_by_ratios_however_small_the_means_are() -> None:
    """With geometric noise the steps attain the limit; at epsilon = 1000 its mean is about e^-1000, no double."""
    for epsilon, times in ((50.0, 1), (100.0, 1), (1000.0, None)):
        found = compare_scores((1, 1), 30, epsilon)
        nearest, = found.nearest()
        distance, = found.nearest(without="steps")
        assert nearest.score == "steps" and distance.score == "total variation"
        assert nearest.times_limit == (times and pytest.approx(times, rel=1e-6))
    alike = [dataclasses.replace(distance, score=name, calibrated_mean=mean)
             for name, mean in (("a", 3e-200), ("b", 3e-200 * (1 + 1e-12)), ("c", 4e-200))]
    assert [one.score for one in dataclasses.replace(found, rows=tuple(alike)).nearest()] == ["a", "b"]


def test_reference_ratios() -> None:
    """Uniform, n = 90: how much larger the sensitivity is than what the truth's neighbours show; computed elsewhere."""
    rows = {row.score: row.sensitivity / row.at_truth for row in compare_scores((1, 1), 90, 1).rows}
    assert rows["squared Hellinger"] == pytest.approx(2.4, abs=0.05)
    assert rows["KL(truth || released)"] == pytest.approx(155, abs=1)
    assert rows["KL(released || truth)"] == pytest.approx(16, abs=0.5)
    assert [rows[name] for name in ("Hellinger", "total variation", "steps")] == pytest.approx([1, 1, 1])


def test_which_distance_is_nearest_turns_with_prior_and_epsilon() -> None:
    """Computed elsewhere: bisection of the rate by which the largest log ratio, over pairs and outputs, is epsilon."""
    def calibrated(prior: tuple[float, float], n: int, epsilon: float) -> list[float]:
        rows = {row.score: row.calibrated_mean for row in compare_scores(prior, n, epsilon).rows}
        return [rows["squared Hellinger"], rows["Hellinger"]]

    assert calibrated((1, 1), 100, 1) == pytest.approx([0.349, 0.578], abs=5e-4)
    assert calibrated((50, 50), 60, 1) == pytest.approx([0.127, 0.073], abs=5e-4)
    (first, second), (third, fourth) = (calibrated((7, 4), 100, epsilon) for epsilon in (0.5, 2))
    assert first < second and third > fourth


@pytest.mark.parametrize(("n", "infinite"), [(49, False), (50, True)])
def test_chi_square_is_finite_up_to_the_least_number_of_the_prior(n: int, infinite: bool) -> None:
    """2 a_i <= b_i first with a_i = alpha_i and b_i = alpha_i + n."""
    found = compare_scores((50, 70), n, 1)
    assert bool(found.unbounded) == infinite == (len(found.rows) == 6)


def test_where_the_limit_is_not_known_nothing_is_set_against_it() -> None:
    found = compare_scores((1, 1, 1), 37, 1)  # more datasets than the programme takes, whatever the clock
    assert found.limit.kind == "none" and all(row.times_limit is None for row in found.rows)
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.rows[0].mean = math.nan  # type: ignore[misc]


@pytest.mark.parametrize(
    ("prior", "n", "words"),
    [((1, 1), 2_101, "up to n = 2,100"), ((1e7, 1), 5, "prior is too large"), ((1, 1), 0, "at least 1")],
)
def test_what_cannot_be_compared_is_refused(prior: tuple[float, ...], n: int, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        compare_scores(prior, n, 1.0)


def test_more_comparisons_than_a_study_makes_are_refused_in_words() -> None:
    with pytest.raises(ValueError, match=r"n is too large for this comparison: it compares neighbours .* k = 62 cat"):
        compare_scores(tuple(range(1, 63)), 2, 1.0)
