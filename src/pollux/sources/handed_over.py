"""Conversations that came from another session: pollux begins them with a note, other programs leave their marks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from msgspec.structs import replace

from pollux.model import HANDED_OVER, Author, Link, Message, Role, Usage
from pollux.writers.native.note import Handover, read_note

_NOTE = "it begins with the note of a hand-over"
# casr writes this text at the beginning if it is asked to (`--enrich`).
_CASR = "[casr synthetic context]"
_CASR_AGENT = re.compile(r"originally created in (\S+) and converted")
_CASR_ID = re.compile(r"^Original session ID: (\S+)\.$", re.MULTILINE)
_HUMAN, _CLIENT, _USER = Author.HUMAN, Author.CLIENT, Role.USER


class Arrival(NamedTuple):
    """The messages of a session, those marked that came along from another one, and links to that one."""

    messages: list[Message]
    links: tuple[Link, ...] = ()


def with_note(messages: list[Message]) -> Arrival:
    """The messages of a session, which may begin with a note of pollux, before or after other texts of the client.

    What is not newer than the note came along.
    """
    first, note = None, None
    for first in messages:
        if first.role is _USER and ((note := read_note(first.text)) is not None or first.author is _HUMAN):
            break
    if note is None or first is None:
        return Arrival(messages)
    end = own_part(note, [Said(m.at, m.role is _USER, has_figures(m.usage)) for m in messages])
    marked = [replace(message, inherited=True) if n < end else message for n, message in enumerate(messages)]
    marked = [replace(message, author=_CLIENT) if message.id == first.id else message for message in marked]
    # In a fork, the note is a copy, and the fork's own link names its origin.
    return Arrival(marked, () if first.inherited else (link_of(note),))


class Said(NamedTuple):
    """What shows whether a message came along: its time, whether the user said it, and whether it has figures."""

    at: datetime | None
    is_users: bool
    counts: bool


def own_part(note: Handover, messages: Sequence[Said]) -> int:
    """The place at which the session's own part begins: with what is newer than the note, or has figures.

    Figures show that something was asked for here. So nobody can hide a request, nor its prompt, by typing a note.
    """
    for place, (at, _, counts) in enumerate(messages):
        if at is not None and at > note.at:
            return place
        if counts:
            return next((before for before in range(place - 1, -1, -1) if messages[before].is_users), place)
    return len(messages)


def link_of(note: Handover) -> Link:
    """The link to the session that a note names."""
    return Link(kind=HANDED_OVER, target=note.origin, evidence=_NOTE)


def has_figures(usage: Usage | None) -> bool:
    """Are these figures of a request? Some programs write zeros into what they copy."""
    return usage is not None and bool(usage.input or usage.output)


def as_copies(messages: Sequence[Message], copied: Iterable[bool]) -> list[Message]:
    """The messages, those marked that a program copied. A message with figures counts here, whoever wrote it."""
    return [
        replace(message, inherited=True) if is_copy and not has_figures(message.usage) else message
        for message, is_copy in zip(messages, copied, strict=True)
    ]


def is_casr_notice(author: Author, text: str) -> bool:
    """Did casr write this, to say where a conversation comes from?"""
    return author is not Author.MODEL and text.startswith(_CASR)


def casr_links(messages: Iterable[Message]) -> tuple[Link, ...]:
    """The link to the session that casr names, if it does."""
    for message in messages:
        if is_casr_notice(message.author, message.text):
            agent, id = _CASR_AGENT.search(message.text), _CASR_ID.search(message.text)
            if agent is not None and id is not None:
                # casr names agents as their vendors do, `…-code`.
                target = f"{agent[1].removesuffix('-code')}:{id[1]}"
                return (Link(kind=HANDED_OVER, target=target, evidence="casr converted it, and names its origin"),)
    return ()
