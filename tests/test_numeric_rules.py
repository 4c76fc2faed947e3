"""Every value and rule of numeric.json that concerns this product is tested: here, or by the test named below."""

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dpbi import Problem, dirichlet, limits, sample_posteriors
from dpbi.dashboard.sidebar import entries
from dpbi.dashboard.words import sidebar, words
from dpbi.data import synthesis
from dpbi.figures import posteriors
from dpbi.mechanisms import Geometric
from tests.dashboard.person import key
from tests.reference_values import numeric

HERE = Path(__file__).parent
NUMERIC: dict[str, Any] = json.loads((HERE / "reference" / "numeric.json").read_text("utf-8"))
# Rules by the beginning of their id, and where each is tested.
TESTED = {
    "beta_cdf_nan": "test_intervals_of_huge_parameters_are_numbers_or_refused",
    "candidate_count_": "test_reference",
    "epsilon_": "test_extreme_epsilons_release_something_finite",
    "dirichlet_sampling_": "test_draws_of_a_tiny_alpha_are_points_of_the_simplex",
    "multinomial_float32": "test_proportions_in_single_precision_keep_the_total",
    "simplex_edge_density": "test_log_density_on_an_edge_of_the_simplex",
    "rerun_same_inputs": "test_draws_stay_until_they_are_asked_for_anew",
    "page_replace_file": "test_two_sessions_and_two_files_do_not_mix",
    "density_axis_label": "test_a_density_is_called_one_and_its_prior_named",
    "bad_alpha": "test_refuses_a_bad_problem",
    "bad_k1": "test_refuses_a_bad_problem",
    "bad_counts": "test_refuses_a_bad_problem",
    "bad_eps": "test_reference_rules_of_refusal",
    "bad_delta": "test_reference_rules_of_refusal",
    "bad_gamma": "test_reference_rules_of_refusal",
    "bad_level": "test_interval_refuses_a_mass_outside_zero_to_one",
    "bad_names": "test_names_must_be_different",
    "ok_delta_zero_pure": "test_delta_is_asked_for_only_where_it_is_used",
    "ok_eps_large_warn": "test_a_large_epsilon_is_called_weak",
    "ok_counts_numpy": "test_narrow_numpy_counts_do_not_wrap",
    "ok_counts_dict": "test_a_mapping_keeps_its_own_order",
    "ok_json_finite": "test_every_figure_is_fit_to_send",
    "ok_zero_on_log_axis": "test_an_empty_category_keeps_its_place",
}
NOT_OURS = {"budget_float_sum": "no budget is kept from release to release"}


def test_every_rule_is_tested_somewhere() -> None:
    sources = "\n".join(path.read_text("utf-8") for path in sorted(HERE.rglob("test_*.py")))
    for rule in NUMERIC["rules"]:
        tests = [name for begin, name in TESTED.items() if rule["id"].startswith(begin)]
        assert tests or rule["id"] in NOT_OURS, rule["id"]
        for name in tests:
            assert re.search(rf"^def {name}", sources, re.MULTILINE), name


def test_every_quantity_is_compared_somewhere() -> None:
    sources = "\n".join(path.read_text("utf-8") for path in sorted(HERE.rglob("test_*.py")))
    for quantity in {value["quantity"] for value in NUMERIC["values"]}:
        assert f'numeric("{quantity}")' in sources, quantity


# --- the rules that have no test elsewhere ---


def test_intervals_of_huge_parameters_are_numbers_or_refused() -> None:
    """scipy's beta.cdf is NaN at the first of these."""
    (rule,) = numeric("beta_cdf_nan")
    assert "3.1622776601699636e16, 3.130654883566682e18" in rule["input"]["call"]
    with pytest.raises(ValueError, match="alpha must lie within"):
        dirichlet.interval((3.1622776601699636e16, 3.130654883566682e18))
    for alpha in ((3e15, 9.9e17), (1e15, 1e15), (1e-9, 4e15), (0.5, 1e18), (1e18, 1e18)):
        low, high = dirichlet.interval(alpha)
        assert np.isfinite([low, high]).all()
        assert (0 <= low).all() and (low <= high).all() and (high <= 1).all()
        mean = np.array(alpha) / sum(alpha)
        assert (low <= mean * (1 + 1e-9)).all() or min(alpha) < 1, alpha


def test_proportions_in_single_precision_keep_the_total() -> None:
    shares = np.array([0.1, 0.2, 0.7], dtype=np.float32)
    assert sum(map(float, shares)) != 1
    assert sum(synthesis.proportional_counts(shares, 10**15)) == 10**15
    drawn = synthesis.prior_predictive_counts(shares, 10**6, np.random.default_rng(1))
    assert sum(drawn) == 10**6


@pytest.fixture(scope="module")
def page() -> AppTest:
    at = AppTest.from_file(str(HERE.parent / "app.py"), default_timeout=120).run()
    return at.switch_page("pages/1_Private_posteriors.py").run()


def draws(at: AppTest) -> str:
    return at.main.dataframe[-1].value.to_csv()


def test_draws_stay_until_they_are_asked_for_anew(page: AppTest) -> None:
    first = draws(page)
    page.run()
    assert draws(page) == first
    assert draws(page.switch_page("app.py").run().switch_page("pages/1_Private_posteriors.py").run()) == first
    page.button(key="redraw").click().run()
    assert draws(page) != first
    page.text_input(key=key(page, "seed")).set_value("1").run()
    assert draws(page) == first


def test_delta_is_asked_for_only_where_it_is_used(page: AppTest) -> None:
    assert not [entry for entry in page.sidebar.text_input if entry.label == "delta"]


def test_a_large_epsilon_is_called_weak(page: AppTest) -> None:
    (rule,) = numeric("ok_eps_large_warn")
    page.text_input(key="entry: epsilon").set_value(rule["input"]["epsilon"]).run()
    assert any("Weak privacy" in said.value and "10^9" in said.value for said in page.sidebar.caption)
    page.text_input(key="entry: epsilon").set_value("0.001").run()
    assert any("Almost pure noise" in said.value for said in page.sidebar.caption)
    page.text_input(key="entry: epsilon").set_value("1").run()
    assert not any("noise" in said.value or "Weak" in said.value for said in page.sidebar.caption)
    assert len(sidebar.hints({"epsilon": limits.EPSILON_LARGEST, "delta": 0.5}, 2)) == 2
    assert sidebar.hints({}, None) == []


def test_a_density_is_called_one_and_its_prior_named() -> None:
    (rule,) = numeric("density_axis_label")
    prior = tuple(map(float, rule["input"]["alpha"]))
    problem = Problem(prior, (30, 10))
    drawn = sample_posteriors(Geometric(1.0), problem, np.random.default_rng(1), 5)
    figure = posteriors.released_posteriors([drawn], ("yes", "no"))
    assert [axis.title.text for axis in figure.select_yaxes() if axis.title.text] == ["Density"]
    assert words.prior_words(prior) == "Beta(13, 31)"


def test_names_must_be_different() -> None:
    (rule,) = numeric("bad_names_duplicate")
    name = rule["input"]["names"][0]
    with pytest.raises(ValueError, match=f"2 categories are called '{name}'"):
        entries.counts(f"{name}, 1\n{name}, 2")


def test_an_empty_category_keeps_its_place() -> None:
    """No count stands on a logarithmic axis, and a count of 0 has its row in the chart and in the words."""
    (rule,) = numeric("ok_zero_on_log_axis")
    problem = Problem((1.0, 1.0, 1.0, 1.0), (*rule["input"]["counts"], 7))
    drawn = sample_posteriors(Geometric(1.0), problem, np.random.default_rng(1), 5)
    labels = ("empty", "few", "many", "more")
    figure = posteriors.released_posteriors([drawn], labels)
    assert all(axis.type in (None, "linear", "category") for axis in [*figure.select_xaxes(), *figure.select_yaxes()])
    assert all(label in figure.to_json() for label in labels)
    assert "0 empty" in words.scenario_line("t", labels, problem, 1.0, 1.0)


def test_hints_count_the_odds() -> None:
    for epsilon in (5.0, 13.0, 20.0, 709.0, 1e6):
        (said,) = sidebar.hints({"epsilon": epsilon}, 100)
        factor = said.split("factor of ")[1].removesuffix(".")
        if "^" in factor:
            assert float(factor.split("^")[1]) == pytest.approx(epsilon / math.log(10) + 0.5, abs=0.5)
        else:
            assert math.exp(epsilon) <= float(factor.replace(",", "")) <= math.exp(epsilon) * (1 + 1e-4) + 1
