"""Times and peak memory, taken so that two of them can be compared, and yardsticks that say how fast the machine is."""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]

Task = Callable[[int], object]  # called with the number of the repetition, so that it can bring new data each time


# The yardstick of this machine: a limit is a multiple of what it takes in the same run. Not numpy's exp: without
# AVX-512 it takes five times as long, and a law or a loss 0.8 to 1.7 times.
LOOP = "Python's loop"
_LOOP = "sum(i * i for i in range(200_000))"


@dataclass(frozen=True)
class Cost:
    """Median wall and processor seconds of a task; megabytes: peak of a fresh process, before: after its imports;
    yardstick: what was done in the same run, and unit: in how many processor seconds.

    Ratios are formed from processor seconds: on a busy machine a task of milliseconds fits between the others' turns
    while one of seconds waits for them, which would flatter the shorter of two.
    """

    wall: float
    processor: float
    megabytes: float = float("nan")
    before: float = float("nan")
    yardstick: str = LOOP
    unit: float = float("nan")

    def times(self, factor: float) -> Cost:
        return replace(self, wall=self.wall * factor, processor=self.processor * factor)

    def plus(self, other: Cost) -> Cost:
        return Cost(self.wall + other.wall, self.processor + other.processor)


def costs(tasks: Mapping[str, Task], repetitions: int) -> dict[str, Cost]:
    """Each task's cost, the tasks and the yardstick taken in turn so that a busy moment of the machine meets them all.

    Repetition 0 is not counted: it loads modules and touches memory for the first time.
    """
    loop = compile(_LOOP, LOOP, "exec")
    turn: dict[str, Task] = {**tasks, LOOP: lambda _: exec(loop)}
    wall: dict[str, list[float]] = {name: [] for name in turn}
    processor: dict[str, list[float]] = {name: [] for name in turn}
    for repetition in range(repetitions + 1):
        for name, task in turn.items():
            started = time.perf_counter(), time.process_time()
            task(repetition)
            spent = time.perf_counter() - started[0], time.process_time() - started[1]
            if repetition > 0:
                wall[name].append(spent[0])
                processor[name].append(spent[1])
    unit = statistics.median(processor[LOOP])
    return {name: Cost(statistics.median(wall[name]), statistics.median(processor[name]), unit=unit) for name in tasks}


def cost(task: Task, repetitions: int) -> Cost:
    """The cost of one task."""
    return costs({"": task}, repetitions)[""]


# The peak is read from /proc: getrusage's ru_maxrss outlives exec, so a child would report the size its parent had.
_FRESH = """
import json, re, sys, time
setup, statement, yardstick = json.loads(sys.stdin.read())
def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1]) / 1000
def seconds(text, names):
    code = compile(text, "measured", "exec")
    wall, processor = time.perf_counter(), time.process_time()
    exec(code, names)
    return time.perf_counter() - wall, time.process_time() - processor
names = {}
exec(setup, names)
before = peak()
spent = seconds(statement, names)
most = peak()
units = sorted(seconds(yardstick, {})[1] for _ in range(5))
print(json.dumps([*spent, most, before, units[2]]))
"""


def cost_in_fresh_process(setup: str, statement: str, repetitions: int) -> Cost:
    """Median cost of one statement, each time in a Python of its own in which only ``setup`` has run; the yardstick
    follows there."""
    text = json.dumps([setup, statement, _LOOP])
    measured = []
    for _ in range(repetitions):
        done = subprocess.run([sys.executable, "-c", _FRESH], input=text, cwd=ROOT, capture_output=True, text=True,
                              check=False)
        if done.returncode:
            raise RuntimeError(f"The measured process failed: {done.stderr}")
        measured.append(json.loads(done.stdout.splitlines()[-1]))
    wall, processor, most, before, unit = (statistics.median(column) for column in zip(*measured, strict=True))
    return Cost(wall, processor, most, before, unit=unit)


def circumstances() -> str:
    """Date, machine size and versions: what a number of this run is worth."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    busy = ", ".join(f"{load:.1f}" for load in os.getloadavg())
    cores = len(os.sched_getaffinity(0))
    return (f"{datetime.now():%Y-%m-%d %H:%M}, {cores} cores ({_processor()}), {memory:.0f} GB, load {busy}; "
            f"Python {platform.python_version()}, numpy {np.__version__}")


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())
