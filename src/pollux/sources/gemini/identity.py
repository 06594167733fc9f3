"""Which session a file belongs to: by its first words, else by its name and what lies around it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from datetime import datetime

import msgspec

from pollux.errors import Unreadable
from pollux.sources.base import File
from pollux.sources.gemini.format import records
from pollux.sources.gemini.format.schema import Record
from pollux.system.clock import recorded
from pollux.wire import Notes, read_head, shown

_HEAD = 4096
# Every release writes these first, in a document as in a header line.
_FIRST = re.compile(
    rb'\s*\{\s*"sessionId"\s*:\s*"([^"\\]+)"\s*,\s*"projectHash"\s*:\s*"([^"\\]*)"'
    rb'(?:\s*,\s*"startTime"\s*:\s*"([^"\\]*)")?'
)
_NAME = re.compile(r"session-\d{4}-\d\d-\d\dT\d\d-\d\d-(.{1,8})\Z", re.DOTALL)


class Identity(msgspec.Struct, frozen=True):
    """What a session file says first: its id, its project's hash, when it began; and whether it says anything."""

    id: str | None = None
    project: str | None = None
    started: datetime | None = None
    speaks: bool = True


def identity(file: File) -> Identity:
    """What a session file says first, from its first bytes where they are as always, else from all of it."""
    try:
        head = read_head(file.path, _HEAD)
        if (first := _FIRST.match(head)) is not None:
            name, project, started = (held.decode("utf-8", "replace") for held in first.groups(b""))
            return Identity(name, project or None, recorded(started, zone=None))
        found = records.contents(file.path, Notes())
    except Unreadable:
        return Identity(speaks=False)
    if isinstance(found, records.Log):
        told = Identity(speaks=bool(found.records))
        for record in (record for _, record in found.records if isinstance(record, Record)):
            told = Identity(
                told.id or record.sessionId or (record.set.sessionId if record.set is not None else None),
                told.project or record.projectHash,
                told.started or record.startTime,
                told.speaks,
            )
            if told.id and told.project:
                break
        return told
    if isinstance(found, records.Captured):
        stated = (event.get("session_id") for _, event in found.events)
        return Identity(next((name for name in stated if isinstance(name, str) and name), None))
    return Identity(speaks=False)


def id_around(path: str, ids: Iterable[str]) -> str | None:
    """The id of a file that tells none: the only one around that begins as its name ends.

    A second instance may delete the file of one that has said nothing yet; what follows then has no header.
    """
    named = _NAME.match(stem(path))
    if named is None:
        return None
    found = {name for name in ids if re.sub(r"[^A-Za-z0-9_-]", "_", name[:8]) == named[1]}
    return found.pop() if len(found) == 1 else None


def stem(path: str) -> str:
    """A file's name without its endings."""
    name = os.path.basename(path)  # noqa: PTH119
    return re.sub(r"\.jsonl?(?:\.unreadable-\d+|\.tmp-\d+)?\Z", "", shown(name))
