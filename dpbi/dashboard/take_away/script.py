"""A page's numbers as a Python script that needs dpbi and numpy alone.

A script is put together from the problem, the mechanisms' fields and the page's controls. It fills ``tables``, by the
names that the page's tables have as files, with rows whose keys are the tables' columns.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import dpbi
from dpbi import limits
from dpbi.accuracy.axes import AXES
from dpbi.accuracy.error import METRICS
from dpbi.dashboard.answers import average, library, public_answers
from dpbi.dashboard.scenario import Scenario
from dpbi.dashboard.shown import tables
from dpbi.dashboard.sidebar import controls, data_source, entries
from dpbi.dashboard.words import accuracy as accuracy_words
from dpbi.dashboard.words import words
from dpbi.inference.noise_aware_releases import number_of_releases
from dpbi.mechanisms import Mechanism, name_of
from dpbi.papers.claims import Setting

_HEAD = '''"""The numbers of the page "{title}" of dpbi's dashboard, computed anew (dpbi {version}).

The counts are written below: this file is as private as they are.
"""

{imports}

prior = {prior}
counts = {counts}{reading}
problem = dpbi.Problem(prior, counts)
n = problem.n
'''

_COMPARISON = """
tables = {"comparison": []}
for name, mechanism in mechanisms.items():
    law = dpbi.distance_law(mechanism, problem)
    tables["comparison"].append({
        "Mechanism": name,
        "Guarantee": mechanism.guarantee(prior, n).words,
        "Mean H": law.mean,
        "± of mean H": 2 * law.mean_error,
        "P(truth)": law.probability_of_truth,
        "P(H ≤ LS)": law.cdf(dpbi.local_sensitivity(problem)) if n else None,
        "± of P(H ≤ LS)": 0.0 if law.exact else law.cdf_error,
        "Mean L1": 2 * law.mean_steps,
        "P(blind)": mechanism.probability_of_ignoring(problem),
        "Law": law.kind,
    })
"""

_TIMES_LIMIT = """
limit = dpbi.limit_of_privacy(prior, n, epsilon)
for mechanism, row in zip(mechanisms.values(), tables["comparison"]):
    promised = mechanism.guarantee(prior, n)
    bound = isinstance(promised, dpbi.PureDP) and promised.is_private and promised.epsilon <= epsilon * (1 + 1e-12)
    known = limit.value and bound
    row["× limit"] = dpbi.expected_distance(mechanism, prior, n).mean / limit.value if known else None
"""

_POSTERIORS = """
truth = dpbi.dirichlet.mean(problem.posterior)
low, high = dpbi.dirichlet.interval(problem.posterior)
tables = {"categories": [], "parameters": []}
for i in range(min(problem.k, first_categories)):
    least, most = dpbi.dirichlet.prior_predictive_interval(prior, n, category=i)
    tables["categories"].append({
        "Prior alpha": prior[i],
        "Prior expects": f"{least:,} to {most:,}",
        "Count": counts[i],
        "True mean": truth[i],
        "95 % from": low[i],
        "95 % to": high[i],
    })
for name, mechanism in mechanisms.items():
    released = mechanism.sample(problem, np.random.default_rng(seed), size)
    parameters = np.array(prior) + released
    distance = dpbi.hellinger(problem.posterior, parameters)
COVERS
    for row, share in zip(tables["categories"], covers):
        row[f"{name} covers"] = share
    for i in range(size):
        draw = {"Mechanism": name, "Draw": i + 1, "H": distance[i]}
        tables["parameters"].append(draw | {f"alpha {j + 1}": value for j, value in enumerate(parameters[i])})
"""

_COVERS = """\
    listed = range(len(tables["categories"]))
    lowest, highest = dpbi.dirichlet.interval(parameters, 0.95, listed)
    covers = ((lowest <= truth[listed]) & (truth[listed] <= highest)).mean(axis=0)"""

_NEAREST_COVERS = """\
    listed = range(len(tables["categories"]))
    try:
        read = [dpbi.nearest_posterior(mechanism, prior, n, r).posterior for r in released[:releases]]
    except ValueError as refusal:
        print(refusal)
        read = []
    ends = [dpbi.dirichlet.interval(one, 0.95, listed) for one in read]
    covered = [(low <= truth[listed]) & (truth[listed] <= high) for low, high in ends]
    covers = np.mean(covered, axis=0) if read else []"""

_AWARE_COVERS = """\
    try:
        aware = [dpbi.noise_aware_posterior(mechanism, prior, n, r) for r in released[:releases]]
    except ValueError as refusal:
        print(refusal)
        aware = []
    covers = [
        np.mean([one.interval(0.95, i)[0] <= truth[i] <= one.interval(0.95, i)[1] for one in aware])
        for i in range(len(tables["categories"])) if aware
    ]"""

_CURVES = """
tables = {"quantiles": []}
curves = {}
for name, mechanism in mechanisms.items():
    law = dpbi.distance_law(mechanism, problem)
    row = {"Mechanism": name, "Mean H": law.mean}
    if t is not None:
        row |= {f"P(H ≤ {t:.15g})": law.cdf(t), "Off by at most": law.cdf_error}
    for q in quantiles:
        row[f"{q:.0%} within"] = law.quantile(q)
    tables["quantiles"].append(row)
    curves[name] = CURVE
"""

_DRAWS = """
draws = {}
for name, mechanism in mechanisms.items():
    released = mechanism.sample(problem, np.random.default_rng(seed), size)
    draws[name] = MEASURE
"""

_SENSITIVITY = """
metrics = {
    "Local": dpbi.local_sensitivity(problem),
    "Smooth, reciprocal": dpbi.smooth_sensitivity(problem, gamma),
    "Smooth, exponential": dpbi.smooth_sensitivity(problem, beta, "exponential"),
    "Global, exact": dpbi.global_sensitivity(prior, n),
    "Global, papers": np.sqrt(1 - np.pi / 4),
}
print(metrics)
"""

_COUNT_SCAN = """
scan = dpbi.sensitivity_maps.along_count(prior, n, gamma, beta, include=(counts[0],))
"""

_EMPTYING_SCAN = """
scan = dpbi.sensitivity_maps.along_emptying(problem, gamma, beta)
"""

_SCAN = """
measured = zip(scan.position.tolist(), scan.local, scan.reciprocal, scan.exponential)
columns = ("Position", "Local", "Smooth, reciprocal", "Smooth, exponential")
"""

_SIMPLEX = """
simplex = dpbi.sensitivity_maps.on_simplex(prior, n, measure, smoothness)
measured = zip(simplex.counts.tolist(), simplex.value)
columns = ("Counts", "Sensitivity")
"""

_CHANGE = """
change = dpbi.sensitivity_maps.score_change(problem)
tables = {
    "sensitivity": [dict(zip(columns, row)) for row in measured],
    "score-change": [{"Moved": m, "Change": d} for m, d in zip(change.moved.tolist(), change.change)],
}
"""

_GAMMA = """
gammas = dpbi.sensitivity_maps.gamma_scan(problem)
tables["gamma"] = [{"gamma": g, "(1 + gamma) S": s} for g, s in zip(gammas.gamma, gammas.value)]
print("neighbour that attains LS:", change.neighbour, "; best gamma:", gammas.best_gamma)
"""

_ANSWERS = """
def answers(function, *arguments):
    # Nothing, with its sentence printed, where the library refuses.
    try:
        return [function(*arguments)]
    except ValueError as refusal:
        print(refusal)
        return []

"""

_LOSSES = """
tables = {"losses": []}
losses = {name: loss for name, m in mechanisms.items() for loss in answers(dpbi.privacy_loss, m, prior, n)}
for name, loss in losses.items():
    stated, promised = loss.mechanism.epsilon, loss.mechanism.guarantee(prior, n)
    tables["losses"].append({
        "Mechanism": name,
        "Guarantee": promised.words,
        "Stated": stated,
        "Exact loss": loss.epsilon,
        "Unused": max(0.0, 1 - loss.epsilon / stated),
    })
    print(f"{name}: {loss.counts} against {loss.neighbour}, releasing {loss.released}")
    if isinstance(promised, dpbi.ApproximateDP):
        print("exact delta:", dpbi.privacy_profile(loss.mechanism, prior, n, [promised.epsilon])[0])
"""

_CURVES_OF_LOSS = """
plain = list({dataclasses.replace(loss.mechanism, calibration=None): None for loss in losses.values()})
most = max(loss.epsilon for loss in losses.values())
worst = losses.get(looked_at) or next(loss for loss in losses.values() if loss.epsilon >= most * (1 - 1e-8))
largest = max(value for loss in losses.values() for value in (loss.mechanism.epsilon, loss.epsilon))
end = min(1.1 * largest, largest_epsilon)
epsilons = np.unique([*np.linspace(0, end, number_of_epsilons), worst.mechanism.epsilon])
sizes = np.unique(np.geomspace(1, max(n, 1), number_of_sizes).round().astype(np.int64)).tolist()
tables |= {"attained": [], "size": [], "profile": []}
for laws in answers(dpbi.loss_curves.attaining_laws, worst):
    for r, here, there in zip(laws.released.tolist(), laws.here, laws.there):
        tables["attained"].append({"Released": r, "Here": here, "There": there})
for mechanism in plain:
    for curve in answers(dpbi.loss_curves.loss_against_size, mechanism, prior, sizes):
        tables["size"] += [{"Mechanism": mechanism.label, "n": at.n, "Exact loss": at.epsilon} for at in curve]
for name, loss in losses.items():
    for deltas in answers(dpbi.privacy_profile, loss.mechanism, prior, n, epsilons):
        tables["profile"] += [{"Mechanism": name, "epsilon": e, "delta": d} for e, d in zip(epsilons, deltas)]
"""

_CALIBRATION = """
tables["calibration"] = []
for mechanism in plain:
    for gain in answers(dpbi.loss_curves.calibration_gain, mechanism, problem):
        tables["calibration"].append({
            "Mechanism": mechanism.label,
            "Loss before": gain.before.epsilon,
            "Loss after": gain.after.epsilon,
            "Rate times": gain.multiplier,
            "Mean H before": gain.mean_before,
            "Mean H after": gain.mean_after,
        })
"""

_AT_THE_DATA = """
def expected(mechanism, value):
    return dpbi.accuracy.expected_error(*along.at(mechanism, problem, value), metric)

"""

_ACCURACY = """
def named(mechanism):
    return f"{mechanism.label} calibrated" if mechanism.calibration else mechanism.label


plain = list({dataclasses.replace(m, calibration=None): None for m in mechanisms.values()})
along = dpbi.accuracy_axes.axis(axis)
ticked = list(mechanisms.values()) if along.keeps_calibration else plain
tables = {"accuracy": [], "crossovers": [], "required-epsilon": []}
curves = []
for m in ticked:
    errors = {x: error for x in along.values(problem, ticked) for error in answers(expected, m, x)}
    if errors:
        curves.append(dpbi.accuracy_curves.AccuracyCurve(along, m, metric, tuple(errors), tuple(errors.values())))
    for value, error in errors.items():
        tables["accuracy"].append({
            "Mechanism": named(m),
            along.title: value,
            "Mean error": None if error.bounded else error.high,
            "At least": error.low,
            "At most": error.high,
            "Standard error": max(error.low_error, error.high_error),
        })
"""

_CROSSOVERS = """
for found in dpbi.accuracy_curves.crossovers(curves, problem):
    tables["crossovers"].append({
        "Ahead from there on": named(found.ahead),
        "Overtaken": named(found.behind),
        "Last before": found.before,
        "From": found.value,
    })
"""

_AVERAGED = """
def expected(mechanism, value):
    there, at = along.at(mechanism, problem, value)
    if at.n > choice_largest and not there.draws_quickly:
        raise ValueError("choosing among candidates is not averaged at this n")
    found = dpbi.expected_distance(there, at.prior, at.n, reading)
    return dpbi.accuracy.ExpectedError(there, at, metric, found.measured, found.measured)

"""

_REQUIRED = """
for m in plain:
    for found in answers(dpbi.accuracy_curves.required_epsilon, m, problem, wanted):
        tables["required-epsilon"].append({
            "Mechanism": named(m),
            "Smallest epsilon": found.epsilon,
            "Mean H": found.mean.high,
            "Standard error": found.mean.high_error,
        })
"""

_PRINT = """
for title, rows in tables.items():
    print(title, f"({len(rows)} rows)")
    for row in rows[:12]:
        print("   ", row)
"""


def of_page(title: str, chosen: Scenario, kept: Mapping[str, Any]) -> str:
    """The script of a page of the menu; nothing where there is nothing to compute. kept: the settings."""
    body = PAGES[title](chosen, kept) if title in PAGES else ""
    if not body:
        return ""
    body += _PRINT
    modules = [name for name, used in (("dataclasses", "dataclasses."), ("numpy as np", "np.")) if used in body]
    imports = "\n\n".join(f"import {name}" for name in [*modules, f"dpbi  {words.SCRIPT_NEEDS}"])
    problem = chosen.problem
    head = _HEAD.format(
        title=title,
        version=dpbi.__version__,
        imports=imports,
        prior=_tuple(problem.prior),
        counts=_tuple(problem.counts),
        reading=_reading(kept),
    )
    return head + body


def _reading(kept: Mapping[str, Any]) -> str:
    """How the counts were read, where they come from a file: a comment, since the file is not here."""
    used = kept.get("uploaded") if kept.get("source") == data_source.FILE else None
    return f"  # {used['reading']}.counts" if used and "reading" in used else ""


_CLAIM = '''"""A claim of the papers, checked anew over its grid and at the data below (dpbi {version})."""

import dpbi  {needs}
from dpbi.papers.claims import CLAIMS, Setting

claim = next(one for one in CLAIMS if one.name == {name!r})
print(claim.statement, "Source:", claim.source)
print("On the grid:", claim.finding.words)
here = Setting(dpbi.Problem({prior}, {counts}), epsilon={epsilon!r}, gamma={gamma!r}, delta={delta!r})
try:
    reading = claim.check(here)
    print("Here:", reading.sentence)
    for case in reading.cases:
        print(case.words)
except ValueError as refusal:
    print("Here:", refusal)
'''

_FIGURE = '''"""A figure of the papers, computed and drawn anew (dpbi {version})."""

from dpbi.figures import papers  {needs}
from dpbi.papers.figures import FIGURES

figure = next(one for one in FIGURES if one.key == {key!r})
result = figure.result(seed={seed!r})
print(figure.story(result))
papers.draw(result).write_html("figure.html")
'''


def of_claim(name: str, setting: Setting) -> str:
    """The script of one claim, by its name, at a setting."""
    problem = setting.problem
    return _CLAIM.format(version=dpbi.__version__, needs=words.SCRIPT_NEEDS, name=name, prior=_tuple(problem.prior),
                         counts=_tuple(problem.counts), epsilon=setting.epsilon, gamma=setting.gamma,
                         delta=setting.delta)


def of_figure(key: str, seed: int) -> str:
    """The script of one figure of the papers, by its key."""
    return _FIGURE.format(version=dpbi.__version__, needs=words.SCRIPT_NEEDS, key=key, seed=seed)


def _home(chosen: Scenario, kept: Mapping[str, Any]) -> str:
    times = _assigned(epsilon=chosen.epsilon) + _TIMES_LIMIT if chosen.problem.n else ""
    return _mechanisms(chosen.mechanisms) + _COMPARISON + times


def _posteriors(chosen: Scenario, kept: Mapping[str, Any]) -> str:
    given = {"seed": chosen.seed, "size": kept["size"], "first_categories": tables.CATEGORIES_SHOWN}
    covers = _COVERS
    if kept["reading"] != controls.NAIVE:
        given["releases"] = number_of_releases(chosen.problem.k, kept["size"])
        covers = _AWARE_COVERS if kept["reading"] == controls.AWARE else _NEAREST_COVERS
    return _mechanisms(chosen.mechanisms) + _assigned(**given) + _POSTERIORS.replace("COVERS", covers)


def _curves(chosen: Scenario, kept: Mapping[str, Any]) -> str:
    curve, measure = {
        controls.LEVELS: ("law.levels()  # distances, probabilities", "dpbi.hellinger(problem.posterior, "
                          "np.array(prior) + released)"),
        controls.STEPS: ("law.by_step()  # records moved, probabilities", "dpbi.steps(counts, released)"),
        controls.CUMULATIVE: ("(law.distance, np.cumsum(law.probability))", "np.sort(dpbi.hellinger(problem.posterior, "
                              "np.array(prior) + released))"),
    }[kept["view"]]
    asked = kept["view"] == controls.CUMULATIVE
    t = _number(kept, "within", "", controls.check_distance) if asked else None
    given = {"t": t, "quantiles": library.QUANTILES}
    drawn = {"seed": chosen.seed, "size": controls.OVERLAID} if kept["overlay"] else {}
    body = _CURVES.replace("CURVE", curve) + (_DRAWS.replace("MEASURE", measure) if drawn else "")
    return _mechanisms(chosen.mechanisms) + _assigned(**given, **drawn) + body


def _sensitivity(chosen: Scenario, kept: Mapping[str, Any]) -> str:
    k = chosen.problem.k
    if not chosen.problem.n:
        return ""
    given = {"gamma": chosen.gamma, "beta": chosen.beta}
    line = _COUNT_SCAN + _SCAN if k == 2 else _EMPTYING_SCAN + _SCAN
    if k == 3:
        smoothness = chosen.beta if kept["measure"] == "exponential" else chosen.gamma
        given |= {"measure": kept["measure"], "smoothness": smoothness}
        line = _SIMPLEX
    return _assigned(**given) + _SENSITIVITY + line + _CHANGE + _GAMMA


def _losses(chosen: Scenario, kept: Mapping[str, Any]) -> str:
    problem = chosen.problem
    if not problem.n:
        return ""
    given = _assigned(
        looked_at=kept["attaining"],
        number_of_epsilons=public_answers.EPSILONS,
        number_of_sizes=library.SIZES,
        largest_epsilon=limits.EPSILON_LARGEST,
    )
    pressed = kept.get("calibrated for") == [list(problem.prior), problem.n]
    body = _ANSWERS + _LOSSES + _CURVES_OF_LOSS + (_CALIBRATION if pressed else "")
    return _mechanisms(chosen.mechanisms) + given + body


def _accuracy(chosen: Scenario, kept: Mapping[str, Any]) -> str:
    if not chosen.problem.n:
        return ""
    given = {
        "axis": kept.get("accuracy along", AXES[0].name),
        "metric": kept.get("accuracy in", METRICS[0]),
        "wanted": _number(kept, "wanted distance", "0.1", functools.partial(limits.inside, "wanted")),
    }
    over = kept.get("accuracy over", accuracy_words.AT_THE_DATA)
    averaged = over != accuracy_words.AT_THE_DATA and accuracy_words.can_be_averaged(given["axis"], given["metric"])
    if averaged:
        reading = "nearest" if over == accuracy_words.READ_NEAREST else "naive"
        given |= {"reading": reading, "choice_largest": average.CHOICE_LARGEST}
    points = _AVERAGED + _ACCURACY if averaged else _AT_THE_DATA + _ACCURACY + _CROSSOVERS
    body = _ANSWERS + points + (_REQUIRED if given["wanted"] else "")
    return _mechanisms(chosen.mechanisms) + _assigned(**given) + body


def _number(
    kept: Mapping[str, Any], setting: str, default: str, check: Callable[[float], float]
) -> float | None:
    """A typed number; None where it is refused, as on the page."""
    try:
        return check(entries.number(setting, kept.get(setting, default)))
    except ValueError:
        return None


PAGES = {
    "Home": _home,
    "Private posteriors": _posteriors,
    "Distance curves": _curves,
    "Sensitivity": _sensitivity,
    "Privacy loss": _losses,
    "Accuracy": _accuracy,
}


# --- Python's spelling ---


def _assigned(**values: Any) -> str:
    return "".join(f"{name} = {value!r}\n" for name, value in values.items())


def _tuple(values: Sequence[float]) -> str:
    """A tuple as it is, or as one number repeated."""
    return f"({values[0]!r},) * {len(values)}" if len(values) > 3 and len(set(values)) == 1 else repr(tuple(values))


def _mechanisms(chosen: Sequence[Mechanism]) -> str:
    lines = "".join(f"    {name_of(mechanism)!r}: {_constructed(mechanism)},\n" for mechanism in chosen)
    return f"mechanisms = {{\n{lines}}}\n"


def _constructed(mechanism: Mechanism) -> str:
    """The mechanism's constructor with its fields; the prior and n of a calibration are those of the problem."""
    fields = {field.name: repr(getattr(mechanism, field.name)) for field in dataclasses.fields(mechanism)}
    calibration = mechanism.calibration
    if calibration is None:
        del fields["calibration"]
    else:
        fields["calibration"] = f"({calibration[0]!r}, problem.prior, n)"
    arguments = ", ".join(f"{name}={value}" for name, value in fields.items())
    return f"dpbi.mechanisms.{type(mechanism).__name__}({arguments})"
