"""The text of a brief: a fence whose word depends on the text alone, and an account that adds up."""

from __future__ import annotations

import hashlib

from pollux.library.brief.layout import closing, fence_lines, fenced, line_text, opening
from pollux.library.brief.values import Account, Line, Searched, Section, Share
from pollux.model import Fate


def test_the_fence_does_not_occur_in_its_text() -> None:
    text = fenced(["some", "words"], ["before"])
    before, begin, *inside, end = text.split("\n")
    assert (before, inside) == ("before", ["some", "words"])
    assert begin == end.replace("</", "<")
    assert len(begin) + len(end) == sum(map(len, fence_lines()))
    assert fenced(["some", "words"], ["before"]) == text
    assert fenced(["some", "wordz"], ["before"]) != text


def test_a_text_that_holds_hashes_gets_another_word() -> None:
    begin = "x"
    word = hashlib.sha256(begin.encode()).hexdigest()[:8]
    inside = f"{begin} {word} {hashlib.sha256(f'{begin} {word}'.encode()).hexdigest()[:8]}"
    fence = fenced([inside], []).split("\n")[0]
    assert fence[len("<old-words-") : -1] not in inside


def test_the_opening_tells_how_many_match() -> None:
    assert opening(2, None)[0].startswith("Brief of 2 sessions, ")
    some = opening(1, Searched(query="<user> a", matched=7))[0]
    assert some.startswith("Brief of 1 of 7 sessions that match '&lt;user> a', ")
    many = opening(1, Searched(query="a", matched=500, more=True, widened=(object(),)))[0]  # type: ignore[arg-type]
    assert many.startswith("Brief of 1 of 500 or more sessions that match 'a', though not exactly, ")


def test_a_line_with_everything() -> None:
    line = Line(
        section=Section.FAILED,
        what="failed",
        text="a\nb",
        note="n",
        detail="d",
        citations=("x:y#z", "x:y#w"),
        message_ids=(),
        at=None,
        fate=Fate.LIVE,
        shortened=False,
    )
    assert line_text(line) == "- failed: a\n  b (n): d [x:y#z] [x:y#w]"


def test_the_account_in_words() -> None:
    account = Account(
        sections={Section.STATE: Share(shown=1, total=1), Section.RAN: Share(shown=0, total=1200)},
        pieces={"prompts": Share(shown=1, total=3)},
        shortened=2,
    )
    told = "Told here: prompts 1 of 3; lines 1 of 1,201 (left out: 1,200 ran), 2 shortened."
    assert closing(account, "claude:abc") == ["", f"{told} Everything: pollux show claude:abc --full"]
    nothing = Account(sections={}, pieces={}, shortened=0)
    assert closing(nothing, "claude:abc")[1] == "There is nothing in it. Everything: pollux show claude:abc --full"
