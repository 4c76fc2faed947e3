"""The rules of the house, held by reading the files and their syntax trees.

A rule is a function from one file to what it has to say against it. `test_rule_holds` applies each rule
to the files it governs; `test_rule_sees_a_breach` shows it texts that break it, so that no rule can
pass by being blind.
"""

import ast
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).resolve().parents[1]
TOP_LEVEL = {"requirements.txt", "README.md", "app.py", "pages", "dpbi", "tests"}
PAGE_LINES = 60


@dataclass(frozen=True)
class Source:
    """A file of the project: its path from the top, with slashes, and its text."""

    path: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text, self.path)

    @property
    def floor(self) -> str:
        """pages, dashboard, figures or numbers: which of the floors the file stands on."""
        parts = PurePosixPath(self.path).parts
        if parts[0] != "dpbi":
            return "pages"
        return parts[1] if parts[1] in ("dashboard", "figures") else "numbers"


def read(paths: Iterator[Path]) -> list[Source]:
    """The files as text; some of the uploads in tests/cases are in other encodings, or no text."""
    texts = [(path, path.read_text("utf-8", errors="replace")) for path in sorted(paths)]
    return [Source(path.relative_to(ROOT).as_posix(), text) for path, text in texts]


PAGES = read(path for path in [ROOT / "app.py", *(ROOT / "pages").glob("*.py")] if path.exists())
PACKAGE = read((ROOT / "dpbi").rglob("*.py"))
TESTS = read((ROOT / "tests").rglob("*.py"))
OTHERS = read(
    path
    for folder, names in ((".", "*"), (".ci", "*"), (".streamlit", "*"), ("dpbi", "**/*"), ("tests", "**/*"))
    for path in (ROOT / folder).glob(names)
    if path.is_file() and path.name != ".git" and path.suffix in ("", ".md", ".txt", ".toml", ".ini", ".csv", ".json")
)
UPPER_FLOORS = PAGES + [source for source in PACKAGE if source.floor != "numbers"]


# --- imports ---


@dataclass(frozen=True)
class Import:
    """One imported name, dotted in full; `deferred` inside a function or under TYPE_CHECKING."""

    name: str
    line: int
    deferred: bool


def package_of(source: Source, level: int) -> str:
    """The package that `level` leading dots of a relative import stand for."""
    return ".".join(PurePosixPath(source.path).parts[:-level])


def imports(source: Source) -> Iterator[Import]:
    def visit(node: ast.AST, deferred: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                yield from (Import(alias.name, child.lineno, deferred) for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                parts = [package_of(source, child.level)] if child.level else []
                base = ".".join(parts + ([child.module] if child.module else []))
                yield from (Import(f"{base}.{alias.name}", child.lineno, deferred) for alias in child.names)
            else:
                function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
                typing = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
                yield from visit(child, deferred or function or typing)

    return visit(source.tree, False)


def under(name: str, packages: tuple[str, ...]) -> bool:
    return any(name == package or name.startswith(package + ".") for package in packages)


AT_IMPORT = {
    "numbers": ("numpy", "scipy.special"),
    "figures": ("numpy", "scipy.special", "plotly"),
    "dashboard": ("numpy", "scipy.special", "pandas", "streamlit"),
    "pages": ("streamlit",),
}
DEFERRED = ("scipy", "pandas", "openpyxl", "pyarrow")
FLOOR_ABOVE = {"numbers": ("dpbi.figures", "dpbi.dashboard"), "figures": ("dpbi.dashboard",)}


def imports_what_its_floor_may(source: Source) -> Iterator[str]:
    """plotly only under figures, streamlit only under dashboard and on pages, no floor imports one above it;
    scipy.stats and pandas wait inside functions, pandas on the dashboard excepted."""
    standard = () if source.floor == "pages" else tuple(sys.stdlib_module_names)
    for found in imports(source):
        deferred = DEFERRED if found.deferred and source.floor != "pages" else ()
        if found.deferred and source.floor == "dashboard":
            deferred += ("plotly",)  # figures pass through: their type may be named
        allowed = (*AT_IMPORT[source.floor], *deferred, *standard, "dpbi")
        if not under(found.name, allowed) or under(found.name, FLOOR_ABOVE.get(source.floor, ())):
            yield f"line {found.line} imports {found.name}"


def lets_import_errors_through(source: Source) -> Iterator[str]:
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Try) and any(
            isinstance(inner, ast.Import | ast.ImportFrom) for inner in node.body
        ):
            for handler in node.handlers:
                if all(isinstance(inner, ast.Pass) for inner in handler.body):
                    yield f"line {handler.lineno} passes over a failed import"


# --- pages ---


def is_thin(source: Source) -> Iterator[str]:
    """A page reads the scenario, calls, draws and says; what it would compute belongs to a floor below."""
    lines = len(source.text.splitlines())
    if lines > PAGE_LINES:
        yield f"has {lines} lines, the limit is {PAGE_LINES}"
    arithmetic = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult)
    for function in ast.walk(source.tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            for node in ast.walk(function):
                if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, arithmetic):
                    yield f"line {node.lineno} computes inside a function"


# --- mechanisms ---


def mechanism_names() -> set[str]:
    return {mechanism.__name__ for mechanism in importlib.import_module("dpbi").MECHANISMS}


def docstrings(tree: ast.Module) -> set[int]:
    """The ids of the nodes that are docstrings."""
    holders = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, holders) and node.body and isinstance(node.body[0], ast.Expr)
    }


def default_scenario(source: Source) -> set[int]:
    """The ids of all nodes of the one place that has to choose: the default scenario's constant."""
    if source.path != "dpbi/dashboard/page.py":
        return set()
    return {
        id(inner)
        for node in source.tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name) and re.fullmatch(r"DEFAULT[A-Z_]*", target.id)
        for inner in ast.walk(node)
    }


def knows_no_mechanism_by_name(source: Source) -> Iterator[str]:
    names = mechanism_names()
    word = re.compile(rf"\b({'|'.join(sorted(names))})\b")
    exempt = docstrings(source.tree) | default_scenario(source)
    for node in ast.walk(source.tree):
        if id(node) in exempt:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and word.search(node.value):
            yield f"line {node.lineno} holds the text {node.value!r}"
        spelled = {str(getattr(node, field, "")) for field in ("id", "attr", "name", "arg")}
        if isinstance(node, ast.expr | ast.alias | ast.arg | ast.keyword) and spelled & names:
            yield f"line {node.lineno} uses {', '.join(sorted(spelled & names))}"


# --- texts ---


def has_a_module_docstring(source: Source) -> Iterator[str]:
    if not ast.get_docstring(source.tree):
        yield "has no docstring"


def is_named_after_a_noun(source: Source) -> Iterator[str]:
    said = set(PurePosixPath(source.path).with_suffix("").parts)
    for name in sorted(said & {"util", "utils", "helper", "helpers", "common", "base", "core", "misc"}):
        yield f"{name!r} says nothing of what it holds"


def makes_no_generator_at_import(source: Source) -> Iterator[str]:
    """A generator made at import, as a default argument too, is shared: results depend on call order."""
    maker = re.compile(r"(^|\.)(default_rng|Generator|RandomState|Random|SystemRandom|PCG64|Philox)$")

    def visit(node: ast.AST) -> Iterator[str]:
        if isinstance(node, ast.Call) and maker.search(ast.unparse(node.func)):
            yield f"line {node.lineno} makes a random generator at import"
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            at_import = [node.args, *getattr(node, "decorator_list", [])]
        else:
            at_import = list(ast.iter_child_nodes(node))
        for child in at_import:
            yield from visit(child)

    return visit(source.tree)


# Written in pieces, so that this file keeps its own rules.
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")
MACHINE = re.compile(
    r"(?<![\w.])/(?:work|farm|tmp|home|root|Users)\b"
    r"|\bfarm" r"-\w|pypi\." r"org|pythonhosted\." r"org|npmjs\." r"org|deb\.debian\." r"org"
)  # fmt: skip


def lines_matching(source: Source, pattern: re.Pattern[str]) -> Iterator[str]:
    for number, line in enumerate(source.text.splitlines(), 1):
        if found := pattern.search(line):
            yield f"line {number} says {found.group()!r}"


def is_finished(source: Source) -> Iterator[str]:
    return lines_matching(source, UNFINISHED)


def names_no_machine(source: Source) -> Iterator[str]:
    return lines_matching(source, MACHINE)


Rule = Callable[[Source], Iterator[str]]
RULES: dict[Rule, list[Source]] = {
    imports_what_its_floor_may: PAGES + PACKAGE,
    lets_import_errors_through: PAGES + PACKAGE + TESTS,
    is_thin: PAGES,
    knows_no_mechanism_by_name: UPPER_FLOORS,
    has_a_module_docstring: PACKAGE,
    is_named_after_a_noun: PAGES + PACKAGE + TESTS,
    makes_no_generator_at_import: PAGES + PACKAGE + TESTS,
    is_finished: PAGES + PACKAGE + TESTS + OTHERS,
    names_no_machine: PAGES + PACKAGE + TESTS + OTHERS,
}
BREACHES: list[tuple[Rule, str, str]] = [
    (imports_what_its_floor_may, "dpbi/problem.py", "import pandas"),
    (imports_what_its_floor_may, "dpbi/problem.py", "from scipy import stats"),
    (imports_what_its_floor_may, "dpbi/problem.py", "def f():\n    import plotly"),
    (imports_what_its_floor_may, "dpbi/problem.py", "def f():\n    from .figures import style"),
    (imports_what_its_floor_may, "dpbi/mechanisms/__init__.py", "from .. import dashboard"),
    (imports_what_its_floor_may, "dpbi/figures/style.py", "import streamlit.runtime"),
    (imports_what_its_floor_may, "dpbi/figures/style.py", "from dpbi.dashboard.words import sentence"),
    (imports_what_its_floor_may, "dpbi/dashboard/words.py", "import plotly.graph_objects as go"),
    (imports_what_its_floor_may, "pages/1_A.py", "import numpy"),
    (imports_what_its_floor_may, "app.py", "def f():\n    import math"),
    (lets_import_errors_through, "dpbi/problem.py", "try:\n    import numpy\nexcept ImportError:\n    pass"),
    (is_thin, "pages/1_A.py", "import streamlit\n" * (PAGE_LINES + 1)),
    (is_thin, "pages/1_A.py", "def f(a):\n    return a * 2"),
    (is_thin, "app.py", "f = lambda a: a - 1"),
    (has_a_module_docstring, "dpbi/problem.py", "import numpy"),
    (is_named_after_a_noun, "dpbi/utils.py", ""),
    (is_named_after_a_noun, "dpbi/common/problem.py", ""),
    (makes_no_generator_at_import, "dpbi/problem.py", "RNG = np.random.default_rng(1)"),
    (makes_no_generator_at_import, "tests/test_a.py", "def f(rng=np.random.default_rng(1)):\n    pass"),
    (makes_no_generator_at_import, "tests/test_a.py", "class A:\n    rng = random.Random(1)"),
    (is_finished, "dpbi/problem.py", "# TO" "DO: later"),
    (names_no_machine, "README.md", "see /ho" "me/someone/dpbi"),
    (names_no_machine, "tests/requirements.txt", "--index-url https://pypi." "org/simple"),
]  # fmt: skip


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_rule_holds(rule: Rule) -> None:
    assert RULES[rule], "the rule governs no file"
    breaches = [f"{source.path}: {breach}" for source in RULES[rule] for breach in rule(source)]
    assert not breaches, "\n".join(breaches)


@pytest.mark.parametrize(("rule", "path", "text"), BREACHES)
def test_rule_sees_a_breach(rule: Rule, path: str, text: str) -> None:
    assert list(rule(Source(path, text)))


@pytest.mark.parametrize(
    "text", ["from dpbi.mechanisms import {}", "dpbi.mechanisms.{}(1.0)", "x = 'as {} does'"]
)
def test_a_mechanism_named_on_an_upper_floor_is_seen(text: str) -> None:
    assert mechanism_names()
    for name in mechanism_names():
        assert list(knows_no_mechanism_by_name(Source("dpbi/figures/style.py", text.format(name))))


def test_only_the_default_scenario_may_choose_mechanisms() -> None:
    text = f"DEFAULT_MECHANISMS = {sorted(mechanism_names())}"
    assert not list(knows_no_mechanism_by_name(Source("dpbi/dashboard/page.py", text)))
    assert list(knows_no_mechanism_by_name(Source("dpbi/dashboard/words.py", text)))


def test_rules_leave_what_is_allowed() -> None:
    allowed = Source(
        "dpbi/counts_io.py",
        '"""Counts."""\nimport csv\nimport numpy as np\nfrom scipy.special import gammaln\n'
        "from .problem import Problem\n"
        "def f(rng):\n    import pandas\n    from scipy import stats\n    return np.random.default_rng(1)\n",
    )
    for rule in RULES:
        assert not list(rule(allowed)), rule.__name__


# --- what an import loads, in a fresh interpreter ---


def loaded_by(modules: list[str]) -> set[str]:
    code = f"import sys, {', '.join(modules)}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def modules_on(floor: str) -> list[str]:
    paths = (PurePosixPath(source.path).with_suffix("") for source in PACKAGE if source.floor == floor)
    return [".".join(path.parts).removesuffix(".__init__") for path in paths]


@pytest.mark.parametrize(
    ("floor", "kept_out"),
    [
        ("numbers", {"plotly", "pandas", "streamlit", "scipy.stats"}),
        ("figures", {"pandas", "streamlit", "scipy.stats"}),
    ],
)
def test_importing_a_floor_does_not_load_the_one_above(floor: str, kept_out: set[str]) -> None:
    assert not loaded_by(["dpbi", *modules_on(floor)]) & kept_out


def test_what_an_import_loads_is_seen() -> None:
    assert {"scipy.stats", "pandas"} <= loaded_by(["scipy.stats", "pandas"])


# --- the package as a whole ---


def test_every_mechanism_is_listed() -> None:
    package = importlib.import_module("dpbi.mechanisms")
    modules = [
        importlib.import_module(f"{package.__name__}.{found.name}")
        for found in pkgutil.iter_modules(package.__path__)
    ]
    defined = {
        kind
        for module in modules
        for name, kind in inspect.getmembers(module, inspect.isclass)
        if kind.__module__ == module.__name__ and not name.startswith("_") and hasattr(kind, "label")
    }
    assert defined == set(package.MECHANISMS)
    assert len(package.MECHANISMS) == len(defined), "a mechanism is listed twice"


def test_public_functions_name_their_source() -> None:
    dpbi = importlib.import_module("dpbi")
    named = re.compile(r"\[(D20|P20|P17|N|L17)\b|^\s*Sources?\b|\bours\b", re.IGNORECASE | re.MULTILINE)
    functions = {name: value for name in dpbi.__all__ if inspect.isfunction(value := getattr(dpbi, name))}
    assert functions
    assert not [name for name, function in functions.items() if not named.search(function.__doc__ or "")]


def test_the_top_level_holds_the_agreed_names_only() -> None:
    found = {
        path.name for path in ROOT.iterdir() if not path.name.startswith(".") and path.name != "__pycache__"
    }
    assert found <= TOP_LEVEL, f"not agreed: {sorted(found - TOP_LEVEL)}"
