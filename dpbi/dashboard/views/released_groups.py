"""On the page Groups: releases that were made, each of a group, compared. Nothing private is asked for."""

from collections.abc import Sequence
from contextlib import suppress
from itertools import combinations

import streamlit as st

from dpbi import tables as data
from dpbi.dashboard.answers import released_groups as answers
from dpbi.dashboard.answers.released_groups import Place, ReleasedGroups
from dpbi.dashboard.answers.work import Cancelled, whole
from dpbi.dashboard.shown import charts, downloads, folds, tables
from dpbi.dashboard.sidebar import controls, menu
from dpbi.dashboard.take_away import report, script
from dpbi.dashboard.views import data as data_page
from dpbi.dashboard.views.group_choice import PAIRS_OF, Sentences, place
from dpbi.dashboard.words import groups as said, guard, noisy_counts, words
from dpbi.releases.reading import NOTHING_PRIVATE
from dpbi.releases.table_release import ASSUMED

_BROUGHT, _UPLOAD = "groups: releases", "groups: release files"


def bring() -> tuple[answers.File, ...]:
    """What was brought, kept until it is put away."""
    brought: tuple[answers.File, ...] = st.session_state.get(_BROUGHT, ())
    if not brought:
        st.file_uploader(said.RELEASES, accept_multiple_files=True, key=_UPLOAD, on_change=_take,
                         help=said.RELEASES_HELP)  # fmt: skip
        data_page.say_if_files_are_refused()
        return ()
    st.markdown(f"**{words.escape(', '.join(name for name, _ in brought))}**", width="content")
    one_more = len(brought) < answers.FILES_LARGEST and _is_of_one_group(brought)
    if one_more:
        st.file_uploader(said.ONE_MORE, accept_multiple_files=True, key=_UPLOAD, on_change=_take)
    st.button("Discard the file" if len(brought) == 1 else "Discard the files", on_click=_put_away)
    return brought


def _is_of_one_group(brought: tuple[answers.File, ...]) -> bool:
    with suppress(ValueError):
        answers.released_groups(answers.unpacked(brought))
        return False
    return True


def _take() -> None:
    given = [(one.name, one.getvalue()) for one in st.session_state[_UPLOAD]]
    st.session_state[_BROUGHT] = (*st.session_state.get(_BROUGHT, ()), *given)


def _put_away() -> None:
    st.session_state[_BROUGHT] = ()


def draw(brought: tuple[answers.File, ...]) -> None:
    if not brought:
        st.info(said.NO_RELEASES)
        return
    refused: dict[str, list[str]] = {}
    with guard.refusal(refused, ""), suppress(Cancelled):
        _compare(answers.released_groups(answers.unpacked(brought)))
    for sentence in refused:
        st.error(sentence)


def _compare(found: ReleasedGroups) -> None:
    from dpbi.figures import groups as figures

    with controls.row():
        q = place("Question", "question", found.questions, 0) if len(found.questions) > 1 else 0
        first = place("Group", "first", found.groups, 0)
        second = place("against", "second", found.groups, 1, without=first)
        i = place("Share of", "category", found.labels[q], 0)
    question, category, at = found.questions[q], found.labels[q][i], found.places[q]
    names = found.groups[first], found.groups[second]
    about = {"Groups": "releases that were made", **({"Question": words.plain(question)} if question else {}),
             "First": words.plain(names[0]), "Second": words.plain(names[1]), "Category": words.plain(category),
             "First release": answers.promised(at[first]), "Second release": answers.promised(at[second])}  # fmt: skip
    told = "; ".join(f"{name}: {value}" for name, value in about.items())
    seen = downloads.Shown({f"Setting: {name}": value for name, value in about.items()}, f"Groups. {told}.")
    sentences = Sentences()
    with downloads.collected(seen):
        with whole("released groups", (at, first, second, i), len(at) + 1, "groups") as current:
            one = current.ask(answers.contrasts, at[first], at[second], i)
            shares = [current.ask(answers.share, each, i) for each in at]
        remarks = list(dict.fromkeys(r for g in (first, second) for r in answers.published(at[g]).remarks))
        for remark in filter(_warns, remarks):
            st.warning(words.escape(remark, words.SENTENCE_LENGTH))
        right = one.means[0] >= one.means[1]
        ordered = names if right else names[::-1]
        low, high = one.intervals[0] if right else (-one.intervals[0][1], -one.intervals[0][0])
        probability = one.probability_greater if right else 1 - one.probability_greater
        sentences.say(said.answer(*ordered, category, probability, (abs(one.at_means[0]), low, high)))
        title = said.title(*ordered, probability)
        charts.draw(figures.released(shares, found.groups, (first, second), category, title), "groups")
        rows = [(value, *ends) for value, ends in zip(one.at_means, one.intervals, strict=True)]
        tables.draw(data.contrasts(words.plain(names[0]), words.plain(names[1]), None, rows))
        for remark in remarks:
            if not _warns(remark):
                st.caption(words.escape(remark, words.SENTENCE_LENGTH))
        sentences.note(said.by_releases(*names, *(answers.promised(at[g]) for g in (first, second))))
        of_one = at[first].file == at[second].file
        sentences.note(said.PUBLISHED_ONLY + (said.OF_ONE_TABLE if of_one else said.OF_TWO_FILES))
        if len(found.groups) > 2:
            with guard.part():
                _pairs(found.groups, at, [share.mean for share in shares], i, sentences)
        files = [(each.file[0], each.part) for each in at]
        program = script.of_released_groups({
            "files": files, "groups": found.groups, "places": (first, second), "category": i, "label": category,
            "pairs_of": PAIRS_OF, "title": title})  # fmt: skip
        _take_away(seen, dict(each.file for each in at), program, sentences)


def _warns(remark: str) -> bool:
    """Whether it says more than what was released, of whom, and who is protected."""
    says_what = remark.startswith(("Question: ", "Group: ", "Protected is ")) or remark in ASSUMED.values()
    return not says_what and noisy_counts.STATED_WITH not in remark


def _pairs(groups: Sequence[str], at: Sequence[Place], means: Sequence[float], i: int, sentences: Sentences) -> None:
    st.header("All pairs")
    few = range(min(len(groups), PAIRS_OF))
    ordered = [(g, h) if means[g] >= means[h] else (h, g) for g, h in combinations(few, 2)]
    with whole("released pairs", (at, i), len(ordered), "pairs") as current:
        read = [current.ask(answers.difference, at[g], at[h], i) for g, h in ordered]
    sentences.say(said.pairs([one.probability_greater for one in read]))
    tables.draw(data.released_pairs([(words.plain(groups[g]), words.plain(groups[h])) for g, h in ordered], read))
    if len(groups) > PAIRS_OF:
        sentences.note(f"The first {PAIRS_OF} of {len(groups)} groups.")


def _take_away(seen: downloads.Shown, files: dict[str, bytes], program: str, sentences: Sentences) -> None:
    own = {"script.py": program.encode(), "answers.md": "\n\n".join(sentences).encode() + b"\n"}
    page = menu.page("Groups")
    downloads.offer("Report (ZIP)", lambda: report.zip_bytes(page, seen, {**files, **own}, NOTHING_PRIVATE),
                    "dpbi-groups.zip", "application/zip")  # fmt: skip
    with folds.fold("Copy as Python") as opened:
        if opened:
            st.caption(said.SCRIPT)
            st.code(program, language="python")
