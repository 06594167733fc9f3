"""What a file holds, told by its content and never by its name.

A session log (JSON Lines), a session document (one JSON object, pretty or not), a checkpoint or shared conversation
(`Content`s), a log of typed prompts, or the captured output of a run: each becomes one of the values below.
"""

from __future__ import annotations

from typing import Any

import msgspec

from pollux.model import Severity
from pollux.sources.gemini.schema import Checkpoint, Content, Message, Record, Typed
from pollux.wire import Malformed, Notes, decode, fit, note_bad_line, plain, read_bytes, read_lines
from pollux.wire.salvage import blocks, close

_EVENTS = {"init", "message", "tool_use", "tool_result", "error", "result"}


class Log(msgspec.Struct):
    """Records in file order, each with its line; a document is one record, its line unknown."""

    records: list[tuple[int | None, Record]]


class History(msgspec.Struct):
    """A conversation as the API sees it."""

    checkpoint: Checkpoint


class Prompts(msgspec.Struct):
    """Lines the human typed."""

    lines: list[Typed]


class Captured(msgspec.Struct):
    """What `--output-format json` or `stream-json` printed: its objects with their lines."""

    events: list[tuple[int | None, dict[str, Any]]]


class Nothing(msgspec.Struct):
    """A file that holds nothing we can read, and why."""

    reason: str
    damaged: bool


Contents = Log | History | Prompts | Captured | Nothing


def contents(path: str, notes: Notes) -> Contents:
    """Read a file. Raises `Unreadable` only where it cannot be opened."""
    first, more = _first_line(path)
    if first is None:
        return Nothing("the file is empty", damaged=False)
    if more and first.strip() not in (b"{", b"["):
        log = _lines(path, notes)
        if log is not None:
            return log
    return _document(read_bytes(path), notes)


def _first_line(path: str) -> tuple[bytes | None, bool]:
    """The first line that is not blank, and whether another follows."""
    first: bytes | None = None
    for _, line, _ in read_lines(path):
        if first is not None:
            return first, True
        first = line
    return first, False


def _lines(path: str, notes: Notes) -> Log | Captured | None:
    """The file as JSON Lines; None where it is none."""
    notes.file = path
    records: list[tuple[int | None, Record]] = []
    bad: list[tuple[int, bytes, bool, Malformed]] = []
    for number, line, ended in read_lines(path):
        notes.line = number
        try:
            record = decode(Record, line, notes)
        except Malformed as error:
            bad.append((number, line, ended, error))
            if not records and len(bad) > 20:
                return None
            continue
        if record is None:
            notes.add("line.not-object", "A line holds JSON but no object; skipped.", Severity.ERROR)
        else:
            records.append((number, record))
    if not records:
        return None
    for number, line, ended, error in bad:
        notes.line = number
        note_bad_line(error, line, ended, notes)
    notes.line = None
    first = records[0][1]
    if first.type in _EVENTS and first.id is None and first.sessionId is None:
        return Captured(_events(path))
    return Log(records)


def _events(path: str) -> list[tuple[int | None, dict[str, Any]]]:
    quiet = Notes()
    events: list[tuple[int | None, dict[str, Any]]] = []
    for number, line, _ in read_lines(path):
        try:
            value = plain(line, quiet)
        except Malformed:
            continue
        if type(value) is dict:
            events.append((number, value))
    return events


def _document(raw: bytes, notes: Notes) -> Contents:
    try:
        record = msgspec.json.decode(raw, type=Record)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError):
        pass
    else:
        if record.messages is not None or record.sessionId is not None:
            return Log([(None, record)])
    try:
        value = plain(raw, notes)
    except Malformed as error:
        return _salvaged(raw, error, notes)
    return _told_apart(value, notes)


def _told_apart(value: Any, notes: Notes) -> Contents:
    match value:
        case {"history": list()} | {"clientHistory": list()}:
            return History(fit(Checkpoint, value, notes) or Checkpoint())
        case {"response": _} | {"stats": dict()} | {"session_id": str()}:
            return Captured([(None, value)])
        case {"type": str(word)} if word in _EVENTS and "id" not in value:
            return Captured([(None, value)])
        case dict():
            record = fit(Record, value, notes)
            return Log([(None, record)]) if record is not None and value else Nothing("the file holds no session", damaged=False)
        case [{"role": _}, *_] | [{"parts": _}, *_]:
            return History(fit(Checkpoint, {"history": value}, notes) or Checkpoint())
        case [{"message": _}, *_] | [{"messageId": _}, *_]:
            return Prompts([line for item in value if (line := fit(Typed, item, notes)) is not None])
        case []:
            return Nothing("the file holds an empty list", damaged=False)
        case _:
            return Nothing("the file holds JSON, but nothing Gemini CLI writes", damaged=True)


def _salvaged(raw: bytes, error: Malformed, notes: Notes) -> Contents:
    """What is left of a damaged document: its whole messages, and the beginning of a cut one."""
    start = raw.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    notes.add("document.damaged", f"The document is damaged ({error}); read as far as it goes.", Severity.ERROR)
    whole = _closed(close(raw), notes)
    depth = 2 if start == b"[" else 4
    items = [item for line, block in blocks(raw, depth) if (item := _item(block, line, notes)) is not None]
    match whole:
        case {"history": list(kept)} if len(items) > len(kept):
            return _told_apart({**whole, "history": items}, notes)
        case {"messages": list(kept)} if len(items) > len(kept):
            record = fit(Record, {**whole, "messages": items}, notes)
            return Log([(None, record)]) if record is not None else Nothing("damaged", damaged=True)
        case list(kept) if len(items) > len(kept):
            return _told_apart(items, notes)
        case None if items:
            record = fit(Record, {"messages": items}, notes)
            return Log([(None, record)]) if record is not None else Nothing("damaged", damaged=True)
        case _ if not whole:
            return Nothing(f"the file is damaged beyond reading ({error})", damaged=True)
        case _:
            return _told_apart(whole, notes)


def _closed(raw: bytes, notes: Notes) -> Any:
    try:
        return plain(raw, notes)
    except Malformed:
        return None


def _item(block: bytes, line: int, notes: Notes) -> Any:
    try:
        return plain(block, notes)
    except Malformed:
        notes.line = line
        notes.add("item.damaged", "A message is damaged; what stands before the damage was kept.", Severity.ERROR)
        notes.line = None
        return _closed(close(block), notes) or None


__all__ = ["Captured", "Contents", "Content", "History", "Log", "Message", "Nothing", "Prompts", "contents"]
