"""A table released at once: all groups of several questions, one charge, one file that holds all parts.

Sizes public, everybody staying in their group: two neighbouring tables differ in one group, so all groups of a question
together lose what the dearest of them loses. Membership private: the groups of a question are one table of G k cells of
which only the sum N is public, released by one draw; each group is a block of it. The questions were asked of the same
people: their losses add up.
"""

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Literal, get_args

from numpy.typing import ArrayLike

from dpbi import limits
from dpbi.data.count_table import GROUPS_LARGEST, QUESTIONS_LARGEST, CountTable
from dpbi.data.files.table import JOIN
from dpbi.inference.budget_split import BudgetSplit, split_epsilon
from dpbi.inference.noise_aware import CountMixture, JointPosterior, NoiseAwarePosterior, joint_posterior
from dpbi.inference.tree_posterior import TreePosterior
from dpbi.mechanisms import Mechanism
from dpbi.mechanisms.guarantee import ApproximateDP, Guarantee, NotPrivate, PureDP
from dpbi.mechanisms.mechanism import check_mechanism
from dpbi.mechanisms.printed_bound import added, printed_bound
from dpbi.problem.problem import Problem
from dpbi.releases import release as releases
from dpbi.releases.ledger import NAME_LONGEST, LedgerEntry, contradiction, new_token
from dpbi.releases.release import Release, category_names, guarantee_of_release, stamp_of

FORMAT = "dpbi release of a table"
FORMAT_VERSION = 2
FORMAT_VERSIONS = 1, 2  # that can be read: before 2 no part named its question and group, and nothing bound them
BEGINS = f'{{\n "format": "{FORMAT}"'  # the text of ``to_json``, which tells it from that of a release unread
Membership = Literal["public", "private"]
ASSUMED = {
    "public": "The number of people of every group is public, and so is who is in which group: it is assumed that "
              "nobody would be in another group. One person's answers then move one group's counts alone, and all "
              "groups of a question together cost what the dearest of them costs.",
    "private": "Only the number of all people is public. Who is in which group is protected as the answers are: all "
               "groups of a question are one table, released by one draw, and the sizes of the groups are estimates.",
}  # fmt: skip
PROTECTED = {
    "public": "Protected is what each person answered, to all of the questions, against whoever reads this file, "
              "whatever else they know, the answers of everybody else among it. Not protected is who took part, how "
              "many people a group has, and who is in which group.",
    "private": "Protected is what each person answered, to all of the questions, and which group they are in, against "
               "whoever reads this file, whatever else they know, the answers and groups of everybody else among it. "
               "Not protected is who took part, and how many people there are in all.",
}  # fmt: skip


_ANSWERED = (
    "Not protected is whether somebody answered a question: who gave no answer is in no count, and the number that "
    "answered is public."
)
DIGEST = "The digest binds the parts of one draw, and tells damage. It is no signature: a forger can make it anew."


def assumed_words(membership: Membership, *, answered_only: bool) -> str:
    """What is assumed of the groups. Source: ours."""
    if membership == "private" and answered_only:
        return ASSUMED["private"].replace("of all people is", "of all people who answered each question is")
    return ASSUMED[membership]


def protected_words(membership: Membership, *, answered_only: bool) -> str:
    """Who is protected, and who is not. answered_only: who gave no answer to a question is in no count of it."""
    return f"{PROTECTED[membership]} {_ANSWERED}" if answered_only else PROTECTED[membership]


@dataclass(frozen=True)
class TableRelease:
    """Released counts of groups x questions, with all that is public about them. Made by ``release_tables``.

    groups: G names; questions: Q titles; labels: the categories of each; membership: "public" (releases: for each
    question one a group) or "private" (one for all groups, of their cells one group after another). groups_found,
    categories_found (titles): whether the list of them was found in the data; answered_only: as ``CountTable``.
    Validated when made: ValueError.
    """

    groups: tuple[str, ...]
    questions: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    releases: tuple[tuple[Release, ...], ...]
    membership: Membership
    groups_found: bool = False
    categories_found: tuple[str, ...] = ()
    answered_only: bool = False

    def __post_init__(self) -> None:
        for name in ("groups_found", "answered_only"):
            limits.instance(name, getattr(self, name), bool, "True or False")
        limits.one_of("membership", self.membership, get_args(Membership))
        for what, names, most in (("groups", self.groups, GROUPS_LARGEST),
                                  ("questions", self.questions, QUESTIONS_LARGEST)):  # fmt: skip
            for name in limits.sequence(what, names, "of names", most):
                limits.check_text(f"a name of {what}", name, limits.UPLOAD_LABEL_CHARACTERS_LARGEST)
            if not names or len(set(names)) < len(names):
                raise ValueError(f"{what} must have one name at least, all different: got {limits.shown(names)}.")
        self._check_releases()

    def _check_releases(self) -> None:
        if not len(self.questions) == len(self.labels) == len(self.releases):
            raise ValueError("A table has one list of categories, and of releases, for each question.")
        one_draw = self.membership == "private"
        for title, labels, row in zip(self.questions, self.labels, self.releases, strict=True):
            cells = len(labels) * (len(self.groups) if one_draw else 1)
            if len(row) != (1 if one_draw else len(self.groups)) or any(len(one.prior) != cells for one in row):
                raise ValueError(f"The releases of {limits.shown(title)} are not those of its groups and categories.")
            category_names(labels, len(labels))
            if len({(one.mechanism, one.prior) for one in row}) > 1:
                raise ValueError(f"The groups of {limits.shown(title)} were not released by the same mechanism.")
        if len({(one.time, one.version) for row in self.releases for one in row}) > 1:
            raise ValueError("The parts of a table must have been released at the same time.")

    @property
    def time(self) -> str:
        """Of the draw, UTC to the second."""
        return self.releases[0][0].time

    @property
    def version(self) -> str:
        """Of the library."""
        return self.releases[0][0].version

    @property
    def guarantee(self) -> Guarantee:
        """What all parts promise together."""
        return composed([[one.guarantee for one in row] for row in self.releases])

    @property
    def stamp(self) -> str:
        """Empty for what is private by theorem or check; else the words that go on top of every file."""
        return stamp_of(self.guarantee)

    @property
    def epsilons(self) -> tuple[float, ...]:
        """The epsilon of each question's mechanism."""
        return tuple(row[0].mechanism.epsilon for row in self.releases)

    @property
    def composition(self) -> str:
        """How the guarantee follows from those of the parts."""
        return composition_words([[one.guarantee for one in row] for row in self.releases])

    @property
    def assumed(self) -> str:
        """What is assumed of the groups; empty where there are none."""
        return assumed_words(self.membership, answered_only=self.answered_only) if len(self.groups) > 1 else ""

    @property
    def protected(self) -> str:
        """Who is protected, and who is not."""
        return protected_words(self.membership, answered_only=self.answered_only)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all that the parts are made of, which is public: names, priors, mechanisms, what was released."""
        of = [self.time, self.membership, self.groups, self.questions, self.labels, self.groups_found,
              self.categories_found, self.answered_only,
              [[[one.n, one.essence()] for one in row] for row in self.releases]]  # fmt: skip
        return hashlib.sha256(json.dumps(of, sort_keys=True, allow_nan=False).encode()).hexdigest()

    def is_of(self, table: CountTable, membership: Membership) -> bool:
        """Whether it can be of the very same table: its names, sizes and membership, which are public."""
        sizes = tuple(tuple(one.n for one in row) for row in self.releases)
        known = table.answered if membership == "public" else tuple((sum(of),) for of in table.answered)
        labels = tuple(map(table.labels, table.questions))
        return (self.groups, self.questions, self.labels, self.membership, sizes) == (
            table.groups, table.questions, labels, membership, known)

    def release_of(self, question: str, group: str) -> Release:
        """The release that holds a part: the group's own, or that of all groups where membership is private."""
        row = self.releases[self._question(question)]
        place = self._group(group)
        return row[0 if self.membership == "private" else place]

    def part_labels(self, question: str) -> tuple[str, ...]:
        """The categories of a question's release: those of all groups, one after another, where membership is private.
        """
        labels = self.labels[self._question(question)]
        return stacked_labels(self.groups, labels) if self.membership == "private" else labels

    def posterior(self, question: str, group: str) -> NoiseAwarePosterior | TreePosterior:
        """p(theta | released) of one group's shares: noise-aware; a block of the whole where membership is private.

        Raises ValueError for other names, and where the mechanism has no such posterior.
        """
        place = self._group(group)
        if self.membership == "private":
            return self._blocks(self._question(question))[place]
        return _known(self.release_of(question, group).noise_aware)

    @property
    def outline(self) -> dict[str, Any]:
        """What the JSON file holds but for the parts' releases."""
        promised = self.guarantee
        return {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            "version": self.version,
            "time": self.time,
            "stamp": self.stamp,
            "groups": list(self.groups),
            "membership": self.membership,
            "groups_found": self.groups_found,
            "answered_only": self.answered_only,
            "assumed": self.assumed,
            "protected": self.protected,
            "composition": self.composition,
            "guarantee": {"kind": type(promised).__name__, "words": promised.words, **asdict(promised)},
            "questions": [
                {"title": title, "categories": list(self.labels[q]), "epsilon": self.epsilons[q],
                 "categories_found": title in self.categories_found,
                 "parts": [{"groups": list(groups)} for groups in self._groups_of_parts]}
                for q, title in enumerate(self.questions)
            ],
            "digest": self.digest,
            "digest_says": DIGEST,
        }  # fmt: skip

    def document(self) -> dict[str, Any]:
        """What the JSON file holds. Each part's "release" is the document of a release, which can be read alone."""
        found = self.outline
        for item, row in zip(found["questions"], self.releases, strict=True):
            for part, one in zip(item["parts"], row, strict=True):
                part["release"] = {"of_table": self.subject(item["title"], part["groups"]),
                                   **one.document(self.part_labels(item["title"]))}
        return found

    def subject(self, question: str, groups: Sequence[str]) -> dict[str, Any]:
        """What the document of a part says it is a part of."""
        return {"question": question, "groups": list(groups), "membership": self.membership, "digest": self.digest}

    def to_json(self) -> str:
        """The table as a JSON file, the same text for the same release."""
        return json.dumps(self.document(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    @property
    def _groups_of_parts(self) -> list[tuple[str, ...]]:
        return [self.groups] if self.membership == "private" else [(group,) for group in self.groups]

    def _question(self, title: str) -> int:
        return self.questions.index(limits.one_of("question", title, self.questions))

    def _group(self, name: str) -> int:
        return self.groups.index(limits.one_of("group", name, self.groups))

    def _blocks(self, question: int) -> tuple[TreePosterior, ...]:
        if question not in self._known_blocks:
            whole = _known(self.releases[question][0].noise_aware)
            self._known_blocks[question] = _blocks_of(whole, len(self.groups))
        return self._known_blocks[question]

    @cached_property
    def _known_blocks(self) -> dict[int, tuple[TreePosterior, ...]]:
        return {}


@dataclass(frozen=True, eq=False)
class TablesTogether:
    """Several releases of the same table, read as one. Made by ``tables_together``.

    releases: in the order in which they were made.
    """

    releases: tuple[TableRelease, ...]

    def posterior(self, question: str, group: str) -> JointPosterior | TreePosterior:
        """p(theta | r_1, r_2, ...) of one group's shares, as ``TableRelease.posterior``, which raises the same."""
        first = self.releases[0]
        limits.one_of("question", question, first.questions)
        limits.one_of("group", group, first.groups)
        if (question, group) not in self._known and first.membership == "public":
            self._known[question, group] = self._joint(question, group)
        elif (question, group) not in self._known:
            blocks = _blocks_of(self._joint(question, group), len(first.groups))
            self._known.update({(question, one): block for one, block in zip(first.groups, blocks, strict=True)})
        return self._known[question, group]

    def _joint(self, question: str, group: str) -> JointPosterior:
        parts = [one.release_of(question, group) for one in self.releases]
        return joint_posterior(parts[0].prior, parts[0].n, [(one.mechanism, one.released) for one in parts])

    @property
    def stamp(self) -> str:
        """Those of the releases: what comes of one that is not private is not private either."""
        return " ".join(dict.fromkeys(one.stamp for one in self.releases if one.stamp))

    @property
    def contradiction(self) -> str:
        """The first sentence about a part whose releases contradict each other beyond chance; empty for none."""
        first = self.releases[0]
        rows = [(title, place, one) for title, row in zip(first.questions, first.releases, strict=True)
                for place, one in enumerate(row)]  # fmt: skip
        for title, place, _ in rows:
            group = first.groups[place]
            found = contradiction([one.release_of(title, group) for one in self.releases], first.part_labels(title),
                                  len(rows))  # fmt: skip
            if found:
                where = f"{title}, {group}" if group and first.membership == "public" else title
                return f"{where}: {found}"
        return ""

    @cached_property
    def _known(self) -> dict[tuple[str, str], JointPosterior | TreePosterior]:
        return {}


def tables_together(releases: Sequence[TableRelease]) -> TablesTogether:
    """p(theta | r_1, r_2, ...) of each part, from releases of the very same table: draws are independent given it.

    releases: two at least, of ``release_tables`` or ``read_release_table``, whose counts whoever made them states to be
    the same; groups, questions, categories, sizes, priors and membership must be. Costs nothing: the releases' losses
    add up whether they are read together or not.
    Returns TablesTogether: ``posterior(question, group)``, ``contradiction``.
    Raises ValueError for others: of two where one has sizes that the other hides, neither's n is that of both.
    Source: ours; ``joint_posterior``.
    """
    found = limits.each("releases", releases, "of releases of a table", lambda one: limits.instance(
        "a release", one, TableRelease, "of a table, as release_tables or read_release_table make it"))  # fmt: skip
    if len(found) < 2:
        raise ValueError(f"releases must hold two releases of a table at least: got {len(found)}.")
    for name, of in (("groups", "groups"), ("questions", "questions"), ("categories", "labels"),
                     ("membership", "membership")):  # fmt: skip
        if any(getattr(one, of) != getattr(found[0], of) for one in found):
            raise ValueError(f"Releases of different tables are not read together: they differ in {name}.")
    publics = [[(one.prior, one.n) for row in table.releases for one in row] for table in found]
    if any(one != publics[0] for one in publics):
        raise ValueError("Releases of different tables are not read together: they differ in a size or in a prior.")
    return TablesTogether(tuple(sorted(found, key=lambda one: one.time)))


def _known(posterior: NoiseAwarePosterior | str) -> NoiseAwarePosterior:
    """ValueError with the reason where there is none."""
    if isinstance(posterior, str):
        raise ValueError(posterior)
    return posterior


def _blocks_of(whole: CountMixture, groups: int) -> tuple[TreePosterior, ...]:
    """The groups' blocks of one table of all their cells."""
    k = len(whole.prior) // groups
    return whole.blocks([range(g * k, (g + 1) * k) for g in range(groups)])


def release_tables(
    mechanisms: Mechanism | Sequence[Mechanism], table: CountTable, priors: Sequence[ArrayLike] | None = None, *,
    membership: Membership = "public",
) -> TableRelease:
    """Draws all parts of a table once, with bits from the operating system.

    membership "public": r_qg ~ M_q(c_qg) for each group, (sum_q max_g epsilon_qg)-DP where every group's size is public
    and nobody would be in another. "private": one draw r_q ~ M_q(c_q1, ..., c_qG) over the G k_q cells of a question,
    of which only N_q is public, (sum_q epsilon_q)-DP for any record replaced, its group too.
    mechanisms: one, whose epsilon is split over the questions (``table_split``), or one a question. table: of
    ``read_tables`` or ``CountTable.of``. priors: (k_q,) one a question, the same in every group; None: uniform.
    Returns the TableRelease: ``guarantee``, ``posterior(question, group)``, ``to_json``.
    Raises ValueError, which tells nothing of the counts, as ``release``.
    Source: McSherry 2009, theorem 4 (parallel composition, for disjoint people); Dwork and Roth 2014, theorem 3.16.
    Deviation: for one record replaced, parallel composition needs that it stays in its group, which is said.
    """
    alphas, chosen = _checked(mechanisms, table, priors, membership)
    now = datetime.now(UTC).strftime(releases.TIME)
    drawn = tuple(
        tuple(replace(releases.release(mechanism, problem), time=now) for problem in row)
        for mechanism, row in zip(chosen, _problems(table, alphas, membership), strict=True))
    labels = tuple(table.labels(title) for title in table.questions)
    return TableRelease(table.groups, table.questions, labels, drawn, membership, table.groups_found,
                        table.categories_found, table.answered_only)  # fmt: skip


def guarantee_of_tables(
    mechanisms: Mechanism | Sequence[Mechanism], table: CountTable, priors: Sequence[ArrayLike] | None = None, *,
    membership: Membership = "public",
) -> Guarantee:
    """What ``release_tables`` will promise, before anything is drawn: from public things alone.

    Arguments and errors as there. Source: ours.
    """
    alphas, chosen = _checked(mechanisms, table, priors, membership)
    return composed([[guarantee_of_release(mechanism, problem.prior, problem.n) for problem in row]
                     for mechanism, row in zip(chosen, _problems(table, alphas, membership), strict=True)])


def table_split(
    mechanisms: Mechanism | Sequence[Mechanism], table: CountTable, priors: Sequence[ArrayLike] | None = None, *,
    membership: Membership = "public",
) -> BudgetSplit:
    """``split_epsilon`` over the questions of a table, from its sizes, which are public: the groups', or N alone where
    membership is private.

    Arguments and errors as ``release_tables``. Returns the BudgetSplit. Source: ours.
    """
    limits.one_of("membership", membership, get_args(Membership))
    return split_epsilon(mechanisms, *split_arguments(tuple(_priors(table, priors)), table.answered, membership))


def split_arguments(
    priors: tuple[tuple[float, ...], ...], answered: tuple[tuple[int, ...], ...], membership: Membership
) -> tuple[tuple[tuple[float, ...], ...], tuple[tuple[int, ...], ...]]:
    """Priors and sizes of what is drawn: each group, or all of them as one table. Source: ours."""
    if membership == "public":
        return priors, answered
    return (tuple(prior * len(of) for prior, of in zip(priors, answered, strict=True)),
            tuple((sum(of),) for of in answered))  # fmt: skip


def composed(parts: Sequence[Sequence[Guarantee]]) -> Guarantee:
    """The sum over questions of the largest over groups; for each question the guarantees of its groups.

    A part that promises nothing leaves nothing to promise. Source: as ``release_tables``.
    """
    every = [one for row in parts for one in row]
    for one in every:
        if isinstance(one, NotPrivate):
            return NotPrivate(f"a part of the table promises nothing: {one.reason}", one.basis)
    epsilon = added(max(_bound(one)[0] for one in row) for row in parts)
    delta = added(max(_bound(one)[1] for one in row) for row in parts)
    basis = next((kind for kind in ("claim", "exhaustive check") if any(one.basis == kind for one in every)), "theorem")
    reasons = "; ".join(dict.fromkeys(one.reason for one in every))
    reason = f"{composition_words(parts)} {limits.opened(reasons)}"
    reason = reason if len(reason) <= _REASON else composition_words(parts)
    if delta:
        return ApproximateDP(epsilon, min(delta, 1.0), basis, reason)  # type: ignore[arg-type]
    return PureDP(epsilon, basis, reason)  # type: ignore[arg-type]


_REASON = 1_500  # characters


def _bound(guarantee: Guarantee) -> tuple[float, float]:
    epsilon = math.inf if isinstance(guarantee, NotPrivate) else guarantee.epsilon
    return epsilon, guarantee.delta if isinstance(guarantee, ApproximateDP) else 0.0


def composition_words(parts: Sequence[Sequence[Guarantee]]) -> str:
    """How the parts' losses come together, in a sentence. Source: ours."""
    largest = [max(_bound(one)[0] for one in row) for row in parts]
    groups = max(map(len, parts))
    deltas = added(max(_bound(one)[1] for one in row) for row in parts)
    allowed = f" Deltas are counted alike: {printed_bound(deltas)}." if deltas else ""
    if len(parts) == 1:
        of_groups = f"the largest epsilon of {groups:,} groups" if groups > 1 else "the epsilon"
        return f"Counted is {of_groups} of the one question: {printed_bound(largest[0])}.{allowed}"
    shown = " + ".join(printed_bound(one) for one in largest[:8]) + (" + …" if len(largest) > 8 else "")
    each = f"for each the largest of its {groups:,} groups, " if groups > 1 else ""
    return (f"The {len(parts):,} questions were asked of the same people: counted is the plain sum of their epsilons, "
            f"{each}{shown} = {printed_bound(added(largest))}.{allowed}")


def stacked_labels(groups: Sequence[str], labels: Sequence[str]) -> tuple[str, ...]:
    """The names of the cells of all groups, one group after another."""
    joined = tuple(JOIN.join(filter(None, (group, label))) for group in groups for label in labels)
    if len(set(joined)) == len(joined):
        return joined
    return tuple(f"{group!r}{JOIN}{label!r}" for group in groups for label in labels)  # 'A / B', 'C' or 'A', 'B / C'


def table_entry(
    guarantee: Guarantee, mechanisms: Sequence[Mechanism], table: CountTable, people: str, *, time: str,
    membership: Membership = "public", version: str = "", who: str = "", remark: str = "",
) -> LedgerEntry:
    """The one charge of a table in a ledger: what its parts cost together.

    guarantee: of ``guarantee_of_tables``; people: the token of those it is about; version: that of an earlier release
    of the same table. Source: ours.
    """
    titles, part = called_in_ledger(table, membership)
    labels = ", ".join(dict.fromkeys(mechanism.label for mechanism in mechanisms))
    n = max(sum(of) for of in table.answered)
    return LedgerEntry(new_token(), people, labels, n, time, guarantee, None, titles, version, part, who, remark)


def called_in_ledger(table: CountTable, membership: Membership = "public") -> tuple[str, str]:
    """The question and the part of the people by which a ledger knows a table: all titles, and how many groups, each
    apart or as one table, which are different tables: neither takes the place of the other.
    """
    titles = "; ".join(table.questions)
    titles = titles if len(titles) <= NAME_LONGEST else f"{titles[: NAME_LONGEST - 1]}…"
    groups = f"{len(table.groups):,} groups"
    part = f"each of {groups}" if membership == "public" else f"{groups} as one table"
    return titles, part if len(table.groups) > 1 else ""


def one_draw(
    mechanisms: Sequence[Mechanism], table: CountTable, membership: Membership
) -> tuple[Mechanism, int, int] | None:
    """(mechanism, k, n) of a table that is one draw, as a single release is, and may be on a plan; None for others.

    A plan composes draws of one k and one n. A table of one question without groups, or of private membership, is one
    draw of all its G k cells, whose n is that of all people. Of several questions there are several draws, and groups
    of public sizes have each its own n: they are off any plan, at the plain sum, which is always sound. Source: ours.
    """
    if len(table.questions) > 1 or (len(table.groups) > 1 and membership == "public"):
        return None
    return mechanisms[0], len(table.labels(table.questions[0])) * len(table.groups), sum(table.answered[0])


# What is said -----------------------------------------------------------------------------------------


def _checked(
    mechanisms: Any, table: CountTable, priors: Any, membership: str
) -> tuple[list[tuple[float, ...]], tuple[Mechanism, ...]]:
    limits.one_of("membership", membership, get_args(Membership))
    alphas = _priors(table, priors)
    if isinstance(mechanisms, Mechanism):
        one_question = len(table.questions) == 1
        chosen = (mechanisms,) if one_question else table_split(
            mechanisms, table, alphas, membership=membership).mechanisms  # type: ignore[arg-type]
    else:
        chosen = tuple(limits.each("mechanisms", mechanisms, "of mechanisms", check_mechanism))
    if len(chosen) != len(table.questions):
        raise ValueError(f"mechanisms must be one, or one for each of the {len(table.questions)} questions: got "
                         f"{len(chosen)}.")
    return alphas, chosen


def _priors(table: CountTable, priors: Any) -> list[tuple[float, ...]]:
    limits.instance("table", table, CountTable, "a table, as read_tables or CountTable.of make it")
    sizes = [len(table.labels(title)) for title in table.questions]
    if priors is None:
        return [(1.0,) * k for k in sizes]
    alphas = limits.each("priors", priors, "of priors, one a question", limits.check_prior)
    if [*map(len, alphas)] != sizes:
        raise ValueError(f"priors must have one for each question, as long as its categories, {limits.shown(sizes)}: "
                         f"got {limits.shown([*map(len, alphas)])}.")
    return alphas


def _problems(
    table: CountTable, alphas: Sequence[tuple[float, ...]], membership: str
) -> tuple[tuple[Problem, ...], ...]:
    """For each question what is drawn: a problem a group, or one of all their cells."""
    if membership == "public":
        return tuple(tuple(Problem(alpha, one.counts) for one in row)
                     for alpha, row in zip(alphas, table.counts, strict=True))
    return tuple((Problem(alpha * len(row), tuple(count for one in row for count in one.counts)),)
                 for alpha, row in zip(alphas, table.counts, strict=True))
