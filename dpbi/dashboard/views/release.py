"""The Release page: a mechanism, what it promises, one secure draw, and the files of what was drawn.

The draw is made where the button is pressed and nowhere else; what was drawn lives in the session, and in the ledger
that the app was started with, and no cached function ever sees it.
"""

import dataclasses
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import streamlit as st

from dpbi import Guarantee, Mechanism, NotPrivate, name_of, printed_bound
from dpbi.dashboard.answers import average, library, public_answers
from dpbi.dashboard.scenario import Scenario
from dpbi.dashboard.session import leaving, options, settings, stewards
from dpbi.dashboard.shown import charts, downloads, tables
from dpbi.dashboard.sidebar import controls
from dpbi.dashboard.views import release_ledger
from dpbi.dashboard.words import guard, limit as limit_words, release as release_words, words
from dpbi.releases.ledger import Ledger, LedgerEntry, ReadTogether, Standing, release_json
from dpbi.releases.plan import Plan
from dpbi.releases.readers import reader_script, reader_script_r
from dpbi.releases.release import Release, stamp_of
from dpbi.releases.statement import Row, posterior_table, promised, stamped, statement_html, statement_markdown
from dpbi.releases.usefulness import barely_private, useless
from dpbi.tables import to_release_with

_log = logging.getLogger(__name__)

_TO_RELEASE = "to release"
_READ, _DRAWN, _FAILED, _FAILED_AT = (f"releases: {part}" for part in ("read", "drawn", "failed", "failed at"))


@dataclass(frozen=True)
class Ready:
    """A mechanism that can release, and what its release will promise."""

    mechanism: Mechanism
    guarantee: Guarantee

    @property
    def label(self) -> str:
        return words.stamped(name_of(self.mechanism), self.guarantee)


@dataclass(frozen=True, eq=False)
class Made:
    """A release among all that the ledger knows about its people; what follows from both is computed once."""

    release: Release
    entry: LedgerEntry
    ledger: Ledger

    @property
    def stem(self) -> str:
        """Of its files' names: none of the same second is like another."""
        return f"release-{self.release.time.replace(':', '-')}-{self.entry.release[:4]}"

    @cached_property
    def together(self) -> ReadTogether | None:
        return self.ledger.read_together(self.entry)

    @cached_property
    def rows(self) -> list[Row]:
        return posterior_table(self.release, self.entry.categories, self.together)

    @cached_property
    def figure(self) -> Any:
        from dpbi.figures.release import released

        return released(self.release, self.rows, self.entry.categories)


# --- before ---


def say_that_it_is_another(chosen: Scenario) -> None:
    """Where a table of groups and questions comes first: what follows is of the data of all other pages."""
    st.header("Or a single table of counts")
    st.markdown(release_words.another(chosen.title))


def say_what_is_published(chosen: Scenario) -> None:
    """What goes out and who is protected, in plain words."""
    st.header("What will be published")
    st.markdown(release_words.published(chosen.labels, chosen.problem.n))
    st.header("Who is protected, and from what")
    st.markdown(release_words.protected(chosen.problem.n))


def choose(chosen: Scenario, *, warns: bool) -> Ready | None:
    """One of the ticked mechanisms, the private ones first; None until one is chosen, or where none can release.
    warns: that choosing leaks, where no table above has said it.

    Where there are several none is chosen beforehand: by order would be by chance, and by their errors on these data
    would leak.
    """
    st.header("What to release with")
    if warns:
        st.warning(words.CHOICE_WARNING)
    with controls.row():
        controls.epsilon(chosen.epsilon)
    prior, n = chosen.problem.prior, chosen.problem.n
    found: list[Ready] = []
    refused: dict[str, list[str]] = {}
    for mechanism in chosen.mechanisms:
        with guard.refusal(refused, name_of(mechanism)):
            found.append(Ready(mechanism, library.release_guarantee(mechanism, prior, n)))
    for sentence, names in refused.items():
        st.info(f"**{words.listed(names)}:** {sentence}")
    if not found:
        return None
    _compare(found, chosen)
    named = {one.label: one for one in sorted(found, key=lambda one: not one.guarantee.is_private)}
    if settings.setdefault(_TO_RELEASE, None) not in named:
        settings.keep(_TO_RELEASE, next(iter(named)) if len(named) == 1 else None)
    with st.container(key="release-answer"):
        label = settings.choice("Mechanism", _TO_RELEASE, named, placeholder="Choose one", width=360,
                                help="Those chosen in the sidebar.")  # fmt: skip
    if label is None:
        st.markdown(release_words.CHOOSE)
        return None
    return named[label]


def _compare(found: Sequence[Ready], chosen: Scenario) -> None:
    """How near each comes on average under the prior, and what it would tell about a person: nothing of it leaks."""
    if not chosen.problem.n:
        return
    ready = dataclasses.replace(chosen, mechanisms=tuple(one.mechanism for one in found))
    means = average.of_private(ready)
    st.markdown(limit_words.ranking(means, [one.mechanism for one in found if one.guarantee.is_private]))
    errors = public_answers.for_each(library.release_errors, ready)
    risks = public_answers.for_each(library.guessing_risk, ready)
    if 1 < len(found) == len(errors) == len(risks):
        tables.draw(to_release_with([one.label for one in found], means, errors, risks))


def say_what_to_expect(ready: Ready, chosen: Scenario) -> None:
    """How exact, how private, and, folded away, the promise to the letter and what the file will tell."""
    prior, n = chosen.problem.prior, chosen.problem.n
    if n:
        _say_errors_and_risk(ready, prior, n, chosen.labels)
    if isinstance(ready.guarantee, NotPrivate):
        st.markdown(release_words.CONTROL)
    with st.expander("The promise to the letter, and what a reader of the file will know"):
        for paragraph in promised(ready.guarantee):
            st.markdown(words.escape(paragraph, words.SENTENCE_LENGTH))
        st.markdown(f"**The reader of the file will know:** {release_words.READER}")


def _say_errors_and_risk(ready: Ready, prior: tuple[float, ...], n: int, labels: Sequence[str]) -> None:
    st.header("How exact it will be")
    with guard.part():
        from dpbi.figures.release import expected_errors

        errors = library.release_errors(ready.mechanism, prior, n)
        st.markdown(release_words.expected(errors))
        charts.draw(expected_errors(errors, labels), "expected-errors")
    st.header("What it means for one person")
    with guard.part():
        from dpbi.figures.privacy import guessing

        risk = library.guessing_risk(ready.mechanism, prior, n)
        st.markdown(release_words.risk(risk))
        charts.draw(guessing(risk), "guesses")


# --- the draw ---


def press(ready: Ready, chosen: Scenario) -> None:
    """The button, with what must be acknowledged first.

    Its key and its argument hold the number of draws so far: a second click that was on its way comes to nothing. And
    they hold the settings that were read: a click that comes with another change draws nothing.
    """
    st.header("Release")
    drawn = st.session_state.get(_DRAWN, 0)
    asked = []
    _judge(ready, chosen)
    stamp = stamp_of(ready.guarantee)
    if stamp:
        st.error(words.escape(stamp, words.SENTENCE_LENGTH))
        asked.append(release_words.acknowledge(ready.guarantee))
    subject = release_ledger.ask(chosen)
    plan = release_ledger.account().plan_for(ready.mechanism, chosen.problem.k, chosen.problem.n)
    refused = stewards.refusal() or options.ledger().refusal(release_ledger.account(), ready.guarantee, plan)
    if not refused:
        asked += _costs(ready.guarantee, plan, first=not asked)
    if refused or subject.missing:  # nothing to agree to
        asked = []
    keys = [f"release {drawn} {ready.mechanism!r}: {sentence}" for sentence in asked]
    agreed = [st.checkbox(sentence, key=key) for sentence, key in zip(asked, keys, strict=True)]
    st.button(
        f"Release once with {name_of(ready.mechanism)}, epsilon = {printed_bound(ready.mechanism.epsilon)}",
        key=f"release: draw {drawn}",
        type="primary",
        disabled=bool(refused or subject.missing) or not all(agreed),
        on_click=_draw,
        args=(ready.mechanism, chosen, drawn, keys, settings.everything(), subject, release_ledger.account().ledger),
    )
    if refused:
        st.error(words.escape(refused, words.SENTENCE_LENGTH))
    elif subject.missing:
        st.info(subject.missing)
    if (failed := _failed(subject)) and (not refused or failed == release_words.CHANGED):
        st.error(failed)
    stewards.offer_login()
    st.caption(release_words.draw(options.ledger().of_a_draw))
    release_ledger.plan(ready.mechanism, chosen, subject)


def _costs(guarantee: Guarantee, plan: Plan | None, *, first: bool) -> list[str]:
    """Says what one more release costs these people; returns what must be acknowledged of it."""
    before = release_ledger.account().ledger
    spent, after = before.total(), before.total(guarantee, plan=plan)
    if raised := options.ledger().raises(release_ledger.account(), guarantee, plan):
        st.warning(release_words.raises(*raised))
    if spent.releases:
        st.warning(release_words.before_another(spent, after))
        return [release_words.acknowledge_another(after)]
    return [release_words.acknowledge_first(after)] if first else []


def _judge(ready: Ready, chosen: Scenario) -> None:
    """Beside the button: that a release would say next to nothing, or protect next to nobody."""
    prior, n = chosen.problem.prior, chosen.problem.n
    with guard.part():
        said = (useless(library.release_errors(ready.mechanism, prior, n)),
                barely_private(library.guessing_risk(ready.mechanism, prior, n), ready.guarantee))
        for sentence in filter(None, said):
            st.warning(f"**{sentence}**")


def _failed(subject: release_ledger.Subject) -> str:
    """What became of the last press, as long as nothing is changed: its reason may hold no longer then."""
    if not (said := st.session_state.get(_FAILED, "")):
        return ""
    now = settings.everything(), subject
    if st.session_state.setdefault(_FAILED_AT, now) != now:
        _say_failed("")
        return ""
    return str(said)


def _say_failed(said: str) -> None:
    st.session_state[_FAILED] = said
    st.session_state.pop(_FAILED_AT, None)


def _draw(
    mechanism: Mechanism,
    chosen: Scenario,
    drawn: int,
    acknowledged: Sequence[str],
    read: Mapping[str, Any],
    subject: release_ledger.Subject,
    before: Ledger,
) -> None:
    """The one place where a release is drawn: the button's callback. before: what had been released about the people
    when their total was read.
    """
    if st.session_state.get(_DRAWN, 0) != drawn or not all(st.session_state.get(key) for key in acknowledged):
        return
    _say_failed("")
    changed = any(now.get(name) != read[name] for now in (settings.everything(), settings.shown()) for name in read)
    changed |= any(str(st.session_state.get(key, "")).strip() != said for key, said in subject.entries.items())
    again = release_words.CHANGED if changed else ""
    try:
        if not again and before != release_ledger.account().ledger:
            again = release_words.ANOTHER_CAME
        if not again:
            release_ledger.drawn(mechanism, release_ledger.data_of(chosen), chosen.problem.prior, subject)
            st.session_state[_DRAWN] = drawn + 1
    except ValueError as refusal:
        _say_failed(words.opened(refusal))
    except Exception as failure:  # noqa: BLE001 - a callback has no page around it that could apologise
        _log.error("a release failed: %s", type(failure).__name__)
        _say_failed(words.APOLOGY)
    if again:  # all is to be confirmed anew
        st.session_state.update(dict.fromkeys(acknowledged, False))
        _say_failed(again)


# --- after ---


def show() -> None:
    """The newest release, or another that is asked for: both posteriors, and the files."""
    entries = release_ledger.shown()
    if not entries:
        return
    st.header("The release")
    place = len(entries) - 1
    if place:
        place = st.selectbox(
            "Which", range(place, -1, -1), width=480, key=f"release: which of {len(entries)}",
            format_func=lambda i: f"{i + 1}: {release_words.called(entries[i])}",
        )  # fmt: skip
    with guard.part():
        _show(_made(entries[place]))


def _made(entry: LedgerEntry) -> Made:
    """Read once in a session, and again once the ledger knows more about these people."""
    ledger = release_ledger.account().whole
    known: dict[str, Made] = st.session_state.setdefault(_READ, {})
    if entry.made and (entry.release not in known or known[entry.release].ledger != ledger):
        known[entry.release] = Made(entry.made, entry, ledger)
    return known[entry.release]


def _show(one: Made) -> None:
    with st.spinner("Computing the posteriors"):
        together, figure = one.together, one.figure
    stamp, standing = stamped(one.release, together), one.ledger.standing(one.entry)
    with downloads.collected(_shown(one.release, stamp, standing)):
        for sentence in standing.words:
            st.markdown(words.escape(sentence, words.SENTENCE_LENGTH))
        if stamp:
            st.error(words.escape(stamp, words.SENTENCE_LENGTH))
        st.markdown(release_words.released(one.release))
        _files(one, standing)
        charts.draw(figure, f"{one.stem}-posteriors")
        tables.release(one.rows, one.stem)
        if together is not None:
            release_ledger.show_together(together, one.release, one.entry.categories)


def _shown(release: Release, stamp: str, standing: Standing) -> downloads.Shown:
    """What the release's own tables and charts were computed for: the sidebar may say something else by now."""
    columns: dict[str, str | int | float] = {
        "People": standing.people.name if standing.people else "",
        "Question": standing.question,
        "Version": standing.version or "",
        "Mechanism": name_of(release.mechanism),
        "Guarantee": release.guarantee.words,
        "n": release.n,
        "Time (UTC)": release.time,
    }
    if stamp:
        columns["Stamp"] = stamp
    return downloads.Shown(columns, release_words.about(release, stamp))


def _files(one: Made, standing: Standing) -> None:
    of, name = (one.release, one.entry.categories, one.together, standing), f"dpbi-{one.stem}"
    readers = {"Python": reader_script(f"{name}.json"), "R": reader_script_r(f"{name}.json")}
    more: tuple[tuple[str, Callable[[], bytes], str, str], ...] = (
        ("Statement (HTML)", lambda: statement_html(*of).encode(), "html", "text/html"),
        ("Statement (Markdown)", lambda: statement_markdown(*of).encode(), "md", "text/markdown"),
        ("Reader (Python)", lambda: readers["Python"].encode(), "py", "text/x-python"),
        ("Reader (R)", lambda: readers["R"].encode(), "R", "text/plain"),
    )
    with st.container(horizontal=True, gap="small"):
        downloads.offer(
            "Release (JSON)", lambda: release_json(one.entry, one.entry.categories, one.ledger, one.together).encode(),
            f"{name}.json", "application/json", then=lambda: leaving.saved(one.entry.release),
        )  # fmt: skip
        for label, made, ending, mime in more:
            downloads.offer(label, made, f"{name}.{ending}", mime)
    with st.expander("Programs that read the file"):
        for language, reader in readers.items():
            st.code(reader, language=language.lower())
