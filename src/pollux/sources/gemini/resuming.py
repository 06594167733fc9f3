"""Files that Gemini CLI resumes, from all that is left of a session.

It takes a log of lines (0.39+) or a document (before), told by content. Either must name the session and the hash of
its project, and lie among the chats of the project's folder: named by a slug and marked with the path since 0.29, by
the hash before.
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
from pollux.sources.gemini.identity import stem
from pollux.sources.gemini.projects.path_evidence import digest
from pollux.sources.gemini.projects.projects import marker_of
from pollux.sources.resuming import FileVersion, Resumable, largest_versions, source_files
from pollux.wire.joining import Document, as_line, format_document, join_records, object_lines, parse_document, value_of

_CHAT = re.compile(r"chats/(?:session-[^/]*|[^/]+/[^/]+)\.jsonl?(?:\.unreadable-\d+|\.tmp-\d+)?\Z", re.DOTALL)
_TYPED = re.compile(r"logs\.json|shell_history\Z")
_HASH = re.compile(r"[0-9a-f]{64}\Z")
_MESSAGES = "messages"
_CLEARED = b'{"$set":{"messages":[]}}\n'
_HEAD = {"sessionId", "projectHash"}
_MESSAGE = {"id", "timestamp", "type", "content"}
_MADE = "its first line is lost, and was made from the ids and times in what is left"


def resuming(session: Session, forms: Sequence[FileVersion], root: Path) -> list[Resumable]:
    """The session's files in the folder where the CLI looks now, and that folder's mark."""
    chats: dict[str, list[FileVersion]] = {}
    others: list[FileVersion] = []
    folder = _folder(session, forms, root)
    for form in forms:
        inner = form.path.split("/", 2)[-1]
        if _CHAT.match(inner):
            chats.setdefault(os.path.join(os.path.dirname(inner), stem(inner)), []).append(form)  # noqa: PTH118, PTH120
        elif not _TYPED.match(inner):
            others.append(FileVersion(path=inner, content=form.content))
    beside = largest_versions(others)
    found = [made for name, held in chats.items() for made in _chat(f"{folder}/{name}", held, session)]
    found += [
        Resumable(path=f"{folder}/{name}", content=beside.pop(name), sources=(f"{folder}/{name}",))
        for name in list(beside)
        if session.kind is Kind.CHECKPOINT
    ]
    if not found:
        return []
    if (path := _proved(session)) is not None and not _HASH.match(os.path.basename(folder)):  # noqa: PTH119
        beside[".project_root"] = path
    return [*found, *(Resumable(path=f"{folder}/{inner}", content=held) for inner, held in beside.items())]


def united(forms: Sequence[FileVersion]) -> bytes | None:
    """What all forms of a chat hold, as a log, unless the last one has every message.

    A log can say that the list of messages was replaced by another. Each later form does that, so that whatever it
    left out has the fate that it would have in a log.
    """
    if not _CHAT.match(forms[-1].path.split("/", 2)[-1]):
        return None
    records: list[bytes] = []
    for form in forms:
        records = _followed(records, form.content)
    last = _followed([], forms[-1].content)
    held = b"".join(records)
    return forms[-1].content if _ids(records) <= _ids(last) else held


def _followed(records: list[bytes], later: bytes) -> list[bytes]:
    """A log, and what a later form makes of it. A form in which nothing was said takes nothing back, nor a cut one."""
    if not _is_document(later):
        held = object_lines(later)
        if not records or not _ids(held):
            return records or held
        start = len(records) - records[::-1].index(_CLEARED) if _CLEARED in records else 0
        last = records[start:]
        if last[: len(held)] == held:
            return records
        return [*records[:start], *held] if held[: len(last)] == last else [*records, _CLEARED, *held]
    found = parse_document(later, _MESSAGES)
    if found is None:
        return records
    items = [as_line(item) for item in found.items]
    if not records:
        facts = {key: msgspec.Raw(value) for key, value in found.members.items() if key != _MESSAGES}
        return [as_line(msgspec.json.encode(facts)), *items]
    if not found.whole:
        known = _ids(records)
        return [*records, *(item for item in items if _id(item) not in known)]
    if not items:
        return records
    members = {key: msgspec.Raw(value) for key, value in found.members.items()}
    listed = as_line(msgspec.json.encode({"$set": members}))
    return [*(records[:-1] if _ids(records[-1:]) <= _ids([listed]) and _is_list(records[-1]) else records), listed]


def _ids(records: Sequence[bytes]) -> set[Any]:
    """By what the messages of a log are known, those in its lists too."""
    found: set[Any] = set()
    for record in records:
        match value_of(record):
            case {"$set": {"messages": list(messages)}} | {"messages": list(messages)}:
                found |= {_id(msgspec.json.encode(message)) for message in messages}
            case {"type": str()} | {"content": _}:
                found.add(_id(record))
    return found


def _is_list(record: bytes) -> bool:
    match value_of(record):
        case {"$set": {"messages": list()}}:
            return True
        case _:
            return False


def _folder(session: Session, forms: Sequence[FileVersion], root: Path) -> str:
    """The project's folder: that of the project's slug where there is one, else where the newest form lies."""
    top = os.path.join(root.name, "")  # noqa: PTH118
    for marker in sorted(root.glob("*/.project_root")):
        if digest(marker_of(str(marker)) or "") == session.project_hash:
            return top + marker.parent.name
    names = [form.path.split("/")[1] for form in forms if form.path.count("/") > 1]
    slugs = [name for name in names if not _HASH.match(name)]
    return top + (slugs or names or [""])[-1]


def _proved(session: Session) -> bytes | None:
    """The project's path, where the hash in the files says that it is the one."""
    path = os.fsencode(session.project or "")
    return path if hashlib.sha256(path).hexdigest() == session.project_hash else None


def _chat(place: str, forms: list[FileVersion], session: Session) -> Iterator[Resumable]:
    logs: list[list[bytes]] = []
    documents: list[tuple[Document, bytes]] = []
    of = source_files(forms)
    for form in forms:
        if _is_document(form.content):
            if (found := parse_document(form.content, _MESSAGES)) is not None:
                documents.append((found, form.content))
        elif held := object_lines(form.content):
            logs.append(held)
    if logs:
        content, made = _log(logs, [found for found, _ in documents], session)
        if content:
            yield Resumable(path=f"{place}.jsonl", content=content, sources=of, made=made)
    elif documents and (content := _document(documents)):
        yield Resumable(path=f"{place}.json", content=content, sources=of)


def _is_document(raw: bytes) -> bool:
    """Is it one object over several lines, or one line with all messages?"""
    first, _, rest = raw.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")
    told = value_of(first)
    return told is None if rest.strip() else _MESSAGES in (told or {})


def _document(forms: list[tuple[Document, bytes]]) -> bytes:
    """All messages of all documents, the last of each id; what the session says of itself is as it said last."""
    last, raw = forms[-1]
    items = _united([found for found, _ in forms])
    members = {key: value for found, _ in forms for key, value in found.members.items()}
    if last.whole and items == last.items and members == last.members:
        return raw
    return format_document(Document(members, items), _MESSAGES) if items and members.keys() >= _HEAD else b""


def _united(documents: list[Document]) -> list[bytes]:
    """A message that was cut counts only where none is whole, and only where it tells who said what."""
    whole = {_id(item) for found in documents for item in found.items}
    held: list[list[bytes]] = []
    for found in documents:
        cut = found.cut
        usable = cut is not None and (value_of(cut) or {}).keys() >= _MESSAGE and _id(cut) not in whole
        held.append([*found.items, *([cut] if cut is not None and usable else ())])
    return join_records(held, _id)


def _id(message: bytes) -> Any:
    told = (value_of(message) or {}).get("id")
    return told if isinstance(told, str) else message


def _log(logs: list[list[bytes]], documents: list[Document], session: Session) -> tuple[bytes, str | None]:
    """All lines of all logs, and the messages that only documents hold, where they would stand."""
    records = join_records(logs)
    if documents:
        records = join_records([[records[0], *map(as_line, _united(documents))], records], _id)
    values = [value_of(line) or {} for line in records]
    if any(told.keys() >= _HEAD for told in values):
        return b"".join(records), None
    head = _head(documents, values, session)
    return (b"".join([head, *records]), _MADE) if head is not None else (b"", None)


def _head(documents: list[Document], values: list[dict[str, Any]], session: Session) -> bytes | None:
    """What a log must say first, from what is left; None where that is not enough."""
    if documents:
        members = {key: msgspec.Raw(v) for found in documents for key, v in found.members.items() if key != _MESSAGES}
        if members.keys() >= _HEAD:
            return as_line(msgspec.json.encode(members))
    names = [told["$set"].get("sessionId") for told in values if isinstance(told.get("$set"), dict)]
    times = [told["timestamp"] for told in values if isinstance(told.get("timestamp"), str)]
    # Where nothing told the session's id, pollux calls it by its file.
    name = next((name for name in reversed(names) if name), None) or session.id
    if name.startswith("session-") or session.project_hash is None or not times:
        return None
    told = {"sessionId": name, "projectHash": session.project_hash, "startTime": times[0], "lastUpdated": times[-1]}
    return msgspec.json.encode({**told, "kind": session.kind.value}) + b"\n"
