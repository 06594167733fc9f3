"""Transcripts that Claude Code resumes, from all that is left of a session.

It takes the file named by the session's id in the folder of the project, and goes from the last record to the first by
the parents that the records name. So every record must be there, and each only once.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pollux.model import Kind, Session
from pollux.sources.claude.group import UUID
from pollux.sources.resuming import FileVersion, Resumable, largest_versions, source_files
from pollux.wire.joining import join_records, object_lines, value_of

_SPOKEN = ("user", "assistant")


def resuming(session: Session, forms: Sequence[FileVersion], _root: Path) -> list[Resumable]:
    """The session's transcript and its sub-agents', and beside them what they refer to."""
    transcripts: dict[str, list[FileVersion]] = {}
    others: list[FileVersion] = []
    for form in forms:
        folder, name = os.path.split(form.path)
        if not folder:  # the log of typed lines
            continue
        if name.endswith(".jsonl"):
            transcripts.setdefault(name, []).append(form)
        else:
            others.append(form)
    found = [
        Resumable(path=_place(session, held[-1].path), content=content, sources=source_files(held))
        for held in transcripts.values()
        if (content := _transcript(held)) is not None
    ]
    beside = largest_versions(others) if found else {}
    return [*found, *(Resumable(path=path, content=held) for path, held in beside.items())]


def united(forms: Sequence[FileVersion]) -> bytes | None:
    """All records of a transcript. Those that the last form lacks lie on no way from its last record: rewound."""
    folder, name = os.path.split(forms[-1].path)
    return _transcript(forms) if folder and name.endswith(".jsonl") else None


def _place(session: Session, path: str) -> str:
    """A transcript that was given another name gets its own again, for by that it is found."""
    folder, name = os.path.split(path)
    named = name.startswith("agent-") or UUID.match(name.removesuffix(".jsonl"))
    own = session.kind is Kind.MAIN and UUID.match(session.id) and folder.count("/") == 1
    return f"{folder}/{session.id}.jsonl" if own and not named else path


def _transcript(forms: Sequence[FileVersion]) -> bytes | None:
    """All records; None where none of them is said by anybody."""
    records = join_records((object_lines(form.content) for form in forms), _key)
    if not any((value_of(line) or {}).get("type") in _SPOKEN for line in records):
        return None
    return b"".join(records)


def _key(line: bytes) -> Any:
    """A record goes by its id; what is not part of the conversation has none."""
    told = (value_of(line) or {}).get("uuid")
    return told if isinstance(told, str) else line
