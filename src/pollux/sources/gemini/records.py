"""What a file holds, told by its content and never by its name.

A session log (JSON Lines), a session document (one JSON object, pretty or not), a checkpoint or shared conversation
(`Content`s), a log of typed prompts, or the captured output of a run: each becomes one of the values below.
"""

from __future__ import annotations

from itertools import chain
from typing import Any, BinaryIO

import msgspec

from pollux.model import Severity
from pollux.sources.gemini.schema import Checkpoint, Record, Typed
from pollux.wire import REFUSED, Malformed, Notes, decode, decoder, fit, note_bad_line, opened, plain, read_lines
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
    with opened(path) as file:
        number, first = _first_line(file)
        if not first:
            return Nothing("the file is empty", damaged=False)
        if _is_event(first):
            return Captured(_events(path, notes))
        found = None if first.strip() in (b"{", b"[") else _lines(file, number, first, notes)
        if found is None:
            file.seek(0)
            return _document(file.read(), notes)
        return found


def _first_line(file: BinaryIO) -> tuple[int, bytes]:
    """The first line that is not blank, and its number."""
    number, line = 0, b"\n"
    while line.isspace():
        line = file.readline()
        number += 1
    return number, line


def _lines(file: BinaryIO, start: int, first: bytes, notes: Notes) -> Log | None:
    """The file as JSON Lines; None where it is none."""
    quick = decoder(Record)
    records: list[tuple[int | None, Record]] = []
    bad: list[tuple[int, bytes, Malformed]] = []
    for number, line in enumerate(chain((first,), file), start):
        try:
            records.append((number, quick(line)))
        except REFUSED:
            if line.isspace():
                continue
            notes.line = number
            try:
                record = decode(Record, line, notes)
            except Malformed as error:
                bad.append((number, line, error))
                if not records and len(bad) > 20:
                    return None
                continue
            if record is None:
                notes.add("line.not-object", "A line holds JSON but no object; skipped.", Severity.ERROR)
            else:
                records.append((number, record))
    notes.line = None
    if not records or (len(records) == 1 and not bad and not _is_header(records[0][1])):
        return None
    for number, line, problem in bad:
        notes.line = number
        note_bad_line(problem, line, notes)
    notes.line = None
    return Log(records)


def _is_header(record: Record) -> bool:
    """Is a single line the beginning of a log, rather than a whole document?"""
    return record.messages is None and record.sessionId is not None and record.projectHash is not None


def _is_event(line: bytes) -> bool:
    """Does a file begin like a captured stream?"""
    if not line.startswith(b'{"type"'):
        return False
    try:
        event = plain(line, Notes())
    except Malformed:
        return False
    return event.get("type") in _EVENTS and "id" not in event


def _events(path: str, notes: Notes) -> list[tuple[int | None, dict[str, Any]]]:
    events: list[tuple[int | None, dict[str, Any]]] = []
    for number, line in read_lines(path):
        notes.line = number
        try:
            value = plain(line, notes)
        except Malformed as error:
            note_bad_line(error, line, notes)
            continue
        if type(value) is dict:
            events.append((number, value))
        else:
            notes.add("line.not-object", "A line holds JSON but no object; skipped.", Severity.ERROR)
    notes.line = None
    return events


def _document(raw: bytes, notes: Notes) -> Contents:
    try:
        record = decoder(Record)(raw)
    except REFUSED:
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
            return (
                Log([(None, record)])
                if record is not None and value
                else Nothing("the file holds no session", damaged=False)
            )
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
