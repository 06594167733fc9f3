"""`history.jsonl`: what the human typed in interactive mode, the last trace of sessions whose transcripts are gone.

The client deletes transcripts after a month and keeps this log. Lines of 1.0 do not say which session they belong
to: what a transcript of the same project holds is not lost.
"""

from __future__ import annotations

import hashlib
import os
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from pollux.errors import Unreadable
from pollux.model import Author, Message, Notice, Origin, Role, Severity, Text
from pollux.sources.base import File
from pollux.sources.claude.books import Typed
from pollux.wire import Malformed, Notes, decode, note_bad_line, read_bytes, read_lines, shown


class Typing(msgspec.Struct, frozen=True):
    """One typed line and where it stands."""

    number: int
    text: str
    at: datetime | None
    project: str | None
    extra: dict[str, Any]


class History:
    """The log beside a `projects` folder."""

    def __init__(self, file: File, root: Path) -> None:
        self.file = file
        self._root = root
        self.notices: tuple[Notice, ...] = ()

    def sessions(self, known: set[str]) -> dict[str, list[Typing]]:
        """The typed lines of sessions that have no transcript, by session; those without an id by project."""
        found: dict[str, list[Typing]] = {}
        seen: set[tuple[str | None, str, datetime | None, str | None]] = set()
        notes = Notes(shown(self.file.path))
        try:
            for number, raw in read_lines(self.file.path):
                notes.line = number
                typed = _decoded(raw, notes)
                if typed is None or typed.sessionId in known:
                    continue
                line = _typing(typed, number)
                same = (typed.sessionId, line.text, line.at, line.project)
                if same in seen and not line.extra:
                    continue
                seen.add(same)
                found.setdefault(typed.sessionId or _derived(self.file, line), []).append(line)
        except Unreadable as error:
            notes.add("file.unreadable", str(error), Severity.ERROR)
        self.notices = notes.all()
        return found

    def lost(self, typed: list[Typing], name: str) -> list[Typing]:
        """Those of a session's lines that no transcript of their project holds."""
        if not name.endswith("-prompts"):
            return typed
        held: dict[str, bytes] = {}
        return [line for line in typed if line.extra or not self._holds(line, held)]

    def _holds(self, line: Typing, held: dict[str, bytes]) -> bool:
        """Does a transcript of the project say this? Then it was not lost with its session."""
        if line.project is None:
            return False
        folder = self._root / encoded(line.project)
        if line.project not in held:
            texts: list[bytes] = []
            for path in sorted(folder.glob("*.jsonl")) if folder.is_dir() else ():
                try:
                    texts.append(read_bytes(path))
                except Unreadable:
                    continue
            held[line.project] = b"\n".join(texts)
        return msgspec.json.encode(line.text)[1:-1] in held[line.project]


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
    at = None
    if typed.timestamp is not None:
        try:
            at = datetime.fromtimestamp(typed.timestamp / 1000, UTC)
        except (ValueError, OverflowError, OSError):
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


def as_messages(typed: list[Typing], project: str | None, file: str) -> list[Message]:
    """Typed lines as messages; a command was meant for the client or the shell."""
    return [
        Message(
            id=f"history-{line.number}",
            role=Role.SYSTEM if re.match(r"/[\w:-]+(\s|\Z)|!", line.text) else Role.USER,
            author=Author.HUMAN,
            at=line.at,
            parts=(Text(text=line.text),),
            origin=Origin(file=file, line=line.number),
            extra=line.extra if line.project in (None, project) else {**line.extra, "project": line.project},
        )
        for line in typed
    ]
