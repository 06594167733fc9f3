"""The record of all hand-overs, in pollux's own data: what was written, and what was taken back."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from pathlib import Path

import msgspec

from pollux.marks.journal import Journal


class Step(StrEnum):
    """What a line of the record says. It is written before the files are, and after they were removed."""

    WRITTEN = "written"
    UNDONE = "undone"


class WrittenFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file that was written: its path, which need not be text, and the hash of its bytes.

    One that stands `beside` the conversation may serve others meanwhile. Of one that is `appended`, only the last line
    was written.
    """

    path: bytes
    sha256: str
    beside: bool = False
    appended: bool = False

    @property
    def place(self) -> Path:
        """Its path."""
        return Path(os.fsdecode(self.path))


class HandedOver(msgspec.Struct, frozen=True, kw_only=True):
    """A hand-over: from which session, when, to which agent, and what was written.

    `key` is that of the new session; None where the agent gave it an id of its own. `folders` were made for the files,
    the innermost first.
    """

    step: Step
    id: str
    at: datetime
    origin: str
    agent: str
    key: str | None = None
    files: tuple[WrittenFile, ...] = ()
    folders: tuple[bytes, ...] = ()


class HandoffRecord:
    """All hand-overs."""

    def __init__(self, folder: Path) -> None:
        self._journal = Journal(folder / "record.jsonl", HandedOver)

    def all(self) -> list[HandedOver]:
        """The hand-overs that were not undone, the oldest first. Raises `StoreError`."""
        return _standing(self._journal.lines())

    def add(self, entry: HandedOver) -> None:
        """Note a hand-over. Raises `StoreError`."""
        self._journal.append(lambda _: [entry])

    def remove(self, entry: HandedOver) -> None:
        """Note that a hand-over was undone. Raises `StoreError`."""
        self._journal.append(lambda _: [msgspec.structs.replace(entry, step=Step.UNDONE, files=(), folders=())])


def _standing(lines: Sequence[HandedOver]) -> list[HandedOver]:
    entries: dict[str, HandedOver] = {}
    for line in lines:
        if line.step is Step.WRITTEN:
            entries[line.id] = line
        else:
            entries.pop(line.id, None)
    return list(entries.values())


def folders_to_make(places: Iterable[Path]) -> list[Path]:
    """The folders that writing some files makes, the innermost first."""
    folders: set[Path] = set()
    for place in places:
        for folder in place.parents:
            if folder in folders or os.path.lexists(folder):
                break
            folders.add(folder)
    return sorted(folders, key=lambda folder: len(folder.parts), reverse=True)
