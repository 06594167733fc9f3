"""What a fork inherited from its parent: shown in both, counted in the parent."""

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


class _ApiMessage(msgspec.Struct):
    id: str | None = None


class _Fields(msgspec.Struct):
    """The fields of a record that distinguish copies."""

    type: str | None = None
    uuid: str | None = None
    timestamp: Utc | None = None
    sessionId: str | None = None
    requestId: str | None = None
    cwd: str | None = None
    message: _ApiMessage | None = None


_decode_fields = msgspec.json.Decoder(_Fields).decode


class Record(NamedTuple):
    """A record: its line, its time, its session id, the ids of reply and request, and the directory."""

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
    """The parent of a fork, the evidence, and the uuids that both hold."""

    name: str
    evidence: str
    shared: frozenset[str]


def has_copies(transcript: Transcript) -> bool:
    """Do records name another session? Copies come first."""
    return transcript.foreign or getattr(next(iter(transcript.lines), (0, None))[1], "forkedFrom", None) is not None


def fork_of(bundle: ClaudeBundle, pairs: Iterable[Pair]) -> Fork | None:
    """The session that this one was forked from, if any.

    Copies keep their uuids; if a release gives them new ones, the replies still have their ids. Times prove nothing:
    some releases give copies new times. Some keep the parent's id in the copies, others name it in another field;
    otherwise `_is_copy` decides. Of several candidates, the one with the most common records is the parent.
    """
    own_pairs = list(pairs)
    parent = _named_parent(bundle, own_pairs)
    own: Records = {}
    for number, line in own_pairs:
        if line.uuid is not None:
            reply = line.message.id if line.type == "assistant" and line.message is not None else None
            own.setdefault(line.uuid, Record(number, line.timestamp, line.sessionId, reply, line.requestId, line.cwd))
    candidates: list[tuple[tuple[int, int, float, int], ClaudeBundle, frozenset[str], bool]] = []
    for peer in bundle.peers:
        theirs = _records(tuple(peer.transcripts()))
        shared_here, shared_there = _shared(own, theirs), _shared(theirs, own)
        if not shared_here or parent not in (None, peer.id):
            continue
        sides = _Side(bundle, own, shared_here), _Side(peer, theirs, shared_there)
        if parent is not None or _is_copy(*sides):
            rank = (
                len(shared_here),
                _other_lines(theirs, shared_there),
                _continued_at(theirs, shared_there),
                -len(theirs),
            )
            candidates.append((rank, peer, shared_here, _is_guess(*sides)))
    if not candidates:
        return Fork(parent, _NAMED, _copied_uuids(bundle, own_pairs)) if parent is not None else None
    _, peer, shared, guess = max(candidates, key=lambda item: item[0])
    evidence = f"both hold {len(shared)} records with the same ids{_GUESS if guess else ''}"
    return Fork(peer.id, evidence if parent is None else _NAMED, shared)


def _shared(records: Records, others: Records) -> frozenset[str]:
    """The uuids of the records that another session has, too.

    If copies have new uuids, prompts and results are recognised by their place: before a shared reply.
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
    """Is a record one of these replies? If both name their request, it must be the same: some vendors repeat ids."""
    requests = replies.get(record.reply or "", set())
    return bool(requests) and (record.request is None or None in requests or record.request in requests)


def _is_same(uuid: str, first: Record, second: Record) -> bool:
    """Are two records with the same uuid the same record? An id that is not unique may occur twice."""
    return is_unique(uuid) or first.at == second.at


def _source(line: Line, name: str) -> str | None:
    """The id of another session in a copied record."""
    ancestor = getattr(line, "forkedFrom", None)
    if ancestor is not None:
        return cast("str | None", ancestor.sessionId)
    return line.sessionId if line.sessionId != name else None


def _named_parent(bundle: ClaudeBundle, pairs: list[Pair]) -> str | None:
    """The session that the last copied record names. Copies come first; sub-agents always have their session's id."""
    lines = [line for _, line in pairs if not line.isSidechain and line.sessionId is not None]
    first = next((line for line in lines if line.type == "user"), None)
    if bundle.kind != "main" or first is None or _source(first, bundle.name) is None:
        return None
    sources = [_source(line, bundle.name) for line in lines]
    last = next((source for source in reversed(sources) if source is not None), None)
    return last if None in sources or last in [peer.id for peer in bundle.peers] else None


def _copied_uuids(bundle: ClaudeBundle, pairs: list[Pair]) -> frozenset[str]:
    """The copied records if the parent is gone: all before the first prompt with the session's own id."""
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
    """Is this session the fork, and not its peer? A side question is always a fork of a session.

    Without proof, the fork is the session that went on alone or first: then the parent had only what they share.
    """
    proof = _proof(own, other)
    if proof is not None:
        return proof
    start, other_start = _continued_at(own.records, own.shared), _continued_at(other.records, other.shared)
    return start < other_start or (start == other_start and own.bundle.id > other.bundle.id)


def _is_guess(own: _Side, other: _Side) -> bool:
    """Do only times show which is the fork, although both went on? A fork from an earlier point goes on later."""
    both = all(_continued_at(side.records, side.shared) < inf for side in (own, other))
    return both and _proof(own, other) is None


def _proof(own: _Side, other: _Side) -> bool | None:
    """Is this session the fork? None where there is no proof.

    If the peer's copies have this session's id, this one is the parent. Records from another directory than that of
    this folder were copied, and so were records from before anything was typed here. A fork begins with all of its
    copies, without a gap. In the parent other lines stand between and before them: rewound or compacted lines, calls
    without an answer, the client's bookkeeping.
    """
    bundle, peer = own.bundle, other.bundle
    if bundle.kind != peer.kind:
        return bundle.kind != "main"
    if any(other.records[uuid].session == bundle.name for uuid in other.shared):
        return False
    end = min(_last(own), _last(other))
    for here, there in (
        (_is_at_home(own), _is_at_home(other)),
        (_was_typed(bundle, end), _was_typed(peer, end)),
        (_other_lines(own.records, own.shared), _other_lines(other.records, other.shared)),
        (_span(own), _span(other)),
    ):
        if here != there:
            return here < there
    return None


def _is_at_home(side: _Side) -> bool:
    """Do the shared records begin in the directory of this session's folder?"""
    first = min((side.records[uuid] for uuid in side.shared), key=lambda record: record.number)
    name = _OTHER.sub("-", first.directory or "")[:_LONGEST]
    return any(os.path.basename(os.path.dirname(folder))[:_LONGEST] == name for folder in side.bundle.folders)  # noqa: PTH119, PTH120


def _was_typed(bundle: ClaudeBundle, end: float) -> bool:
    """Was something typed in a session before a moment, according to the log of typed prompts?"""
    return any(line.at is not None and line.at.timestamp() <= end for line in bundle.typed)


def _last(side: _Side) -> float:
    """The time of the last shared record."""
    times = (at.timestamp() for uuid in side.shared if (at := side.records[uuid].at) is not None)
    return max(times, default=-inf)


def _other_lines(records: Records, shared: frozenset[str]) -> int:
    """How many other lines stand between the first record and the last shared record."""
    begin = min(record.number for record in records.values())
    return max(records[uuid].number for uuid in shared) - begin + 1 - len(shared)


def _span(side: _Side) -> float:
    """The seconds between the first and the last shared record."""
    times = [at.timestamp() for uuid in side.shared if (at := side.records[uuid].at) is not None]
    return max(times) - min(times) if times else 0.0


def _continued_at(records: Records, shared: frozenset[str]) -> float:
    """The time of a session's first own record; infinite where it has none."""
    own = (record.at for uuid, record in records.items() if uuid not in shared and record.at is not None)
    return min((at.timestamp() for at in own), default=inf)


def _records(files: tuple[File, ...]) -> Records:
    records: Records = {}
    for file in files:
        records |= _read_records(file.path, file.size, file.mtime_ns)
    return records


@lru_cache(maxsize=256)
def _read_records(path: str, size: int, mtime_ns: int) -> Records:  # noqa: ARG001 (the cache's key)
    """The records of a transcript."""
    records: Records = {}
    directories: dict[str | None, str | None] = {}
    try:
        with opened(path) as file:
            for number, raw in numbered_lines(file):
                try:
                    fields = _decode_fields(raw)
                except REFUSED:
                    continue
                if fields.uuid is not None:
                    at = fields.timestamp if fields.timestamp is not None and is_usable(fields.timestamp) else None
                    reply = fields.message.id if fields.type == "assistant" and fields.message is not None else None
                    directory = directories.setdefault(fields.cwd, fields.cwd)
                    records.setdefault(
                        fields.uuid, Record(number, at, fields.sessionId, reply, fields.requestId, directory)
                    )
    except Unreadable:
        pass
    return records


def inherited(messages: list[Message], items: list[Item], shared: frozenset[str]) -> list[Message]:
    """The messages, marked as inherited if all of their lines are copies."""
    return [
        msgspec.structs.replace(message, inherited=True) if all(uuid in shared for uuid in uuids_of(item)) else message
        for message, item in zip(messages, items, strict=True)
    ]
