"""One log, two views: as it happened, and as Gemini CLI would resume it.

Gemini CLI's own loader walks through the records and ends with a list of messages. Messages that a rewind, a
compression, a resume or a cancelled turn took out of that list are gone for the CLI, but still in the file. Replay
follows the loader step by step to know which messages are *live*. It also keeps every message that was ever written,
once, at its first place, with its fate.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from itertools import dropwhile, pairwise
from typing import Any

from pollux.model import Fate, Severity
from pollux.sources.gemini_sessions.format.content import is_client_text, is_summary, plain_text
from pollux.sources.gemini_sessions.format.records import LogLine
from pollux.sources.gemini_sessions.format.schema import Message, Record, SessionFields
from pollux.sources.gemini_sessions.replay.copies import find_originals
from pollux.sources.gemini_sessions.replay.entries import Entry, answers, digest_of, enrich
from pollux.wire import Notes, RecordList, tidy

_LOST = (Fate.FAILED, Fate.REWOUND)
_COUNTS = (
    "messageCount",
    "userMessageCount",
    "firstUserMessage",
    "hasResumableContent",
    "hasUserOrAssistantMessage",
)
_LIVE = Fate.LIVE  # members of an enumeration are slow to look up


class Replay:
    """The state of one session log while its records are read."""

    def __init__(self, notes: Notes) -> None:
        self.notes = notes
        self.facts: dict[str, Any] = {}
        self.earlier_facts: list[dict[str, Any]] = []
        self.unknown = RecordList(notes)
        self._all_entries: list[Entry] = []
        self.started: datetime | None = None
        self.updated: datetime | None = None
        self._by_id: dict[str, Entry] = {}
        self._live: dict[str, Entry] = {}
        self._joined_entries: dict[str, list[Entry]] = {}
        self._set_aside: set[tuple[int, bytes]] = set()
        self._dropped = False
        self._rewinding = False
        self._resumed_at = 0

    def run(self, records: Iterable[tuple[int | None, LogLine]]) -> Replay:
        """Process all records. The order of the checks is the loader's."""
        notes = self.notes
        for line, record in records:
            notes.line = line
            if type(record) is Message:
                self._add(record, line, None)
            elif type(record) is datetime:
                self._set_time(record)
            elif type(record) is Record:
                self._apply(record, line)
        notes.line = None
        if self._dropped:
            self._restore_prompts()
        return self

    def _apply(self, record: Record, line: int | None) -> None:
        """Process a record that is not only a message or a time."""
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

    @property
    def entries(self) -> list[Entry]:
        """Every message ever written, once, in the order of their first places in the file."""
        return [entry for entry in self._all_entries if entry.copy_of is None]

    @property
    def live(self) -> dict[str, Entry]:
        """The messages that the CLI would resume with, in its order and under its ids."""
        return dict(self._live)

    def _add(self, message: Message, line: int | None, item: int | None) -> None:
        """Add a message: a new one, or another copy under the same id."""
        if message.type == "human":  # published notes on the format name it; no release is known to write it
            message.type, message.extra = "user", {**message.extra, "type": "human"}
        known = self._by_id.get(message.id) if message.id is not None else None
        if known is None:
            entry = Entry(message, len(self._all_entries), line, item)
            if message.id is None:
                message.id = f"{'line' if line is not None else 'item'}-{line if line is not None else item}"
                self.notes.add("message.no-id", "A message has no id; one was derived from its place.")
                if message.id in self._by_id:
                    message.id = f"{message.id}-{len(self._all_entries)}"
            self._all_entries.append(entry)
            self._by_id[message.id] = entry
            self._live[message.id] = entry
        else:
            self._add_again(known, message, line)
            self._live.setdefault(message.id, known)  # type: ignore[arg-type]

    def _add_again(self, known: Entry, message: Message, line: int | None) -> None:
        """Add a message under a known id: it is live again, and may have more content."""
        run = self._joined_entries.get(message.id or "")
        if run is None:
            enrich(known, message, line)
            known.fate = _LIVE
            return
        known.add_copy(message.id, message.timestamp, line)
        copy = known.turn, digest_of(message)
        if copy not in self._set_aside:
            self._set_aside.add(copy)
            known.set_aside(copy=message, line=line)
        for entry in run:
            entry.fate = Fate.LIVE

    def _entries_of(self, name: str) -> list[Entry]:
        """The messages under an id: one, or several that a copy joins."""
        return self._joined_entries.get(name) or [self._live[name]]

    def _rewind(self, target: str) -> None:
        """`/rewind` removes a message and all after it; an unknown id removes everything."""
        if target not in self._live:
            self.unknown.add({"line": self.notes.line, "record": {"$rewindTo": target}})
            self.notes.add("rewind.unknown", "A rewind names an unknown message; it removed everything.", Severity.INFO)
        name = None
        while self._live and name != target:
            name = next(reversed(self._live))
            for entry in self._entries_of(name):
                entry.fate = Fate.REWOUND
            del self._live[name]
        self._rewinding = True

    def _restore_prompts(self) -> None:
        """A loader skips some prompts whose answers it keeps: such a prompt gets the fate of its answer."""
        turns = [entry for entry in self.entries if _is_turn(entry.message)]
        for prompt, after in pairwise(turns):
            answered = after.message.type == "gemini" and after.message.model is not None
            if answered and prompt.fate in _LOST and _is_prompt(prompt.message):
                prompt.fate = after.fate

    def _set_time(self, updated: datetime) -> None:
        if self.updated is None or updated > self.updated:
            self.updated = updated

    def _set(self, changes: SessionFields, line: int | None) -> None:
        self._state(changes)
        if changes.sessionId is not None:
            # A resume begins with this: nothing before it was written together with the list that follows.
            self._resumed_at = len(self._all_entries)
        if changes.messages is not None:
            self._rebuild(changes.messages, line)

    def _rebuild(self, messages: list[Message], line: int | None) -> None:
        """`$set.messages` replaces the live list. Messages in it are recognised, missing ones are dropped."""
        ids = {message.id for message in messages}
        unlisted = [entry for name in self._live if name not in ids for entry in self._entries_of(name)]
        burst = self._burst(messages)
        compressed = any(is_summary(message) and message.id not in self._by_id for message in messages)
        renamed = [message.id not in self._by_id or message.id in burst for message in messages]
        originals = find_originals(messages, [entry.message for entry in unlisted], renamed, backwards=compressed)
        self._live = {}
        recognized: set[int] = set()
        for message, places in zip(messages, originals, strict=True):
            known = self._by_id.get(message.id) if message.id is not None else None
            if places:
                recognized.update(places)
                known = self._recognize([unlisted[place] for place in places], known, message)
            elif known is None:
                self._add(message, line, None)
                continue
            else:
                # A burst that copies nothing of this session comes from a checkpoint of another session.
                known.inherited = known.inherited or message.id in burst
            self._add_again(known, message, line)
            self._live[message.id or ""] = known
        dropped = [entry for place, entry in enumerate(unlisted) if place not in recognized]
        fate = Fate.COMPRESSED if compressed else _drop_fate(dropped)
        if fate is Fate.COMPRESSED and not compressed and self._rewinding:
            fate = Fate.REWOUND
        self._dropped = self._dropped or fate in _LOST
        for entry in dropped:
            entry.fate = fate
        self._rewinding = False

    def _burst(self, messages: list[Message]) -> set[str | None]:
        """The ids of copies that were written just before the list: only turns without model or figures."""
        burst: list[Message] = []
        first = max(len(self._all_entries) - len(messages), self._resumed_at)
        for entry in reversed(self._all_entries[first:]):
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

    def _recognize(self, run: list[Entry], copy: Entry | None, message: Message) -> Entry:
        """Recognise a message as a copy of an earlier one, or of several that it joins."""
        original = run[-1]
        if len(run) > 1:
            self._joined_entries[message.id or ""] = run
        if copy is not None and copy is not original:
            self._add_again(original, copy.message, copy.line)
            copy.copy_of = original
            for (name, at), place in (copy.copies or {}).items():
                original.add_copy(name, at, place)
        self._by_id[message.id or ""] = original
        return original

    def _state(self, facts: SessionFields | Record) -> None:
        """Merge the facts of the session. An earlier fact that differs is kept separately."""
        pairs = (
            ("sessionId", facts.sessionId),
            ("projectHash", facts.projectHash),
            ("kind", facts.kind),
            ("summary", facts.summary),
            ("directories", facts.directories),
            ("memoryScratchpad", tidy(facts.memoryScratchpad) if facts.memoryScratchpad is not None else None),
        )
        for name, value in pairs:
            if value is not None:
                if name in self.facts and self.facts[name] != value:
                    self.earlier_facts.append({name: self.facts[name]})
                self.facts[name] = value
        if facts.startTime is not None:
            if self.started is not None and facts.startTime != self.started:
                self.earlier_facts.append({"startTime": max(self.started, facts.startTime).isoformat()})
            self.started = facts.startTime if self.started is None else min(self.started, facts.startTime)
        if facts.lastUpdated is not None:
            self._set_time(facts.lastUpdated)
        if isinstance(facts, Record):
            for name in _COUNTS:
                if (value := getattr(facts, name)) is not None:
                    self.facts[name] = value
        if facts.extra:
            self.facts.update(facts.extra)

    def _leftovers(self, line: int | None, record: Record, *, unknown: bool = False) -> None:
        """Keep a record of an unknown kind, or the unknown fields of a known one."""
        rest = dict(record.extra)
        if unknown:
            for name in ("type", "timestamp", "model", "content", "summary", "kind"):
                if (value := getattr(record, name)) is not None:
                    rest[name] = value if type(value) in (str, dict) else str(value)
            what = ", ".join(sorted(key for key in rest)) or "empty"
            kind = f"type {record.type!r}" if record.type else f"keys {what}"
            self.notes.add("record.unknown", f"A record of an unknown kind ({kind}); kept.", subject=f"record {kind}")
        if rest:
            self.unknown.add({"line": line, "record": rest})


def _drop_fate(dropped: list[Entry]) -> Fate:
    """The fate of messages that left the list: cancelled, failed, compressed, or rewound."""
    turn = list(dropwhile(lambda message: not _is_turn(message), (entry.message for entry in dropped)))
    turns = list(filter(_is_turn, turn))
    if not turns:
        return Fate.COMPRESSED
    if sum(map(_is_prompt, turns)) <= 1 and any(map(_is_cancelled, turn)):
        return Fate.CANCELLED
    return Fate.FAILED if all(map(_is_prompt, turns)) else Fate.REWOUND


def _is_turn(message: Message) -> bool:
    return message.type == "gemini" or _is_prompt(message)


def _is_prompt(message: Message) -> bool:
    """Did a human write it? Neither tools' answers nor the client's texts count."""
    return message.type == "user" and not answers(message) and not is_client_text(plain_text(message))


def _is_cancelled(message: Message) -> bool:
    if message.type == "info":
        return message.content == "Request cancelled."
    return any(call.status == "cancelled" for call in message.toolCalls or ())
