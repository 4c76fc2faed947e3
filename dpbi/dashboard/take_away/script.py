"""A page's numbers as a Python script: its settings at the top, then calls of dpbi, tables that it prints and figures.

It needs dpbi and numpy alone; where plotly is there, it draws the page's figures too. ``tables`` and ``figures`` bear
the names that the page's files have.
"""

import dataclasses
import functools
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import dpbi
from dpbi import Mechanism, limits
from dpbi.dashboard.answers import average
from dpbi.dashboard.scenario import Scenario
from dpbi.dashboard.sidebar import controls, data_source, entries, privacy
from dpbi.dashboard.words import accuracy as accuracy_words, handover
from dpbi.inference.noise_aware_releases import number_of_releases
from dpbi.papers.claims import Setting

_PAGE = '''"""The numbers of the page "{title}" of dpbi's dashboard, computed anew (dpbi {version}).

The counts are written below: this file, and the figures that it writes, are as private as they are.
"""

{imports}

import dpbi  {needs}

prior = {prior}
counts = {counts}{reading}
{settings}problem = dpbi.Problem(prior, counts)
n = problem.n
{mechanisms}

def answered(function, *questions):
    """The answer to each question; where the library refuses, its sentence is printed."""
    answers = []
    for question in questions:
        try:
            answers.append(function(*question))
        except ValueError as refusal:
            print(refusal)
    return answers


{body}


for table in tables:
    print(table)
if importlib.util.find_spec("plotly"):
    for name, figure in figures():
        figure.write_html(f"{{name}}.html")
'''

_HOME = """
laws = answered(dpbi.distance_law, *((m, problem) for m in mechanisms))
averages = None
if n:
    limit = dpbi.limit_of_privacy(prior, n, epsilon)
    bound = [m for m in mechanisms if limit.value and dpbi.LimitComparison(limit, ()).binds(m)]
    means = answered(dpbi.expected_distance, *((m, prior, n) for m in bound))
    averages = dpbi.LimitComparison(limit, tuple(means))
tables = [dpbi.tables.comparison([dpbi.comparison_of(law) for law in laws], averages)]


def figures():
    from dpbi.figures import distances

    yield "home", distances.cumulative(laws)
"""

_POSTERIORS = """
sampled = answered(dpbi.sample_posteriors, *((m, problem, np.random.default_rng(seed), size) for m in mechanisms))
shown = {shown}
tables = [dpbi.tables.categories(problem, shown), dpbi.tables.parameters(sampled)]


def figures():
    from dpbi.figures import posteriors

    yield "posteriors", posteriors.{drawn}(shown)
    yield "coverage", posteriors.coverage_bars(shown)
"""
_NEAREST = "answered(dpbi.read_nearest, *((one.mechanism, problem, one.released[:releases]) for one in sampled))"
_AWARE = "answered(dpbi.noise_aware_releases, *((one.mechanism, problem, one.released) for one in sampled))"

_CURVES = """
laws = answered(dpbi.distance_law, *((m, problem) for m in mechanisms))
curves = {{dpbi.mechanisms.name_of(law.mechanism): law.{curve}() for law in laws}}
tables = [dpbi.tables.quantiles(laws, t)]


def figures():
    from dpbi.figures import distances

    yield "distances", distances.{drawn}
"""

_SENSITIVITY = """
maps, points = dpbi.sensitivity_maps, dpbi.tables.points
found = maps.sensitivities(problem, gamma, beta)
scan = maps.{scan}
change = maps.score_change(problem)
gammas = answered(maps.gamma_scan, (problem,))
tables = [
    dpbi.tables.sensitivities(found, gamma, beta),
    points("sensitivity", [scan], {fields}),
    points("score-change", [change], ("moved", "change")),
    points("gamma", gammas, ("gamma", "value")),
]


def figures():
    from dpbi.figures import sensitivities

    yield "sensitivity", sensitivities.{drawn}
    yield "score-change", sensitivities.score_change(change)
    for one in gammas:
        yield "gamma", sensitivities.gamma_scan(one, gamma)
"""
_LINE = '("position", "local", "reciprocal", "exponential")'
_SCANS = {  # by the number of categories; of more than three, what is last
    2: ("along_count(prior, n, gamma, beta, include=(counts[0],))", _LINE, "along_count(scan, problem)"),
    3: ("on_simplex(prior, n, measure, smoothness)", '("counts", "value")', "on_simplex(scan, problem)"),
    4: ("along_emptying(problem, gamma, beta)", _LINE, "along_emptying(scan)"),
}

_LOSSES = """
verdicts = answered(dpbi.verdict, *((m, prior, n) for m in mechanisms))
if not verdicts:
    raise SystemExit("None of these mechanisms can be audited at this prior and n.")
losses = [one.loss for one in verdicts]
named = {dpbi.mechanisms.name_of(one.mechanism): one for one in losses}
worst = named.get(looked_at, dpbi.loses_most(losses))
plain = list(dict.fromkeys(dataclasses.replace(one.mechanism, calibration=None) for one in losses))
curves, points = dpbi.loss_curves, dpbi.tables.points
laws = answered(curves.attaining_laws, (worst,))
sizes = answered(curves.loss_against_size, *((m, prior, curves.sizes_up_to(n)) for m in plain))
profiles = answered(curves.profile, *((one, curves.epsilons_beyond(verdicts)) for one in verdicts))
gains = answered(curves.calibration_gain, *((m, problem) for m in plain if calibrate))
tables = [
    dpbi.tables.losses(verdicts),
    points("attained", laws, ("released", "here", "there")),
    points("size", itertools.chain(*sizes), ("n", "epsilon")),
    points("profile", profiles, ("epsilons", "deltas")),
    dpbi.tables.calibration(gains),
]


def figures():
    from dpbi.figures import privacy

    yield "loss", privacy.stated_and_exact(verdicts)
    for one in laws:
        yield "attained", privacy.attaining(one)
    yield "size", privacy.against_size(sizes)
    if profiles:
        yield "profile", privacy.profiles(profiles)
        yield "trade-off", privacy.trade_offs(profiles)
    if gains:
        yield "calibration", privacy.calibration(gains)
"""

_ACCURACY = """
along = dpbi.accuracy_axes.axis(axis)
plain = list(dict.fromkeys(dataclasses.replace(m, calibration=None) for m in mechanisms))
ticked = mechanisms if along.keeps_calibration else plain
own, bounds = along.own(problem, ticked), {{}}

{expected}

curves = []
for m in ticked:
    errors = {{x: error for x in along.values(problem, ticked) for error in answered(expected, (m, x))}}
    if errors:
        curves.append(dpbi.accuracy_curves.AccuracyCurve(along, m, metric, tuple(errors), tuple(errors.values())))
crossings = dpbi.accuracy_curves.crossovers(curves, problem) if crossed else ()
required = answered(dpbi.accuracy_curves.required_epsilon, *((m, problem, wanted) for m in plain if wanted))
tables = [
    dpbi.tables.accuracy(curves),
    dpbi.tables.crossovers(crossings),
    dpbi.tables.required_epsilon(required),
]


def figures():
    from dpbi.figures import accuracy

    if curves:
        yield "accuracy", accuracy.against(curves, own, bounds or None)
    if required:
        yield "required-epsilon", accuracy.required(required)
"""

_AT_THE_DATA = """
def expected(mechanism, value):
    return dpbi.accuracy.expected_error(*along.at(mechanism, problem, value), metric)
"""

_AVERAGED = """
def expected(mechanism, value):
    there, at = along.at(mechanism, problem, value)
    bounds.setdefault(value, dpbi.limit_of_privacy(at.prior, at.n, there.epsilon))
    if at.n > choice_largest and not there.draws_quickly:
        raise ValueError(f"{there.label} is not averaged over n = {at.n:,} records here.")
    found = dpbi.expected_distance(there, at.prior, at.n, reading)
    return dpbi.accuracy.ExpectedError(there, at, metric, found.measured, found.measured)
"""

_CLAIM = '''"""A claim of the papers, checked anew over its grid and at the data below (dpbi {version})."""

import dpbi  {needs}
from dpbi.papers.claims import CLAIMS, Setting

{settings}
claim = next(one for one in CLAIMS if one.name == name)
print(claim.statement, "Source:", claim.source)
print("On the grid:", claim.finding.words)
here = Setting(dpbi.Problem(prior, counts), epsilon, gamma, delta)
try:
    reading = claim.check(here)
    print("Here:", reading.sentence)
    for case in reading.cases:
        print(case.words)
except ValueError as refusal:
    print("Here:", refusal)
'''

_FIGURE = '''"""A figure of the papers, computed and drawn anew (dpbi {version})."""

import importlib.util

from dpbi.papers.figures import FIGURES  {needs}

{settings}
figure = next(one for one in FIGURES if one.key == key)
result = figure.result(seed)
print(figure.story(result))
if importlib.util.find_spec("plotly"):
    from dpbi.figures import papers

    papers.draw(result).write_html("figure.html")
'''

Settings = Mapping[str, Any]


def of_page(title: str, chosen: Scenario, kept: Settings) -> str:
    """The script of a page of the menu; nothing where there is nothing to compute. kept: the settings."""
    if title not in PAGES or not (chosen.problem.n or title in _WITHOUT_RECORDS):
        return ""
    own, body = PAGES[title](chosen, kept)
    given, made = own, ""
    if "mechanisms" in body:
        given = {name: getattr(one, name) for one in chosen.mechanisms for name in privacy.every_number()
                 if hasattr(one, name)} | dict(own)  # fmt: skip
        made = "".join(f"    {_constructed(one, given)},\n" for one in chosen.mechanisms)
    modules = ["importlib.util", *(name for name in ("dataclasses", "itertools", "numpy as np")
                                   if f"{name.split()[-1]}." in body)]  # fmt: skip
    used = kept.get("uploaded") if kept.get("source") == data_source.FILE else None
    return _PAGE.format(
        title=title,
        version=dpbi.__version__,
        imports="\n".join(f"import {name}" for name in sorted(modules)).replace("import numpy", "\nimport numpy"),
        needs=handover.SCRIPT_NEEDS,
        prior=_spelled(chosen.problem.prior),
        counts=_spelled(chosen.problem.counts),
        reading=f"  # {used['reading']}.counts" if used and "reading" in used else "",
        settings=_assigned(given),
        mechanisms=f"mechanisms = [\n{made}]\n" if made else "",
        body=body.strip("\n"),
    )


def of_claim(name: str, setting: Setting) -> str:
    """The script of one claim, by its name, at a setting."""
    given = {"name": name, "prior": setting.problem.prior, "counts": setting.problem.counts, "epsilon": setting.epsilon,
             "gamma": setting.gamma, "delta": setting.delta}  # fmt: skip
    return _CLAIM.format(version=dpbi.__version__, needs=handover.SCRIPT_NEEDS, settings=_assigned(given))


def of_figure(key: str, seed: int) -> str:
    """The script of one figure of the papers, by its key."""
    given = _assigned({"key": key, "seed": seed})
    return _FIGURE.format(version=dpbi.__version__, needs=handover.SCRIPT_NEEDS, settings=given)


# --- the pages: the settings of each, and what is done with them ---


def _home(chosen: Scenario, kept: Settings) -> tuple[Settings, str]:
    return {}, _HOME


def _posteriors(chosen: Scenario, kept: Settings) -> tuple[Settings, str]:
    nearest, aware = kept["reading"] == controls.NEAREST, kept["reading"] == controls.AWARE
    body = _POSTERIORS.format(
        shown=_NEAREST if nearest else _AWARE if aware else "sampled",
        drawn="noise_aware_posteriors" if aware else "released_posteriors",
    )
    looked_at = {"releases": number_of_releases(chosen.problem.k, kept["size"])} if nearest else {}
    return {"seed": chosen.seed, "size": kept["size"], **looked_at}, body


def _curves(chosen: Scenario, kept: Settings) -> tuple[Settings, str]:
    within = kept["view"] == controls.CUMULATIVE
    curve, drawn = {
        controls.LEVELS: ("levels", "per_level(laws, log_scale)"),
        controls.STEPS: ("by_step", "per_step(laws, log_scale)"),
        controls.CUMULATIVE: ("levels", "cumulative(laws)"),
    }[kept["view"]]
    given = {"t": _number(kept, "within", controls.check_distance) if within else None}
    given |= {} if within else {"log_scale": kept["log scale"]}
    return given, _CURVES.format(curve=curve, drawn=drawn)


def _sensitivity(chosen: Scenario, kept: Settings) -> tuple[Settings, str]:
    scan, fields, drawn = _SCANS[min(chosen.problem.k, max(_SCANS))]
    given = {"gamma": chosen.gamma, "beta": chosen.beta}
    if chosen.problem.k == 3:
        smoothness = chosen.beta if kept["measure"] == "exponential" else chosen.gamma
        given |= {"measure": kept["measure"], "smoothness": smoothness}
    return given, _SENSITIVITY.format(scan=scan, fields=fields, drawn=drawn)


def _losses(chosen: Scenario, kept: Settings) -> tuple[Settings, str]:
    pressed = kept["calibrated for"] == [list(chosen.problem.prior), chosen.problem.n]
    return {"looked_at": kept["attaining"], "calibrate": pressed}, _LOSSES


def _accuracy(chosen: Scenario, kept: Settings) -> tuple[Settings, str]:
    axis, metric, over = kept["accuracy along"], kept["accuracy in"], kept["accuracy over"]
    averaged = over != accuracy_words.AT_THE_DATA and accuracy_words.can_be_averaged(axis, metric)
    given = {"axis": axis, "metric": metric, "crossed": not averaged}
    given["wanted"] = _number(kept, "wanted distance", functools.partial(limits.inside, "wanted"))
    if averaged:
        given["reading"] = "nearest" if over == accuracy_words.READ_NEAREST else "naive"
        given["choice_largest"] = average.CHOICE_LARGEST
    return given, _ACCURACY.format(expected=(_AVERAGED if averaged else _AT_THE_DATA).strip("\n"))


def _number(kept: Settings, setting: str, check: Callable[[float], float]) -> float | None:
    """A typed number; None where it is refused, as on the page."""
    with suppress(ValueError):
        return check(entries.number(setting, kept[setting]))
    return None


PAGES = {
    "Home": _home,
    "Private posteriors": _posteriors,
    "Distance curves": _curves,
    "Sensitivity": _sensitivity,
    "Privacy loss": _losses,
    "Accuracy": _accuracy,
}
_WITHOUT_RECORDS = ("Home", "Private posteriors", "Distance curves")


# --- Python's spelling ---


def _assigned(given: Settings) -> str:
    return "".join(f"{name} = {_spelled(value)}\n" for name, value in given.items())


def _spelled(value: Any) -> str:
    """A value as Python spells it; a tuple of one number repeated as just that."""
    repeated = isinstance(value, tuple) and len(value) > 3 and len(set(value)) == 1
    return f"({value[0]!r},) * {len(value)}" if repeated else repr(value)


def _constructed(mechanism: Mechanism, given: Settings) -> str:
    """The mechanism's constructor with its fields, by the names of the settings that they are; calibrated where it
    is."""
    fields = {field.name: getattr(mechanism, field.name) for field in dataclasses.fields(mechanism)}
    calibrated = fields.pop("calibration")
    spelled = (f"{name}={name if name in given and given[name] == value else repr(value)}"
               for name, value in fields.items())  # fmt: skip
    made = f"dpbi.mechanisms.{type(mechanism).__name__}({', '.join(spelled)})"
    return f"dpbi.calibrate({made}, prior, n)" if calibrated else made
