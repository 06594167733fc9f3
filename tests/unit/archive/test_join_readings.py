"""Readings of one session joined: nothing lost, nothing twice, nothing made up."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pollux.archive.join_readings import join_readings
from pollux.model import Author, Message, Origin, Role, Session, Text


def message(id: str, text: str, file: str = "a", at: datetime | None = None) -> Message:
    origin = Origin(file=file, line=1)
    return Message(id=id, role=Role.USER, author=Author.HUMAN, parts=(Text(text=text),), origin=origin, at=at)


def noon(minute: int) -> datetime:
    return datetime(2026, 11, 15, 12, minute, tzinfo=UTC)


def session(*messages: Message) -> Session:
    return Session(agent="parrot", id="1", messages=messages)


def told(*readings: Session) -> list[tuple[str, str]]:
    result = join_readings(readings[-1], readings).session
    return [(one.id, one.text) for one in result.messages]


def test_what_is_gone_stands_where_it_stood() -> None:
    early = session(message("1", "one"), message("2", "two"), message("3", "three"))
    late = session(message("1", "one"), message("3", "three"), message("4", "four"))
    assert [text for _, text in told(early, late)] == ["one", "two", "three", "four"]


def test_the_same_words_under_another_id_stand_once() -> None:
    assert told(session(message("1", "one")), session(message("9", "one"))) == [("9", "one")]


@pytest.mark.parametrize(("one", "other"), [(1, 1), (None, 1), (1, None)])
def test_it_was_said_at_the_same_time(one: int | None, other: int | None) -> None:
    early, late = (message(id, "one", at=noon(at) if at else None) for id, at in (("1", one), ("9", other)))
    assert told(session(early), session(late)) == [("9", "one")]


def test_the_same_words_at_another_time_are_another_message() -> None:
    shared = message("1", "begin", at=noon(0))
    early = session(shared, message("2", "go", at=noon(1)), message("3", "done", at=noon(2)))
    late = session(shared, message("4", "on", at=noon(3)), message("5", "done", at=noon(4)))
    assert told(early, late) == [("1", "begin"), ("2", "go"), ("3", "done"), ("4", "on"), ("5", "done")]


def test_messages_that_are_named_by_lines_of_two_files() -> None:
    begun, left, right = message("1", "begin", at=noon(0)), message("2", "left", at=noon(1)), noon(2)
    both = session(
        begun, left, message("3", "ok", at=noon(1)), message("2-2", "on", at=right), message("3-3", "ok", at=right)
    )
    one = session(begun, message("2", "on", at=right), message("3", "ok", at=right))
    assert told(both, one) == [("1", "begin"), ("2@1", "left"), ("3@1", "ok"), ("2", "on"), ("3", "ok")]


def test_messages_without_times_that_are_named_by_lines_of_two_files() -> None:
    both = session(message("1", "begin"), message("2", "left"), message("2-2", "right"))
    assert told(both, session(message("1", "begin"), message("2", "right"))) == [
        ("1", "begin"),
        ("2@1", "left"),
        ("2", "right"),
    ]


def test_a_message_that_said_something_else_stands_in_both_forms() -> None:
    assert told(session(message("1", "one")), session(message("1", "other"))) == [("1@1", "one"), ("1", "other")]


def test_the_fuller_form_of_a_message_counts() -> None:
    assert told(session(message("1", "one and more")), session(message("1", "one"))) == [("1", "one and more")]


def test_what_the_agent_has_no_more_is_counted_and_its_file_named() -> None:
    now = session(message("2", "two", "now"))
    result = join_readings(now, [session(message("1", "one", "kept"), message("2", "two", "kept")), now])
    assert result.lost == 1
    assert {witness.file: witness.messages for witness in result.shares} == {"kept": 1, "now": 1}
    assert result.session.kept
