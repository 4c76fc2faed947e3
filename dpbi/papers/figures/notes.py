"""The figures of [N], the notes: four mechanisms at four settings, and the numbers printed in their captions.

The notes' Laplace mechanism is read from section 3.1, noise of scale 2/epsilon on every parameter. Where no counts are
printed, balanced ones are taken; where no epsilon or delta is printed, the 0.8 of the captions that have one.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dpbi import limits
from dpbi.mechanisms import EHD, EHDL, EHDNRS, LSZhang
from dpbi.partition.partition import mean_distance
from dpbi.posterior.hellinger import hellinger
from dpbi.problem.candidates import number_of_candidates
from dpbi.problem.problem import Problem
from dpbi.sensitivity import global_sensitivity, local_sensitivity, smooth_sensitivity
from dpbi.sensitivity.maps import ScoreChange

from .experiments import balanced, distance_probabilities, error_boxes, largest_changes
from .settings import RUNS, Begin, Contender, DistanceProbabilities, ErrorBoxes, Measure, unwatched

PRINTED_BETA = {100: 0.0699407108115, 120: 0.0677791100173, 150: 0.0677791100173}  # in the captions, by n


@dataclass(frozen=True)
class CaptionNumbers:
    """The numbers of a caption of [N], as its authors seem to have computed them and as they should be.

    notes_sensitivity: H(Beta(7, 4), Beta(8, 3)), which the notes take for the global sensitivity; exact_sensitivity: of
    this prior and n; printed_beta: what the caption says, None where it says nothing; beta_with_n, beta_by_formula,
    beta: ln(1 - epsilon / (2 ln(delta / (2 N)))) with N = n, the notes' n + 1 and the number of candidates;
    local, smooth: at balanced data, the latter with beta_with_n.
    """

    problem: Problem
    epsilon: float
    delta: float
    notes_sensitivity: float
    exact_sensitivity: float
    printed_beta: float | None
    beta_with_n: float
    beta_by_formula: float
    beta: float
    local: float
    smooth: float


def caption_numbers(
    n: int, prior: Sequence[float] = (7, 4, 5), epsilon: float = 0.8, delta: float = 0.8
) -> CaptionNumbers:
    """The numbers in the captions of figures 3 and 4, by the notes' ways and by ours. Source: [N] section 2.3.1."""
    problem = Problem(tuple(prior), balanced(n, len(prior)))
    with_n, by_formula, beta = (
        smoothness(candidates, epsilon, delta) for candidates in (n, n + 1, number_of_candidates(n, problem.k))
    )
    return CaptionNumbers(
        problem, epsilon, delta, float(hellinger((7, 4), (8, 3))), global_sensitivity(problem.prior, n),
        PRINTED_BETA.get(n), with_n, by_formula, beta, local_sensitivity(problem),
        smooth_sensitivity(problem, with_n, kind="exponential"),
    )  # fmt: skip


def smoothness(candidates: int, epsilon: float, delta: float) -> float:
    """beta = ln(1 - epsilon / (2 ln(delta / (2 N)))), N the candidates counted. Source: [N] section 2.3.1."""
    return math.log1p(-epsilon / (2 * (math.log(delta) - math.log(2 * candidates))))


def contenders(epsilon: float, delta: float) -> tuple[Contender, ...]:
    """The Laplace mechanism and the exponential one with global, local and smooth sensitivity."""
    return (
        Contender(LSZhang(epsilon, scale_rule="2"), "Laplace"),
        Contender(EHD(epsilon), "global"),
        Contender(EHDL(epsilon), "local"),
        Contender(EHDNRS(epsilon, delta=delta), "smooth"),
    )


def changes(prior: Sequence[float] = (7, 4), counts: Sequence[int] = (50, 50)) -> ScoreChange:
    """Figure 1. The notes give no setting: the Beta(7, 4) of their figure 2, balanced data."""
    return largest_changes(Problem(tuple(prior), tuple(counts)))


def boxes(
    prior: Sequence[float] = (7, 4),
    counts: Sequence[int] = (250, 250),
    epsilon: float = 0.5,
    delta: float = 0.8,
    measure: Measure = "hellinger",
    runs: int = RUNS,
    seed: int = 1,
    begin: Begin = unwatched,
) -> ErrorBoxes:
    """Figures 2 to 4 and the parts (a) of 5 to 8: the errors of the four mechanisms at one dataset."""
    problem = Problem(tuple(prior), tuple(counts))
    return error_boxes(contenders(epsilon, delta), [problem], [""], measure, runs, seed, begin)


def probabilities(
    counts: Sequence[int] = (49, 49), epsilon: float = 0.8, delta: float = 0.8, runs: int = RUNS, seed: int = 1,
    begin: Begin = unwatched,
) -> DistanceProbabilities:
    """The parts (b) of figures 5 to 8: the laws of the distance, uniform prior."""
    problem = Problem((1.0,) * len(counts), tuple(counts))
    return distance_probabilities(contenders(epsilon, delta), problem, runs, seed, begin)


def beta_boxes_story(found: ErrorBoxes) -> str:
    """Figure 2."""
    laplace, _, local, smooth = found.exact[0]
    problem = found.problems[0]
    exact = global_sensitivity(problem.prior, problem.n)
    notes = float(hellinger((7, 4), (8, 3)))
    order = "nearer" if laplace < min(local, smooth) else "not nearer"
    same = (
        "At these data the smooth sensitivity is the local one, so both mechanisms are the same there."
        if abs(smooth - local) <= 1e-9 * local else
        f"The smooth sensitivity exceeds the local one here: mean distances {smooth:.3g} and {local:.3g}."
    )  # fmt: skip
    return (
        f"{same} With the noise of section 3.1 Laplace is {order} than both: mean "
        f"{laplace:.3g} against {smooth:.3g}. The notes scale the first exponential mechanism to {notes:.12g}, the "
        f"distance of Beta(7, 4) and Beta(8, 3); no data under a prior with beta = 4 can give a Beta(8, 3). The exact "
        f"global sensitivity here is {exact:.4g}, so that number is {'safe' if notes >= exact else 'not safe'}: "
        f"{notes / exact:.3g} times what it should be."
    )


def dirichlet_boxes_story(found: ErrorBoxes) -> str:
    """Figures 3 and 4."""
    laplace, _, _, smooth = found.mean[0]
    numbers = caption_numbers(found.problems[0].n, found.problems[0].prior, found.contenders[0].mechanism.epsilon)
    nearest = [found.contenders[place].role for place in found.nearest()]
    unit = "" if found.measure == "hellinger" else " records"
    return (
        f"{limits.opened(' and '.join(nearest))} {'is' if len(nearest) == 1 else 'are'} nearest in the mean: "
        f"{laplace:.3g}{unit} for Laplace, {smooth:.3g} for the smooth sensitivity. The caption's global sensitivity, "
        f"{numbers.notes_sensitivity:.12g}, is the distance of Beta(7, 4) and Beta(8, 3); the exact one for this prior "
        f"is {numbers.exact_sensitivity:.4g}. {_printed_beta(numbers)}The notes' own formula, with n + 1, gives "
        f"{numbers.beta_by_formula:.6g}, and with the number of candidates in place of n + 1 {numbers.beta:.4g}. "
        f"Balanced data have LS(x) = {numbers.local:.3g} and a smooth sensitivity of {numbers.smooth:.3g}; the "
        "captions print 0.08 and 0.09 for n = 100, 0.0945 and 0.096 for the others, "
        "whose counts they do not give."
    )


def _printed_beta(numbers: CaptionNumbers) -> str:
    """Which n the beta in the caption belongs to: that of the formula with n in place of n + 1."""
    n, printed = numbers.problem.n, numbers.printed_beta
    for at in PRINTED_BETA:
        if printed is not None and math.isclose(printed, smoothness(at, numbers.epsilon, numbers.delta), rel_tol=1e-11):
            repeated = "" if at == n else f" and repeated from the figure for n = {at}"
            return f"Its beta, {printed}, is computed with {at} in place of {at} + 1{repeated}. "
    return ""


CLAIMS = {
    2: "the exponential mechanism better than Laplace, with good results likelier and bad ones less likely",
    3: "Laplace better to some extent, but not significantly",
    4: "Laplace clearly better, with good answers much likelier; in bad answers its lead is not so obvious",
}


def laws_story(found: DistanceProbabilities) -> str:
    """Parts (b) of figures 5 to 8."""
    laplace, _, _, smooth = found.laws
    problem = found.problem
    rare = laplace.probability_of_truth < smooth.probability_of_truth
    how = "Exactly" if laplace.exact else "Computed, Laplace's mean from draws"
    return (
        f"The notes: {CLAIMS[problem.k]}. {how}: the truth itself has probability {smooth.probability_of_truth:.3g} "
        f"with the smooth sensitivity and {laplace.probability_of_truth:.3g} with Laplace"
        f"{', whose floor and noise on every count make it rare' if rare else ''}; the mean distances are "
        f"{smooth.mean:.3g} and {laplace.mean:.3g}. "
        f"{doubled_rate(found.contenders[3], problem, laplace.mean)}"
    )


def doubled_rate(smooth: Contender, problem: Problem, laplace: float) -> str:
    """What section 4.4's printed exponent, -epsilon H / S without the 2 of Definition 2.1, would give."""
    mechanism = smooth.mechanism
    assert isinstance(mechanism, EHDNRS)
    mean = mean_distance(problem, 2 * mechanism.rate(problem))
    order = "nearer than" if mean < laplace else "farther than"
    return (
        "Section 4.4 prints the probabilities without the 2 of Definition 2.1, so with twice the rate and at twice the "
        f"epsilon: then the mean distance is {mean:.3g}, {order} Laplace's."
    )


def experiment_story(found: ErrorBoxes) -> str:
    """Parts (a) of figures 5 to 8."""
    problem, (laplace, _, _, smooth) = found.problems[0], found.mean[0]
    laplace_error, _, _, smooth_error = found.errors[0].std(axis=-1) / math.sqrt(found.runs)
    apart = abs(smooth - laplace) / math.hypot(laplace_error, smooth_error)
    return (
        f"The notes: {CLAIMS[problem.k]}. The mean distances are {smooth:.3g} with the smooth sensitivity and "
        f"{laplace:.3g} with Laplace{' (simulated)' if math.isnan(found.exact[0, 0]) else ''}: "
        + f"{'the exponential mechanism' if smooth < laplace else 'Laplace'} is better, by {apart:.3g} standard errors "
        f"of means of {found.runs:,} runs. "
        + doubled_rate(found.contenders[3], problem, float(laplace))
    )
