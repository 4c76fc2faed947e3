"""Statement, table, JSON and the programs that read it, in Python and in R: all say the same numbers."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import dpbi
from dpbi import Problem, Release
from dpbi.releases import statement
from dpbi.releases.ledger import Ledger, People, Standing, release_json
from dpbi.releases.readers import reader_script, reader_script_r
from tests.releases.entries import entry_of
from tests.releases.test_read_together import COUNTING, LISTING

NUMBER = r"\d+(?:\.\d+)?(?:e[-+]?\d+)?"
LABELS = ['"yes": [1, {2}]', "no\\é", "maybe\tnot"]
# What starts each program, alone in its folder, and what writes it; R is asked where it is installed.
PROGRAMS = {"read.py": ([sys.executable, "-I"], reader_script), "read.R": (["Rscript", "--vanilla"], reader_script_r)}


def released_by(*mechanisms: dpbi.mechanisms.Mechanism, problem: Problem) -> Ledger:
    return Ledger(tuple(entry_of(dpbi.release(one, problem), "people", "Q", "first") for one in mechanisms))


def installed(program: str) -> bool:
    return bool(shutil.which(PROGRAMS[program][0][0]))


def printed(program: str, folder: Path) -> list[str]:
    start, script = PROGRAMS[program]
    (folder / program).write_text(script("it's.json"), encoding="utf-8")
    run = subprocess.run([*start, program], cwd=folder, capture_output=True, encoding="utf-8", check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout.splitlines()


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> tuple[Release, dict[str, list[float]], Path]:
    """A release of three, the rows of its table, and the folder of its files; a prior of unlike sizes."""
    ledger = released_by(COUNTING(0.5), LISTING(2.0), COUNTING(1.0), problem=Problem((0.01, 40, 0.5), (0, 21, 7)))
    entry, folder = ledger.entries[-1], tmp_path_factory.mktemp("files")
    made, together = entry.made, ledger.read_together(entry)
    assert made
    (folder / "it's.json").write_text(release_json(entry, LABELS, ledger, together), encoding="utf-8")
    (folder / "statement.md").write_text(statement.statement_markdown(made, LABELS, together=together))
    (folder / "statement.html").write_text(statement.statement_html(made, LABELS, together=together))
    rows = [statement.outwards(row) for row in statement.posterior_table(made, LABELS, together=together)]
    names = [f"{kind}_{part}" for kind in ("naive", "noise_aware", "together") for part in ("mean", "low", "high")]
    return made, {str(row["category"]): [float(row[name] or 0) for name in names] for row in rows}, folder


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_programs_print_the_tables_numbers(
    several: tuple[Release, dict[str, list[float]], Path], program: str
) -> None:
    if not installed(program):
        pytest.skip(f"{PROGRAMS[program][0][0]} is not installed.")
    made, rows, folder = several
    asked, head, nearest, *lines = printed(program, folder)
    assert asked == "Q - "
    assert head == f"{made.guarantee.words} - {made.guarantee.neighbours}"
    assert not isinstance(made.nearest, str)
    assert nearest.split() == ["nearest", "posterior:", "Dirichlet", *(f"{x:.15g}" for x in made.nearest.posterior)]
    for line, (label, numbers) in zip(lines, rows.items(), strict=True):
        assert line.startswith(f"{label}: naive ")
        assert re.findall(NUMBER, line.removeprefix(label)) == [f"{number:.4g}" for number in numbers]


@pytest.mark.parametrize("name", ["statement.md", "statement.html"])
def test_the_statement_says_the_tables_numbers(
    several: tuple[Release, dict[str, list[float]], Path], name: str
) -> None:
    _, rows, folder = several
    text = (folder / name).read_text()
    assert "3 releases of this table read together" in text and "All releases' mean" in text.replace("&#x27;", "'")
    lines = [line for line in re.split(r"</tr>|\n", text) if line.count("<td>") == 9 or line.count(" | ") == 8]
    for line, numbers in zip(lines[-3:], rows.values(), strict=True):
        cells = re.split(r" \| |</td><td>", line)[3:]
        assert re.findall(NUMBER, " ".join(cells)) == [f"{number:#.4g}" for number in numbers]


def test_where_a_posterior_is_not_available_all_say_why(tmp_path: Path) -> None:
    """By one that must list all datasets, of which there are too many; the other was released under another prior."""
    ledger = released_by(LISTING(1.0), problem=Problem((1, 1, 1), (22, 21, 21)))
    other = released_by(COUNTING(1.0), problem=Problem((1, 2, 1), (22, 21, 21)))
    entry = ledger.entries[0]
    made, together = entry.made, ledger.with_entries(other.entries).read_together(entry)
    assert made and isinstance(made.noise_aware, str) and together
    (tmp_path / "it's.json").write_text(release_json(entry, LABELS, ledger, together), encoding="utf-8")
    for program in filter(installed, PROGRAMS):
        lines = printed(program, tmp_path)[2:]
        assert len(lines) == 3
        for line in lines:
            assert f"; noise-aware {made.noise_aware}; all releases together {together.unavailable}" in line
    standing = Standing(People("t", "All"), "Do you *smoke*?", 1, 2, ledger.total())
    text = statement.statement_markdown(made, together=together, standing=standing)
    assert "Question, as stated with the release: Do you \\*smoke\\*?" in text and "release: All\n" in text
    assert "Fewer than two" in text and "another prior or n" in text and "not available" in text
