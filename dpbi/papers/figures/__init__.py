"""Every numbered figure of [P17] and [N], computed exactly, beside the paper's own simulation where it made one."""

from functools import partial

from dpbi.papers.figures import notes, tailoring
from dpbi.papers.figures.experiments import balanced
from dpbi.papers.figures.settings import PaperFigure

__all__ = ["FIGURES", "PaperFigure"]

_P17, _N = "[P17]", "[N]"
_SMOOTHNESS = "the beta of [N]"
_CHANGES = (
    "For each candidate r, how far its score can change when a record is replaced: the most at r = BI(x), which makes "
    "the local sensitivity quick to find."
)

_TAILORING = (
    PaperFigure(
        _P17,
        "1",
        "Sensitivity of H",
        "The gap between the global and the local sensitivity of the Hellinger score, which a smooth bound can use.",
        tailoring.sensitivity_gap,
        tailoring.gap_story,
        simulated=False,
        not_printed="the prior, n or smoothness: here the flat prior, n = 100, gamma = 1",
    ),
    PaperFigure(
        _P17, "2", "The maximum over r", _CHANGES, tailoring.changes, tailoring.changes_story, simulated=False,
        not_printed="the prior or the data: here the flat prior and (50, 50)",
    ),
    *(
        PaperFigure(
            _P17,
            f"3({part})",
            f"Probabilities against distance, k = {k}",
            f"Probability of each distance from the true posterior, balanced data of {k} categories, epsilon = 1, "
            "delta = 1e-8: M_H gives near results more often than Laplace, less often than improved Laplace.",
            partial(tailoring.probabilities, k),
            tailoring.probabilities_story,
            simulated=True,
            not_printed="n, the prior or Definition 3's smoothness: here n = 100, the flat prior and "
                        f"{_SMOOTHNESS}{more}",
        )
        for part, k, more in (
            ("a", 2, ""), ("b", 3, ""),
            ("c", 4, "; nor the number 3(c): its text names (a) and (b), and then speaks of four categories"),
        )
    ),
    *(
        PaperFigure(
            _P17,
            number,
            f"Error against n, k = {k}",
            f"Mean distance against the size of balanced data, {k} categories, uniform prior, epsilon = 1, delta = "
            f"1e-8: {said} M_H overtakes Laplace, and in the end it comes up to improved Laplace.",
            partial(tailoring.errors, (1,) * k),
            tailoring.errors_story,
            simulated=True,
            not_printed=f"the sizes or Definition 3's smoothness: here eleven from 10 to 15,000, and {_SMOOTHNESS}",
        )
        for number, k, said in (("4", 2, "beyond 300 records"), ("5(a)", 3, "again"), ("5(b)", 4, "again"))
    ),
    PaperFigure(
        _P17,
        "5",
        "Varying balanced priors",
        "Errors at the data (50, 50) as a balanced prior grows, epsilon = 1, delta = 1e-8: Laplace is better at first, "
        "then M_H overtakes it and comes close to improved Laplace.",
        tailoring.boxes_of_priors,
        tailoring.boxes_of_priors_story,
        simulated=True,
        not_printed="the list of priors or Definition 3's smoothness: here seven from (1, 1) to (500, 500), and "
                    f"{_SMOOTHNESS}",
    ),
    PaperFigure(
        _P17,
        "6",
        "Concrete privacy",
        "The epsilon that uniform data really show, against n, uniform prior, epsilon = 1 and delta = 0.0005: it stays "
        "below the bound.",
        tailoring.concrete_privacy,
        tailoring.concrete_privacy_story,
        simulated=False,
        not_printed="the sizes, which definition of M_H, or Definition 3's smoothness: here six sizes from 10 to 400, "
                    f"both definitions, and {_SMOOTHNESS}",
    ),
)

_NOTES = (
    PaperFigure(_N, "1", "The maximum over r", _CHANGES, notes.changes, tailoring.changes_story, simulated=False,
                not_printed="the prior or the data: here the Beta(7, 4) of its figure 2 and (50, 50)"),
    *(
        PaperFigure(
            _N,
            f"2({part})",
            f"Errors, two categories, n = {n}",
            f"Errors of the four mechanisms, prior beta(7, 4), n = {n}, epsilon = 0.5.",
            partial(notes.boxes, counts=balanced(n, 2)),
            notes.beta_boxes_story,
            simulated=True,
            not_printed="the counts or delta: here balanced counts and delta = 0.8",
        )
        for part, n in (("a", 500), ("b", 300))
    ),
    *(
        PaperFigure(
            _N,
            number,
            f"Errors, three categories, n = {n}",
            f"Errors of the four mechanisms, prior DL(7, 4, 5), n = {n}, epsilon = delta = 0.8.",
            partial(notes.boxes, (7, 4, 5), balanced(n, 3), 0.8),
            notes.dirichlet_boxes_story,
            simulated=True,
            not_printed="the counts: here balanced ones",
        )
        for number, n in (("3(a)", 100), ("3(b)", 120), ("4(a)", 150))
    ),
    PaperFigure(
        _N,
        "4(b)",
        "L1 errors, three categories, n = 150",
        "The same errors as in 4(a), n = 150, measured by the L1 distance of the counts.",
        partial(notes.boxes, (7, 4, 5), balanced(150, 3), 0.8, measure="l1"),
        notes.dirichlet_boxes_story,
        simulated=True,
        not_printed="the counts: here balanced ones",
    ),
    *(
        figure
        for number, counts in ((5, (49, 49)), (6, (20, 20, 20)), (7, (20, 20, 20, 20)), (8, (1, 1, 1, 77)))
        for figure in (
            PaperFigure(
                _N,
                f"{number}(a)",
                f"Errors at {counts}",
                f"Errors of the four mechanisms, uniform prior, x = {counts}.",
                partial(notes.boxes, (1,) * len(counts), counts, 0.8),
                notes.experiment_story,
                simulated=True,
                not_printed="epsilon or delta: here 0.8 for both, as in the other captions",
            ),
            PaperFigure(
                _N,
                f"{number}(b)",
                f"Probabilities at {counts}",
                f"Probability of each distance from the true posterior, uniform prior, x = {counts}.",
                partial(notes.probabilities, counts),
                notes.laws_story,
                simulated=True,
                not_printed="epsilon or delta: here 0.8 for both, as in the other captions",
            ),
        )
    ),
)

FIGURES: tuple[PaperFigure, ...] = (*_TAILORING, *_NOTES)
