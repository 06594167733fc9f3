"""Rollouts that Codex CLI resumes, from all that is left of a thread.

It takes a file that is named by the time and the id and whose first line tells the thread's id, among the folders of
days or in the archive. What comes compressed it unpacks before it goes on, so here it is plain.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from pollux.model import Session
from pollux.sources.codex import find
from pollux.sources.codex.format.compressed import plain_bytes
from pollux.sources.resume_files import FileVersion, Resumable, source_files
from pollux.wire.join_versions import Document, format_document, join_records, object_lines, parse_document, value_of

_ITEMS = "items"


def resuming(_session: Session, forms: Sequence[FileVersion], _root: Path) -> list[Resumable]:
    """The files of the thread, and of those that it goes on from."""
    rollouts: dict[str, list[FileVersion]] = {}
    for form in forms:
        name = os.path.basename(form.path).removesuffix(".zst")  # noqa: PTH119
        if find.parse_name(name)[0] is not None:
            rollouts.setdefault(name, []).append(form)
    return [file for versions in rollouts.values() if (file := _made(versions)) is not None]


def united(forms: Sequence[FileVersion]) -> bytes | None:
    """All lines of a rollout."""
    parse_name = find.parse_name(os.path.basename(forms[-1].path).removesuffix(".zst"))[0]  # noqa: PTH119
    file = _made(list(forms)) if parse_name is not None else None
    return file.content if file is not None else None


def _made(forms: list[FileVersion]) -> Resumable | None:
    """One file; where a form is all there is, that one, be it compressed or without its last line's end."""
    raw = [plain_bytes(form.content) for form in forms]
    content = _document(raw) if ".jsonl" not in forms[0].path else _rollout(raw)
    if content is None:
        return None
    for form, plain in zip(reversed(forms), reversed(raw), strict=True):
        if plain.rstrip(b"\n") == content.rstrip(b"\n"):
            return Resumable(path=form.path, content=form.content, sources=source_files(forms))
    places = [form.path.removesuffix(".zst") for form in forms]
    live = [place for place in places if not place.startswith(f"{find.ARCHIVE}/")]
    return Resumable(path=(live or places)[-1], content=content, sources=source_files(forms))


def _rollout(forms: list[bytes]) -> bytes | None:
    """All lines; None where the first one is lost, for only it tells whose thread that is.

    A file that a newer release rewrote has another first line, and says the same as before in other lines.
    """
    versions = [records for raw in forms if (records := object_lines(raw))]
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


def _document(forms: list[bytes]) -> bytes | None:
    """All whole items (April to May 2025)."""
    versions = [
        content
        for raw in forms
        if (content := parse_document(raw, _ITEMS)) is not None and "session" in content.members
    ]
    items = join_records(content.items for content in versions)
    return format_document(Document(versions[-1].members, items), _ITEMS) if items else None
