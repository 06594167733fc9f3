"""The manifests of session-migrate: one for each session that it converted, in a folder beside the agent's sessions."""

from __future__ import annotations

import os
from typing import Any

from pollux.errors import Unreadable
from pollux.model import HANDED_OVER, Link, Severity
from pollux.sources.base import File, Status
from pollux.sources.walk import FileKind, FolderRules
from pollux.wire import Malformed, Notes, Shape, decode, display_path, read_bytes

MANIFEST = "manifest"
"""The role of such a file."""

FOLDER = "session-migrate"
_KIND: FileKind = (MANIFEST, Status.IGNORED, "says from where session-migrate converted a session that is gone")
_FILES = FolderRules(lambda name: _KIND if name.endswith(".json") else None, lambda _: None, own=False)
RULES = FolderRules(lambda _: None, lambda name: _FILES if name == "manifests" else None, own=False)
"""The rules for the folder, `FOLDER`, in an agent's home."""


class Side(Shape):
    """One side of a conversion: the session that was converted, or the one that it became."""

    format: str | None = None
    path: Any = None
    sha256: Any = None
    session_id: str | None = None
    cli_version: Any = None
    cwd: Any = None
    timestamp: Any = None
    records: int | None = None
    events: Any = None


class Manifest(Shape):
    """What a manifest says."""

    schema_version: Any = None
    created_at: Any = None
    migration_version: Any = None
    source: Side | None = None
    target: Side | None = None
    dropped_events: Any = None
    warnings: Any = None

    @property
    def records(self) -> int | None:
        """How many lines session-migrate wrote: all others are newer."""
        return self.target.records if self.target is not None else None

    def link(self, file: str) -> Link | None:
        """The link to the session that was converted."""
        source = self.source
        if source is None or not source.format or not source.session_id:
            return None
        evidence = f"session-migrate converted it: {file} names its origin"
        return Link(kind=HANDED_OVER, target=f"{source.format}:{source.session_id}", evidence=evidence)


def session_of(file: File) -> str:
    """The id of the session that a manifest is about."""
    return os.path.splitext(os.path.basename(file.path))[0]  # noqa: PTH119, PTH122


def read_manifest(file: File, notes: Notes) -> Manifest | None:
    """The manifest in a file; None if it cannot be read, which loses nothing of the conversation."""
    notes.file, notes.line = display_path(file.path), None
    try:
        manifest = decode(Manifest, read_bytes(file.path), notes, "manifest")
    except (Unreadable, Malformed):
        manifest = None
    if manifest is None:
        notes.add("file.damaged", "Nothing can be read: the file is not a JSON object.", Severity.ERROR)
    return manifest
