"""A file of a release read back: the posterior that was shown, bit for bit, or a sentence that says why not."""

import copy
import dataclasses
import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as some

import dpbi
from dpbi import MECHANISMS, JointPosterior, NotPrivate, Problem, PublishedRelease, Release
from dpbi.inference.beta_mixture import BetaMixture
from dpbi.inference.noise_aware import CountMixture
from dpbi.mechanisms import Mechanism
from dpbi.releases.ledger import Ledger, release_json
from dpbi.releases.statement import statement_markdown
from tests.every_mechanism import EVERY, Kind, Options, every_class, every_mechanism, lists_datasets
from tests.releases.damaged import damaged, read_or_refused
from tests.releases.entries import entry_of
from tests.releases.test_release import made
from tests.strategies import epsilons

LABELS = ["yes, always", "no – não", "<90"]
THREE = Problem((1, 0.5, 2), (12, 3, 7))
NOISY = next(kind for kind in MECHANISMS if not lists_datasets(kind))
LISTING = next(kind for kind in MECHANISMS if lists_datasets(kind))
LAST_FORMAT = 3


def assert_same_bits(found: BetaMixture | str, shown: BetaMixture | str) -> None:
    assert isinstance(shown, CountMixture) and isinstance(found, CountMixture) and type(found) is type(shown)
    assert found.mean.tobytes() == shown.mean.tobytes() and found.mean_counts.tobytes() == shown.mean_counts.tobytes()
    for i in range(len(found.prior)):
        assert found.interval(0.95, i) == shown.interval(0.95, i)


def ledger_of(*made_by: Mechanism, problem: Problem = THREE, labels: Sequence[str] = LABELS) -> Ledger:
    return Ledger(tuple(entry_of(made(one, problem, seed), "people", "Do you?", "first", labels)
                        for seed, one in enumerate(made_by)))


def file_of(ledger: Ledger, place: int = 0, labels: Sequence[str] = LABELS) -> str:
    entry = ledger.entries[place]
    return release_json(entry, labels, ledger, ledger.read_together(entry))


# There and back ---------------------------------------------------------------------------------------


@every_mechanism
def test_a_release_comes_back_bit_for_bit(kind: Kind, chosen: Options) -> None:
    two = Problem((1, 1), (5, 10))
    calibrated = dpbi.calibrate(kind(0.9, **chosen), two.prior, two.n)
    for mechanism, problem in ((kind(1 / 3, **chosen), THREE), (calibrated, two),
                               (kind(0.7, **chosen), Problem((2, 0.1), (0, 0)))):
        shown = made(mechanism, problem)
        labels = LABELS[:problem.k]
        for data in (text := shown.to_json(labels), text.encode(), b"\xef\xbb\xbf" + text.encode()):
            found = dpbi.read_release(data)
            assert found.release == shown and found.labels == tuple(labels)
            assert found.remarks == ((shown.stamp,) if shown.stamp else ())
            assert_same_bits(found.posterior, shown.noise_aware)


@given(some.sampled_from(EVERY), epsilons(), some.integers(0, 10**6))
@settings(max_examples=12)
def test_any_epsilon_and_large_counts_come_back(one: tuple[Kind, Options], epsilon: float, seed: int) -> None:
    kind, chosen = one
    counts = (3, 4) if lists_datasets(kind) else (2_000, 313, 0)
    shown = made(kind(epsilon, **chosen), Problem((0.5,) * len(counts), counts), seed)
    if isinstance(shown.noise_aware, str):
        with pytest.raises(ValueError) as refused:
            dpbi.read_release(shown.to_json())
        assert str(refused.value) == shown.noise_aware
        return
    assert_same_bits(dpbi.read_release(shown.to_json()).posterior, shown.noise_aware)


def test_all_releases_of_a_table_come_back_from_each_files_ledger_and_from_the_ledger() -> None:
    ledger = ledger_of(NOISY(0.5), LISTING(2.0), NOISY(1.0))
    together = ledger.read_together(ledger.entries[0])
    assert together and together.posterior
    for place, entry in enumerate(ledger.entries):
        assert entry.made
        found = dpbi.read_release(file_of(ledger, place))
        assert found.release == entry.made and isinstance(found.posterior, JointPosterior)
        assert_same_bits(found.posterior, together.posterior)
        assert_same_bits(Release.from_json(file_of(ledger, place)).noise_aware, entry.made.noise_aware)
    found = dpbi.read_release(ledger.to_json())
    assert found.labels == tuple(LABELS)
    assert_same_bits(found.posterior, together.posterior)
    alone = ledger_of(NOISY(0.5))
    for text in (file_of(alone), alone.to_json()):
        assert_same_bits(dpbi.read_release(text).posterior, alone.entries[0].made.noise_aware)  # type: ignore


def test_what_is_left_out_and_what_contradicts_itself_is_said() -> None:
    ledger, other = ledger_of(NOISY(50.0)), ledger_of(NOISY(50.0), problem=Problem((1, 0.5, 1), (1, 1, 20)))
    apart = ledger_of(NOISY(50.0), problem=Problem(THREE.prior, (1, 1, 20)))
    left = dpbi.read_release(file_of(ledger.with_entries(other.entries)))
    assert not isinstance(left.posterior, JointPosterior)
    asked, out, few = left.remarks
    assert asked.endswith("Do you?") and "under another prior or n" in out and "Fewer than two" in few
    against = dpbi.read_release(file_of(ledger.with_entries(apart.entries)))
    assert isinstance(against.posterior, JointPosterior) and "contradict each other" in against.remarks[-1]
    corrected = ledger_of(NOISY(1.0))
    later = [dataclasses.replace(one, version="later", time="2026-12-01T00:00:00Z") for one in corrected.entries]
    replaced = dpbi.read_release(file_of(ledger.with_entries(later)))
    assert replaced.remarks[-1] == "2 tables of this question were released; this is number 1."
    stated = [dataclasses.replace(one, replaces=ledger.entries[0].version) for one in later]
    replaced = dpbi.read_release(file_of(ledger.with_entries(stated)))
    assert "stated to be corrected by version 2: use that" in replaced.remarks[-1]


def test_a_ledger_of_several_tables_or_of_charges_alone_is_refused() -> None:
    ledger = ledger_of(NOISY(0.5), NOISY(0.5))
    first, second = ledger.entries
    for other in (dataclasses.replace(second, question="Will you?"), dataclasses.replace(second, version="second")):
        with pytest.raises(ValueError, match=r"ledger of 2 tables.*Do you\?.*bring the file of one release"):
            dpbi.read_release(Ledger((first, other)).to_json())
    with pytest.raises(ValueError, match="does not say what was released"):
        dpbi.read_release(Ledger((dataclasses.replace(first, made=None, categories=()),)).to_json())
    with pytest.raises(ValueError, match="does not say what was released"):
        dpbi.read_release(Ledger().to_json())


@pytest.mark.parametrize("version", [1, 2])
def test_files_of_earlier_formats_are_read(version: int) -> None:
    """They do not describe their noise; the first did not say what they are of, and pooled by prior and n."""
    ledger = ledger_of(NOISY(0.5), NOISY(1.0))
    document = json.loads(file_of(ledger))
    document["format_version"] = version
    for name in ("noise", *(["subject"] if version == 1 else [])):
        del document[name]
    if version == 1:
        for entry in document["ledger"]["releases"]:
            del entry["question"], entry["version"]
            entry["made"]["categories"] = []
    found = dpbi.read_release(json.dumps(document))
    assert isinstance(found.posterior, JointPosterior) is (version == 2)


@pytest.mark.usefixtures("few_points")
@every_class
def test_the_statement_says_where_the_file_is_read(kind: Kind) -> None:
    shown = made(kind(1.0), Problem((1, 1, 1), (220, 210, 210)))
    readable = not isinstance(shown.noise_aware, str)
    said = statement_markdown(shown)
    assert ("on the page Read noisy counts" in said and r"dpbi.read\_release" in said) is readable
    if not readable:
        with pytest.raises(ValueError, match="needs the output law of every dataset"):
            dpbi.read_release(shown.to_json())


# The fields -------------------------------------------------------------------------------------------


@every_mechanism
def test_the_noise_is_described_where_it_falls_on_counts(kind: Kind, chosen: Options) -> None:
    """That it leads to the law of the release is held by tests/test_overrides.py."""
    plain = kind(1 / 3, **chosen)
    calibrated = dataclasses.replace(plain, calibration=(1.7, THREE.prior, THREE.n))
    for mechanism, strength in ((plain, Fraction(1 / 3)), (calibrated, Fraction(1 / 3) * Fraction(1.7))):
        described = mechanism.published_noise(THREE.prior, THREE.n, made(plain, THREE).released)
        if lists_datasets(kind):
            assert described is None
            continue
        assert described
        said = described.document()
        assert list(said) == ["law", "formula", "scale", "independent", "carries_noise", "floor", "ceiling",
                              "post_processing", "unit"]
        assert said["unit"] == plain.guarantee(THREE.prior, THREE.n).neighbours
        spread = Fraction(said["scale"]) * strength  # a whole number, but for one rounding of the scale
        assert said["scale"] == float(round(spread) / strength) and round(spread) >= 1
        assert len(said["carries_noise"]) == len(said["ceiling"]) == THREE.k
        assert json.loads(json.dumps(said)) == said


def test_a_law_that_the_library_reads_is_the_one_that_was_drawn() -> None:
    noise, read = pytest.importorskip("dpbi.noise"), 0
    for kind in MECHANISMS:
        described = kind(0.7).published_noise(THREE.prior, THREE.n, made(kind(0.7), THREE).released)
        if described is None or not hasattr(noise, described.law):
            continue
        d = np.arange(-60, 61)
        names = {"d": d, "scale": described.scale, "exp": np.exp, "tanh": np.tanh, "abs": np.abs}
        formula = eval(described.formula.removeprefix("P(D = d) = "), names)
        law = getattr(noise, described.law)(described.scale)
        assert np.exp(law.log_probability(d)) == pytest.approx(formula, rel=1e-12)
        read += 1
    assert read


# Refusals ---------------------------------------------------------------------------------------------

TWO_LABELS = ["yes", "no"]
DOCUMENT = json.loads(file_of(ledger_of(NOISY(0.5), NOISY(1.0), problem=Problem((1, 0.5), (6, 3)), labels=TWO_LABELS),
                              labels=TWO_LABELS))
WHOLE = dpbi.read_release(json.dumps(DOCUMENT))
UNREAD = {"nearest_posterior"}  # says nothing of the posterior that is read


def with_field(path: Sequence[Any], value: Any = None, *, remove: bool = False) -> str:
    document = copy.deepcopy(DOCUMENT)
    inner: Any = document
    for part in path[:-1]:
        inner = inner[part]
    if remove:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return json.dumps(document)


FIELDS = [(name,) for name in DOCUMENT if name not in UNREAD]
INNER = [(name, field) for name in ("noise", "mechanism") for field in DOCUMENT[name]] + [
    ("mechanism", "fields", field) for field in DOCUMENT["mechanism"]["fields"]] + [
    ("guarantee", field) for field in ("kind", "epsilon", "basis", "neighbours")] + [
    ("subject", "question"), ("subject", "version"), ("naive_posterior", "parameters"),
    ("noise_aware_posterior", "mean"), ("all_releases_together", "mean"),
    ("ledger", "format"), ("ledger", "format_version"), ("ledger", "releases"), ("ledger", "releases", 0)]


@pytest.mark.parametrize("path", [*FIELDS, *INNER], ids=lambda path: ".".join(map(str, path)))
def test_every_field_that_is_missing_or_spoiled_is_refused(path: tuple[Any, ...]) -> None:
    if path != ("all_releases_together",):  # which follows from the ledger
        assert_refused(with_field(path, remove=True))
    for value in (None, "x", 10**400, [None], {"mean": [0.2, 0.8]}):
        if (path[-1], value) != ("calibration", None):
            assert_refused(with_field(path, value))


def assert_refused(text: str) -> None:
    assert read_or_refused(lambda: dpbi.read_release(text)) is None


@pytest.mark.parametrize(("path", "value", "said"), [
    (("released", 1), 8, r"naive_posterior.parameters is not what follows"),
    (("n",), 10, r"^noise\.ceiling in the file|^guarantee"),
    (("prior", 0), 1.5, "naive_posterior.parameters is not"),
    (("noise", "scale"), 11.999999999999998, r"^noise\.scale in the file is not what this mechanism adds"),
    (("noise", "law"), "Laplace", r"^noise\.law in the file"),
    (("noise", "more"), 1, r"^noise\.more in the file"),
    (("noise",), None, r"^noise in the file"),
    (("noise_aware_posterior", "mean", 1), 0.2500001, r"noise_aware_posterior\.mean is not what follows"),
    (("all_releases_together", "mean", 1), 0.2500001, r"all_releases_together\.mean is not what follows"),
    (("noise_aware_posterior", "mean", 1), "1", r"noise_aware_posterior\.mean must be a number"),
    (("categories", 0), "another", "ledger in the file does not hold the file's release"),
    (("categories",), ["a", "b", "c"], "labels must be 2 texts"),
    (("categories",), None, "categories must be a list of names: got None"),
    (("stamp",), "NOT PRIVATE", "stamp must be ''"),
    (("subject", "question"), "Will you?", "does not hold the file's release under its subject"),
    (("subject",), None, "subject must hold question, part and version"),
    (("ledger",), None, "holds no ledger"),
    (("format_version",), 4, "format version 4; this version of dpbi reads 1 and 2 and 3"),
    (("format",), "dpbi settings", "no release of dpbi"),
])  # fmt: skip
def test_a_changed_file_is_refused_in_words(path: tuple[Any, ...], value: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        dpbi.read_release(with_field(path, value))


def test_a_stamp_cannot_be_taken_off() -> None:
    kind = next(kind for kind in MECHANISMS if isinstance(kind(1.0).guarantee((1, 1), 7), NotPrivate))
    document = made(kind(1.0), Problem((1, 1), (3, 4))).document()
    assert dpbi.read_release(json.dumps(document)).remarks == (document["stamp"],)
    with pytest.raises(ValueError, match="stamp must be 'NOT PRIVATE"):
        dpbi.read_release(json.dumps({**document, "stamp": ""}))


@pytest.mark.parametrize("path", ["noise_aware_posterior", "all_releases_together"])
def test_means_may_differ_as_machines_round(path: str) -> None:
    document = copy.deepcopy(DOCUMENT)
    for by, refused in ((1e-12, False), (1e-6, True)):
        document[path]["mean"][0] = DOCUMENT[path]["mean"][0] + by
        assert (read_or_refused(lambda: dpbi.read_release(json.dumps(document))) is None) is refused


@pytest.mark.parametrize("data", ["", "[]", "{}", "label,count\nyes,3\n", b"\xff\xfe\x00", b"PK\x03\x04", '{"a": NaN}',
                                  '{"format": "dpbi release"}', '{"format": "dpbi ledger of releases"}', "[" * 10**5])
def test_what_is_no_such_file_is_refused(data: str | bytes) -> None:
    with pytest.raises(ValueError, match=r"JSON object in UTF-8|no release of dpbi|format version") as refused:
        dpbi.read_release(data)
    assert str(refused.value).endswith(".")


@settings(max_examples=150)
@given(damaged(DOCUMENT))
def test_a_damaged_file_is_refused_in_words_or_says_the_same_all_the_same(text: str) -> None:
    """Unless what it says of all releases together was taken out, which nothing but its ledger then bears out."""
    found: PublishedRelease | None = read_or_refused(lambda: dpbi.read_release(text))
    if found is None:
        return
    assert_same_bits(found.release.noise_aware, WHOLE.release.noise_aware)
    if isinstance(found.posterior, JointPosterior) and "mean" in json.loads(text).get("all_releases_together", {}):
        assert_same_bits(found.posterior, WHOLE.posterior)


@given(some.integers(0, len(json.dumps(DOCUMENT)) - 1))
def test_a_file_that_was_cut_off_is_refused(end: int) -> None:
    assert_refused(json.dumps(DOCUMENT)[:end])
