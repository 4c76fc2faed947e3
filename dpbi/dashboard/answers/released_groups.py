"""Groups whose releases were published: the files of releases, and what their posteriors say. Nothing here is private.

Each group is a release of its own, so that its share is independent of another's given both releases.
"""

import io
import json
import zipfile
from pathlib import PurePath
from typing import NamedTuple

from dpbi import compare, limits, name_of, read_release, read_release_table
from dpbi.dashboard.answers.cache import kept
from dpbi.dashboard.answers.groups import Contrasts
from dpbi.inference.group_conclusions import RoughDifference, rough_difference
from dpbi.releases.published import PublishedRelease
from dpbi.releases.table_release import FORMAT as TABLE

File = tuple[str, bytes]  # its name and content
FILES_LARGEST = 2
_PACKED = b"PK\x03\x04"


class Place(NamedTuple):
    """Where a group's release is: the file, and (question, group) of a table."""

    file: File
    part: tuple[str, str] | None


class ReleasedGroups(NamedTuple):
    """questions: titles, one of them ("") where the files do not say it; groups: names; labels: the categories of each
    question; places: of each question and group."""

    questions: tuple[str, ...]
    groups: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    places: tuple[tuple[Place, ...], ...]


def unpacked(files: tuple[File, ...]) -> tuple[File, ...]:
    """The JSON files, those of a ZIP among them. Raises ValueError for a ZIP without one, or a broken one."""
    found: list[File] = []
    for name, data in files:
        if not data.startswith(_PACKED):
            found.append((name, data))
            continue
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                inside = [one for one in archive.infolist() if one.filename.lower().endswith(".json")]
                if not inside:
                    raise ValueError(f"There is no release (JSON) in {limits.shown(name)}.")
                if sum(one.file_size for one in inside) > limits.UPLOAD_UNPACKED_BYTES_LARGEST:
                    raise ValueError(f"What is in {limits.shown(name)} is too large.")
                found += [(PurePath(one.filename).name, archive.read(one)) for one in inside]
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError):
            raise ValueError(f"{limits.shown(name)} cannot be unpacked.") from None
    return tuple(found)


@kept(4, megabytes=64, said="Reading the releases.")
def released_groups(files: tuple[File, ...]) -> ReleasedGroups:
    """The groups of one file of a table, or of two files of one release each.

    Raises ValueError for other files, for two of one release, for different categories, and for groups that were
    released together, which are not independent.
    """
    if len(files) > FILES_LARGEST:
        raise ValueError(f"One file of a table is read, or two files of one release each: got {len(files)} files.")
    if len(files) == 1:
        return _of_table(files[0])
    named = [_name(file) for file in files]
    names = named if len({*named}) == len(named) else [PurePath(name).stem for name, _ in files]
    if len({*names}) < len(names):
        names = [f"{name} ({i})" for i, name in enumerate(names, 1)]
    one, two = places = tuple(Place(file, None) for file in files)
    first, second = published(one), published(two)
    if first.release == second.release:
        raise ValueError("Both files are of the same release: bring those of two groups.")
    if first.labels != second.labels:
        raise ValueError("Two groups are compared by the same categories, in one order: got "
                         f"{limits.shown(first.labels)} and {limits.shown(second.labels)}.")  # fmt: skip
    return ReleasedGroups(("",), tuple(names), (first.labels,), (places,))


def _of_table(file: File) -> ReleasedGroups:
    if _document(file).get("format") != TABLE:
        raise ValueError(f"{limits.shown(file[0])} is of one group: bring the file of another one too, or that of a "
                         "table of groups.")  # fmt: skip
    table = read_release_table(file[1])
    if len(table.groups) < 2:
        raise ValueError("The table has one group alone: there is nothing to compare it with.")
    if table.membership == "private":
        raise ValueError("The groups of this table were released by one draw, as it is private who is in which: given "
                         "it their shares depend on each other, which is not read here. Each group's own shares are "
                         "read under Read noisy counts.")  # fmt: skip
    return ReleasedGroups(table.questions, table.groups, table.labels, tuple(
        tuple(Place(file, (question, group)) for group in table.groups) for question in table.questions))


def _name(file: File) -> str:
    subject = _document(file).get("subject")
    part = subject.get("part") if isinstance(subject, dict) else None
    return part if isinstance(part, str) and part else PurePath(file[0]).stem


def _document(file: File) -> dict[str, object]:
    try:
        document = json.loads(file[1])
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise ValueError(f"{limits.shown(file[0])} is not the file of a release (JSON, or a ZIP of it).")
    return document


@kept(64, megabytes=200, said="Reading a release.")
def published(place: Place) -> PublishedRelease:
    return read_release(place.file[1], part=place.part)


def promised(place: Place) -> str:
    """By which mechanism, with which guarantee and of how many."""
    release = published(place).release
    return f"{name_of(release.mechanism)}, {release.guarantee.words}, n = {release.n:,}"


class Share(NamedTuple):
    """A group's share of the category: its mean and 95 % interval."""

    mean: float
    low: float
    high: float


@kept(2048, said="An interval.")
def share(place: Place, category: int) -> Share:
    posterior = published(place).posterior
    return Share(float(posterior.mean[category]), *posterior.interval(0.95, category))


@kept(256, said="Comparing what was released.")
def contrasts(first: Place, second: Place, category: int) -> Contrasts:
    one, two = (published(place).posterior for place in (first, second))
    found = compare(one, two, category)
    intervals = found.difference.interval(), found.odds_ratio.interval(), found.risk_ratio.interval()
    means = float(one.mean[category]), float(two.mean[category])
    return Contrasts(found.probability_greater, means, intervals)


@kept(2048, said="Comparing two groups.")
def difference(first: Place, second: Place, category: int) -> RoughDifference:
    return rough_difference(published(first).posterior, published(second).posterior, category)
