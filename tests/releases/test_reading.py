"""Noisy counts as they were read: the noise as it is stated, the total's interval, and what the files say."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, strategies as some

import dpbi
from dpbi import noise
from dpbi.inference.count_posterior import Marginal
from dpbi.inference.ranking import ranking
from dpbi.inference.total import Known
from dpbi.releases import reading as readings, stated_noise as stated
from dpbi.releases.reading import NoisyReading, Outcome

FITTING = [(law, measure) for law, kind in stated.LAWS.items() for measure, said in stated.MEASURES.items()
           if said.fits(kind)]  # fmt: skip


@given(some.sampled_from(FITTING), some.floats(0.01, 1e4), some.floats(0.5, 10))
def test_the_law_is_the_one_that_is_stated(pair: tuple[str, str], number: float, sensitivity: float) -> None:
    """Each measure by its own definition, from the law that was made."""
    name, measure = pair
    law = stated.stated_law(name, measure, number, sensitivity)
    kind = stated.LAWS[name]
    parameter = math.sqrt(law.parameter) if isinstance(law, noise.DiscreteGaussian) else law.parameter
    assert law.whole == kind.whole and not isinstance(law, noise.Exact)
    if measure in (stated.SCALE, "sigma"):
        assert math.isclose(parameter, number)
    elif measure == "epsilon":
        assert math.isclose(sensitivity / parameter, number)
    elif measure == "rho":
        assert math.isclose(sensitivity**2 / (2 * parameter**2), number)
    elif measure == "accuracy":
        tail = noise.Gaussian(parameter, False) if kind.normal else (
            law if kind.discrete else noise.Laplace(parameter, False))  # fmt: skip
        if not tail.whole or number % 1 == 0:
            assert math.isclose(float(2 * np.exp(tail.log_at_most(-number))), 0.05, rel_tol=1e-6)
    else:
        sd = number if measure == stated.STANDARD_DEVIATION else math.sqrt(number)
        unrounded = parameter if kind.normal else law.sd if kind.discrete else math.sqrt(2) * parameter
        assert math.isclose(unrounded, sd, rel_tol=1e-9)


@pytest.mark.parametrize(("law", "measure", "number", "sentence"), [
    ("geometric", "rho", 1.0, "Geometric noise .* has no rho"), ("discrete gaussian", "accuracy", 1.0, "no accuracy"),
    ("gaussian", "scale", 1.0, "no scale"), ("geometric", "scale", -1.0, "scale"), ("laplace", "variance", 1e-9, "var"),
    ("geometric", "epsilon", 0.0, "epsilon"), ("normal", "scale", 1.0, "law must be"), ("laplace", "odds", 1.0, "mea"),
])  # fmt: skip
def test_what_cannot_be_stated_is_refused(law: str, measure: str, number: float, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        stated.stated_law(law, measure, number)


def test_no_noise_in_a_column_is_an_exact_count() -> None:
    assert stated.stated_law("geometric", stated.VARIANCE, 0.0, below=5) == noise.Exact(below=5)


@given(some.lists(some.floats(0, 1), min_size=1, max_size=30).filter(any), some.floats(0.05, 0.99))
def test_the_interval_of_the_total_is_the_narrowest_with_its_tails(weights: list[float], mass: float) -> None:
    p = np.array(weights) / math.fsum(weights)
    low, high = Marginal(7, p).interval(mass)
    n, tail = 7 + np.arange(p.size), (1 - mass) / 2
    assert p[n < low].sum() <= tail + 1e-9 and p[n > high].sum() <= tail + 1e-9
    assert p[n <= low].sum() > tail - 1e-9 and p[n >= high].sum() > tail - 1e-9


LAW = noise.TwoSidedGeometric(3.0, below=5)
ASKED = NoisyReading((1.0, 1.0, 1.0), (40.0, None, 12.0), (LAW,) * 3, dpbi.Flat(), (60.0, noise.Gaussian(2.0, False)))


def outcome(asked: NoisyReading, labels: tuple[str, ...], name: str = "x.csv") -> Outcome:
    posterior = asked.posterior()
    total = posterior.total if posterior.total.probability.size > 1 else None
    return Outcome(
        name, labels, asked.values, asked.plain, {"Noise": readings.noise_words(asked.noise)}, posterior.mean,
        posterior.sd, readings.counts_of(posterior), {i: posterior.interval(0.95, i) for i in range(len(labels))},
        ranking(posterior, np.random.default_rng(1), 400), 1, total, posterior.total.first, posterior.error,
        laws=tuple(map(readings.law_words, asked.noise)),
    )  # fmt: skip


def test_files_say_what_was_computed_and_that_nothing_private_was_used() -> None:
    posterior = ASKED.posterior()
    assert (posterior.mean == dpbi.noisy_counts_posterior((1, 1, 1), [40, None, 12], LAW, dpbi.Flat(), [
        ((0, 1, 2), 60, noise.Gaussian(2.0, False))]).mean).all()  # fmt: skip
    found = outcome(ASKED, ("a|b", "c", "d"))
    document = json.loads(readings.reading_json(found))
    assert document["private_data_used"] is False and document["total"] == found.total_row
    assert [row["mean"] for row in document["categories"]] == posterior.mean.tolist()
    assert [row["value"] for row in document["categories"]] == [40, None, 12]
    assert document["categories"][0]["plain_mean"] == pytest.approx(41 / 55)  # a withheld one counts as 0
    text = readings.reading_markdown(found)
    assert readings.NOTHING_PRIVATE in text and "withheld" in text and "a\\|b" in text
    assert "two-sided geometric noise of scale 3, withheld below 5" in text and "TwoSided" not in text


def test_a_value_that_its_noise_cannot_have_led_to_is_named() -> None:
    with pytest.raises(ValueError, match="The value of 'b' must be at least 5"):
        NoisyReading((1.0, 1.0), (9.0, 4.0), (LAW,) * 2, Known(20)).checked(("a", "b"))
    with pytest.raises(ValueError, match="The measured total"):
        NoisyReading((1.0, 1.0), (9.0, 8.0), (LAW,) * 2, Known(20), (2.5, LAW)).checked(("a", "b"))


@pytest.mark.parametrize(("total", "said"), [
    (Known(20), "known to be 20"), (dpbi.Flat(), "every number"), (dpbi.LogUniform(), "every order of magnitude"),
    (dpbi.Poisson(20), "about 20"),
])  # fmt: skip
def test_totals_in_words(total: Known | dpbi.Flat | dpbi.LogUniform | dpbi.Poisson, said: str) -> None:
    assert said in readings.total_words(total, None)
    assert "measured as 2.5" in readings.total_words(total, (2.5, noise.Laplace(1.0, False)))


def test_rows_hold_the_counts_with_intervals_and_both_readings_of_first() -> None:
    found = outcome(ASKED, ("a", "b", "c"))
    for row, marginal in zip(found.rows, ASKED.posterior().marginals, strict=True):
        assert (row["count_low"], row["count_high"]) == marginal.interval() and row["mean_count"] == marginal.mean
    assert [row["counted_first"] for row in found.rows] == found.ranking.counted_first.tolist()
    text = readings.reading_markdown(found)
    assert readings.SHARE_OF in text and f"above {1 - found.ranking.least:g}" in text and "1e-12" in text


def test_the_words_of_a_law_hold_its_size_and_what_became_of_values() -> None:
    assert readings.law_words(noise.Exact()) == "no noise"
    assert readings.law_words(noise.DiscreteGaussian(4.0, floor=0)).startswith(
        "discrete Gaussian noise of variance 4, below 0 published as 0, standard deviation 2")
    laplace = readings.law_words(noise.Laplace(2.0, False))
    assert laplace == "Laplace noise of scale 2, not rounded, standard deviation 2.828"
    assert readings.law_words(noise.Gaussian(2.0)) == "Gaussian noise of standard deviation 2, rounded"
    assert readings.total_words(dpbi.Flat(), (2.5, noise.Gaussian(1.0, False))).endswith("nothing else known of it")


def test_files_say_which_law_is_of_which_value() -> None:
    laws = (noise.Gaussian(2.0), noise.Gaussian(3.0))
    found = outcome(NoisyReading((1.0, 1.0), (9.0, 4.0), laws, Known(12)), ("a", "b"))
    assert [row["noise"] for row in found.rows] == list(map(readings.law_words, laws))
    line = next(line for line in readings.reading_markdown(found).splitlines() if line.startswith("| b |"))
    assert line.endswith("| Gaussian noise of standard deviation 3, rounded |")
