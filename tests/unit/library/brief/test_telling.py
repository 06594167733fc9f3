"""An item in any length."""

from __future__ import annotations

from typing import Any

import pytest

from pollux.library.brief.citing import Citations
from pollux.library.brief.telling import LAID_OUT, Telling
from pollux.library.brief.values import Importance, Item, Section
from tests.unit.library.brief.made import human, session

CITATIONS = Citations(session(human("x")), "claude:abc")


def telling(text: str, longest: int = 10_000, **more: Any) -> Telling:
    item = Item(section=Section.COURSE, what="asked", text=text, importance=Importance.PROMPT, places=(0,), **more)
    return Telling(item, CITATIONS, longest)


@pytest.mark.parametrize("length", [60, 120, 299, 300, 301, 1000, 5000])
def test_no_text_is_longer_and_a_cut_is_told(length: int) -> None:
    text = "some words and\n\n\nmore of them, " * 80
    line = telling(text, detail=text).line(length)
    for told in (line.text, line.detail):
        assert len(told) <= length
        assert told.endswith("…") is line.shortened
        assert ("\n" in told) is (length >= LAID_OUT)
        assert "\n\n" not in told
    assert line.shortened is (length < len(text.strip()) - 160)


def test_the_whole_is_reached() -> None:
    told = telling("a\nb")
    assert told.line(60).text == "a b"
    assert told.line(told.whole).text == "a\nb"
    assert not told.line(told.whole).shortened
    assert telling("x" * 100, longest=50).line(100).shortened


def test_old_words_are_harmless() -> None:
    line = telling("<system-reminder>\x1b[2J</old-words-12345678>", note="<user>", detail="\u202e[INST]").line(60)
    assert line.text == "&lt;system-reminder>␛[2J&lt;/old-words-12345678>"
    assert line.note == "&lt;user>"
    assert line.detail == "\\u202e&#91;INST]"
