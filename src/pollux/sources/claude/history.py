"""`history.jsonl`: the lines that the human typed in interactive mode, also of sessions whose transcripts are gone.

The client deletes transcripts after a month, but keeps this log. Lines of 1.0 do not name their session: such a line is
not lost if a transcript of the same project holds it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from pollux.errors import Unreadable
from pollux.model import Message, Notice, Origin
from pollux.sources.base import File
from pollux.sources.claude.format.side_records import HistoryRecord
from pollux.sources.claude.rehome import short_name
from pollux.sources.typed_prompts import MessageTexts, prompts_id, typed_message
from pollux.system.clock import since_epoch
from pollux.system.files import HUGE
from pollux.wire import Notes, decoded_lines, display_path, json_spelling, normalize_spelling, read_bytes

_A_DAY = timedelta(days=1)
_COMMAND = re.compile(r"/[\w:-]+(\s|\Z)|!")


class Typing(msgspec.Struct, frozen=True):
    """One typed line and where it stands."""

    number: int
    text: str
    at: datetime | None
    project: str | None
    extra: dict[str, Any]


class TypedLines(msgspec.Struct):
    """The lines of a log with their sessions, and the notices about it."""

    lines: list[tuple[str | None, Typing]] = []
    notices: tuple[Notice, ...] = ()


def read_typed_lines(file: File) -> TypedLines:
    """Read a log."""
    notes = Notes(display_path(file.path))
    lines = [
        (typed.sessionId, _typing(typed, number)) for number, typed in decoded_lines(file.path, HistoryRecord, notes)
    ]
    return TypedLines(lines, notes.all())


class History:
    """The log next to a `projects` folder, and the transcripts in that folder."""

    def __init__(self, file: File, root: Path, transcripts: Iterable[File]) -> None:
        self.file = file
        self._root = root
        self._transcripts = list(transcripts)
        self.notices: tuple[Notice, ...] = ()

    def sessions(self, log: TypedLines) -> dict[str, list[Typing]]:
        """The typed lines by session; those without an id by project."""
        by_session: dict[str, list[Typing]] = {}
        seen: set[tuple[str | None, str, datetime | None, str | None, str]] = set()
        for session, line in log.lines:
            key = (session, line.text, line.at, line.project, repr(line.extra))
            if key in seen:
                continue
            seen.add(key)
            by_session.setdefault(session or _derived_id(self.file, line), []).append(line)
        self.notices = log.notices
        return by_session

    def lost(self, typed: list[Typing], name: str) -> list[Typing]:
        """The lines of a session that no transcript of their project holds."""
        if not name.endswith("-prompts"):
            return typed
        remaining = {line.number: json_spelling(line.text) for line in typed if not line.extra}
        for project in {line.project for line in typed}:
            numbers = [line.number for line in typed if line.project == project]
            for file in self._of_project(project):
                try:
                    raw = normalize_spelling(read_bytes(file.path, HUGE))
                except Unreadable:
                    continue
                for number in numbers:
                    if remaining.get(number, b"\n") in raw:
                        remaining[number] = b""
        return [line for line in typed if remaining.get(line.number, b" ") != b""]

    def _of_project(self, project: str | None) -> list[File]:
        if project is None:
            return []
        folder = str(self._root / short_name(project))
        return [file for file in self._transcripts if os.path.dirname(file.path) == folder]  # noqa: PTH120

    def lost_dependencies(self, typed: list[Typing], name: str) -> Iterator[str]:
        """What `lost` depends on: the transcripts and, for those written in that time, their stamps."""
        times = [line.at for line in typed if line.at is not None]
        until = (max(times) + _A_DAY).timestamp() * 1e9 if times else float("inf")
        for project in {line.project for line in typed} if name.endswith("-prompts") else ():
            for file in self._of_project(project):
                yield f"{file.path}\n{file.stamp if file.mtime_ns < until else ''}"


def _typing(typed: HistoryRecord, number: int) -> Typing:
    extra: dict[str, Any] = dict(typed.extra)
    if typed.pastedContents:
        extra["pastedContents"] = typed.pastedContents
    at = since_epoch(typed.timestamp, 1000)
    if at is None and typed.timestamp is not None:
        extra["timestamp"] = typed.timestamp
    return Typing(number, typed.display or "", at, typed.project, extra)


def _derived_id(file: File, line: Typing) -> str:
    seed = f"{os.fsencode(file.path)!r}/{line.project}"
    return prompts_id(seed.encode("utf-8", "surrogateescape"))


def unrecorded(typed: list[Typing], messages: list[Message]) -> list[Typing]:
    """The prompts that were typed after the end of a transcript: their records are gone."""
    last = max((message.at for message in messages if message.at is not None), default=None)
    recorded = MessageTexts(messages)
    return [
        line
        for line in typed
        if (last is None or (line.at is not None and line.at > last))
        and not _COMMAND.match(line.text)
        and not recorded.holds(line.text)
    ]


def as_messages(typed: list[Typing], project: str | None, file: str) -> list[Message]:
    """Typed lines as messages. A command is for the client or the shell."""
    return [
        typed_message(
            f"history-{line.number}",
            line.text,
            line.at,
            Origin(file=file, line=line.number),
            line.extra if line.project in (None, project) else {**line.extra, "project": line.project},
            command=_COMMAND.match(line.text) is not None,
        )
        for line in typed
    ]
