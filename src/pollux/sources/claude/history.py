"""`history.jsonl`: what the human typed in interactive mode, the last trace of sessions whose transcripts are gone.

The client deletes transcripts after a month and keeps this log. Lines of 1.0 do not say which session they belong
to: what a transcript of the same project holds is not lost.
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
from pollux.sources.claude.format.side_records import Typed
from pollux.sources.claude.moving import short_name
from pollux.sources.typed import Said, prompts_id, typed_message
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


class Kept(msgspec.Struct):
    """All that a log holds: its lines with the sessions they belong to, and what was noticed about it."""

    lines: list[tuple[str | None, Typing]] = []
    notices: tuple[Notice, ...] = ()


def kept(file: File) -> Kept:
    """Read a log."""
    notes = Notes(display_path(file.path))
    lines = [(typed.sessionId, _typing(typed, number)) for number, typed in decoded_lines(file.path, Typed, notes)]
    return Kept(lines, notes.all())


class History:
    """The log beside a `projects` folder, and the transcripts there."""

    def __init__(self, file: File, root: Path, transcripts: Iterable[File]) -> None:
        self.file = file
        self._root = root
        self._transcripts = list(transcripts)
        self.notices: tuple[Notice, ...] = ()

    def sessions(self, held: Kept) -> dict[str, list[Typing]]:
        """The typed lines by session; those without an id by project."""
        found: dict[str, list[Typing]] = {}
        seen: set[tuple[str | None, str, datetime | None, str | None, str]] = set()
        for session, line in held.lines:
            same = (session, line.text, line.at, line.project, repr(line.extra))
            if same in seen:
                continue
            seen.add(same)
            found.setdefault(session or _derived(self.file, line), []).append(line)
        self.notices = held.notices
        return found

    def lost(self, typed: list[Typing], name: str) -> list[Typing]:
        """Those of a session's lines that no transcript of their project holds."""
        if not name.endswith("-prompts"):
            return typed
        left = {line.number: json_spelling(line.text) for line in typed if not line.extra}
        for project in {line.project for line in typed}:
            mine = [line.number for line in typed if line.project == project]
            for file in self._of_project(project):
                try:
                    raw = normalize_spelling(read_bytes(file.path, HUGE))
                except Unreadable:
                    continue
                for number in mine:
                    if left.get(number, b"\n") in raw:
                        left[number] = b""
        return [line for line in typed if left.get(line.number, b" ") != b""]

    def _of_project(self, project: str | None) -> list[File]:
        if project is None:
            return []
        folder = str(self._root / short_name(project))
        return [file for file in self._transcripts if os.path.dirname(file.path) == folder]  # noqa: PTH120

    def witnesses(self, typed: list[Typing], name: str) -> Iterator[str]:
        """What `lost` depends on: the transcripts there are; of one that was written to since, also what is in it."""
        times = [line.at for line in typed if line.at is not None]
        until = (max(times) + _A_DAY).timestamp() * 1e9 if times else float("inf")
        for project in {line.project for line in typed} if name.endswith("-prompts") else ():
            for file in self._of_project(project):
                yield f"{file.path}\n{file.stamp if file.mtime_ns < until else ''}"


def _typing(typed: Typed, number: int) -> Typing:
    extra: dict[str, Any] = dict(typed.extra)
    if typed.pastedContents:
        extra["pastedContents"] = typed.pastedContents
    at = since_epoch(typed.timestamp, 1000)
    if at is None and typed.timestamp is not None:
        extra["timestamp"] = typed.timestamp
    return Typing(number, typed.display or "", at, typed.project, extra)


def _derived(file: File, line: Typing) -> str:
    seed = f"{os.fsencode(file.path)!r}/{line.project}"
    return prompts_id(seed.encode("utf-8", "surrogateescape"))


def after(typed: list[Typing], messages: list[Message]) -> list[Typing]:
    """The prompts that were typed when a transcript had ended already: what it said of them is gone."""
    last = max((message.at for message in messages if message.at is not None), default=None)
    said = Said(messages)
    return [
        line
        for line in typed
        if (last is None or (line.at is not None and line.at > last))
        and not _COMMAND.match(line.text)
        and not said.holds(line.text)
    ]


def as_messages(typed: list[Typing], project: str | None, file: str) -> list[Message]:
    """Typed lines as messages."""
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
