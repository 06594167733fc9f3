"""A mark finds its message again, even if the id means another one now."""

from __future__ import annotations

from datetime import UTC, datetime

from pollux.model import Anchor, Author, Marks, Message, MessageMarks, Role, SessionMarks, Text, ToolCall

NOON, LATER = datetime(2026, 11, 16, 12, tzinfo=UTC), datetime(2026, 11, 16, 13, tzinfo=UTC)


def _message(id: str, text: str, at: datetime | None = NOON) -> Message:
    return Message(id=id, role=Role.USER, author=Author.HUMAN, at=at, parts=(Text(text=text),))


def _place(anchor: Anchor, messages: list[Message]) -> int | None:
    return anchor.place([Anchor.of(message) for message in messages])


def test_a_message_is_known_by_its_id() -> None:
    messages = [_message("line-1", "a"), _message("line-2", "b", LATER)]
    assert _place(Anchor.of(messages[1]), messages) == 1
    assert _place(Anchor(id="line-2"), messages) == 1
    assert _place(Anchor(id="line-3"), messages) is None


def test_a_message_that_was_completed_later_is_the_same() -> None:
    anchor = Anchor.of(_message("m", "a"))
    assert _place(anchor, [_message("m", "a and more")]) == 0
    assert _place(anchor, [_message("m", "a and more", LATER)]) == 0


def test_another_message_in_the_same_line_is_not_meant() -> None:
    anchor = Anchor.of(_message("line-2", "b", LATER))
    messages = [_message("line-1", "new"), _message("line-2", "a"), _message("line-3", "b", LATER)]
    assert _place(anchor, messages) == 2
    untimed = Anchor.of(_message("line-2", "b", None))
    assert _place(untimed, [_message("line-1", "b", None), _message("line-2", "a", None)]) == 0


def test_of_several_messages_with_the_same_words_the_one_of_that_time_is_meant() -> None:
    anchor = Anchor.of(_message("line-9", "yes", LATER))
    messages = [_message("line-1", "yes"), _message("line-2", "yes", LATER)]
    assert _place(anchor, messages) == 1
    assert _place(Anchor.of(_message("line-9", "yes", None)), messages) is None


def test_of_equal_messages_without_times_the_nearest_is_meant() -> None:
    messages = [_message(f"line-{line}", "yes", None) for line in (3, 8, 15)]
    assert [_place(Anchor.of(_message(f"line-{line}", "yes", None)), messages) for line in (2, 7, 14)] == [0, 1, 2]


def test_words_count_more_than_a_time_that_several_messages_have() -> None:
    context, prompt = _message("line-2", "context"), _message("line-3", "prompt")
    moved = [_message("line-3", "context"), _message("line-4", "prompt")]
    assert [_place(Anchor.of(one), moved) for one in (context, prompt)] == [0, 1]
    assert _place(Anchor.of(prompt), [moved[0], _message("line-4", "another")]) is None
    assert _place(Anchor.of(prompt), [_message("line-3", "context", LATER)]) is None
    assert _place(Anchor.of(prompt), [_message("line-2", "before", LATER), _message("line-3", "prompt and more")]) == 1


def test_an_equal_message_that_moved_to_the_line_is_not_meant() -> None:
    second = _message("line-5", "yes", LATER)
    assert _place(Anchor.of(second), [_message("line-5", "yes"), _message("line-7", "yes", LATER)]) == 1


def test_messages_that_stood_in_one_line_have_different_keys() -> None:
    messages = [_message("line-5", "yes"), _message("line-5", "yes", LATER), _message("line-5", "no")]
    assert len({Anchor.of(message).key for message in messages}) == 3
    assert {Anchor.of(_message("msg_5", words)).key for words in ("yes", "yes and more")} == {"msg_5"}


def test_an_id_of_its_own_is_enough() -> None:
    messages = [_message("msg_1", "a"), _message("msg_2", "b", LATER), _message("msg_2", "c", LATER)]
    assert _place(Anchor.of(_message("msg_2", "a")), messages) == 1
    assert _place(Anchor.of(_message("msg_2", "c")), messages) == 2
    assert _place(Anchor.of(_message("msg_3", "a")), messages) == 0


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
    assert _place(moved, [calls[0], Message(id="line-1", role=Role.USER, author=Author.HUMAN), calls[1]]) == 2


def test_marks_of_messages_that_are_gone_are_left_out() -> None:
    messages = [_message("a", "a"), _message("b", "b")]
    marks = SessionMarks(
        messages={id: MessageMarks(anchor=Anchor(id=id), marks=Marks(starred=True, note=id)) for id in ("b", "gone")}
    )
    assert marks.by_message(messages) == {1: Marks(starred=True, note="b")}


def test_marks_without_any_mark_are_false() -> None:
    assert not Marks()
    assert Marks(name="x")
