"""What a person sees in a real browser when something goes wrong while a page is open."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pollux.library.library import Filter
from tests.web.serving import SAMPLE_KEY, serving
from tests.web.tab import Tab

Open = Callable[..., Tab]
EXPECTED = ("Failed to load resource", "ERR_")
"""What chromium itself says of an answer that is none."""


@pytest.mark.parametrize(("agent", "said"), [("qwen", "You still see"), ("claude", "Only its prompts are left")])
def test_a_session_that_is_deleted_while_it_is_open_stays_to_be_read(
    agent: str, said: str, tmp_path: Path, tab: Open
) -> None:
    with serving(tmp_path) as served:
        session = served.web.library.list(Filter(agent=agent))[0].summary
        files = [Path(name) for name in session.files]
        kept = {file: file.read_bytes() for file in files}
        here = tab(served, f"/s/{session.key}")
        here.page.wait_for_timeout(500)
        for file in files:
            file.unlink()
        here.wait("document.getElementById('gone') !== null")
        shown = here.page.inner_text("main")
        assert said in here.page.inner_text("#gone")
        assert len(shown) > 500
        for file, data in kept.items():  # and when it comes back, that is said no more
            file.write_bytes(data)
        here.wait("document.getElementById('gone') === null")
        assert here.page.inner_text("main") == shown
        here.leave(*EXPECTED)


def test_a_server_that_has_ended_is_told_in_every_tab(tmp_path: Path, tab: Open) -> None:
    with serving(tmp_path) as served:
        here = tab(served, f"/s/{SAMPLE_KEY}")
        other = here.open("/")
        here.page.wait_for_timeout(500)
    for page in (here.page, other):
        here.wait("document.getElementById('away')?.textContent.includes('does not answer')", page=page)
    here.leave(*EXPECTED)


def test_a_query_that_is_too_long_is_told_and_stays(tmp_path: Path, tab: Open) -> None:
    with serving(tmp_path) as served:
        here = tab(served)
        here.page.fill("#find", "long " * 3000)
        here.wait("document.getElementById('found').textContent", "Too long")
        assert here.ask("document.getElementById('find').value.length") == 15_000
        here.page.fill("#find", "harbour")
        here.wait("document.querySelectorAll('mark').length > 0")
        here.leave(*EXPECTED)


def test_the_page_that_is_shown_is_in_sight_in_the_bar_of_a_phone(tmp_path: Path, tab: Open) -> None:
    with serving(tmp_path) as served:
        here = tab(served, "/doctor", width=360)
        where = "document.querySelector('.places').getBoundingClientRect()"
        link = "document.querySelector('.places [aria-current]').getBoundingClientRect()"
        here.wait(f"{link}.left >= {where}.left && {link}.right <= {where}.right")
        here.leave()
