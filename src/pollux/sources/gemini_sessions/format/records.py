"""What a file holds, decided by its content and never by its name.

A session log (JSON Lines), a session document (one JSON object, pretty or not), a checkpoint or shared conversation
(`Content`s), a log of typed prompts, or the captured output of a run: each becomes one of the values below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from datetime import datetime
from io import FileIO
from typing import Any

import msgspec
from msgspec.structs import replace

from pollux.model import Severity
from pollux.sources.gemini_sessions.format.schema import Checkpoint, LogRecord, Message, Record
from pollux.system.clock import FIRST_YEAR, LAST_YEAR
from pollux.system.decoders import json_decoder
from pollux.system.files import LARGE, read_within
from pollux.wire import (
    REFUSED,
    Malformed,
    MeasuredLines,
    Notes,
    Utc,
    buffered,
    decode,
    decoder,
    fit,
    note_bad_line,
    opened,
    plain,
    read_lines,
)
from pollux.wire.salvage import blocks, close

# How many lines are tried to find out what a file is, where the first is garbage.
_LINES_TRIED = 20
_HEAD = 4096
# How a message begins, as most lines of a log do.
_MESSAGE = b'{"id":"'
# A line that only says when the session was last updated, as every second line of a log does: around its time, which is
# read with its quotes.
_TIME_BEGINS, _TIME_ENDS = b'{"$set":{"lastUpdated":', b"}}\n"
_TIME_LENGTH = len(b'{"$set":{"lastUpdated":"2026-05-02T01:35:20.180Z"}}\n')
_TIME = slice(len(_TIME_BEGINS), -len(_TIME_ENDS))
_EVENTS = {"init", "message", "tool_use", "tool_result", "error", "result"}


LogLine = Message | Record | datetime
"""What a line of a log holds; a time is that of the last update."""

_utc: Any = Utc  # an annotation, which msgspec takes as a type
_decode_record: Callable[[bytes], Record] = decoder(Record)
_decode_message: Callable[[bytes], Message] = decoder(Message)
_decode_time: Callable[[bytes], datetime] = json_decoder(_utc).decode


class Log(msgspec.Struct):
    """Records in file order, each with its line, to be read once. A document is one record without a line."""

    records: Iterable[tuple[int | None, LogLine]]


class History(msgspec.Struct):
    """A conversation as the API sees it."""

    checkpoint: Checkpoint


class Prompts(msgspec.Struct):
    """Lines that the human typed."""

    lines: list[LogRecord]


class CapturedRun(msgspec.Struct):
    """What `--output-format json` or `stream-json` printed: its objects with their lines."""

    events: list[tuple[int | None, dict[str, Any]]]


class EmptyFile(msgspec.Struct):
    """A file without readable content, and why."""

    reason: str
    damaged: bool


Contents = Log | History | Prompts | CapturedRun | EmptyFile


def parse_file(path: str, notes: Notes) -> Contents:
    """Read a file. Raises `Unreadable` only where it cannot be opened."""
    with ExitStack() as stack:
        raw: FileIO = stack.enter_context(opened(path, buffer=0))  # type: ignore[assignment]
        pretty = _is_pretty(raw.read(_HEAD))
        raw.seek(0)
        if pretty:
            return _parse_document(read_within(raw, LARGE), notes)
        file = buffered(raw)
        lines = (line for line in file if not line.isspace())
        first = next(lines, None)
        if first is not None and _is_event(first):
            return CapturedRun(_events(path, notes))
        log = first is not None and _is_record(first, lines)
        file.seek(0)
        if not log and not _is_damaged_log(content := read_within(file, LARGE)):
            return _parse_document(content, notes) if content.strip() else EmptyFile("the file is empty", damaged=False)
        file.seek(0)
        if isinstance(file, MeasuredLines):
            file.notes = notes
        return Log(_records(file, stack.pop_all(), notes))


def _is_pretty(head: bytes) -> bool:
    """Does a file begin like a pretty-printed document: a bracket alone on its line?"""
    return head.lstrip(b"\xef\xbb\xbf \t\r\n")[:2] in (b"{\n", b"[\n", b"{\r", b"[\r")


def _parse_document(raw: bytes, notes: Notes) -> Contents:
    """A document, or what is left of one."""
    try:
        return _document(raw, notes)
    except Malformed as error:
        return _salvage(raw, error, notes)


def _is_record(first: bytes, more: Iterator[bytes]) -> bool:
    """Is the first line of a file a record of a log? A single line may be a whole document."""
    try:
        record = decode(Record, first, Notes())
    except Malformed:
        return False
    return record is not None and (_is_header(record) or next(more, None) is not None)


def _is_damaged_log(raw: bytes) -> bool:
    """Is a file a log whose first lines are garbage? Then the whole file is not JSON."""
    try:
        plain(raw, Notes())
    except Malformed:
        pass
    else:
        return False
    for line in raw.split(b"\n", _LINES_TRIED)[:_LINES_TRIED]:
        try:
            if not line.isspace() and decode(Record, line, Notes()) is not None:
                return True
        except Malformed:
            continue
    return False


def _records(file: Iterable[bytes], stack: ExitStack, notes: Notes) -> Iterator[tuple[int | None, LogLine]]:
    """The records of a log one by one, so that replaced records need not be kept in memory.

    A line that is only a message with an id becomes a `Message`, which is smaller and faster to read, and one that only
    sets the time becomes that time.
    """
    record: LogLine | None
    with stack:
        for number, line in enumerate(file, start=1):
            if line == b"\n":
                continue
            try:
                if line[:7] == _MESSAGE:
                    record = _decode_message(line)
                elif len(line) == _TIME_LENGTH and line.startswith(_TIME_BEGINS) and line.endswith(_TIME_ENDS):
                    record = _last_update(line)
                else:
                    record = _decode_record(line)
            except REFUSED:
                if line.isspace():
                    continue
                notes.line = number
                record = _parse_odd(line, notes)
            if record is not None:
                yield number, record
    notes.line = None


def _last_update(line: bytes) -> datetime:
    """The time on a line that only says when the session was last updated. Raises one of `REFUSED`."""
    at = _decode_time(line[_TIME])
    if not FIRST_YEAR <= at.year <= LAST_YEAR:
        raise ValueError("lastUpdated is at the end of the calendar")
    return at


# The types of messages, by which notices call them.
_TYPES = ("user", "gemini", "info", "error", "warning")


def _parse_odd(line: bytes, notes: Notes) -> Record | None:
    """A line that is not exactly of the known shape."""
    try:
        value = plain(line, notes)
    except Malformed as error:
        note_bad_line(error, line, notes)
        return None
    kind = value.get("type") if type(value) is dict else None
    record = fit(Record, value, notes, kind if kind in _TYPES else "line")
    if record is None:
        notes.add("line.not-object", "A line holds JSON but no object; skipped.", Severity.ERROR)
    return record


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
    for number, line in read_lines(path, notes):
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
    """One JSON value. Raises `Malformed`."""
    try:
        record = _decode_record(raw)
    except REFUSED:
        pass
    else:
        if record.messages is not None or record.sessionId is not None:
            return Log([(None, record)])
    return _classify(plain(raw, notes), notes)


def _classify(value: Any, notes: Notes) -> Contents:
    match value:
        case {"clientHistory": list(), "history": shown}:
            # `/restore` keeps the turns, and also the lines that the interface showed.
            checkpoint = fit(
                Checkpoint, {key: item for key, item in value.items() if key != "history"}, notes, "checkpoint"
            )
            return History(
                Checkpoint()
                if checkpoint is None
                else replace(checkpoint, extra={**checkpoint.extra, "history": shown})
            )
        case {"history": list()} | {"clientHistory": list()}:
            return History(fit(Checkpoint, value, notes, "checkpoint") or Checkpoint())
        case {"response": _} | {"stats": dict()} | {"session_id": str()}:
            return CapturedRun([(None, value)])
        case {"type": str(word)} if word in _EVENTS and "id" not in value:
            return CapturedRun([(None, value)])
        case dict():
            record = fit(Record, value, notes, "session")
            return (
                Log([(None, record)])
                if record is not None and value
                else EmptyFile("the file holds no session", damaged=False)
            )
        case []:
            return EmptyFile("the file holds an empty list", damaged=False)
        case list():
            return _classify_list(value, notes)
        case _:
            return EmptyFile("the file holds JSON, but nothing Gemini CLI writes", damaged=True)


def _classify_list(items: list[Any], notes: Notes) -> Contents:
    """A list of turns, or of typed lines."""
    keys = {key for item in items if isinstance(item, dict) for key in item}
    if keys & {"role", "parts"}:
        return History(fit(Checkpoint, {"history": items}, notes, "checkpoint") or Checkpoint())
    if keys & {"message", "messageId"}:
        return Prompts([line for item in items if (line := _typed_line(item, notes)) is not None])
    return EmptyFile("the file holds a list, but of nothing Gemini CLI writes", damaged=True)


def _typed_line(item: Any, notes: Notes) -> LogRecord | None:
    line = fit(LogRecord, item, notes, "logs.json")
    if line is None and item is not None:
        shown = msgspec.json.encode(item).decode()
        notes.add("log.odd", f"An item of the log is not a typed line; it says: {shown}")
    return line


def _salvage(raw: bytes, error: Malformed, notes: Notes) -> Contents:
    """What is left of a damaged document: its complete messages, and the beginning of a cut one."""
    start = raw.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    notes.add("document.damaged", f"The document is damaged ({error}); read as far as it goes.", Severity.ERROR)
    closed, end = close(raw)
    value = _parse_closed(closed, notes)
    if not isinstance(value, dict | list):
        value = None
    depth = 2 if start == b"[" else 4
    # If nothing follows the damage, the document was cut: the closed part is all there is.
    more = blocks(raw, depth) if b"\n" + b" " * depth + b"{" in raw[end:] or value is None else []
    items = [item for line, block in more if (item := _item(block, line, notes)) is not None]
    match value:
        case {"history": list(readable)} if len(items) > len(readable):
            return _classify({**value, "history": items}, notes)
        case {"messages": list(readable)} if len(items) > len(readable):
            record = fit(Record, {**value, "messages": items}, notes, "session")
            return Log([(None, record)]) if record is not None else EmptyFile("damaged", damaged=True)
        case list(readable) if len(items) > len(readable):
            return _classify(items, notes)
        case dict() | None if items and not (value or {}).keys() & {"history", "clientHistory", "messages"}:
            # The damage comes before the messages, so the last of the facts may be cut.
            facts = dict(list((value or {}).items())[:-1])
            record = fit(Record, {**facts, "messages": items}, notes, "session")
            return Log([(None, record)]) if record is not None else EmptyFile("damaged", damaged=True)
        case _ if not value:
            return EmptyFile(f"the file is damaged beyond reading ({error})", damaged=True)
        case _:
            return _classify(value, notes)


def _parse_closed(raw: bytes, notes: Notes) -> Any:
    try:
        return plain(raw, notes)
    except Malformed:
        return None


def _item(block: bytes, line: int, notes: Notes) -> Any:
    try:
        return plain(block, notes)
    except Malformed:
        notes.line = line
        notes.add("item.damaged", "A message is damaged; its beginning was kept.", Severity.ERROR)
        notes.line = None
        return _parse_closed(close(block)[0], notes) or None
