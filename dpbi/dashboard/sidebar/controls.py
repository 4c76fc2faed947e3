"""The controls that belong to one page; their values are settings too, so they are there on return."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpbi import MECHANISMS, Mechanism, Problem, Verdict, limits, loses_most, name_of
from dpbi.accuracy.axes import AXES
from dpbi.accuracy.error import METRICS
from dpbi.dashboard.session import address, settings
from dpbi.dashboard.sidebar import entries, privacy
from dpbi.dashboard.words import accuracy, distance_curves, guard, private_posteriors, sidebar, words
from dpbi.papers.claims import CLAIMS
from dpbi.papers.figures import FIGURES
from dpbi.sensitivity import worst_neighbour
from dpbi.sensitivity.maps import Measure

FURTHER_LARGEST = 3  # epsilons beside one's own, in one chart
SIZES = (10, 20, 30, 50, 100, 200, 500, 1000)
LEVELS, STEPS, CUMULATIVE = "Each distance", "Records moved", "Within a distance"
NAIVE, NEAREST, AWARE = READINGS = tuple(private_posteriors.COVERAGE)
VIEWS = (LEVELS, STEPS, CUMULATIVE)
MEASURES: dict[Measure, str] = {
    "local": "Local",
    "reciprocal": "Smooth, reciprocal",
    "exponential": "Smooth, exponential",
}
PAPERS_PART, PAPERS_PARTS = "papers part", ("The papers", "Beyond the papers")
BEYOND, BEYOND_QUESTIONS = "beyond the papers", (
    "The law for many records", "When does the local sensitivity keep epsilon?", "Less noise for the same privacy")
ANOTHER = "another"
SCORES_PRIOR, SCORES_OWN_PRIOR, SCORES_N, SCORES_EPSILON = (
    f"scores: {name}" for name in ("prior", "own prior", "n", "epsilon"))
SCORES_PRIORS = {words.prior_words(prior): prior for prior in ((1.0, 1.0), (0.5, 0.5), (7.0, 4.0), (50.0, 50.0))} | {
    ANOTHER: ()}
LOSES_MOST = "The one that loses most"
_ANSWERS = ("answer", "other answer")
DEFAULTS: dict[str, Any] = {
    "size": 30,
    "reading": NAIVE,
    "view": LEVELS,
    "log scale": True,
    "within": "0.1",
    "measure": "local",
    "attaining": LOSES_MOST,
    "calibrated for": False,
    "share": 0,
    "answer by": "",
    "answer": 0,
    "other answer": 0,
    "accuracy along": AXES[0].name,
    "accuracy in": METRICS[0],
    "accuracy over": accuracy.AT_THE_DATA,
    "accuracy epsilons": "",
    "wanted distance": "0.1",
    "accuracy coverage": False,
    PAPERS_PART: PAPERS_PARTS[0],
    BEYOND: BEYOND_QUESTIONS[0],
    "paper figure": FIGURES[0].key,
    "claim": CLAIMS[0].name,
    SCORES_PRIOR: next(iter(SCORES_PRIORS)),
    SCORES_OWN_PRIOR: "20, 5",
    SCORES_N: "100",
    SCORES_EPSILON: "1",
    **address.DEFAULTS,
}


def row() -> DeltaGenerator:
    """The place of a page's controls: a line by its chart, or as many as they take, in which each stands beside what
    it is called."""
    return st.container(horizontal=True, vertical_alignment="center", key="controls")


def epsilon(chosen: float | None) -> None:
    """The epsilon of all pages, beside what it changes; chosen: as it is, typed or slid, which becomes a mark; None
    where what is typed is refused: the slider stays where it was, to set it right."""
    settings.keep(privacy.SLIDER, settings.get(privacy.SLIDER) if chosen is None else chosen)
    st.select_slider(
        "epsilon",
        sorted({*privacy.EPSILON_MARKS, settings.get(privacy.SLIDER)}),
        format_func=words.number,
        help=sidebar.EPSILON,
        width=300,
        **settings.entry(privacy.SLIDER, then=_take_mark),
    )


def _take_mark() -> None:
    settings.keep("epsilon", f"{settings.get(privacy.SLIDER):.15g}")


def size() -> int:
    return st.select_slider("Draws of each", SIZES, width=280, **settings.entry("size"))


def reading() -> str:
    """How the releases are read."""
    return settings.segments("Read as", "reading", READINGS, help=private_posteriors.READINGS, width=360)


def redraw(seed: int) -> None:
    """A button that moves the visible seed on by one, and with it every simulated draw."""
    following = (seed + 1) % (entries.SEED_LARGEST + 1)
    label = f"Redraw (seed {seed} → {following})"
    st.button(label, key="redraw", on_click=settings.keep, args=("seed", str(following)))


def view() -> str:
    return settings.segments("Probability of", "view", VIEWS, width=500)


def log_scale() -> bool:
    return st.toggle("Logarithmic probabilities", **settings.entry("log scale"))


def within() -> float | None:
    """The distance t that P(H <= t) is told for; None where it is refused, which is said beside it."""
    text = st.text_input("Distance t", width=160, help=distance_curves.WITHIN, **settings.entry("within"))
    with guard.beside([]):
        return check_distance(entries.number("t", text))
    return None


def further_epsilons() -> tuple[float, ...]:
    """At which the mechanisms are drawn as well; none where the entry is refused, which is said beside it."""
    text = st.text_input("Also at epsilon", width=256, help=accuracy.FURTHER, placeholder="such as 0.5, 2",
                         **settings.entry("accuracy epsilons"))  # fmt: skip
    with guard.beside([]):
        return check_epsilons(entries.numbers("also at epsilon", text))
    return ()


def check_epsilons(epsilons: Sequence[Any]) -> tuple[float, ...]:
    """A few further epsilons. Raises ValueError for more than a chart shows apart."""
    apart = tuple(dict.fromkeys(map(limits.check_epsilon, epsilons)))
    return limits.sequence("also at epsilon", apart, "of numbers", FURTHER_LARGEST)


def scores_prior(kept: Mapping[str, Any]) -> tuple[float, ...]:
    """Of the comparison of scores. Raises ValueError for numbers that are no prior."""
    return limits.check_prior(SCORES_PRIORS[kept[SCORES_PRIOR]] or entries.numbers("prior", kept[SCORES_OWN_PRIOR]))


def check_distance(t: Any) -> float:
    return limits.between("t", t, 0.0, 1.0)


def talk() -> None:
    """The switch of talk mode: larger type, the sidebar folded, nothing that is not looked at from afar."""
    st.toggle("Talk mode", help=sidebar.TALK, **settings.entry(address.TALK, then=address.write_talk))


def measure() -> Measure:
    return settings.segments("Sensitivity", "measure", MEASURES, format_func=MEASURES.__getitem__, width=470)


def attaining_choices() -> list[str]:
    """All that ``attaining`` can ever offer: every mechanism, as it is and calibrated."""
    return [LOSES_MOST, *(f"{kind.label}{more}" for kind in MECHANISMS for more in ("", " calibrated"))]


def attaining(verdicts: Sequence[Verdict]) -> Verdict:
    """Which mechanism's worst pair is looked at; one that is ticked no more gives way to the one that loses most."""
    named = {name_of(one.loss.mechanism): one for one in verdicts}
    options = [LOSES_MOST, *named]
    if settings.get("attaining") not in options:
        settings.keep("attaining", LOSES_MOST)
    chosen = settings.choice("Mechanism", "attaining", options, width=320)
    most = loses_most([one.loss for one in verdicts])
    return named.get(chosen) or next(one for one in verdicts if one.loss is most)


def answers(problem: Problem, labels: Sequence[str]) -> tuple[int, int]:
    """The categories of a person's answer and of the other one that it is told from.

    Where none is chosen, those that move the posterior most. They follow from private counts, so that they are kept as
    0: no address says which they are. A choice that these data do not have gives way to them.
    """
    most = asked_answers(problem, dict.fromkeys(_ANSWERS, 0))
    own = _category("One person's answer", "answer", labels, most[0], [count > 0 for count in problem.counts])
    most = asked_answers(problem, {"answer": own + 1, "other answer": 0})
    return own, _category("told from", "other answer", labels, most[1], [i != own for i in range(problem.k)])


def asked_answers(problem: Problem, kept: Mapping[str, Any]) -> tuple[int, int]:
    """As ``answers``, of settings that these data have: a record moves most where it goes to the rarest."""
    moved = [b - a for a, b in zip(problem.counts, worst_neighbour(problem), strict=True)]
    own, other = (kept[name] - 1 for name in _ANSWERS)
    own = own if own >= 0 else moved.index(-1)
    rest = (i for i in range(problem.k) if i != own)
    return own, other if other >= 0 else min(rest, key=problem.posterior.__getitem__)


def share(problem: Problem, labels: Sequence[str]) -> int:
    """The category whose share is drawn; of two categories the first, as everywhere.

    The largest where none is chosen, which is kept as 0 as the answers are.
    """
    if problem.k == 2:
        return 0
    largest = asked_share(problem, {"share": 0})
    return _category("Share of", "share", labels, largest, [True] * problem.k, "largest", 330)


def asked_share(problem: Problem, kept: Mapping[str, Any]) -> int:
    """As ``share``, of settings alone."""
    chosen = kept["share"] if problem.k > 2 and kept["share"] <= problem.k else bool(problem.k == 2)
    return chosen - 1 if chosen else problem.counts.index(max(problem.counts))


def _category(
    label: str, name: str, labels: Sequence[str], most: int, possible: Sequence[bool], why: str = "moves most",
    width: int = 220,
) -> int:
    """Kept as a number from 1 on; most: what stands for none, and why: what is said of it; width: in pixels."""
    options = [0, *(i + 1 for i, one in enumerate(possible) if one)]
    if settings.get(name) not in options:
        settings.keep(name, 0)

    def called(i: int) -> str:
        return words.plain(labels[i - 1]) if i else f"{words.plain(labels[most])} ({why})"

    chosen: int = settings.choice(label, name, options, format_func=called, width=width)
    return chosen - 1 if chosen else most


def answer_by(mechanisms: Sequence[Mechanism]) -> Mechanism:
    """Which of the ticked mechanisms releases; the first where none of them is chosen."""
    named = _named(mechanisms)
    if settings.get("answer by") not in named:
        settings.keep("answer by", "")
    settings.choice("Mechanism", "answer by", named, format_func=lambda key: named[key].label, width=170)
    return asked_of(mechanisms, settings.everything())


def asked_of(mechanisms: Sequence[Mechanism], kept: Mapping[str, Any]) -> Mechanism:
    """As ``answer_by``, of settings alone."""
    return _named(mechanisms).get(kept["answer by"], mechanisms[0])


def _named(mechanisms: Sequence[Mechanism]) -> dict[str, Mechanism]:
    return {"" if one is mechanisms[0] else type(one).__name__: one for one in mechanisms}
