"""The printed table: one line per measurement, a ratio where something was measured beside it, a verdict on a limit."""

from collections.abc import Iterator
from dataclasses import dataclass

from .measurement import Cost

_WIDTHS = (72, 24, 44, 10)


@dataclass(frozen=True)
class Row:
    """what: the measurement; ours, theirs: in words and units; ratio: how many times better than a peer ours is, or how
    many times a yardstick; target: the limit of the ratio, >= beside a peer, <= beside a yardstick; met: whether it was
    kept, None where no limit was set."""

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


HEAD = (
    "Ratios: how many times faster than a peer, with limits >=; or how many times the yardstick beside it, which is\n"
    "measured in the same run, with limits <=.\n"
) + " ".join(f"{cell:<{width}}" for cell, width in
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


def within(what: str, ours: Cost, most: float | None = None) -> Row:
    """Seconds; most: of processor seconds, how many times the yardstick's they may be."""
    said = f"{duration(ours.wall)} (cpu {duration(ours.processor)})"
    if most is None:
        return Row(what, said)
    return at_most(what, said, f"{ours.yardstick} {duration(ours.unit)}", ours.processor / ours.unit, most)


def at_most(what: str, ours: str, yardstick: str, ratio: float, most: float) -> Row:
    """A quantity that may be ``most`` times its yardstick."""
    return Row(what, ours, yardstick, ratio, f"<= {most:g} x", ratio <= most)


def peak(ours: Cost, most: float) -> Row:
    """The peak of memory beside what a process held before: what it had imported, and the file that it reads."""
    return at_most("    its peak of memory", f"{ours.megabytes:.0f} MB", f"before {ours.before:.0f} MB",
                   ours.megabytes / ours.before, most)


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
