"""The tour: a story of private posteriors in scenes, each with what is computed for it and what is said of that."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from dpbi.accuracy.distance_law import DistanceLaw, distance_law
from dpbi.accuracy.optimum import PrivacyLimit, limit_of_privacy
from dpbi.frozen_result import FrozenResult
from dpbi.inference.noise_aware_releases import NoiseAwareReleases, noise_aware_releases
from dpbi.inference.prior_average import Reading, expected_distance
from dpbi.inference.private_posteriors import PrivatePosteriors, sample_posteriors
from dpbi.mechanisms import EHD, EHDS, Geometric, LSDim, LSHist, LSZhang, Mechanism, name_of
from dpbi.mechanisms.printed_bound import printed_bound
from dpbi.mechanisms.printed_number import at_least, number
from dpbi.posterior.hellinger import distances_to, hellinger
from dpbi.problem.problem import Problem
from dpbi.sensitivity import maps, worst_neighbour

Floats = NDArray[np.float64]
Kind = Literal["picture", "clouds", "guess"]

ANSWERS = ("yes", "no")  # that its tables count
SEED = 1  # of everything drawn here
_UNIFORM = (1.0, 1.0)
_EPSILON = 1.0
_HIDDEN = 0.1  # the epsilon at which a reader who takes releases for the data is mistaken
_GAMMA = 0.05  # at which the smooth bound can be seen between the others
_MOVES = 400
_CURVES = 30
_SIZES = (10, 30, 100, 300, 1000, 3000, 10_000)
_REACHED = 1.005  # times the limit, which three digits do not tell from it
_TIMES_EPSILON = (0.5, 1.0, 1.5, 2.0, 3.0)


@dataclass(frozen=True)
class SpeakerNotes:
    """For the speaker: what to say, what to ask the room, and about how many minutes a scene takes."""

    say: str
    ask: str
    minutes: int


@dataclass(frozen=True)
class Scene:
    """One scene.

    question: what stands beside the picture; sentence: of ``result``, in the question's place once it is revealed, if
    there is anything to ``reveal``, else after it; neighbour: the other table where there are two; page: the title of
    the lab's page with the same in full.
    """

    key: str
    heading: str
    question: str
    problem: Problem
    mechanisms: tuple[Mechanism, ...]
    page: str
    notes: SpeakerNotes
    reveal: str = ""
    compute: Callable[["Scene"], Any] = lambda scene: None
    sentence: Callable[[Any], str] = lambda found: ""
    kind: Kind = "picture"
    neighbour: Problem | None = None

    def result(self) -> Any:
        """What the scene's chart shows and its sentence is about, computed once per process."""
        return _computed(self)


@cache
def _computed(scene: Scene) -> Any:
    return scene.compute(scene)


# --- what is computed ---


@dataclass(frozen=True)
class Leak:
    """The posteriors of two datasets that differ in one record; distance: H between them."""

    problem: Problem
    neighbour: Problem
    distance: float


@dataclass(frozen=True, eq=False)
class Moves(FrozenResult):
    """H between each problem's posterior and that after ``moved`` records changed category; distance: (problems, m).

    receiver: the category that they changed to, 0 or 1.
    """

    problems: tuple[Problem, ...]
    moved: NDArray[np.int64]
    distance: Floats
    receiver: int


@dataclass(frozen=True)
class Beside:
    """Draws of several mechanisms at one problem, and the exact laws of their distance."""

    drawn: tuple[PrivatePosteriors, ...]
    laws: tuple[DistanceLaw, ...]


@dataclass(frozen=True)
class Growth:
    """Draws of one mechanism as the data grow, and how probable it is that it does not look at them at all."""

    drawn: tuple[PrivatePosteriors, ...]
    ignoring: tuple[float, ...]


@dataclass(frozen=True)
class Reach:
    """How far one record moves the posterior at every count of the first category, and what a rate set by it gives.

    leak: at the data; scan: of all tables of this size; means: E[H] of the scene's mechanisms, in their order.
    """

    leak: Leak
    scan: maps.SensitivityScan
    mechanisms: tuple[Mechanism, ...]
    means: tuple[float, ...]


@dataclass(frozen=True)
class TwoReadings:
    """The same releases taken for the data, and read with the noise in mind."""

    naive: PrivatePosteriors
    aware: NoiseAwareReleases


@dataclass(frozen=True, eq=False)
class AgainstLimit(FrozenResult):
    """The limit of privacy at several epsilons, and E[H] under the prior of each mechanism there.

    mechanisms: at the scene's epsilon; limits: one per epsilon; mean, nearest: as released and read nearest,
    (mechanisms, epsilons).
    """

    mechanisms: tuple[Mechanism, ...]
    limits: tuple[PrivacyLimit, ...]
    mean: Floats
    nearest: Floats

    @property
    def times(self) -> Floats:
        """Both readings over the limit, (2, mechanisms, epsilons); NaN where the limit is not known."""
        known = np.array([np.nan if one.value is None else one.value for one in self.limits])
        return np.stack([self.mean, self.nearest]) / known


def leak(problem: Problem) -> Leak:
    """The problem beside the neighbour whose posterior is farthest from its own."""
    return _apart(problem, problem.with_counts(worst_neighbour(problem)))


def with_her_no(scene: Scene) -> Leak:
    """The scene's two tables."""
    assert scene.neighbour is not None
    return _apart(scene.problem, scene.neighbour)


def _apart(problem: Problem, neighbour: Problem) -> Leak:
    return Leak(problem, neighbour, float(hellinger(problem.posterior, neighbour.posterior)))


def moves(problem: Problem) -> Moves:
    """Records that change to the rarer of two categories, at these data and where that one is empty.

    The first where both are as frequent. At most ``_MOVES`` numbers of records, 0 and 1 among them.
    """
    n, receiver = problem.n, int(problem.counts[1] < problem.counts[0])
    step = (1, -1) if receiver == 0 else (-1, 1)
    empty = problem.with_counts((0, n) if receiver == 0 else (n, 0))
    problems = tuple(dict.fromkeys((problem, empty)))
    most = (n + 1) // 2
    moved = np.unique([0, 1, *np.linspace(0, most, min(most + 1, _MOVES)).astype(np.int64)])
    released = [np.array(one.counts) + moved[:, None] * step for one in problems]
    distance = np.stack([distances_to(one, rows) for one, rows in zip(problems, released, strict=True)])
    return Moves(problems, moved, distance, receiver)


def _draws(mechanism: Mechanism, problem: Problem, size: int = _CURVES) -> PrivatePosteriors:
    return sample_posteriors(mechanism, problem, np.random.default_rng(SEED), size)


def beside(scene: Scene) -> Beside:
    return Beside(tuple(_draws(one, scene.problem) for one in scene.mechanisms),
                  tuple(distance_law(one, scene.problem) for one in scene.mechanisms))


def growth(scene: Scene) -> Growth:
    """Tables of several sizes with about the shares of the problem's."""
    problem, mechanism = scene.problem, scene.mechanisms[0]
    firsts = [round(size * problem.counts[0] / problem.n) for size in _SIZES]
    tables = [problem.with_counts((first, size - first)) for first, size in zip(firsts, _SIZES, strict=True)]
    return Growth(tuple(_draws(mechanism, one) for one in tables),
                  tuple(mechanism.probability_of_ignoring(one) for one in tables))


def reach(scene: Scene) -> Reach:
    problem = scene.problem
    scan = maps.along_count(problem.prior, problem.n, _GAMMA, 1.0, include=(problem.counts[0],))
    means = tuple(distance_law(one, problem).mean for one in scene.mechanisms)
    return Reach(leak(problem), scan, scene.mechanisms, means)


def two_readings(scene: Scene) -> TwoReadings:
    drawn = _draws(scene.mechanisms[0], scene.problem, 20)
    return TwoReadings(drawn, noise_aware_releases(scene.mechanisms[0], scene.problem, drawn.released))


def against_limit(scene: Scene) -> AgainstLimit:
    prior, n = scene.problem.prior, scene.problem.n
    epsilons = [scene.mechanisms[0].epsilon * times for times in _TIMES_EPSILON]
    found = tuple(limit_of_privacy(prior, n, epsilon) for epsilon in epsilons)
    there = [[replace(one, epsilon=epsilon) for epsilon in epsilons] for one in scene.mechanisms]
    mean, nearest = ([[expected_distance(one, prior, n, reading).mean for one in row] for row in there]
                     for reading in get_args(Reading))
    return AgainstLimit(scene.mechanisms, found, np.array(mean), np.array(nearest))


# --- what is said ---


def said(value: float) -> str:
    """Two digits: what a room takes in."""
    return f"{value:,.0f}" if value >= 100 else number(value, 2, 10**6)


def _leak_said(found: Leak) -> str:
    return (
        "She said yes: her no would have given the other curve. The two lie "
        f"{said(found.distance)} apart in Hellinger distance (H), which runs from 0, the same, to 1."
    )


def _beside_said(found: Beside) -> str:
    (first, far), *_, (last, near) = ((name_of(one.mechanism), one.mean) for one in found.laws)
    return (
        f"Whole-number noise on all but one count ({last}) is enough: on average {said(near)} from the truth in place "
        f"of {said(far)} ({first}). The promise is the same."
    )


def _reach_said(found: Reach) -> str:
    worst = float(found.scan.local.max())
    (wide, far), (near, mean) = zip(map(name_of, found.mechanisms), found.means, strict=True)
    return (
        f"Where everybody gives the same answer, {said(worst / found.leak.distance)} times as far. A choice as "
        f"cautious as the tables nearby demand ({near}) lies {said(mean)} from the truth on average, one as cautious "
        f"as the worst ({wide}) {said(far)}."
    )


def _missed(covered: float, of: int) -> int:
    return round(of * (1 - covered))


def _readings_said(found: TwoReadings) -> str:
    number_of = len(found.naive.released)
    naive, aware = (_missed(float(one.coverage([0])[0]), number_of) for one in (found.naive, found.aware))
    return (
        f"{naive} of {number_of} miss the line. Intervals that reckon with the noise (noise-aware) are on average "
        f"{said(found.aware.widening())} times as wide, and {aware} of {number_of} miss."
    )


def _limit_said(found: AgainstLimit) -> str:
    at = _TIMES_EPSILON.index(1.0)
    limit, times = found.limits[at], found.times[0, :, at]
    best, worst = int(times.argmin()), int(times.argmax())
    return (
        f"Averaged over all tables, no candidate posterior released with ε = {printed_bound(limit.epsilon)} can come "
        f"nearer than {at_least(limit.lower or 0.0, 2)}. {name_of(found.mechanisms[best])} "
        f"{'reaches it' if times[best] < _REACHED else f'comes to {said(times[best])} times that'}, "
        f"{name_of(found.mechanisms[worst])} to {said(times[worst])} times."
    )


_TEN, _HUNDRED, _THOUSAND = (Problem(_UNIFORM, (6 * m, 4 * m)) for m in (1, 10, 100))
_HER_NO = _TEN.with_counts((5, 5))

SCENES: tuple[Scene, ...] = (
    Scene(
        "leak",
        "A posterior leaks",
        "What follows from ten answers is published as it is. You know nine of them, 5 yes and 4 no: what did she, "
        "the tenth, say?",
        _TEN, (), "One answer",
        SpeakerNotes(
            "A posterior says how plausible each share of yes is after ten answers; before them every share was as "
            "plausible. It looks like a summary, and yet it gives away the last answer to whoever knows the others: "
            "only two curves are possible, and they differ. Two tables that differ in one person's answer are called "
            "neighbours; her privacy is that nobody can tell neighbours apart.",
            "Five yes and four no are known. Which curve is this, that of six yes or of five? Then reveal.",
            2,
        ),
        reveal="Reveal her answer", compute=with_her_no, sentence=_leak_said, neighbour=_HER_NO,
    ),
    Scene(
        "clouds",
        "With her yes, with her no",
        "Now whole-number noise is added before the posterior is published (Geometric): each curve is a posterior "
        "that may come out. Drag ε, which says how unlike the two clouds may be, until nobody could tell them apart.",
        _TEN, (Geometric(_EPSILON),), "One answer",
        SpeakerNotes(
            "A random whole number is added to the count of yes and taken from that of no, small ones more often, and "
            "the result is kept between 0 and 10: eleven posteriors can come out. Epsilon bounds how much more "
            "probable any of them is with her yes than with her no: at most e to the epsilon times. At 10 each cloud "
            "is nearly one curve, and whoever sees that curve knows her answer, even though the two humps overlap; at "
            "0.1 the clouds are the same, with much of both at the ends, where the noise is cut. What lies between "
            "has to be agreed on.",
            "At which epsilon would you let your own answer into the table? Drag until most hands are up.",
            3,
        ),
        kind="clouds", neighbour=_HER_NO,
    ),
    Scene(
        "guess",
        "Guess her answer",
        "One curve, drawn from one of the two clouds. Did she say yes or no?",
        _TEN, (Geometric(_EPSILON),), "One answer",
        SpeakerNotes(
            "Play eight or ten rounds: y or n for the room's guess, space for the next curve. The squares show how "
            "many of a hundred guesses can be right in the long run, whatever the method: that number is computed "
            "from how probable each curve is with her yes and with her no. A run of ten may lie well above or below "
            "it, and a good guess can be wrong. Another epsilon, a scene back, begins the score anew.",
            "Is the curve more to the side of yes or of no, and how sure are you? Who would bet?",
            4,
        ),
        kind="guess", neighbour=_HER_NO,
    ),
    Scene(
        "noise",
        "Noise on the counts",
        "The first idea was noise on every count, each by itself (LSZhang): thirty posteriors that might be "
        "published. Could the same promise cost less?",
        _HUNDRED, (LSZhang(_EPSILON), LSDim(_EPSILON), LSHist(_EPSILON), Geometric(_EPSILON)), "Private posteriors",
        SpeakerNotes(
            "Each thin line could have been published, the thick one is the truth. All four make the same promise. "
            "What differs is how well each understands what one person can change: one count up, another down, and "
            "the sum stays. So all but one count need noise, of two counts one (LSDim with a wide, LSHist with a "
            "narrow noise), and whole-number noise is enough (Geometric, that of the scenes before).",
            "Each person changes two counts by one. How many counts need noise, if all know the sum? One: the other "
            "follows.",
            3,
        ),
        reveal="Reveal three better ways", compute=beside, sentence=_beside_said,
    ),
    Scene(
        "choice",
        "Choosing by distance",
        "Another idea: no noise on counts, but one of all possible posteriors, those near the truth more often (EHD). "
        "Drag the number of people: do more of them help?",
        _HUNDRED, (EHD(_EPSILON),), "Private posteriors",
        SpeakerNotes(
            "This is the exponential mechanism scored by Hellinger distance. It makes the same promise. But its "
            "caution is set by the worst table there is, and the more people there are, the more posteriors there are "
            "to choose from. So as the data grow, the choice drowns: most releases would have come out the same "
            "whatever the data. Every curve is drawn to its own height, to be seen at any size. In the two clouds it "
            "would do worse than noise, too: the lab shows it.",
            "More people, more information: will the lines come nearer? Ask before dragging, then drag to 10,000.",
            2,
        ),
        compute=growth,
    ),
    Scene(
        "reach",
        "How far can one person move it?",
        "One of a thousand people changes the answer. With 600 yes and 400 no that moves the posterior by this "
        "little: where would it move most?",
        _THOUSAND, (EHD(_EPSILON), EHDS(_EPSILON, gamma=_GAMMA)), "Sensitivity",
        SpeakerNotes(
            "Sensitivity is how far one person can move the posterior: at the data (local), at worst (global), and, "
            "in between, the smooth bound, which looks at tables nearby and fades with their number. A choice scaled "
            "by the local one would give the data away, one scaled by the global one drowns, as the scene before "
            "showed; the smooth one changes little from neighbour to neighbour, so that it may set the caution. That "
            "rescues the choice where there are many people; with a hundred, as in the last scene, noise stays far "
            "ahead.",
            "Where does one record matter most: in the middle, or where almost everybody agrees? Then reveal.",
            2,
        ),
        reveal="Reveal every table", compute=reach, sentence=_reach_said,
    ),
    Scene(
        "reader",
        "What may a reader conclude?",
        "Twenty releases, and the 95 % interval that each seems to give for the share of yes. How many miss the line, "
        "the mean of the true posterior?",
        _HUNDRED, (Geometric(_HIDDEN),), "Private posteriors",
        SpeakerNotes(
            "A reader who takes the release for the data is too sure: the noise is not in the interval. But the "
            "reader knows how the noise was made, so that Bayes' rule can reckon with it. The noise-aware intervals "
            "are wider, and they cover as they should. This costs no privacy: it uses the release alone. The line is "
            "what the reader is kept from, the mean without noise. Epsilon is small here, 0.1, so that it can be seen.",
            "One in twenty may miss. How many do you count?",
            2,
        ),
        reveal="Reveal the noise-aware ones", compute=two_readings, sentence=_readings_said,
    ),
    Scene(
        "limit",
        "The limit of privacy",
        "Three mechanisms and how far they are from the truth, averaged over all tables of a hundred people. How near "
        "could any mechanism come?",
        _HUNDRED, (LSHist(_EPSILON), Geometric(_EPSILON), EHDS(_EPSILON)), "Accuracy",
        SpeakerNotes(
            "The limit is a theorem for two categories: the best of all private mechanisms that release a posterior "
            "which some table could have, on average over what the prior expects. No private count enters it, so that "
            "it may be used to choose a mechanism. For two answers whole-number noise all but reaches it, and a "
            "choice by distance is far off. To close: a posterior can be published whole, with a promise that holds "
            "for everybody in it, and it costs least where the noise fits what one person can change.",
            "How much could a cleverer mechanism still gain? Then reveal.",
            2,
        ),
        reveal="Reveal the limit", compute=against_limit, sentence=_limit_said,
    ),
)  # fmt: skip
