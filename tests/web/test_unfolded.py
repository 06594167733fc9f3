"""What is not in sight when a page is opened: menus, dialogs, and the pages of a machine without sessions."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.web.markup import Markup
from tests.web.serving import SAMPLE_KEY, Served, serving
from tests.web.tab import Tab

Open = Callable[..., Tab]
EMPTY = (
    "/",
    "/?q=anything",
    "/edits",
    "/stats",
    "/timeline",
    "/projects",
    "/friction",
    "/archive",
    "/doctor",
    "/audit",
)
SCHEMES = pytest.mark.parametrize("scheme", ["light", "dark"])
MENUS = ("Marks", "Resume", "Export", "Look closer")


@pytest.fixture(scope="module")
def nothing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server over a home without agents."""
    with serving(tmp_path_factory.mktemp("nothing"), None) as server:
        yield server


def problems(here: Tab) -> list[object]:
    """What axe finds."""
    found = Axe().run(here.page).response["violations"]
    return [(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in found]


@SCHEMES
@pytest.mark.parametrize("width", [360, 1280])
def test_a_machine_without_sessions(nothing: Served, tab: Open, scheme: str, width: int) -> None:
    here = tab(nothing, scheme=scheme, width=width)
    for path in EMPTY:
        here.go(path)
        assert problems(here) == [], path
        assert here.ask("document.documentElement.scrollWidth <= innerWidth"), path
        assert Markup(nothing.get(path).text).problems == [], path


@SCHEMES
@pytest.mark.parametrize("width", [360, 1280])
def test_every_menu_of_a_session(served: Served, tab: Open, scheme: str, width: int) -> None:
    here = tab(served, f"/s/{SAMPLE_KEY}", scheme=scheme, width=width)
    for words in MENUS:
        here.page.click(f".menu > summary:text-is('{words}')")
        assert here.ask("document.querySelectorAll('.menu[open]').length") == 1
        assert problems(here) == [], words
        inside = "(() => { const box = document.querySelector('.menu[open] .panel').getBoundingClientRect(); "
        assert here.ask(inside + "return box.left >= 0 && box.right <= innerWidth })()"), words
        here.press("Escape")


@SCHEMES
@pytest.mark.parametrize("path", ["/", "/stats", f"/s/{SAMPLE_KEY}"])
def test_the_dialogs(served: Served, tab: Open, scheme: str, path: str) -> None:
    here = tab(served, path, scheme=scheme)
    here.press("?")
    here.wait("document.getElementById('help').open")
    assert problems(here) == []
    here.press("Escape", "Control+k")
    here.wait("document.getElementById('palette').open")
    here.wait("document.querySelectorAll('#palette li').length > 12")
    assert problems(here) == []


@SCHEMES
def test_everything_that_can_be_unfolded(served: Served, tab: Open, scheme: str) -> None:
    for path in ("/", "/edits", f"/s/{SAMPLE_KEY}"):
        here = tab(served, path, scheme=scheme)
        here.ask("document.querySelectorAll('main details, .facets details').forEach((one) => (one.open = true))")
        here.page.wait_for_timeout(100)
        assert problems(here) == [], path
