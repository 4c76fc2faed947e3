"""A mechanism that only this process knows, as README.md tells how to write one: nothing else has to know of it."""

import importlib
import pkgutil
import subprocess
import sys
from functools import partial

import pytest

import dpbi
from dpbi import Problem, Release
from dpbi.dashboard.sidebar import menu
from tests.dashboard.exports import assert_page, made
from tests.dashboard.person import ROOT, charts, check, opened, tick, typed, visit
from tests.dashboard.test_scenario_file import record
from tests.dashboard.test_take_away import WITH_SCRIPT, assert_the_same, run, snippet
from tests.newcomer import DiscreteGaussian, join

NAME = DiscreteGaussian.__name__
BRUTE_FORCE = "tests/privacy/test_loss.py::test_loss_and_profile_are_those_of_all_pairs_and_outputs"
# All that show what is chosen: the papers' mechanisms are those of the papers.
PAGES = [page.path for page in menu.PAGES if "needs_mechanisms=False" not in (ROOT / page.path).read_text("utf-8")]


@pytest.fixture
def joined(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every module is loaded before, so that none keeps the longer tuple."""
    for found in pkgutil.walk_packages(dpbi.__path__, "dpbi."):
        importlib.import_module(found.name)
    join(partial(monkeypatch.setattr, raising=False))


def test_it_keeps_the_contract_and_its_loss_is_brute_force() -> None:
    """The very tests of every mechanism, collected with it; of its deltas the default alone."""
    asked = [sys.executable, "-m", "pytest", "-q", "-p", "tests.newcomer", "-p", "no:cacheprovider",
             "-k", f"{NAME} and not 0.02", "tests/test_mechanism_contract.py", BRUTE_FORCE]  # fmt: skip
    done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and " passed" in done.stdout, done.stdout[-3_000:]


@pytest.mark.usefixtures("joined")
def test_every_page_export_and_script_works_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    files = record(monkeypatch)
    at = typed(tick(opened(), {NAME}), "5 7")
    check(at, f"calibrated: {NAME}")
    for page in PAGES:
        files.clear()
        visit(at, page)
        assert_page(at, made(files))
        assert not at.main.error
        if page in WITH_SCRIPT:
            assert_the_same(at, files, run(snippet(at), monkeypatch))
            assert DiscreteGaussian.label in str(charts(at))


@pytest.mark.usefixtures("joined")
def test_it_releases_by_a_table_and_is_read_again() -> None:
    mechanism, problem = DiscreteGaussian(1.0), Problem((1, 1), (5, 7))
    release = dpbi.release(mechanism, problem)
    assert Release.from_json(release.to_json()) == release
    assert mechanism.can_release(12, release.released)
    with pytest.raises(ValueError, match="n is too large for an exhaustive check"):
        dpbi.release(mechanism, Problem((1, 1), (5_000, 7)))
