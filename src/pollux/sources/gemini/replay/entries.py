"""One message of a log, however often it was written: what a later writing adds to it, and what it must not take."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import datetime
from typing import Any

import msgspec

from pollux.model import Fate
from pollux.sources.gemini.format.content import is_made_up, pieces, plain_text
from pollux.sources.gemini.format.schema import Call, FunctionCall, Message, Part, Tokens

Copies = dict[tuple[str | None, datetime | None], int | None]
"""Other writings of a message: their ids and times, with the line of the first."""


class Entry(msgspec.Struct, gc=False):
    """One message, however often it was written: its richest form, its fate, and where it first stood."""

    message: Message
    turn: int
    line: int | None
    item: int | None
    fate: Fate = Fate.LIVE
    inherited: bool = False
    copy_of: Entry | None = None
    copies: Copies | None = None
    replaced: list[dict[str, Any]] | None = None

    def also(self, name: str | None, at: datetime | None, line: int | None) -> None:
        """Note another writing."""
        if self.copies is None:
            self.copies = {}
        self.copies.setdefault((name, at), line)

    def set_aside(self, **old: Any) -> None:
        """Keep what a later writing replaced."""
        if self.replaced is None:
            self.replaced = []
        self.replaced.append(old)


def enrich(entry: Entry, later: Message, line: int | None) -> None:
    """Take a later writing of the same message in: newer words win, but nothing is lost to a poorer copy."""
    kept = entry.message
    if later.id != kept.id or later.timestamp != kept.timestamp:
        entry.also(later.id, later.timestamp, line)
    if later.timestamp is not None and (kept.timestamp is None or later.timestamp < kept.timestamp):
        kept.timestamp = later.timestamp
    if later.content != kept.content:
        _renew(entry, "content", later.content, line)
    if later.displayContent is not None:
        _renew(entry, "displayContent", later.displayContent, line)
    if later.type is not None and later.type != kept.type:
        _replace(entry, "type", later.type, line)
    if later.model is not None and later.model != kept.model:
        _replace(entry, "model", later.model, line)
    if later.tokens is not None and later.tokens != kept.tokens:
        if _used(later.tokens) >= _used(kept.tokens):
            _replace(entry, "tokens", later.tokens, line)
        else:
            entry.set_aside(tokens=later.tokens, line=line)
    if later.thoughts and later.thoughts != kept.thoughts:
        _replace(entry, "thoughts", later.thoughts, line)
    if later.toolCalls:
        kept.toolCalls = _joined(kept.toolCalls, later.toolCalls, entry, line)
    if later.extra:
        kept.extra = {**kept.extra, **later.extra}


def form(value: Message | Part | str) -> bytes:
    """The same for all that is equal, however its keys are ordered."""
    try:
        written = msgspec.json.encode(value, order="sorted")
    except UnicodeEncodeError:  # half a character
        written = repr(msgspec.to_builtins(value, order="sorted")).encode()
    return hashlib.blake2b(written, digest_size=16).digest()


def _used(tokens: Tokens | None) -> int:
    """How much figures tell of: the richest of a message count."""
    told = (tokens.input, tokens.output, tokens.thoughts, tokens.tool) if tokens is not None else ()
    return sum(figure for figure in told if figure is not None)


def _renew(entry: Entry, name: str, later: Any, line: int | None) -> None:
    """New content replaces old. Where both say the same the richer form stays; where the new says nothing, the old."""
    kept = getattr(entry.message, name)
    if later is None or later == kept:
        return
    if kept is None or kept in ("", []):
        setattr(entry.message, name, later)
        return
    old, new = plain_text(entry.message, name), plain_text(Message(content=later))
    if old == new and isinstance(kept, str):
        setattr(entry.message, name, later)
    elif old == new and isinstance(later, str):
        return
    elif new or isinstance(later, list):
        _replace(entry, name, later, line)
    elif later != "":
        entry.set_aside(**{name: later, "line": line})


def _replace(entry: Entry, name: str, later: Any, line: int | None) -> None:
    kept = getattr(entry.message, name)
    if kept is not None and kept != []:
        entry.set_aside(**{name: kept, "line": line})
    setattr(entry.message, name, later)


def _joined(kept: list[Call] | None, later: list[Call], entry: Entry, line: int | None) -> list[Call]:
    """Calls by id: a later record of a call replaces an earlier one, but not the outcome it had.

    Where a history is rewritten (0.44+) an outcome is only shortened, or joined with those of the calls beside it.
    """
    if not kept:
        return later
    calls = {call.id or f"#{n}": call for n, call in enumerate(kept)}
    for n, call in enumerate(later):
        name = call.id or f"#{n}"
        old = calls.get(name)
        if old is not None and old != call:
            if old.result is not None and (call.result is None or call.status == old.status):
                old, call = call, old  # noqa: PLW2901
            entry.set_aside(toolCall=old, line=line)
        calls[name] = call
    return list(calls.values())


def gathered(entries: Iterable[Entry]) -> list[Entry]:
    """The entries, with the calls of a stopped turn in the reply that asked for them.

    After Esc the line that tells of it stands last, so that the calls are recorded in a message of their own behind it.
    """
    found: list[Entry] = []
    reply: Entry | None = None
    for entry in entries:
        message = entry.message
        if message.type == "gemini":
            if reply is not None and _completes(entry, reply):
                _take_over(reply, entry)
                continue
            reply = entry
        elif message.type == "user" and not answers(message):
            reply = None
        found.append(entry)
    return found


def _completes(entry: Entry, reply: Entry) -> bool:
    """Is it nothing but the calls that a reply asked for: by its own words, or as the only one that can have?"""
    message, calls = entry.message, entry.message.toolCalls or []
    if message.tokens is not None or message.thoughts or message.displayContent is not None:
        return False
    made = {form(Part(functionCall=FunctionCall(id=call.id, name=call.name, args=call.args))) for call in calls}
    if any(item != "" and form(item) not in made for item in pieces(message.content)):
        return False
    if all(call.status != "cancelled" for call in calls) or message.model not in (None, reply.message.model):
        return False
    items = [item for item in pieces(reply.message.content) if not isinstance(item, str)]
    asked = [item.functionCall for item in items if item.functionCall is not None]
    if asked:
        named = sorted(call.name or "" for call in asked) == sorted(call.name or "" for call in calls)
        ids = {call.id for call in calls}
        return named and all(call.id in ids or is_made_up(call.id) for call in asked)
    return entry.fate is reply.fate and reply.message.tokens is not None and not reply.message.toolCalls


def _take_over(reply: Entry, entry: Entry) -> None:
    """Give a reply the calls that a later message holds."""
    message = entry.message
    reply.message.toolCalls = _joined(reply.message.toolCalls, message.toolCalls or [], reply, entry.line)
    reply.message.extra = {**message.extra, **reply.message.extra}
    reply.also(message.id, message.timestamp, entry.line)
    for (name, at), line in (entry.copies or {}).items():
        reply.also(name, at, line)
    for old in entry.replaced or ():
        reply.set_aside(**old)


def answers(message: Message) -> bool:
    """Does a message hold a tool's answer?"""
    return any(not isinstance(piece, str) and piece.functionResponse is not None for piece in pieces(message.content))
