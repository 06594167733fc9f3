"""Files beside the sessions: typed prompts, names of threads, imports of Codex, manifests of conversions."""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from pollux.errors import Unreadable
from pollux.model import HANDED_OVER, Link, Message, Notice, Origin, Severity
from pollux.sources.base import File
from pollux.sources.codex import find
from pollux.sources.codex.format.schema import Count
from pollux.sources.session_migrate import MANIFEST, session_of
from pollux.sources.typed_prompts import MessageTexts, prompts_id, typed_message
from pollux.system.clock import since_epoch
from pollux.wire import Malformed, Notes, Shape, decode, decoded_lines, display_path, read_bytes


class PromptRecord(Shape):
    """A prompt in `history.jsonl`."""

    session_id: str | None = None
    ts: Count | None = None
    text: str | None = None


class ThreadName(Shape):
    """A thread's name in `session_index.jsonl`."""

    id: str | None = None
    thread_name: str | None = None
    updated_at: str | None = None


class ImportRecord(Shape):
    """A session that Codex imported from another agent."""

    source_path: str | None = None
    content_sha256: str | None = None
    imported_thread_id: str | None = None
    imported_at: Any = None
    source_modified_at: Any = None
    connector_names: Any = None
    title: str | None = None


class ImportList(Shape):
    """The file that lists imports."""

    records: list[ImportRecord] | None = None


class LoggedPrompt(msgspec.Struct):
    """A typed prompt and the number of its line."""

    number: int
    record: PromptRecord

    @property
    def at(self) -> datetime | None:
        """When it was typed."""
        return since_epoch(self.record.ts)


class SideFiles:
    """The files beside a folder of sessions. Each is read when it is first needed."""

    def __init__(self, files: Iterable[File]) -> None:
        listed = list(files)
        self._manifests = {session_of(file): file for file in listed if file.role == MANIFEST}
        self._files = {file.role: file for file in listed if file.role in (find.PROMPTS, find.NAMES, find.IMPORTS)}
        self._notes = Notes()

    @property
    def log(self) -> File | None:
        """The log of prompts."""
        return self._files.get(find.PROMPTS)

    @property
    def fallback_id(self) -> str:
        """The id for prompts that name no session."""
        return prompts_id(os.fsencode(self.log.path if self.log is not None else ""))

    @cached_property
    def prompts(self) -> dict[str, list[LoggedPrompt]]:
        """The prompts by the session they were typed in."""
        lines: dict[str, list[LoggedPrompt]] = {}
        for number, line in self._lines(find.PROMPTS, PromptRecord):
            lines.setdefault(line.session_id or self.fallback_id, []).append(LoggedPrompt(number, line))
        return lines

    @cached_property
    def names(self) -> dict[str, str]:
        """The names of threads. The last name of a thread counts."""
        return {line.id: line.thread_name or "" for _, line in self._lines(find.NAMES, ThreadName) if line.id}

    @cached_property
    def imports(self) -> dict[str, ImportRecord]:
        """The sessions that came from other agents."""
        file = self._files.get(find.IMPORTS)
        if file is None:
            return {}
        self._notes.file = display_path(file.path)
        try:
            imports = decode(ImportList, read_bytes(file.path), self._notes, "imports")
        except Unreadable as error:
            self._notes.add("file.unreadable", str(error), Severity.ERROR)
        except Malformed as error:
            self._notes.add("file.damaged", f"Nothing can be read: the file is no JSON ({error}).", Severity.ERROR)
        else:
            records = imports.records if imports is not None and imports.records is not None else []
            return {record.imported_thread_id: record for record in records if record.imported_thread_id}
        return {}

    def manifest_file(self, id: str) -> File | None:
        """The file that says from where a session was converted."""
        return self._manifests.get(id)

    def notices(self) -> tuple[Notice, ...]:
        """The notices about all side files. This reads them all."""
        _ = self.prompts, self.names, self.imports
        return self._notes.all()

    def _lines(self, role: str, kind: type[Any]) -> list[tuple[int, Any]]:
        file = self._files.get(role)
        if file is None:
            return []
        self._notes.file = display_path(file.path)
        lines = list(decoded_lines(file.path, kind, self._notes))
        self._notes.line = None
        return lines


def as_message(line: LoggedPrompt, file: str) -> Message:
    """A prompt that only the log has. If it begins with `/` or `!`, it is a command for the client or the shell."""
    text = line.record.text or ""
    return typed_message(
        f"history-{line.number}",
        text or None,
        line.at,
        Origin(file=display_path(file), line=line.number),
        dict(line.record.extra),
        command=text.startswith(("/", "!")),
    )


def missing_prompts(lines: list[LoggedPrompt], messages: Iterable[Message]) -> list[LoggedPrompt]:
    """The typed prompts that are in none of the messages."""
    message_texts = MessageTexts(messages)
    texts = [line.record.text or "" for line in lines]
    return [line for line, text in zip(lines, texts, strict=True) if text.strip() and not message_texts.holds(text)]


def in_time_order(messages: list[Message], more: list[Message]) -> list[Message]:
    """Messages and missing prompts in the order of their times; prompts without a time come last."""
    result = list(messages)
    for message in more:
        later = (
            n
            for n, other in enumerate(result)
            if message.at is not None and other.at is not None and other.at > message.at
        )
        result.insert(next(later, len(result)), message)
    return result


def imported_from(record: ImportRecord) -> Link | None:
    """The session of another agent that was imported: agents' homes are named after them (`~/.name/…/<id>.jsonl`).

    In `~/.config` they have no dot.
    """
    if record.source_path is None:
        return None
    path = Path(record.source_path)
    parts = iter(path.parts)
    home = next((part[1:] for part in parts if part.startswith(".") and len(part) > 1), None)
    home = next(parts, None) if home == "config" else home
    if home is None:
        return None
    name = os.path.splitext(path.name)[0]  # noqa: PTH122
    evidence = f"Codex imported it from {record.source_path}"
    return Link(kind=HANDED_OVER, target=f"{home}:{name}", evidence=evidence)
