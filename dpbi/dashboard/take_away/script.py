"""A page's numbers as a Python script: its settings at the top, then calls of dpbi, tables that it prints and figures.

The programs lie in ``programs``. They need dpbi and numpy alone; where plotly is there, they draw the page's figures.
``tables`` and ``figures`` bear the names that the page's files have.
"""

import dataclasses
import functools
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import dpbi
from dpbi import Mechanism, limits
from dpbi.dashboard.answers import average, library, public_answers
from dpbi.dashboard.scenario import Scenario
from dpbi.dashboard.sidebar import controls, data_source, entries, privacy
from dpbi.dashboard.words import accuracy as accuracy_words, handover
from dpbi.inference.noise_aware_releases import number_of_releases
from dpbi.inference.total import Known
from dpbi.mechanisms.calibration import delta_of
from dpbi.papers.claims import Setting
from dpbi.releases.reading import NoisyReading, Outcome

_NEAREST = "answered(dpbi.read_nearest, *((one.mechanism, problem, one.released[:releases]) for one in sampled))"
_AWARE = "answered(dpbi.noise_aware_releases, *((one.mechanism, problem, one.released) for one in sampled))"

_LINE = '("position", "local", "reciprocal", "exponential")'
_SCANS = {  # by the number of categories; of more than three, what is last
    2: ("along_count(prior, n, gamma, beta, include=(counts[0],))", _LINE, "along_count(scan, problem)"),
    3: ("on_simplex(prior, n, measure, smoothness)", '("counts", "value")', "on_simplex(scan, problem)"),
    4: ("along_emptying(problem, gamma, beta)", _LINE, "along_emptying(scan)"),
}

_ONE_ANSWER = "One answer"  # the page that looks at one mechanism alone

Settings = Mapping[str, Any]


@functools.cache
def _program(name: str) -> str:
    """A program, or a part of one, with places for what it is asked."""
    return (Path(__file__).parent / "programs" / f"{name}.txt").read_text("utf-8")


def of_page(title: str, chosen: Scenario, kept: Settings) -> str:
    """The script of a page of the menu; nothing where there is nothing to compute. kept: the settings."""
    if title not in PAGES or not (chosen.problem.n or title in _WITHOUT_RECORDS):
        return ""
    if title == _ONE_ANSWER:
        plain = public_answers.uncalibrated(chosen)
        chosen = dataclasses.replace(plain, mechanisms=(controls.asked_of(plain.mechanisms, kept),))
    own, body = PAGES[title](chosen, kept)
    given, made = own, ""
    if "mechanisms" in body:
        given = {name: getattr(one, name) for one in chosen.mechanisms for name in privacy.every_number()
                 if hasattr(one, name)} | dict(own)  # fmt: skip
        made = "".join(f"    {_constructed(one, given)},\n" for one in chosen.mechanisms)
    modules = ["importlib.util", *(name for name in ("dataclasses", "itertools", "numpy as np")
                                   if f"{name.split()[-1]}." in body)]  # fmt: skip
    used = kept.get("uploaded") if kept.get("source") == data_source.FILE else None
    return _program("page").format(
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


def of_groups(mechanism: Mechanism, pair: tuple[Mechanism, Mechanism], given: Settings, plan: Settings | None) -> str:
    """The script of two groups. mechanism: of all groups; pair: of the two; plan: what was asked of it, if anything."""
    planned = ""
    if plan is not None:
        given = {**given, **{name: value for name, value in plan.items() if name != "by_people"}}
        planned = _program("groups_people" if plan["by_people"] else "groups_epsilon").strip("\n")
    one, two = (_constructed(own, {}) for own in pair)
    return _program("groups").format(
        version=dpbi.__version__, needs=handover.SCRIPT_NEEDS, plan=planned or "planned = None",
        settings=_assigned(given), mechanism=_constructed(mechanism, {}), one=one, two=two,
    )


def of_released_groups(given: Settings) -> str:
    """The script of two groups whose releases were made; given: of its settings."""
    return _program("released_groups").format(version=dpbi.__version__, needs=handover.SCRIPT_NEEDS,
                                              settings=_assigned(given))  # fmt: skip


def of_claim(name: str, setting: Setting) -> str:
    """The script of one claim, by its name, at a setting."""
    given = {"name": name, "prior": setting.problem.prior, "counts": setting.problem.counts, "epsilon": setting.epsilon,
             "gamma": setting.gamma, "delta": setting.delta}  # fmt: skip
    return _program("claim").format(version=dpbi.__version__, needs=handover.SCRIPT_NEEDS, settings=_assigned(given))


def of_figure(key: str, seed: int) -> str:
    """The script of one figure of the papers, by its key."""
    given = _assigned({"key": key, "seed": seed})
    return _program("figure").format(version=dpbi.__version__, needs=handover.SCRIPT_NEEDS, settings=given)


def of_noisy_counts(asked: NoisyReading | None, found: Outcome, part: tuple[str, str] | None = None) -> str:
    """The script of noisy counts as they were read. asked: None where they are the file of a release, part: of a
    table.
    """
    given: dict[str, Any] = {"labels": list(found.labels), "seed": found.seed, "draws": found.ranking.draws}
    if asked is None:
        of = f", part={part!r}" if part else ""
        body = f"posterior = dpbi.read_release(open({found.name!r}, 'rb').read(){of}).posterior"
    else:
        laws = asked.laws
        measured = "".join(f"(range(len(labels)), {value!r}, noise.{law!r})" for _, value, law in asked.sums)
        spelled = {
            "prior": _spelled(asked.prior),
            "values": repr([one if one is None or one % 1 else int(one) for one in asked.values]),
            "law": f"[{', '.join(f'noise.{law!r}' for law in laws)}]" if isinstance(laws, tuple) else f"noise.{laws!r}",
            "total": str(asked.total.n) if isinstance(asked.total, Known) else f"dpbi.{asked.total!r}",
            "sums": f"[{measured}]",
        }
        body = "".join(f"{name} = {value}\n" for name, value in spelled.items())
        body += "posterior = dpbi.noisy_counts_posterior(prior, values, law, total, sums)"
    return _program("noisy_counts").format(version=dpbi.__version__, needs=handover.SCRIPT_NEEDS,
                                           settings=_assigned(given), body=body)  # fmt: skip


# --- the pages: the settings of each, and what is done with them ---


def _home(chosen: Scenario, kept: Settings) -> tuple[Settings, str]:
    share = controls.asked_share(chosen.problem, kept)
    return {"choice_largest": average.CHOICE_LARGEST, "seed": chosen.seed, "share": share}, _program("home")


def _posteriors(chosen: Scenario, kept: Settings) -> tuple[Settings, str]:
    nearest, aware = kept["reading"] == controls.NEAREST, kept["reading"] == controls.AWARE
    body = _program("posteriors").format(
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
    return given, _program("curves").format(curve=curve, drawn=drawn)


def _sensitivity(chosen: Scenario, kept: Settings) -> tuple[Settings, str]:
    scan, fields, drawn = _SCANS[min(chosen.problem.k, max(_SCANS))]
    given = {"gamma": chosen.gamma, "beta": chosen.beta}
    if chosen.problem.k == 3:
        smoothness = chosen.beta if kept["measure"] == "exponential" else chosen.gamma
        given |= {"measure": kept["measure"], "smoothness": smoothness}
    return given, _program("sensitivity").format(scan=scan, fields=fields, drawn=drawn)


def _one_answer(chosen: Scenario, kept: Settings) -> tuple[Settings, str]:
    own, other = controls.asked_answers(chosen.problem, kept)
    epsilons = library.slid_through(chosen.epsilon)
    return {"own": own, "other": other, "epsilons": epsilons, "seed": chosen.seed}, _program("one_answer")


def _losses(chosen: Scenario, kept: Settings) -> tuple[Settings, str]:
    pressed = kept["calibrated for"] == [list(chosen.problem.prior), chosen.problem.n]
    return {"looked_at": kept["attaining"], "calibrate": pressed}, _program("losses")


def _accuracy(chosen: Scenario, kept: Settings) -> tuple[Settings, str]:
    axis, metric, over = kept["accuracy along"], kept["accuracy in"], kept["accuracy over"]
    further: tuple[float, ...] = ()
    if axis in accuracy_words.BESIDE_EPSILON:
        with suppress(ValueError):
            further = controls.check_epsilons(entries.numbers("further", kept["accuracy epsilons"]))
    averaged = over != accuracy_words.AT_THE_DATA and accuracy_words.can_be_averaged(axis, metric)
    given = {"axis": axis, "metric": metric, "crossed": not averaged}
    given["wanted"] = _number(kept, "wanted distance", functools.partial(limits.inside, "wanted"))
    if averaged:
        given["reading"] = "nearest" if over == accuracy_words.READ_NEAREST else "naive"
        given["choice_largest"] = average.CHOICE_LARGEST
    if further:
        given["further"] = further
    return given, _program("accuracy").format(
        ticked="dpbi.accuracy_axes.also_at(ticked, further)" if further else "ticked",
        limit="None" if further else "bounds or None",
        many="()" if averaged else "dpbi.large_sample_limits(curves, problem)",
        expected=_program("averaged" if averaged else "at_the_data").strip("\n"),
    )


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
    _ONE_ANSWER: _one_answer,
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
    delta = delta_of(calibrated)
    return f"dpbi.calibrate({made}, prior, n{f', delta={delta!r}' if delta else ''})" if calibrated else made
