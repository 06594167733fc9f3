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

import msgspec

from pollux.model import Fate, Severity
from pollux.sources.gemini.content import is_client_text, is_summary, pieces, plain_text
from pollux.sources.gemini.schema import Call, Facts, Message, Record
from pollux.wire import Notes, tidy

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
        self._rewinding = False

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
                if record.extra:
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
    def live(self) -> dict[str, Entry]:
        """The messages the CLI would resume with, in its order, under the ids by which it knows them."""
        return dict(self._live)

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
            self.unknown.append({"line": self.notes.line, "record": {"$rewindTo": target}})
            self.notes.add(
                "rewind.unknown", "A rewind names a message that is not there; it cleared everything.", Severity.INFO
            )
        for name in order[start:]:
            self._live.pop(name).fate = Fate.REWOUND
        self._rewinding = True

    def _set(self, changes: Facts, line: int | None) -> None:
        if changes.lastUpdated is not None and changes == Facts(lastUpdated=changes.lastUpdated):
            # As every second line of a log.
            if self.updated is None or changes.lastUpdated > self.updated:
                self.updated = changes.lastUpdated
            return
        self._state(changes)
        if changes.messages is not None:
            self._rebuild(changes.messages, line)

    def _rebuild(self, messages: list[Message], line: int | None) -> None:
        """`$set.messages`: the live list is made anew. What it holds again is recognised, what it lacks is dropped."""
        listed = {message.id for message in messages}
        unlisted = [entry for name, entry in self._live.items() if name not in listed]
        burst = self._burst(messages)
        folded = any(is_summary(message) and message.id not in self._by_id for message in messages)
        renamed = [message.id not in self._by_id or message.id in burst for message in messages]
        originals = _aligned(messages, unlisted, renamed, backwards=folded)
        self._live = {}
        for message, original in zip(messages, originals, strict=True):
            known = self._by_id.get(message.id) if message.id is not None else None
            if original is not None:
                self._absorb(original, known, message, line)
                known = original
            elif known is None:
                self._add(message, line, None)
                continue
            else:
                enrich(known, message, line)
                # A burst that copies nothing of this session came from a checkpoint of another.
                known.inherited = known.inherited or message.id in burst
            known.fate = Fate.LIVE
            self._live[message.id or ""] = known
        taken = {id(entry) for entry in originals if entry is not None}
        dropped = [entry for entry in unlisted if id(entry) not in taken]
        fate = Fate.COMPRESSED if folded else _cause(dropped)
        if fate is Fate.COMPRESSED and not folded and self._rewinding:
            fate = Fate.REWOUND
        for entry in dropped:
            entry.fate = fate
        self._rewinding = False

    def _burst(self, messages: list[Message]) -> set[str | None]:
        """The ids of messages written again just before the list: turns without model or figures, and nothing else."""
        burst: list[Message] = []
        for entry in reversed(self._written[len(self._written) - len(messages) :] if messages else []):
            message = entry.message
            own = message.model is not None or message.tokens is not None or bool(message.toolCalls)
            if (
                entry.copy_of is not None
                or message.type not in ("gemini", "user")
                or (own and message.type == "gemini")
            ):
                break
            burst.append(message)
        names = {message.id for message in burst}
        bare = any(message.type == "gemini" for message in burst)
        return names if bare and names <= {message.id for message in messages} else set()

    def _absorb(self, original: Entry, copy: Entry | None, message: Message, line: int | None) -> None:
        """A message that says what an earlier one said is that one, written again."""
        if copy is not None and copy is not original:
            enrich(original, copy.message, copy.line)
            copy.copy_of = original
            for (name, at), place in (copy.copies or {}).items():
                original.also(name, at, place)
        enrich(original, message, line)
        self._by_id[message.id or ""] = original

    def _state(self, facts: Facts | Record) -> None:
        """Merge what the session says about itself; an earlier statement that differs is kept aside."""
        said = (
            ("sessionId", facts.sessionId),
            ("projectHash", facts.projectHash),
            ("kind", facts.kind),
            ("summary", facts.summary),
            ("directories", facts.directories),
            ("memoryScratchpad", tidy(facts.memoryScratchpad) if facts.memoryScratchpad is not None else None),
        )
        for name, value in said:
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
        if isinstance(facts, Record):
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
            self.notes.add(
                "record.unknown", f"A record of a kind we do not know ({kind}); kept.", subject=f"record {kind}"
            )
        if rest:
            self.unknown.append({"line": line, "record": rest})


def _aligned(
    messages: list[Message], entries: list[Entry], renamed: list[bool], *, backwards: bool
) -> list[Entry | None]:
    """For each listed message under a new id the dropped entry it repeats: same type, same words, in the same order.

    A compression keeps the end of a conversation, everything else its beginning: from there equal words are paired.
    """
    step = -1 if backwards else 1
    found: list[Entry | None] = [None] * len(messages)
    words = [_Words(entry.message) for entry in entries]
    position = len(entries) - 1 if backwards else 0
    for index in range(len(messages))[::step]:
        if not renamed[index]:
            continue
        said = _Words(messages[index])
        for place in range(position, -1 if backwards else len(entries), step):
            if words[place].alike(said) and entries[place].message is not messages[index]:
                found[index] = entries[place]
                position = place + step
                break
    return found


class _Words:
    """What two writings of a message have in common: who speaks, the words, and the calls made or answered."""

    def __init__(self, message: Message) -> None:
        self.type = message.type
        self.text = plain_text(message).strip()
        asked = {call.id for call in message.toolCalls or ()}
        for piece in pieces(message.content):
            if not isinstance(piece, str):
                asked |= {part.id for part in (piece.functionCall, piece.functionResponse) if part is not None}
        self.calls = asked - {None}

    def alike(self, other: _Words) -> bool:
        """Do both say the same? Where there are no words the calls must agree."""
        if self.type != other.type or self.text != other.text:
            return False
        if not self.text or (self.calls and other.calls):
            return bool(self.calls) and self.calls == other.calls
        return True


def _cause(dropped: list[Entry]) -> Fate:
    """Why messages left the list: cancelled, failed, or simply not taken along."""
    spoken = [entry.message for entry in dropped if entry.message.type == "gemini" or _is_prompt(entry.message)]
    if not spoken:
        return Fate.COMPRESSED
    if sum(map(_is_prompt, spoken)) <= 1 and any(_cancelled(entry.message) for entry in dropped):
        return Fate.CANCELLED
    return Fate.FAILED if all(map(_is_prompt, spoken)) else Fate.REWOUND


def _is_prompt(message: Message) -> bool:
    """Did a human say it? Neither a tool's answer nor the client's own texts are."""
    return message.type == "user" and not _answers(message) and not is_client_text(plain_text(message))


def _answers(message: Message) -> bool:
    return any(not isinstance(piece, str) and piece.functionResponse is not None for piece in pieces(message.content))


def _cancelled(message: Message) -> bool:
    if message.type == "info":
        return message.content == "Request cancelled."
    return any(call.status == "cancelled" for call in message.toolCalls or ())


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
            entry.set_aside(toolCall=old, line=line)
        calls[name] = call
    return list(calls.values())
