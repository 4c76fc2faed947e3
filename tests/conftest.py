"""How the tests run: warnings are errors (an unregistered marker is one).

The top level holds no pytest ini file, so everything is set here.

Hypothesis profiles: "fast", the default, draws the same few examples on every machine; "thorough"
draws many new ones (`--hypothesis-profile=thorough`).
"""

import gc
import os
import random
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn
from zlib import crc32

import pytest
from hypothesis import HealthCheck, settings

# Before numpy is imported, and for the servers that tests start: threads of its own for small matrices cost a run on
# two workers an eighth of all its work and make nothing quicker.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# The time of an example is that of brute force, which is slow by intention.
settings.register_profile(
    "fast",
    max_examples=15,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "thorough", parent=settings.get_profile("fast"), max_examples=500, derandomize=False
)
settings.load_profile("fast")


# What is imported, collected and kept is much and holds no circles: looked through seldom, and from the first test on
# never again.
gc.set_threshold(50_000, 20, 100)


def could_not_run(what: str, reason: str) -> NoReturn:
    """Skips where a person runs the tests; fails in CI, where what they need is part of the job."""
    sentence = f"{what} did not run: {reason}."
    if os.environ.get("CI") == "true":
        pytest.fail(sentence)
    pytest.skip(sentence)


# Folders whose tests are not of the numbers floor.
UPPER_FLOORS = ("browser", "dashboard", "figures", "benchmarks")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--baseline",
        metavar="CHOICE",
        help="the tests of numbers alone, by numpy's code for any processor (NPY_DISABLE_CPU_FEATURES must say so): "
        "'all', or a quarter of them, which one by the hash of CHOICE and of the test's name",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "browser: drives a real Chromium")
    config.addinivalue_line("filterwarnings", "error")
    if config.getoption("--baseline") and (on := features_in_use()):
        raise pytest.UsageError(f"numpy still uses {' '.join(on)}: name them in NPY_DISABLE_CPU_FEATURES.")


def features_in_use() -> list[str]:
    """What numpy's code uses of this processor beyond what it asks of any, by numpy's names."""
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    return [name for name in __cpu_dispatch__ if __cpu_features__[name]]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if choice := config.getoption("--baseline"):
        chosen = [item for item in items if is_chosen(choice, item)]
        config.hook.pytest_deselected(items=[item for item in items if item not in set(chosen)])
        items[:] = chosen
    # Those that drive a browser come first: the longest tests, with which a run must not end on one of two workers.
    items.sort(key=lambda item: "browser" not in item.keywords)


def is_chosen(choice: str, item: pytest.Item) -> bool:
    folder, *_ = item.path.relative_to(Path(__file__).parent).parts
    return folder not in UPPER_FLOORS and (choice == "all" or crc32(f"{choice} {item.nodeid}".encode()) % 4 == 0)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if not config.getoption("--baseline"):
        return
    ran = {report.nodeid for kind in ("passed", "failed") for report in terminalreporter.stats.get(kind, ())}
    files = Counter(test.split("::")[0].removeprefix("tests/") for test in ran)
    said = ", ".join(f"{file} {number}" for file, number in sorted(files.items()))
    terminalreporter.write_line(f"Without what numpy has for this processor: {len(ran):,} tests of numbers, {said}")


def pytest_collection_finish() -> None:
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _releases_drawn_alike() -> Iterator[None]:
    """A release asks the system for its bits: each test of a file gets those of one seed, in every run the same."""
    sources: dict[str, random.Random] = {}

    def randbits(count: int) -> int:
        test, _ = os.environ["PYTEST_CURRENT_TEST"].rsplit(" (", 1)
        return sources.setdefault(test, random.Random(test.split("::")[0])).getrandbits(count)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("secrets.randbits", randbits)
        yield


@pytest.fixture(scope="session", autouse=True)
def _opened_once() -> Iterator[None]:
    """Whenever a test opens the app, Streamlit searches all installed packages for components, and compiles the page
    anew in every run: once will do, as for a server."""
    from streamlit.components.v2 import manifest_scanner
    from streamlit.testing.v1 import app_test, local_script_runner

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests))
        for module in (app_test, local_script_runner):
            patch.setattr(module, "ScriptCache", cache(module.ScriptCache))
        yield


@cache
def _of_few_points(module: ModuleType, name: str) -> Callable[..., Any]:
    from dpbi.dashboard.answers.cache import kept

    return kept(1024)(getattr(module, name).__wrapped__)


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What the buttons of the last run of a page would give, by file name."""
    from tests.dashboard.test_scenario_file import record

    return record(monkeypatch)


@pytest.fixture
def few_points(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page Accuracy with the ends of its axis, n to 1,000, the person's own value and few epsilons, crossings not
    narrowed; means under the prior and the errors that Release tells from two made-up datasets where not all are
    visited, or from one.

    Each point is what it was; what rests on fewer datasets is kept for these tests alone. For tests of something else
    on every page: all points are computed where the axis is the subject, at first sight and at some extremes.
    """
    from dpbi.accuracy import axes as accuracy_axes, curves as accuracy_curves, trials
    from dpbi.dashboard.answers import average, library
    from dpbi.inference import prior_average

    monkeypatch.setattr(accuracy_axes, "decades", lambda low, high, multiples: [low, high])
    monkeypatch.setattr(accuracy_axes, "N_LARGEST", 1_000)
    monkeypatch.setattr(accuracy_curves, "SEARCHED", (1.0, 10.0))
    monkeypatch.setattr(accuracy_curves, "_LOOKED_AT", (1,))
    monkeypatch.setattr(accuracy_curves, "_narrowed", lambda lead, low, high, whole: (low, high))
    monkeypatch.setattr(trials, "_TRIALS", 2)
    monkeypatch.setattr(trials, "_DATASETS_LEAST", 1)
    for few in ("_NOISED", "_CHOSEN", "_CHOSEN_OF_MANY"):
        monkeypatch.setattr(prior_average, few, 2)
    for module, name in ((average, "expected"), (library, "release_errors")):
        monkeypatch.setattr(module, name, _of_few_points(module, name))
