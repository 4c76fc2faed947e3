"""A scenario as one plain document: what a file of settings, a link and a report hold, and how it is read back.

The document is a flat dict: a key per setting that decides what is seen, with text, a number, true/false or a list as
its value. A file spells it as JSON, a link as query parameters, where a list is a line of CSV. Whatever spelling it
came in, every value is checked as if it were typed; what is unknown, refused or does not fit is left out and named.

Public are the prior, n, k, the settings, a bundled example's key and the recipe of made-up counts. Counts of a person,
with their labels and title, are in a document only if asked for; without them n and k stand for them, and whoever
reads the document sees balanced counts of that size instead.
"""

import csv
import functools
import io
import json
import re
from collections.abc import Callable, Iterable, Mapping, Set
from contextlib import suppress
from typing import Any, Literal, NamedTuple
from urllib.parse import urlencode

from dpbi import MECHANISMS, Problem, limits
from dpbi.accuracy.axes import AXES
from dpbi.accuracy.error import METRICS
from dpbi.dashboard.session import address, long_links
from dpbi.dashboard.sidebar import controls, data_source, entries, grouped, prior, privacy
from dpbi.dashboard.words import accuracy as accuracy_words, handover, words
from dpbi.data import synthesis
from dpbi.data.json_object import json_object
from dpbi.papers.claims import CLAIMS
from dpbi.papers.figures import FIGURES
from dpbi.tour import SCENES

FORMAT = "dpbi settings 1"
NOTICES_LARGEST = 8
STAGING = {"scene", "talk"}  # what is on, and how large: of no scenario

Document = dict[str, Any]
Settings = dict[str, Any]
Kind = Literal["text", "number", "flag", "texts", "numbers"]


class Entry(NamedTuple):
    """One key: how an address spells it, its check (ValueError), the settings it sets and where it is read from."""

    kind: Kind
    check: Callable[[Any], Any]
    settings: Callable[[Any], Settings] = lambda value: {}
    read: Callable[[Mapping[str, Any]], Any] | None = None


class Repeated(NamedTuple):
    """What stands in a document for a value that an address gives several times: no one of them is the meant one."""

    times: int


class Restored(NamedTuple):
    """Settings to take over, and a plain sentence for every value that was not."""

    settings: Settings
    notices: list[str]


def document(
    kept: Mapping[str, Any], problem: Problem, labels: tuple[str, ...], title: str, *, with_counts: bool
) -> Document:
    """The document of the settings that gave this problem; with_counts: a person's own labels and counts too."""
    found: Document = {}
    for key, entry in table().items():
        if entry.read is not None:
            with suppress(ValueError):  # an entry that is refused but not in use
                found[key] = entry.read(kept)
    found["calibrate"] = kept["calibrated for"] == [list(problem.prior), problem.n]
    if kept["source"] != data_source.EXAMPLE:
        found |= {"k": problem.k, "n": problem.n}
    if kept["prior"] == prior.CUSTOM:
        found["alpha"] = list(problem.prior)
    if with_counts and kept["source"] in data_source.OWN:
        found |= {"labels": list(labels), "counts": list(problem.counts), "title": title}
    return found


def of_groups(kept: Mapping[str, Any], own: grouped.Grouped | None) -> Document:
    """The document of the page Groups alone; own: a person's groups and counts that are to be in it, as typed."""
    found: Document = {}
    for key in (*_of_groups(), "epsilon", "seed"):
        found |= accepted(key, kept)
    if own is not None and (text := grouped.as_typed(own)):
        found |= {"groups_from": name_of_option(grouped.TYPED), "groups": text}
    return found


def accepted(key: str, kept: Mapping[str, Any]) -> Document:
    """One key of the document as it is now; nothing where what was entered for it is refused."""
    read = table()[key].read
    with suppress(ValueError):
        return {key: read(kept)} if read else {}
    return {}


def refused(found: Document) -> list[str]:
    """The keys of the settings that a document lacks, as what was entered for them is refused."""
    return [key for key, entry in table().items() if entry.read is not None and key not in found]


def for_address(found: Document, *, with_counts: bool) -> Document:
    """The document for the page's own address, which is not asked for: what stands for a person's counts stays out."""
    about_own = {"k", "n", "alpha", "labels", "counts", "title"}
    if with_counts or found.get("source") not in [*map(name_of_option, data_source.OWN)]:
        return found
    return {key: value for key, value in found.items() if key not in about_own}


def restored(found: Mapping[str, Any]) -> Restored:
    """The settings a document comes to, whatever it holds."""
    notices: list[str] = []
    checked: Document = {}
    for key, value in found.items():
        entry = table().get(key)
        try:
            if entry is None:
                raise ValueError(f"'{words.plain(str(key))}' is no setting here.")
            if isinstance(value, Repeated):
                raise ValueError(f"{key} is given {value.times:,} times.")
            checked[key] = entry.check(value)
        except (ValueError, OverflowError, RecursionError) as refusal:
            notices.append(_named(key, refusal))
    changes: Settings = {}
    for key, value in checked.items():
        changes |= table()[key].settings(value)
    labels, data, said = _data(checked, {"labels", "counts"} & found.keys())
    changes |= data
    notices += said
    try:
        if "alpha" in checked:
            changes |= prior.custom(labels, [*map(written, checked["alpha"])])
    except ValueError as refusal:
        notices.append(str(refusal))
    more = [f"So it is with {len(notices) - NOTICES_LARGEST:,} more."] if len(notices) > NOTICES_LARGEST else []
    return Restored(changes, notices[:NOTICES_LARGEST] + more)


def default_document(defaults: Mapping[str, Any]) -> Document:
    """What the settings of a fresh session say, as far as it does not depend on the data."""
    found = {key: entry.read(defaults) for key, entry in table().items() if entry.read is not None}
    return found | {"calibrate": False}


def without(found: Document, left_out: Document) -> Document:
    """The document without what is as it would be anyway, which makes a short address."""
    return {key: value for key, value in found.items() if key not in left_out or left_out[key] != value}


# --- the two spellings ---


def to_json(found: Document) -> bytes:
    return json.dumps({"format": FORMAT, **found}, indent=2, ensure_ascii=False).encode()


def from_json(data: bytes) -> Document:
    """Any bytes as a document that is still to be checked. Raises ValueError for what is no JSON object."""
    if len(data) > limits.SCENARIO_BYTES_LARGEST:
        raise ValueError(
            f"A file of settings may have at most {limits.SCENARIO_BYTES_LARGEST:,} bytes: got {len(data):,}."
        )
    found = json_object("A file of settings", data)
    if not found.keys() & table().keys():
        raise ValueError("The file holds no settings: it names no setting of this app.")
    return found


def to_query(found: Document) -> str:
    return urlencode({key: _spelled(value) for key, value in found.items()})


def from_query(parameters: Mapping[str, list[str]]) -> Document:
    """Query parameters, each with all its values, as a document that is still to be checked.

    Raises ValueError where they are too long or too many.
    """
    number = sum(map(len, parameters.values()))
    if long_links.TOO_MANY in parameters or number > limits.LINK_PARAMETERS_LARGEST:
        given = words.plain(parameters.get(long_links.TOO_MANY, [f"{number}"])[0])
        raise ValueError(
            f"A link may have at most {limits.LINK_PARAMETERS_LARGEST:,} parameters: got {given}. Nothing of it was "
            "taken over."
        )
    length = sum(len(key) + len(value) for key, values in parameters.items() for value in values)
    if length > limits.LINK_CHARACTERS_LARGEST:
        raise ValueError(
            f"A link may have at most {limits.LINK_CHARACTERS_LARGEST:,} characters: got {length:,}. Nothing of it "
            "was taken over."
        )
    found: Document = {}
    for key, (text, *more) in parameters.items():
        found[key] = Repeated(1 + len(more)) if more else _meant(table()[key].kind, text) if key in table() else text
    return found


def _spelled(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        line = io.StringIO(newline="")
        csv.writer(line).writerow(map(_spelled, value))  # line ends within a cell are quoted
        return line.getvalue().removesuffix("\r\n")
    return value if isinstance(value, str) else written(value)


def _meant(kind: Kind, text: str) -> Any:
    """What a text stands for; the text itself where it cannot, so that the check says what is wrong."""
    if kind == "flag":
        return {"true": True, "false": False}.get(text.lower(), text)
    if kind in ("texts", "numbers"):
        try:
            row = next(csv.reader(io.StringIO(text, newline=""), strict=True), [])
        except csv.Error:
            return text
        return [_meant("number", cell) for cell in row] if kind == "numbers" else row
    if kind == "number":
        with suppress(ValueError):
            return int(text) if re.fullmatch(r"-?\d{1,18}", text) else float(text)
    return text


def written(value: float) -> str:
    """A number as a person would type it, to its last digit."""
    return str(int(value)) if value == int(value) and abs(value) < 1e16 else repr(float(value))


# --- the table of keys ---


@functools.cache
def table() -> dict[str, Entry]:
    """Every key, in the order in which documents hold them."""
    figure = _choice("figure", "paper figure", [found.key for found in FIGURES], many=True)
    scene = _choice("scene", address.SCENE, [one.key for one in SCENES])
    return {
        "format": Entry("text", lambda value: limits.one_of("format", value, (FORMAT,))),
        "source": _choice("source", "source", data_source.CHOICES),
        "example": _choice("example", "example", data_source.BY_KEY),
        "k": _whole("k", "made-up k", limits.CATEGORIES_LEAST, limits.CATEGORIES_LARGEST)._replace(read=None),
        "n": _whole("n", "made-up n", 0, limits.TOTAL_LARGEST)._replace(read=None),
        "shape": _choice("shape", "made-up shape", data_source.SHAPES),
        "proportions": Entry(
            "numbers",
            _proportions,
            lambda value: {"made-up proportions": " ".join(map(written, value))},
            lambda kept: list(entries.numbers("proportions", kept["made-up proportions"])),
        ),
        "counts_seed": _whole("counts_seed", "made-up seed", 0, entries.SEED_LARGEST),
        "labels": Entry("texts", _labels),
        "counts": Entry("numbers", limits.check_counts),
        "title": Entry("text", lambda value: limits.check_text("title", value, limits.TYPED_LABEL_CHARACTERS_LARGEST)),
        "prior": _choice("prior", "prior", prior.CHOICES),
        "strength": _number("strength", "strength", lambda value: prior.check_parameter("strength", value)),
        "alpha": Entry("numbers", limits.check_prior),
        **{name: _number(name, name, functools.partial(privacy.check_number, name)) for name in privacy.every_number()},
        "mechanisms": _mechanisms("mechanisms", privacy.ticked, {privacy.BY_HAND: True}),
        "calibrated": _mechanisms("calibrated", privacy.calibrated),
        **{key: _flag(key, setting) if isinstance(allowed[0], bool) else _choice(key, setting, allowed)
           for key, (setting, allowed) in privacy.options().items()},
        "seed": _whole("seed", "seed", 0, entries.SEED_LARGEST),
        "posteriors": Entry(
            "number",
            lambda value: int(limits.one_of("posteriors", value, controls.SIZES)),
            lambda value: {"size": value},
            lambda kept: kept["size"],
        ),
        "reading": _choice("reading", "reading", controls.READINGS),
        "view": _choice("view", "view", controls.VIEWS),
        "log_scale": _flag("log_scale", "log scale"),
        "overlay": Entry("flag", lambda value: value),  # older files and links have it; nothing is overlaid any more
        "t": _number("t", "within", controls.check_distance),
        "measure": _choice("measure", "measure", controls.MEASURES),
        "attaining": _choice("attaining", "attaining", controls.attaining_choices()),
        "share": _category("share", "share"),
        "answer_by": Entry(
            "text",
            lambda value: value and limits.one_of("answer_by", value, [kind.__name__ for kind in MECHANISMS]),
            lambda value: {"answer by": value},
            lambda kept: kept["answer by"],
        ),
        "answer": _category("answer", "answer"),
        "other_answer": _category("other_answer", "other answer"),
        "scene": scene._replace(check=lambda value: scene.check(address.FORMER.get(value, value)
                                                                if isinstance(value, str) else value)),
        "talk": _flag("talk", address.TALK),
        "part": _choice("part", controls.PAPERS_PART, controls.PAPERS_PARTS),
        "question": _choice("question", controls.BEYOND, controls.BEYOND_QUESTIONS),
        "figure": figure,
        "paper_figure": figure._replace(read=None),  # what older files and links call it
        "claim": _choice("claim", "claim", [claim.name for claim in CLAIMS], many=True),
        "scores_prior": Entry("numbers", limits.check_prior, _scores_prior,
                              lambda kept: list(controls.scores_prior(kept))),
        "scores_n": _whole("scores_n", controls.SCORES_N, 1, limits.TOTAL_LARGEST),
        "scores_epsilon": _number("scores_epsilon", controls.SCORES_EPSILON, limits.check_epsilon),
        "accuracy_axis": _choice("accuracy_axis", "accuracy along", [axis.name for axis in AXES]),
        "accuracy_metric": _choice("accuracy_metric", "accuracy in", METRICS),
        "accuracy_over": _choice("accuracy_over", "accuracy over", accuracy_words.OVER),
        "accuracy_epsilons": Entry(
            "numbers",
            lambda value: list(controls.check_epsilons(_list("accuracy_epsilons", value))),
            lambda value: {"accuracy epsilons": ", ".join(map(written, value))},
            lambda kept: list(_further(kept)),
        ),
        "wanted_distance": _number(
            "wanted_distance", "wanted distance", functools.partial(limits.inside, "wanted_distance")
        ),
        "coverage": _flag("coverage", "accuracy coverage"),
        "calibrate": _flag("calibrate", "calibrated for")._replace(read=None),
        **_of_groups(),
    }


def _scores_prior(alpha: tuple[float, ...]) -> Settings:
    """The prior as the list offers it, else its numbers."""
    for name, listed in controls.SCORES_PRIORS.items():
        if listed == tuple(alpha):
            return {controls.SCORES_PRIOR: name}
    return {controls.SCORES_PRIOR: controls.ANOTHER, controls.SCORES_OWN_PRIOR: ", ".join(map(written, alpha))}


def _of_groups() -> dict[str, Entry]:
    """What the page Groups shows; ``groups``, a person's counts by group, stands in a document only if asked for."""
    kinds = [kind.__name__ for kind in MECHANISMS]
    wanted = {"planned_share": "share", "planned_difference": "gap", "planned_chance": "wanted"}
    return {
        "groups_from": _choice("groups_from", "groups: source", grouped.SOURCES),
        "groups_example": _choice("groups_example", "groups: example", grouped.BY_KEY),
        "groups": Entry("text", _groups, lambda value: {"groups: typed": value}),
        "group_question": _place("group_question", "groups: question", limits.CATEGORIES_LARGEST),
        "group": _place("group", "groups: first", grouped.GROUPS_LARGEST),
        "other_group": _place("other_group", "groups: second", grouped.GROUPS_LARGEST),
        "group_category": _place("group_category", "groups: category", limits.CATEGORIES_LARGEST),
        "groups_mechanism": Entry(
            "text",
            lambda value: limits.one_of("groups_mechanism", value, kinds),
            lambda value: {"groups: mechanism": value},
            lambda kept: kept["groups: mechanism"],
        ),
        "groups_prior": _number("groups_prior", "groups: strength",
                                lambda value: prior.check_parameter("groups_prior", value)),
        "readers": Entry(
            "number",
            lambda value: int(limits.one_of("readers", value, grouped.READERS)),
            lambda value: {"groups: draws": value},
            lambda kept: kept["groups: draws"],
        ),
        **{key: _number(key, f"groups: {setting}", functools.partial(limits.inside, key))
           for key, setting in wanted.items()},
        "planned": _choice("planned", "groups: vary", grouped.PLANNED),
        **{f"{what}_of_{side}": _own(f"{what}_of_{side}", f"groups: {what} of the {side}", check)
           for what, check in (("epsilon", grouped.own_epsilon), ("size", grouped.own_size))
           for side in grouped.SIDES},
    }  # fmt: skip


def _own(key: str, setting: str, typed: Callable[[str], float | None]) -> Entry:
    """A number of a group's own; 0 where it has none."""
    return Entry(
        "number",
        lambda value: typed(written(value)) if limits.finite_number(key, value) else 0,
        lambda value: {setting: written(value) if value else ""},
        lambda kept: typed(kept[setting]) or 0,
    )


def _choice(key: str, setting: str, options: Iterable[str], many: bool = False) -> Entry:
    """One of some texts of the screen, each by what stands before its colon, in small letters with hyphens.

    many: of the papers, and more than a sentence could name.
    """
    by_name = {name_of_option(option): option for option in options}

    def check(value: Any) -> str:
        if many and not (isinstance(value, str) and value in by_name):
            raise ValueError(f"There is no {key} of the papers called {limits.shown(value)}.")
        return by_name[limits.one_of(key, value, by_name)]

    return Entry(
        "text",
        check,
        lambda value: {setting: value},
        lambda kept: name_of_option(kept[setting]),
    )


def name_of_option(option: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", option.partition(":")[0].lower()).strip("-")


def _number(key: str, setting: str, check: Callable[[Any], float]) -> Entry:
    return Entry(
        "number",
        check,
        lambda value: {setting: written(value)},
        lambda kept: check(entries.number(key, kept[setting])),
    )


def _whole(key: str, setting: str, least: int, largest: int) -> Entry:
    return Entry(
        "number",
        lambda value: limits.whole_number(key, value, least, largest),
        lambda value: {setting: str(value)},
        lambda kept: entries.whole(key, kept[setting], least, largest),
    )


def _category(key: str, setting: str) -> Entry:
    """The number of a category, from 1 on; 0 where none was chosen."""
    return Entry(
        "number",
        lambda value: limits.whole_number(key, value, 0, limits.CATEGORIES_LARGEST),
        lambda value: {setting: value},
        lambda kept: kept[setting],
    )


def _place(key: str, setting: str, largest: int) -> Entry:
    """Of a group or category, from 1 on."""
    return Entry(
        "number",
        lambda value: limits.whole_number(key, value, 1, largest),
        lambda value: {setting: value},
        lambda kept: kept[setting],
    )


def _flag(key: str, setting: str) -> Entry:
    return Entry(
        "flag",
        lambda value: limits.instance(key, value, bool, "True or False"),
        lambda value: {setting: value},
        lambda kept: kept[setting],
    )


def _mechanisms(key: str, setting_of: Callable[[type], str], more: Mapping[str, bool] | None = None) -> Entry:
    names = [kind.__name__ for kind in MECHANISMS]
    return Entry(
        "texts",
        lambda value: [limits.one_of(key, name, names) for name in _list(key, value)],
        lambda value: {setting_of(kind): kind.__name__ in value for kind in MECHANISMS} | dict(more or {}),
        lambda kept: [kind.__name__ for kind in MECHANISMS if kept[setting_of(kind)]],
    )


def _further(kept: Mapping[str, Any]) -> tuple[float, ...]:
    return controls.check_epsilons(entries.numbers("accuracy_epsilons", kept["accuracy epsilons"]))


# --- checks of what the library has no check for ---


def _list(key: str, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{key} must be a list: got {limits.shown(value)}.")
    return value


def _labels(value: Any) -> tuple[str, ...]:
    longest = limits.UPLOAD_LABEL_CHARACTERS_LARGEST
    labels = [limits.check_text("a label", label, longest) for label in _list("labels", value)]
    limits.whole_number("number of labels", len(labels), limits.CATEGORIES_LEAST, limits.CATEGORIES_LARGEST)
    entries.check_labels(labels)
    return tuple(labels)


def _groups(value: Any) -> str:
    text = limits.check_text("groups", value, limits.TYPED_CHARACTERS_LARGEST)
    grouped.typed(text)
    return text


def _proportions(value: Any) -> list[float]:
    numbers = [limits.finite_number("proportions", number) for number in _list("proportions", value)]
    synthesis.proportional_counts(numbers, 0)
    return numbers


# --- the data ---


def _data(checked: Document, held: Set[str]) -> tuple[tuple[str, ...], Settings, list[str]]:
    """The labels of the categories that the document is about, the settings that bring its counts, and what to say.

    held: which of a person's labels and counts the document has, refused ones included.
    """
    source = checked.get("source", data_source.EXAMPLE)
    if source not in data_source.OWN:
        said = [handover.counts_of_no_use(held, source)] if held else []
        if source == data_source.EXAMPLE:
            return data_source.BY_KEY[checked.get("example", data_source.DEFAULTS["example"])].labels, {}, said
        return data_source.made_up_labels(_size(checked, "k")), {"source": data_source.MADE_UP}, said
    labels, counts = checked.get("labels", ()), checked.get("counts", ())
    if labels and len(labels) == len(counts):
        return labels, data_source.own(source, labels, counts, checked.get("title", "Counts brought along")), []
    if not held | ({"k", "n"} & checked.keys()):
        return (), {"typed": "", "uploaded": None}, [handover.BRING_AGAIN]
    sizes = {key: (_size(checked, key), key in checked) for key in ("k", "n")}
    changes = {"source": data_source.MADE_UP, "made-up shape": data_source.BALANCED}
    return data_source.made_up_labels(_size(checked, "k")), changes, [handover.stand_in(held, labels, counts, sizes)]


def _size(checked: Document, key: str) -> int:
    return int(checked.get(key, data_source.DEFAULTS[f"made-up {key}"]))


def _named(key: str, refusal: Exception) -> str:
    said = str(refusal)[: words.SENTENCE_LENGTH]
    return said if key in said else f"{words.plain(str(key))}: {said}"
