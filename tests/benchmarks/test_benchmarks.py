"""The benchmarks run, at sizes where nothing is slow, and compare like with like. No time is judged here."""

import json
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, nullcontext
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest

from dpbi.mechanisms import EHD, Geometric
from tests import oracles
from tests.benchmarks import (
    draws,
    elements,
    enumeration,
    gibbs,
    noisy,
    peers,
    processes,
    reading,
    sensitivities,
    serving,
)
from tests.benchmarks.__main__ import main
from tests.benchmarks.measurement import LOOP, Cost, circumstances, cost_in_fresh_process, costs
from tests.benchmarks.sections import SECTIONS, obstacle
from tests.benchmarks.table import Row, duration, peak, quicker, rounded, speed, within
from tests.benchmarks.visitors import running_server, running_twin
from tests.dashboard.served import Session

if TYPE_CHECKING:
    from tests.browser.chromium import App

TINY: dict[str, Callable[[], Iterator[Row]]] = {
    "importing": lambda: processes.importing(repetitions=1),
    "listed": lambda: draws.listed(n=30, draws=20, peer_draws=2, repetitions=1),
    "sensitivities": lambda: sensitivities.enumerated(n=6, repetitions=1),
    "laws": lambda: processes.laws(sizes=((3, 12),), repetitions=1),
    "unlisted": lambda: draws.unlisted(60, 4, 20, draws.CASES[::5], listed_n=30, peer_draws=2, repetitions=1),
    "epsilon": lambda: processes.next_epsilon(n=12, steps=3),
    "mechanisms": lambda: draws.every_mechanism(n=20, draws=20, repetitions=1),
    "loss": lambda: processes.losses(mechanisms=(Geometric,), every=(2, 12), others=((3, 4),), repetitions=1),
    "limit": lambda: processes.limits(sizes=((3, 3),), repetitions=1),
    "noisy_counts": lambda: noisy.noisy_counts(((3, 200, 5.0),), sweeps=40, chains=2, wide=(20, 900, 5.0),
                                               repetitions=1),
    "files": lambda: reading.files(megabytes=0.02, cells=400, repetitions=1),
    "hostile_files": lambda: reading.hostile(size=10_000, every=16),
    # seen in tests/browser
    "first_sight": lambda: serving.first_sight(lambda script, parts: dict.fromkeys(parts, 1.5), repetitions=1),
    "jumps": lambda: serving.jumps(("",), lambda: nullcontext(lambda url: 0.05)),
    "reruns": lambda: serving.reruns(pages=("",), repetitions=2, scenarios=("as it opens",)),
    "lecture": lambda: serving.lecture(people=3, repetitions=1),
    "room": lambda: serving.room(people=3, each=2, think=5),
    "memory": lambda: serving.memory(first=4, last=8),
}
Start = Callable[..., "App"]
# The peers warn of what their own dependencies deprecate.
peers_may_warn = pytest.mark.filterwarnings("default")


@pytest.fixture(scope="module", autouse=True)
def started() -> Iterator[tuple[Start, Start]]:
    """For all sections that ask for a running one: its start is measured by none of them."""
    with ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        start: Start = cache(lambda script: stack.enter_context(running_server(script)))
        patch.setattr(serving, "running_server", lambda script="app.py": nullcontext(start(script)))
        twin: Start = cache(lambda *asked: stack.enter_context(running_twin(*asked)))
        patch.setattr(serving, "running_twin", lambda *asked: nullcontext(twin(*asked)))
        yield start, twin


def test_every_section_is_run_here() -> None:
    assert list(TINY) == list(SECTIONS)


@peers_may_warn
@pytest.mark.parametrize("section", TINY)
def test_section_runs_at_a_tiny_size(section: str) -> None:
    rows = list(TINY[section]())
    assert rows
    for row in rows:
        assert row.line.startswith(row.what)
        assert row.ratio is None or 0 < row.ratio < math.inf
        assert (row.met is None) == (row.target == "")


def test_the_twin_has_the_elements_of_home(started: tuple[Start, Start]) -> None:
    """Of each kind as many, and as many bytes of figures: no mark of a fault, and nothing that Home has not."""
    server, twin = started
    held = []
    for app in (home := server("app.py"), twin(home, "", "")):
        with Session(app.url, "", "") as session:
            held.append(elements.steps(session.drawn))
    ours, bare = (Counter("block" if kind in elements.BLOCKS else kind for _, kind, _ in listed) for listed in held)
    assert ours["plotly_chart"] > 1 and ours == bare
    drawn = [sum(len(json.dumps(json.loads(said["spec"])["data"])) for _, kind, said in listed if "spec" in said)
             for listed in held]  # fmt: skip
    assert drawn[1] == pytest.approx(drawn[0], rel=0.1)


def test_visitors_arrive_by_links_that_say_what_is_written_beside_them() -> None:
    from urllib.parse import parse_qs

    from dpbi.dashboard.take_away.scenario_file import from_query, restored
    from dpbi.data.synthesis import balanced_counts

    taken = restored(from_query(parse_qs(serving.SCENARIOS["(20, 20, 20)"])))
    assert taken.notices == []
    k, n = (int(taken.settings[f"made-up {size}"]) for size in "kn")
    assert (taken.settings["made-up shape"], balanced_counts(k, n)) == ("Balanced", (20, 20, 20))


# --- the others compute what dpbi computes ---


def selector_frequency(selector: peers.Selector) -> float:
    """How often the nearest of three candidates is drawn in 4,000 draws."""
    draw = selector(2.0, np.array([0.0, 0.5, 1.0]))
    return sum(draw() == 0 for _ in range(4_000)) / 4_000


EXPECTED = 1 / (1 + math.exp(-1) + math.exp(-2))  # rate 2 at distances 0, 1/2 and 1
SPREAD = math.sqrt(EXPECTED * (1 - EXPECTED) / 4_000)


@peers_may_warn
@pytest.mark.parametrize("name", peers.SELECTORS)
def test_peer_draws_from_the_exponential_mechanism(name: str) -> None:
    """The peers have no seed that both take: 6 standard deviations are a false alarm in 5e8 runs. Under max divergence
    OpenDP draws from another law, permute-and-flip, and the test tells the two apart."""
    if not peers.installed(name):
        pytest.skip(f"{name} is not installed")
    assert abs(selector_frequency(peers.SELECTORS[name]) - EXPECTED) < 6 * SPREAD
    if name == "opendp":
        wrong = selector_frequency(lambda rate, distance: peers.opendp(rate, distance, "max_divergence"))
        assert wrong - EXPECTED > 6 * SPREAD


def test_enumeration_is_brute_force() -> None:
    prior, counts, n = (0.5, 2.0, 1.0), (0, 3, 2), 5
    alpha, c, datasets = np.array(prior), np.array(counts), enumeration.compositions(n, 3)
    assert sorted(map(tuple, datasets.tolist())) == list(oracles.compositions(n, 3))
    pairs = [
        (enumeration.local_sensitivity(alpha, c, datasets), oracles.local_sensitivity_by_definition(prior, counts)),
        (enumeration.global_sensitivity(alpha, datasets), oracles.global_sensitivity(prior, n)),
        (enumeration.smooth_sensitivity(alpha, c, datasets, 0.1), oracles.smooth_reciprocal(prior, counts, 0.1)),
    ]
    for value, exact in pairs:
        assert value == pytest.approx(float(exact), rel=1e-9)


def test_the_gibbs_sampler_draws_from_what_dpbi_computes() -> None:
    """Noise of sd 3 on 60 records, from a seed: means of 4,000 sweeps lie within 5 standard errors, as batches of 200
    tell them, and 95 % of the draws in the intervals."""
    table = (3, 60, 3.0)
    drawn = gibbs.shares(noisy.published(table, 1), 3.0, np.ones(3), 4_000, 2)
    batches = drawn.reshape(20, 200, 3).mean(axis=1)
    error = batches.std(axis=0, ddof=1) / math.sqrt(20)
    assert np.all(np.abs(drawn.mean(axis=0) - noisy.posterior(table, 1).mean) < 5 * error)
    inside = [np.mean((low < of) & (of < high)) for of, (low, high) in
              zip(drawn.T, noisy.intervals(table, 1), strict=True)]  # fmt: skip
    assert inside == pytest.approx([0.95] * 3, abs=0.02)


def test_times_of_different_numbers_are_refused() -> None:
    sensitivities.agree("a", 1.0, 1.0 + 1e-12)
    with pytest.raises(RuntimeError, match=r"a: dpbi computes 1\.0, the other way 1\.1"):
        sensitivities.agree("a", 1.0, 1.1)


@pytest.mark.parametrize(("n", "k", "moved"), [(10, 2, 0), (10, 2, 3), (1_000, 10, 7), (3, 5, 100)])
def test_spread_counts_are_counts_of_n_records(n: int, k: int, moved: int) -> None:
    counts = draws.spread_counts(n, k, moved)
    assert len(counts) == k
    assert sum(counts) == n
    assert min(counts) >= 0
    assert len({draws.spread_counts(1_000, 10, moved) for moved in range(20)}) == 20


# --- measuring and printing ---


def test_repetitions_bring_new_numbers_and_the_first_is_not_counted() -> None:
    seen: list[int] = []
    taken = costs({"a": seen.append}, repetitions=3)
    assert seen == [0, 1, 2, 3]
    assert 0 <= taken["a"].wall < math.inf


def test_the_yardstick_is_measured_here_and_in_a_fresh_process() -> None:
    """Beside itself it is 1, but for what else the machine does."""
    here = costs({"a": lambda _: sum(i * i for i in range(200_000))}, 5)
    fresh = cost_in_fresh_process("", "sum(i * i for i in range(200_000))", 1)
    for taken in (here["a"], fresh):
        assert taken.yardstick == LOOP
        assert 0.1 < taken.processor / taken.unit < 10
    assert list(here) == ["a"]


def test_what_is_missing_is_said_before_anything_is_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(peers, "installed", lambda name: False)
    main(["memory"])
    said = capsys.readouterr().out
    before, _, table = said.partition("Ratios:")
    for missing in (*peers.SELECTORS, "playwright (left out: memory)"):
        assert missing in before
    assert len(table.splitlines()) == 4
    assert {obstacle(section) for section in SECTIONS} == {"", "playwright"}


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
def test_a_fresh_process_reports_its_own_peak() -> None:
    """Not the peak of this process, which now exceeds it, and not what it held before the statement."""
    here = np.ones(20_000_000)
    taken = cost_in_fresh_process("pass", "held = bytearray(b'x') * 50_000_000", repetitions=1)
    assert taken.before < 40
    assert 50 < taken.megabytes < 100 < here.nbytes / 1e6


def test_a_failing_statement_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="division"):
        cost_in_fresh_process("", "1 / 0", repetitions=1)


def test_ratios_and_verdicts() -> None:
    ours, slow, fast = Cost(1.0, 1.0, yardstick="loop", unit=0.1), Cost(0.5, 0.5), Cost(0.25, 0.25)
    rows = list(speed("x", ours, 10, {"slow": slow, "fast": fast}, least=2))
    assert [row.ratio for row in rows] == [5.0, 2.5]
    assert [row.met for row in rows] == [None, True]
    assert next(speed("x", ours, 10, {"fast": fast}, least=20)).met is False
    assert quicker("x", ours, "other", Cost(3.0, 3.0)).ratio == 3.0
    assert within("x", ours, 9).met is False
    assert within("x", ours, 10).met is True
    assert "loop 100 ms" in within("x", ours, 9).line and within("x", ours, 9).line.endswith("10 x       <= 9 x MISSED")
    assert within("x", ours).met is None
    assert [peak(Cost(1.0, 1.0, megabytes=301, before=60), most).met for most in (5, 6)] == [False, True]


def test_numbers_read_well() -> None:
    assert [duration(s) for s in (2.0, 0.0321, 4.5e-6, 2e-8)] == ["2 s", "32.1 ms", "4.5 µs", "20 ns"]
    assert [rounded(x) for x in (1234567.0, 123.4, 1.234, 0.01234)] == ["1,230,000", "123", "1.23", "0.0123"]


def test_circumstances_name_the_machine_and_the_day() -> None:
    assert "cores" in circumstances()
    assert EHD(1.0).label in str(draws.CASES[0])
