"""What a session took over from the one it was forked from: shown in both, counted in the first."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache
from math import inf
from typing import NamedTuple, cast

import msgspec

from pollux.errors import Unreadable
from pollux.model import Message
from pollux.sources.base import File
from pollux.sources.claude.format.peek import is_unique
from pollux.sources.claude.format.schema import Line
from pollux.sources.claude.group import ClaudeBundle
from pollux.sources.claude.messages.messages import Item
from pollux.sources.claude.messages.replies import Pair
from pollux.sources.claude.transcript import Transcript
from pollux.sources.claude.tree.branches import uuids_of
from pollux.system.clock import is_usable
from pollux.wire import REFUSED, Utc, numbered_lines, opened


class _Said(msgspec.Struct):
    id: str | None = None


class _Glance(msgspec.Struct):
    """The little of a record that tells copies apart."""

    type: str | None = None
    uuid: str | None = None
    timestamp: Utc | None = None
    sessionId: str | None = None
    requestId: str | None = None
    cwd: str | None = None
    message: _Said | None = None


_glance = msgspec.json.Decoder(_Glance).decode


class Record(NamedTuple):
    """The line a record stands in, its time, the session it names, the ids of reply and request, and the directory."""

    number: int
    at: datetime | None
    session: str | None
    reply: str | None
    request: str | None
    directory: str | None


Records = dict[str, Record]
"""The records of a session by uuid."""

_NAMED = "copied records carry its id"
_GUESS = "; which of the two is the fork is a guess, made from when each went on"
_OTHER = re.compile(r"[^A-Za-z0-9]")
# Longer names of folders are shortened, and end with a hash.
_LONGEST = 200


class Fork(msgspec.Struct, frozen=True):
    """The session another one was forked from, how we know, and the uuids both hold."""

    name: str
    evidence: str
    shared: frozenset[str]


def has_copies(transcript: Transcript) -> bool:
    """Do records name another session as theirs? Copies stand first."""
    return transcript.foreign or getattr(next(iter(transcript.lines), (0, None))[1], "forkedFrom", None) is not None


def fork_of(bundle: ClaudeBundle, pairs: Iterable[Pair]) -> Fork | None:
    """From which session this one was forked, if from any.

    Copies keep their uuids; where a release gives them new ones, the replies still have their ids. Times tell nothing:
    some releases stamp copies anew. Some leave the parent's id in the copies, others name it beside them; where none
    does, `_is_copy` finds out. Of several it may be the one with the most records in common; of several forks of one
    session none is the other's.
    """
    held = list(pairs)
    named = _named(bundle, held)
    own: Records = {}
    for number, line in held:
        if line.uuid is not None:
            reply = line.message.id if line.type == "assistant" and line.message is not None else None
            own.setdefault(line.uuid, Record(number, line.timestamp, line.sessionId, reply, line.requestId, line.cwd))
    found: list[tuple[tuple[int, int, float, int], ClaudeBundle, frozenset[str], bool]] = []
    for peer in bundle.peers:
        theirs = _records(tuple(peer.transcripts()))
        mine, others = _shared(own, theirs), _shared(theirs, own)
        if not mine or named not in (None, peer.id):
            continue
        sides = _Side(bundle, own, mine), _Side(peer, theirs, others)
        if named is not None or _is_copy(*sides):
            likely = (len(mine), _strangers(theirs, others), _went_on(theirs, others), -len(theirs))
            found.append((likely, peer, mine, _is_guess(*sides)))
    if not found:
        return Fork(named, _NAMED, _foreign(bundle, held)) if named is not None else None
    _, peer, shared, guess = max(found, key=lambda one: one[0])
    told = f"both hold {len(shared)} records with the same ids{_GUESS if guess else ''}"
    return Fork(peer.id, told if named is None else _NAMED, shared)


def _shared(records: Records, others: Records) -> frozenset[str]:
    """The uuids of the records that another session holds as well.

    Where copies have new uuids, prompts and results are known by where they stand: before a reply that is shared.
    """
    same = {uuid for uuid, record in records.items() if uuid in others and _is_same(uuid, record, others[uuid])}
    known = {records[uuid].reply for uuid in same}
    replies: dict[str, set[str | None]] = {}
    for record in others.values():
        if record.reply is not None and record.reply not in known and is_unique(record.reply):
            replies.setdefault(record.reply, set()).add(record.request)
    end = max((record.number for record in records.values() if _is_among(record, replies)), default=0)
    same.update(uuid for uuid, record in records.items() if record.number <= end and uuid not in same)
    return frozenset(same)


def _is_among(record: Record, replies: dict[str, set[str | None]]) -> bool:
    """Is it one of these replies? Where both name their request, it must be the same: some vendors repeat ids."""
    requests = replies.get(record.reply or "", set())
    return bool(requests) and (record.request is None or None in requests or record.request in requests)


def _is_same(uuid: str, one: Record, other: Record) -> bool:
    """Are two records with one uuid the same? An id that is not unique may come up twice."""
    return is_unique(uuid) or one.at == other.at


def _source(line: Line, name: str) -> str | None:
    """The id of another session that a copied record carries."""
    told = getattr(line, "forkedFrom", None)
    if told is not None:
        return cast("str | None", told.sessionId)
    return line.sessionId if line.sessionId != name else None


def _named(bundle: ClaudeBundle, pairs: list[Pair]) -> str | None:
    """The session that the last copied record names. Copies stand first; sub-agents always carry their session's id."""
    lines = [line for _, line in pairs if not line.isSidechain and line.sessionId is not None]
    first = next((line for line in lines if line.type == "user"), None)
    if bundle.kind != "main" or first is None or _source(first, bundle.name) is None:
        return None
    sources = [_source(line, bundle.name) for line in lines]
    last = next((source for source in reversed(sources) if source is not None), None)
    return last if None in sources or last in [peer.id for peer in bundle.peers] else None


def _foreign(bundle: ClaudeBundle, pairs: list[Pair]) -> frozenset[str]:
    """The copied records where the parent is gone: all before the first prompt that carries the session's own id."""
    lines = [line for _, line in pairs]
    last = max(n for n, line in enumerate(lines) if _source(line, bundle.name) is not None)
    end = next(
        (n for n in range(last + 1, len(lines)) if lines[n].type == "user" and lines[n].toolUseResult is None),
        len(lines),
    )
    return frozenset(line.uuid for line in lines[:end] if line.uuid is not None)


class _Side(NamedTuple):
    """One of two sessions that share records."""

    bundle: ClaudeBundle
    records: Records
    shared: frozenset[str]


def _is_copy(own: _Side, other: _Side) -> bool:
    """Is this session the fork, and not its peer? A side question always is one of a session.

    Where nothing else tells, copies that were stamped anew have all but one time; the fork is the one that has more;
    where both went on, the one that went on first: at that moment the parent was as long as what they share.
    """
    known = _known(own, other)
    if known is not None:
        return known
    began, they_began = _went_on(own.records, own.shared), _went_on(other.records, other.shared)
    return began < they_began or (began == they_began and own.bundle.id > other.bundle.id)


def _is_guess(own: _Side, other: _Side) -> bool:
    """Do only times tell which is the fork, though both went on? A fork from an earlier point goes on later."""
    both = all(_went_on(side.records, side.shared) < inf for side in (own, other))
    return both and _known(own, other) is None


def _known(own: _Side, other: _Side) -> bool | None:
    """Is this session the fork, as far as there is proof?

    Where the peer's copies carry this session's id, this one is the parent. What was said in another directory than the
    one whose sessions lie here was copied, and so was what was said before anything was typed here. A fork begins with
    all that it copies, at a stretch. In the parent other lines stand between and before: what was rewound or folded,
    calls that were never answered, the client's books.
    """
    bundle, peer = own.bundle, other.bundle
    if bundle.kind != peer.kind:
        return bundle.kind != "main"
    if any(other.records[uuid].session == bundle.name for uuid in other.shared):
        return False
    began = min(_last(own), _last(other))
    for mine, others in (
        (_is_at_home(own), _is_at_home(other)),
        (_was_typed(bundle, began), _was_typed(peer, began)),
        (_strangers(own.records, own.shared), _strangers(other.records, other.shared)),
        (_span(own), _span(other)),
    ):
        if mine != others:
            return mine < others
    return None


def _is_at_home(side: _Side) -> bool:
    """Do the shared records begin in the directory whose sessions lie in this one's folder?"""
    first = min((side.records[uuid] for uuid in side.shared), key=lambda record: record.number)
    name = _OTHER.sub("-", first.directory or "")[:_LONGEST]
    return any(os.path.basename(os.path.dirname(folder))[:_LONGEST] == name for folder in side.bundle.folders)  # noqa: PTH119, PTH120


def _was_typed(bundle: ClaudeBundle, end: float) -> bool:
    """Was something typed in a session before a moment, as the log of typed lines tells?"""
    return any(line.at is not None and line.at.timestamp() <= end for line in bundle.typed)


def _last(side: _Side) -> float:
    """When the last of the shared records was made."""
    times = (at.timestamp() for uuid in side.shared if (at := side.records[uuid].at) is not None)
    return max(times, default=-inf)


def _strangers(records: Records, shared: frozenset[str]) -> int:
    """How many other lines stand before the last record that two sessions share, from the first record on."""
    begin = min(record.number for record in records.values())
    return max(records[uuid].number for uuid in shared) - begin + 1 - len(shared)


def _span(side: _Side) -> float:
    """How many seconds lie between the first and the last of the shared records."""
    times = [at.timestamp() for uuid in side.shared if (at := side.records[uuid].at) is not None]
    return max(times) - min(times) if times else 0.0


def _went_on(records: Records, shared: frozenset[str]) -> float:
    """When a session first said something of its own; never, where it did not."""
    own = (record.at for uuid, record in records.items() if uuid not in shared and record.at is not None)
    return min((at.timestamp() for at in own), default=inf)


def _records(files: tuple[File, ...]) -> Records:
    found: Records = {}
    for file in files:
        found |= _uuids(file.path, file.size, file.mtime_ns)
    return found


@lru_cache(maxsize=256)
def _uuids(path: str, size: int, mtime_ns: int) -> Records:  # noqa: ARG001 (the cache's key)
    """The records of a transcript."""
    found: Records = {}
    directories: dict[str | None, str | None] = {}
    try:
        with opened(path) as file:
            for number, raw in numbered_lines(file):
                try:
                    seen = _glance(raw)
                except REFUSED:
                    continue
                if seen.uuid is not None:
                    at = seen.timestamp if seen.timestamp is not None and is_usable(seen.timestamp) else None
                    reply = seen.message.id if seen.type == "assistant" and seen.message is not None else None
                    directory = directories.setdefault(seen.cwd, seen.cwd)
                    found.setdefault(seen.uuid, Record(number, at, seen.sessionId, reply, seen.requestId, directory))
    except Unreadable:
        pass
    return found


def inherited(messages: list[Message], items: list[Item], shared: frozenset[str]) -> list[Message]:
    """The messages, with those of which every line is a copy marked as taken over."""
    return [
        msgspec.structs.replace(message, inherited=True) if all(uuid in shared for uuid in uuids_of(item)) else message
        for message, item in zip(messages, items, strict=True)
    ]
