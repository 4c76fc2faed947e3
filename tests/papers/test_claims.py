"""The table of claims: every finding pinned, every counter-example found again by brute force.

A finding is computed by the library over a grid. Here it is pinned in words, and the numbers of the case that decides
it are computed a second time from the oracles, which share nothing with the library.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dpbi.papers.claims import CLAIMS, Claim, Setting
from dpbi.papers.claims.claim import Case, Finding, Grid, at_most, case
from dpbi.problem.problem import Problem
from tests import oracles
from tests.dashboard.test_pages import everything, shown, typed
from tests.dashboard.test_scenario import opened, select

Numbers = list[float]
Route = Callable[[dict[str, Any]], Numbers]

BY_NAME = {claim.name: claim for claim in CLAIMS}

HOLDS, FAILS = "holds", "fails"
SYMMETRIC = "holds only if prior and counts are symmetric and k is below the counts"
NOT_BELOW_1 = "holds only if no prior parameter is below 1"

# name: finding, cases visited, cases in which it holds
VERDICTS = {
    "The global sensitivity is at most sqrt(1 - pi/4)": (NOT_BELOW_1, 140, 85),
    "The global sensitivity equals sqrt(1 - pi/4)": ("holds only if the prior is flat and k > 2 or n = 1", 140, 15),
    "The notes' global sensitivity 0.2399927": (FAILS, 3, 0),
    "The notes' smoothness beta": (FAILS, 3, 0),
    "Local sensitivity is attained at the true posterior": (HOLDS, 110, 110),
    "There are C(n + 1, k - 1) candidates": ("holds only if k = 2", 35, 7),
    "There are n + 1 candidates": ("holds only if k = 2", 35, 7),
    "L1 sensitivity grows with the dimension": ("holds only if k = 2", 117, 9),
    "Sensitivity 1 suffices at k = 2, and 2 above": (HOLDS, 117, 117),
    "1/S changes by at most gamma": (HOLDS, 220, 220),
    "S changes by a factor of at most e^beta": (HOLDS, 220, 220),
    "S lies between the local and the global sensitivity": (HOLDS, 220, 220),
    "gamma = 1 smooths": (HOLDS, 258, 6),
    "Four mechanisms keep epsilon": (HOLDS, 432, 432),
    "EHD keeps epsilon with sqrt(1 - pi/4)": (NOT_BELOW_1, 120, 97),
    "LSZhang keeps epsilon": (HOLDS, 72, 72),
    "LSZhang needs its scale 2k/epsilon": (FAILS, 36, 0),
    "EHDL is not private": (HOLDS, 100, 3),
    "With 2 S and gamma = 1 the loss is at most 2 epsilon": (HOLDS, 108, 108),
    "(epsilon, delta) for the exponential smooth sensitivity": (HOLDS, 144, 144),
    "The printed delta of M_H is a probability": (FAILS, 99, 0),
    "The concrete loss lies below epsilon": (HOLDS, 8, 8),
    "Two independent noises of scale 2/epsilon keep epsilon": (HOLDS, 12, 12),
    "The noise written as Lap(epsilon/2) keeps epsilon": ("holds only if epsilon is at least 2", 16, 8),
    "The ratio of two neighbours' probabilities is e^epsilon": (FAILS, 12, 0),
    "Equal scores, equal probabilities": (HOLDS, 156, 156),
    "A distance has C_r times the probability of a candidate": (HOLDS, 78, 78),
    "Equal steps, equal distance": ("holds only if k = 2 and alpha_1 + c_1 = alpha_2 + c_2", 142, 32),
    "At most two candidates share a distance": ("holds only if k = 2", 142, 131),
    "Every candidate but the truth has a twin": (
        "holds only if both categories have the same prior parameter and the same count", 128, 12),
    "The six listed neighbours of Dir(5, 5, 5)": (FAILS, 6, 0),
    "Sliding, as printed": (FAILS, 108, 38),
    "Sliding, as derived": (HOLDS, 108, 108),
    "The notes' sliding property": (FAILS, 108, 104),
    "The notes' dilation property": (HOLDS, 108, 108),
    "Dilation": (FAILS, 99, 15),
    "The tail of Laplace noise": (HOLDS, 15, 15),
    "The probabilities of floored Laplace noise": (FAILS, 27, 0),
    "Floored noise is centred": (FAILS, 3, 0),
    "The largest of k noises exceeds (2/epsilon) ln(k/p) with probability p": (FAILS, 12, 0),
    "The sum of k noises exceeds k (2/epsilon) ln(k/p) with probability at most p": (HOLDS, 12, 12),
    "The same with n in place of k": ("holds only if n is at least k", 72, 58),
    "The tail of the exponential mechanism": (HOLDS, 88, 88),
    "The tail of M_H": (HOLDS, 88, 88),
    "The exact tail of M_H": (FAILS, 88, 0),
    "The tail of M_H with its normaliser": (FAILS, 88, 44),
    "LSZhang within k steps": (FAILS, 336, 6),
    "LSZhang within k steps, at least": (SYMMETRIC, 336, 333),
    "LSHist within k steps": (SYMMETRIC, 336, 111),
    "LSHist within k steps, at least": (SYMMETRIC, 336, 264),
    "EHD within k steps, at least": (FAILS, 336, 221),
    "EHD within k steps, at most": (SYMMETRIC, 336, 335),
    "EHDL within k steps, at least": (FAILS, 336, 223),
    "EHDL within k steps, at most": (SYMMETRIC, 336, 335),
    "The last step for EHD": (FAILS, 3, 0),
    "From which size on LSHist beats EHD": (HOLDS, 12, 12),
    "Below which size EHD beats LSHist": (HOLDS, 12, 12),
    "From which size on LSHist beats EHD within LS(x)": (HOLDS, 4, 4),
    "M_H overtakes the baseline at n = 300": (FAILS, 12, 9),
    "M_H comes near to the improved Laplace mechanism": (FAILS, 3, 0),
    "The printed density is one": (FAILS, 8, 0),
    "Hellinger distance bounds total variation": (HOLDS, 224, 224),
    "ELap(x) / (epsilon LS(x)) is bounded in n": (HOLDS, 24, 24),
    "LSHist stays strictly within LS(x)": (FAILS, 126, 30),
    "LSHist stays within LS(x)": (HOLDS, 126, 126),
    "P(-1 <= Y < 2)": (HOLDS, 3, 3),
    "ELap(x) = LS(x) at gamma = e^{-epsilon}": (
        "holds only if alpha_1 + c_1 = alpha_2 + c_2 and no count is 0", 126, 51),
    "ELap(x) is at most the farthest of ln(1/gamma)/epsilon steps": (HOLDS, 126, 126),
    "ELap(x)/LS(x) is of the order of ln(1/gamma)/epsilon": ("holds only if ln(1/gamma) >= epsilon", 126, 95),
    "LSHist stays within k steps with probability at most 1 - e^{-k epsilon}": (FAILS, 348, 107),
    "ELap(x)/LS(x) is below 2": (HOLDS, 126, 126),
}


# --- the second route: the numbers of a case, in its order, from the oracles and the case's inputs ---


def law(name: str, x: dict[str, Any], **more: Any) -> oracles.Law:
    return oracles.LAWS[name](x["prior"], x["counts"], epsilon=x["epsilon"], **more)


def loss(name: str, x: dict[str, Any], **parameters: Any) -> oracles.PrivacyLoss:
    laws = oracles.laws_of_all_datasets(name, x["prior"], x["n"], **{"epsilon": x["epsilon"], **parameters})
    return oracles.privacy_loss(laws, x["prior"], x["n"])


def distance(x: dict[str, Any], released: tuple[int, ...]) -> Any:
    return oracles.posterior_distance(x["prior"], x["counts"], released)


def global_sensitivity(x: dict[str, Any]) -> Numbers:
    return [oracles.PAPER_GLOBAL_SENSITIVITY, oracles.global_sensitivity(x["prior"], x["n"])]


def captioned_sensitivity(x: dict[str, Any]) -> Numbers:
    """For n = 100 records of three kinds the worst datasets have a few records only in two of the categories."""
    worst = max(oracles.local_sensitivity(x["prior"], c) for c in itertools.permutations((0, 1, x["n"] - 1)))
    return [0.239992747797, worst, oracles.hellinger_mp((7, 4), (8, 3))]


def captioned_smoothness(x: dict[str, Any]) -> Numbers:
    n, epsilon, delta = x["n"], x["epsilon"], x["delta"]
    stated, shifted = (math.log(1 - epsilon / (2 * math.log(delta / (2 * size)))) for size in (n + 1, n))
    return [0.0699407108115, stated, shifted, oracles.nrs_beta(n, 3, epsilon, delta)]


def number_of_candidates(claimed: Callable[[int, int], int]) -> Route:
    return lambda x: [claimed(x["n"], x["k"]), len(list(oracles.compositions(x["n"], x["k"])))]


def largest_move(x: dict[str, Any]) -> Numbers:
    return [x["k"], max(2 * oracles.steps(x["counts"], other) for other in oracles.neighbours(x["counts"]))]


def smoothed_at_one(x: dict[str, Any]) -> Numbers:
    return [oracles.local_sensitivity(x["prior"], x["counts"]), oracles.smooth_reciprocal(x["prior"], x["counts"], 1)]


def local_loss(x: dict[str, Any]) -> Numbers:
    return [loss("EHDL", x).epsilon]


def paper_constant_loss(x: dict[str, Any]) -> Numbers:
    found = loss("EHD", x, global_sensitivity="paper").epsilon
    return [found, oracles.global_sensitivity(x["prior"], x["n"]), oracles.PAPER_GLOBAL_SENSITIVITY]


def zhang_loss(x: dict[str, Any]) -> Numbers:
    return [loss("LSZhang", x | {"prior": (1,) * x["k"]}).epsilon, x["epsilon"] / x["k"]]


def small_scale_loss(x: dict[str, Any]) -> Numbers:
    """Scale epsilon/2 on both counts, from the clamped noise itself."""
    laws = {}
    for counts in oracles.compositions(x["n"], 2):
        first, second = (oracles.clamped_laplace(c, x["n"], x["epsilon"] / 2) for c in counts)
        laws[counts] = {(i, j): p * q for i, p in enumerate(first) for j, q in enumerate(second)}
    return [oracles.privacy_loss(laws, (1, 1), x["n"]).epsilon, 4 / x["epsilon"]]


def log_ratios(x: dict[str, Any]) -> Numbers:
    here, there = (oracles.law_lszhang((1, 1), x[which], x["epsilon"], "2") for which in ("counts", "neighbour"))
    ratios = [oracles.mp.log(here[r] / there[r]) for r in here]
    return [min(ratios), max(ratios)]


def no_delta(x: dict[str, Any]) -> Numbers:
    """The two normalisers agree by symmetry: the logarithm of their ratio is 0 and has no logarithm itself."""
    rate = [oracles.rate_ehdnrs(x["prior"], x[which], x["epsilon"]) for which in ("counts", "neighbour")]
    normaliser = [oracles.exponential_pmf(x["prior"], x[which], r).log_partition
                  for which, r in zip(("counts", "neighbour"), rate, strict=True)]
    return [normaliser[0] - normaliser[1], math.nan]


def spread_of_a_step(x: dict[str, Any]) -> Numbers:
    equally_far = [distance(x, r) for r in oracles.compositions(sum(x["counts"]), len(x["counts"]))
                   if oracles.steps(x["counts"], r) == x["steps"]]
    return [min(equally_far), max(equally_far)]


def twins(x: dict[str, Any]) -> Numbers:
    far = distance(x, x["candidate"])
    candidates = oracles.compositions(sum(x["counts"]), len(x["counts"]))
    return [sum(abs(distance(x, r) - far) < 1e-30 for r in candidates)]


def listed_sum(x: dict[str, Any]) -> Numbers:
    return [sum(x["listed"]), oracles.steps((5, 5, 5), x["listed"])]


def of_distance(x: dict[str, Any], r: tuple[int, ...]) -> Any:
    """P[u(x, z) = u(x, r)] under EHDNRS."""
    found = oracles.distance_law(law("EHDNRS", x), x["prior"], x["counts"])
    return next(p for h, p in zip(*found, strict=True) if abs(h - distance(x, r)) < 1e-30)


def slide(sign: int) -> Route:
    def spare(x: dict[str, Any]) -> Numbers:
        rate = oracles.rate_ehdnrs(x["prior"], x["counts"], x["epsilon"])
        moved = distance(x, x["t"]) - distance(x, x["r"])
        return [sign * rate * moved + math.log(2) + oracles.mp.log(of_distance(x, x["t"]) / of_distance(x, x["r"]))]

    return spare


def bound_of_pair(granted: Callable[[dict[str, Any]], Any]) -> Route:
    return lambda x: [oracles.mp.exp(x["epsilon"] / 2) * of_distance(x, x["t"]) + granted(x), of_distance(x, x["r"])]


def dilated(x: dict[str, Any]) -> Any:
    ratio = distance(x, x["t"]) / distance(x, x["r"])
    return 1 - (sum(x["counts"]) + 1) * oracles.mp.exp(x["epsilon"] / (2 * (1 - ratio)))


def floored(x: dict[str, Any]) -> Numbers:
    p, t = math.exp(-x["epsilon"] / 2), x["t"]
    exact = oracles.laplace_cdf(t + 1, 2 / x["epsilon"]) - oracles.laplace_cdf(t, 2 / x["epsilon"])
    return [(p ** (t - 1) - p**t) / 2, exact]


def mean_of_floor(x: dict[str, Any]) -> Numbers:
    scale = 2 / x["epsilon"]
    cells = range(-int(60 * scale), int(60 * scale) + 1)
    edges = [oracles.laplace_cdf(d, scale) for d in [*cells, cells[-1] + 1]]
    return [0.0, float(sum(d * (b - a) for d, (a, b) in zip(cells, itertools.pairwise(edges), strict=True)))]


def largest_noise(x: dict[str, Any]) -> Numbers:
    each = 1 - 2 * oracles.laplace_cdf(-math.log(x["k"] / x["probability"]), 1)
    return [x["probability"], 1 - each ** x["k"]]


def total_noise(x: dict[str, Any]) -> Numbers:
    """P(sum of k exponentials > y) = e^{-y} sum_{j < k} y^j / j!."""
    y = x["factor"] * math.log(x["k"] / x["probability"])
    return [x["probability"], math.exp(-y) * sum(y**j / math.factorial(j) for j in range(x["k"]))]


def m_h(x: dict[str, Any]) -> tuple[oracles.ExponentialLaw, Any]:
    """M_H of [P17] Definition 6, exp(-epsilon H / (2 S)), and epsilon / S."""
    twice = x["epsilon"] / oracles.smooth_reciprocal(x["prior"], x["counts"], 1)
    return oracles.exponential_pmf(x["prior"], x["counts"], twice / 2), twice


def exact_tail(x: dict[str, Any]) -> Numbers:
    found, twice = m_h(x)
    beyond = [(h, p) for h, p in zip(found.distance, found.probability, strict=True) if h > x["h"] - 1e-12]
    printed = sum(oracles.mp.exp(-twice * h) for h, _ in beyond) / oracles.mp.exp(found.log_partition)
    return [printed, sum(p for _, p in beyond)]


def normalised_tail(x: dict[str, Any]) -> Numbers:
    found, twice = m_h(x)
    bound = len(found.candidates) * oracles.mp.exp(-twice * x["h"]) / oracles.mp.exp(found.log_partition)
    return [bound, exact_tail(x)[1]]


def tail_bound(selection: Callable[[dict[str, Any]], oracles.ExponentialLaw]) -> Route:
    def numbers(x: dict[str, Any]) -> Numbers:
        found = selection(x)
        pairs = list(zip(found.distance, found.probability, strict=True))
        rate = -oracles.mp.log(pairs[0][1] / pairs[-1][1]) / (pairs[0][0] - pairs[-1][0]) \
            if pairs[0][0] != pairs[-1][0] else x["epsilon"] / (2 * oracles.global_sensitivity(x["prior"], 2))
        return [len(pairs) * oracles.mp.exp(-rate * x["h"]), sum(p for h, p in pairs if h > x["h"] - 1e-12)]

    return numbers


def ehd(x: dict[str, Any]) -> oracles.ExponentialLaw:
    rate = oracles.rate_ehd(x["prior"], x["counts"], x["epsilon"])
    return oracles.exponential_pmf(x["prior"], x["counts"], rate)


def within_steps(x: dict[str, Any], name: str, **more: Any) -> Any:
    first, second = x["counts"]
    found = oracles.distance_law(law(name, x, **more), x["prior"], x["counts"])
    return found.cdf(distance(x, (first + x["k"], second - x["k"])))


def stepped(claimed: Callable[[int, float, int, dict[str, Any]], float], name: str, **more: Any) -> Route:
    return lambda x: [claimed(x["k"], x["epsilon"], sum(x["counts"]), x), within_steps(x, name, **more)]


def one_minus_two_tails(k: int, epsilon: float) -> float:
    return 1 - (math.exp(-k * epsilon) + math.exp(-(k + 1) * epsilon)) / 2


def local_rate(x: dict[str, Any]) -> float:
    return float(oracles.rate_ehdl(x["prior"], x["counts"], x["epsilon"]))


def within_sensitivity(strictly: bool) -> Route:
    def numbers(x: dict[str, Any]) -> Numbers:
        found = oracles.distance_law(law("LSHist", x), x["prior"], x["counts"])
        local = oracles.local_sensitivity(x["prior"], x["counts"])
        level = [p for h, p in zip(*found, strict=True) if (h < local - 1e-12 if strictly else h < local + 1e-12)]
        return [one_minus_two_tails(1, x["epsilon"]), sum(level)]

    return numbers


def elap(x: dict[str, Any], probability: float) -> Any:
    return oracles.distance_law(law("LSHist", x), x["prior"], x["counts"]).quantile(1 - probability - 1e-13)


def elap_at_epsilon(x: dict[str, Any]) -> Numbers:
    return [oracles.local_sensitivity(x["prior"], x["counts"]), elap(x, math.exp(-x["epsilon"]))]


def elap_ratio(probability: Callable[[dict[str, Any]], float]) -> Route:
    def numbers(x: dict[str, Any]) -> Numbers:
        local = oracles.local_sensitivity(x["prior"], x["counts"])
        return [elap(x, probability(x)) / local, -math.log(probability(x)) / x["epsilon"]]

    return numbers


def mean_distances(x: dict[str, Any]) -> Numbers:
    """M_H and the baseline of scale 2/epsilon, consistent, at k = 2."""
    baseline = law("LSDim", x, consistent=True)
    return [m_h(x)[0].mean, sum(p * distance(x, r) for r, p in baseline.items())]


def large_mean_distances(x: dict[str, Any]) -> Numbers:
    """The same in float64, for 1,000 records: LS by both neighbours, S over all datasets, P listed."""
    (a, b), (first, _), n = x["prior"], x["counts"], sum(x["counts"])
    step = [oracles.hellinger_float((a + u, b + n - u), (a + u + 1, b + n - u - 1)) for u in range(n)]
    local = [max(step[max(u - 1, 0)], step[min(u, n - 1)]) for u in range(n + 1)]
    smooth = max(1 / (1 / s + abs(u - first)) for u, s in enumerate(local))
    far = np.array([oracles.hellinger_float((a + first, b + n - first), (a + u, b + n - u)) for u in range(n + 1)])
    weight = np.exp(-x["epsilon"] * far / (2 * smooth))
    noise = np.array([float(p) for p in oracles.clamped_laplace(first, n, 1 / x["epsilon"])])
    means = [float(weight @ far / weight.sum()), float(noise @ far)]
    return [*means, means[0] / means[1]]


def printed_density(x: dict[str, Any]) -> Numbers:
    a, b = (oracles.mp.mpf(value) for value in x["prior"])
    integral = oracles.mp.quad(lambda t: t**a * (1 - t) ** b, [0, 1])
    return [1, integral / oracles.mp.beta(a, b)]


def total_variation(x: dict[str, Any]) -> Numbers:
    a, b = (oracles.posterior(x["prior"], x[which]) for which in ("counts", "neighbour"))
    far = oracles.hellinger_mp(a, b)
    # mass of the stretch where one density is above the other, which is to the left of where they meet
    meet = oracles.mp.findroot(lambda t: oracles.beta_pdf(t, *a) - oracles.beta_pdf(t, *b), (0.3, 0.7))
    return [far**2, abs(oracles.beta_cdf(meet, *a) - oracles.beta_cdf(meet, *b)), math.sqrt(2) * far]


def below_two(x: dict[str, Any]) -> float:
    return (math.exp(-x["epsilon"]) + math.exp(-2 * x["epsilon"])) / 2


# The case that decides each finding: the smallest counter-example, or of a claim that holds the nearest to failing.
ROUTES: dict[str, Route] = {
    "The global sensitivity is at most sqrt(1 - pi/4)": global_sensitivity,
    "The global sensitivity equals sqrt(1 - pi/4)": global_sensitivity,
    "The notes' global sensitivity 0.2399927": captioned_sensitivity,
    "The notes' smoothness beta": captioned_smoothness,
    "There are C(n + 1, k - 1) candidates": number_of_candidates(lambda n, k: math.comb(n + 1, k - 1)),
    "There are n + 1 candidates": number_of_candidates(lambda n, k: n + 1),
    "L1 sensitivity grows with the dimension": largest_move,
    "gamma = 1 smooths": smoothed_at_one,
    "Four mechanisms keep epsilon": lambda x: [x["epsilon"], loss(x["mechanism"], x).epsilon],
    "EHD keeps epsilon with sqrt(1 - pi/4)": paper_constant_loss,
    "LSZhang keeps epsilon": lambda x: [loss("LSZhang", x | {"prior": (1, 1)}, scale_rule="2").epsilon],
    "LSZhang needs its scale 2k/epsilon": zhang_loss,
    "EHDL is not private": local_loss,
    "The printed delta of M_H is a probability": no_delta,
    "The concrete loss lies below epsilon": lambda x: [loss("EHDNRS", x, delta=x["delta"]).epsilon],
    "The noise written as Lap(epsilon/2) keeps epsilon": small_scale_loss,
    "The ratio of two neighbours' probabilities is e^epsilon": log_ratios,
    "Equal steps, equal distance": spread_of_a_step,
    "At most two candidates share a distance": twins,
    "Every candidate but the truth has a twin": twins,
    "The six listed neighbours of Dir(5, 5, 5)": listed_sum,
    "Sliding, as printed": slide(-1),
    "Sliding, as derived": slide(1),
    "The notes' sliding property": bound_of_pair(lambda x: 5e-9),
    "The notes' dilation property": bound_of_pair(lambda x: 5e-9),
    "Dilation": bound_of_pair(dilated),
    "The probabilities of floored Laplace noise": floored,
    "Floored noise is centred": mean_of_floor,
    "The largest of k noises exceeds (2/epsilon) ln(k/p) with probability p": largest_noise,
    "The sum of k noises exceeds k (2/epsilon) ln(k/p) with probability at most p": total_noise,
    "The same with n in place of k": total_noise,
    "The tail of the exponential mechanism": tail_bound(ehd),
    "The tail of M_H": tail_bound(lambda x: m_h(x)[0]),
    "The exact tail of M_H": exact_tail,
    "The tail of M_H with its normaliser": normalised_tail,
    "LSZhang within k steps": stepped(
        lambda k, e, n, x: one_minus_two_tails(k, e / 2) ** 2, "LSZhang", scale_rule="2"),
    "LSZhang within k steps, at least": stepped(
        lambda k, e, n, x: (1 - math.exp(-k * e / 2)) ** 2, "LSZhang", scale_rule="2"),
    "LSHist within k steps": stepped(lambda k, e, n, x: one_minus_two_tails(k, e), "LSHist"),
    "LSHist within k steps, at least": stepped(lambda k, e, n, x: 1 - math.exp(-k * e), "LSHist"),
    "EHD within k steps, at least": stepped(
        lambda k, e, n, x: (2 * k * math.exp(-e) + 1) / n, "EHD", global_sensitivity="paper"),
    "EHD within k steps, at most": stepped(
        lambda k, e, n, x: (2 * k + 1) / (n * math.exp(-e)), "EHD", global_sensitivity="paper"),
    "EHDL within k steps, at least": stepped(
        lambda k, e, n, x: (2 * k * math.exp(-local_rate(x)) + 1) / n, "EHDL"),
    "EHDL within k steps, at most": stepped(
        lambda k, e, n, x: (2 * k + 1) / (n * math.exp(-local_rate(x))), "EHDL"),
    "The last step for EHD": lambda x: [
        math.exp(-x["epsilon"] / (2 * float(oracles.PAPER_GLOBAL_SENSITIVITY))), math.exp(-x["epsilon"])],
    "M_H overtakes the baseline at n = 300": mean_distances,
    "M_H comes near to the improved Laplace mechanism": large_mean_distances,
    "The printed density is one": printed_density,
    "Hellinger distance bounds total variation": total_variation,
    "LSHist stays strictly within LS(x)": within_sensitivity(True),
    "LSHist stays within LS(x)": within_sensitivity(False),
    "ELap(x) = LS(x) at gamma = e^{-epsilon}": elap_at_epsilon,
    "ELap(x)/LS(x) is of the order of ln(1/gamma)/epsilon": elap_ratio(lambda x: 0.1),
    "LSHist stays within k steps with probability at most 1 - e^{-k epsilon}": stepped(
        lambda k, e, n, x: 1 - math.exp(-k * e), "LSHist"),
    "ELap(x)/LS(x) is below 2": elap_ratio(below_two),
}


def decisive(finding: Finding) -> Case:
    found = finding.counterexample or finding.nearest or finding.example
    assert found is not None
    return found


def test_every_claim_says_what_where_and_from_whom() -> None:
    for claim in CLAIMS:
        assert claim.statement.endswith(".") and claim.grid and claim.source.startswith(("[D20]", "[P20]", "[P17]",
                                                                                          "[N]", "[L17]")), claim.name
    assert len(BY_NAME) == len(CLAIMS)


def test_every_verdict_is_pinned() -> None:
    assert list(VERDICTS) == [claim.name for claim in CLAIMS]
    assert {name for name, (label, _, _) in VERDICTS.items() if label != HOLDS} <= set(ROUTES)


@pytest.mark.parametrize("name", VERDICTS)
def test_verdict(name: str) -> None:
    finding = BY_NAME[name].finding
    assert (finding.label, finding.visited, finding.held) == VERDICTS[name]
    assert finding.words.endswith(".")


@pytest.mark.parametrize("name", ROUTES)
def test_the_deciding_case_by_brute_force(name: str) -> None:
    found = decisive(BY_NAME[name].finding)
    numbers = [value for _, value in found.numbers if isinstance(value, float | int)]
    expected = [float(value) for value in ROUTES[name](dict(found.inputs))]
    np.testing.assert_allclose(numbers, expected, rtol=1e-8, atol=1e-12)


def test_exact_delta_of_the_claimed_guarantee() -> None:
    prior, n, epsilon, delta = (100, 1000, 100), 6, 5.0, 0.8
    claim = BY_NAME["(epsilon, delta) for the exponential smooth sensitivity"]
    reading = claim.check(Setting(Problem(prior, (2, 2, 2)), epsilon, delta=delta))
    laws = oracles.laws_of_all_datasets("EHDNRS", prior, n, epsilon=epsilon, delta=delta)
    exact = oracles.privacy_profile(laws, prior, n, [epsilon])[0]
    assert 0 < exact < delta and reading.holds
    assert dict(reading.numbers)["exact delta"] == pytest.approx(float(exact), rel=1e-8)


def test_where_EHDL_loses_more_than_epsilon() -> None:
    finding = BY_NAME["EHDL is not private"].finding
    assert finding.example is not None
    x = dict(finding.example.inputs)
    assert x == {"prior": (100.0, 1000.0, 100.0), "n": 10, "epsilon": 0.1}
    reading = BY_NAME["EHDL is not private"].check(Setting(Problem((100, 1000, 100), (5, 15, 5))))
    assert reading.holds and dict(reading.numbers)["exact loss"] == pytest.approx(2.0627, abs=1e-4)


def test_equal_distances_at_other_data() -> None:
    """Two categories whose posterior is not symmetric, a symmetric one, and (2, 2, 2)."""
    steps = BY_NAME["Equal steps, equal distance"]
    assert not steps.check(Problem((1, 1), (3, 5))).holds
    assert steps.check(Problem((2, 1), (3, 4))).holds
    assert not steps.check(Problem((1, 1, 1), (2, 2, 2))).holds
    most = dict(BY_NAME["At most two candidates share a distance"].check(Problem((1, 1, 1), (2, 2, 2))).numbers)
    far = [oracles.posterior_distance((1, 1, 1), (2, 2, 2), r) for r in oracles.compositions(6, 3)]
    shared = max(sum(abs(a - b) < 1e-30 for b in far) for a in far)
    assert most == {"candidates at its distance": shared} and shared > 2


def test_exact_crossover_by_listing_every_size() -> None:
    """At epsilon = 0.1 and k = 3 LSHist leads from n = 24 on; Corollary 4.5.1 says from 29.8 on."""
    found = decisive(BY_NAME["From which size on LSHist beats EHD"].finding)
    x = dict(found.inputs)
    assert (x["epsilon"], x["k"], dict(found.numbers)["exact crossover n"]) == (0.1, 3, 24)
    leads = []
    for m in range(4, 16):
        at = {"prior": (1, 1), "counts": (m, m), "epsilon": 0.1, "k": 3}
        leads.append(within_steps(at, "LSHist") > within_steps(at, "EHD", global_sensitivity="paper"))
    assert leads == [2 * m >= 24 for m in range(4, 16)]


def test_M_H_overtakes_the_baseline_twice() -> None:
    """Nearer than the baseline with very few records, then farther, and nearer again well before n = 300."""
    claim = BY_NAME["M_H overtakes the baseline at n = 300"]
    nearer = {}
    for n in (2, 10, 14, 100, 200, 220, 300):
        numbers = dict(claim.check(Problem((1, 1), (n // 2, n // 2))).numbers)
        nearer[n] = numbers["mean H of M_H"] < numbers["of the baseline"]
    assert nearer == {2: True, 10: True, 14: False, 100: False, 200: False, 220: True, 300: True}


def test_the_written_probabilities_of_floored_noise_are_those_of_the_value_before() -> None:
    for t in (1, 2, 5):
        printed = floored({"epsilon": 1.0, "t": t})[0]
        assert printed == pytest.approx(float(floored({"epsilon": 1.0, "t": t - 1})[1]))


# --- a finding follows from its cases, and only from them ---


def invented(margins: dict[float, tuple[bool, float]], **options: Any) -> Claim:
    """A claim whose cases at epsilon are (within, margin)."""
    def cases(setting: Setting) -> list[Case]:
        within, margin = margins[setting.epsilon]
        return [case(setting.named("epsilon"), {"margin": margin}, margin, within)]

    return Claim("invented", "Invented.", "ours", Grid(epsilons=tuple(margins)), cases, **options)


def test_a_claim_that_is_kept_everywhere_holds() -> None:
    finding = invented({1.0: (True, 0.5), 2.0: (True, 0.0)}).finding
    assert (finding.label, finding.counterexample) == ("holds", None)
    assert finding.nearest is not None and dict(finding.nearest.inputs) == {"epsilon": 2.0}


def test_one_broken_case_breaks_a_claim_and_is_shown() -> None:
    finding = invented({1.0: (True, 0.5), 2.0: (True, -0.1), 3.0: (True, -0.9)}).finding
    assert finding.label == "fails" and finding.counterexample is not None and finding.worst is not None
    assert dict(finding.counterexample.inputs) == {"epsilon": 2.0} and dict(finding.worst.inputs) == {"epsilon": 3.0}
    assert "2 of 3 cases" in finding.words and "epsilon = 2" in finding.words


@pytest.mark.parametrize(
    ("margins", "label"),
    [
        ({1.0: (True, 0.5), 2.0: (False, -0.1)}, "holds only if asked"),
        ({1.0: (True, -0.5), 2.0: (False, -0.1)}, "fails"),
        ({1.0: (False, 0.5), 2.0: (False, -0.1)}, "fails"),
        ({1.0: (True, 0.5), 2.0: (False, 0.1)}, "holds"),
    ],
)
def test_a_condition_must_save_the_claim_to_be_named(margins: dict[float, tuple[bool, float]], label: str) -> None:
    assert invented(margins, condition="asked").finding.label == label


def test_one_case_shows_that_something_happens() -> None:
    assert invented({1.0: (True, -1.0), 2.0: (True, 0.3)}, everywhere=False).finding.label == "holds"
    assert invented({1.0: (True, -1.0), 2.0: (True, -0.3)}, everywhere=False).finding.label == "fails"


def test_margin_is_relative_and_signed() -> None:
    assert at_most(1.0, 2.0) == 0.5 and at_most(2.0, 1.0) == -0.5 and at_most(0.0, 0.0) == 0.0


# --- the person's own problem ---

PROBLEMS = [
    Problem((1, 1), (3, 5)),
    Problem((1, 1), (0, 0)),
    Problem((0.5, 0.5), (1, 0)),
    Problem((1, 1, 1), (2, 0, 3)),
    Problem((1.0,) * 12, (10,) * 12),
    Problem((1, 1), (4 * 10**15 - 1, 1)),
]


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: f"n={problem.n},k={problem.k}")
@pytest.mark.parametrize("epsilon", [1e-9, 1.0, 1e6])
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_any_problem_gets_a_reading_or_a_sentence(problem: Problem, epsilon: float) -> None:
    readings = 0
    for claim in CLAIMS:
        if claim.name.startswith("ELap(x) / (epsilon"):  # the grid of n is its own: seconds at the least epsilon
            continue
        try:
            reading = claim.check(Setting(problem, epsilon))
        except ValueError as refusal:
            assert str(refusal).endswith((".", "(got n = 0).")) and "got" in str(refusal), refusal
            continue
        readings += 1
        assert reading.sentence.startswith("Here it ") and reading.numbers == reading.decisive.numbers
        assert not re.search(r"\b(N|K|Epsilon|Gamma) = ", reading.sentence), "a symbol keeps its letter"
        assert reading.holds == (all if claim.everywhere else any)(one.holds for one in reading.cases)
    assert readings >= 10


def test_check_takes_a_problem_a_setting_or_a_scenario() -> None:
    @dataclasses.dataclass(frozen=True)
    class Sidebar:
        problem: Problem
        epsilon: float
        gamma: float

    claim, problem = BY_NAME["Four mechanisms keep epsilon"], Problem((1, 1), (3, 5))
    assert claim.check(problem) == claim.check(Setting(problem)) == claim.check(Sidebar(problem, 1.0, 1.0))
    assert len(claim.check(problem).cases) == 4
    assert claim.check(Sidebar(problem, 2.0, 1.0)).setting.epsilon == 2.0


def test_the_claims_on_their_page() -> None:
    """All findings in one table; the chosen claim at the person's data, or the sentence that refuses it."""
    at = shown(opened(), "pages/6_Papers.py")
    table = next(frame.value for frame in at.dataframe if "Verdict" in frame.value)
    assert list(table["Claim"]) == list(VERDICTS)
    assert list(table["Verdict"]) == [label for label, _, _ in VERDICTS.values()]
    select(at, "claim", "There are C(n + 1, k - 1) candidates")
    reading = BY_NAME["There are C(n + 1, k - 1) candidates"].check(Problem((1, 1, 1), (5, 0, 7)))
    typed(at, "5 0 7")
    assert not reading.holds and reading.sentence in everything(shown(at, "pages/6_Papers.py"))
    select(at, "claim", "LSHist within k steps")
    assert "This claim speaks of two categories" in everything(at) and not at.exception


def test_a_claim_is_a_frozen_value() -> None:
    claim = CLAIMS[0]
    with pytest.raises(dataclasses.FrozenInstanceError):
        claim.name = "another"  # type: ignore[misc]
    assert claim.finding is claim.finding
    hash((claim, claim.finding, claim.check(Problem((1, 1), (1, 1)))))
