"""What the reader makes of random tables and of those known to be hard, against their truth.

`python -m tests.data 5000 1` draws so many from a seed.
"""

import sys
from collections import Counter

import numpy as np

from .hard_tables import hard_tables
from .known_tables import READINGS, KnownTable, summary
from .random_tables import random_tables

MOST = 300  # characters of a line


def shown(table: KnownTable) -> str:
    lines = [f"{table.kind}  [{table.doubt}]", f"  true: {table.truth}"]
    for how, read in READINGS.items():
        came = read(table)
        asked = "; ".join(", ".join(f"{name}={value!r}" for name, value in new.items()) for new in came.asked)
        lines += [f"  {how}: {came.outcome}; asked: {asked}", f"    {came.end}", *map("    * {}".format, came.warnings)]
    return "\n".join(line[:MOST] for line in lines)


def main(many: int, seed: int) -> None:
    tables = random_tables(np.random.default_rng(seed), many)
    for how, read in READINGS.items():
        reads = [(table, read(table)) for table in tables]
        kinds = summary([*(("all", came) for _, came in reads), *((table.kind, came) for table, came in reads)])
        features = summary((feature, came) for table, came in reads for feature in table.features)
        plain = [came for table, came in reads if table.kind == "counts" and len(table.truth) > 2]
        asked = Counter(name for came in plain for new in came.asked for name in new)
        shares = ", ".join(f"{name} {times / len(plain):.1%}" for name, times in asked.most_common())
        print(f"\n{many} random tables, seed {seed}, {how}\n\n{kinds}\n\n{features}")
        print(f"\nasked of 'counts', which have no total, from three categories on: {shares}")
    came_of = summary((how, read(table)) for how, read in READINGS.items() for table in hard_tables())
    print("\n".join([f"\nhard tables\n\n{came_of}\n", *map(shown, hard_tables())]))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
