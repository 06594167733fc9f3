"""One message of a log, however often it was written: what a later copy adds, and what it must not remove."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import datetime
from typing import Any

import msgspec

from pollux.model import Fate
from pollux.sources.gemini_sessions.format.content import lacks_real_id, pieces, plain_text
from pollux.sources.gemini_sessions.format.schema import Call, FunctionCall, Message, Part, Tokens

Copies = dict[tuple[str | None, datetime | None], int | None]
"""Other copies of a message: their ids and times, with the line of the first."""


class Entry(msgspec.Struct, gc=False):
    """One message, however often it was written: its fullest form, its fate, and its first place."""

    message: Message
    turn: int
    line: int | None
    item: int | None
    fate: Fate = Fate.LIVE
    inherited: bool = False
    copy_of: Entry | None = None
    copies: Copies | None = None
    replaced: list[dict[str, Any]] | None = None

    def add_copy(self, name: str | None, at: datetime | None, line: int | None) -> None:
        """Note another copy."""
        if self.copies is None:
            self.copies = {}
        self.copies.setdefault((name, at), line)

    def set_aside(self, **old: Any) -> None:
        """Keep what a later copy replaced."""
        if self.replaced is None:
            self.replaced = []
        self.replaced.append(old)


def enrich(entry: Entry, later: Message, line: int | None) -> None:
    """Merge a later copy of a message: newer words replace older ones, but a poorer copy removes nothing."""
    message = entry.message
    if later.id != message.id or later.timestamp != message.timestamp:
        entry.add_copy(later.id, later.timestamp, line)
    if later.timestamp is not None and (message.timestamp is None or later.timestamp < message.timestamp):
        message.timestamp = later.timestamp
    if later.content != message.content:
        _renew_content(entry, "content", later.content, line)
    if later.displayContent is not None:
        _renew_content(entry, "displayContent", later.displayContent, line)
    if later.type is not None and later.type != message.type:
        _replace(entry, "type", later.type, line)
    if later.model is not None and later.model != message.model:
        _replace(entry, "model", later.model, line)
    if later.tokens is not None and later.tokens != message.tokens:
        # A turn with calls is written twice, first without its figures.
        if message.tokens is None or _token_count(later.tokens) >= _token_count(message.tokens):
            _replace(entry, "tokens", later.tokens, line)
        else:
            entry.set_aside(tokens=later.tokens, line=line)
    if later.thoughts and later.thoughts != message.thoughts:
        _replace(entry, "thoughts", later.thoughts, line)
    if later.toolCalls:
        calls = message.toolCalls
        message.toolCalls = _join_calls(calls, later.toolCalls, entry, line) if calls else later.toolCalls
    if later.extra:
        message.extra = {**message.extra, **later.extra}


def digest_of(value: Message | Part | str) -> bytes:
    """A digest that is the same for equal values, in any order of keys."""
    try:
        encoded = msgspec.json.encode(value, order="sorted")
    except UnicodeEncodeError:  # a lone surrogate
        encoded = repr(msgspec.to_builtins(value, order="sorted")).encode()
    return hashlib.blake2b(encoded, digest_size=16).digest()


def _token_count(tokens: Tokens) -> int:
    """The sum of the figures: the largest of a message count."""
    return (tokens.input or 0) + (tokens.output or 0) + (tokens.thoughts or 0) + (tokens.tool or 0)


def _renew_content(entry: Entry, name: str, later: Any, line: int | None) -> None:
    """Replace old content by new. The richer form of the same words stays. An empty new one changes nothing."""
    current = getattr(entry.message, name)
    if later is None or later == current:
        return
    if current is None or current in ("", []):
        setattr(entry.message, name, later)
        return
    old, new = plain_text(entry.message, name), plain_text(Message(content=later))
    if old == new and isinstance(current, str):
        setattr(entry.message, name, later)
    elif old == new and isinstance(later, str):
        return
    elif new or isinstance(later, list):
        _replace(entry, name, later, line)
    elif later != "":
        entry.set_aside(**{name: later, "line": line})


def _replace(entry: Entry, name: str, later: Any, line: int | None) -> None:
    current = getattr(entry.message, name)
    if current is not None and current != []:
        entry.set_aside(**{name: current, "line": line})
    setattr(entry.message, name, later)


def _join_calls(earlier: list[Call] | None, later: list[Call], entry: Entry, line: int | None) -> list[Call]:
    """Calls by id: a later record of a call replaces an earlier one, but not its outcome.

    In a rewritten history (0.44+) an outcome is only shortened, or joined with those of neighbouring calls.
    """
    if not earlier:
        return later
    calls = {call.id or f"#{n}": call for n, call in enumerate(earlier)}
    for n, call in enumerate(later):
        name = call.id or f"#{n}"
        old = calls.get(name)
        if old is not None and old != call:
            if old.result is not None and (call.result is None or call.status == old.status):
                old, call = call, old  # noqa: PLW2901
            entry.set_aside(toolCall=old, line=line)
        calls[name] = call
    return list(calls.values())


def gather_calls(entries: Iterable[Entry]) -> list[Entry]:
    """The entries, with the calls of a stopped turn in the reply that made them.

    After Esc, the line that says so comes first, and the calls follow it in a separate message.
    """
    result: list[Entry] = []
    reply: Entry | None = None
    for entry in entries:
        message = entry.message
        if message.type == "gemini":
            if reply is not None and message.tokens is None and _has_calls_of(entry, reply):
                _take_over(reply, entry)
                continue
            reply = entry
        elif message.type == "user" and not answers(message):
            reply = None
        result.append(entry)
    return result


def _has_calls_of(entry: Entry, reply: Entry) -> bool:
    """Does an entry without figures hold only calls of this reply: by its content, or as only it can have made them?"""
    message, calls = entry.message, entry.message.toolCalls or []
    if message.thoughts or message.displayContent is not None:
        return False
    recorded = {
        digest_of(Part(functionCall=FunctionCall(id=call.id, name=call.name, args=call.args))) for call in calls
    }
    if any(item != "" and digest_of(item) not in recorded for item in pieces(message.content)):
        return False
    if all(call.status != "cancelled" for call in calls) or message.model not in (None, reply.message.model):
        return False
    items = [item for item in pieces(reply.message.content) if not isinstance(item, str)]
    requested = [item.functionCall for item in items if item.functionCall is not None]
    if requested:
        same_names = sorted(call.name or "" for call in requested) == sorted(call.name or "" for call in calls)
        ids = {call.id for call in calls}
        return same_names and all(call.id in ids or lacks_real_id(call.id) for call in requested)
    return entry.fate is reply.fate and reply.message.tokens is not None and not reply.message.toolCalls


def _take_over(reply: Entry, entry: Entry) -> None:
    """Give a reply the calls of a later message."""
    message = entry.message
    reply.message.toolCalls = _join_calls(reply.message.toolCalls, message.toolCalls or [], reply, entry.line)
    reply.message.extra = {**message.extra, **reply.message.extra}
    reply.add_copy(message.id, message.timestamp, entry.line)
    for (name, at), line in (entry.copies or {}).items():
        reply.add_copy(name, at, line)
    for old in entry.replaced or ():
        reply.set_aside(**old)


def answers(message: Message) -> bool:
    """Does a message hold a tool's answer?"""
    for piece in pieces(message.content):  # noqa: SIM110 (faster, and every prompt passes here)
        if type(piece) is Part and piece.functionResponse is not None:
            return True
    return False
