"""The pages, in menu order: the one list that the menu and every page's title come from."""

from typing import NamedTuple

import streamlit as st

from dpbi.dashboard.session import address

TOUR = "Tour"


class Page(NamedTuple):
    """A page's file, what the menu calls it, its heading and the question it answers.

    uses_data: whether the sidebar's data, prior and numbers play a part on it; releases: whether what it shows was
    drawn once and for all, so that no script or report makes it again; seeded: whether it shows draws of the seed;
    public: whether it shows what was published and nothing else.
    """

    path: str
    title: str
    heading: str
    purpose: str
    uses_data: bool = True
    releases: bool = False
    seeded: bool = False
    public: bool = False


PAGES = (
    Page(
        "pages/0_Tour.py",
        TOUR,
        "Eight scenes",
        "From a posterior that leaks to the limit of privacy. Arrow keys or a clicker go on; the space bar reveals.",
        uses_data=False,
    ),
    Page(
        "pages/8_Methods.py",
        "Methods",
        "Methods and glossary",
        "What each mechanism does, by which formula, and what it promises; and what the words of these pages mean.",
        uses_data=False,
    ),
    Page(
        "app.py",
        "Home",
        "Private Bayesian inference on counts",
        "A mechanism releases a posterior and hides each person in the counts. Which stays nearest to the truth?",
        seeded=True,
    ),
    Page(
        "pages/1_Private_posteriors.py",
        "Private posteriors",
        "Private posteriors",
        "What would be published: posteriors drawn from each mechanism, next to the true one and the prior.",
        seeded=True,
    ),
    Page(
        "pages/2_Distance_curves.py",
        "Distance curves",
        "Distance curves",
        "How probable each Hellinger distance from the true posterior is, before anything is drawn.",
    ),
    Page(
        "pages/5_Accuracy.py",
        "Accuracy",
        "Accuracy",
        "How far off a release is on average, as n, epsilon, the prior or k change, and what epsilon a wanted accuracy "
        "asks for.",
    ),
    Page(
        "pages/12_Groups.py",
        "Groups",
        "Two groups",
        "Which of two groups has the larger share, what a reader of private releases would conclude, and how many "
        "people or what epsilon it takes to see a difference.",
        uses_data=False,
        seeded=True,
    ),
    Page(
        "pages/3_Sensitivity.py",
        "Sensitivity",
        "Sensitivity",
        "How far the posterior can move when one person's record is replaced: here, nearby, and at worst.",
    ),
    Page(
        "pages/9_One_answer.py",
        "One answer",
        "One person's answer",
        "Two tables that differ in one person's answer, and the posteriors that each may lead to: can anyone tell "
        "which it was?",
        seeded=True,
    ),
    Page(
        "pages/4_Privacy_loss.py",
        "Privacy loss",
        "Privacy loss",
        "What each mechanism really gives away, over every dataset and output: does it keep its epsilon, and how much "
        "is left unused?",
    ),
    Page(
        "pages/10_Data.py",
        "Data",
        "Your data",
        "Say what your table is, and see at once what comes out. Other pages show it once you use it.",
        uses_data=False,
    ),
    Page(
        "pages/7_Release.py",
        "Release",
        "Release",
        "Private posteriors, drawn once and for good, to be published: with a file that says what they promise.",
        releases=True,
    ),
    Page(
        "pages/11_Read_noisy_counts.py",
        "Read noisy counts",
        "Read noisy counts",
        "Counts that somebody published with noise: the shares, the total and the ranking, with intervals that hold.",
        uses_data=False,
        seeded=True,
        public=True,
    ),
    Page(
        "pages/13_Ledger.py",
        "Ledger",
        "The ledger of releases",
        "Everything that was released about everybody: what it came to, what is left, and what was said of it.",
        uses_data=False,
    ),
    Page(
        "pages/6_Papers.py",
        "Papers",
        "The papers, checked",
        "The figures of the papers behind these pages, computed exactly: does each say what its paper reads in it?",
        uses_data=False,
        seeded=True,
    ),
)


# What the pages from here on are for.
_WAY = {TOUR: "Learn", "Home": "Compare", "Sensitivity": "Understand", "Data": "Your data", "Papers": "Check"}


def page(title: str) -> Page:
    return next(found for found in PAGES if found.title == title)


def draw(on: Page) -> None:
    """The way through the pages: a row, or as many as it takes, for each thing that one may be after; on: this one."""
    away, to_tour = address.elsewhere(on_tour=False), address.elsewhere(on_tour=True)
    with st.container(key="menu", gap=None):
        for found in PAGES:
            if found.title in _WAY:
                group = st.container(horizontal=True, gap=None, key=f"way {_WAY[found.title]}")
                group.caption(_WAY[found.title], width=76)
            label = f"**{found.title}**" if found is on else found.title
            group.page_link(found.path, label=label, query_params=to_tour if found.title == TOUR else away)


def back_to_the_scene() -> None:
    """The way back for who came from the tour."""
    scene = address.left_scene()
    if scene is not None:
        st.page_link(page(TOUR).path, label=f"Back to the scene: {scene.heading}", icon="↩",
                     query_params=address.elsewhere(on_tour=True))
