"""Files from which OpenCode takes up a session again, made of all that is left of it.

Up to 1.1 they are the JSON files themselves. What was in a database becomes a file for `opencode import`, which writes
the session back under its own ids: pollux writes to no database.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from math import inf
from operator import itemgetter
from pathlib import Path
from typing import Any

import msgspec

from pollux.model import Session
from pollux.sources.database import is_document, joined_documents, rows_of, session_of, text_of
from pollux.sources.opencode.witnesses.log import Told, is_removed, removed_by, told
from pollux.sources.opencode.witnesses.rows import session_record
from pollux.sources.resume_files import FileVersion, ResumeFile, largest_versions, source_files
from pollux.wire import Notes
from pollux.wire.join_versions import object_lines, value_of

_KEYS = {"session": "id", "message": "id", "part": "id", "todo": "position", "event": "id", "project": "id"}
_id: Callable[[dict[str, Any]], str] = itemgetter("id")
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
    """A document as `opencode export` prints a session; None where nothing says when and where it was begun.

    What was lost from the tables is taken from the log of changes.
    """
    lines = ((number, value_of(line) or {}) for number, line in enumerate(object_lines(document), start=1))
    rows: dict[str, list[dict[str, Any]]] = {}
    for _, table, row, _ in rows_of(lines):
        rows.setdefault(table, []).append(row)
    lost = _lost(rows.get("event", ()))
    infos = [_with_cache(session_record(row, Notes())) for row in rows.get("session", ())]
    infos += [entry.record for entry in lost if entry.table == "session"]
    info = next(iter(infos), None)
    if info is None:
        return None
    parts: dict[str, list[dict[str, Any]]] = {}
    for row in rows.get("part", ()):
        record = {**_data(row), "id": text_of(row.get("id")), "messageID": text_of(row.get("message_id"))}
        parts.setdefault(record["messageID"], []).append({**record, "sessionID": info.get("id")})
    messages: list[dict[str, Any]] = [
        {**_data(row), "id": text_of(row.get("id")), "sessionID": info.get("id")} for row in rows.get("message", ())
    ]
    for entry in lost:
        if entry.table == "part":
            parts.setdefault(str(entry.record.get("messageID")), []).append(entry.record)
    messages += [entry.record for entry in lost if entry.table == "message"]
    for members in parts.values():
        members.sort(key=_id)
    content = [{"info": one, "parts": parts.get(one["id"], [])} for one in sorted(messages, key=_order)]
    return msgspec.json.format(msgspec.json.encode({"info": info, "messages": content}), indent=2) + b"\n"


def _lost(rows: Iterable[dict[str, Any]]) -> list[Told]:
    """What the log of changes has of records that are gone, and that the agent did not take out."""
    entries = [entry for row in rows if (entry := told(row)) is not None]
    removed = removed_by(entries)
    return [entry for entry in entries if not entry.removed and not is_removed(entry, removed)]


def _order(message: dict[str, Any]) -> tuple[float, str]:
    """Messages stand by the time at which they were made."""
    time = message.get("time")
    created = time.get("created") if isinstance(time, dict) else None
    return created if isinstance(created, int | float) else inf, message["id"]


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
