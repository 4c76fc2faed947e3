"""The page Groups: two groups' true counts compared, what readers of their releases would conclude, and a plan."""

import math
from collections.abc import Mapping, Sequence
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
from dpbi.dashboard.sidebar.grouped import EXAMPLE, FILE, RELEASES, SIDES, SOURCES, TYPED, Grouped
from dpbi.dashboard.take_away import script, take_away
from dpbi.dashboard.views import released_groups, table_form
from dpbi.dashboard.views.group_choice import OF, PAIRS_OF, Sentences, place
from dpbi.dashboard.words import groups as said, guard, handover, sidebar, words
from dpbi.inference.group_conclusions import RoughDifference
from dpbi.inference.group_planning import SIZE_LARGEST, Pair, with_epsilon

_POINTS = 9  # of a plan


class TwoGroups(NamedTuple):
    """Two groups and how they are released. mechanism: chosen for all groups; pair: of these two; sizes: of a plan, the
    groups' own or as counted; places: of the groups; i: of the category; names, category: of them.
    """

    mechanism: Mechanism
    pair: Pair
    first: Problem
    second: Problem
    sizes: tuple[int, int]
    places: tuple[int, int]
    i: int
    names: tuple[str, str]
    category: str

    @property
    def asked(self) -> tuple[Pair, Problem, Problem, int]:
        return self.pair, self.first, self.second, self.i

    @property
    def counted(self) -> tuple[int, int]:
        return self.first.n, self.second.n

    @property
    def epsilons(self) -> tuple[float, float]:
        return self.pair[0].epsilon, self.pair[1].epsilon


def draw(defaults: Mapping[str, Any]) -> None:
    with st.sidebar:
        take_away.bring(defaults)
    refused: list[str] = []
    question: TwoGroups | None = None
    with st.container(horizontal=True, vertical_alignment="bottom", key="sources"):
        source = settings.choice("Groups from", OF + "source", SOURCES, width=180)
        example = source == EXAMPLE and _example()
        if source == RELEASES:
            brought = released_groups.bring()
        else:
            strength = _strength(refused)
    if source == RELEASES:
        released_groups.draw(brought)
        return
    if (found := example or _own_counts(source, refused)) is not None:
        with controls.row():
            question = _question(found, strength, refused)
        question = question and _each_its_own(question, refused)
    if found is None or question is None:
        if not refused:
            st.info(said.NO_FILE if source == FILE else said.NOTHING_TYPED)
        if not refused and source == FILE:
            data_source.lead_to_data()
        return
    if source != EXAMPLE and not data_source.of_a_person():
        st.markdown(f"**{words.RAW_NOTICE}**")
    seed = entries.whole("seed", settings.get("seed"), 0, entries.SEED_LARGEST)
    alpha = question.first.prior
    one, two = question.epsilons
    about: dict[str, str | int | float] = {"Groups": words.plain(found.title), "First": words.plain(question.names[0]),
             "Second": words.plain(question.names[1]), "Category": words.plain(question.category),
             "Mechanism": name_of(question.mechanism), "epsilon": question.mechanism.epsilon,
             **({} if one == two else {"epsilon of the first": one, "epsilon of the second": two}),
             "Prior": words.prior_words(alpha), "Seed": seed}  # fmt: skip
    told = ", ".join(f"{name} = {value}" for name, value in about.items())
    seen = downloads.Shown({f"Setting: {name}": value for name, value in about.items()}, f"Groups. Settings: {told}.")
    sentences = Sentences()
    with downloads.collected(seen), suppress(Cancelled):
        with guard.part():
            _compare(question, seed, sentences)
        if len(found.groups) > 2:
            with guard.part():
                _pairs(found, question, alpha, seed, sentences)
        planned = None
        with guard.part():
            planned = _plan(question, alpha, sentences)
        with guard.part():
            _take_away(found, question, seed, planned, seen, sentences, defaults)


# --- the controls ---


def _example() -> Grouped:
    titles = {key: one.title for key, one in grouped.BY_KEY.items()}
    key = settings.choice("Example", OF + "example", titles, format_func=titles.get, width=420)
    return grouped.of_example(key or grouped.DEFAULTS["groups: example"])


def _own_counts(source: str, refused: list[str]) -> Grouped | None:
    """Of the file in use, or typed; None where there is no such file, nothing is typed, or what is typed is refused."""
    if source == TYPED:
        st.text_area("Groups and their counts", height=110, help=said.TYPED_HELP, placeholder=said.TYPED_EXAMPLE,
                     **settings.entry(OF + "typed"))  # fmt: skip
    used = table_form.in_use()
    with guard.beside(refused):
        if source == FILE and used is not None:
            titles = used.table.questions
            asked = place("Question", "question", titles, 0) if len(titles) > 1 else 0
            return grouped.of_table(used.table, asked, used.name)
        return grouped.found(settings.everything())
    return None


def _strength(refused: list[str]) -> float | None:
    text = st.text_input("Prior, each category", width=150, help=sidebar.PRIOR, **settings.entry(OF + "strength"))
    with guard.beside(refused):
        return prior.check_parameter("prior", entries.number("prior", text))
    return None


def _question(found: Grouped, strength: float | None, refused: list[str]) -> TwoGroups | None:
    """What the row of controls asks; None where an entry is refused."""
    first = place("Group", "first", found.groups, 0)
    second = place("against", "second", found.groups, 1, without=first)
    i = place("Share of", "category", found.labels, 0)
    kinds = {kind.__name__: kind for kind in MECHANISMS}
    labels = {name: words.stamped(kind.label, kind(1.0).guarantee((1.0, 1.0), 1)) for name, kind in kinds.items()}
    if settings.get(OF + "mechanism") not in kinds:
        settings.keep(OF + "mechanism", DEFAULT_OF_GROUPS)
    name = settings.choice("Mechanism", OF + "mechanism", labels, format_func=labels.get, width=210)
    epsilon = None
    with guard.beside(refused):
        epsilon = limits.check_epsilon(entries.number("epsilon", settings.get("epsilon")))
    controls.epsilon(epsilon)
    if epsilon is None or strength is None:
        return None
    alpha = (strength,) * len(found.labels)
    one, two = Problem(alpha, found.counts[first]), Problem(alpha, found.counts[second])
    mechanism = kinds[name](epsilon)
    return TwoGroups(mechanism, (mechanism, mechanism), one, two, (one.n, two.n), (first, second), i,
                     (found.groups[first], found.groups[second]), found.labels[i])  # fmt: skip


def _each_its_own(question: TwoGroups, refused: list[str]) -> TwoGroups | None:
    """With an epsilon or a size that is of one group alone; None where an entry is refused."""
    names = {(what, side): f"{OF}{what} of the {side}" for what in ("epsilon", "size") for side in SIDES}
    if any(settings.get(name).strip() for name in names.values()):
        st.session_state.setdefault(folds.key(said.OWN), True)
    with folds.fold(said.OWN) as opened:
        if opened:
            st.markdown(said.own(*question.names))
            with st.container(horizontal=True):
                for (what, side), name in names.items():
                    st.text_input(f"{said.OWN_OF[what]} of the {side} group", width=200, **settings.entry(name))
    own: dict[str, list[Any]] = {"epsilon": [], "size": []}
    for (what, _), name in names.items():
        with guard.beside(refused):
            own[what].append((grouped.own_epsilon if what == "epsilon" else grouped.own_size)(settings.get(name)))
    if refused:
        return None
    kind, common = type(question.mechanism), question.mechanism.epsilon
    one, two = (kind(common if epsilon is None else epsilon) for epsilon in own["epsilon"])
    sizes = [counted if size is None else size for size, counted in zip(own["size"], question.counted, strict=True)]
    return question._replace(pair=(one, two), sizes=(sizes[0], sizes[1]))


# --- what the counts say, and what readers would ---


def _compare(question: TwoGroups, seed: int, sentences: Sentences) -> None:
    from dpbi.figures import groups as figures

    size = settings.get(OF + "draws")
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
    sign = 0 if said.alike(true.probability_greater) else 1 if right else -1
    names = question.names if right else question.names[::-1]
    low, high = true.intervals[0] if right else (-true.intervals[0][1], -true.intervals[0][0])
    probability = true.probability_greater if right else 1 - true.probability_greater
    sentences.say(said.answer(*names, question.category, probability, (abs(true.at_means[0]), low, high)))
    sketch = RoughDifference(true.probability_greater, true.at_means[0], *true.intervals[0])
    charts.draw(figures.conclusions(sketch, rough, question.names, question.category), "groups")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        settings.choice("Releases drawn", OF + "draws", grouped.READERS, width=130)
        controls.redraw(seed)
    exact = exact if exact is None or right else exact[::-1]
    sentences.say(said.concluded(rough, sign, said.released(question.names, question.epsilons), exact))
    alpha = question.first.prior
    one, two = (own.guarantee(alpha, n) for own, n in zip(question.pair, question.counted, strict=True))
    sentences.note(said.promised(one, two, max(question.epsilons), name_of(question.mechanism)))
    with guard.part(), work("cost", question.asked, 1, "averages") as current, suppress(Cancelled):
        found = current.ask(answers.cost, question.pair, alpha, question.counted, question.i)
        sentences.say(said.cost(found))
    first, second = map(words.plain, question.names)
    tables.draw(data.contrasts(first, second, _rows(true), _rows(private)))
    sentences.note(said.MIDDLE)


def _rows(found: answers.Contrasts) -> list[tuple[float, float, float]]:
    return [(value, *ends) for value, ends in zip(found.at_means, found.intervals, strict=True)]


def _pairs(
    found: Grouped, question: TwoGroups, alpha: tuple[float, ...], seed: int, sentences: Sentences
) -> None:
    """Every pair of groups, or of the first of very many."""
    st.header("All pairs")
    few = range(min(len(found.groups), PAIRS_OF))
    problems = [Problem(alpha, found.counts[g]) for g in few]
    share = [problem.posterior[question.i] / sum(problem.posterior) for problem in problems]
    ordered = [(g, h) if share[g] >= share[h] else (h, g) for g, h in combinations(few, 2)]
    both = question.mechanism, question.mechanism
    asked = (both, problems, question.i, seed)
    with whole("pairs", asked, 2 * len(ordered), "pairs") as current:
        true = [current.ask(answers.rough_truth, problems[g], problems[h], question.i) for g, h in ordered]
        private = [current.ask(answers.conclusion, both, problems[g], problems[h], question.i, seed, 0)
                   for g, h in ordered]  # fmt: skip
    sentences.say(said.pairs([one.probability_greater for one in true]))
    if question.pair != both:
        sentences.note(said.all_alike(question.mechanism.epsilon))
    names = [(words.plain(found.groups[g]), words.plain(found.groups[h])) for g, h in ordered]
    tables.draw(data.pairs(names, true, [one.difference for one in private]))
    if len(found.groups) > PAIRS_OF:
        sentences.note(f"The first {PAIRS_OF} of {len(found.groups)} groups.")


# --- the plan ---


class GroupPlan(NamedTuple):
    """What was asked of it. unlike: whether the groups differ in what is asked for; along: the sizes of both, or the
    epsilons, that its curve shows.
    """

    shares: tuple[float, float]
    wanted: float
    by_people: bool
    sizes: tuple[int, int]
    proportion: tuple[int, int]
    unlike: bool
    along: Sequence[tuple[int, int]] | Sequence[float]


def _plan(question: TwoGroups, alpha: tuple[float, ...], sentences: Sentences) -> GroupPlan | None:
    from dpbi.figures import groups as figures

    st.header("Plan: how many people, or what epsilon?")
    st.markdown(said.PLAN)
    refused: list[str] = []
    with st.container(horizontal=True, vertical_alignment="bottom", key="plan"):
        typed = [_share(label, name, refused) for label, name in (
            (said.SHARE, "share"), (said.GAP, "gap"), (said.WANTED, "wanted"))]  # fmt: skip
        vary = settings.segments("How much is needed of", OF + "vary", grouped.PLANNED)
    share, gap, wanted = typed
    if share is None or gap is None or wanted is None:
        return None
    with guard.beside(refused):
        limits.inside("the share in the higher group", share + gap)
    if refused:
        return None
    shares, by_people = (share + gap, share), vary == grouped.PEOPLE
    pair, i, sizes = question.pair, question.i, question.sizes
    proportion = (1, 1) if sizes == question.counted else sizes
    of_sizes, of_epsilons = len({*(proportion if by_people else sizes)}) > 1, pair[0] != pair[1]
    unlike = of_sizes if by_people else of_epsilons
    if of_sizes or of_epsilons:
        sentences.note(said.taken_for_higher(question.names[0]))
    asked = (pair, alpha, shares, wanted, by_people, i, proportion if by_people else sizes)
    with whole("plan", asked, 2 * _POINTS + 2, "points") as current:
        answer: float | None = None
        along: Sequence[tuple[int, int]] | Sequence[float]
        places: Sequence[float]
        if by_people:
            people = current.ask(answers.people, pair, alpha, shares, wanted, i, proportion)
            without = current.ask(answers.people, None, alpha, shares, wanted, i, proportion)
            answer = None if people is None else max(people.sizes)
            sentences.say(said.people(people, without, wanted))
            many = [_in_proportion(n, proportion) for n in _around(answer or SIZE_LARGEST, 4, SIZE_LARGEST)]
            along, places = many, [max(one) for one in many]
            found = [current.ask(answers.chance, pair, alpha, one, shares, i) for one in many]
            plain = [current.ask(answers.chance, None, alpha, one, shares, i).right for one in many]
        else:
            needed = current.ask(answers.epsilon, pair, alpha, sizes, shares, wanted, i)
            answer = None if needed is None else needed[0]
            own = (answer, answer) if answer is None else tuple(one.epsilon for one in with_epsilon(pair, answer))
            sentences.say(said.epsilon(needed, wanted, sizes, own))
            along = places = _epsilons(answer or 1.0)
            found = [current.ask(answers.chance, with_epsilon(pair, one), alpha, sizes, shares, i) for one in places]
            plain = [current.ask(answers.chance, None, alpha, sizes, shares, i).right] * len(places)
    planned = figures.Planned(tuple(map(float, places)), tuple(one.right for one in found),
                              tuple(one.exact for one in found), tuple(plain))  # fmt: skip
    charts.draw(figures.plan(planned, figures.axis(by_people, unlike), wanted, answer, shares), "plan")
    return GroupPlan(shares, wanted, by_people, sizes, proportion, unlike, along)


def _in_proportion(n: int, proportion: tuple[int, int]) -> tuple[int, int]:
    """Sizes of both groups, the larger of which is n."""
    one, two = (math.ceil(n * (part / max(proportion))) for part in proportion)
    return one, two


def _share(label: str, name: str, refused: list[str]) -> float | None:
    text = st.text_input(label, width=170, **settings.entry(OF + name))
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
    found: Grouped, question: TwoGroups, seed: int, planned: GroupPlan | None, seen: downloads.Shown,
    sentences: Sentences, defaults: Mapping[str, Any],
) -> None:
    program = script.of_groups(
        question.mechanism, question.pair, {
            "groups": found.groups, "labels": found.labels, "prior": question.first.prior, "counts": found.counts,
            "places": question.places, "category": question.i, "seed": seed, "draws": settings.get(OF + "draws"),
            "pairs_of": PAIRS_OF,
        }, None if planned is None else planned._asdict())  # fmt: skip
    own = found if settings.get(OF + "source") != EXAMPLE else None
    files = {"script.py": program.encode(), "answers.md": "\n\n".join(sentences).encode() + b"\n"}
    take_away.offer_groups(menu.page("Groups"), seen, files, defaults, own=own)
    with folds.fold("Copy as Python") as opened:
        if opened:
            st.caption(handover.SCRIPT_NOTICE)
            st.code(program, language="python")
