"""What the papers conclude from their figures, at the data of those figures: balanced data and flat priors."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from scipy.special import digamma, gammaln

from dpbi.accuracy.distance_law import distance_law
from dpbi.accuracy.error import expected_error
from dpbi.data.synthesis import balanced_counts
from dpbi.mechanisms import EHD, EHDNRS, EHDS, LSDim, LSHist, LSZhang
from dpbi.mechanisms.distance_table import slack
from dpbi.mechanisms.printed_bound import printed_bound
from dpbi.papers.figures.settings import RUNS
from dpbi.posterior.hellinger import distances_to
from dpbi.sensitivity import global_sensitivity, local_sensitivity, smooth_sensitivity

from .accuracy import NEAR, mean_case, means, overtaking, smoothed
from .claim import (
    Case,
    Claim,
    Grid,
    Problem,
    Setting,
    at,
    at_most,
    balanced,
    candidates_of,
    case,
    listed_law,
    need,
    shown,
    true,
    two_categories,
)

_ERRORS = 5.0  # standard errors by which a simulated mean must differ
_SHOWN = ((49, 49), (20, 20, 20), (20, 20, 20, 20), (1, 1, 1, 77))
_FEW = 30  # records, the fewest of the grid
_MEDIUM = 1.25  # epsilon
_MUCH = 2.0  # "much higher": more than twice
_DEFINED = "Definition 2.1"
_SMALL_PRIOR, _LARGE_PRIOR = 5.0, 100.0
_SOME, _MANY = 100, 1_500  # records
_BOTH_EXPONENTS = "the exponents of Definition 2.1 and of section 4.4"
_THEIR_EXPONENT = "the exponent is section 4.4's, and epsilon and delta are 0.8"


def _against_global(problem: Problem, setting: Setting) -> Iterator[Case]:
    """EHDS and EHD, both proved to keep the same epsilon. E[H] falls in the rate, by Var(H), and the rates are
    epsilon over twice (1 + gamma) S(x) and GS."""
    need(problem.n > 0, "This claim needs at least one record: got n = 0.")
    smoothed_by = (1 + setting.gamma) * smooth_sensitivity(problem, setting.gamma)
    fixed_by = global_sensitivity(problem.prior, problem.n)
    smooth, fixed = (listed_law(one, problem).mean for one in (EHDS(setting.epsilon, setting.gamma),
                                                               EHD(setting.epsilon)))
    yield case(setting.named("prior", "counts", "epsilon", "gamma"),
               {"(1 + gamma) S(x)": smoothed_by, "GS": fixed_by, "mean H of EHDS": smooth, "of EHD": fixed},
               at_most(smooth, fixed), within=smoothed_by < fixed_by)


def _against_global_as_printed(problem: Problem, setting: Setting) -> Iterator[Case]:
    """exp(-epsilon H / (2 S)) of both definitions, which are not proved to keep epsilon, against exp(-epsilon H / (2
    GS))."""
    need(problem.n > 0, "This claim needs at least one record: got n = 0.")
    fixed = listed_law(EHD(setting.epsilon), problem).mean
    for name, mechanism in (("Definition 3", EHDNRS(setting.epsilon, setting.delta)),
                            ("Definition 6", smoothed(setting))):
        smooth = listed_law(mechanism, problem).mean
        yield case({"M_H": name} | setting.named("prior", "counts", "epsilon", "delta"),
                   {"mean H of M_H": smooth, "of EHD": fixed}, at_most(smooth, fixed))


def _infinitely_far(problem: Problem, setting: Setting) -> Iterator[Case]:
    """KL(truth || release) is finite; the chi-square distance of a from b, the integral of a^2/b less 1, is
    B(2 a - b) B(b) / B(a)^2 - 1, and infinite once some 2 a_i <= b_i. M_H gives every candidate a probability."""
    candidates = candidates_of(problem)
    probability = np.exp(smoothed(setting).log_pmf(problem, candidates))
    truth, release = np.array(problem.posterior), candidates + np.array(problem.prior)
    kl = _log_beta(release) - _log_beta(truth) + (truth - release) @ (digamma(truth) - digamma(truth.sum()))
    finite = (2 * truth > release).all(axis=1)
    near = release[finite]
    log_square = _log_beta(2 * truth - near) + _log_beta(near) - 2 * _log_beta(truth)
    square = np.expm1(np.minimum(log_square, 700.0))
    for measure, few, mean in (("KL divergence", np.ones_like(finite), float(probability @ np.maximum(kl, 0.0))),
                               ("chi-square", finite, float(probability[finite] @ np.maximum(square, 0.0)))):
        far = int((~few).sum())
        yield case({"measure": measure} | setting.named("prior", "counts", "epsilon"),
                   {"candidates infinitely far": far, "mean error": "infinite" if far else mean}, true(far == 0),
                   within=measure == "KL divergence"
                   or all(2 * a > weight + problem.n for a, weight in zip(truth, problem.prior, strict=True)))


def _log_beta(parameters: np.ndarray) -> np.ndarray:
    return gammaln(parameters).sum(axis=-1) - gammaln(parameters.sum(axis=-1))


def _not_significant(problem: Problem, setting: Setting) -> Iterator[Case]:
    """Laplace's lead in the mean H against the larger standard deviation of one release, and against two standard
    errors of the means of 1,000 runs each."""
    smooth, noise = _notes_pair(setting, _SHOWN[1:2], "the counts (20, 20, 20)")
    law = distance_law(noise, problem)
    need(law.kind == "levels", f"This claim needs exact laws: got epsilon = {printed_bound(setting.epsilon)}.")
    laplace = _moments(*law.levels())
    for exponent, selection in _exponents(smooth, problem):
        here = _moments(*selection)
        lead = here[0] - laplace[0]
        for against, size in (("one release's spread", math.sqrt(max(here[1], laplace[1]))),
                              ("two standard errors of 1,000 runs", 2 * math.sqrt((here[1] + laplace[1]) / RUNS))):
            yield case(setting.named("counts", "epsilon", "delta") | {"exponent of": exponent, "against": against},
                       {"Laplace's lead": lead, "that": size}, at_most(lead, size),
                       within=_as_in_the_figures(exponent, setting) and against == "one release's spread")


def _bad_answers(problem: Problem, setting: Setting) -> Iterator[Case]:
    """P(H > 1/2) of Laplace against half of the smooth sensitivity's; where sampled, beyond its band."""
    smooth, noise = _notes_pair(setting, _SHOWN[2:], "the notes' two datasets of four categories")
    law = distance_law(noise, problem)
    laplace = 1 - law.cdf(0.5)
    for exponent, (distance, probability) in _exponents(smooth, problem):
        bad = float(probability[distance > 0.5].sum())
        yield case(setting.named("counts", "epsilon", "delta") | {"exponent of": exponent},
                   {"P(H > 1/2), Laplace": laplace, "smooth": bad},
                   at_most(bad, _MUCH * laplace) if abs(_MUCH * laplace - bad) > _MUCH * law.band else 0.0)


def _exponents(mechanism: EHDNRS, problem: Problem) -> Iterator[tuple[str, tuple[np.ndarray, np.ndarray]]]:
    """Distances and probabilities of all candidates: by exp(-epsilon H / (2 S)), and without the 2, as the figures'
    section prints it."""
    distance = distances_to(problem, candidates_of(problem))
    for name, times in ((_DEFINED, 1.0), ("section 4.4", 2.0)):
        weight = np.exp(-times * mechanism.rate(problem) * distance)
        yield name, (distance, weight / weight.sum())


def _moments(distance: np.ndarray, probability: np.ndarray) -> tuple[float, float]:
    """Mean and variance."""
    mean = float(probability @ distance)
    return mean, float(probability @ (distance - mean) ** 2)


def _falling(problem: Problem, setting: Setting) -> Iterator[Case]:
    """The mean distance at n balanced records against that at 3 n."""
    larger = means(replace(setting, problem=problem.with_counts(balanced_counts(problem.k, 3 * problem.n))))
    for name, here in means(setting).items():
        yield case({"mechanism": name} | setting.named("counts", "epsilon"), {"mean H": here, "at 3 n": larger[name]},
                   at_most(larger[name], here))


def flat_and_balanced(problem: Problem) -> None:
    """Of a flat prior, and of data that are as even as can be."""
    need(set(problem.prior) == {1.0},
         f"This claim speaks of a flat prior only, so not of yours: got {shown(problem.prior)}.")
    balanced(problem)


def _near(problem: Problem, setting: Setting, improved: bool) -> Iterator[Case]:
    """P(H = 0) and P(H <= LS) of the baseline are at most those of M_H, or M_H's at most the improved mechanism's."""
    epsilon = setting.epsilon
    rival, name = (LSHist(epsilon), "of the improved") if improved else (LSDim(epsilon), "of the baseline")
    laws = [listed_law(one, problem) for one in (smoothed(setting), rival)]
    for near, (smooth, noise) in (("H = 0", [law.probability_of_truth for law in laws]),
                                  ("H <= LS", [law.cdf(local_sensitivity(problem)) for law in laws])):
        yield case({"near": near} | setting.named("counts", "epsilon"), {"probability of M_H": smooth, name: noise},
                   at_most(smooth, noise) if improved else at_most(noise, smooth),
                   within=problem.n >= _FEW and 1 <= epsilon <= _MEDIUM)


def _overtaken_above(problem: Problem, setting: Setting) -> Iterator[Case]:
    need(problem.k > 2, "This claim speaks of three categories or more: got k = 2.")
    return overtaking(problem, setting)


def _overtaken_in_the_end(problem: Problem, setting: Setting) -> Iterator[Case]:
    """The baseline is nearer at few records, M_H at many."""
    n = problem.n
    need(problem.k > 2, "This claim speaks of three categories or more: got k = 2.")
    need(n == _SOME or n >= _MANY, f"This claim speaks of {_SOME} records, and of {_MANY:,} or more: got n = {n:,}.")
    yield mean_case(problem, setting, lambda smooth, baseline, _: at_most(smooth, baseline) if n >= _MANY else
                    at_most(baseline, smooth), within=setting.epsilon == 1)


def _small_priors(problem: Problem, setting: Setting) -> Iterator[Case]:
    """M_H against the baseline, which section 7.2.2 calls better below 300 records."""
    yield mean_case(problem, setting, _nearer_than_baseline, within=problem.n >= 300 and setting.epsilon == 1)


def _small_and_balanced(problem: Problem) -> None:
    """Of a symmetric Beta prior with small parameters, and of data that are as even as can be."""
    two_categories(problem)
    need(len(set(problem.prior)) == 1 and problem.prior[0] <= _SMALL_PRIOR,
         f"This claim speaks of a symmetric prior with parameters of at most {_SMALL_PRIOR:g}, so not of yours: got "
         f"{shown(problem.prior)}.")
    balanced(problem)


def _in_the_boxes(
    problem: Problem, setting: Setting, priors: str, margin: Callable[[float, float, float], float]
) -> Iterator[Case]:
    """One of the prior boxes: counts (50, 50) and a symmetric prior of the size spoken of."""
    need(problem.counts == (50, 50) and len(set(problem.prior)) == 1,
         f"This claim speaks of the counts (50, 50) and a symmetric prior, so not of yours: got counts "
         f"{shown(problem.counts)} and prior {shown(problem.prior)}.")
    need(priors != "small" or problem.prior[0] <= _SMALL_PRIOR,
         f"This claim speaks of small priors only, at most {_SMALL_PRIOR:g}: got {shown(problem.prior)}.")
    need(priors != "large" or problem.prior[0] >= _LARGE_PRIOR,
         f"This claim speaks of large priors only, at least {_LARGE_PRIOR:g}: got {shown(problem.prior)}.")
    yield mean_case(problem, setting, margin, within=setting.epsilon == 1)


def _nearer_than_baseline(smooth: float, baseline: float, _: float) -> float:
    return at_most(smooth, baseline)


def _notes_pair(setting: Setting, counts: Sequence[tuple[int, ...]], what: str) -> tuple[EHDNRS, LSZhang]:
    """The notes' smooth mechanism and their Laplace noise of scale 2/epsilon, at counts that they show."""
    problem = setting.problem
    need(set(problem.prior) == {1.0} and problem.counts in counts,
         f"This claim speaks of {what} and a flat prior, so not of yours: got counts {shown(problem.counts)} and prior "
         f"{shown(problem.prior)}.")
    return EHDNRS(setting.epsilon, setting.delta), LSZhang(setting.epsilon, "2")


def _notes_order(problem: Problem, setting: Setting) -> Iterator[Case]:
    """Mean H by both exponents; where only a sample tells Laplace's, by five standard errors."""
    smooth_mechanism, noise = _notes_pair(setting, _SHOWN, "the notes' four datasets")
    laplace = expected_error(noise, problem, "hellinger")
    band = 0.0 if laplace.exact else _ERRORS * laplace.high_error
    for exponent, law in _exponents(smooth_mechanism, problem):
        smooth = _moments(*law)[0]
        kept = at_most(smooth, laplace.low - band) if problem.k == 2 else at_most(laplace.high + band, smooth)
        sure = kept if kept > 0 or laplace.exact or at_most(laplace.high, smooth) < -band else 0.0
        yield case(setting.named("counts", "epsilon", "delta") | {"exponent of": exponent},
                   {"mean H, smooth sensitivity": smooth, "Laplace": laplace.high}, sure,
                   within=_as_in_the_figures(exponent, setting))


def _notes_truth(problem: Problem, setting: Setting) -> Iterator[Case]:
    """P(the truth) of Laplace noise against twice that of the smooth sensitivity."""
    pair = _notes_pair(setting, _SHOWN[2:], "the notes' two datasets of four categories")
    smooth, laplace = (math.exp(float(one.log_pmf(problem, problem.counts))) for one in pair)
    yield case(setting.named("counts", "epsilon", "delta"),
               {"P(truth), Laplace": laplace, "smooth sensitivity": smooth}, at_most(_MUCH * smooth, laplace),
               within=(setting.epsilon, setting.delta) == (0.8, 0.8))


def _notes_tails(problem: Problem, setting: Setting) -> Iterator[Case]:
    """By both exponents: P(H <= LS(x)) larger, and P(H > 1/2) smaller, than under Laplace noise."""
    smooth, noise = _notes_pair(setting, _SHOWN[:1], "the counts (49, 49)")
    local = local_sensitivity(problem)
    laplace = distance_law(noise, problem)
    noisy_good, noisy_bad = laplace.cdf(local), 1 - laplace.cdf(0.5)
    for exponent, (distance, probability) in _exponents(smooth, problem):
        good, bad = (float(probability[these].sum()) for these in (distance <= local + slack(local), distance > 0.5))
        for answers, here, there, margin in (("good, H <= LS(x)", good, noisy_good, at_most(noisy_good, good)),
                                             ("bad, H > 1/2", bad, noisy_bad, at_most(bad, noisy_bad))):
            yield case(setting.named("counts", "epsilon", "delta") | {"exponent of": exponent, "answers": answers},
                       {"smooth sensitivity": here, "Laplace": there}, margin,
                       within=_as_in_the_figures(exponent, setting))


def _as_in_the_figures(exponent: str, setting: Setting) -> bool:
    return exponent != _DEFINED and (setting.epsilon, setting.delta) == (0.8, 0.8)


_COMPARED = ((1.0, 1.0), (0.5, 0.5), (7.0, 4.0), (1.0, 1.0, 1.0))
_EVEN = (10, 20, 50, 100, 250, 500)  # records in each category
_FLAT = ((1.0, 1.0), (1.0, 1.0, 1.0), (1.0,) * 4)
_THEORY = Grid(_FLAT, (30, 60), "balanced", epsilons=(1.0,), chosen=tuple(
    at((1.0,) * k, counts) for k, counts in ((2, (50, 50)), (3, (34, 33, 33)))), beyond="both meanings of near")


def _boxes(*priors: float) -> Grid:
    return Grid((), chosen=tuple(at((a, a), (50, 50)) for a in priors))


CLAIMS = (
    Claim(
        "The smooth bound is more accurate than the global one",
        "With the same proved epsilon, EHDS is nearer in the mean than EHD with the exact global sensitivity.",
        "[P17] section 1, second contribution, and section 3, third reason",
        Grid(_COMPARED, (1, 2, 6), "all", epsilons=(1.0,), gammas=(0.1, 1.0), chosen=(
            *(at(prior, counts) for prior, counts in (((50.0, 50.0), (50, 50)), ((1.0, 1.0), (40, 60)))),
            *(at(prior, (m, m), gamma=gamma) for m in _EVEN for prior in _COMPARED[:3] for gamma in (0.1, 1.0)))),
        _against_global, "(1 + gamma) S(x) is below GS",
    ),
    Claim(
        "The smooth bound is more accurate than the global one, as printed",
        "With the same epsilon in exp(-epsilon H / (2 S)) and exp(-epsilon H / (2 GS)), M_H of either definition is "
        "nearer in the mean than the exponential mechanism. Definition 6 is proved to keep 2 epsilon, and Definition "
        "3's proof does not hold.",
        "[P17] section 1, second contribution, with the definitions 3 and 6 of M_H",
        Grid(_COMPARED, (1, 2, 6), "all", epsilons=(1.0,)),
        _against_global_as_printed,
    ),
    Claim(
        "Errors in KL divergence and chi-square are finite",
        "Measured in the KL divergence, or in the chi-square distance, of the truth from the release, M_H's mean error "
        "is finite.",
        "[P17] abstract, which names both measures and uses neither",
        Grid(_FLAT, (1, 2, 4), "all", epsilons=(1.0,)), _infinitely_far,
        "it is KL, or 2 c_i + alpha_i is above n for every i",
        ours=True,
    ),
    Claim(
        "M_H gives near results more often than the baseline",
        "At balanced data and a flat prior M_H gives the truth itself, and results within LS(x), with more probability "
        "than the baseline Laplace.",
        "[P17] section 7.2.1 and Figure 3, which print no n and no number for near",
        _THEORY, partial(_near, improved=False),
        speaks_of=flat_and_balanced,
        ours=True,
    ),
    Claim(
        "The improved Laplace mechanism gives near results most often",
        "At balanced data and a flat prior the improved Laplace mechanism gives the truth itself, and results within "
        "LS(x), with more probability than M_H.",
        "[P17] section 7.2.1 and Figure 3, which print no n and no number for near",
        replace(_THEORY, found=(at((1.0, 1.0), (2, 1), 5.75), at((1.0,) * 4, (1, 0, 0, 0), 4.2),
                                at((1.0,) * 3, (10, 10, 10), 0.09), at((1.0,) * 3, (10, 10, 10), 3.0),
                                at((1.0,) * 4, (20, 20, 20, 20), 8.0))),
        partial(_near, improved=True),
        f"n is at least {_FEW} and epsilon from 1 to {_MEDIUM:g}",
        speaks_of=flat_and_balanced,
        ours=True,
    ),
    Claim(
        "M_H overtakes the baseline for k = 3 and 4 too",
        "At balanced data and a flat prior the baseline is nearer in the mean than M_H at 100 records, and M_H at "
        "1,500 and more.",
        "[P17] section 7.2.2 and Figures 5(a), 5(b), with 100 and 1,500 for their small and large data",
        Grid(_FLAT[1:], (_SOME, _MANY, 3_000), "balanced", epsilons=(1.0,), chosen=tuple(
            at((1.0,) * 3, (500,) * 3, epsilon) for epsilon in (0.1, 2.0))),
        _overtaken_in_the_end, "epsilon is 1, as in the paper",
        speaks_of=flat_and_balanced,
        ours=True,
        stated=True,
    ),
    Claim(
        "M_H overtakes the baseline at n = 300 for k = 3 and 4 too",
        "At balanced data and a flat prior the baseline is nearer in the mean than M_H below 300 records, M_H from "
        "300 on.",
        "[P17] section 7.2.2 and Figures 5(a), 5(b), whose similar tendencies have no number, with the 300 of k = 2",
        Grid(_FLAT[1:], (10, 30, 100), "balanced", epsilons=(1.0,), chosen=tuple(
            at((1.0,) * 3, (n // 3,) * 3) for n in (300, 600))), _overtaken_above,
        speaks_of=flat_and_balanced,
        ours=True,
    ),
    Claim(
        "The mean errors fall as balanced data grow",
        "At a flat prior and balanced data the mean distances of M_H and of both Laplace mechanisms are smaller at 3 n "
        "records than at n.",
        "[P17] section 7.2.2 and Figures 4, 5(a), 5(b)",
        Grid(_FLAT, (10, 30), "balanced", epsilons=(1.0,)), _falling,
        speaks_of=flat_and_balanced,
    ),
    Claim(
        "With small balanced priors the Laplace mechanisms are nearer",
        "At the data (50, 50) and priors (a, a), a = 1 and 5, both Laplace mechanisms are nearer in the mean than M_H.",
        "[P17] section 7.2.2, boxes of Figure 5, with (1, 1) and (5, 5) for its beginning",
        replace(_boxes(1.0, 5.0), chosen=(
            *_boxes(1.0, 5.0).chosen, *(at((5.0, 5.0), (50, 50), epsilon) for epsilon in (0.5, 3.0)))),
        partial(_in_the_boxes, priors="small", margin=lambda smooth, baseline, improved: min(
            at_most(baseline, smooth), at_most(improved, smooth))), "epsilon is 1, as in the paper",
        ours=True,
        stated=True,
    ),
    Claim(
        "M_H outperforms the baseline for small priors",
        "At balanced data and priors (a, a), a = 1 and 5, M_H is nearer in the mean than the baseline.",
        "[P17] section 8, first conclusion, after section 7.2.2, with (1, 1) and (5, 5) for its small parameters",
        Grid(((1.0, 1.0), (5.0, 5.0)), (30, 100, 300, 1_000, 15_000), "balanced", epsilons=(1.0, 0.1)), _small_priors,
        "n is at least 300 and epsilon is 1, as in section 7.2.2",
        speaks_of=_small_and_balanced,
        ours=True,
        stated=True,
    ),
    Claim(
        "The baseline is outperformed after a while",
        "At the data (50, 50) there are priors (a, a) at which M_H is nearer in the mean than the baseline.",
        "[P17] section 7.2.2, boxes of Figure 5",
        _boxes(1.0, 5.0, 20.0, 50.0, 100.0, 200.0, 500.0),
        partial(_in_the_boxes, priors="", margin=_nearer_than_baseline), everywhere=False,
    ),
    Claim(
        "M_H is comparable with the improved mechanism for large priors",
        "At the data (50, 50) and priors (a, a), a = 100 to 500, M_H's mean distance is the improved Laplace "
        "mechanism's, up to 5 %.",
        "[P17] section 7.2.2, boxes of Figure 5, and section 8, second conclusion, with 5 % for its words",
        _boxes(100.0, 200.0, 500.0),
        partial(_in_the_boxes, priors="large", margin=lambda smooth, _, improved: at_most(smooth, NEAR * improved)),
        ours=True,
    ),
    Claim(
        "Who is nearer in the notes' figures",
        "With a flat prior the smooth sensitivity is nearer in the mean than Laplace at (49, 49), and Laplace nearer "
        "at (20, 20, 20), (20, 20, 20, 20) and (1, 1, 1, 77).",
        "[N] section 4.4 and Figures 5 to 8; epsilon = delta = 0.8 of the other captions",
        Grid((), chosen=tuple(at((1.0,) * len(counts), counts, 0.8, delta=0.8) for counts in _SHOWN),
             beyond=_BOTH_EXPONENTS), _notes_order, _THEIR_EXPONENT,
        stated=True,
    ),
    Claim(
        "Laplace returns good answers much more often at k = 4",
        "At (20, 20, 20, 20) and (1, 1, 1, 77) Laplace noise returns the truth more than twice as often as the smooth "
        "sensitivity.",
        "[N] section 4.4 and Figures 7, 8, with twice for its much higher",
        Grid((), chosen=tuple(at((1.0,) * 4, counts, epsilon, delta=0.8)
                             for counts in _SHOWN[2:] for epsilon in (0.8, 1.0, 8.0))),
        _notes_truth, "epsilon and delta are 0.8",
        ours=True,
    ),
    Claim(
        "Laplace's lead at (20, 20, 20) is not significant",
        "At (20, 20, 20) Laplace is nearer in the mean than the smooth sensitivity by less than the spread of one "
        "release, or by less than two standard errors of the means of 1,000 runs: two meanings of the word.",
        "[N] section 4.4 and Figure 6, whose word has no number",
        Grid((), chosen=tuple(at((1.0,) * 3, _SHOWN[1], epsilon, delta=0.8) for epsilon in (0.8, 0.1)),
             beyond=_BOTH_EXPONENTS), _not_significant,
        "the exponent is section 4.4's, the spread of one release is meant, and epsilon and delta are 0.8",
        ours=True,
    ),
    Claim(
        "Laplace's lead in bad answers at k = 4 is not obvious",
        "At (20, 20, 20, 20) and (1, 1, 1, 77) Laplace noise returns bad answers (H > 1/2) at least half as often as "
        "the smooth sensitivity.",
        "[N] section 4.4 and Figures 7, 8, with half for its words",
        Grid((), chosen=tuple(at((1.0,) * 4, counts, 0.8, delta=0.8) for counts in _SHOWN[2:]),
             beyond=_BOTH_EXPONENTS), _bad_answers,
        ours=True,
    ),
    Claim(
        "Good answers more often, bad ones less often",
        "At (49, 49) the smooth sensitivity outputs good answers (H <= LS(x)) more often than Laplace, and bad ones "
        "(H > 1/2) less often.",
        "[N] section 4.4 and Figure 5(b), with LS(x) and 1/2 for its good and bad",
        Grid((), chosen=(at((1.0, 1.0), _SHOWN[0], 0.8, delta=0.8),), beyond=_BOTH_EXPONENTS), _notes_tails,
        _THEIR_EXPONENT,
        ours=True,
        stated=True,
    ),
)
