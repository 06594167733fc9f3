"""The menus of a session: wherever their buttons come to stand, what they show is inside the window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.web.serving import SAMPLE_KEY, serving
from tests.web.tab import Tab

INSIDE = """(() => {
  const box = document.querySelector('.menu[open] .panel').getBoundingClientRect();
  const button = document.querySelector('.menu[open] summary').getBoundingClientRect();
  return box.left >= 0 && box.right <= innerWidth && box.top >= button.bottom && box.width > 100;
})()"""


@pytest.mark.parametrize("width", [360, 900, 1024, 1280, 1400, 2560])
def test_menus_stay_inside_the_window(tmp_path: Path, tab: Callable[..., Tab], width: int) -> None:
    with serving(tmp_path) as served:
        session = served.web.reading.session(served.web.reading.entry(SAMPLE_KEY))
        here = tab(served, f"/s/{SAMPLE_KEY}", width=width)
        for name in ("one", "a-second-tag", "another-one-that-is-longer", "the-longest-of-all-the-tags-that-are-here"):
            for words in ("Marks", "Resume", "Export", "Look closer"):
                here.page.click(f".menu > summary:text-is('{words}')")
                assert here.ask(INSIDE), (words, name)
                here.page.click(f".menu > summary:text-is('{words}')")
            assert served.post(f"/mark/{SAMPLE_KEY}", {"tag": name}).status == 303
            marked = {"message": session.messages[1].id, "star": "yes", "note": "The first of those that matter."}
            assert served.post(f"/mark/{SAMPLE_KEY}", marked).status == 303
            here.page.reload()
        here.page.click(".menu > summary:text-is('1 marked message')")
        assert here.ask(INSIDE)
        here.leave()
