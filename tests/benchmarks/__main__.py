"""`python tests/benchmarks`: the whole table; with names of sections, those."""

import sys
from pathlib import Path

# In front of the path: diffprivlib installs a package that is called tests too.
ROOT = Path(__file__).resolve().parents[2]


def main(wanted: list[str]) -> None:
    from tests.benchmarks.measurement import circumstances
    from tests.benchmarks.peers import SELECTORS, selectors
    from tests.benchmarks.sections import SECTIONS, obstacle
    from tests.benchmarks.table import HEAD

    unknown = sorted(set(wanted) - set(SECTIONS))
    if unknown:
        raise SystemExit(f"No section {', '.join(unknown)}; there are {', '.join(SECTIONS)}.")
    print(circumstances())
    without = {name: missing for name in wanted or SECTIONS if (missing := obstacle(name))}
    absent = [f"{peer} (nothing is drawn by it)" for peer in SELECTORS if peer not in selectors()]
    absent += [f"{missing} (left out: {name})" for name, missing in without.items()]
    if absent:
        print(f"Not installed: {', '.join(absent)}: see tests/benchmarks/requirements.txt.")
    print(HEAD)
    for name in (name for name in wanted or SECTIONS if name not in without):
        for row in SECTIONS[name]():
            print(row.line, flush=True)
    print(circumstances())


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main(sys.argv[1:])
