"""A real browser: Debian's chromium, driven by playwright. Without one these tests are skipped, but never in CI.

Its shell without windows is taken first: a tab of it costs a quarter of the processor time, and pages are drawn alike.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.web.browser_page import BrowserPage
from tests.web.serving import Served, serving
from tests.web.tab import Tab

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser")
CHROMIUM = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        reason = "no chromium here: `apt-get install chromium-headless-shell`, or name one in $CHROMIUM"
        if os.environ.get("POLLUX_BROWSER") == "required":
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def visit(browser: Browser, tmp_path: Path) -> Iterator[Callable[..., BrowserPage]]:
    """Open a page's text, or a file, and watch what it does; whatever it should not do fails the test at its end."""
    opened: list[BrowserPage] = []

    def visit(
        page: str | Path, *, width: int = 1200, scheme: str = "light", zone: str = "UTC", at: str = ""
    ) -> BrowserPage:
        file = page if isinstance(page, Path) else tmp_path / f"page-{len(opened)}.html"
        if isinstance(page, str):
            file.write_text(page, "utf-8")
        opened.append(BrowserPage(browser, file, width=width, scheme=scheme, zone=zone, at=at))
        return opened[-1]

    yield visit
    for watched in opened:
        watched.leave()


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server over the sample, for tests that change nothing in it."""
    with serving(tmp_path_factory.mktemp("served")) as server:
        yield server


@pytest.fixture
def tab(browser: Browser) -> Iterator[Callable[..., Tab]]:
    """Opens a page of a server, as a browser that the user opened; whatever it should not do fails the test."""
    opened: list[Tab] = []

    def tab(server: Served, path: str = "/", **options: Any) -> Tab:
        opened.append(Tab(browser, server, path, **options))
        return opened[-1]

    yield tab
    for one in opened:
        one.leave()
