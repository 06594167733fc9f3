"""Pages for everybody: axe-core finds nothing to complain about, in either theme."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.unit.writers.kitchen_sink import SESSION
from tests.web.browser_page import BrowserPage, page_of


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_is_accessible(scheme: str, visit: Callable[..., BrowserPage]) -> None:
    watched = visit(page_of(SESSION), scheme=scheme)
    watched.press("e", "t")
    # Everything is laid out, so that colours can be judged.
    watched.ask(
        "document.querySelectorAll('article').forEach((article) => article.scrollIntoView({behavior: 'instant'}))"
    )
    violations = Axe().run(watched.page)
    assert violations.violations_count == 0, violations.generate_report()
