"""A search for settings that contradict what is found of a claim: over the whole range, then uphill from the nearest.

It knows no claim by name: a claim is its grid, its cases and its finding. ``python -m tests.papers.search [name …]``
searches every claim that holds, or those named, prints what contradicts one, and writes what was looked at: four
minutes in all. To be run anew where a claim is added, or what it computes is changed.
"""

import math
import sys
import textwrap
import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dpbi.data.synthesis import balanced_counts
from dpbi.papers.claims import CLAIMS, Case, Claim, Finding, Setting, searched
from dpbi.papers.claims.searched import SEARCHED
from dpbi.problem.problem import Problem

PRIOR, LARGEST_N, LARGEST_K = (0.01, 2000.0), 10**6, 5
EPSILON, GAMMA, DELTA = (0.05, 12.0), (0.01, 10.0), (1e-10, 0.999)
SEED, EXPLORED, CLIMBS, STEPS = 2026, 400, 4, 100
LARGEST_CLIMB = 10_000  # records: what is near is looked at often
_GROWING = 400  # settings until data of any size are drawn
PATH = Path(searched.__file__)
FIRST = 12  # settings of a search that the suite looks at again


@dataclass
class Search:
    """What was looked at: the settings of which the claim speaks, and the cases there that contradict its finding."""

    claim: Claim
    settings: list[Setting] = field(default_factory=list)
    threats: list[float] = field(default_factory=list)
    contradictions: list[tuple[Setting, Case]] = field(default_factory=list)

    def look(self, setting: Setting) -> float:
        """The least margin by which the finding is kept there, inf where nothing is decided."""
        try:
            cases = self.claim.check(setting).cases
        except ValueError:
            return math.inf
        kept = [(margin_of(one, self.claim.finding), one) for one in cases if one.decided]
        least = min((margin for margin, _ in kept), default=math.inf)
        if least < math.inf:
            self.settings.append(setting)
            self.threats.append(least)
            self.contradictions += [(setting, one) for margin, one in kept if margin < 0]
        return least


def margin_of(one: Case, finding: Finding) -> float:
    """By how much a decided case keeps the finding: a case outside the condition only contradicts an "only if"."""
    if one.within or finding.kind == "holds":
        return one.margin
    return -one.margin if finding.only else math.inf


def sought(claim: Claim) -> bool:
    """Whether a counter-example would matter: what fails has one, what happens somewhere needs none."""
    return claim.everywhere and claim.finding.kind != "fails"


def search(claim: Claim, explored: int = EXPLORED, climbs: int = CLIMBS, seed: int = SEED) -> Search:
    """Random settings, from small data to large, then uphill from the ``climbs`` nearest to a contradiction."""
    found = Search(claim)
    rng = np.random.default_rng([seed, zlib.crc32(claim.name.encode())])
    for setting in explore(claim, explored, rng):
        found.look(setting)
    for at in np.argsort(found.threats, kind="stable")[:climbs].tolist():
        climb(found, found.settings[at], found.threats[at], rng)
    return found


def explore(claim: Claim, explored: int, rng: np.random.Generator) -> Iterator[Setting]:
    """In turn anywhere, and on the claim's grid with some things drawn anew."""
    grid = list(claim.places)
    for i in range(explored):
        setting = anywhere(rng, LARGEST_N ** min(0.3 + 0.7 * i / _GROWING, 1.0))
        yield setting if i % 2 else mixed(grid[int(rng.integers(len(grid)))], setting, rng)


def climb(found: Search, setting: Setting, least: float, rng: np.random.Generator) -> None:
    """Some things changed at a time, farther after a fall of the margin, less far after none."""
    size = 1.0
    for _ in range(STEPS):
        other = nearby(setting, size, rng)
        margin = found.look(other)
        if margin < least:
            setting, least, size = other, margin, min(1.5 * size, 2.0)
        else:
            size = max(0.93 * size, 0.02)


def anywhere(rng: np.random.Generator, largest: float) -> Setting:
    """Parameters, numbers of records and rare counts uniform in their logarithms; delta near 0 as near 1; many
    priors flat or symmetric, and many data with them."""
    k = int(rng.choice([2, 2, 2, *range(3, LARGEST_K + 1)]))
    n = round(log_uniform(rng, 1, largest))
    prior = tuple(log_uniform(rng, *PRIOR) for _ in range(k))
    delta = log_uniform(rng, DELTA[0], 0.5) if rng.random() < 0.5 else 1 - log_uniform(rng, 1 - DELTA[1], 0.5)
    numbers = log_uniform(rng, *EPSILON), log_uniform(rng, *GAMMA), delta
    shape = rng.random()
    if shape < 0.5:
        prior = prior[:1] * k if shape > 0.15 else (1.0,) * k
    problem = Problem(prior, (max(n // k, 1),) * k if 0.1 < shape < 0.3 else counts_of(n, k, rng))
    return Setting(problem, *numbers)


def counts_of(n: int, k: int, rng: np.random.Generator) -> tuple[int, ...]:
    """Balanced, of any shares, or rare in all categories but one."""
    shape = rng.random()
    if shape < 0.2:
        return balanced_counts(k, n)
    if shape < 0.4:
        return tuple(rng.multinomial(n, rng.dirichlet((1.0,) * k)).tolist())
    rare = [int(log_uniform(rng, 1, n / k + 1)) - 1 for _ in range(k - 1)]
    return tuple(rng.permutation([*rare, n - sum(rare)]).tolist())


def mixed(setting: Setting, other: Setting, rng: np.random.Generator) -> Setting:
    """Some things of one setting, the rest of the other."""
    prior, counts = setting.problem.prior, setting.problem.counts
    if setting.problem.k == other.problem.k:
        prior = prior if rng.random() < 0.5 else other.problem.prior
        counts = counts if rng.random() < 0.5 else other.problem.counts
    numbers = {name: getattr(setting if rng.random() < 0.5 else other, name) for name in ("epsilon", "gamma", "delta")}
    return Setting(Problem(prior, counts), **numbers)


def nearby(setting: Setting, size: float, rng: np.random.Generator) -> Setting:
    """About every other thing changed by a factor, counts by a record too, delta by its odds; or all alike."""
    problem, alike = setting.problem, rng.random() < 0.5  # alike: what is symmetric stays so

    def moved(values: Sequence[float], alike: bool = False) -> NDArray[np.float64]:
        size_of = 1 if alike else len(values)
        chosen = rng.random(size_of) < 0.5
        return np.asarray(values) * np.exp(size * rng.standard_normal(size_of) * chosen)

    prior = np.clip(moved(problem.prior, alike), *PRIOR)
    counts = moved(problem.counts, alike) + rng.choice([-1, 0, 1], 1 if alike else problem.k)
    counts = np.rint(counts).clip(0).astype(int)
    if not 1 <= counts.sum() <= max(problem.n, LARGEST_CLIMB):
        counts = np.array(problem.counts)
    epsilon, gamma, odds = moved((setting.epsilon, setting.gamma, setting.delta / (1 - setting.delta)))
    numbers = (np.clip(value, *between) for value, between in
               ((epsilon, EPSILON), (gamma, GAMMA), (odds / (1 + odds), DELTA)))
    return Setting(Problem(tuple(prior.tolist()), tuple(counts.tolist())), *map(float, numbers))


def log_uniform(rng: np.random.Generator, low: float, high: float) -> float:
    return math.exp(rng.uniform(math.log(low), math.log(high)))


# --- what is written of it: how many settings, and between which ends each thing lay that the cases name ---

_NAMED = ("prior", "k", "n", "epsilon", "gamma", "beta", "delta", "probability", "factor")
_HEADER = '''"""What the search for counter-examples looked at, written by ``python -m tests.papers.search``.

By claim: the number of settings that decide it, the ends between which each of its inputs lay, and how many of the
first {first} settings those are, by which a test sees that this is still so.
"""

SEARCHED: dict[str, tuple[int, dict[str, tuple[float, float]], int]] = {{
'''


def ends(found: Search) -> dict[str, tuple[float, float]]:
    """The least and the largest of each number that the claim's cases name, and of n and k where they name counts."""
    seen: dict[str, list] = {name: [] for name in _NAMED}
    for setting in found.settings:
        inputs = dict(found.claim.check(setting).cases[0].inputs)
        if inputs.keys() & {"prior", "counts"}:
            inputs["k"] = setting.problem.k  # where prior or counts are named, a claim's own k is of steps
        if "counts" in inputs:
            inputs["n"] = setting.problem.n
        for name in seen.keys() & inputs.keys():
            value = inputs[name]
            seen[name] += value if isinstance(value, tuple) else (value,)
    return {name: (rounded(min(values)), rounded(max(values))) for name, values in seen.items() if values}


def rounded(value: float) -> float:
    return value if isinstance(value, int) else float(f"{value:.3g}")


def first(claim: Claim) -> Search:
    """The beginning of the search, of small data."""
    return search(claim, FIRST, climbs=0)


def main(names: list[str]) -> None:
    rows = dict(SEARCHED)
    for claim in filter(sought, CLAIMS):
        if names and claim.name not in names:
            continue
        found = search(claim)
        rows[claim.name] = (len(found.settings), ends(found), len(first(claim).settings))
        print(claim.name, *rows[claim.name], f"{time.process_time():.0f} s", flush=True)
        for setting, one in found.contradictions[:1] + found.contradictions[-1:]:
            print("   CONTRADICTED", setting, one.words, one.margin)
    kept = [claim.name for claim in CLAIMS if sought(claim) and claim.name in rows]
    PATH.write_text(_HEADER.format(first=FIRST) + "".join(row(name, rows[name]) for name in kept) + "}\n",
                    encoding="utf-8")


def row(name: str, found: tuple) -> str:
    written = textwrap.fill(repr(found).replace("'", '"'), 110, initial_indent=" " * 8, subsequent_indent=" " * 9)
    return f'    "{name}":\n{written},\n'


if __name__ == "__main__":
    main(sys.argv[1:])
