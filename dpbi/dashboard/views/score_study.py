"""The third open question of [P17] on the page Papers: which distance should score the candidates?"""

import streamlit as st

from dpbi.accuracy.order import Measured, foremost, rising
from dpbi.dashboard.answers.cache import kept
from dpbi.dashboard.shown import charts, folds
from dpbi.dashboard.words import handover, words
from dpbi.papers.score_study import ScoredMechanism, ScoreStudy, compare_scores

_PRIOR, _N, _EPSILON = (1.0, 1.0), 100, 1.0
QUESTION = (
    "**[P17]** section 8 asks which metric suits best. The exponential mechanism is scored here by several distances, "
    "with the rate that each one's exact sensitivity allows, and then with the rate at which its exact privacy loss is "
    f"epsilon = {_EPSILON:g}: uniform prior, n = {_N}, two categories. The error is the mean Hellinger distance over "
    "the data that the prior expects, whatever the score."
)
SCRIPT = f"""import dpbi  {handover.SCRIPT_NEEDS}

prior = {_PRIOR}
n, epsilon = {_N}, {_EPSILON}

found = dpbi.compare_scores(prior, n, epsilon)
print("limit of privacy:", found.limit.value)
for row in found.rows:
    print(row.score, row.sensitivity, row.mean, row.loss, row.calibrated_mean, row.times_limit)
"""


@kept(4, said="Comparing the scores")
def _study() -> ScoreStudy:
    return compare_scores(_PRIOR, _N, _EPSILON)


def draw() -> None:
    """The question, the chart and what follows."""
    from dpbi.figures import scores

    st.markdown(QUESTION)
    found = _study()
    charts.draw(scores.compared(found), "scores")
    st.markdown(said(found))
    with folds.fold("Copy as Python: which distance") as opened:
        if opened:
            st.code(SCRIPT, language="python")


def said(found: ScoreStudy) -> str:
    """What the study answers."""
    def mean(row: ScoredMechanism) -> Measured:
        return Measured(row.calibrated_mean)

    best = [f"**{row.score}**" for row in foremost(found.rows, mean)]
    times = [f"{row.score} {row.times_limit:.2f}" for row in rising(found.rows, mean) if row.times_limit]
    unlike = [f"{row.score} {words.number(row.sensitivity / row.at_truth)} times"
              for row in found.rows if row.sensitivity > 1.01 * row.at_truth]
    return " ".join(filter(None, [
        f"**Computed:** of these scores, at the same exact loss, {words.listed(best)} "
        f"{'is' if len(best) == 1 else 'are'} nearest.",
        f"Times the limit of privacy: {words.listed(times)}." if times else "",
        "A metric changes most at the truth. These change more elsewhere, and so start with a smaller rate: "
        f"{words.listed(unlike)}." if unlike else "",
    ]))  # fmt: skip
