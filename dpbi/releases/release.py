"""One secure release of a private posterior, and the file that says what it guarantees.

Protected: the law of the released counts. The bits come from the operating system, never from a seed; noise on counts
is drawn in whole numbers, exactly; candidates are selected by whole-number weights that keep even the least of them, or
by exact trials where they are too many to list, and what rounding can add to epsilon is bounded and part of the
guarantee. A Release holds public things only: the mechanism's constructor fields, prior, n, the released counts, the
guarantee, version and time; nothing in it but the released counts was computed from the counts, so no rate, sensitivity
or mean distance, and no seed or digest.
Not protected: how long a draw takes and how much memory it needs (noise on counts takes a time that depends on the
noise alone; selection lists all candidates, whichever is chosen, but arithmetic on other numbers may take another time;
where it tries candidates until one is accepted, their number shows in the time, and its mean, Z_0 / Z of the rate,
depends on the counts); the memory of this process; what is shown elsewhere, such as pages with raw counts; and the
choice of a mechanism or of epsilon, if it was made by looking at results on the private counts.
"""

import dataclasses
import json
import math
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, TypeVar

from dpbi import limits
from dpbi.data.json_object import json_object
from dpbi.inference.nearest import NearestPosterior, nearest_posterior
from dpbi.inference.noise_aware import CountMixture, NoiseAwarePosterior, noise_aware_posterior
from dpbi.mechanisms import MECHANISMS, Mechanism
from dpbi.mechanisms.fair_bits import Bits
from dpbi.mechanisms.guarantee import ApproximateDP, Guarantee, NotPrivate
from dpbi.mechanisms.mechanism import check_mechanism, check_released
from dpbi.mechanisms.printed_bound import printed_bound
from dpbi.mechanisms.published_noise import PublishedNoise
from dpbi.problem.problem import Problem, check_problem
from dpbi.version import __version__

_Reading = TypeVar("_Reading", NoiseAwarePosterior, NearestPosterior)

FORMAT = "dpbi release"
_FORMAT_VERSION = 3
_FORMAT_VERSIONS = 1, 2, 3  # that can be read: from 2 on it may say what it is of ("subject")
_DESCRIBES_NOISE = 3  # the version from which on it must
TIME = "%Y-%m-%dT%H:%M:%SZ"
_VERSION = 50  # characters
_LONGEST = 10_000_000  # characters of a file
_MARGINALS_LONGEST = 50_000  # probabilities of counts that a file holds
_LEAST_PROBABILITY = 1e-12  # of a count that a file holds
_FIELDS = ("format", "format_version", "version", "time", "mechanism", "prior", "n", "released", "guarantee")


@dataclass(frozen=True)
class Release:
    """Released counts r with everything that is public about them; its posteriors follow from it.

    mechanism, prior (k,), n: public; released: (k,); guarantee: with its basis and neighbour relation, what rounding
    can add to epsilon included; version: of the library; time: of the draw, UTC to the second.
    Validated when made: ValueError for a release that the mechanism cannot make. Made by ``release``.
    """

    mechanism: Mechanism
    prior: tuple[float, ...]
    n: int
    released: tuple[int, ...]
    guarantee: Guarantee
    version: str
    time: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "prior", limits.check_prior(self.prior))
        object.__setattr__(self, "n", limits.check_total(self.n))
        object.__setattr__(self, "released", check_released(self.mechanism, len(self.prior), self.n, self.released))
        limits.check_name("version", self.version, _VERSION)
        check_time(self.time)
        limits.instance("guarantee", self.guarantee, Guarantee, "a guarantee: PureDP, ApproximateDP or NotPrivate")

    @property
    def naive(self) -> tuple[float, ...]:
        """The parameters alpha + r of the private posterior, which takes r for the true counts."""
        return tuple(alpha + r for alpha, r in zip(self.prior, self.released, strict=True))

    @cached_property
    def noise(self) -> PublishedNoise | None:
        """The noise on the counts; None where the mechanism adds none to them."""
        return self.mechanism.published_noise(self.prior, self.n, self.released)

    @cached_property
    def noise_aware(self) -> NoiseAwarePosterior | str:
        """The posterior that knows about the noise, or the sentence that says why there is none."""
        return self._read(noise_aware_posterior)

    @cached_property
    def nearest(self) -> NearestPosterior | str:
        """The one candidate posterior that lies nearest as far as a reader can know, or why there is none."""
        return self._read(nearest_posterior)

    def _read(
        self, reading: Callable[[Mechanism, tuple[float, ...], int, tuple[int, ...]], _Reading]
    ) -> _Reading | str:
        """What this way of reading comes to, or the sentence that refuses it."""
        try:
            return reading(self.mechanism, self.prior, self.n, self.released)
        except ValueError as refusal:
            return str(refusal)

    @property
    def stamp(self) -> str:
        """Empty for what is private by theorem or check; else the words that go on top of every file."""
        return stamp_of(self.guarantee)

    @property
    def promise(self) -> str:
        """The guarantee with its basis, its reason and its neighbour relation, in one line."""
        held = self.guarantee
        return f"{held.words}. Basis: {held.reason}. Neighbours: {held.neighbours}."

    def document(self, labels: Sequence[str] | None = None) -> dict[str, Any]:
        """What the JSON file holds. labels: names of the categories, which are public, (k,)."""
        return {
            "format": FORMAT,
            "format_version": _FORMAT_VERSION,
            "version": self.version,
            "time": self.time,
            "stamp": self.stamp,
            "mechanism": mechanism_document(self.mechanism),
            "prior": list(self.prior),
            "n": self.n,
            "categories": category_names(labels, len(self.prior)),
            "released": list(self.released),
            "noise": self.noise.document() if self.noise else None,
            "guarantee": {"kind": type(self.guarantee).__name__, "words": self.guarantee.words,
                          **dataclasses.asdict(self.guarantee)},
            "naive_posterior": {"family": "Dirichlet", "parameters": list(self.naive)},
            "nearest_posterior": self._nearest_document(),
            "noise_aware_posterior": mixture_document(self.noise_aware),
        }

    def to_json(self, labels: Sequence[str] | None = None) -> str:
        """The release as a JSON file, the same text for the same release."""
        return json.dumps(self.document(labels), indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    @staticmethod
    def from_json(text: str | bytes) -> "Release":
        """The release that ``to_json`` wrote. What follows from other fields is computed anew, not read.

        Guarantee and noise are what this version of the library says of the mechanism (a calibration is checked again),
        and must be those in the file. Raises ValueError for anything else. A file proves nothing about how it was made.
        """
        return release_of(parsed(text))

    def _nearest_document(self) -> dict[str, Any]:
        nearest = self.nearest
        if isinstance(nearest, str):
            return {"unavailable": nearest}
        return {
            "family": "Dirichlet",
            "parameters": list(nearest.posterior),
            "counts": list(nearest.counts),
            "expected_distance": nearest.expected_distance,
            "expected_distance_error": nearest.error,
            "found": nearest.kind,
        }

    def essence(self) -> dict[str, Any]:
        """What a posterior of several releases needs of this one, for a ledger's file."""
        return {
            "version": self.version,
            "mechanism": mechanism_document(self.mechanism),
            "prior": list(self.prior),
            "released": list(self.released),
        }

    @staticmethod
    def from_essence(item: Any, n: int, time: str) -> "Release":
        """The release of ``essence``; ValueError for anything else."""
        names = ("version", "mechanism", "prior", "released")
        if not isinstance(item, dict) or not all(name in item for name in names):
            raise ValueError(f"What was released must have {', '.join(names)}.")
        mechanism, prior = mechanism_of(item["mechanism"]), limits.check_prior(item["prior"])
        guarantee = guarantee_of_release(mechanism, prior, limits.check_total(n))
        return Release(mechanism, prior, n, item["released"], guarantee, item["version"], time)


def mixture_document(posterior: CountMixture | str) -> dict[str, Any]:
    """What a file holds of a posterior over what the counts may have been, or of the sentence that says why there is
    none; no margins where they are too long.
    """
    if isinstance(posterior, str):
        return {"unavailable": posterior}
    found: dict[str, Any] = {
        "family": "mixture of Dirichlet(prior + c) over counts c with sum n",
        "mean": posterior.mean.tolist(),
        "mean_counts": posterior.mean_counts.tolist(),
    }
    marginals = [marginal.trimmed(_LEAST_PROBABILITY) for marginal in posterior.marginals]
    if sum(marginal.probability.size for marginal in marginals) <= _MARGINALS_LONGEST:
        found["marginals"] = [{"first_count": marginal.first, "probability": marginal.probability.tolist()}
                              for marginal in marginals]
    return found


def release(mechanism: Mechanism, problem: Problem) -> Release:
    """Draws once, with bits from the operating system: the counts r of the private posterior Dir(alpha + r).

    mechanism, problem: as for ``sample``; there is no seed, and nothing is kept. Noise on counts: exact draws of the
    geometric law and of the floored Laplace law at epsilon's exact value as a fraction. Selection: exact inversion of
    whole-number weights over all candidates, or exact rejection where they are too many to list (``secure_draw``);
    ``Release.guarantee`` includes what rounding can add to epsilon.
    Returns the Release. Raises ValueError, which tells nothing of the counts, where a draw could take too many trials
    or a calibration belongs to another prior or n.
    Source: Canonne, Kamath and Steinke 2020 for the noise; the weights are ours.
    Deviation: what is and is not protected is said at the head of this module.
    """
    return _release(check_mechanism(mechanism), check_problem(problem), secrets.randbits, lambda: datetime.now(UTC))


def _release(mechanism: Mechanism, problem: Problem, bits: Bits, now: Callable[[], datetime]) -> Release:
    guarantee = guarantee_of_release(mechanism, problem.prior, problem.n)
    released = mechanism.draw_securely(problem, bits)
    return Release(mechanism, problem.prior, problem.n, released, guarantee, __version__, now().strftime(TIME))


def guarantee_of_release(mechanism: Mechanism, prior: tuple[float, ...], n: int) -> Guarantee:
    """The mechanism's guarantee with what the rounding of a secure draw can add to epsilon, and to a delta that is
    proved; no count enters.

    Raises ValueError where no secure draw can be made. Source: ``Mechanism.rounding``.
    """
    guarantee = mechanism.guarantee(prior, n)
    rounding = mechanism.rounding(tuple(prior), n)
    if rounding == 0 or isinstance(guarantee, NotPrivate):
        return guarantee
    added = "to epsilon"
    if isinstance(guarantee, ApproximateDP) and guarantee.is_private:
        # The rounded P~ is P to e^{+-r/2}, r = rounding: P~ - e^{epsilon + r} P~' <= e^{r/2} (P - e^epsilon P')
        guarantee = dataclasses.replace(guarantee, delta=min(1.0, guarantee.delta * math.exp(rounding / 2)))
        added = "to epsilon, and at most that share of delta to delta"
    return dataclasses.replace(
        guarantee,
        epsilon=guarantee.epsilon + rounding,
        reason=f"{guarantee.reason}; rounding of the weights in the secure draw adds at most "
               f"{printed_bound(rounding, 1)} {added}",
    )


def stamp_of(guarantee: Guarantee) -> str:
    """What goes on top of a release that is not private by theorem or check; else empty."""
    if guarantee.is_private:
        return ""
    if isinstance(guarantee, NotPrivate):
        return f"NOT PRIVATE: {guarantee.reason}."
    return f"NOT PROVED PRIVATE, a claim only: {guarantee.reason}."


def check_time(time: str) -> None:
    """ValueError unless it is a time as releases have it, UTC to the second, in the digits 0 to 9."""
    try:
        if datetime.strptime(time, TIME).strftime(TIME) != time:
            raise ValueError
    except (TypeError, ValueError):
        raise ValueError(f"time must be written as 2026-01-31T12:00:00Z: got {limits.shown(time)}.") from None


def category_names(labels: Sequence[str] | None, k: int) -> list[str]:
    """The labels, or category 1, 2, ...; ValueError unless there is one for each category."""
    if labels is None:
        return [f"category {i + 1}" for i in range(k)]
    listed = limits.sequence("labels", labels, "of texts", limits.CATEGORIES_LARGEST)
    if len(listed) != k or not all(isinstance(label, str) for label in listed):
        raise ValueError(f"labels must be {k} texts, one for each category: got {len(listed)}.")
    return [limits.check_text("a label", label, limits.UPLOAD_LABEL_CHARACTERS_LARGEST) for label in listed]


# Reading --------------------------------------------------------------------------------------------


def parsed(text: str | bytes) -> dict[str, Any]:
    """A JSON object of at most ten million characters; ValueError for any other text."""
    limits.instance("text", text, str | bytes, "text, or bytes in UTF-8")
    if len(text) > _LONGEST:
        raise ValueError(f"A release or ledger has at most {_LONGEST:,} characters: got {len(text):,}.")
    return json_object("The file of a release or ledger", text)


def release_of(document: Mapping[str, Any]) -> Release:
    """The release of a parsed file, as ``Release.from_json``."""
    check_format("release", FORMAT, _FORMAT_VERSIONS, document)
    fields = _FIELDS if document["format_version"] < _DESCRIBES_NOISE else (*_FIELDS, "noise")
    missing = [name for name in fields if name not in document]
    if missing:
        raise ValueError(f"The release lacks {', '.join(missing)}.")
    found = Release.from_essence(document, document["n"], document["time"])
    _check_guarantee(document["guarantee"], found.guarantee)
    if "noise" in fields:
        _check_noise(document["noise"], found.noise)
    return found


def check_format(what: str, form: str, versions: tuple[int, ...], document: Mapping[str, Any]) -> None:
    """ValueError unless the document, of this format, has a version that is read."""
    if document.get("format") != form:
        raise ValueError(f"This is no {what} of dpbi: its format must be {form!r}, "
                         f"got {limits.shown(document.get('format'))}.")
    version = document.get("format_version")
    if isinstance(version, bool) or version not in versions:
        raise ValueError(f"The {what} has format version {limits.shown(version)}; this version of dpbi reads "
                         f"{' and '.join(map(str, versions))}.")


def mechanism_document(mechanism: Mechanism) -> dict[str, Any]:
    """What a file holds of a mechanism: its class and the fields it was made with."""
    return {"name": type(mechanism).__name__, "fields": dataclasses.asdict(mechanism)}


def mechanism_of(recorded: Any) -> Mechanism:
    """The mechanism of ``mechanism_document``; ValueError for anything else."""
    kinds = {kind.__name__: kind for kind in MECHANISMS}
    if not isinstance(recorded, dict) or not isinstance(recorded.get("fields"), dict):
        raise ValueError("mechanism must hold a name and its fields.")
    name, fields = recorded.get("name"), dict(recorded["fields"])
    if not isinstance(name, str) or name not in kinds:
        raise ValueError(f"mechanism must be one of {', '.join(kinds)}: got {limits.shown(name)}.")
    expected = {field.name for field in dataclasses.fields(kinds[name])}
    if set(fields) != expected:
        raise ValueError(f"The fields of {name} are {', '.join(sorted(expected))}: got "
                         f"{limits.shown(', '.join(sorted(fields)))}.")
    if isinstance(fields["calibration"], list):
        fields["calibration"] = tuple(tuple(part) if isinstance(part, list) else part for part in fields["calibration"])
    return kinds[name](**fields)


def _check_guarantee(recorded: Any, guarantee: Guarantee) -> None:
    expected = {"kind": type(guarantee).__name__, "basis": guarantee.basis, "neighbours": guarantee.neighbours}
    numbers = {name: getattr(guarantee, name) for name in ("epsilon", "delta") if hasattr(guarantee, name)}
    if not isinstance(recorded, dict):
        raise ValueError("guarantee must be an object.")
    same = all(recorded.get(name) == value for name, value in expected.items()) and all(
        abs(limits.finite_number(f"the guarantee's {name}", recorded.get(name)) - value) <= 1e-6 * value
        for name, value in numbers.items()
    )
    if not same:
        raise ValueError(f"The file says {limits.shown(recorded.get('words'))}, but what this mechanism promises is "
                         f"{guarantee.words}: the file was changed, or written by another version.")


def _check_noise(recorded: Any, noise: PublishedNoise | None) -> None:
    expected = noise.document() if noise else None
    if recorded == expected:
        return
    wrong = "noise"
    if isinstance(recorded, dict) and expected:
        wrong = next(f"noise.{name}" for name in [*expected, *recorded]
                     if name not in recorded or name not in expected or recorded[name] != expected[name])
    raise ValueError(f"{wrong} in the file is not what this mechanism adds to counts: the file was changed, or written "
                     "by another version.")
