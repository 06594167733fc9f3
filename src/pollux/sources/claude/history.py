"""`history.jsonl`: what the human typed in interactive mode, the last trace of sessions whose transcripts are gone.

The client deletes transcripts after a month and keeps this log. Lines of 1.0 do not say which session they belong
to: what a transcript of the same project holds is not lost.
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


class Kept(msgspec.Struct):
    """All that a log holds: its lines with the sessions they belong to, and what was noticed about it."""

    lines: list[tuple[str | None, Typing]] = []
    notices: tuple[Notice, ...] = ()


def kept(file: File) -> Kept:
    """Read a log."""
    notes = Notes(display_path(file.path))
    lines: list[tuple[str | None, Typing]] = []
    try:
        for number, raw in read_lines(file.path, notes):
            notes.line = number
            typed = _decoded(raw, notes)
            if typed is not None:
                lines.append((typed.sessionId, _typing(typed, number)))
    except Unreadable as error:
        notes.add("file.unreadable", str(error), Severity.ERROR)
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
        folder = str(self._root / encoded(project))
        return [file for file in self._transcripts if os.path.dirname(file.path) == folder]  # noqa: PTH120

    def witnesses(self, typed: list[Typing], name: str) -> Iterator[str]:
        """What `lost` depends on: the transcripts there are; of one that was written to since, also what is in it."""
        times = [line.at for line in typed if line.at is not None]
        until = (max(times) + _A_DAY).timestamp() * 1e9 if times else float("inf")
        for project in {line.project for line in typed} if name.endswith("-prompts") else ():
            for file in self._of_project(project):
                yield f"{file.path}\n{file.stamp if file.mtime_ns < until else ''}"


def _decoded(raw: bytes, notes: Notes) -> Typed | None:
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


def _derived(file: File, line: Typing) -> str:
    seed = f"{os.fsencode(file.path)!r}/{line.project}"
    return f"{hashlib.sha256(seed.encode('utf-8', 'surrogateescape')).hexdigest()[:12]}-prompts"


def encoded(path: str) -> str:
    """The name of a project's folder: what is neither a letter nor a digit becomes a dash; long ones are cut.

    Many paths share one name, so it is never read backwards.
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


def after(typed: list[Typing], messages: list[Message]) -> list[Typing]:
    """The prompts that were typed when a transcript had ended already: what it said of them is gone."""
    last = max((message.at for message in messages if message.at is not None), default=None)
    said = ["".join(message.text.split()) for message in messages if message.role is not Role.ASSISTANT]
    return [
        line
        for line in typed
        if (last is None or (line.at is not None and line.at > last))
        and not _COMMAND.match(line.text)
        and not any("".join(line.text.split()) in text for text in said)
    ]


def as_messages(typed: list[Typing], project: str | None, file: str) -> list[Message]:
    """Typed lines as messages; a command was meant for the client or the shell."""
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
