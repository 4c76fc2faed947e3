"""The page Groups: two groups' true counts compared, what readers of their releases would conclude, and a plan."""

from collections.abc import Sequence
from contextlib import suppress
from itertools import combinations
from typing import Any, NamedTuple

import streamlit as st

from dpbi import MECHANISMS, Mechanism, Problem, limits, name_of, tables as data
from dpbi.dashboard.answers import groups as answers
from dpbi.dashboard.answers.work import Cancelled, whole, work
from dpbi.dashboard.page import DEFAULT_OF_GROUPS
from dpbi.dashboard.session import settings
from dpbi.dashboard.shown import charts, downloads, folds, tables
from dpbi.dashboard.sidebar import controls, data_source, entries, grouped, menu, prior
from dpbi.dashboard.sidebar.grouped import Grouped
from dpbi.dashboard.take_away import report, script
from dpbi.dashboard.words import groups as said, guard, handover, sidebar, words
from dpbi.inference.group_conclusions import RoughDifference
from dpbi.inference.group_planning import SIZE_LARGEST

_OF = "groups: "  # what the settings of this page begin with
EXAMPLE, TYPED, FILE = "An example", "Counts typed in", "The file in use"
DRAWS = (10, 20, 30, 50)
PAIRS_OF = 10  # groups of which all pairs are shown
_ENTRIES: dict[str, Any] = {
    "source": EXAMPLE, "example": next(iter(grouped.BY_KEY)), "typed": "group, yes, no\nA, 30, 70\nB, 45, 55",
    "first": "", "second": "", "category": "", "mechanism": DEFAULT_OF_GROUPS, "draws": 20, "strength": "1",
    "share": "0.3", "gap": "0.1", "wanted": "0.8", "vary": said.PEOPLE,
}  # fmt: skip
_POINTS = 9  # of a plan


class TwoGroups(NamedTuple):
    """Two groups and how they are released. names, category: of them; i: the category's place."""

    mechanism: Mechanism
    first: Problem
    second: Problem
    i: int
    names: tuple[str, str]
    category: str

    @property
    def asked(self) -> tuple[Mechanism, Problem, Problem, int]:
        return self.mechanism, self.first, self.second, self.i

    @property
    def sizes(self) -> tuple[int, int]:
        return self.first.n, self.second.n


def draw() -> None:
    for name, value in _ENTRIES.items():
        settings.setdefault(_OF + name, value)
    refused: list[str] = []
    question: TwoGroups | None = None
    with st.container(horizontal=True, vertical_alignment="bottom", key="sources"):
        source = settings.choice("Groups from", _OF + "source", (EXAMPLE, TYPED, FILE), width=180)
        example = source == EXAMPLE and _example()
        strength = _strength(refused)
    if (found := example or _own(source, refused)) is not None:
        with controls.row():
            question = _question(found, strength, refused)
    if found is None or question is None:
        if not refused:
            st.info(said.NO_FILE)
            data_source.lead_to_data()
        return
    if source != EXAMPLE and not data_source.of_a_person():
        st.markdown(f"**{words.RAW_NOTICE}**")
    seed = entries.whole("seed", settings.get("seed"), 0, entries.SEED_LARGEST)
    alpha = question.first.prior
    about: dict[str, str | int | float] = {"Groups": words.plain(found.title), "First": words.plain(question.names[0]),
             "Second": words.plain(question.names[1]), "Category": words.plain(question.category),
             "Mechanism": name_of(question.mechanism), "epsilon": question.mechanism.epsilon,
             "Prior": words.prior_words(alpha), "Seed": seed}  # fmt: skip
    told = ", ".join(f"{name} = {value}" for name, value in about.items())
    seen = downloads.Shown({f"Setting: {name}": value for name, value in about.items()}, f"Groups. Settings: {told}.")
    with downloads.collected(seen), suppress(Cancelled):
        with guard.part():
            _compare(question, seed)
        if len(found.groups) > 2:
            with guard.part():
                _pairs(found, question, alpha, seed)
        planned = None
        with guard.part():
            planned = _plan(question, alpha)
        with guard.part():
            _take_away(found, question, seed, planned, seen)


# --- the controls ---


def _example() -> Grouped:
    titles = {key: one.title for key, one in grouped.BY_KEY.items()}
    key = settings.choice("Example", _OF + "example", titles, format_func=titles.get, width=420)
    return grouped.of_example(key or _ENTRIES["example"])


def _own(source: str, refused: list[str]) -> Grouped | None:
    """Of the file in use, or typed; None where there is no such file, or what is typed is refused."""
    with guard.beside(refused):
        if source == FILE:
            return grouped.of_file(settings.get("uploaded"))
        entry = settings.entry(_OF + "typed")
        return grouped.typed(st.text_area("Groups and their counts", height=110, help=said.TYPED_HELP, **entry))
    return None


def _strength(refused: list[str]) -> float | None:
    text = st.text_input("Prior, each category", width=150, help=sidebar.PRIOR, **settings.entry(_OF + "strength"))
    with guard.beside(refused):
        return prior.check_parameter("prior", entries.number("prior", text))
    return None


def _question(found: Grouped, strength: float | None, refused: list[str]) -> TwoGroups | None:
    """What the row of controls asks; None where an entry is refused."""
    first = _place("Group", "first", found.groups, 0)
    second = _place("against", "second", found.groups, 1, without=first)
    i = _place("Share of", "category", found.labels, 0)
    kinds = {kind.__name__: kind for kind in MECHANISMS}
    labels = {name: words.stamped(kind.label, kind(1.0).guarantee((1.0, 1.0), 1)) for name, kind in kinds.items()}
    if settings.get(_OF + "mechanism") not in kinds:
        settings.keep(_OF + "mechanism", DEFAULT_OF_GROUPS)
    name = settings.choice("Mechanism", _OF + "mechanism", labels, format_func=labels.get, width=210)
    epsilon = None
    with guard.beside(refused):
        epsilon = limits.check_epsilon(entries.number("epsilon", settings.get("epsilon")))
    controls.epsilon(epsilon)
    if epsilon is None or strength is None:
        return None
    alpha = (strength,) * len(found.labels)
    one, two = Problem(alpha, found.counts[first]), Problem(alpha, found.counts[second])
    names = found.groups[first], found.groups[second]
    return TwoGroups(kinds[name](epsilon), one, two, i, names, found.labels[i])


def _place(label: str, name: str, options: Sequence[str], default: int, without: int | None = None) -> int:
    """Which of them. Kept by its name: one that is not there, or taken, gives way, and its widget to a new one."""
    left = [option for i, option in enumerate(options) if i != without]
    if settings.get(_OF + name) not in left:
        settings.keep(_OF + name, options[default] if default != without else left[0])
    shown = {option: words.plain(option, 30) for option in left}
    return options.index(settings.choice(label, _OF + name, left, format_func=shown.get, width=210))


# --- what the counts say, and what readers would ---


def _compare(question: TwoGroups, seed: int) -> None:
    from dpbi.figures import groups as figures

    size = settings.get(_OF + "draws")
    with whole("groups", (question.asked, seed, size), size + 2, "comparisons") as current:
        true = current.ask(answers.truth, *question.asked[1:])
        drawn = [current.ask(answers.conclusion, *question.asked, seed, number) for number in range(size)]
        rough = [one.difference for one in drawn]
        middle = sorted(drawn, key=lambda one: one.difference.mean)[size // 2]
        private = current.ask(answers.read, *question.asked[:3], middle.released, question.i)
        exact = None
        if question.first.k == 2:
            exact = current.ask(answers.exact_share, *question.asked)
    right = true.means[0] >= true.means[1]
    names = question.names if right else question.names[::-1]
    low, high = true.intervals[0] if right else (-true.intervals[0][1], -true.intervals[0][0])
    probability = true.probability_greater if right else 1 - true.probability_greater
    st.markdown(said.answer(*names, question.category, probability, (abs(true.at_means[0]), low, high)))
    sketch = RoughDifference(true.probability_greater, true.at_means[0], *true.intervals[0])
    charts.draw(figures.conclusions(sketch, rough, question.names, question.category), "groups")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        settings.choice("Releases drawn", _OF + "draws", DRAWS, width=130)
        controls.redraw(seed)
    exact = exact if exact is None or right else exact[::-1]
    st.markdown(said.concluded(rough, 1 if right else -1, question.mechanism.epsilon, exact))
    alpha = question.first.prior
    promises = [question.mechanism.guarantee(alpha, n) for n in question.sizes]
    st.caption(said.promised(promises[0], promises[1], question.mechanism.epsilon, name_of(question.mechanism)))
    with guard.part(), work("cost", question.asked, 1, "averages") as current, suppress(Cancelled):
        found = current.ask(answers.cost, question.mechanism, alpha, question.sizes, question.i)
        st.markdown(said.cost(found))
    one, two = map(words.plain, question.names)
    tables.draw(data.contrasts(one, two, _rows(true), _rows(private)))
    st.caption(said.MIDDLE)


def _rows(found: answers.Contrasts) -> list[tuple[float, float, float]]:
    return [(value, *ends) for value, ends in zip(found.at_means, found.intervals, strict=True)]


def _pairs(found: Grouped, question: TwoGroups, alpha: tuple[float, ...], seed: int) -> None:
    """Every pair of groups, or of the first of very many."""
    st.header("All pairs")
    few = range(min(len(found.groups), PAIRS_OF))
    problems = [Problem(alpha, found.counts[g]) for g in few]
    share = [problem.posterior[question.i] / sum(problem.posterior) for problem in problems]
    ordered = [(g, h) if share[g] >= share[h] else (h, g) for g, h in combinations(few, 2)]
    asked = (question.mechanism, problems, question.i, seed)
    with whole("pairs", asked, 2 * len(ordered), "pairs") as current:
        true = [current.ask(answers.rough_truth, problems[g], problems[h], question.i) for g, h in ordered]
        private = [current.ask(answers.conclusion, question.mechanism, problems[g], problems[h], question.i, seed, 0)
                   for g, h in ordered]  # fmt: skip
    st.markdown(said.pairs([one.probability_greater for one in true]))
    names = [(words.plain(found.groups[g]), words.plain(found.groups[h])) for g, h in ordered]
    tables.draw(data.pairs(names, true, [one.difference for one in private]))
    if len(found.groups) > PAIRS_OF:
        st.caption(f"The first {PAIRS_OF} of {len(found.groups)} groups.")


# --- the plan ---


class GroupPlan(NamedTuple):
    """What was asked of it; answer: the size or epsilon that does, None where none was found."""

    shares: tuple[float, float]
    wanted: float
    by_people: bool
    answer: float | None


def _plan(question: TwoGroups, alpha: tuple[float, ...]) -> GroupPlan | None:
    from dpbi.figures import groups as figures

    st.header("Plan: how many people, or what epsilon?")
    st.markdown(said.PLAN)
    refused: list[str] = []
    with st.container(horizontal=True, vertical_alignment="bottom", key="plan"):
        typed = [_share(label, name, refused) for label, name in (
            (said.SHARE, "share"), (said.GAP, "gap"), (said.WANTED, "wanted"))]  # fmt: skip
        vary = settings.segments("How much is needed of", _OF + "vary", (said.PEOPLE, said.EPSILON), width=260)
    share, gap, wanted = typed
    if share is None or gap is None or wanted is None:
        return None
    with guard.beside(refused):
        limits.inside("the share in the higher group", share + gap)
    if refused:
        return None
    shares, by_people = (share + gap, share), vary == said.PEOPLE
    mechanism, i, sizes = question.mechanism, question.i, question.sizes
    asked = (mechanism, alpha, shares, wanted, by_people, i, None if by_people else sizes)
    with whole("plan", asked, 2 * _POINTS + 2, "points") as current:
        answer: float | None = None
        if by_people:
            people = current.ask(answers.people, mechanism, alpha, shares, wanted, i)
            without = current.ask(answers.people, None, alpha, shares, wanted, i)
            answer = None if people is None else people.sizes[0]
            st.markdown(said.people(people, without, wanted))
            at = _around(answer or SIZE_LARGEST, 4, SIZE_LARGEST)
            found = [current.ask(answers.chance, mechanism, alpha, (n, n), shares, i) for n in at]
            plain = [current.ask(answers.chance, None, alpha, (n, n), shares, i).right for n in at]
        else:
            needed = current.ask(answers.epsilon, mechanism, alpha, sizes, shares, wanted, i)
            answer = None if needed is None else needed[0]
            st.markdown(said.epsilon(needed, wanted, sizes))
            places = _epsilons(answer or 1.0)
            found = [current.ask(answers.chance, type(mechanism)(one), alpha, sizes, shares, i) for one in places]
            plain = [current.ask(answers.chance, None, alpha, sizes, shares, i).right] * len(places)
    along = tuple(map(float, at if by_people else places))
    planned = figures.Planned(along, tuple(one.right for one in found), tuple(one.exact for one in found), tuple(plain))
    axis = figures.PEOPLE if by_people else figures.EPSILON
    charts.draw(figures.plan(planned, axis, wanted, answer, shares), "plan")
    return GroupPlan(shares, wanted, by_people, answer)


def _share(label: str, name: str, refused: list[str]) -> float | None:
    text = st.text_input(label, width=170, **settings.entry(_OF + name))
    with guard.beside(refused):
        return limits.inside(label, entries.number(label, text))
    return None


def _around(n: int, least: int, most: int) -> list[int]:
    """Sizes from an eighth of n to twice as many, n among them."""
    steps = (2.0 ** (-3 + 4 * j / (_POINTS - 1)) for j in range(_POINTS))
    return sorted({n, *(min(max(round(n * step), least), most) for step in steps)})


def _epsilons(value: float) -> list[float]:
    steps = (float(f"{value * 4.0 ** (-2 + 4 * j / (_POINTS - 1)):.3g}") for j in range(_POINTS))
    return sorted({value, *(min(max(step, 1e-3), 100.0) for step in steps)})


# --- to take along ---


def _take_away(
    found: Grouped, question: TwoGroups, seed: int, planned: GroupPlan | None, seen: downloads.Shown
) -> None:
    program = script.of_groups(
        question.mechanism, {
            "groups": question.names, "prior": question.first.prior,
            "counts": (question.first.counts, question.second.counts), "category": question.i, "seed": seed,
            "draws": settings.get(_OF + "draws"),
        }, None if planned is None else (planned.shares, planned.wanted, planned.by_people))  # fmt: skip
    page = menu.page("Groups")
    downloads.offer("Report (ZIP)", lambda: report.zip_bytes(page, seen, {"script.py": program.encode()},
                                                             handover.REPORT_WARNING),
                    "dpbi-groups.zip", "application/zip", help=handover.REPORT_HELP)  # fmt: skip
    with folds.fold("Copy as Python") as opened:
        if opened:
            st.caption(handover.SCRIPT_NOTICE)
            st.code(program, language="python")
