"""What a claim of the papers is, where it is looked at, and what a look at it gives.

A claim is a statement and a function from one setting to the cases in which it can be right or wrong there. The
finding visits a stated grid of settings; a check visits the person's own. Neither is written by hand.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dpbi import limits
from dpbi.accuracy.distance_law import DistanceLaw, distance_law
from dpbi.data.synthesis import balanced_counts
from dpbi.mechanisms import Mechanism
from dpbi.problem.candidates import list_candidates, log_number_of_candidates
from dpbi.problem.problem import Problem as Problem

from .searched import SEARCHED

Value = float | int | str | tuple[float, ...] | tuple[int, ...]
Named = tuple[tuple[str, Value], ...]

KINDS = ("Theorem", "Lemma", "Corollary", "Definition", "Algorithm", "Assertion", "Figure", "Text", "Misprint",
         "Reading of ours")
ROUNDING = 1e-9  # relative: a smaller difference between what is claimed and what is so may be rounding alone
_DIFFERENT = 1e-6  # relative: from here on two numbers that are claimed equal are not
_LARGEST_EXACT = 1e280  # beyond, ``exp`` may have cut it
_LARGEST_SHOWN = 8  # categories
_SMALL = 20  # records, whose laws are remembered
_LOG_LISTED = 13.0  # log of the number of candidates, 440,000

# The priors of most grids: flat, Jeffreys, the notes' own, and very weak ones.
BETA_PRIORS = ((1.0, 1.0), (0.5, 0.5), (0.1, 0.1), (7.0, 4.0))
DIRICHLET_PRIORS = ((1.0, 1.0, 1.0), (0.5, 0.5, 0.5), (0.1, 0.1, 0.1), (7.0, 4.0, 5.0))
PRIORS = BETA_PRIORS + DIRICHLET_PRIORS
FEW_PRIORS = ((1.0, 1.0), (0.1, 0.1), (7.0, 4.0), (1.0, 1.0, 1.0), (7.0, 4.0, 5.0))  # where all datasets are visited


@dataclass(frozen=True)
class Setting:
    """Where a claim is looked at: prior and counts, and the parameters that mechanisms share."""

    problem: Problem
    epsilon: float = 1.0
    gamma: float = 1.0
    delta: float = 1e-8

    def __post_init__(self) -> None:
        limits.check_epsilon(self.epsilon)
        limits.check_gamma(self.gamma)
        limits.check_delta(self.delta)

    def named(self, *names: str) -> dict[str, Value]:
        """Some of prior, counts, n, k, epsilon, gamma and delta, by name."""
        return {name: getattr(self if name in self.__dataclass_fields__ else self.problem, name) for name in names}


@dataclass(frozen=True)
class Case:
    """One thing the claim says, and what is so.

    inputs: where; numbers: what is claimed and what is exact; margin: by how much the claim is kept there, negative
    where it is broken, relative unless the numbers say otherwise; within: whether the claim's condition is met.
    A margin within rounding of 0 decides nothing.
    """

    inputs: Named
    numbers: Named
    margin: float
    within: bool = True

    @property
    def decided(self) -> bool:
        return abs(self.margin) > ROUNDING

    @property
    def holds(self) -> bool:
        """Not broken: by more than rounding, or as far as rounding lets one see."""
        return self.margin >= -ROUNDING

    @property
    def words(self) -> str:
        return f"{listed(self.inputs)}: {listed(self.numbers)}"


def at(prior: tuple[float, ...], counts: tuple[int, ...], epsilon: float = 1.0, gamma: float = 1.0,
       delta: float = 1e-8) -> Setting:
    return Setting(Problem(prior, counts), epsilon, gamma, delta)


def need(so: bool, refusal: str) -> None:
    """ValueError with the refusal where the claim says nothing or cannot be visited."""
    if not so:
        raise ValueError(refusal)


# What claims speak of: ValueError for other data.


def any_data(problem: Problem) -> None:
    """Of all."""


def two_categories(problem: Problem) -> None:
    """Of a Beta prior and at least one record."""
    need(problem.k == 2, f"This claim speaks of two categories (a Beta prior): got k = {problem.k}.")
    need(problem.n > 0, "This claim needs at least one record: got n = 0.")


def balanced(problem: Problem) -> None:
    """Of data that are as even as can be."""
    need(max(problem.counts) - min(problem.counts) <= 1,
         f"This claim speaks of balanced data only, so not of yours: got counts {shown(problem.counts)}.")


def captioned_prior(problem: Problem) -> None:
    """Of the prior of [N], figures 3 and 4."""
    need(problem.prior == (7.0, 4.0, 5.0),
         f"This claim speaks of the prior Dir(7, 4, 5), so not of yours: got {shown(problem.prior)}.")


def case(inputs: Mapping[str, Value], numbers: Mapping[str, Value], margin: float, within: bool = True) -> Case:
    return Case(tuple(inputs.items()), tuple(numbers.items()), float(margin), bool(within))


def at_most(value: float, bound: float) -> float:
    """The margin of value <= bound, relative to the larger of the two."""
    return (bound - value) / max(abs(value), abs(bound), 1e-300)


def equal(value: float, claimed: float) -> float:
    """The margin of value = claimed: 1 where they agree to within rounding, 0 where that cannot be told."""
    apart = abs(at_most(value, claimed))
    return 1.0 if apart <= ROUNDING else 0.0 if apart < _DIFFERENT else -apart


def true(so: bool) -> float:
    """The margin of a claim that is right or wrong and nothing between."""
    return 1.0 if so else -1.0


@dataclass(frozen=True)
class Grid:
    """Settings from small to large: by n, then prior, dataset, epsilon, gamma and delta, each in the order given.

    data: "all" datasets of each n, the "balanced" one, or "any" one where counts do not matter; what stays empty does
    not matter to the claim and has its default; beyond: what the claim visits at every setting; off the grid, chosen:
    settings named one by one, most of them the papers' own; found: those that a search over priors, datasets and all
    parameters came upon.
    """

    priors: tuple[tuple[float, ...], ...] = ((1.0, 1.0),)
    totals: tuple[int, ...] = (1,)
    data: Literal["all", "balanced", "any"] = "any"
    epsilons: tuple[float, ...] = ()
    gammas: tuple[float, ...] = ()
    deltas: tuple[float, ...] = ()
    beyond: str = ""
    chosen: tuple[Setting, ...] = ()
    found: tuple[Setting, ...] = ()

    def __iter__(self) -> Iterator[Setting]:
        return iter(sorted((*self._crossed(), *self.chosen, *self.found), key=lambda setting: setting.problem.n))

    def _crossed(self) -> Iterator[Setting]:
        for n, prior in product(self.totals, self.priors):
            for counts in self._datasets(n, len(prior)):
                problem = Problem(prior, counts)
                for numbers in product(self.epsilons or (1.0,), self.gammas or (1.0,), self.deltas or (1e-8,)):
                    yield Setting(problem, *numbers)

    def _datasets(self, n: int, k: int) -> Iterable[tuple[int, ...]]:
        return map(tuple, list_candidates(n, k).tolist()) if self.data == "all" else [balanced_counts(k, n)]

    @property
    def words(self) -> str:
        parts = [
            f"prior {', '.join(map(shown, self.priors))}" if self.priors else "",
            f"n = {_range(self.totals)}" if self.totals != (1,) else "",
            {"all": "all datasets", "balanced": "balanced datasets", "any": ""}[self.data] if self.priors else "",
            *(f"{name} = {_range(values)}" for name, values in
              (("epsilon", self.epsilons), ("gamma", self.gammas), ("delta", self.deltas)) if values),
            self.beyond,
            ("also " if self.priors else "") + _chosen(self.chosen) if self.chosen else "",
            f"{len(self.found)} more found by a search up to n = {max(one.problem.n for one in self.found):,}"
            if self.found else "",
        ]
        return "; ".join(filter(None, parts))


def _chosen(settings: tuple[Setting, ...]) -> str:
    """Settings by their values, each of them once; gamma and delta only where some are not at their defaults."""
    values: dict[str, list[Value]] = {"counts": [one.problem.counts for one in settings],
                                      "prior": [one.problem.prior for one in settings]}
    values |= {name: [getattr(one, name) for one in settings] for name in ("epsilon", "gamma", "delta")
               if name == "epsilon" or any(getattr(one, name) != getattr(Setting, name) for one in settings)}
    return ", ".join(f"{name} = {' or '.join(dict.fromkeys(map(shown, some)))}" for name, some in values.items())


@dataclass(frozen=True)
class Searched:
    """Where a search beyond the grid came upon no counter-example: settings, and the ends of each input (tests)."""

    settings: int
    ends: tuple[tuple[str, float, float], ...]

    @classmethod
    def of(cls, name: str) -> "Searched":
        settings, ends, _ = SEARCHED[name]
        return cls(settings, tuple((thing, *between) for thing, between in ends.items()))

    @property
    def words(self) -> str:
        between = "; ".join(f"{name} = {shown(low)}" + (f" to {shown(high)}" if high > low else "")
                            for name, low, high in self.ends)
        return f"A search beyond the grid contradicts this in none of {self.settings:,} settings: {between}."


@dataclass(frozen=True)
class Finding:
    """What visiting every case of a claim's grid shows, and of one that holds, what else was searched.

    kind: "holds", "holds if" (in every case of the condition, not in all others) or "fails"; for a claim that
    something happens somewhere, "holds" once it was seen. visited, held: cases, of which ``visited_within`` meet the
    condition; undecided: further cases, where both sides are equal up to rounding, left out everywhere else;
    counterexample: the first that fails, the smallest since grids run upwards; worst: the one that fails by most;
    example: the first that holds; nearest: of those that hold, the one with the least margin.
    """

    kind: Literal["holds", "holds if", "fails"]
    condition: str
    everywhere: bool
    visited: int
    held: int
    visited_within: int
    held_within: int
    undecided: int
    counterexample: Case | None
    worst: Case | None
    example: Case | None
    nearest: Case | None
    searched: Searched | None

    @property
    def only(self) -> bool:
        """Of a claim that holds if its condition is met: whether it held in no other case, of which there were some."""
        return self.kind == "holds if" and self.held == self.held_within and self.visited > self.visited_within

    @property
    def label(self) -> str:
        if self.kind == "holds" and not self.visited:
            return "holds with equality, up to rounding"
        if self.kind == "holds if":
            return f"holds if{' and only if' if self.only else ''} {self.condition}"
        return self.kind

    @property
    def words(self) -> str:
        """Some sentences: in how many cases, the smallest counter-example, the worst, what is left out or searched."""
        seen = self._seen_everywhere() if self.everywhere else self._seen_somewhere()
        return seen + self._left_out() + (f" {self.searched.words}" if self.searched else "")

    def _seen_everywhere(self) -> str:
        if self.kind == "holds" and not self.visited:
            return "No case differs by more than rounding."
        if self.kind == "holds":
            return f"Holds in all {self.visited:,} cases." + _said("Nearest to failing", self.nearest)
        if self.kind == "holds if":
            others, held = self.visited - self.visited_within, self.held - self.held_within
            start = (f"{limits.opened(self.label)}: in all {self.visited_within:,} cases where that is so, and in "
                     f"{held:,} of the {others:,} others.")
        else:
            start = f"Fails in {self.visited - self.held:,} of {self.visited:,} cases."
        worst = self.worst if self.worst != self.counterexample else None
        return start + _said("Smallest counter-example", self.counterexample) + _said("Worst", worst)

    def _seen_somewhere(self) -> str:
        if self.kind == "fails":
            return f"Not seen in any of {self.visited:,} cases." + _said("Nearest to it", self.worst)
        return (f"Seen in {self.held:,} of {self.visited:,} cases." + _said("First", self.example)
                + _said("But not", self.counterexample))

    def _left_out(self) -> str:
        more = "more " if self.visited else ""
        return (f" Left out: {self.undecided:,} {more}cases, in which both sides are equal up to rounding."
                if self.undecided else "")


@dataclass(frozen=True)
class Reading:
    """What a claim says at one setting: every case there, and the one that decides, with the least margin."""

    setting: Setting
    cases: tuple[Case, ...]
    everywhere: bool

    @property
    def decisive(self) -> Case:
        decided = [one for one in self.cases if one.decided] or self.cases
        return (min if self.everywhere else max)(decided, key=lambda one: one.margin)

    @property
    def holds(self) -> bool:
        return self.decisive.holds

    @property
    def numbers(self) -> Named:
        return self.decisive.numbers

    @property
    def sentence(self) -> str:
        if not self.decisive.decided:
            said = limits.opened(self.decisive.words)
            return f"Here nothing is decided: both sides are equal up to rounding. {said}."
        decided = [one for one in self.cases if one.decided]
        verb = "holds" if self.holds else "fails"
        if not self.everywhere:  # that it is so somewhere is not refuted by one place
            verb = "is seen" if self.holds else "is not seen"
        alike = sum(one.holds == self.holds for one in decided)
        among = f" in {alike} of {len(decided)} cases" if len(decided) > 1 else ""
        equal = len(self.cases) - len(decided)
        left_out = f" ({equal} more: equal up to rounding)" if equal else ""
        return f"Here it {verb}{among}{left_out}. {limits.opened(self.decisive.words)}."


@dataclass(frozen=True)
class Claim:
    """A theorem, lemma, corollary or formula of the papers that numbers can decide.

    name: a few words; statement: ours, not the paper's; source: paper and number, of every paper that makes it; places:
    the grid of the finding; cases: what it says of a problem at a setting of it, ValueError where it says nothing;
    condition: what saves it, if that is known; everywhere: whether it speaks of every case, or says that there is one;
    speaks_of: of which data; ours: whether it is a reading of ours, which needs a number, a sign or a correction that
    the paper does not print, or takes it at more than its words: the paper is not right or wrong by it; misprint:
    whether the paper itself shows, elsewhere or by how it goes on, that something else is meant than it prints; stated:
    whether the condition stands in a paper that makes the claim.
    """

    name: str
    statement: str
    source: str
    places: Grid
    cases: Callable[[Problem, Setting], Iterable[Case]]
    condition: str = ""
    everywhere: bool = True
    speaks_of: Callable[[Problem], None] = any_data
    ours: bool = False
    misprint: bool = False
    stated: bool = False

    @property
    def papers(self) -> tuple[str, ...]:
        """The marks of the papers that make it."""
        return tuple(dict.fromkeys(re.findall(r"\[[A-Z]\d*\]", self.source)))

    @property
    def cited(self) -> str:
        """The source, and whether it is a reading of ours or a misprint."""
        apart = " (a reading of ours)" if self.ours else " (a misprint)" if self.misprint else ""
        return self.source + apart

    @property
    def kind(self) -> str:
        """What it is in the paper, by the first such word of its source, or a misprint, or a reading of ours."""
        *named, text, misprint, reading = KINDS
        found = re.search("|".join(named), self.source)
        return reading if self.ours else misprint if self.misprint else found.group() if found else text

    @property
    def grid(self) -> str:
        return self.places.words

    @property
    def finding(self) -> Finding:
        """Computed over the grid at first, then remembered."""
        return _finding(self)

    def check(self, place: Problem | Setting) -> Reading:
        """The claim at one problem: with epsilon = gamma = 1 and delta = 1e-8 where only the problem is given.

        Raises ValueError where the claim does not speak of such a problem, or it is too large to be visited.
        Source: ours.
        """
        setting = Setting(place) if isinstance(place, Problem) else place
        self.speaks_of(setting.problem)
        cases = tuple(self.cases(setting.problem, setting))
        need(bool(cases), f"This claim compares nothing at such data: got counts {shown(setting.problem.counts)}.")
        return Reading(setting, cases, self.everywhere)


@cache
def _finding(claim: Claim) -> Finding:
    every = [one for setting in claim.places for one in claim.cases(setting.problem, setting)]
    cases = [one for one in every if one.decided]
    kept, broken = [one for one in cases if one.holds], [one for one in cases if not one.holds]
    within = [one for one in cases if one.within]
    held_within = sum(one.holds for one in within)
    kind: Literal["holds", "holds if", "fails"] = "fails"
    if (not broken and (kept or claim.everywhere)) or (kept and not claim.everywhere):
        kind = "holds"
    elif claim.condition and within and held_within == len(within):
        kind = "holds if"
    varied = len({one.margin for one in kept}) > 1
    return Finding(
        kind, claim.condition, claim.everywhere, len(cases), len(kept), len(within), held_within,
        undecided=len(every) - len(cases),
        counterexample=broken[0] if broken else None,
        worst=(min if claim.everywhere else max)(broken, key=lambda one: one.margin, default=None),
        example=kept[0] if kept else None,
        nearest=min(kept, key=lambda one: one.margin) if varied else None,
        searched=Searched.of(claim.name) if kind != "fails" and claim.name in SEARCHED else None,
    )


def candidates_of(problem: Problem) -> NDArray[np.int64]:
    """All candidates; ValueError where there are too many."""
    need(log_number_of_candidates(problem.n, problem.k) <= _LOG_LISTED,
         f"This claim visits every candidate, and there are too many here: got n = {problem.n:,} with k = "
         f"{problem.k:,} categories.")
    return list_candidates(problem.n, problem.k)


def listed_law(mechanism: Mechanism, problem: Problem) -> DistanceLaw:
    """The exact law of H with every output at its own distance; ValueError where it is only binned or sampled."""
    few = problem.k == 2 or log_number_of_candidates(problem.n, problem.k) < _LOG_LISTED
    refusal = (f"This claim needs every output at its own distance, and there are too many here: got n = {problem.n:,} "
               f"with k = {problem.k:,} categories.")
    need(few, refusal)  # many would be sampled in vain
    small = problem.k < 4 and problem.n <= _SMALL
    law = (_remembered_law if small else distance_law)(mechanism, problem)
    need(law.kind == "levels", refusal)
    return law


# Of the grids' data, which several claims ask about; each takes some kilobytes.
_remembered_law = lru_cache(maxsize=1024)(distance_law)


def exp(exponent: float) -> float:
    """e^exponent, large instead of too large: ``shown`` says so."""
    return math.exp(min(exponent, 700.0))


def listed(named: Named) -> str:
    return ", ".join(f"{name} {shown(value)}" if isinstance(value, str) else f"{name} = {shown(value)}"
                     for name, value in named)


def shown(value: Value) -> str:
    if isinstance(value, tuple):
        some = ", ".join(map(shown, value[:_LARGEST_SHOWN]))
        return f"({some}, … {len(value)} in all)" if len(value) > _LARGEST_SHOWN else f"({some})"
    if isinstance(value, float):
        if value >= _LARGEST_EXACT:
            return f"more than {_LARGEST_EXACT:g}"
        return f"{value:.6g}" if value == value else "none"
    return f"{value:,}" if isinstance(value, int) else value


def _said(what: str, one: Case | None) -> str:
    return f" {what}: {one.words}." if one else ""


def _range(values: tuple[float, ...]) -> str:
    """Three or more whole numbers in a row as a range."""
    if len(values) > 3 and values == tuple(range(int(values[0]), int(values[0]) + len(values))):
        return f"{values[0]} to {values[-1]}"
    return ", ".join(map(shown, values))
