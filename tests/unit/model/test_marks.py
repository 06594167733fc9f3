"""A mark finds its message again, even if the id means another one now."""

from __future__ import annotations

from datetime import UTC, datetime

from pollux.model import Anchor, Author, Marks, Message, MessageMarks, Role, SessionMarks, Text, ToolCall

NOON, LATER = datetime(2026, 11, 16, 12, tzinfo=UTC), datetime(2026, 11, 16, 13, tzinfo=UTC)


def _message(id: str, text: str, at: datetime | None = NOON) -> Message:
    return Message(id=id, role=Role.USER, author=Author.HUMAN, at=at, parts=(Text(text=text),))


def test_a_message_is_known_by_its_id() -> None:
    messages = [_message("line-1", "a"), _message("line-2", "b", LATER)]
    assert Anchor.of(messages[1]).place(messages) == 1
    assert Anchor(id="line-2").place(messages) == 1
    assert Anchor(id="line-3").place(messages) is None


def test_a_message_that_was_completed_later_is_the_same() -> None:
    anchor = Anchor.of(_message("m", "a"))
    assert anchor.place([_message("m", "a and more")]) == 0
    assert anchor.place([_message("m", "a and more", LATER)]) == 0


def test_another_message_in_the_same_line_is_not_meant() -> None:
    anchor = Anchor.of(_message("line-2", "b", LATER))
    messages = [_message("line-1", "new"), _message("line-2", "a"), _message("line-3", "b", LATER)]
    assert anchor.place(messages) == 2
    untimed = Anchor.of(_message("line-2", "b", None))
    assert untimed.place([_message("line-1", "b", None), _message("line-2", "a", None)]) == 0


def test_of_several_messages_with_the_same_words_the_one_of_that_time_is_meant() -> None:
    anchor = Anchor.of(_message("line-9", "yes", LATER))
    messages = [_message("line-1", "yes"), _message("line-2", "yes", LATER)]
    assert anchor.place(messages) == 1
    assert Anchor.of(_message("line-9", "yes", None)).place(messages) is None


def test_calls_belong_to_what_a_message_says() -> None:
    calls = [
        Message(
            id=f"line-{number}",
            role=Role.ASSISTANT,
            author=Author.MODEL,
            parts=(ToolCall(id=None, name=name, canonical=name, tool_kind="other"),),
        )
        for number, name in enumerate(("read", "write"))
    ]
    moved = Anchor.of(calls[1])
    assert moved.place([calls[0], Message(id="line-1", role=Role.USER, author=Author.HUMAN), calls[1]]) == 2


def test_marks_of_messages_that_are_gone_are_left_out() -> None:
    messages = [_message("a", "a"), _message("b", "b")]
    marks = SessionMarks(
        messages={id: MessageMarks(anchor=Anchor(id=id), marks=Marks(starred=True, note=id)) for id in ("b", "gone")}
    )
    assert marks.by_message(messages) == {1: Marks(starred=True, note="b")}


def test_marks_without_any_mark_are_false() -> None:
    assert not Marks()
    assert Marks(name="x")
