"""The printed table: one line per measurement, a ratio where a peer did the same, a verdict where a limit was set."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from .measurement import Cost

_WIDTHS = (72, 24, 44, 10)


@dataclass(frozen=True)
class Row:
    """what: the measurement; ours, theirs: in words and units; ratio: how many times better ours is; target: the limit
    with its sign; met: whether it was kept, None where no limit was set."""

    what: str
    ours: str
    theirs: str = ""
    ratio: float | None = None
    target: str = ""
    met: bool | None = None

    @property
    def line(self) -> str:
        ratio = "" if self.ratio is None else f"{rounded(self.ratio)} x"
        verdict = "" if self.met is None else ("met" if self.met else "MISSED")
        cells = (self.what, self.ours, self.theirs, ratio)
        padded = " ".join(f"{cell:<{width}}" for cell, width in zip(cells, _WIDTHS, strict=True))
        return f"{padded} {self.target} {verdict}".rstrip()


HEAD = " ".join(f"{cell:<{width}}" for cell, width in
                zip(("", "dpbi", "beside", "ratio"), _WIDTHS, strict=True)) + " limit"


def speed(what: str, ours: Cost, units: int, peers: dict[str, Cost], least: float | None = None) -> Iterator[Row]:
    """Draws per processor second beside each peer's: ours cost ``units`` draws, a peer's cost is that of one.

    least: how many times faster than the fastest peer it should be.
    """
    fastest = min(peers, key=lambda name: peers[name].processor, default=None)
    per_second = f"{rounded(units / ours.processor)} draws/s"
    if fastest is None:
        yield Row(what, per_second)
    for name, theirs in peers.items():
        ratio = theirs.processor * units / ours.processor
        limited = least is not None and name == fastest
        yield Row(what, per_second, f"{name} {rounded(1 / theirs.processor)} draws/s", ratio,
                  f">= {least:g} x" if limited else "", ratio >= least if limited and least is not None else None)


def quicker(what: str, ours: Cost, name: str, theirs: Cost) -> Row:
    """Processor seconds beside another way to the same number."""
    return Row(what, duration(ours.processor), f"{name} {duration(theirs.processor)}",
               theirs.processor / ours.processor)


def within(what: str, ours: Cost, seconds: float | None = None, megabytes: float | None = None) -> Row:
    """Seconds (and megabytes at the peak, where they were measured) against limits."""
    said = f"{duration(ours.wall)} (cpu {duration(ours.processor)})"
    theirs = "" if math.isnan(ours.megabytes) else f"peak {ours.megabytes:.0f} MB, {ours.before:.0f} MB on import"
    limits = ([] if seconds is None else [duration(seconds)]) + ([] if megabytes is None else [f"{megabytes:g} MB"])
    kept = (seconds is None or ours.wall <= seconds) and (megabytes is None or ours.megabytes <= megabytes)
    return Row(what, said, theirs, None, f"<= {', '.join(limits)}" if limits else "", kept if limits else None)


def duration(seconds: float) -> str:
    """With the unit that reads best."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{rounded(seconds / size)} {unit}"
    return f"{rounded(seconds / 1e-9)} ns"


def rounded(number: float) -> str:
    """Three digits, thousands set apart, no exponent for what can be read without."""
    if number >= 100:
        return f"{float(f'{number:.3g}'):,.0f}"
    return f"{number:.3g}"
