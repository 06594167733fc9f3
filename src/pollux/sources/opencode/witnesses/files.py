"""Records in JSON files, one each: `storage` since 0.6, `project/*/storage/session` before."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TypeVar

from pollux.errors import Unreadable
from pollux.model import Origin, Severity
from pollux.sources.base import File
from pollux.sources.opencode import find
from pollux.sources.opencode.format.schema import MessageInfo, Part, SessionInfo
from pollux.sources.opencode.witnesses.records import Gathered, MessageRecord, PartRecord
from pollux.wire import Malformed, Notes, Shape, decode, display_path, fit, plain, read_bytes
from pollux.wire.salvage import close, mend

S = TypeVar("S", bound=Shape)


def stem(path: str) -> str:
    """The id in a file's name."""
    return os.path.basename(path).removesuffix(".json")  # noqa: PTH119


def folder_name(path: str) -> str:
    """The name of the folder that a file lies in."""
    return os.path.basename(os.path.dirname(path))  # noqa: PTH119, PTH120


def gather_files(files: Iterable[File], into: Gathered, notes: Notes) -> None:
    """Add the records in these files."""
    for file in files:
        notes.file, notes.line = display_path(file.path), None
        into.files.append(notes.file)
        origin = Origin(file=notes.file, line=1)
        if file.role == find.EXPORT:
            gather_export(file, into, notes)
        elif file.role == find.SESSION:
            if (info := _decoded(file, SessionInfo, notes)) is not None:
                into.add_info(info, origin)
        elif file.role == find.MESSAGE:
            if (message := _decoded(file, MessageInfo, notes)) is not None:
                id = message.id or stem(file.path)
                into.add_message(id, MessageRecord(message, origin, removed=into.is_removed(id)))
                _inner_parts(message, id, into, origin)
        elif file.role == find.PART:
            if (part := _decoded(file, Part, notes)) is not None:
                message_id = part.messageID or folder_name(file.path)
                into.add_part(message_id, part.id or stem(file.path), PartRecord(part, origin))
        else:
            into.side.setdefault(file.role, _plain(file, notes))


def gather_export(file: File, into: Gathered, notes: Notes) -> None:
    """Add the records of a session that `opencode export` printed: `{info, messages: [{info, parts}]}`."""
    exported = _plain(file, notes)
    if not isinstance(exported, dict):
        notes.add("line.not-object", "A file holds no JSON object; skipped.", Severity.ERROR)
        return
    origin = Origin(file=display_path(file.path), item=None)
    if (info := fit(SessionInfo, exported.get("info"), notes, "session")) is not None:
        into.add_info(info, origin)
    messages = exported.get("messages")
    for number, item in enumerate(messages if isinstance(messages, list) else ()):
        place = Origin(file=origin.file, item=number)
        record = item if isinstance(item, dict) else {}
        message = fit(MessageInfo, record.get("info"), notes, "message")
        if message is None:
            notes.add("item.damaged", "An item of the list of messages is no message; skipped.", Severity.ERROR)
            continue
        id = message.id or f"item-{number}"
        into.add_message(id, MessageRecord(message, place))
        parts = record.get("parts")
        for inner, value in enumerate(parts if isinstance(parts, list) else ()):
            if (part := fit(Part, value, notes, "part")) is not None:
                into.add_part(id, part.id or f"{id}-{inner:04}", PartRecord(part, place))


def _inner_parts(message: MessageInfo, id: str, into: Gathered, origin: Origin) -> None:
    """The parts that the oldest releases wrote into the message itself."""
    for number, part in enumerate(message.parts or ()):
        into.add_part(id, part.id or f"{id}-{number:04}", PartRecord(part, origin))


def _decoded(file: File, kind: type[S], notes: Notes) -> S | None:
    """A file's record, or what is left of one that was cut."""
    raw = _raw(file, notes)
    if raw is None:
        return None
    name = file.role
    try:
        record = decode(kind, raw, notes, name)
    except Malformed as error:
        notes.add("document.damaged", f"A file of {len(raw)} bytes is not whole JSON ({error}).", Severity.ERROR)
        record = _salvaged(raw, kind, notes, name)
    if record is None:
        notes.add("line.not-object", "A file holds no JSON object; skipped.", Severity.ERROR)
    return record


def _salvaged(raw: bytes, kind: type[S], notes: Notes, name: str) -> S | None:
    for closed in (mend(raw), close(raw)[0]):
        try:
            if closed:
                return decode(kind, closed, notes, name)
        except Malformed:
            continue
    return None


def _plain(file: File, notes: Notes) -> object:
    raw = _raw(file, notes)
    if raw is None:
        return None
    try:
        return plain(raw, notes)
    except Malformed as error:
        notes.add("document.damaged", f"A file of {len(raw)} bytes is not whole JSON ({error}).", Severity.ERROR)
    try:
        closed = mend(raw)
        return plain(closed, notes) if closed else raw.decode("utf-8", "replace")
    except Malformed:
        return raw.decode("utf-8", "replace")


def _raw(file: File, notes: Notes) -> bytes | None:
    try:
        raw = read_bytes(file.path)
    except Unreadable as error:
        notes.add("file.unreadable", str(error), Severity.ERROR)
        return None
    if not raw.strip():
        notes.add("file.empty", "A file is empty: it was being written when the agent ended.", Severity.WARNING)
        return None
    return raw
