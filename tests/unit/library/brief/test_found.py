"""What matches a query comes first, and is told once."""

from __future__ import annotations

from pollux.library.brief.found import Match
from pollux.library.brief.one_session import About, Material
from pollux.library.brief.values import Importance, Item, Section
from pollux.model import Message, Thinking
from tests.unit.library.brief.made import human, model, run, session


def items(messages: list[Message], *matches: Match) -> list[Item]:
    about = About(name="claude:abcdef12", matches=matches, matching=len(matches))
    return Material(session(*messages), about).items


def test_a_prompt_or_reply_that_matches_stays_in_its_place() -> None:
    messages = [human("about beans"), model("yes"), human("other"), model("no")]
    found = items(messages, Match(place=0, words=("Beans",)))
    assert [(item.section, item.what, item.note, item.importance) for item in found] == [
        (Section.STATE, "last reply", "", Importance.STATE),
        (Section.COURSE, "asked", "matches", Importance.FOUND),
        (Section.COURSE, "replied", "", Importance.STATE),
        (Section.COURSE, "asked", "", Importance.FRAME),
    ]


def test_other_passages_are_items_from_a_little_before_the_match() -> None:
    output = "first line " * 100 + "the needle is here"
    messages = [human("a"), model(Thinking(text="a needle thought"), run("grep", output)), model("b")]
    (passage, *_) = items(messages, Match(place=1, words=("needle", "is", "here")))
    assert (passage.section, passage.what) == (Section.FOUND, "the model, result of shell")
    assert passage.text.startswith("…")
    assert passage.text.endswith("the needle is here")
    assert len(passage.text) < 150
    assert passage.covers == ((1, 1),)


def test_a_long_reply_is_told_from_its_match_on() -> None:
    messages = [human("a"), model("word " * 200 + "needle")]
    (reply, _) = items(messages, Match(place=1, words=("needle",)))
    assert reply.text.startswith("…word")
    assert reply.text.endswith("needle")


def test_a_match_of_the_title_is_no_passage() -> None:
    found = items([human("a"), model("b")], Match(place=0, words=("title",)))
    assert [item.section for item in found] == [Section.STATE, Section.COURSE]
    assert [item.importance for item in found] == [Importance.STATE, Importance.FOUND]


def test_a_message_that_was_named() -> None:
    found = items([human("a"), model("b", run("ls")), model("c")], Match(place=1, words=()), Match(place=0, words=()))
    assert [(item.section, item.text) for item in found if item.importance is Importance.FOUND] == [
        (Section.FOUND, "b"),
        (Section.COURSE, "a"),
    ]
    assert found[-2].note == "as named"
