"""Rollouts that Codex CLI resumes, from all that is left of a thread.

It accepts a file that is named by the time and the id, and whose first line has the thread's id, in the folders of days
or in the archive. It unpacks a compressed file before it continues it, so the files that are made here are plain.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from pollux.model import Session
from pollux.sources.codex import find
from pollux.sources.codex.flatten import flattened
from pollux.sources.codex.format.compressed import plain_bytes
from pollux.sources.resume_files import FileVersion, ResumeFile, source_files
from pollux.wire.join_versions import Document, format_document, join_records, object_lines, parse_document, value_of

_ITEMS = "items"


def resume_files(_session: Session, versions: Sequence[FileVersion], _root: Path) -> list[ResumeFile]:
    """The files of the thread, and of the threads that it continues."""
    rollouts: dict[str, list[FileVersion]] = {}
    for version in versions:
        name = os.path.basename(version.path).removesuffix(".zst")  # noqa: PTH119
        if find.is_given_by_codex(name):
            rollouts.setdefault(name, []).append(version)
    return flattened([file for members in rollouts.values() if (file := _resume_file(members)) is not None])


def join_versions(versions: Sequence[FileVersion]) -> bytes | None:
    """All lines of a rollout."""
    file = _resume_file(list(versions)) if find.is_given_by_codex(versions[-1].path) else None
    return file.content if file is not None else None


def _resume_file(versions: list[FileVersion]) -> ResumeFile | None:
    """One file from all versions. If one version has everything, it is used unchanged, even if it is compressed."""
    raw = [plain_bytes(version.content) for version in versions]
    content = _document(raw) if ".jsonl" not in versions[0].path else _rollout(raw)
    if content is None:
        return None
    for version, plain in zip(reversed(versions), reversed(raw), strict=True):
        if plain.rstrip(b"\n") == content.rstrip(b"\n"):
            return ResumeFile(path=version.path, content=version.content, sources=source_files(versions))
    places = [version.path.removesuffix(".zst") for version in versions]
    live = [place for place in places if not place.startswith(f"{find.ARCHIVE}/")]
    return ResumeFile(path=(live or places)[-1], content=content, sources=source_files(versions))


def _rollout(contents: list[bytes]) -> bytes | None:
    """All lines; None if the first line is lost, because only it names the thread.

    A file that a newer release rewrote has another first line, and its other lines repeat the old ones in another form.
    """
    versions = [records for raw in contents if (records := object_lines(raw))]
    firsts = [records[0] for records in versions if _is_meta(records[0])]
    if not firsts:
        return None
    return b"".join(
        join_records(records for records in versions if records[0] == firsts[-1] or not _is_meta(records[0]))
    )


def _is_meta(line: bytes) -> bool:
    match value_of(line):
        case {"type": "session_meta", "payload": {"id": str()}}:
            return True
        case {"id": str(), "timestamp": str(), "instructions": _}:  # before 0.32
            return True
        case _:
            return False


def _document(contents: list[bytes]) -> bytes | None:
    """All complete items of a document (April to May 2025)."""
    versions = [
        content
        for raw in contents
        if (content := parse_document(raw, _ITEMS)) is not None and "session" in content.members
    ]
    items = join_records(content.items for content in versions)
    return format_document(Document(versions[-1].members, items), _ITEMS) if items else None
