"""The real server over homes that agents left, in the browser: find, open, toggle, follow, chart, compare, mark."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
from axe_playwright_python.sync_playwright import Axe

from pollux.library.library import Filter
from tests.web.serving import serving
from tests.web.tab import Tab

Open = Callable[..., Tab]
CORPUS = Path(__file__).parents[1] / "corpus"
AGENTS = sorted(folder.name for folder in CORPUS.iterdir() if any(folder.glob("*/home")))
PAGES = (
    "/?all=1",
    "/edits",
    "/stats?by=session",
    "/timeline",
    "/projects",
    "/friction",
    "/doctor",
    "/audit",
    "/archive",
)


def newest_home(agent: str) -> Path:
    """The home with the most files that the newest release left."""
    homes = [home for home in (CORPUS / agent).glob("*/home") if home.parent.name[0].isdigit()]
    return max(homes, key=lambda home: (_release(home.parent.name), len([*home.rglob("*")])))


def _release(name: str) -> list[int]:
    return [int(part) for part in name.partition("-")[0].split(".")]


@pytest.mark.parametrize("agent", AGENTS)
def test_a_history_of_each_agent(agent: str, tmp_path: Path, tab: Open) -> None:
    with serving(tmp_path, newest_home(agent)) as served:
        every = [entry.summary for entry in served.web.library.list(Filter(everything=True))]
        largest = max(every, key=lambda summary: summary.counts.prompts)
        here = tab(served)
        assert here.page.locator(".row[data-key]").count()
        here.page.fill("#find", f"agent:{largest.agent}")
        here.wait(
            "document.querySelectorAll('.facet').length > 0 && document.querySelectorAll('.row[data-key]').length > 0"
        )
        here.go(f"/s/{quote(largest.key, safe=':')}")
        here.wait("document.getElementById('state') !== null && document.readyState === 'complete'")
        assert here.page.locator("main article").count()
        here.press("e", "t", "j", "m")
        here.wait("document.querySelector('article.starred') !== null")
        here.press("v")
        here.wait("location.search", "?view=live")
        problems(here, "the session")
        here.page.click("summary:text-is('Look closer')")
        here.page.click(".panel a:text-is('Records')")
        here.page.click(".figures-table tbody td:last-child a >> nth=0")
        assert here.page.locator("pre.code, .nothing").count()
        for path in PAGES:
            here.go(path)
            problems(here, path)
        others = [summary for summary in every if summary.key != largest.key]
        if others:
            here.go(f"/compare/{quote(largest.key, safe=':')}/{quote(others[0].key, safe=':')}")
            problems(here, "compare")
        here.leave()


def problems(here: Tab, path: str) -> None:
    """Nothing that axe finds, and nothing wider than the window."""
    found = Axe().run(here.page).response["violations"]
    assert [(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in found] == [], path
    assert here.ask("document.documentElement.scrollWidth <= innerWidth"), path


def test_a_fork_is_compared_from_where_it_parts(tmp_path: Path, tab: Open) -> None:
    """From a session over its relatives to the comparison, and from there to the message where each goes on alone."""
    with serving(tmp_path, CORPUS / "codex" / "0.100.0" / "home") as served:
        library = served.web.library
        first, second = (library.session(name).key for name in ("01a1ddcb-ed", "01a1ddcb-ef"))
        here = tab(served, f"/s/{second}", scripts=False)
        here.page.click(".menu > summary:has-text('related session')")
        here.page.click(f".relatives li:has(a[href='/s/{first}']) a:has(small)")
        names = here.page.locator(".asked-for h3").all_inner_texts()
        assert names == ["shared", "A", "B"]
        shared, *own = (column.inner_text() for column in here.page.locator(".asked-for section").all())
        assert "First question" in shared
        assert "First question" not in "".join(own)
        assert here.page.locator("text=Where it goes on alone").count() == 2
        here.page.click("text=Where it goes on alone >> nth=0")
        anchor = here.page.url.partition("#")[2]
        assert here.page.locator(f"article#{anchor}").count() == 1
        here.leave()
