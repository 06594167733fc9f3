"""Folders that Copilot CLI resumes, from all that is left of a session.

It finds a session by the name of its folder, and goes on with the events in it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from pollux.model import Session
from pollux.sources.copilot import find
from pollux.sources.resume_files import FileVersion, ResumeFile, largest_versions, source_files
from pollux.wire.join_versions import join_records, object_lines, value_of


def resume_files(_session: Session, versions: Sequence[FileVersion], _root: Path) -> list[ResumeFile]:
    """The session's events, and what its folder says about it."""
    files: dict[str, list[FileVersion]] = {}
    for version in versions:
        if _is_events(version.path):
            files.setdefault(version.path, []).append(version)
    made = [
        ResumeFile(path=path, content=content, sources=source_files(members))
        for path, members in files.items()
        if (content := join_versions(members)) is not None
    ]
    beside = largest_versions(v for v in versions if os.path.basename(v.path) == find.WORKSPACE_NAME)  # noqa: PTH119
    return made + [ResumeFile(path=path, content=content, sources=(path,)) for path, content in beside.items()]


def join_versions(versions: Sequence[FileVersion]) -> bytes | None:
    """All events of all versions; None if the first event is lost, because only it names the session."""
    if not _is_events(versions[-1].path):
        return None
    lines = join_records([object_lines(version.content) for version in versions])
    first = value_of(lines[0]) if lines else None
    return b"".join(lines) if first is not None and first.get("type") == "session.start" else None


def _is_events(path: str) -> bool:
    return path.endswith(".jsonl")
