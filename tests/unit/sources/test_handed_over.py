"""What a note of a hand-over makes of a session's messages, and what it cannot."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from msgspec.structs import replace

from pollux.model import Author, Message, Role, Text, Usage
from pollux.sources.handed_over import casr_links, with_note
from pollux.writers.native.note import Handover, write_note

AT = datetime(2026, 11, 15, 10, tzinfo=UTC)
ORIGIN = "parrot:7c1f"


def said(
    role: Role, text: str, minutes: float | None, usage: Usage | None = None, author: Author | None = None
) -> Message:
    at = AT + timedelta(minutes=minutes) if minutes is not None else None
    author = author or (Author.HUMAN if role is Role.USER else Author.MODEL)
    return Message(id=text, role=role, author=author, at=at, parts=(Text(text=text),), usage=usage)


def note(at: datetime = AT) -> Message:
    text = write_note(Handover(origin=ORIGIN, at=at), "Parrot")
    return replace(said(Role.USER, text, 0), id="note")


def marked(messages: list[Message]) -> dict[str, bool]:
    return {message.id: message.inherited for message in with_note(messages).messages}


OLD = [said(Role.USER, "one", -9), said(Role.ASSISTANT, "1", -8)]
NEW = [said(Role.USER, "two", 1), said(Role.ASSISTANT, "2", 2, Usage(input=7, output=1, requests=1))]


def test_what_came_along_is_marked_and_linked() -> None:
    arrival = with_note([note(), *OLD, *NEW])
    assert marked([note(), *OLD, *NEW]) == {"note": True, "one": True, "1": True, "two": False, "2": False}
    assert [(link.kind, link.target) for link in arrival.links] == [("handed_over_from", ORIGIN)]
    assert [m.text for m in arrival.messages if m.author is Author.HUMAN] == ["one", "two"]


def test_a_context_of_the_client_before_the_note() -> None:
    context = said(Role.USER, "<context>", 3, author=Author.CLIENT)
    assert len(with_note([context, note(), *OLD]).links) == 1
    assert len(with_note([context, replace(note(), author=Author.CLIENT), *OLD]).links) == 1


def test_a_later_note_is_a_prompt() -> None:
    messages = [*OLD, note(), *NEW]
    assert with_note(messages) == (messages, ())


def test_a_request_is_never_hidden() -> None:
    paid = replace(OLD[1], usage=Usage(input=5, output=2, requests=1))
    assert marked([note(), OLD[0], paid]) == {"note": True, "one": False, "1": False}
    assert marked([note(), replace(OLD[1], usage=Usage(input=0, output=0, requests=1))])["1"], "zeros are no figures"


def test_a_typed_note_hides_no_request() -> None:
    """It names a time to come, so that everything is older."""
    typed = note(AT + timedelta(days=365))
    asked = [typed, replace(NEW[1], id="a"), *NEW]
    assert [m.inherited for m in with_note(asked).messages] == [False, False, False, False]


def test_what_has_no_time_came_with_what_is_before_it() -> None:
    first, last = said(Role.ASSISTANT, "a", None), said(Role.ASSISTANT, "b", None)
    assert marked([note(), first, *NEW, last]) == {"note": True, "a": True, "two": False, "2": False, "b": False}


def test_a_fork_of_a_handed_over_session_has_only_its_own_link() -> None:
    copies = [replace(m, inherited=True) for m in [note(), *OLD]]
    arrival = with_note([*copies, *NEW])
    assert arrival.links == ()
    assert arrival.messages[0].author is Author.CLIENT


def test_casr_names_its_origin_only_if_asked_to() -> None:
    text = "[casr synthetic context]\nThis session was originally created in parrot-code and converted to x by casr."
    notice = said(Role.SYSTEM, f"{text}\nOriginal session ID: 7c1f.", -10, author=Author.CLIENT)
    assert [link.target for link in casr_links([notice])] == ["parrot:7c1f"]
    assert casr_links([said(Role.SYSTEM, text, -10, author=Author.CLIENT)]) == ()
    assert casr_links([replace(notice, author=Author.MODEL)]) == (), "a model may quote it"
