"""Files that Gemini CLI resumes, made from all that is left of a session.

It accepts a log of lines (0.39+) or a document (before), by content. Either must name the session and the hash of its
project, and lie in the chats of the project's folder. Since 0.29 that folder has a slug as its name and a note with the
path; before, its name is the hash.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from pollux.model import Kind, Session
from pollux.model.project_hash import project_hash
from pollux.sources.gemini_sessions.identity import stem
from pollux.sources.gemini_sessions.projects.projects import marker_of
from pollux.sources.resume_files import FileVersion, ResumeFile, largest_versions, source_files
from pollux.wire.join_versions import (
    Document,
    as_line,
    format_document,
    join_records,
    object_lines,
    parse_document,
    value_of,
)

_CHAT = re.compile(r"chats/(?:session-[^/]*|[^/]+/[^/]+)\.jsonl?(?:\.unreadable-\d+|\.tmp-\d+)?\Z", re.DOTALL)
_TYPED = re.compile(r"logs\.json|shell_history\Z")
_HASH = re.compile(r"[0-9a-f]{64}\Z")
_MESSAGES = "messages"
_CLEARED = b'{"$set":{"messages":[]}}\n'
_HEAD = {"sessionId", "projectHash"}
_MESSAGE = {"id", "timestamp", "type", "content"}
_MADE_HEADER = "its first line is lost, and was made from the ids and times in what is left"


def resume_files(session: Session, versions: Sequence[FileVersion], root: Path) -> list[ResumeFile]:
    """The session's files in the folder where the CLI looks now, and that folder's note."""
    chats: dict[str, list[FileVersion]] = {}
    others: list[FileVersion] = []
    folder = _folder(session, versions, root)
    for version in versions:
        inner = version.path.split("/", 2)[-1]
        if _CHAT.match(inner):
            chats.setdefault(os.path.join(os.path.dirname(inner), stem(inner)), []).append(version)  # noqa: PTH118, PTH120
        elif not _TYPED.match(inner):
            others.append(FileVersion(path=inner, content=version.content))
    other_contents = largest_versions(others)
    chat_files = [file for name, members in chats.items() for file in _chat(f"{folder}/{name}", members, session)]
    chat_files += [
        ResumeFile(path=f"{folder}/{name}", content=other_contents.pop(name), sources=(f"{folder}/{name}",))
        for name in list(other_contents)
        if session.kind is Kind.CHECKPOINT
    ]
    if not chat_files:
        return []
    if (path := _proved(session)) is not None and not _HASH.match(os.path.basename(folder)):  # noqa: PTH119
        other_contents[".project_root"] = path
    return [
        *chat_files,
        *(ResumeFile(path=f"{folder}/{inner}", content=members) for inner, members in other_contents.items()),
    ]


def join_versions(versions: Sequence[FileVersion]) -> bytes | None:
    """The records of all versions of a chat, as a log, unless the last version has every message.

    A log can say that the list of messages was replaced by another. Each later version does that, so that the messages
    that it left out have the fate that they would have in a log.
    """
    if not _CHAT.match(versions[-1].path.split("/", 2)[-1]):
        return None
    records: list[bytes] = []
    for version in versions:
        records = _apply_version(records, version.content)
    last = _apply_version([], versions[-1].content)
    log = b"".join(records)
    return versions[-1].content if _ids(records) <= _ids(last) else log


def _apply_version(records: list[bytes], later: bytes) -> list[bytes]:
    """A log continued by a later version. An empty version, or one that was cut, removes nothing."""
    if not _is_document(later):
        lines = object_lines(later)
        if not records or not _ids(lines):
            return records or lines
        start = len(records) - records[::-1].index(_CLEARED) if _CLEARED in records else 0
        last = records[start:]
        if last[: len(lines)] == lines:
            return records
        return [*records[:start], *lines] if lines[: len(last)] == last else [*records, _CLEARED, *lines]
    document = parse_document(later, _MESSAGES)
    if document is None:
        return records
    items = [as_line(item) for item in document.items]
    if not records:
        facts = {key: msgspec.Raw(value) for key, value in document.members.items() if key != _MESSAGES}
        return [as_line(msgspec.json.encode(facts)), *items]
    if not document.whole:
        known = _ids(records)
        return [*records, *(item for item in items if _id(item) not in known)]
    if not items:
        return records
    members = {key: msgspec.Raw(value) for key, value in document.members.items()}
    replacement = as_line(msgspec.json.encode({"$set": members}))
    return [
        *(records[:-1] if _ids(records[-1:]) <= _ids([replacement]) and _is_list(records[-1]) else records),
        replacement,
    ]


def _ids(records: Sequence[bytes]) -> set[Any]:
    """The ids of the messages of a log, also of those in its lists."""
    ids: set[Any] = set()
    for record in records:
        match value_of(record):
            case {"$set": {"messages": list(messages)}} | {"messages": list(messages)}:
                ids |= {_id(msgspec.json.encode(message)) for message in messages}
            case {"type": str()} | {"content": _}:
                ids.add(_id(record))
    return ids


def _is_list(record: bytes) -> bool:
    match value_of(record):
        case {"$set": {"messages": list()}}:
            return True
        case _:
            return False


def _folder(session: Session, versions: Sequence[FileVersion], root: Path) -> str:
    """The project's folder: that of the project's slug if there is one, otherwise that of the newest version."""
    top = os.path.join(root.name, "")  # noqa: PTH118
    for marker in sorted(root.glob("*/.project_root")):
        if project_hash(marker_of(str(marker)) or "") == session.project_hash:
            return top + marker.parent.name
    names = [version.path.split("/")[1] for version in versions if version.path.count("/") > 1]
    slugs = [name for name in names if not _HASH.match(name)]
    return top + (slugs or names or [""])[-1]


def _proved(session: Session) -> bytes | None:
    """The project's path, if it has the hash in the files."""
    path = os.fsencode(session.project or "")
    return path if hashlib.sha256(path).hexdigest() == session.project_hash else None


def _chat(place: str, versions: list[FileVersion], session: Session) -> Iterator[ResumeFile]:
    logs: list[list[bytes]] = []
    documents: list[tuple[Document, bytes]] = []
    paths = source_files(versions)
    for version in versions:
        if _is_document(version.content):
            if (document := parse_document(version.content, _MESSAGES)) is not None:
                documents.append((document, version.content))
        elif lines := object_lines(version.content):
            logs.append(lines)
    if logs:
        content, note = _log(logs, [document for document, _ in documents], session)
        if content:
            yield ResumeFile(path=f"{place}.jsonl", content=content, sources=paths, made=note)
    elif documents and (content := _document(documents)):
        yield ResumeFile(path=f"{place}.json", content=content, sources=paths)


def _is_document(raw: bytes) -> bool:
    """Is this one object on several lines, or one line with all messages?"""
    first, _, rest = raw.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")
    value = value_of(first)
    return value is None if rest.strip() else _MESSAGES in (value or {})


def _document(versions: list[tuple[Document, bytes]]) -> bytes:
    """All messages of all documents, the last one of each id, with the last facts of the session."""
    last, raw = versions[-1]
    items = _join_documents([document for document, _ in versions])
    members = {key: value for document, _ in versions for key, value in document.members.items()}
    if last.whole and items == last.items and members == last.members:
        return raw
    return format_document(Document(members, items), _MESSAGES) if items and members.keys() >= _HEAD else b""


def _join_documents(documents: list[Document]) -> list[bytes]:
    """The messages of all documents. A cut message counts only if no complete copy exists, and its author is known."""
    complete_ids = {_id(item) for document in documents for item in document.items}
    lists: list[list[bytes]] = []
    for document in documents:
        cut = document.cut
        usable = cut is not None and (value_of(cut) or {}).keys() >= _MESSAGE and _id(cut) not in complete_ids
        lists.append([*document.items, *([cut] if cut is not None and usable else ())])
    return join_records(lists, _id)


def _id(message: bytes) -> Any:
    name = (value_of(message) or {}).get("id")
    return name if isinstance(name, str) else message


def _log(logs: list[list[bytes]], documents: list[Document], session: Session) -> tuple[bytes, str | None]:
    """All lines of all logs, with the messages of documents in their places."""
    records = join_records(logs)
    if documents:
        records = join_records([[records[0], *map(as_line, _join_documents(documents))], records], _id)
    values = [value_of(line) or {} for line in records]
    if any(value.keys() >= _HEAD for value in values):
        return b"".join(records), None
    head = _head(documents, values, session)
    return (b"".join([head, *records]), _MADE_HEADER) if head is not None else (b"", None)


def _head(documents: list[Document], values: list[dict[str, Any]], session: Session) -> bytes | None:
    """The first line of a log, from what is left; None if that is not enough."""
    if documents:
        members = {
            key: msgspec.Raw(v) for document in documents for key, v in document.members.items() if key != _MESSAGES
        }
        if members.keys() >= _HEAD:
            return as_line(msgspec.json.encode(members))
    names = [value["$set"].get("sessionId") for value in values if isinstance(value.get("$set"), dict)]
    times = [value["timestamp"] for value in values if isinstance(value.get("timestamp"), str)]
    # If no record names the session's id, pollux uses the name of its file.
    name = next((name for name in reversed(names) if name), None) or session.id
    if name.startswith("session-") or session.project_hash is None or not times:
        return None
    header = {"sessionId": name, "projectHash": session.project_hash, "startTime": times[0], "lastUpdated": times[-1]}
    return msgspec.json.encode({**header, "kind": session.kind.value}) + b"\n"
