"""`python tests/benchmarks`: the whole table; with names of sections, those.

Not `python -m tests.benchmarks`: diffprivlib installs a package that is called tests too, and it would be found first.
"""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]


def main(wanted: list[str]) -> None:
    from benchmarks.measurement import circumstances
    from benchmarks.peers import missing
    from benchmarks.sections import SECTIONS
    from benchmarks.table import HEAD

    unknown = sorted(set(wanted) - set(SECTIONS))
    if unknown:
        raise SystemExit(f"No section {', '.join(unknown)}; there are {', '.join(SECTIONS)}.")
    print(circumstances())
    if absent := missing():
        print(f"Left out, not installed: {', '.join(absent)} (pip install -r tests/benchmarks/requirements.txt)")
    print(HEAD)
    for name in wanted or SECTIONS:
        for row in SECTIONS[name]():
            print(row.line, flush=True)
    print(circumstances())


if __name__ == "__main__":
    sys.path[:0] = [str(TESTS.parent), str(TESTS)]
    main(sys.argv[1:])
