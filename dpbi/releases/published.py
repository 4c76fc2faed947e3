"""What was published, read back: the file of a release, or a ledger of one table, as the posterior it leads to."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from dpbi import limits
from dpbi.inference.beta_mixture import BetaMixture
from dpbi.inference.noise_aware import CountMixture, JointPosterior, NoiseAwarePosterior
from dpbi.inference.tree_posterior import TreePosterior
from dpbi.releases.ledger import FORMAT as LEDGER_FORMAT, Ledger, LedgerEntry, ledger_of
from dpbi.releases.release import Release, category_names, check_format, parsed, release_of
from dpbi.releases.table_release import (
    FORMAT as TABLE_FORMAT,
    FORMAT_VERSIONS as TABLE_VERSIONS,
    TableRelease,
)

_MEANS_DIFFER = 1e-8  # at most, those in the file from those computed anew: other machines round in another way
_SUBJECT_STATED = 2  # the version of the file from which on; before, releases of other tables were read together too
_BOUND = 2  # the version of a table's file from which on its parts say what they are of, and all its words are checked
_OF_UNBOUND = ("version", "time", "guarantee", "assumed", "protected", "questions")  # some words were others
_OF_TABLE = (*_OF_UNBOUND, "composition", "groups_found", "answered_only", "digest", "digest_says")
_CHANGED = "the file was changed, or written by another version."


@dataclass(frozen=True, eq=False)
class PublishedRelease:
    """What a file says of one table. Made by ``read_release``.

    release: the one whose file it is, of a ledger the latest; labels: names of the categories, (k,); posterior: of the
    release, or, where the file holds several of its table, of all of them together; remarks: sentences that go with it:
    what is not private, what was asked of whom, whether a later version was released, what is left out or contradicts
    itself.
    """

    release: Release
    labels: tuple[str, ...]
    posterior: NoiseAwarePosterior | JointPosterior | TreePosterior
    remarks: tuple[str, ...]


def read_release(data: str | bytes, part: tuple[str, str] | None = None) -> PublishedRelease:
    """p(theta | r), or p(theta | r_1, r_2, ...), of a file that says what was released: by Bayes' rule from mechanism,
    prior, n and r, as where it was released, to the last digit.

    data: a release, a ledger or a table (JSON), as the Release page, ``Release.to_json``, ``Ledger.to_json`` or
    ``TableRelease.to_json`` write them. part: (question, group) of a table, which ``read_release_table`` reads whole;
    where membership is private it is a block, whose labels and posterior are the group's, and whose release is that of
    all groups.
    Returns a PublishedRelease: ``posterior``, ``labels``, ``release``, ``remarks``.
    Raises ValueError for anything else, for a file that contradicts itself (its noise, guarantee and posteriors must
    follow from the rest), for a ledger of several tables, and where there is no noise-aware posterior.
    Source: ours; ``noise_aware_posterior`` and ``joint_posterior``. Deviation: a file proves nothing about how it was
    made.
    """
    limits.instance("data", data, str | bytes, "the content of a file, text or bytes")
    document = parsed(data)
    if document.get("format") == TABLE_FORMAT:
        return _of_table(_table_of(document), part)
    if part is not None:
        raise ValueError("part= is of the file of a table: this is none.")
    if document.get("format") == LEDGER_FORMAT:
        return _of_ledger(ledger_of(document))
    return _of_release(document)


def is_of_a_table(data: bytes) -> bool:
    """Whether a file says that it is of a table that was released at once. Source: ours."""
    return parsed(data).get("format") == TABLE_FORMAT


def read_release_table(data: str | bytes) -> TableRelease:
    """All parts of a table (JSON), as ``TableRelease.to_json`` writes it: ``posterior(question, group)`` of each.

    Raises ValueError for anything else, and for a file that contradicts itself, as ``read_release``.
    Source: ours. Deviation: as there.
    """
    limits.instance("data", data, str | bytes, "the content of a file, text or bytes")
    return _table_of(parsed(data))


def _table_of(document: Mapping[str, Any]) -> TableRelease:
    check_format("release of a table", TABLE_FORMAT, TABLE_VERSIONS, document)
    groups, questions = (_listed(document, name) for name in ("groups", "questions"))
    bound = document["format_version"] >= _BOUND
    titles: list[Any] = []
    labels, rows, parts = [], [], []
    for item in questions:
        if not isinstance(item, dict):
            raise ValueError(f"A question of the table must be an object: got {limits.shown(item)}.")
        titles.append(item.get("title"))
        labels.append(tuple(_listed(item, "categories")))
        parts.append(_listed(item, "parts"))
        if not all(isinstance(part, dict) and isinstance(part.get("release"), dict) for part in parts[-1]):
            raise ValueError("Every part of the table must hold a release.")
        rows.append([_of_release(part["release"]) for part in parts[-1]])
    membership: Any = document.get("membership")
    releases = tuple(tuple(part.release for part in row) for row in rows)
    found_in_data = tuple(title for title, item in zip(titles, questions, strict=True) if item.get("categories_found"))
    found = TableRelease(
        tuple(groups), tuple(titles), tuple(labels), releases, membership, document.get("groups_found", False),
        found_in_data, document.get("answered_only", False))  # fmt: skip
    _check_table(document, found, bound=bound)
    for title, row, listed in zip(found.questions, rows, parts, strict=True):
        if any(part.labels != found.part_labels(title) for part in row):
            raise ValueError(f"The parts of {limits.shown(title)} name other categories than the table: {_CHANGED}")
        for part in listed if bound else ():
            if part["release"].get("of_table") != found.subject(title, part["groups"]):
                raise ValueError(f"A part of {limits.shown(title)} says that it is of another question, group or "
                                 f"table: {_CHANGED}")  # fmt: skip
    return found


def _check_table(document: Mapping[str, Any], found: TableRelease, *, bound: bool) -> None:
    _check_stamp(document.get("stamp"), found.stamp)
    outline = found.outline
    if not bound:
        outline["guarantee"].pop("reason")
        for item in outline["questions"]:
            item.pop("categories_found")
    for name in _OF_TABLE if bound else _OF_UNBOUND:
        if not _agrees(document.get(name), outline[name]):
            raise ValueError(f"The table's {name} is not what follows from its parts: {_CHANGED}")


def _agrees(recorded: Any, expected: Any) -> bool:
    """Whether the file says the same, word for word, and each number to its last digits but one or two: another machine
    may round the last.
    """
    if isinstance(expected, dict):
        return isinstance(recorded, dict) and all(_agrees(recorded.get(name), expected[name]) for name in expected)
    if isinstance(expected, list):
        return (isinstance(recorded, list) and len(recorded) == len(expected)
                and all(map(_agrees, recorded, expected)))  # fmt: skip
    if isinstance(expected, float):
        return (isinstance(recorded, float | int) and not isinstance(recorded, bool)
                and math.isclose(recorded, expected, rel_tol=1e-14))  # fmt: skip
    return type(recorded) is type(expected) and bool(recorded == expected)


def _listed(document: Mapping[str, Any], name: str) -> list[Any]:
    if not isinstance(found := document.get(name), list):
        raise ValueError(f"The table's {name} must be a list: got {limits.shown(found)}.")
    return found


def _of_table(table: TableRelease, part: tuple[str, str] | None) -> PublishedRelease:
    only = len(table.groups) == len(table.questions) == 1
    if part is None and not only:
        raise ValueError(
            f"The file is of a table of {len(table.questions):,} questions and {len(table.groups):,} groups, and one "
            "part is read at a time: in Python dpbi.read_release(data, part=(question, group)), or all by "
            f"dpbi.read_release_table. Questions: {limits.shown(table.questions)}; groups: "
            f"{limits.shown(table.groups)}.")
    question, group = (table.questions[0], table.groups[0]) if part is None else limits.pair(
        "part", part, "(question, group)")
    release, posterior = table.release_of(question, group), table.posterior(question, group)
    said = [table.stamp, f"Question: {question}", f"Group: {group}" if group else "", table.assumed, table.protected]
    return PublishedRelease(release, table.labels[table.questions.index(question)], posterior,
                            tuple(filter(None, said)))


def _of_release(document: Mapping[str, Any]) -> PublishedRelease:
    release = release_of(document)
    if not isinstance(listed := document.get("categories"), list):
        raise ValueError(f"The file's categories must be a list of names: got {limits.shown(listed)}.")
    labels = tuple(category_names(listed, len(release.prior)))
    if len(set(labels)) < len(labels):
        raise ValueError(f"The file's categories must have different names: got {limits.shown(listed)}.")
    _check_stamp(document.get("stamp"), release.stamp)
    _check_numbers("naive_posterior", document.get("naive_posterior"), "parameters", release.naive, 1e-9)
    ledger, entry = Ledger(), None
    if "ledger" in document:
        ledger = ledger_of(document)
        entry = _own(ledger, release, labels, document)
    found = _published(release, labels, ledger, entry)
    _check_nearest(document.get("nearest_posterior"), release)
    _check_mean("noise_aware_posterior", document, release.noise_aware)
    _check_promise(document["guarantee"], release)
    if "all_releases_together" in document and document["format_version"] >= _SUBJECT_STATED:
        _check_mean("all_releases_together", document, found.posterior)
    if "of_table" not in document:
        return found
    return replace(found, remarks=(*found.remarks, *_part_of(document["of_table"])))


def _part_of(recorded: Any) -> tuple[str, ...]:
    """What a part of a table says that it is of, where it is read alone."""
    groups = recorded.get("groups") if isinstance(recorded, dict) else None
    if not isinstance(groups, list) or not all(isinstance(one, str) for one in (*groups, recorded.get("question"))):
        raise ValueError(f"The file's of_table must hold a question and groups: got {limits.shown(recorded)}.")
    named = [group for group in groups if group]
    return (f"Question: {recorded['question']}", *((f"{'Group' if len(named) == 1 else 'Groups'}: {', '.join(named)}",)
                                                   if named else ()))


def _check_promise(recorded: Mapping[str, Any], release: Release) -> None:
    """The words, and epsilon to its last digits, beside what was checked of them where the release was read."""
    expected = {name: value for name, value in (("words", release.guarantee.words), (
        "epsilon", getattr(release.guarantee, "epsilon", None))) if value is not None}
    if not _agrees(recorded, expected):
        raise ValueError(f"The file says {limits.shown(recorded.get('words'))}, but what this mechanism promises is "
                         f"{release.guarantee.words}: {_CHANGED}")


def _of_ledger(ledger: Ledger) -> PublishedRelease:
    held = [(entry, entry.made) for entry in ledger.entries if entry.made]
    if not held:
        raise ValueError("The file is a ledger that does not say what was released: bring the file of a release.")
    of: dict[object, set[str]] = {}
    for entry, _ in held:
        of.setdefault((entry.people, entry.table) if entry.table else entry.release, set()).add(entry.release)
    most = max(of, key=lambda table: len(of[table]))
    if all(of[most] >= tokens for tokens in of.values()):  # what is under several names of people is one release
        held = [(entry, made) for entry, made in held if most in ((entry.people, entry.table), entry.release)]
    questions = {(entry.people, entry.table) if entry.table else entry.release: entry.question for entry, _ in held}
    if len(questions) > 1:
        raise ValueError(f"The file is a ledger of {len(questions):,} tables, as far as it is stated "
                         f"({limits.shown([*questions.values()])}), and one is read at a time: bring the file of one "
                         "release, which holds all of its table.")
    entry, release = sorted(held, key=lambda one: one[0].time)[-1]
    labels = category_names(entry.categories or None, len(release.prior))
    return _published(release, tuple(labels), ledger, entry)


def _published(
    release: Release, labels: tuple[str, ...], ledger: Ledger, entry: LedgerEntry | None
) -> PublishedRelease:
    together = ledger.read_together(entry) if entry else None
    posterior = (together and together.posterior) or release.noise_aware
    if isinstance(posterior, str):
        raise ValueError(posterior)
    remarks = [(together or release).stamp, *(ledger.standing(entry).words if entry else ())]
    if together:
        remarks += [*together.left_out, together.unavailable, together.contradiction]
    return PublishedRelease(release, labels, posterior, tuple(filter(None, remarks)))


def _own(ledger: Ledger, release: Release, labels: tuple[str, ...], document: Mapping[str, Any]) -> LedgerEntry:
    """The release's entry in the ledger of its file."""
    stated: dict[str, Any] = {}
    if document["format_version"] >= _SUBJECT_STATED:
        if not isinstance(subject := document.get("subject"), dict):
            raise ValueError(f"The file's subject must hold question, part and version: got {limits.shown(subject)}.")
        stated = {name: subject.get(name) for name in ("question", "part", "version")}
    for entry in ledger.entries:
        said = all(getattr(entry, name) == value for name, value in stated.items())
        if entry.made == release and said and entry.categories in ((), labels):
            return entry
    raise ValueError(f"The ledger in the file does not hold the file's release under its subject and names: {_CHANGED}")


# What follows from the rest is not read, but must be what the file says ------------------------------


def _check_stamp(recorded: Any, stamp: str) -> None:
    if not isinstance(recorded, str) or bool(recorded) != bool(stamp):  # the reason may be worded in another way
        raise ValueError(f"The file's stamp must be {stamp!r}, got {limits.shown(recorded)}: {_CHANGED}")


def _check_mean(name: str, document: Mapping[str, Any], posterior: BetaMixture | str | None) -> None:
    """One that could not be computed where the file was written may be known here."""
    recorded = document.get(name)
    if isinstance(recorded, dict) and isinstance(recorded.get("unavailable"), str) and "mean" not in recorded:
        return
    if not isinstance(posterior, CountMixture) or not isinstance(recorded, dict):
        raise ValueError(f"The file's {name} is not what follows from what was released: {_CHANGED}")
    _check_numbers(name, recorded, "mean", tuple(posterior.mean.tolist()), _MEANS_DIFFER)
    if "mean_counts" in recorded:
        _check_numbers(name, recorded, "mean_counts", tuple(posterior.mean_counts.tolist()), _MEANS_DIFFER)
    if "marginals" in recorded:
        listed = recorded["marginals"] if isinstance(recorded["marginals"], list) else []
        if len(listed) != len(posterior.marginals):
            raise ValueError(f"The file's {name}.marginals must be {len(posterior.marginals)}: {_CHANGED}")
        for held, marginal in zip(listed, posterior.marginals, strict=True):
            first = held.get("first_count") if isinstance(held, dict) else None
            size = len(held["probability"]) if first is not None and isinstance(held.get("probability"), list) else 0
            at = limits.whole_number(f"the file's {name}.marginals.first_count", first, 0, limits.TOTAL_LARGEST)
            inside = slice(max(at - marginal.first, 0), max(at - marginal.first, 0) + size)
            _check_numbers(f"{name}.marginals", held, "probability", tuple(marginal.probability[inside].tolist()),
                           _MEANS_DIFFER)


def _check_nearest(recorded: Any, release: Release) -> None:
    """What is there must be a posterior of counts that sum to n; that it is the nearest is not computed anew."""
    if not isinstance(recorded, dict):
        raise ValueError(f"The file's nearest_posterior must be an object: got {limits.shown(recorded)}.")
    if "counts" not in recorded and isinstance(recorded.get("unavailable"), str):
        return
    counts = limits.check_counts(recorded.get("counts"))
    if len(counts) != len(release.prior) or sum(counts) != release.n:
        raise ValueError(f"The file's nearest_posterior.counts must be {len(release.prior)} counts that sum to "
                         f"{release.n:,}: {_CHANGED}")
    expected = tuple(alpha + count for alpha, count in zip(release.prior, counts, strict=True))
    _check_numbers("nearest_posterior", recorded, "parameters", expected, 1e-9)
    limits.finite_number("the file's nearest_posterior.expected_distance", recorded.get("expected_distance"))


def _check_numbers(name: str, recorded: Any, field: str, expected: tuple[float, ...], tolerance: float) -> None:
    found = recorded.get(field) if isinstance(recorded, dict) else None
    if isinstance(found, list) and len(found) == len(expected):
        numbers = (limits.finite_number(f"the file's {name}.{field}", value) for value in found)
        pairs = zip(numbers, expected, strict=True)
        if all(math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance) for one, other in pairs):
            return
    raise ValueError(f"The file's {name}.{field} is not what follows from what was released: {_CHANGED}")
