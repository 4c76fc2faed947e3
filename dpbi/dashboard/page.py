"""What opens a page: every page asks for its scenario first, and draws nothing where an entry was refused."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpbi import MECHANISMS, Mechanism, Problem
from dpbi.dashboard.answers.work import Cancelled
from dpbi.dashboard.scenario import Scenario
from dpbi.dashboard.session import address, settings
from dpbi.dashboard.shown import downloads, stylesheet
from dpbi.dashboard.sidebar import controls, data_source, entries, grouped, menu, prior, privacy
from dpbi.dashboard.take_away import scenario_file, take_away
from dpbi.dashboard.words import data as data_words, guard, sidebar as sidebar_words, words

DEFAULT_MECHANISMS = ("LSHist", "Geometric", "EHD", "EHDS")
DEFAULT_FROM_THREE = (*DEFAULT_MECHANISMS, "KNorm")  # of three categories or more, where it is the nearest in the limit
DEFAULT_OF_GROUPS = "KNorm"  # the nearest in the limit, at two categories as near as any
DEFAULT_SEED = "1"
_LATEST = "scenario: latest"
_ON_THE_TOUR = scenario_file.STAGING | {"epsilon"}


@contextmanager
def scenario(title: str, *, needs_mechanisms: bool = True) -> Iterator[Scenario]:
    """Opens a page of the menu: its title, the menu, the sidebar and the notices; gives the scenario.

    Where an entry is refused, or a file waits for its answers, the page says so and ends: no result of an earlier
    entry is shown. What fails inside the page is said in words (``guard.part``); what was cancelled
    and is of no use in part ends it (``work.whole``).
    """
    page, defaults = _open(title)
    shown = stylesheet.notices(data_source.of_a_person(), menu.back_to_the_scene)
    take_away.say_what_was_taken_over()
    with st.sidebar:
        entered, folds = st.container(), st.container(horizontal=True, key="folds of settings")
    with folds:
        seeded, away, brought = st.container(), st.container(), st.container()
    with brought:
        take_away.bring(defaults)
    chosen = st.session_state[_LATEST] = None
    with guard.part():
        chosen = _read(page, needs_mechanisms, entered, seeded)
    if chosen is None:
        take_away.keep_address(page, defaults)
        st.stop()
    st.session_state[_LATEST] = chosen
    take_away.write_address(page, chosen, defaults)
    shown.markdown(words.scenario_line(chosen.title, chosen.labels, chosen.problem, chosen.epsilon, chosen.gamma))
    seen = take_away.shown(page, chosen)
    with guard.part(), suppress(Cancelled), downloads.collected(seen), st.spinner("Computing"):
        yield chosen
    with guard.part():
        take_away.copy_as_python(page, chosen)
        with away, st.expander("Take it away", type="compact"):
            take_away.offer(page, chosen, seen, defaults)


@contextmanager
def stage(title: str) -> Iterator[dict[str, Any]]:
    """Opens a page that brings its own data: its title, the menu and the notices; gives the settings' defaults."""
    page, defaults = _open(title)
    if page.title == menu.TOUR:  # which explains neighbours in a scene of its own
        take_away.say_what_was_taken_over(_ON_THE_TOUR)
    else:
        stylesheet.notices(data_source.of_a_person(), menu.back_to_the_scene, public=page.public)
        take_away.say_what_was_taken_over()
    with st.sidebar:
        menu.draw(page)
        controls.talk()
    with guard.part():
        yield defaults
    take_away.write_address(page, None, defaults)


def latest(defaults: Mapping[str, Any]) -> Scenario:
    """What the page before showed; the example of a fresh session where it showed nothing."""
    found: Scenario | None = st.session_state.get(_LATEST)
    if found is not None:
        return found
    example = data_source.BY_KEY[defaults["example"]]
    data = data_source.Data(example.labels, example.counts, example.title, example.source)
    numbers = {name: float(defaults[name]) for name in privacy.every_number()}
    mechanisms = tuple(privacy.make(kind, numbers) for kind in MECHANISMS if defaults[privacy.ticked(kind)])
    return _scenario(data, (1.0,) * len(data.counts), mechanisms, numbers, int(defaults["seed"]))


def _open(title: str) -> tuple[menu.Page, dict[str, Any]]:
    """The page's title and look, under the settings of the session or of the page's address; and the defaults."""
    page = menu.page(title)
    defaults = _defaults()
    settings.begin(defaults)
    take_away.read_link(defaults)
    talk = address.read_talk()
    st.set_page_config(
        page_title=f"{title} · dpbi",
        layout="wide",
        initial_sidebar_state="collapsed" if talk else stylesheet.SIDEBAR_WIDTH,
    )
    stylesheet.apply(title, talk)
    with st.container(key="opening"):
        st.title(page.heading)
        st.markdown(page.purpose)
    return page, defaults


def _defaults() -> dict[str, Any]:
    return {
        **data_source.DEFAULTS,
        **prior.DEFAULTS,
        **privacy.defaults(DEFAULT_MECHANISMS),
        **controls.DEFAULTS,
        **grouped.DEFAULTS,
        "groups: mechanism": DEFAULT_OF_GROUPS,
        "seed": DEFAULT_SEED,
    }


def _read(
    page: menu.Page, needs_mechanisms: bool, sidebar: DeltaGenerator, folds: DeltaGenerator
) -> Scenario | None:
    """The scenario of the sidebar; None where there is none, which the page then says."""
    refusals: list[str] = []
    with sidebar:
        menu.draw(page)
        with nullcontext() if page.uses_data else st.expander(sidebar_words.FOR_A_CLAIM, type="compact"):
            data = data_source.choose(refusals)
            alpha = prior.choose(data.labels if data else None, refusals)
            public = (alpha, sum(data.counts)) if data and data.counts and alpha else None
            if data:
                many = len(data.labels) > 2
                privacy.tick_unless_by_hand(DEFAULT_FROM_THREE if many else DEFAULT_MECHANISMS)
            numbers, mechanisms = privacy.choose(refusals, public, picks=needs_mechanisms)
        controls.talk()
    with folds:
        seed = _seed(refusals, page.seeded)
    if refusals:
        _say(refusals)
        if page.uses_data:
            with controls.row():
                controls.epsilon(numbers.get("epsilon"))
        return None
    if data is None or seed is None:
        st.info(data_words.NOTHING_IN_USE)
        data_source.lead_to_data()
        return None
    if needs_mechanisms and not mechanisms:
        st.info(words.NOTHING_TICKED)
        return None
    return _scenario(data, alpha, mechanisms, numbers, seed)


def _scenario(
    data: data_source.Data, prior: tuple[float, ...], mechanisms: tuple[Mechanism, ...], numbers: dict[str, float],
    seed: int,
) -> Scenario:
    problem = Problem(prior, data.counts)
    beta = privacy.exponential_smoothness(numbers, problem.n, problem.k)
    return Scenario(
        problem, data.labels, mechanisms, seed, numbers["epsilon"], numbers["gamma"], beta, data.title, data.source
    )


def _seed(refusals: list[str], shown: bool) -> int | None:
    """Folded away, but where it is refused, and not there on a page of no draws."""
    refused: list[str] = []
    place = st.container()
    with guard.beside(refused):
        seed = entries.whole("seed", settings.get("seed"), 0, entries.SEED_LARGEST)
    if shown or refused:
        with place.expander("Seed", expanded=bool(refused), type="compact"):
            st.text_input("Seed of the simulated draws", label_visibility="collapsed", help=sidebar_words.SEED,
                          **settings.entry("seed"))  # fmt: skip
    refusals += refused
    return None if refused else seed


def _say(sentences: list[str]) -> None:
    what = "An entry" if len(sentences) == 1 else f"{len(sentences)} entries"
    verb = "is" if len(sentences) == 1 else "are"
    st.error("\n\n".join([f"**{what} in the sidebar {verb} refused, so nothing is computed.**", *sentences]))
