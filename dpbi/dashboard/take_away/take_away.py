"""Taking a scenario away and bringing one: the file of settings, the link, the script and the report of a page."""

import logging
from collections.abc import Callable, Mapping, Set
from contextlib import suppress
from typing import Any

import streamlit as st

from dpbi import limits
from dpbi.dashboard.scenario import Scenario
from dpbi.dashboard.session import address, settings
from dpbi.dashboard.shown import downloads, folds, stylesheet
from dpbi.dashboard.sidebar import data_source, grouped, privacy
from dpbi.dashboard.sidebar.menu import Page
from dpbi.dashboard.take_away import report, scenario_file, script
from dpbi.dashboard.words import handover, words

_log = logging.getLogger(__name__)

_WRITTEN, _WRITTEN_ON = "take away: in the address", "take away: page of the address"
_BROUGHT = "take away: brought by the link"
_RUN = "take away: run"
_LINK_READ = "take away: link read"
_SAID, _HELD = "take away: said", "take away: names of the settings told of"
_BEFORE = "take away: own data and settings"  # that another document has taken the place of
_ROUND = "take away: round"  # a new uploader each time: an emptied one can be had in no other way


# --- bringing ---


def read_link(defaults: Mapping[str, Any]) -> None:
    """Takes over the settings in the page's address, once in a session: later the session's own are newer."""
    if st.session_state.setdefault(_LINK_READ, False):
        return
    st.session_state[_LINK_READ] = True
    parameters = {key: st.query_params.get_all(key) for key in st.query_params}
    if parameters:
        take_over("link", lambda: scenario_file.from_query(parameters), defaults)
        with suppress(ValueError):
            st.session_state[_BROUGHT] = scenario_file.from_query(parameters)


def write_address(page: Page, chosen: Scenario | None, defaults: Mapping[str, Any]) -> None:
    """The page's address as its settings are, so that a reload, a bookmark and a step back show these.

    chosen: what the page shows; None on one that brings its own data, where the last one's settings stay. A person's
    counts are in it only where a link brought them, and as long as they are the same. It is written by the page
    itself: Streamlit would make a step of the browser's history of each entry.
    """
    brief = scenario_file.default_document(privacy.at_first(defaults))
    st.session_state[_WRITTEN_ON] = page.title
    document: scenario_file.Document = st.session_state.get(_WRITTEN, {})
    if chosen is not None:
        whole = _document(chosen, with_counts=True)
        st.session_state[_WRITTEN] = scenario_file.for_address(whole, with_counts=False)
        document = scenario_file.for_address(whole, with_counts=_in_the_link(whole))
    else:
        entered = settings.everything()
        document = document | scenario_file.accepted("source", entered) | scenario_file.of_groups(entered, None)
        document = st.session_state[_WRITTEN] = scenario_file.for_address(document, with_counts=False)
    document = document | _groups_in_the_link()
    on_stage = {name: settings.get(name) for name in scenario_file.STAGING}
    query = scenario_file.to_query(scenario_file.without({**document, **on_stage}, brief))
    if len(query) > limits.LINK_CHARACTERS_LARGEST:
        query = scenario_file.to_query(scenario_file.without(on_stage, brief))
    st.session_state[_RUN] = st.session_state.get(_RUN, 0) + 1  # another call each time: it comes each time
    stylesheet.call("address", f"?{query}" if query else "", str(st.session_state[_RUN]))


def keep_address(page: Page, defaults: Mapping[str, Any]) -> None:
    """The address where entries are refused: as the page before wrote it, since a change of page clears it."""
    if st.session_state.get(_WRITTEN_ON, page.title) != page.title:
        write_address(page, None, defaults)


def _document(chosen: Scenario, *, with_counts: bool) -> scenario_file.Document:
    """The document of what is shown; an entry that the page refuses stands in it as it was last accepted."""
    kept, accepted = settings.everything(), st.session_state.get(_WRITTEN, {})
    found = scenario_file.document(kept, chosen.problem, chosen.labels, chosen.title, with_counts=with_counts)
    return found | {key: accepted[key] for key in scenario_file.refused(found) if key in accepted}


def _in_the_link(document: scenario_file.Document) -> bool:
    """Whether the page's address still holds these very counts and labels, as the session's link brought them."""
    if "counts" not in document or "counts" not in st.query_params:
        return False
    brought = st.session_state.get(_BROUGHT, {})
    return all(brought.get(key) == document[key] for key in ("labels", "counts"))


def _groups_in_the_link() -> scenario_file.Document:
    """The groups' counts that the session's link brought, where the page's address still holds these very ones."""
    brought = st.session_state.get(_BROUGHT, {}).get("groups")
    return {"groups": brought} if brought and "groups" in st.query_params and brought == settings.get(
        "groups: typed") else {}


def bring(defaults: Mapping[str, Any]) -> None:
    """The sidebar's uploader of a settings file."""
    with st.expander("Bring settings", type="compact"):
        st.file_uploader(
            "A file of settings, as this app writes it",
            key=_uploader(),
            help="JSON. Every value is checked as if it were typed.",
            max_upload_size=limits.SCENARIO_BYTES_LARGEST // 2**20,
            on_change=_take_file,
            args=(defaults,),
        )


def say_what_was_taken_over(seen: Set[str] = frozenset()) -> None:
    """What became of the last link or file: in passing where all of it was taken, else until it is put away.

    seen: settings that the page itself shows: of a document that held no others and was taken, nothing is said.
    Where it took the place of a person's own counts, these are a press away until they are shown again.
    """
    if st.session_state.get(_BEFORE):
        if data_source.of_a_person():
            del st.session_state[_BEFORE]
        else:
            st.button("Back to my own counts and settings", key="own counts: back", on_click=_back_to_own)
    sentences = st.session_state.get(_SAID)
    if not sentences:
        return
    if len(sentences) == 1:
        if not st.session_state[_HELD] <= seen:
            st.toast(sentences[0])
        _forget()
        return
    with st.container(key="taken over"):
        st.warning("\n\n".join(sentences))
        st.button("Put this notice away", key="notice: put away", type="tertiary", on_click=_forget)


def _uploader() -> str:
    return f"take away: file {st.session_state.setdefault(_ROUND, 0)}"


def _take_file(defaults: Mapping[str, Any]) -> None:
    file = st.session_state.get(_uploader())
    st.session_state[_ROUND] += 1
    if file is not None:
        take_over("file", lambda: scenario_file.from_json(file.getvalue()), defaults)


def take_over(what: str, found: Callable[[], scenario_file.Document], defaults: Mapping[str, Any]) -> None:
    """Sets the settings that a document holds; all others go back to their defaults, save a person's own data."""
    try:
        document = found()
        taken = scenario_file.restored(document)
    except ValueError as refusal:
        st.session_state[_SAID] = ["**Nothing was taken over.**", words.opened(refusal)]
        return
    except Exception as failure:  # noqa: BLE001 - a callback has no page around it that could apologise
        _log.error("settings could not be read: %s", type(failure).__name__)
        st.session_state[_SAID] = ["**Nothing was taken over.**", words.APOLOGY]
        return
    if document.keys() <= scenario_file.STAGING and not taken.notices:
        settings.restore({}, taken.settings)
        address.write_talk()
        return
    before = settings.everything()
    own = (*data_source.OWN_SETTINGS, *(scenario_file.STAGING - document.keys()))
    settings.restore({name: value for name, value in defaults.items() if name not in own}, taken.settings)
    if before.get("source") in data_source.OWN and settings.get("source") not in data_source.OWN:
        st.session_state[_BEFORE] = before
    address.write_talk()
    said = [f"The settings of the {what} are taken over."]
    if taken.notices:
        said = [f"**The settings of the {what} are taken over, except:**"]
        said += [words.escape(notice, words.SENTENCE_LENGTH) for notice in taken.notices]
    if what == "link" and (document.get("counts") or document.get("groups")):
        said.insert(0, handover.LINK_HOLDS_COUNTS)
    st.session_state[_SAID], st.session_state[_HELD] = said, {*document}


def _back_to_own() -> None:
    settings.restore(st.session_state.pop(_BEFORE), {name: settings.get(name) for name in scenario_file.STAGING})


def _forget() -> None:
    st.session_state.pop(_SAID, None)


# --- taking away ---


def shown(page: Page, chosen: Scenario) -> downloads.Shown:
    """An empty account of the page, whose address is written, with what its tables and figures are computed for.

    Called settings, since a table or chart may vary one of them: its rows are then at other values.
    """
    values: dict[str, Any] = {}
    if page.uses_data:
        ticked = {type(mechanism).__name__ for mechanism in chosen.mechanisms}
        document: scenario_file.Document = st.session_state[_WRITTEN]
        options = {key: value for key, value in document.items() if key.partition(".")[0] in ticked}
        values = {
            "Data": words.plain(chosen.title),
            "n": chosen.problem.n,
            "Prior": words.prior_words(chosen.problem.prior),
            **{name: document[name] for name in privacy.every_number() if name in document},
            "Options": scenario_file.to_query(options).replace("&", "; "),
        }
    values["Seed"] = chosen.seed
    about = ", ".join(f"{name} = {value}" for name, value in values.items() if value != "")
    return downloads.Shown({f"Setting: {name}": value for name, value in values.items()},
                           f"{page.title}. Settings: {about}.")


def offer(page: Page, chosen: Scenario, seen: downloads.Shown, defaults: Mapping[str, Any]) -> None:
    """The sidebar's group: settings, link and report."""
    kept = settings.everything()
    with_counts = kept["source"] in data_source.OWN and st.checkbox(
        "With my labels and counts", key="take away: counts", help=handover.WITH_COUNTS)
    document = _document(chosen, with_counts=with_counts)
    with st.container(horizontal=True, gap="small"):
        downloads.offer(
            "Settings (JSON)", lambda: scenario_file.to_json(document), "dpbi-settings.json", "application/json"
        )
        if not page.releases:
            _offer_report(page, lambda: (seen, _beside(document, script.of_page(page.title, chosen, kept))),
                          handover.REPORT_WARNING, handover.REPORT_HELP)  # fmt: skip
    _link(document, defaults)


def offer_groups(
    page: Page, seen: downloads.Shown, files: Mapping[str, bytes], defaults: Mapping[str, Any],
    own: grouped.Grouped | None,
) -> None:
    """The settings, the link and the report of the page Groups; files: of the report; own: groups that are a person's.
    """
    with_counts = own is not None and st.checkbox(
        "With my labels and counts", key="take away: groups", help=handover.WITH_GROUPS)
    document = scenario_file.of_groups(settings.everything(), own if with_counts else None)
    with st.container(horizontal=True, gap="small"):
        downloads.offer(
            "Settings (JSON)", lambda: scenario_file.to_json(document), "dpbi-settings.json", "application/json"
        )
        _offer_report(page, lambda: (seen, {**files, **_beside(document, "")}), handover.REPORT_WARNING,
                      handover.REPORT_HELP)  # fmt: skip
    _link(document, defaults)


def offer_scenes(
    page: Page, document: scenario_file.Document, about: str, made: Callable[[], tuple[dict[str, Any], str]]
) -> None:
    """The tour's group: its report. document: its settings; about: what the figures are of; made: these by their names,
    and the notes as a page of HTML."""
    st.subheader("Take it away")

    def report_of() -> tuple[downloads.Shown, dict[str, bytes]]:
        figures, notes = made()
        shown = downloads.Shown({"Setting: Seed": document["seed"]}, about, figures=figures)
        return shown, {"notes.html": notes.encode()} | _beside(document, "")

    _offer_report(page, report_of, handover.SCENES_WARNING, handover.SCENES_HELP)


def _offer_report(
    page: Page, made: Callable[[], tuple[downloads.Shown, dict[str, bytes]]], warning: str, help: str
) -> None:
    downloads.offer(
        "Report (ZIP)",
        lambda: report.zip_bytes(page, *made(), warning),
        f"dpbi-{page.title.lower().replace(' ', '-')}.zip",
        "application/zip",
        help=help,
    )


def _beside(document: scenario_file.Document, program: str) -> dict[str, bytes]:
    files = {"settings.json": scenario_file.to_json(document), "script.py": program.encode()}
    return {name: content for name, content in files.items() if content}


def _link(document: scenario_file.Document, defaults: Mapping[str, Any]) -> None:
    with folds.fold("Link to this page") as opened:
        if not opened:
            return
        brief = scenario_file.default_document(privacy.at_first(defaults))
        query = scenario_file.to_query(scenario_file.without(document, brief))
        if len(query) > limits.LINK_CHARACTERS_LARGEST:
            st.caption(handover.link_too_long(len(query)))
            return
        if document.keys() & {"counts", "groups"}:
            st.warning(handover.LINK_WARNING)
        _copied(query)
        st.caption(handover.LINK_HELP)


def link_to(**part: Any) -> None:
    """The link to a part of this page, to copy, by settings of the address alone."""
    _copied(scenario_file.to_query({key: scenario_file.name_of_option(str(value)) for key, value in part.items()}))


def _copied(query: str) -> None:
    st.code((st.context.url or "") + (f"?{query}" if query else ""), language=None, wrap_lines=True)


def copy_as_python(page: Page, chosen: Scenario) -> None:
    """The page's script, folded away at its end."""
    text = script.of_page(page.title, chosen, settings.everything())
    if text:
        with folds.fold("Copy as Python") as opened:
            if opened:
                st.caption(handover.SCRIPT_NOTICE)
                st.code(text, language="python")
