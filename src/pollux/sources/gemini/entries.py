"""One message of a log, however often it was written: what a later writing adds to it, and what it must not take."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from pollux.model import Fate
from pollux.sources.gemini.content import plain_text
from pollux.sources.gemini.schema import Call, Message

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
        _replace(entry, "tokens", later.tokens, line)
    if later.thoughts and later.thoughts != kept.thoughts:
        _replace(entry, "thoughts", later.thoughts, line)
    if later.toolCalls:
        kept.toolCalls = _joined(kept.toolCalls, later.toolCalls, entry, line)
    if later.extra:
        kept.extra = {**kept.extra, **later.extra}


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
