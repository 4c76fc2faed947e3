"""Times and peak memory, taken so that two of them can be compared."""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]

Task = Callable[[int], object]  # called with the number of the repetition, so that it can bring new data each time


@dataclass(frozen=True)
class Cost:
    """Median wall and processor seconds of a task; megabytes: peak of a fresh process, before: after its imports.

    Limits are set on wall seconds. Ratios are formed from processor seconds: on a busy machine a task of milliseconds
    fits between the others' turns while one of seconds waits for them, which would flatter the shorter of two.
    """

    wall: float
    processor: float
    megabytes: float = float("nan")
    before: float = float("nan")

    def times(self, factor: float) -> Cost:
        return Cost(self.wall * factor, self.processor * factor, self.megabytes, self.before)

    def plus(self, other: Cost) -> Cost:
        return Cost(self.wall + other.wall, self.processor + other.processor)


def costs(tasks: Mapping[str, Task], repetitions: int) -> dict[str, Cost]:
    """Each task's cost, the tasks taken in turn so that a busy moment of the machine meets them all.

    Repetition 0 is not counted: it loads modules and touches memory for the first time.
    """
    wall: dict[str, list[float]] = {name: [] for name in tasks}
    processor: dict[str, list[float]] = {name: [] for name in tasks}
    for repetition in range(repetitions + 1):
        for name, task in tasks.items():
            started = time.perf_counter(), time.process_time()
            task(repetition)
            spent = time.perf_counter() - started[0], time.process_time() - started[1]
            if repetition > 0:
                wall[name].append(spent[0])
                processor[name].append(spent[1])
    return {name: Cost(statistics.median(wall[name]), statistics.median(processor[name])) for name in tasks}


def cost(task: Task, repetitions: int) -> Cost:
    """The cost of one task."""
    return costs({"": task}, repetitions)[""]


# The peak is read from /proc: getrusage's ru_maxrss outlives exec, so a child would report the size its parent had.
_FRESH = """
import json, re, sys, time
setup, statement = json.loads(sys.stdin.read())
def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1]) / 1000
names = {}
exec(setup, names)
statement = compile(statement, "measured", "exec")
before, wall, processor = peak(), time.perf_counter(), time.process_time()
exec(statement, names)
print(json.dumps([time.perf_counter() - wall, time.process_time() - processor, peak(), before]))
"""


def cost_in_fresh_process(setup: str, statement: str, repetitions: int) -> Cost:
    """Median cost of one statement, each time in a Python of its own in which only ``setup`` has run."""
    measured = []
    for _ in range(repetitions):
        done = subprocess.run([sys.executable, "-c", _FRESH], input=json.dumps([setup, statement]), cwd=ROOT,
                              capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"The measured process failed: {done.stderr}")
        measured.append(json.loads(done.stdout.splitlines()[-1]))
    return Cost(*(statistics.median(column) for column in zip(*measured, strict=True)))


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
