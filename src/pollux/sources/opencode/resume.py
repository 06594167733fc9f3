"""Files from which OpenCode takes up a session again, made of all that is left of it.

Up to 1.1 they are the JSON files themselves. What was in a database becomes a file for `opencode import`, which writes
the session back under its own ids: pollux writes to no database.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from pollux.model import Session
from pollux.sources.database import is_document, joined_documents, rows_of, session_of
from pollux.sources.opencode.witnesses.rows import session_record
from pollux.sources.resume_files import FileVersion, ResumeFile, largest_versions, source_files
from pollux.wire import Notes
from pollux.wire.join_versions import object_lines, value_of

_KEYS = {"session": "id", "message": "id", "part": "id", "todo": "position", "event": "id", "project": "id"}
IMPORT = "for opencode import: the records are those of the rows, put together as `opencode export` does"


def resume_files(_session: Session, versions: Sequence[FileVersion], _root: Path) -> list[ResumeFile]:
    """The JSON files as they were, and for each session in a database a file for `opencode import`."""
    files = [version for version in versions if version.path.endswith(".json")]
    made = [
        ResumeFile(path=path, content=content, sources=(path,)) for path, content in largest_versions(files).items()
    ]
    documents: dict[str, list[FileVersion]] = {}
    for version in versions:
        if is_document(version.path):
            documents.setdefault(session_of(version.path), []).append(version)
    for id, states in documents.items():
        content = _exported(joined_documents([state.content for state in states], _KEYS))
        if content is not None:
            folder = os.path.dirname(os.path.dirname(states[-1].path))  # noqa: PTH120
            path = os.path.join(folder, "import", f"{id}.json")  # noqa: PTH118
            made.append(ResumeFile(path=path, content=content, sources=source_files(states), made=IMPORT))
    return made


def join_versions(versions: Sequence[FileVersion]) -> bytes | None:
    """All rows of a document; a JSON file is written whole, so its last version has everything."""
    if not is_document(versions[-1].path):
        return None
    return joined_documents([version.content for version in versions], _KEYS)


def _exported(document: bytes) -> bytes | None:
    """A document as `opencode export` prints a session; None where its own row is lost."""
    lines = ((number, value_of(line) or {}) for number, line in enumerate(object_lines(document), start=1))
    rows: dict[str, list[dict[str, Any]]] = {}
    for _, table, row, _ in rows_of(lines):
        rows.setdefault(table, []).append(row)
    if not rows.get("session"):
        return None
    info = _with_cache(session_record(rows["session"][0], Notes()))
    messages = []
    for row in rows.get("message", ()):
        id = _text(row.get("id"))
        parts: list[dict[str, Any]] = [
            {**_data(part), "id": _text(part.get("id")), "messageID": id, "sessionID": info.get("id")}
            for part in rows.get("part", ())
            if _text(part.get("message_id")) == id
        ]
        message: dict[str, Any] = {**_data(row), "id": id, "sessionID": info.get("id")}
        messages.append({"info": message, "parts": parts})
    return msgspec.json.format(msgspec.json.encode({"info": info, "messages": messages}), indent=2) + b"\n"


def _with_cache(info: dict[str, Any]) -> dict[str, Any]:
    """A session's own record as an export has it: the cached tokens, which are two columns, in an object."""
    tokens = info.get("tokens")
    if not isinstance(tokens, dict):
        return info
    cache = {name: tokens.get(f"cache_{name}", 0) for name in ("read", "write")}
    return {**info, "tokens": {**{n: v for n, v in tokens.items() if not n.startswith("cache_")}, "cache": cache}}


def _data(row: dict[str, Any]) -> dict[str, Any]:
    raw = row.get("data")
    return (value_of(raw) if isinstance(raw, bytes) else None) or {}


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
