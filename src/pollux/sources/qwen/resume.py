"""Files that Qwen Code resumes, from all that is left of a session since 0.4: one record a line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pollux.model import Session
from pollux.sources.resume_files import FileVersion, ResumeFile, largest_versions, source_files
from pollux.wire.join_versions import join_records, object_lines


def resume_files(_session: Session, versions: Sequence[FileVersion], _root: Path) -> list[ResumeFile]:
    """The session's file, those of its sub-agents, and long outputs. An archived file goes back among the others."""
    places: dict[str, list[FileVersion]] = {}
    for version in versions:
        if _is_transcript(version.path):
            places.setdefault(version.path.replace("/chats/archive/", "/chats/"), []).append(version)
    joined = ((path, members, join_versions(members)) for path, members in places.items())
    made = [
        ResumeFile(path=path, content=content, sources=source_files(members))
        for path, members, content in joined
        if content is not None
    ]
    outputs = largest_versions(version for version in versions if _is_output(version.path)) if made else {}
    return made + [ResumeFile(path=path, content=content, sources=(path,)) for path, content in outputs.items()]


def join_versions(versions: Sequence[FileVersion]) -> bytes | None:
    """All records of a file; None for a file that is not made of records."""
    if not _is_transcript(versions[-1].path):
        return None
    return b"".join(join_records(object_lines(version.content) for version in versions)) or None


def _is_output(path: str) -> bool:
    return path.endswith(".output") or "/tool-results/" in path


def _is_transcript(path: str) -> bool:
    return path.endswith(".jsonl") and ("/chats/" in path or "/subagents/" in path)
