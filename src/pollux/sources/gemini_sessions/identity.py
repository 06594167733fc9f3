"""Which session a file belongs to: by its first bytes, or else by its name and the files around it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from datetime import datetime

import msgspec

from pollux.errors import Unreadable
from pollux.sources.base import File
from pollux.sources.gemini_sessions.format import records
from pollux.sources.gemini_sessions.format.schema import Record
from pollux.system.clock import recorded
from pollux.wire import Notes, display_path, read_head

_HEAD = 4096
# Every release writes these first, in a document and in a header line. A string that was cut matches neither pattern.
_FIRST = re.compile(
    rb'\s*\{\s*"sessionId"\s*:\s*"([^"\\\n]+)"\s*,\s*"projectHash"\s*:\s*"([0-9a-f]{64})"'
    rb'(?:\s*,\s*"startTime"\s*:\s*"([^"\\\n]*)")?'
)
_HASH = re.compile(r"[0-9a-f]{64}\Z")
_NAME = re.compile(r"session-\d{4}-\d\d-\d\dT\d\d-\d\d-(.{1,8})\Z", re.DOTALL)


class Identity(msgspec.Struct, frozen=True):
    """What a session file says first: its id, its project's hash, its start, and whether it has any content."""

    id: str | None = None
    project: str | None = None
    started: datetime | None = None
    has_content: bool = True

    @property
    def is_whole(self) -> bool:
        """Does the file have its head?"""
        return self.id is not None and self.project is not None

    @property
    def is_damaged(self) -> bool:
        """Has the file lost its head? Every release begins a file with the session's id and the project's hash."""
        return self.has_content and not self.is_whole


def identity(file: File) -> Identity:
    """What a session file says first: from its first bytes if they are usual, otherwise from the whole file."""
    try:
        head = read_head(file.path, _HEAD)
        if (first := _FIRST.match(head)) is not None:
            name, project, started = (group.decode("utf-8", "replace") for group in first.groups(b""))
            return Identity(name, project, recorded(started, zone=None))
        content = records.parse_file(file.path, Notes())
    except Unreadable:
        return Identity(has_content=False)
    if isinstance(content, records.Log):
        known = Identity(has_content=bool(content.records))
        for line, record in content.records:
            if isinstance(record, Record):
                known = _with_record(known, record, is_document=line is None)
            if known.id and known.project:
                break
        return known
    if isinstance(content, records.CapturedRun):
        ids = (event.get("session_id") for _, event in content.events)
        return Identity(next((name for name in ids if isinstance(name, str) and name), None))
    return Identity(has_content=False)


def _with_record(known: Identity, record: Record, *, is_document: bool) -> Identity:
    """What is known after another record. A document that was cut may end within its id or its project's hash."""
    name = record.sessionId or (record.set.sessionId if record.set is not None else None)
    project = record.projectHash
    if is_document and project is None and record.messages is None:
        name = None
    if project is not None and not _HASH.match(project):
        project = None
    return Identity(
        known.id or name, known.project or project, known.started or record.startTime, has_content=known.has_content
    )


def id_around(path: str, ids: Iterable[str]) -> str | None:
    """The id of a file without one: the only known id that begins as the file's name ends.

    A second instance may delete the file of an empty session; the lines that follow then have no header.
    """
    match = _NAME.match(stem(path))
    if match is None:
        return None
    candidates = {name for name in ids if re.sub(r"[^A-Za-z0-9_-]", "_", name[:8]) == match[1]}
    return candidates.pop() if len(candidates) == 1 else None


def stem(path: str) -> str:
    """A file's name without its extensions."""
    name = os.path.basename(path)  # noqa: PTH119
    return re.sub(r"\.jsonl?(?:\.unreadable-\d+|\.tmp-\d+)?\Z", "", display_path(name))
