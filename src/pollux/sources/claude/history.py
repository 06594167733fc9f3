"""`history.jsonl`: the lines that the human typed in interactive mode, also of sessions whose transcripts are gone.

The client deletes transcripts after a month, but keeps this log. Lines of 1.0 do not name their session: such a line is
not lost if a transcript of the same project holds it.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from pollux.errors import Unreadable
from pollux.model import Author, Message, Notice, Origin, Role, Severity, Text
from pollux.sources.base import File
from pollux.sources.claude.format.side_records import Typed
from pollux.system.clock import since_epoch
from pollux.system.files import HUGE
from pollux.wire import (
    Malformed,
    Notes,
    decode,
    display_path,
    json_spelling,
    normalize_spelling,
    note_bad_line,
    read_bytes,
    read_lines,
)

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
    lines: list[tuple[str | None, Typing]] = []
    try:
        for number, raw in read_lines(file.path, notes):
            notes.line = number
            typed = _decode_line(raw, notes)
            if typed is not None:
                lines.append((typed.sessionId, _typing(typed, number)))
    except Unreadable as error:
        notes.add("file.unreadable", str(error), Severity.ERROR)
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
        folder = str(self._root / folder_name(project))
        return [file for file in self._transcripts if os.path.dirname(file.path) == folder]  # noqa: PTH120

    def lost_dependencies(self, typed: list[Typing], name: str) -> Iterator[str]:
        """What `lost` depends on: the transcripts and, for those written in that time, their stamps."""
        times = [line.at for line in typed if line.at is not None]
        until = (max(times) + _A_DAY).timestamp() * 1e9 if times else float("inf")
        for project in {line.project for line in typed} if name.endswith("-prompts") else ():
            for file in self._of_project(project):
                yield f"{file.path}\n{file.stamp if file.mtime_ns < until else ''}"


def _decode_line(raw: bytes, notes: Notes) -> Typed | None:
    try:
        typed = decode(Typed, raw, notes)
    except Malformed as error:
        note_bad_line(error, raw, notes)
        return None
    if typed is None:
        notes.add("line.not-object", "A line holds JSON but no object; skipped.", Severity.ERROR)
    return typed


def _typing(typed: Typed, number: int) -> Typing:
    extra: dict[str, Any] = dict(typed.extra)
    if typed.pastedContents:
        extra["pastedContents"] = typed.pastedContents
    at = since_epoch(typed.timestamp, 1000)
    if at is None and typed.timestamp is not None:
        extra["timestamp"] = typed.timestamp
    return Typing(number, typed.display or "", at, typed.project, extra)


def _derived_id(file: File, line: Typing) -> str:
    seed = f"{os.fsencode(file.path)!r}/{line.project}"
    return f"{hashlib.sha256(seed.encode('utf-8', 'surrogateescape')).hexdigest()[:12]}-prompts"


def folder_name(path: str) -> str:
    """The name of a project's folder: each character that is not a letter or digit becomes a dash; long names are cut.

    Many paths have the same name, so a name is never turned back into a path.
    """
    units = path.encode("utf-16-le", "surrogatepass")
    codes = [units[n] | units[n + 1] << 8 for n in range(0, len(units), 2)]
    name = "".join(chr(code) if code < 128 and chr(code).isalnum() else "-" for code in codes)
    if len(name) <= 200:
        return name
    digest = 0
    for code in codes:
        digest = (digest * 31 + code) & 0xFFFFFFFF
    number = abs(digest - (1 << 32) if digest >> 31 else digest)
    digits = ""
    while number or not digits:
        number, digit = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return f"{name[:200]}-{digits}"


def unrecorded(typed: list[Typing], messages: list[Message]) -> list[Typing]:
    """The prompts that were typed after the end of a transcript: their records are gone."""
    last = max((message.at for message in messages if message.at is not None), default=None)
    texts = ["".join(message.text.split()) for message in messages if message.role is not Role.ASSISTANT]
    return [
        line
        for line in typed
        if (last is None or (line.at is not None and line.at > last))
        and not _COMMAND.match(line.text)
        and not any("".join(line.text.split()) in text for text in texts)
    ]


def as_messages(typed: list[Typing], project: str | None, file: str) -> list[Message]:
    """Typed lines as messages. A command is for the client or the shell."""
    return [
        Message(
            id=f"history-{line.number}",
            role=Role.SYSTEM if _COMMAND.match(line.text) else Role.USER,
            author=Author.HUMAN,
            at=line.at,
            parts=(Text(text=line.text),),
            origin=Origin(file=file, line=line.number),
            extra=line.extra if line.project in (None, project) else {**line.extra, "project": line.project},
        )
        for line in typed
    ]
