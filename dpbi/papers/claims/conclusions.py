"""What the papers conclude from their figures, at the data of those figures: balanced data and flat priors."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from dpbi.accuracy.distance_law import distance_law
from dpbi.accuracy.error import expected_error
from dpbi.data.synthesis import balanced_counts
from dpbi.mechanisms import EHDNRS, LSDim, LSHist, LSZhang, Mechanism
from dpbi.problem.problem import Problem
from dpbi.sensitivity import local_sensitivity

from .accuracy import smoothed
from .claim import Case, Claim, Grid, Setting, at, at_most, case, listed_law, shown

_ERRORS = 5.0  # standard errors by which a simulated mean must differ
_SHOWN = ((49, 49), (20, 20, 20), (20, 20, 20, 20), (1, 1, 1, 77))
_FEW = 30  # records, the fewest of the grid
_MEDIUM = 1.25  # epsilon
_NEAR = 1.05  # "comparable" and "very close": up to 5 %
_MUCH = 2.0  # "much higher": more than twice
_SMALL_PRIOR, _LARGE_PRIOR = 5.0, 100.0


def _falling(setting: Setting) -> Iterator[Case]:
    """The mean distance at n balanced records against that at 3 n."""
    problem = _flat_and_balanced(setting)
    larger = replace(setting, problem=problem.with_counts(balanced_counts(problem.k, 3 * problem.n)))
    for name, here, there in zip(("M_H", "baseline", "improved"), _means(setting), _means(larger), strict=True):
        yield case({"mechanism": name} | setting.named("counts", "epsilon"), {"mean H": here, "at 3 n": there},
                   at_most(there, here))


def _flat_and_balanced(setting: Setting) -> Problem:
    if set(setting.problem.prior) != {1.0}:
        raise ValueError(f"This claim speaks of a flat prior only, so not of yours: got "
                         f"{shown(setting.problem.prior)}.")
    return setting.balanced


def _within(mechanism: Mechanism, problem: Problem) -> float:
    return listed_law(mechanism, problem).cdf(local_sensitivity(problem))


def _near_more_often(setting: Setting) -> Iterator[Case]:
    problem = _flat_and_balanced(setting)
    smooth, baseline = _within(smoothed(setting), problem), _within(LSDim(setting.epsilon), problem)
    yield case(setting.named("counts", "epsilon"), {"P(H <= LS) of M_H": smooth, "of the baseline": baseline},
               at_most(baseline, smooth))


def _less_often_than_improved(setting: Setting) -> Iterator[Case]:
    problem = _flat_and_balanced(setting)
    smooth, improved = _within(smoothed(setting), problem), _within(LSHist(setting.epsilon), problem)
    yield case(setting.named("counts", "epsilon"), {"P(H <= LS) of M_H": smooth, "of the improved": improved},
               at_most(smooth, improved), within=problem.n >= _FEW and 1 <= setting.epsilon <= _MEDIUM)


def _means(setting: Setting) -> tuple[float, float, float]:
    """Mean H of M_H, of the baseline and of the improved Laplace mechanism, both made consistent."""
    problem, epsilon = setting.problem, setting.epsilon
    if problem.n == 0:
        raise ValueError("This claim needs at least one record: got n = 0.")
    found = [expected_error(mechanism, problem, "hellinger") for mechanism in
             (smoothed(setting), LSDim(epsilon, consistent=True), LSHist(epsilon, consistent=True))]
    if not all(one.exact for one in found):
        raise ValueError(f"This claim needs exact means, and there are too many outputs here: got n = {problem.n:,} "
                         f"with k = {problem.k:,} categories.")
    return found[0].high, found[1].high, found[2].high


def _overtaken_above(setting: Setting) -> Iterator[Case]:
    problem = _flat_and_balanced(setting)
    if problem.k == 2:
        raise ValueError("This claim speaks of three categories or more: got k = 2.")
    smooth, baseline, _ = _means(setting)
    yield case(setting.named("counts", "epsilon"), {"mean H of M_H": smooth, "of the baseline": baseline},
               at_most(baseline, smooth) if problem.n < 300 else at_most(smooth, baseline))


def _boxed(setting: Setting, what: str) -> None:
    """ValueError but for one of the prior boxes: counts (50, 50) and a symmetric prior of the size spoken of."""
    problem = setting.problem
    if problem.counts != (50, 50) or len(set(problem.prior)) != 1:
        raise ValueError(f"This claim speaks of the counts (50, 50) and a symmetric prior, so not of yours: got counts "
                         f"{shown(problem.counts)} and prior {shown(problem.prior)}.")
    small = problem.prior[0] <= _SMALL_PRIOR
    if (what == "small" and not small) or (what == "large" and problem.prior[0] < _LARGE_PRIOR):
        raise ValueError(f"This claim speaks of {what} priors only, at {'most' if what == 'small' else 'least'} "
                         f"{_SMALL_PRIOR if what == 'small' else _LARGE_PRIOR:g}: got {shown(problem.prior)}.")


def _nearer_than_baseline(setting: Setting, priors: str) -> Iterator[Case]:
    _boxed(setting, priors)
    smooth, baseline, _ = _means(setting)
    yield case(setting.named("prior", "epsilon"), {"mean H of M_H": smooth, "of the baseline": baseline},
               at_most(smooth, baseline))


def _worse_at_small_priors(setting: Setting) -> Iterator[Case]:
    _boxed(setting, "small")
    smooth, baseline, improved = _means(setting)
    yield case(setting.named("prior", "epsilon"),
               {"mean H of M_H": smooth, "of the baseline": baseline, "of the improved": improved},
               min(at_most(baseline, smooth), at_most(improved, smooth)), within=setting.epsilon == 1)


def _large_priors(setting: Setting) -> Iterator[Case]:
    _boxed(setting, "large")
    smooth, _, improved = _means(setting)
    yield case(setting.named("prior", "epsilon"), {"mean H of M_H": smooth, "of the improved": improved},
               at_most(smooth, _NEAR * improved))


def _notes_order(setting: Setting) -> Iterator[Case]:
    """Mean H of EHDNRS and of LSZhang with scale 2/epsilon; where only a sample tells, by five standard errors."""
    problem = setting.problem
    if set(problem.prior) != {1.0} or problem.counts not in _SHOWN:
        raise ValueError(f"This claim speaks of the notes' four datasets and a flat prior, so not of yours: got counts "
                         f"{shown(problem.counts)} and prior {shown(problem.prior)}.")
    smooth = EHDNRS(setting.epsilon, setting.delta).mean_distance(problem)
    laplace = expected_error(LSZhang(setting.epsilon, "2"), problem, "hellinger")
    band = 0.0 if laplace.exact else _ERRORS * laplace.high_error
    kept = at_most(smooth, laplace.low - band) if problem.k == 2 else at_most(laplace.high + band, smooth)
    sure = kept if kept > 0 or laplace.exact else (
        kept if at_most(laplace.high, smooth) < -band else 0.0)
    yield case(setting.named("counts", "epsilon", "delta"),
               {"mean H, smooth sensitivity": smooth, "Laplace": laplace.high}, sure)


def _notes_truth(setting: Setting) -> Iterator[Case]:
    """P(the truth) of Laplace noise of scale 2/epsilon against twice that of EHDNRS."""
    problem = setting.problem
    if set(problem.prior) != {1.0} or problem.counts not in _SHOWN[2:]:
        raise ValueError(f"This claim speaks of the notes' two datasets of four categories and a flat prior, so not of "
                         f"yours: got counts {shown(problem.counts)} and prior {shown(problem.prior)}.")
    laplace, smooth = (math.exp(float(one.log_pmf(problem, problem.counts))) for one in
                       (LSZhang(setting.epsilon, "2"), EHDNRS(setting.epsilon, setting.delta)))
    yield case(setting.named("counts", "epsilon", "delta"),
               {"P(truth), Laplace": laplace, "smooth sensitivity": smooth}, at_most(_MUCH * smooth, laplace),
               within=(setting.epsilon, setting.delta) == (0.8, 0.8))


def _notes_tails(setting: Setting) -> Iterator[Case]:
    """P(H = 0) more often, and P(H > 1/2) less often, than under Laplace noise of scale 2/epsilon."""
    problem = setting.problem
    if set(problem.prior) != {1.0} or problem.counts != _SHOWN[0]:
        raise ValueError(f"This claim speaks of the counts (49, 49) and a flat prior, so not of yours: got counts "
                         f"{shown(problem.counts)} and prior {shown(problem.prior)}.")
    smooth, laplace = (distance_law(one, problem) for one in
                       (EHDNRS(setting.epsilon, setting.delta), LSZhang(setting.epsilon, "2")))
    good = [law.cdf(local_sensitivity(problem)) for law in (smooth, laplace)]
    bad = [1 - law.cdf(0.5) for law in (smooth, laplace)]
    yield case(setting.named("counts", "epsilon", "delta") | {"answers": "good, H <= LS(x)"},
               {"smooth sensitivity": good[0], "Laplace": good[1]}, at_most(good[1], good[0]))
    yield case(setting.named("counts", "epsilon", "delta") | {"answers": "bad, H > 1/2"},
               {"smooth sensitivity": bad[0], "Laplace": bad[1]}, at_most(bad[0], bad[1]))


_FLAT = ((1.0, 1.0), (1.0, 1.0, 1.0), (1.0,) * 4)
_THEORY = Grid(_FLAT, (30, 60), "balanced", epsilons=(1.0,), found=tuple(
    at((1.0,) * k, counts) for k, counts in ((2, (50, 50)), (3, (34, 33, 33)))), beyond="n = 100 where k = 2, 3")


def _boxes(*priors: float) -> Grid:
    return Grid((), found=tuple(at((a, a), (50, 50)) for a in priors))


CLAIMS = (
    Claim(
        "M_H gives near results more often than the baseline",
        "At balanced data and a flat prior M_H stays within LS(x) with more probability than the baseline Laplace.",
        "[P17] section 7.2.1 and Figure 3",
        _THEORY, _near_more_often,
    ),
    Claim(
        "The improved Laplace mechanism gives near results most often",
        "At balanced data and a flat prior the improved Laplace mechanism stays within LS(x) with more probability "
        "than M_H.",
        "[P17] section 7.2.1 and Figure 3",
        replace(_THEORY, found=(*_THEORY.found, at((1.0, 1.0), (2, 1), 5.75), at((1.0,) * 4, (1, 0, 0, 0), 4.2),
                                at((1.0,) * 3, (10, 10, 10), 0.09), at((1.0,) * 3, (10, 10, 10), 3.0),
                                at((1.0,) * 4, (20, 20, 20, 20), 8.0))),
        _less_often_than_improved,
        f"n is at least {_FEW} and epsilon from 1 to {_MEDIUM:g}",
    ),
    Claim(
        "M_H overtakes the baseline for k = 3 and 4 too",
        "At balanced data and a flat prior the baseline is nearer in the mean than M_H below 300 records, M_H from "
        "300 on.",
        "[P17] section 7.2.2 and Figures 5(a), 5(b)",
        Grid(_FLAT[1:], (10, 30, 100), "balanced", epsilons=(1.0,), found=tuple(
            at((1.0,) * 3, (n // 3,) * 3) for n in (300, 600))), _overtaken_above,
    ),
    Claim(
        "The mean errors fall as balanced data grow",
        "At a flat prior and balanced data the mean distances of M_H and of both Laplace mechanisms are smaller at 3 n "
        "records than at n.",
        "[P17] section 7.2.2 and Figures 4, 5(a), 5(b)",
        Grid(_FLAT, (10, 30), "balanced", epsilons=(1.0,)), _falling,
    ),
    Claim(
        "With small balanced priors the Laplace mechanisms are nearer",
        "At the data (50, 50) and priors (a, a), a = 1 and 5, both Laplace mechanisms are nearer in the mean than M_H.",
        "[P17] section 7.2.2, boxes of Figure 5",
        replace(_boxes(1.0, 5.0), found=(*_boxes(1.0, 5.0).found, *(at((5.0, 5.0), (50, 50), e) for e in (0.5, 3.0)))),
        _worse_at_small_priors, "epsilon is 1, as in the paper",
    ),
    Claim(
        "M_H outperforms the baseline for small priors",
        "At the data (50, 50) and priors (a, a), a = 1 and 5, M_H is nearer in the mean than the baseline.",
        "[P17] section 8, first conclusion",
        _boxes(1.0, 5.0), partial(_nearer_than_baseline, priors="small"),
    ),
    Claim(
        "The baseline is outperformed after a while",
        "At the data (50, 50) there are priors (a, a) at which M_H is nearer in the mean than the baseline.",
        "[P17] section 7.2.2, boxes of Figure 5",
        _boxes(1.0, 5.0, 20.0, 50.0, 100.0, 200.0, 500.0), partial(_nearer_than_baseline, priors=""), everywhere=False,
    ),
    Claim(
        "M_H is comparable with the improved mechanism for large priors",
        "At the data (50, 50) and priors (a, a), a = 100 to 500, M_H's mean distance is the improved Laplace "
        "mechanism's, up to 5 %.",
        "[P17] section 7.2.2, boxes of Figure 5, and section 8, second conclusion",
        _boxes(100.0, 200.0, 500.0), _large_priors,
    ),
    Claim(
        "Who is nearer in the notes' figures",
        "With a flat prior the smooth sensitivity is nearer in the mean than Laplace at (49, 49), and Laplace nearer "
        "at (20, 20, 20), (20, 20, 20, 20) and (1, 1, 1, 77).",
        "[N] section 4.4 and Figures 5 to 8; epsilon = delta = 0.8 of the other captions",
        Grid((), found=tuple(at((1.0,) * len(counts), counts, 0.8, delta=0.8) for counts in _SHOWN)), _notes_order,
    ),
    Claim(
        "Laplace returns good answers much more often at k = 4",
        "At (20, 20, 20, 20) and (1, 1, 1, 77) Laplace noise returns the truth more than twice as often as the smooth "
        "sensitivity.",
        "[N] section 4.4 and Figures 7, 8",
        Grid((), found=tuple(at((1.0,) * 4, counts, epsilon, delta=0.8)
                             for counts in _SHOWN[2:] for epsilon in (0.8, 1.0, 8.0))),
        _notes_truth, "epsilon and delta are 0.8",
    ),
    Claim(
        "Good answers more often, bad ones less often",
        "At (49, 49) the smooth sensitivity outputs good answers (H <= LS(x)) more often than Laplace, and bad ones "
        "(H > 1/2) less often.",
        "[N] section 4.4 and Figure 5(b)",
        Grid((), found=(at((1.0, 1.0), _SHOWN[0], 0.8, delta=0.8),)), _notes_tails,
    ),
)
