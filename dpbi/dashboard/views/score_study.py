"""The third direction that [P17] proposes, on the page Papers: other distances as scores of the candidates."""

import contextlib
from collections import Counter
from collections.abc import Sequence

import pandas as pd
import streamlit as st
from streamlit.column_config import NumberColumn, TextColumn

from dpbi import limits, printed_bound
from dpbi.dashboard.answers.cache import kept
from dpbi.dashboard.answers.work import Cancelled, work
from dpbi.dashboard.session import settings
from dpbi.dashboard.shown import charts, downloads, folds, tables
from dpbi.dashboard.sidebar import controls, entries
from dpbi.dashboard.words import guard, handover, words
from dpbi.papers.score_study import COUNTING, ScoreStudy, compare_scores
from dpbi.problem.candidates import number_of_candidates

_DATASETS = 501  # of a comparison that a visitor may ask for: some seconds, and a hundred megabytes
_FEW = 40  # records of the table: fewer than the heaviest of its priors, whose chi-square is then finite
_ELSEWHERE = [(prior, _FEW, epsilon) for prior in ((1.0, 1.0), (7.0, 4.0), (50.0, 50.0)) for epsilon in (0.5, 2.0)]

QUESTION = (
    "**[P17]** section 8 says that the choice of the Hellinger distance may seem ad hoc, and proposes to explore other "
    "distances, f-divergences among them. The exponential mechanism is scored here by four of these (squared "
    "Hellinger, total variation, KL and chi-square), by H itself, and by steps, which count records and know no "
    "distribution: first with the rate that each one's exact sensitivity allows, then with the rate at which its exact "
    "privacy loss is epsilon. The error is the mean Hellinger distance over the data that the prior expects, whatever "
    "the score: measured by another distance the order may be another."
)
_ORDER = (
    f"Mean Hellinger distance at the same exact loss, n = {_FEW}; columns: prior and epsilon; a dash: infinite "
    "sensitivity. Where chi-square is finite it is so large that next to no rate is left, and all candidates are about "
    "as likely."
)


@kept(64, said="Comparing the scores")
def _study(prior: tuple[float, ...], n: int, epsilon: float) -> ScoreStudy:
    return compare_scores(prior, n, epsilon)


def draw() -> None:
    """The question, the chart at one's own prior, n and epsilon, and three priors at two epsilons."""
    from dpbi.figures import scores

    st.markdown(QUESTION)
    with guard.part():
        asked = _asked()
        with work("scores", asked, 1, "studies") as current, contextlib.suppress(Cancelled):
            found = current.ask(_study, *asked)
        if current.complete:
            prior, n, epsilon = asked
            downloads.also_for({"prior of the scores": words.prior_words(prior), "n of the scores": n,
                                "epsilon of the scores": epsilon})
            charts.draw(scores.compared(found), "scores")
            st.markdown(said(found))
        with folds.fold("Copy as Python: which distance") as opened:
            if opened:
                st.code(script_of(*asked), language="python")
    with work("scores elsewhere", "", len(_ELSEWHERE), "studies") as current, contextlib.suppress(Cancelled):
        studies = [current.ask(_study, *one) for one in _ELSEWHERE]
    if current.complete:
        st.markdown(order_said(studies))
        table = _table(studies)
        columns = {title: NumberColumn(format="%.3f", width=97) for title in table.columns[1:]}
        tables.show(table, "scores-elsewhere", {"Score": TextColumn(width=192)} | columns,
                    "One row per score: its mean distance at three priors and two epsilons")  # fmt: skip
        st.caption(_ORDER)


def _asked() -> tuple[tuple[float, ...], int, float]:
    """What the row of controls asks. Raises ValueError for an entry that is refused."""
    with st.container(horizontal=True):
        chosen = settings.choice("Prior", controls.SCORES_PRIOR, controls.SCORES_PRIORS, width=170)
        if chosen == controls.ANOTHER:
            _entry("Its numbers", controls.SCORES_OWN_PRIOR, 150)
        n, typed = _entry("n", controls.SCORES_N, 110), _entry("epsilon", controls.SCORES_EPSILON, 110)
    prior = controls.scores_prior(settings.everything())
    records = entries.whole("n", n, 1, limits.TOTAL_LARGEST)
    visited = number_of_candidates(records, len(prior))
    if visited > _DATASETS:
        raise ValueError(f"n is too large for this page: it compares {_DATASETS:,} datasets at most, and n = "
                         f"{records:,} with k = {len(prior):,} categories has {visited:,}; dpbi.compare_scores takes "
                         "more.")
    return prior, records, limits.check_epsilon(entries.number("epsilon", typed))


def _entry(label: str, name: str, width: int) -> str:
    return st.text_input(label, width=width, **settings.entry(name)) or ""


def script_of(prior: tuple[float, ...], n: int, epsilon: float) -> str:
    return f"""import dpbi  {handover.SCRIPT_NEEDS}

prior = {prior}
n, epsilon = {n}, {epsilon}

found = dpbi.compare_scores(prior, n, epsilon)
print("limit of privacy:", found.limit.value)
for row in found.rows:
    print(row.score, row.sensitivity, row.mean, row.loss, row.calibrated_mean, row.times_limit)
print("of infinite sensitivity:", found.unbounded)
"""


def said(found: ScoreStudy) -> str:
    """What the study answers."""
    best = [f"**{row.score}**" for row in found.nearest()]
    rising = sorted(found.rows, key=lambda row: row.calibrated_mean)
    times = [f"{row.score} {words.number(row.times_limit, 3, 10**6)}" for row in rising if row.times_limit]
    unlike = [f"{row.score} {words.number(row.sensitivity / row.at_truth, 3, 10**6)} times"
              for row in found.rows if row.sensitivity > 1.01 * row.at_truth]
    among = [row.score for row in found.nearest(without=COUNTING)]
    return " ".join(filter(None, [
        f"**Computed:** of these scores, at the same exact loss, {words.listed(best)} "
        f"{_is(best)} nearest, and of those between distributions {words.listed(among)}.",
        f"Times the limit of privacy: {words.listed(times)}." if times else "",
        "A metric changes most at the truth. These change more elsewhere, and so start with a smaller rate: "
        f"{words.listed(unlike)}." if unlike else "",
        f"Left out: {words.listed(found.unbounded)}, {_too_large(found)}." if found.unbounded else "",
    ]))  # fmt: skip


def _too_large(found: ScoreStudy) -> str:
    if found.n < min(found.prior):
        return "larger between some of these datasets than a number can be here"
    return ("infinite between some of these datasets, so that no rate above 0 is private; both are finite for n below "
            "the prior's smallest number")


def order_said(studies: Sequence[ScoreStudy]) -> str:
    """Whether one distance between distributions is nearest whatever prior and epsilon."""
    nearest = Counter(row.score for found in studies for row in found.nearest(without=COUNTING))
    times = [f"{score} at {number} of {len(studies)}" for score, number in nearest.most_common()]
    turns = len(nearest) > 1 and max(nearest.values()) < len(studies)
    return ("**Which one is nearest depends on prior and epsilon.** " if turns else "") + (
        f"Of the distances between distributions nearest is {words.listed(times)} settings below.")


def _is(listed: Sequence[str]) -> str:
    return "is" if len(listed) == 1 else "are"


def _table(studies: Sequence[ScoreStudy]) -> pd.DataFrame:
    """Scores by settings; a dash where a score has no finite sensitivity."""
    names = list(dict.fromkeys(name for found in studies for name in (*(row.score for row in found.rows),
                                                                      *found.unbounded)))  # fmt: skip
    columns = {}
    for found in studies:
        means = {row.score: row.calibrated_mean for row in found.rows}
        title = f"prior ({', '.join(map(words.number, found.prior))}), epsilon {printed_bound(found.epsilon)}"
        columns[title] = [*(means.get(name, float("nan")) for name in names), found.limit.value]
    return pd.DataFrame({"Score": [*names, "the limit of privacy"], **columns})
