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

# The rooms, in order: a file imports from its own room or an earlier one.
ROOMS = (
    "dpbi/version.py",
    "dpbi/limits.py",
    "dpbi/frozen_result.py",
    "dpbi/noise.py",
    "dpbi/problem/",
    "dpbi/data/",
    "dpbi/posterior/",
    "dpbi/sensitivity/",
    "dpbi/partition/",
    "dpbi/mechanisms/",
    "dpbi/accuracy/",
    "dpbi/privacy/",
    "dpbi/inference/",
    "dpbi/releases/",
    "dpbi/papers/",
    "dpbi/tour.py",
    "dpbi/tables.py",
    "dpbi/__init__.py",
    "dpbi/figures/",
    "dpbi/dashboard/__init__.py",
    "dpbi/dashboard/scenario.py",
    "dpbi/dashboard/session/",
    "dpbi/dashboard/words/",
    "dpbi/dashboard/answers/",
    "dpbi/dashboard/shown/",
    "dpbi/dashboard/sidebar/",
    "dpbi/dashboard/take_away/",
    "dpbi/dashboard/page.py",
    "dpbi/dashboard/views/",
    "app.py",
    "pages/",
)


@dataclass(frozen=True)
class Source:
    """A file of the project: its path from the top, with slashes, and its text."""

    path: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text, self.path)

    @cached_property
    def imports(self) -> list["Import"]:
        return list(imports(self))

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
    if path.is_file() and not {".git", "dpbi.egg-info"} & {*path.parts}
    and path.suffix in ("", ".md", ".txt", ".toml", ".ini", ".csv", ".json")
)
UPPER_FLOORS = PAGES + [source for source in PACKAGE if source.floor != "numbers"]


# --- imports ---


@dataclass(frozen=True)
class Import:
    """One imported name, dotted in full; `deferred` inside a function or under TYPE_CHECKING."""

    name: str
    line: int
    deferred: bool


def last_name(node: ast.AST) -> str | None:
    """f of f, of a.f and of a.b.f; None for what is no name."""
    return getattr(node, "attr", getattr(node, "id", None))


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
                typing = isinstance(child, ast.If) and "TYPE_CHECKING" in map(last_name, ast.walk(child.test))
                yield from visit(child, deferred or function or typing)

    return visit(source.tree, False)


def module_of(path: str) -> str:
    return ".".join(PurePosixPath(path).with_suffix("").parts).removesuffix(".__init__")


def room(path: str) -> int:
    """The place of a file's room in the order; ValueError for a file that is in none."""
    held = [place for place, name in enumerate(ROOMS) if path.startswith(name) and name.endswith(("/", path))]
    if len(held) != 1:
        raise ValueError(f"{path} is in {len(held)} rooms")
    return held[0]


def arrows(source: Source, modules: dict[str, str]) -> Iterator[tuple[str, int]]:
    """The files that a file imports, each with the line: at import, inside functions, and for types alone.

    modules: paths by dotted name. What ``from a import b`` takes is the module a.b if there is one, else a.
    """
    for found in source.imports:
        names = (found.name, found.name.rpartition(".")[0])
        path = next((modules[name] for name in names if name in modules), None)
        if path not in (None, source.path):
            yield path, found.line


MODULES = {module_of(source.path): source.path for source in PACKAGE}


def imports_from_earlier_rooms(source: Source) -> Iterator[str]:
    """A file imports from its own room or an earlier one, wherever in it the import stands."""
    here = room(source.path)
    for path, line in arrows(source, MODULES):
        if room(path) > here:
            yield f"line {line} imports {path}, a later room"


def circles(sources: list[Source]) -> list[set[str]]:
    """Files that import each other in a loop, also through functions and types."""
    modules = {module_of(source.path): source.path for source in sources}
    straight = {source.path: {path for path, _ in arrows(source, modules)} for source in sources}

    def reached(path: str) -> set[str]:
        seen: set[str] = set()
        waiting = list(straight[path])
        while waiting:
            if (other := waiting.pop()) not in seen:
                seen.add(other)
                waiting += straight[other]
        return seen

    beyond = {path: reached(path) for path in straight}
    loops = {frozenset(other for other in beyond[path] if path in beyond[other]) for path in straight}
    return [set(loop) for loop in sorted(loops, key=sorted) if loop]


def under(name: str, packages: tuple[str, ...]) -> bool:
    return any(name == package or name.startswith(package + ".") for package in packages)


AT_IMPORT = {
    "numbers": ("numpy", "scipy.special"),
    "figures": ("numpy", "scipy.special", "plotly"),
    "dashboard": ("numpy", "scipy.special", "pandas", "streamlit"),
    "pages": ("streamlit",),
}
DEFERRED = ("scipy", "pandas", "openpyxl", "pyarrow", "python_calamine")
FLOOR_ABOVE = {"numbers": ("dpbi.figures", "dpbi.dashboard"), "figures": ("dpbi.dashboard",)}


def imports_what_its_floor_may(source: Source) -> Iterator[str]:
    """plotly only under figures, streamlit only under dashboard and on pages, no floor imports one above it;
    scipy.stats and pandas wait inside functions, pandas on the dashboard excepted."""
    standard: tuple[str, ...] = () if source.floor == "pages" else tuple(sys.stdlib_module_names)
    for found in source.imports:
        deferred: tuple[str, ...] = DEFERRED if found.deferred and source.floor != "pages" else ()
        if found.deferred and source.floor == "dashboard":
            deferred += ("plotly",)  # figures pass through: their type may be named
        allowed = (*AT_IMPORT[source.floor], *deferred, *standard, "dpbi")
        if not under(found.name, allowed) or under(found.name, FLOOR_ABOVE.get(source.floor, ())):
            yield f"line {found.line} imports {found.name}"


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
    if not word.search(source.text):
        return
    exempt = docstrings(source.tree) | default_scenario(source)
    for node in ast.walk(source.tree):
        if id(node) in exempt:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and word.search(node.value):
            yield f"line {node.lineno} holds the text {node.value!r}"
        spelled = {str(getattr(node, field, "")) for field in ("id", "attr", "name", "arg")}
        if isinstance(node, ast.expr | ast.alias | ast.arg | ast.keyword) and spelled & names:
            yield f"line {node.lineno} uses {', '.join(sorted(spelled & names))}"


# --- names ---


def hides_no_module(source: Source) -> Iterator[str]:
    """What a package's face hands on under a module's name hides that module from whoever imports it."""
    if not source.path.endswith("/__init__.py"):
        return
    package = module_of(source.path)
    for node in source.tree.body:
        if isinstance(node, ast.ImportFrom):
            base = node.module or "" if not node.level else ".".join(
                filter(None, (package_of(source, node.level), node.module)))
            for alias in node.names:
                bound = f"{package}.{alias.asname or alias.name}"
                if bound in MODULES and f"{base}.{alias.name}" != bound:
                    yield f"line {node.lineno} hides the module {bound}"
        elif isinstance(node, ast.FunctionDef | ast.ClassDef) and f"{package}.{node.name}" in MODULES:
            yield f"line {node.lineno} hides the module {package}.{node.name}"


def public_classes(sources: list[Source]) -> dict[str, list[str]]:
    """The files that define a public class, by its name."""
    found: dict[str, list[str]] = {}
    for source in sources:
        for node in source.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found.setdefault(node.name, []).append(source.path)
    return found


# --- texts ---


def has_a_module_docstring(source: Source) -> Iterator[str]:
    if not ast.get_docstring(source.tree):
        yield "has no docstring"


SAYS_NOTHING = {
    *("util", "utils", "helper", "helpers", "common", "base", "core", "misc"),
    *("cached", "excess", "facts", "kept", "look"),
}


def is_named_after_a_noun(source: Source) -> Iterator[str]:
    said = set(PurePosixPath(source.path).with_suffix("").parts)
    for name in sorted(said & SAYS_NOTHING):
        yield f"{name!r} says nothing of what it holds"


def makes_no_generator_at_import(source: Source) -> Iterator[str]:
    """A generator made at import, as a default argument too, is shared: results depend on call order."""
    makers = {"default_rng", "Generator", "RandomState", "Random", "SystemRandom", "PCG64", "Philox"}

    def visit(node: ast.AST) -> Iterator[str]:
        if isinstance(node, ast.Call) and last_name(node.func) in makers:
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


def offers_files_in_one_place(source: Source) -> Iterator[str]:
    """What is made at a press is made where a session cannot be read: see ``downloads.offer``."""
    return lines_matching(source, re.compile(r"\bdownload_button\("))


def is_finished(source: Source) -> Iterator[str]:
    return lines_matching(source, UNFINISHED)


def names_no_machine(source: Source) -> Iterator[str]:
    return lines_matching(source, MACHINE)


Rule = Callable[[Source], Iterator[str]]
RULES: dict[Rule, list[Source]] = {
    imports_what_its_floor_may: PAGES + PACKAGE,
    imports_from_earlier_rooms: PAGES + PACKAGE,
    hides_no_module: PACKAGE,
    is_thin: PAGES,
    knows_no_mechanism_by_name: UPPER_FLOORS,
    has_a_module_docstring: PACKAGE,
    is_named_after_a_noun: PAGES + PACKAGE + TESTS,
    makes_no_generator_at_import: PAGES + PACKAGE + TESTS,
    offers_files_in_one_place: [one for one in PAGES + PACKAGE if not one.path.endswith("shown/downloads.py")],
    is_finished: PAGES + PACKAGE + TESTS + OTHERS,
    names_no_machine: PAGES + PACKAGE + TESTS + OTHERS,
}
BREACHES: list[tuple[Rule, str, str]] = [
    (imports_from_earlier_rooms, "dpbi/limits.py", "from dpbi.problem.problem import Problem"),
    (imports_from_earlier_rooms, "dpbi/problem/problem.py", "def f():\n    from dpbi import partition"),
    (imports_from_earlier_rooms, "dpbi/problem/problem.py", "if TYPE_CHECKING:\n    from dpbi import mechanisms"),
    (imports_from_earlier_rooms, "dpbi/problem/problem.py", "from ..privacy import loss"),
    (imports_from_earlier_rooms, "dpbi/accuracy/error.py", "import dpbi.privacy.loss"),
    (imports_from_earlier_rooms, "dpbi/accuracy/error.py", "from dpbi import Problem"),
    (imports_from_earlier_rooms, "dpbi/tour.py", "from dpbi.figures import tour"),
    (imports_from_earlier_rooms, "dpbi/dashboard/scenario.py", "from dpbi.dashboard.page import scenario"),
    (imports_from_earlier_rooms, "dpbi/dashboard/answers/library.py", "from dpbi.dashboard.sidebar import privacy"),
    (imports_from_earlier_rooms, "dpbi/dashboard/page.py", "from dpbi.dashboard.views import tour"),
    (hides_no_module, "dpbi/releases/__init__.py", "from dpbi.releases.release import release"),
    (hides_no_module, "dpbi/releases/__init__.py", "from .release import Release as ledger"),
    (hides_no_module, "dpbi/releases/__init__.py", "def statement():\n    pass"),
    (hides_no_module, "dpbi/__init__.py", "from dpbi.accuracy.error import expected_error as accuracy"),
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
    (is_thin, "pages/1_A.py", "import streamlit\n" * (PAGE_LINES + 1)),
    (is_thin, "pages/1_A.py", "def f(a):\n    return a * 2"),
    (is_thin, "app.py", "f = lambda a: a - 1"),
    (has_a_module_docstring, "dpbi/problem.py", "import numpy"),
    *((knows_no_mechanism_by_name, "dpbi/figures/style.py", text.format(name)) for name in sorted(mechanism_names())
      for text in ("from dpbi.mechanisms import {}", "dpbi.mechanisms.{}(1.0)", "x = 'as {} does'")),
    (is_named_after_a_noun, "dpbi/utils.py", ""),
    (is_named_after_a_noun, "dpbi/common/problem.py", ""),
    (is_named_after_a_noun, "dpbi/dashboard/shown/look.py", ""),
    (makes_no_generator_at_import, "dpbi/problem.py", "RNG = np.random.default_rng(1)"),
    (makes_no_generator_at_import, "tests/test_a.py", "def f(rng=np.random.default_rng(1)):\n    pass"),
    (makes_no_generator_at_import, "tests/test_a.py", "class A:\n    rng = random.Random(1)"),
    (offers_files_in_one_place, "pages/1_A.py", "import streamlit as st\nst.download_button('a', b'')"),
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


def test_only_the_default_scenario_may_choose_mechanisms() -> None:
    text = f"DEFAULT_MECHANISMS = {sorted(mechanism_names())}"
    assert not list(knows_no_mechanism_by_name(Source("dpbi/dashboard/page.py", text)))
    assert list(knows_no_mechanism_by_name(Source("dpbi/dashboard/words.py", text)))


def test_rules_leave_what_is_allowed() -> None:
    allowed = Source(
        "dpbi/partition/mixture.py",
        '"""Counts."""\nimport csv\nimport numpy as np\nfrom scipy.special import gammaln\n'
        "from ..problem.problem import Problem\nfrom . import draws\n"
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


NOT_AT_IMPORT = {"scipy.stats", "scipy.optimize", "openpyxl", "pyarrow", "python_calamine"}


@pytest.mark.parametrize(
    ("floor", "needed", "kept_out"),
    [
        ("numbers", {"numpy", "scipy.special"}, NOT_AT_IMPORT | {"plotly", "pandas", "streamlit"}),
        ("figures", {"numpy", "plotly"}, NOT_AT_IMPORT | {"pandas", "streamlit"}),
    ],
)
def test_importing_a_floor_does_not_load_the_one_above(floor: str, needed: set[str], kept_out: set[str]) -> None:
    assert loaded_by(["dpbi", *modules_on(floor)]) & (needed | kept_out) == needed


# --- the package as a whole ---


def test_the_package_opens_on_the_rooms() -> None:
    passed_over = {"__pycache__", "dpbi.egg-info", "pyproject.toml", "README.md"}  # for pip, and for who changes it
    shown = {path for path in (ROOT / "dpbi").iterdir() if path.name not in passed_over}
    assert {f"dpbi/{path.name}" + "/" * path.is_dir() for path in shown} == {
        name for name in ROOMS if name.startswith("dpbi/") and not name.startswith("dpbi/dashboard/")
    } | {"dpbi/dashboard/"}
    assert 15 <= len(shown) <= 20


def test_a_file_outside_the_rooms_is_seen() -> None:
    with pytest.raises(ValueError, match=r"dpbi/signal\.py is in 0 rooms"):
        room("dpbi/signal.py")


def test_no_files_import_each_other() -> None:
    assert not circles(PACKAGE)


@pytest.mark.parametrize(
    "back", ["from dpbi.a import x", "def f():\n    import dpbi.a", "if TYPE_CHECKING:\n    from . import a"]
)
def test_a_circle_is_seen(back: str) -> None:
    ahead = [Source("dpbi/a.py", "from dpbi import b"), Source("dpbi/b.py", "from .c import y")]
    assert circles([*ahead, Source("dpbi/c.py", back)]) == [{"dpbi/a.py", "dpbi/b.py", "dpbi/c.py"}]
    assert not circles([*ahead, Source("dpbi/c.py", "import numpy")])


def test_one_name_is_one_class() -> None:
    assert not {name: paths for name, paths in public_classes(PACKAGE).items() if len(paths) > 1}
    twice = public_classes([Source("dpbi/a.py", "class A:\n    pass"), Source("dpbi/b.py", "class A:\n    pass")])
    assert twice == {"A": ["dpbi/a.py", "dpbi/b.py"]}


def test_every_mechanism_is_listed() -> None:
    package = importlib.import_module("dpbi.mechanisms")
    modules = [
        importlib.import_module(found.name)
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
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
