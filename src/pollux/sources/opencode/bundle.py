"""The files and rows of one session."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from pollux.errors import Unreadable
from pollux.sources.base import Bundle, File, WordFiles, fingerprint_of, unchanged
from pollux.sources.opencode.witnesses.listing import SessionRows, mark_of


class RowsIn(msgspec.Struct, frozen=True):
    """The rows of a session in a database, which is one file with its log. `project` changes with its project's row."""

    database: File
    rows: SessionRows
    project: str = ""

    @property
    def mark(self) -> str:
        """A text that changes with any of the rows; nothing where they cannot be read any more."""
        try:
            return mark_of(self.database, self.rows) + self.project
        except Unreadable:
            return ""


class OpenCodeBundle(Bundle, kw_only=True):
    """A session: its rows in databases, its documents, and its JSON files, newer places first.

    `damage` says what is wrong with a database from which it is read. `siblings` are the sessions of the same project,
    each with its messages' files, `relatives` those in databases: a fork was made from one of them. `depends_on` are
    the files of long outputs.
    """

    root: str
    project: str = ""
    rows: list[RowsIn] = []
    records: list[File] = []
    documents: list[File] = []
    damage: dict[str, list[str]] = {}
    siblings: Mapping[str, list[File]] = {}
    relatives: list[SessionRows] = []
    outputs: Mapping[str, File] = {}
    depends_on: dict[str, str] = {}

    @property
    def size(self) -> int:
        """The bytes of its rows and files."""
        return sum(file.size for file in (*self.records, *self.documents)) + sum(place.rows.size for place in self.rows)

    @property
    def changed_ns(self) -> int:
        """When it last changed: a database changes with every session."""
        return max(
            (
                *(file.mtime_ns for file in (*self.records, *self.documents)),
                *(place.rows.changed * 10**6 for place in self.rows),
            ),
            default=0,
        )

    def fingerprint(self) -> str:
        """A text that changes with its rows and files, not with the rows of other sessions."""
        return fingerprint_of(
            (
                *(f"{place.database.path}\n{place.mark}" for place in self.rows),
                *(f"{file.path}\n{file.stamp}" for file in (*self.records, *self.documents)),
                *(f"{path}\n{sentence}" for path, sentences in self.damage.items() for sentence in sentences),
            )
        )

    def dependencies(self) -> bytes:
        """The files of long outputs, with their stamps."""
        return msgspec.msgpack.encode(self.depends_on) if self.depends_on else b""

    def is_current(self, dependencies: bytes, stamps: Mapping[str, str]) -> bool:
        """Are the files of long outputs as they were?"""
        return not dependencies or unchanged(dependencies, stamps)

    def related_files(self) -> list[str]:
        """The files of long outputs."""
        return [path for path, stamp in self.depends_on.items() if stamp]

    def word_files(self, dependencies: bytes) -> WordFiles | None:  # noqa: ARG002 (rows lie in no file of their own)
        """Nobody knows: a database may be packed, and holds every session."""
        return None

    def group_keys(self) -> Iterable[str] | None:
        """Its databases, which hold many sessions, and its project: a fork was made from a session of the same one."""
        return [*(place.database.path for place in self.rows), *([self.project] if self.siblings else [])]
