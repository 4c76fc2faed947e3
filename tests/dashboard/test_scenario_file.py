"""A scenario as a document: what it holds, that it comes back as it was, and that no bytes can do harm."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import parse_qs

import pytest
from hypothesis import given, settings, strategies as some
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext
from streamlit.testing.v1 import AppTest

from dpbi import MECHANISMS, Problem, limits
from dpbi.dashboard import page
from dpbi.dashboard.shown import downloads
from dpbi.dashboard.sidebar import controls, data_source, entries, menu, prior, privacy
from dpbi.dashboard.take_away import scenario_file
from dpbi.papers.figures import FIGURES
from tests.dashboard.person import ALL, ROOT, bare, check, key, opened, ran, select, text, tick, visit
from tests.releases.damaged import damaged, read_or_refused

DEFAULTS = page._defaults()
EXAMPLE = data_source.BY_KEY[DEFAULTS["example"]]
SETTINGS_FILE = "dpbi-settings.json"
# The pages of the lab: one that brings its own data (``scenario.stage``) has no scenario to take away.
LAB = [page for page in menu.PAGES if "stage(" not in (ROOT / page.path).read_text("utf-8")]
# The page that computes hundreds of laws is opened once, with the example.
SLOW = "pages/5_Accuracy.py"
Files = dict[str, Callable[[], bytes]]


def record(monkeypatch: pytest.MonkeyPatch) -> Files:
    """What the buttons of the last run would give, by file name: AppTest cannot press a button that makes its file."""
    files: Files = {}
    reset = ScriptRunContext.reset

    def begun(self: ScriptRunContext, *told: Any, **more: Any) -> None:
        files.clear()
        reset(self, *told, **more)

    def offer(label: str, made: Callable[[], bytes], file_name: str, mime: str, **rest: Any) -> None:
        files[file_name] = partial(downloads.apart, made)

    monkeypatch.setattr(ScriptRunContext, "reset", begun)
    monkeypatch.setattr(downloads, "offer", offer)
    return files


def bring(at: AppTest, content: bytes) -> AppTest:
    """The file given to the sidebar's last uploader, which is that of the settings."""
    uploader: Any = at.sidebar.get("file_uploader")[-1]
    return ran(uploader.set_value((SETTINGS_FILE, content, "application/json")))


def notice(at: AppTest) -> str:
    """What is said of the last document taken over."""
    said = [part.value for part in [*at.toast, *at.main.warning] if "aken over" in part.value]
    return bare("\n".join(said))


def kept(at: AppTest) -> dict[str, Any]:
    """The settings; whether a computation was cancelled is none."""
    return {name: value for name, value in at.session_state["settings"].items() if not name.startswith("cancelled: ")}


def numbers_shown(at: AppTest) -> list[Any]:
    """Column by column; None, which equals itself, where a table has no number."""
    tables = [frame.value for frame in at.main.dataframe]
    return [table.astype(object).where(table.notna(), None).to_dict("list") for table in tables]


def example_document(**changed: Any) -> bytes:
    problem = Problem((1.0,) * len(EXAMPLE.counts), EXAMPLE.counts)
    found = scenario_file.document(DEFAULTS, problem, EXAMPLE.labels, EXAMPLE.title, with_counts=False)
    return json.dumps(found | changed).encode()


def everything_changed(at: AppTest) -> AppTest:
    """A session in which nothing that can be set is as it was."""
    select(at, "source", data_source.TYPED)
    at.text_area(key="entry: typed").set_value("left, 3\nright, 2\nneither, 1").run()
    select(at, "prior", prior.CUSTOM)
    text(at, "alpha of right", "2.5")
    for name, value in (("epsilon", "0.37"), ("gamma", "2"), ("seed", "11")):
        text(at, name, value)
    tick(at, ALL)
    check(at, f"calibrated: {MECHANISMS[-2].__name__}")
    for option, (setting, allowed) in privacy.options().items():
        box = at.checkbox if isinstance(allowed[0], bool) else at.selectbox
        assert option.partition(".")[0] in setting
        box(key=f"entry: {setting}").set_value(allowed[-1])
    return at.run()


# --- there and back ---


def test_every_setting_has_its_key() -> None:
    """A setting that no key carries would be lost on the way: those left out here depend on others, or are data."""
    derived = {privacy.SLIDER, privacy.PICKED, "prior in one box", "prior in one box: labels",
               controls.SCORES_OWN_PRIOR}
    carried: set[str] = set()
    document = json.loads(example_document())
    document |= {"k": 3, "n": 30, "labels": ["a", "b"], "counts": [1, 2], "title": "t", "source": "counts-typed-in",
                 "groups": "group, yes, no\nA, 1, 2\nB, 3, 4"}
    for source in ("counts-typed-in", "a-file-of-yours"):
        restored = scenario_file.restored(document | {"source": source})
        assert not restored.notices
        carried |= restored.settings.keys()
    assert DEFAULTS.keys() - derived == carried
    assert "uploaded" in DEFAULTS


def test_names_of_options_are_distinct() -> None:
    for options in (data_source.CHOICES, data_source.SHAPES, prior.CHOICES, controls.VIEWS,
                    controls.attaining_choices()):
        assert len({scenario_file.name_of_option(option) for option in options}) == len(options)


@pytest.mark.parametrize("with_counts", [True, False])
def test_a_scenario_comes_back_in_another_session(files: Files, with_counts: bool) -> None:
    at = everything_changed(opened())
    assert not at.error
    if with_counts:
        at.checkbox(key="take away: counts").check().run()
    content = files[SETTINGS_FILE]()
    document = json.loads(content)
    assert ("counts" in document, "left" in content.decode()) == (with_counts, with_counts)
    assert document["alpha"] == [1.0, 2.5, 1.0]

    other = bring(opened(), content)
    assert not other.error
    if with_counts:
        own = {"labels", "counts", "title"}  # of the next file only if they are ticked again
        again = json.loads(files[SETTINGS_FILE]())
        assert again == {key: value for key, value in document.items() if key not in own}
        assert numbers_shown(other) == numbers_shown(at)
        rewritten = {"typed", "made-up n"}  # the same counts in one spelling; n goes along with any counts
        assert {name: kept(other)[name] for name in kept(at) if name not in rewritten} == {
            name: value for name, value in kept(at).items() if name not in rewritten
        }
        assert notice(other) == "The settings of the file are taken over."
    else:
        said = "The counts were left out of it; balanced counts with k = 3 and n = 6 stand in for them."
        assert said in notice(other)
        assert any("2 Category 1, 2 Category 2, 2 Category 3; n = 6" in line.value for line in other.main.markdown)
        assert [kept(other)[f"alpha of Category {i}"] for i in (1, 2, 3)] == ["1", "2.5", "1"]


def test_controls_of_the_pages_come_back() -> None:
    changed = {
        "posteriors": 100, "reading": "noise-aware", "view": "within-a-distance", "log_scale": False,
        "t": 0.02, "measure": "reciprocal", "seed": 7, "calibrate": True, "figure": "p17-6",
    }  # fmt: skip
    at = bring(opened(), example_document(**changed))
    assert notice(at) == "The settings of the file are taken over."
    visit(at, "pages/2_Distance_curves.py")
    assert at.segmented_control(key="entry: view").value == controls.CUMULATIVE
    assert at.text_input(key="entry: within").value == "0.02"
    visit(at, "pages/1_Private_posteriors.py")
    assert at.select_slider(key="entry: size").value == 100
    assert at.segmented_control(key="entry: reading").value == controls.AWARE
    visit(at, "pages/4_Privacy_loss.py")
    assert len(at.main.dataframe) == 2, "the table of calibrations is there without a press"
    assert not notice(at), "said in passing, where nothing was refused"


def test_a_persons_counts_stay_when_settings_without_counts_arrive() -> None:
    at = select(opened(), "source", data_source.TYPED)
    at.text_area(key="entry: typed").set_value("left, 7\nright, 5").run()
    bring(at, example_document(epsilon=2))
    assert any("48 cured, 42 not cured" in line.value for line in at.main.markdown)
    select(at, "source", data_source.TYPED)
    assert any("7 left, 5 right" in line.value for line in at.main.markdown)


@given(
    some.lists(some.tuples(some.text(min_size=1, max_size=20), some.integers(0, 10**9)), min_size=2, max_size=9,
               unique_by=lambda pair: pair[0]),
    some.sampled_from(data_source.OWN),
    some.floats(limits.EPSILON_LEAST, limits.EPSILON_LARGEST),
)
def test_any_labels_and_counts_come_back_and_a_number_to_its_last_digit(
    pairs: list[tuple[str, int]], source: str, epsilon: float
) -> None:
    labels, counts = zip(*pairs, strict=True)
    given = {**DEFAULTS, "source": source, "epsilon": repr(epsilon)}
    problem = Problem((1.0,) * len(counts), counts)
    document = scenario_file.document(given, problem, labels, "mine", with_counts=True)
    query = parse_qs(scenario_file.to_query(document), keep_blank_values=True)
    for found in (scenario_file.from_json(scenario_file.to_json(document)), scenario_file.from_query(query)):
        changes, notices = scenario_file.restored(found)
        assert not notices and float(changes["epsilon"]) == epsilon
        if changes["source"] == data_source.TYPED:
            assert entries.counts(changes["typed"]) == (labels, counts)
        else:
            assert (tuple(changes["uploaded"]["labels"]), tuple(changes["uploaded"]["counts"])) == (labels, counts)


# --- what is refused ---


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"epsilon": -1}, "epsilon must be greater than 0: got -1"),
        ({"epsilon": "2"}, "epsilon must be a number"),
        ({"epsilon": True}, "epsilon must be a number"),
        ({"epsilon": 10**400}, "epsilon is too large"),
        ({"gamma": -2}, "gamma must be at least 0"),
        ({"gamma": None}, "gamma must be a number"),
        ({"seed": 1.5}, "seed must be a whole number"),
        ({"posteriors": 31}, "posteriors must be one of"),
        ({"view": "sideways"}, "view must be one of"),
        ({"view": ["each-distance"]}, "view must be one of"),
        ({"view": {}}, "view must be one of"),
        ({"log_scale": 1}, "log_scale must be True or False"),
        ({"t": 1.5}, "t is too large"),
        ({"mechanisms": "all"}, "mechanisms must be a list"),
        ({"mechanisms": ["nobody"]}, "mechanisms must be one of"),
        ({"mechanisms": [[]]}, "mechanisms must be one of"),
        ({"example": "../../etc"}, "example must be one of"),
        ({"unknown<b>": 1}, "'unknown<b>' is no setting here"),
        ({"format": "dpbi settings 9"}, "format must be one of"),
        ({"source": "made-up-counts", "k": 1, "n": 10}, "k must be at least 2"),
        ({"proportions": [0, 0]}, "proportions must not all be 0"),
        ({"source": "a-file-of-yours", "labels": ["a", "a"], "counts": [1, 2]}, "2 categories are called 'a'"),
        ({"source": "a-file-of-yours", "labels": ["a", "b"], "counts": [1, 2, 3]}, "labels and counts must be as many"),
        ({"source": "a-file-of-yours", "labels": ["a", "b"], "counts": [1, -2]}, "must be at least 0"),
        ({"source": "a-file-of-yours", "labels": ["a", "\ud800"], "counts": [1, 2]}, "can be written in UTF-8"),
        ({"prior": "custom", "alpha": [1, 2, 3]}, "one number per category: got 3 for 2 categories"),
        ({"prior": "custom", "alpha": [1, 0]}, "must be greater than 0"),
    ],
)
def test_a_value_that_does_not_fit_is_named_and_the_rest_is_taken(changed: dict[str, Any], said: str) -> None:
    restored = scenario_file.restored(json.loads(example_document(seed=5)) | changed)
    assert [sentence for sentence in restored.notices if said in sentence], restored.notices
    if "seed" not in changed:
        assert restored.settings["seed"] == "5"


@pytest.mark.parametrize(
    "content",
    [b"", b"\x00\xff", b"[]", b"3", b"{}", b'{"a": 1}', b"[" * 100_000, b'{"epsilon": NaN', b"1" * 5000,
     b" " * (limits.SCENARIO_BYTES_LARGEST + 1)],
)  # fmt: skip
def test_what_is_no_scenario_changes_nothing(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"no settings|must be a JSON object|at most 4,194,304 bytes"):
        scenario_file.from_json(content)


def test_a_file_that_is_no_scenario_is_told() -> None:
    at = bring(text(opened(), "epsilon", "4"), b"category,count\na,3\n")
    assert "Nothing was taken over" in notice(at)
    at.run()
    assert notice(at), "a refusal stays until it is put away"
    at.button(key="notice: put away").click().run()
    assert not notice(at)
    assert at.text_input(key=key(at, "epsilon")).value == "4"


ANY_JSON = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | some.text(max_size=9),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(some.dictionaries(some.sampled_from([*scenario_file.table(), "x"]), ANY_JSON, min_size=1, max_size=12))
def test_any_values_are_taken_or_named(found: dict[str, Any]) -> None:
    restored = scenario_file.restored(found)
    assert all(isinstance(sentence, str) and sentence for sentence in restored.notices)
    unknown = restored.settings.keys() - DEFAULTS.keys()
    assert all(name.startswith("alpha of ") for name in unknown)


WHOLE: dict[str, Any] = json.loads(example_document(
    source="counts-typed-in", k=2, n=12, labels=["a", "b"], counts=[5, 7], title="t", prior="custom", alpha=[1.0, 2.0]
))  # fmt: skip


@settings(max_examples=300)
@given(damaged(WHOLE))
def test_a_damaged_file_is_refused_in_words_or_can_be_used(text: str) -> None:
    found = read_or_refused(lambda: scenario_file.from_json(text.encode()))
    if found is not None:
        restored = scenario_file.restored(found)
        json.dumps(restored.settings, ensure_ascii=False).encode()
        assert not [sentence for sentence in restored.notices if "int too large" in sentence or "object" in sentence]


def test_what_older_files_and_links_call_a_figure_is_still_read() -> None:
    assert scenario_file.restored({"paper_figure": "n-8-b"}) == scenario_file.restored({"figure": "n-8-b"})
    assert scenario_file.restored({"figure": "n-8-b"}).settings["paper figure"] == FIGURES[-1].key
