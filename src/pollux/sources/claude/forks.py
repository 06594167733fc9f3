"""What a session took over from the one it was forked from: shown in both, counted in the first."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache

import msgspec

from pollux.errors import Unreadable
from pollux.model import Message
from pollux.sources.base import File
from pollux.sources.claude.branches import uuids_of
from pollux.sources.claude.bundles import ClaudeBundle
from pollux.sources.claude.messages import Item
from pollux.sources.claude.schema import Line
from pollux.wire import REFUSED, Utc, opened


class _Glance(msgspec.Struct):
    """The little of a record that tells copies apart."""

    uuid: str | None = None
    timestamp: Utc | None = None


_glance = msgspec.json.Decoder(_Glance).decode


class Fork(msgspec.Struct, frozen=True):
    """The session another one was forked from, how we know, and the uuids both hold."""

    parent: ClaudeBundle | None
    name: str
    evidence: str
    shared: frozenset[str]


def fork_of(bundle: ClaudeBundle, lines: Iterable[Line]) -> Fork | None:
    """From which session this one was forked, if from any.

    Old records are copied with their uuids. Some releases leave the parent's id in the copies. Where none does, the
    fork is the one that has more; where both went on, the one that went on first: at that moment the parent was as
    long as what they share.
    """
    held = list(lines)
    named = _named(bundle, held)
    own = {line.uuid: line.timestamp for line in held if line.uuid is not None}
    best: Fork | None = None
    for peer in bundle.peers:
        theirs = _records(tuple(peer.transcripts()))
        shared = own.keys() & theirs.keys()
        if not shared or (best is not None and len(shared) <= len(best.shared)):
            continue
        if peer.id == named or (named is None and _came_later(own, theirs, shared, bundle, peer)):
            evidence = (
                "copied records carry its id"
                if peer.id == named
                else f"both hold {len(shared)} records with the same ids"
            )
            best = Fork(peer, peer.id, evidence, frozenset(shared))
    if best is None and named is not None:
        return Fork(None, named, "copied records carry its id", _foreign(bundle, held))
    return best


def _named(bundle: ClaudeBundle, lines: list[Line]) -> str | None:
    """The id of another session that the last copied record carries; sub-agents always carry their session's."""
    if bundle.kind != "main":
        return None
    others = [line.sessionId for line in lines if line.sessionId not in (None, bundle.name) and not line.isSidechain]
    return others[-1] if others and any(line.sessionId == bundle.name for line in lines) else None


def _foreign(bundle: ClaudeBundle, lines: list[Line]) -> frozenset[str]:
    """The copied records where the parent is gone: all before the first prompt that carries the session's own id."""
    last = max(n for n, line in enumerate(lines) if line.sessionId not in (None, bundle.name))
    end = next(
        (n for n in range(last + 1, len(lines)) if lines[n].type == "user" and lines[n].toolUseResult is None),
        len(lines),
    )
    return frozenset(line.uuid for line in lines[:end] if line.uuid is not None)


def _came_later(
    own: dict[str, datetime | None],
    theirs: dict[str, datetime | None],
    shared: set[str],
    bundle: ClaudeBundle,
    peer: ClaudeBundle,
) -> bool:
    """Is this session the fork, and not its peer? A side question always is one of a session."""
    if bundle.kind != peer.kind:
        return bundle.kind != "main"
    mine = [at for uuid, at in own.items() if uuid not in shared and at is not None]
    others = [at for uuid, at in theirs.items() if uuid not in shared and at is not None]
    if not mine or not others:
        return bool(mine) if mine or others else bundle.id > peer.id
    return min(mine) < min(others)


def _records(files: tuple[File, ...]) -> dict[str, datetime | None]:
    found: dict[str, datetime | None] = {}
    for file in files:
        found |= _uuids(file.path, file.size, file.mtime_ns)
    return found


@lru_cache(maxsize=256)
def _uuids(path: str, size: int, mtime_ns: int) -> dict[str, datetime | None]:  # noqa: ARG001 (the cache's key)
    """The uuids of a transcript with their times."""
    found: dict[str, datetime | None] = {}
    try:
        with opened(path) as file:
            for raw in file:
                try:
                    seen = _glance(raw)
                except REFUSED:
                    continue
                if seen.uuid is not None:
                    found.setdefault(seen.uuid, seen.timestamp)
    except Unreadable:
        pass
    return found


def inherited(messages: list[Message], items: list[Item], shared: frozenset[str]) -> list[Message]:
    """The messages, with those of which every line is a copy marked as taken over."""
    return [
        msgspec.structs.replace(message, inherited=True) if all(uuid in shared for uuid in uuids_of(item)) else message
        for message, item in zip(messages, items, strict=True)
    ]
