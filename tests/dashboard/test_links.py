"""A link to a page: it restores the scenario in a fresh session, once, and holds no count that was not ticked."""

import asyncio
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, parse_qsl, quote, urljoin, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from dpbi import limits
from dpbi.dashboard.session import address, long_links
from dpbi.dashboard.sidebar import controls, data_source, menu, prior
from dpbi.dashboard.take_away import scenario_file
from dpbi.dashboard.words import handover
from dpbi.papers.claims import CLAIMS
from dpbi.papers.figures import FIGURES
from dpbi.tour import SCENES
from tests.dashboard.person import PATIENCE, QUIET, ROOT, bare, opened, press, ran, select, text, typed, unfold, visit
from tests.dashboard.test_scenario_file import LAB, SLOW, kept, notice, numbers_shown

ADDRESS = "http://localhost:8501"
PAGES = [page.path for page in LAB if page.path != SLOW]


def link(at: AppTest) -> str:
    return next(code.value for code in unfold(at, "Link to this page").sidebar.code)


def parameters(address: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(address).query, keep_blank_values=True))


def follow(page: str, found: Mapping[str, str | list[str]]) -> AppTest:
    """A fresh session that begins on this page with these parameters in its address."""
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE)
    at.context["url"] = ADDRESS
    at.query_params.update(found)
    if page != "app.py":
        at.switch_page(page)
    return ran(at)


def test_the_link_of_a_fresh_session_is_the_bare_address_and_the_address_is_left_alone() -> None:
    at = follow("app.py", {})
    assert link(at) == ADDRESS
    text(at, "epsilon", "2.5")
    assert link(at) == f"{ADDRESS}?epsilon=2.5"
    assert not at.query_params


@pytest.mark.parametrize("on", ["true", "TRUE", "True"])
def test_talk_mode_is_on_however_the_word_is_spelled(on: str) -> None:
    at = follow(QUIET, {address.TALK: on})
    assert kept(at)[address.TALK] is True and not at.error


def test_a_link_opens_each_page_as_it_was() -> None:
    at = follow(QUIET, {})
    select(at, "example", list(data_source.BY_KEY)[1])
    text(select(at, "prior", prior.SYMMETRIC), "strength", "0.7")
    for name, value in (("epsilon", "0.8"), ("gamma", "3")):
        text(at, name, value)
    text(visit(at, "pages/1_Private_posteriors.py"), "seed", "4")
    visit(at, "pages/2_Distance_curves.py")
    at.segmented_control(key="entry: view").set_value(controls.CUMULATIVE).run()
    text(at, "within", "0.25")
    for page in PAGES:
        visit(at, page)
        other = follow(page, parameters(link(at)))
        assert [title.value for title in other.title] == [title.value for title in at.title]
        assert notice(other) == "The settings of the link are taken over."
        same = {"example", "strength", "prior", "epsilon", "gamma", "seed", "view", "within"}
        assert {name: kept(other)[name] for name in same} == {name: kept(at)[name] for name in same}
        assert numbers_shown(other) == numbers_shown(at)
        assert link(other).partition("?")[2] == link(at).partition("?")[2]


def written(at: AppTest) -> dict[str, str]:
    """What the page wrote into its address, where AppTest has none."""
    scripts = [part.proto.body for part in at.get("html") if '["address", ' in part.proto.body]
    return parameters(scripts[0].split('"')[3]) if scripts else {}


def test_the_address_keeps_what_was_last_accepted() -> None:
    at = select(follow("pages/2_Distance_curves.py", {"view": "within-a-distance"}), "example", "badges")
    text(at, "within", "0.3")
    shown = {"example": "badges", "view": "within-a-distance", "t": "0.3"}
    assert written(at) == shown
    assert written(text(at, "within", "1.5")) == parameters(link(at)) == shown
    text(visit(at, QUIET), "epsilon", "-1")
    assert not written(at), "as it stands"
    assert written(visit(at, "pages/2_Distance_curves.py")) == shown, "a change of page clears it"


@pytest.mark.parametrize("scene", ["drowning", "smooth", "budget", "distance", "nothing"])
def test_a_link_to_a_scene_that_is_gone_opens_another(scene: str) -> None:
    at = follow("pages/0_Tour.py", {"scene": scene, "epsilon": "2.5"})
    assert not at.error and at.get("plotly_chart")
    shown = address.FORMER.get(scene, SCENES[0].key)
    assert written(at) == {"epsilon": "2.5"} | ({"scene": shown} if shown != SCENES[0].key else {})
    assert ("except" in notice(at)) == (scene == "nothing")
    assert scenario_file.restored({"scene": []}).notices and scenario_file.restored({"scene": scene}).settings == (
        {"scene": shown} if scene != "nothing" else {})


def test_the_tours_address_keeps_the_epsilon_that_was_accepted() -> None:
    at = follow("pages/0_Tour.py", {"scene": "clouds"})
    assert written(at) == {"scene": "clouds"}
    press(at, "Less noise")
    assert written(at) == {"epsilon": "1.25", "scene": "clouds"}
    press(at, "More noise")
    assert written(at) == {"scene": "clouds"}, "a default is left out"
    text(visit(at, QUIET), "epsilon", "1e9")
    assert written(visit(at, "pages/0_Tour.py")) == {"scene": "clouds"} and at.get("plotly_chart")


def test_counts_travel_only_if_ticked_and_with_a_warning() -> None:
    at = typed(follow(QUIET, {}), "left & right, 7\n=x; y: 5\nneither, 3")
    assert "left" not in link(at) and "7" not in link(at)
    assert parameters(link(at)) == {"source": "counts-typed-in", "k": "3", "n": "15"}
    assert not [warning for warning in at.sidebar.warning if warning.value == handover.LINK_WARNING]
    at.checkbox(key="take away: counts").check().run()
    assert [warning for warning in at.sidebar.warning if warning.value == handover.LINK_WARNING]
    other = follow("pages/2_Distance_curves.py", parameters(link(at)))
    assert any("7 left & right, 5 =x; y, 3 neither; n = 15" in bare(line.value) for line in other.main.markdown)
    assert bare(handover.LINK_HOLDS_COUNTS) in notice(other)
    assert "left" not in link(other), "the next link needs its own tick"


def test_a_claim_and_a_figure_of_the_papers_have_an_address_each() -> None:
    claim, figure = CLAIMS[40], FIGURES[-1]
    at = follow("pages/6_Papers.py", {"claim": scenario_file.name_of_option(claim.name), "figure": "n-8-b"})
    assert at.selectbox(key="entry: claim").value == claim.name
    assert at.selectbox(key="entry: paper figure").value == figure.key
    assert any('["intoSight", "claim"' in part.proto.body for part in at.get("html")), "the claim is far below"
    for name in ("claim", "figure"):
        at = unfold(at, f"Link to this {name}, and its Python")
    copied = [parameters(code.value) for code in at.main.code if ADDRESS in code.value]
    assert copied == [{"figure": "n-8-b", "seed": "1"}, {"claim": scenario_file.name_of_option(claim.name)}]
    unknown = follow("pages/6_Papers.py", {"claim": "no-more"})
    assert not any('["intoSight", "claim"' in part.proto.body for part in unknown.get("html")), "the notice is above"
    restored = scenario_file.restored({"claim": "no-more", "figure": "p17-99"})
    assert not restored.settings and restored.notices == [
        "There is no claim of the papers called 'no-more'.", "There is no figure of the papers called 'p17-99'."]


@pytest.mark.parametrize(
    ("source", "name"), [(data_source.FILE, "a-file-of-yours"), (data_source.TYPED, "counts-typed-in")]
)
def test_an_address_of_own_counts_brings_all_but_them_and_shows_nothing_in_their_place(source: str, name: str) -> None:
    at = typed(follow("app.py", {}), "left, 7\nright, 5")
    text(at, "epsilon", "2")
    whole = scenario_file.from_query(parse_qs(urlsplit(link(at)).query)) | {"source": name, "labels": ["a"]}
    address = scenario_file.for_address(whole, with_counts=False)
    assert address == {"source": name, "epsilon": 2}
    found = scenario_file.restored(address)
    assert found.notices == [handover.BRING_AGAIN]
    assert found.settings == {"source": source, "typed": "", "uploaded": None, "epsilon": "2"}
    other = follow("app.py", {"source": name, "epsilon": "2"})
    said = [notice(other), *(one.value for one in other.main.warning)]
    assert any(handover.BRING_AGAIN in sentence for sentence in said)
    assert not other.main.dataframe and not other.get("plotly_chart")


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("source=a-file-of-yours&counts=1,2",
         "It holds counts without labels, which need each other; balanced counts with k = 3 (the default) and n = 300 "
         "(the default) stand in for them."),
        ("source=counts-typed-in&labels=a,b&n=7&k=2",
         "It holds labels without counts, which need each other; balanced counts with k = 2 and n = 7 stand in"),
        ("source=counts-typed-in&labels=a,b&counts=1,2,3", "labels and counts must be as many: got 2 and 3; balanced"),
        ("source=counts-typed-in&labels=a,b&counts=1,-2&n=5", "not both accepted; balanced counts with k = 3 (the"),
        ("source=counts-typed-in&n=5", "left out of it; balanced counts with k = 3 (the default) and n = 5 stand in"),
        ("source=an-example&labels=a,b&counts=1,2", "Its counts and labels were not used: the counts it asks for are "
         "'An example'."),
        ("epsilon=1&epsilon=2&seed=5", "epsilon is given 2 times."),
        ("counts=1,2&counts=3,4", "counts is given 2 times."),
    ],
)
def test_why_a_link_brings_no_counts_or_no_number_is_said(query: str, said: str) -> None:
    restored = scenario_file.restored(scenario_file.from_query(parse_qs(query)))
    assert any(said in sentence for sentence in restored.notices), restored.notices
    if "source" in query and "an-example" not in query:
        assert restored.settings["source"] == data_source.MADE_UP
    if "seed" in query:
        assert restored.settings["seed"] == "5" and "epsilon" not in restored.settings


def test_what_does_not_fit_is_named_and_left_out() -> None:
    found: dict[str, str | list[str]] = {
        "epsilon": "1e9", "gamma": "x", "seed": "6", "log_scale": "yes", "mechanisms": "nobody", "utm_source": "<b>",
        "counts": "", "k": "nan", "t": ["0.1", "0.2"],
    }  # fmt: skip
    at = follow("app.py", found)
    said = notice(at)
    for name in ("epsilon", "gamma", "log_scale", "mechanisms", "utm_source", "k", "t is given 2 times."):
        assert name in said
    assert bare(handover.LINK_HOLDS_COUNTS) not in said, "empty counts are no counts"
    assert at.text_input(key="entry: seed").value == "6"
    assert at.text_input(key="entry: epsilon").value == "1"
    assert not at.error


def test_a_link_is_read_once() -> None:
    at = follow("app.py", {"epsilon": "2"})
    text(at, "epsilon", "3")
    visit(at, "pages/3_Sensitivity.py")
    at.query_params["epsilon"] = "5"
    at.run()
    assert at.text_input(key="entry: epsilon").value == "3"


def test_a_link_that_is_too_long_is_refused_and_not_made() -> None:
    at = follow("app.py", {"labels": "x" * limits.LINK_CHARACTERS_LARGEST})
    assert "A link may have at most 16,000 characters" in notice(at)
    at = typed(opened(QUIET), "\n".join(f"{'category ' * 54}{i}: {i}" for i in range(40)))
    at.checkbox(key="take away: counts").check().run()
    assert not unfold(at, "Link to this page").sidebar.code
    assert any("more than servers take" in caption.value for caption in at.sidebar.caption)


@pytest.mark.parametrize("spelled", ['"', '"a""b', "a\nb", ",", "\x00", "1,,2", "true", "é", "\u202e"])
@pytest.mark.parametrize("key", ["labels", "counts", "alpha", "mechanisms", "overlay", "epsilon", "title"])
def test_any_text_of_a_parameter_is_taken_or_named(key: str, spelled: str) -> None:
    restored = scenario_file.restored(scenario_file.from_query({key: [spelled], "source": ["a-file-of-yours"]}))
    assert all(restored.notices)


def test_no_address_gets_into_the_servers_log() -> None:
    """The server logs addresses, counts and all, once the configuration was read again while it runs."""
    script = (
        "import logging\n"
        "from streamlit import config\n"
        "config.get_config_options(force_reparse=True)\n"
        "for name in ('uvicorn.access', 'uvicorn.error'):\n"
        "    logging.getLogger(name).info('GET /?counts=271828')\n"
        "    logging.getLogger(name).warning('a warning is written')\n"
    )
    run = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    written = run.stdout + run.stderr
    assert written.count("a warning is written") == 2
    assert "271828" not in written


# --- of more than 1,000 parameters, which Streamlit drops: the page says so in a sentence ---

SENTENCE = "A link may have at most 1,000 parameters: got 1001. Nothing of it was taken over."


async def _answers(app: Any, query: bytes, kind: str = "http", path: str = "/Accuracy") -> list[dict[str, Any]]:
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await app({"type": kind, "path": path, "query_string": query}, None, send)
    return sent


async def _reached(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "reached"})


@pytest.mark.parametrize(("number", "dropped"), [(1, False), (1000, False), (1001, True)])
def test_the_browser_is_sent_on_from_what_would_be_dropped(number: int, dropped: bool) -> None:
    sent = asyncio.run(_answers(long_links.said(_reached), b"&".join([b"a=1"] * number)))
    assert (sent == [{"type": "reached"}]) != dropped
    if dropped:
        assert sent[0]["status"] == 307
        assert (b"location", b"?too_many_parameters=1001") in sent[0]["headers"]


@pytest.mark.parametrize("page", [page.path for page in menu.PAGES])
@pytest.mark.parametrize("base", ["", "/behind/a-proxy"])
def test_any_spelling_of_a_page_leads_to_it_with_its_query(page: str, base: str) -> None:
    name = Path(page).stem.partition("_")[2]
    title = next(found.title for found in menu.PAGES if found.path == page)
    for spelled in {title, title.lower(), title.lower().replace(" ", "-"), name.lower(), name.upper()} - {name, ""}:
        for end in ("", "/"):
            asked = f"{base}/{spelled}{end}"
            (start, _) = asyncio.run(_answers(long_links.said(_reached), b"epsilon=2&a=%20", path=asked))
            found = urljoin(f"http://somewhere{quote(asked)}", dict(start["headers"])[b"location"].decode())
            assert (start["status"], found) == (307, f"http://somewhere{base}/{name}?epsilon=2&a=%20")
    for right in (f"{base}/{name}", f"{base}/_stcore/health", f"{base}/static/tour.js"):
        assert asyncio.run(_answers(long_links.said(_reached), b"epsilon=2", path=right)) == [{"type": "reached"}]


def test_what_is_no_page_passes() -> None:
    assert asyncio.run(_answers(long_links.said(_reached), b"&" * 2000, "websocket")) == [{"type": "reached"}]


def test_the_page_says_what_became_of_the_link() -> None:
    at = follow("app.py", {long_links.TOO_MANY: "1001"})
    assert "Nothing was taken over" in notice(at) and SENTENCE in notice(at)


@pytest.mark.parametrize("found", [{long_links.TOO_MANY: ["1001"]}, {"a": ["1"] * 1001}])
def test_too_many_are_refused_however_they_come(found: dict[str, list[str]]) -> None:
    with pytest.raises(ValueError, match="at most 1,000 parameters: got 1001"):
        scenario_file.from_query(found)
