"""One log, two views: as it happened, and as Gemini CLI would resume it.

Gemini CLI's own loader walks the records and ends with a list of messages; whatever a rewind, a compression, a resume
or a cancelled turn took out of that list is gone for it, though it is still in the file. Replay follows the loader
step by step to know which messages are *live*, and at the same time keeps every message ever written, once, at the
place where it first stood, with what became of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from pollux.model import Fate, Severity
from pollux.sources.gemini.content import is_summary, plain_text
from pollux.sources.gemini.schema import Call, Facts, Message, Record
from pollux.wire import Notes


class Entry:
    """One message, however often it was written: its richest form, its fate, and where it first stood."""

    __slots__ = ("copies", "copy_of", "fate", "item", "line", "message", "replaced", "turn")

    def __init__(self, message: Message, turn: int, line: int | None, item: int | None) -> None:
        self.message = message
        self.turn = turn
        self.line = line
        self.item = item
        self.copy_of: Entry | None = None
        self.fate = Fate.LIVE
        self.copies: dict[tuple[str | None, datetime | None], int | None] = {}
        self.replaced: list[dict[str, Any]] = []


class Replay:
    """The state of one session log while its records go by."""

    def __init__(self, notes: Notes) -> None:
        self.notes = notes
        self.facts: dict[str, Any] = {}
        self.earlier_facts: list[dict[str, Any]] = []
        self.unknown: list[dict[str, Any]] = []
        self._written: list[Entry] = []
        self.started: datetime | None = None
        self.updated: datetime | None = None
        self._by_id: dict[str, Entry] = {}
        self._live: dict[str, Entry] = {}

    def run(self, records: Iterable[tuple[int | None, Record]]) -> Replay:
        """Take all records in; the order of the questions is the loader's."""
        for line, record in records:
            self.notes.line = line
            if record.rewindTo is not None:
                self._rewind(record.rewindTo)
                self._leftovers(line, record)
            elif record.id is not None or (record.type is not None and record.content is not None):
                self._add(record, line, None)
            elif record.set is not None:
                self._set(record.set, line)
                self._leftovers(line, record)
            elif record.sessionId is not None or record.projectHash is not None or record.messages is not None:
                self._state(record)
                for item, message in enumerate(record.messages or ()):
                    self._add(message, line, item if line is None else None)
            else:
                self._leftovers(line, record, unknown=True)
        self.notes.line = None
        return self

    @property
    def entries(self) -> list[Entry]:
        """Every message ever written, once, in the order in which they first stood in the file."""
        return [entry for entry in self._written if entry.copy_of is None]

    @property
    def live(self) -> list[Entry]:
        """The messages the CLI would resume with, in its order."""
        return list(self._live.values())

    def _add(self, message: Message, line: int | None, item: int | None) -> None:
        """A message: new, or written again under the same id."""
        known = self._by_id.get(message.id) if message.id is not None else None
        if known is None:
            entry = Entry(message, len(self._written), line, item)
            if message.id is None:
                message.id = f"{'line' if line is not None else 'item'}-{line if line is not None else item}"
                self.notes.add("message.no-id", "A message has no id; one was derived from its place.")
                if message.id in self._by_id:
                    message.id = f"{message.id}-{len(self._written)}"
            self._written.append(entry)
            self._by_id[message.id] = entry
            self._live[message.id] = entry
        else:
            enrich(known, message, line)
            known.fate = Fate.LIVE
            self._live.setdefault(message.id, known)  # type: ignore[arg-type]

    def _rewind(self, target: str) -> None:
        """`/rewind`: that message and all after it go; an unknown id clears everything."""
        order = list(self._live)
        start = order.index(target) if target in self._live else 0
        if target not in self._live:
            self.notes.add("rewind.unknown", "A rewind names a message that is not there; it cleared everything.", Severity.INFO)
        for name in order[start:]:
            self._live.pop(name).fate = Fate.REWOUND

    def _set(self, changes: Facts, line: int | None) -> None:
        self._state(changes)
        if changes.messages is not None:
            self._rebuild(changes.messages, line)

    def _rebuild(self, messages: list[Message], line: int | None) -> None:
        """`$set.messages`: the live list is made anew. What it holds again is recognised, what it lacks is dropped."""
        listed = {message.id for message in messages}
        unlisted = [entry for name, entry in self._live.items() if name not in listed]
        self._live = {}
        kept: list[Entry] = []
        fresh: list[Entry] = []
        for message in messages:
            known = self._by_id.get(message.id) if message.id is not None else None
            if known is None and (known := _take_alike(unlisted, message)) is not None:
                self._by_id[message.id or ""] = known
            if known is None:
                self._add(message, line, None)
                fresh.append(self._written[-1])
                kept.append(self._written[-1])
            else:
                enrich(known, message, line)
                known.fate = Fate.LIVE
                self._live[message.id or ""] = known
                kept.append(known)
        dropped = self._join_copies(unlisted, kept)
        fate = _cause(dropped, fresh)
        for entry in dropped:
            entry.fate = fate

    def _join_copies(self, unlisted: list[Entry], kept: list[Entry]) -> list[Entry]:
        """Messages written again under new ids just before the list: join them with what they copy."""
        dropped: list[Entry] = []
        candidates = list(kept)
        for entry in unlisted:
            copy = _take_copy(candidates, entry)
            if copy is None:
                dropped.append(entry)
                continue
            enrich(entry, copy.message, copy.line)
            entry.copies |= copy.copies
            entry.fate = Fate.LIVE
            copy.copy_of = entry
            for table in (self._by_id, self._live):
                for name, held in table.items():
                    if held is copy:
                        table[name] = entry
        return dropped

    def _state(self, facts: Facts | Record) -> None:
        """Merge what the session says about itself; an earlier statement that differs is kept aside."""
        for name in ("sessionId", "projectHash", "kind", "summary", "directories", "memoryScratchpad"):
            value = getattr(facts, name)
            if value is not None:
                if name in self.facts and self.facts[name] != value:
                    self.earlier_facts.append({name: self.facts[name]})
                self.facts[name] = value
        if facts.startTime is not None:
            if self.started is not None and facts.startTime != self.started:
                self.earlier_facts.append({"startTime": facts.startTime.isoformat()})
            self.started = facts.startTime if self.started is None else min(self.started, facts.startTime)
        if facts.lastUpdated is not None:
            self.updated = facts.lastUpdated if self.updated is None else max(self.updated, facts.lastUpdated)
        if type(facts) is Record:
            for name in ("messageCount", "userMessageCount", "firstUserMessage", "hasResumableContent"):
                if (value := getattr(facts, name)) is not None:
                    self.facts[name] = value
        if facts.extra:
            self.facts.update(facts.extra)

    def _leftovers(self, line: int | None, record: Record, *, unknown: bool = False) -> None:
        """A record of a kind we do not know is kept whole, and so is what stood beside a known one."""
        rest = dict(record.extra)
        if unknown:
            for name in ("type", "timestamp", "model", "content", "summary", "kind"):
                if (value := getattr(record, name)) is not None:
                    rest[name] = value if type(value) in (str, dict) else str(value)
            what = ", ".join(sorted(key for key in rest)) or "empty"
            kind = f"type {record.type!r}" if record.type else f"keys {what}"
            self.notes.add("record.unknown", f"A record of a kind we do not know ({kind}); kept.", subject=f"record {kind}")
        if rest:
            self.unknown.append({"line": line, "record": rest})


def _take_alike(entries: list[Entry], message: Message) -> Entry | None:
    """The first dropped entry that says the same as a message that comes under a new id; it is taken from the list."""
    text = plain_text(message)
    if not text.strip():
        return None
    for index, entry in enumerate(entries):
        if entry.message.type == message.type and plain_text(entry.message).strip() == text.strip():
            return entries.pop(index)
    return None


def _take_copy(candidates: list[Entry], entry: Entry) -> Entry | None:
    """The bare copy of `entry` among the kept ones: same type, same words, written later, with nothing of its own."""
    text = plain_text(entry.message).strip()
    for index, copy in enumerate(candidates):
        message = copy.message
        if (
            message.type == entry.message.type
            and message.tokens is None
            and not message.toolCalls
            and copy.turn > entry.turn
            and plain_text(message).strip() == text
        ):
            del candidates[: index + 1]
            return copy
    return None


def _cause(dropped: list[Entry], fresh: list[Entry]) -> Fate:
    """Why messages left the list: folded into a summary, cancelled, failed, or simply not taken along."""
    if any(is_summary(entry.message) for entry in fresh):
        return Fate.COMPRESSED
    if any(_cancelled(entry.message) for entry in dropped):
        return Fate.CANCELLED
    spoken = [entry.message for entry in dropped if entry.message.type in ("user", "gemini")]
    if spoken and all(message.type == "user" for message in spoken):
        return Fate.FAILED
    return Fate.COMPRESSED if not spoken else Fate.REWOUND


def _cancelled(message: Message) -> bool:
    if message.type == "info":
        return message.content == "Request cancelled."
    return any(call.status == "cancelled" for call in message.toolCalls or ())


def enrich(entry: Entry, later: Message, line: int | None) -> None:
    """Take a later writing of the same message in: newer words win, but nothing is lost to a poorer copy."""
    kept = entry.message
    if later.id != kept.id or later.timestamp != kept.timestamp:
        entry.copies.setdefault((later.id, later.timestamp), line)
    if later.timestamp is not None and (kept.timestamp is None or later.timestamp < kept.timestamp):
        kept.timestamp = later.timestamp
    _renew(entry, "content", later.content, line)
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
    """New content replaces old, unless it says the same or nothing; the richer form of the same words stays."""
    kept = getattr(entry.message, name)
    if later is None or later == kept:
        return
    if kept is None or kept in ("", []):
        setattr(entry.message, name, later)
        return
    old, new = plain_text(entry.message, name), plain_text(Message(content=later), "content")
    if old == new:
        if isinstance(later, list) and not isinstance(kept, list):
            setattr(entry.message, name, later)
        return
    if new or isinstance(later, list):
        _replace(entry, name, later, line)


def _replace(entry: Entry, name: str, later: Any, line: int | None) -> None:
    kept = getattr(entry.message, name)
    if kept is not None and kept != []:
        entry.replaced.append({name: kept, "line": line})
    setattr(entry.message, name, later)


def _joined(kept: list[Call] | None, later: list[Call], entry: Entry, line: int | None) -> list[Call]:
    """Calls by id: a later record of a call replaces an earlier one, but not a finished by an unfinished."""
    if not kept:
        return later
    calls = {call.id or f"#{n}": call for n, call in enumerate(kept)}
    for n, call in enumerate(later):
        name = call.id or f"#{n}"
        old = calls.get(name)
        if old is not None and old != call:
            if call.result is None and old.result is not None:
                old, call = call, old  # noqa: PLW2901
            entry.replaced.append({"toolCall": old, "line": line})
        calls[name] = call
    return list(calls.values())
