"""The README's Python runs as printed, and what it prints is true."""

import re
from pathlib import Path

import pytest

from dpbi.papers import bibliography
from dpbi.papers.claims import CLAIMS
from dpbi.papers.figures import FIGURES
from dpbi.papers.names import NAMES

ROOT = Path(__file__).parent.parent
README, KNOWLEDGE = ROOT / "README.md", ROOT / "dpbi" / "README.md"


def snippets() -> list[str]:
    return re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.DOTALL)


def test_snippets_run_and_print_what_they_say(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {}
    for snippet in snippets():
        exec(compile(snippet, str(README), "exec"), names)  # the README's own code
    (guarantee, law, loss, calibrated, aware, published, truth, reader, sure, cost, chance, people, epsilon, noisy,
     first, of_group, limit, times, nearest, with_delta, best, many,
     least, changes, gaps) = capsys.readouterr().out.splitlines()
    assert limit.endswith(" theorem") and float(limit.split()[0]) == pytest.approx(0.0854, abs=5e-5)
    assert float(times) == pytest.approx(1, abs=0.005)
    assert with_delta == "(1, 0.0001)-DP (exhaustive check)"
    assert best.startswith("(1.64, 1.644) ")
    assert [*map(float, many.split()[::4])] == pytest.approx([2.164, 0.748], abs=5e-4) and "coth(0.5) / 2" in many
    assert float(least) == pytest.approx(1.702, abs=5e-4) and "('EHDL', 'LSHist', 2.6339" in changes
    assert [*map(float, gaps.split())] == pytest.approx([5.6] * 2, abs=0.05)
    counts = re.fullmatch(r"\((\d+), (\d+)\) 0\.\d+", nearest)
    assert counts and sum(map(int, counts.groups())) == 90
    share, second, low, high = map(float, re.findall(r"[\d.]+", aware))
    assert share + second == pytest.approx(1.0)
    assert low < share < high
    assert int(published) > 100
    assert float(truth.split()[0]) > 0.99 and reader.split()[2] in "-1 0 1" and float(cost) > 1
    assert 0 < float(sure.strip("()").split(",")[0]) < 1 and 0 < float(chance) < 1
    right, largest = re.search(r"right=([\d.]+)", people), re.match(r"\(([\d.]+), OrderChance", epsilon)
    assert right and largest and float(right[1]) >= 0.8 and 0 < float(largest[1]) < 10
    *means, low, high, n = map(float, re.findall(r"[\d.]+(?:e-\d+)?", noisy))
    assert sum(means) == pytest.approx(1.0) and low < means[1] < high and 480 < n < 530 and float(first) == 1.0
    assert 0 <= float(of_group) <= 5
    assert guarantee == "1-DP (theorem)"
    mean, within, quantile = map(float, law.split())
    assert 0 < mean < quantile < 1
    assert 0.5 < within < 1
    assert float(loss) == pytest.approx(1.0, rel=1e-9)
    uncalibrated = names["dpbi"].distance_law(names["dpbi"].mechanisms.EHDS(1.0), names["problem"])  # type: ignore[attr-defined]
    assert float(calibrated) < uncalibrated.mean


def test_every_picture_is_there() -> None:
    for picture in re.findall(r"!\[[^]]+\]\(([^)]+)\)", README.read_text(encoding="utf-8")):
        assert (README.parent / picture).is_file(), picture


def test_the_bibliography_is_the_one_that_the_pages_show() -> None:
    assert KNOWLEDGE.read_text(encoding="utf-8").partition("## Bibliography\n\n")[2] == bibliography.section()
    marks = {mark for claim in CLAIMS for mark in claim.papers} | {figure.paper for figure in FIGURES}
    marks |= set(re.findall(r"\[[A-Z]\d*\]", " ".join(name.where for name in NAMES)))
    assert marks == set(bibliography.MARKS)


def test_every_source_and_section_that_is_cited_is_there() -> None:
    """Tags such as [P17], authors with a year, and sections of dpbi/README.md; no link of either file is dead."""
    known = KNOWLEDGE.read_text(encoding="utf-8")
    texts = {path: path.read_text(encoding="utf-8") for folder in ("dpbi", "tests", "pages")
             for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".md") and path != Path(__file__)}
    sections, sources = re.findall(r"^## (.+)$", known, re.M), known[known.index("## Bibliography"):]
    cited = 0
    for path, text in texts.items():
        for section in re.findall(r'\(README,\s+"([^"]+)"\)', text):
            cited += 1
            assert section in sections, (path, section)
        for tag in re.findall(r"\[(?:[DPNL]\d\d|N)\]", text):
            assert f"**{tag}**" in sources, (path, tag)
        for work in re.findall(r"(?:[A-Z]\w+,? )+and [A-Z]\w+ (?:19|20)\d\d", " ".join(text.split())):
            assert work in sources, (path, work)
    assert cited >= 10 and not any("DESIGN" in text for text in texts.values())
    for page in (README, KNOWLEDGE):
        for link in re.findall(r"[^!]\[[^]]+\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).exists(), (page, link)
