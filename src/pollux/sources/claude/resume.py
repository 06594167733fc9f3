"""Transcripts that Claude Code resumes, made from all that is left of a session.

It reads the file with the session's id in the folder of the project, and follows the parents of records from the last
record to the first. So every record must be there, and only once.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pollux.model import Kind, Session
from pollux.sources.claude.group import UUID
from pollux.sources.resume_files import FileVersion, ResumeFile, largest_versions, source_files
from pollux.wire.join_versions import join_records, object_lines, value_of

_MESSAGE_TYPES = ("user", "assistant")


def resume_files(session: Session, versions: Sequence[FileVersion], _root: Path) -> list[ResumeFile]:
    """The session's transcript and its sub-agents' transcripts, with the files that they refer to."""
    transcripts: dict[str, list[FileVersion]] = {}
    others: list[FileVersion] = []
    for version in versions:
        folder, name = os.path.split(version.path)
        if not folder:  # the log of typed prompts
            continue
        if name.endswith(".jsonl"):
            transcripts.setdefault(name, []).append(version)
        else:
            others.append(version)
    files = [
        ResumeFile(path=_place(session, members[-1].path), content=content, sources=source_files(members))
        for members in transcripts.values()
        if (content := _transcript(members)) is not None
    ]
    other_contents = largest_versions(others) if files else {}
    return [*files, *(ResumeFile(path=path, content=members) for path, members in other_contents.items())]


def join_versions(versions: Sequence[FileVersion]) -> bytes | None:
    """All records of a transcript. Records that the last version lacks are on no path from its last record: rewound."""
    folder, name = os.path.split(versions[-1].path)
    return _transcript(versions) if folder and name.endswith(".jsonl") else None


def _place(session: Session, path: str) -> str:
    """The path of a transcript. A renamed transcript gets its own name again, by which it is found."""
    folder, name = os.path.split(path)
    has_own_name = name.startswith("agent-") or UUID.match(name.removesuffix(".jsonl"))
    own = session.kind is Kind.MAIN and UUID.match(session.id) and folder.count("/") == 1
    return f"{folder}/{session.id}.jsonl" if own and not has_own_name else path


def _transcript(versions: Sequence[FileVersion]) -> bytes | None:
    """All records; None if none of them is a message."""
    records = join_records((object_lines(version.content) for version in versions), _key)
    if not any((value_of(line) or {}).get("type") in _MESSAGE_TYPES for line in records):
        return None
    return b"".join(records)


def _key(line: bytes) -> Any:
    """The id of a record, or the record itself where it has none."""
    uuid = (value_of(line) or {}).get("uuid")
    return uuid if isinstance(uuid, str) else line
