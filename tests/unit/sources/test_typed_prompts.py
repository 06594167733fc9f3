"""Typed lines, which all agents keep in much the same way."""

from __future__ import annotations

from datetime import UTC, datetime

from pollux.model import Author, Fate, Kind, Message, Origin, Role, Text
from pollux.sources.typed_prompts import MessageTexts, command_title, prompts_id, typed_message, typed_sessions


def typed(text: str, *, command: bool = False, hour: int | None = None) -> Message:
    at = datetime(2026, 1, 1, hour, tzinfo=UTC) if hour is not None else None
    return typed_message("1", text, at, Origin(file="log", line=1), {}, command=command)


def test_a_typed_line_is_a_message_of_the_human() -> None:
    prompt, command = typed("hi"), typed("/quit", command=True)
    assert (prompt.role, command.role) == (Role.USER, Role.SYSTEM)
    assert {prompt.author, command.author} == {Author.HUMAN}
    assert prompt.parts == (Text(text="hi"),)
    assert prompt.fate is Fate.LIVE
    assert typed_message("1", None, None, Origin(file="log"), {}, command=False).parts == ()


def test_a_session_of_typed_lines_lasts_from_the_first_to_the_last() -> None:
    messages = [typed("b", hour=2), typed("a", hour=1), typed("c")]
    (session,) = typed_sessions("agent", "1", messages, ["log"], (), project="/p")
    assert session.kind is Kind.PROMPTS
    assert (session.started, session.ended) == (messages[1].at, messages[0].at)
    assert (session.project, session.files) == ("/p", ("log",))
    assert typed_sessions("agent", "1", [], ["log"], ()) == []


def test_a_command_names_a_session_in_which_nothing_was_asked() -> None:
    assert command_title([typed("/help", command=True), typed("/quit", command=True)]) == "/help"
    assert command_title([typed("/help", command=True), typed("hi")]) is None
    assert command_title([]) is None


def test_white_space_does_not_matter_for_what_was_said() -> None:
    reply = Message(id="2", role=Role.ASSISTANT, author=Author.MODEL, parts=(Text(text="reply"),))
    text = MessageTexts([typed("one  two\nthree"), reply])
    assert text.holds("two three")
    assert not text.holds("reply")


def test_an_id_without_a_session_lasts() -> None:
    assert prompts_id(b"a") == prompts_id(b"a") != prompts_id(b"b")
    assert prompts_id(b"a").endswith("-prompts")
