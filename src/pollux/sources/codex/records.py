"""The lines of a session file as records: typed where they carry the conversation, as they are where they do not."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, BinaryIO

import msgspec

from pollux.model import Severity
from pollux.sources.codex.keys import ALIASES, INSIDE, KNOWN, UI_ITEMS
from pollux.sources.codex.schema import (
    ECHOES,
    ITEMS,
    Bookkeeping,
    Envelope,
    EventLine,
    ItemLine,
    Kept,
    Line,
    UsageLine,
    UsageRecord,
)
from pollux.wire import REFUSED, Malformed, Notes, Shape, fit, note_bad_line, plain

Record = ItemLine | EventLine | UsageLine | Kept
Run = tuple[int, list[Record]]
"""Records that follow each other line by line, with the number of the first one's line."""

_quick = msgspec.json.Decoder(Line).decode
_all = msgspec.json.Decoder(Line).decode_lines
_untyped = msgspec.json.Decoder(Bookkeeping).decode
_PIECE = 1 << 18
_BRACE = ord("}")
_NESTED = (dict, list)
_TYPED: dict[str, dict[str, type[Shape]]] = {"response_item": ITEMS, "event_msg": ECHOES, "token_usage_record": {}}
_AROUND = ("timestamp", "ordinal", "metadata")


def runs(file: BinaryIO, notes: Notes) -> Iterator[Run]:
    """The records of a file as they are read. Lines that are all as we know them are decoded at one go.

    Where there was an odd one among them more of that kind are likely, and the next piece is not tried like that.
    """
    number, smooth = 1, True
    while piece := file.read1(_PIECE):  # type: ignore[attr-defined]
        if not piece.endswith(b"\n"):
            piece += file.readline()
        run: list[Record] = []
        if smooth:
            with suppress(*REFUSED):
                run = _all(piece)
        if run and len(run) == _objects(piece):
            yield number, run
            number += len(run)
            continue
        smooth = True
        lines = io.BytesIO(piece).readlines()
        for place, record in records(lines, notes, number):
            smooth = smooth and type(record) is not Bookkeeping
            yield place, [record]
        number += len(lines)


def _objects(piece: bytes) -> int:
    """How many lines there are, all of which may be objects; 0 where one cannot be.

    Decoded at one go, an empty line is passed over and two objects in one line are both taken: then the numbers of
    lines would be wrong. Looking for one end after the other is twice as quick as `bytes.count`.
    """
    count, find = 0, piece.find
    end = find(b"\n")
    while end >= 0:
        if piece[end - 1] != _BRACE:
            return 0
        count += 1
        end = find(b"\n", end + 1)
    return count if piece.endswith(b"\n") else count + 1


def records(lines: Iterable[bytes], notes: Notes, first: int = 1) -> Iterator[tuple[int, Record]]:
    """The records of some lines, each with its number; damaged and empty lines are passed over."""
    for number, line in enumerate(lines, first):
        try:
            record: Any = _quick(line)
        except REFUSED:
            notes.line = number
            record = _booked(line, notes) or _slowly(line, notes)
        if record is not None:
            yield number, record
    notes.line = None


def _booked(line: bytes, notes: Notes) -> Bookkeeping | None:
    """A line of bookkeeping, as most are that are not typed."""
    try:
        record = _untyped(line)
    except REFUSED:
        return None
    kind, typed = record.kind, _TYPED.get(record.kind)
    if typed is not None:
        inner = record.payload.get("type")
        if kind == "token_usage_record" or (type(inner) is str and inner in typed):
            # It should have been typed.
            return None
        kind = f"{kind}/{inner}"
    record.kind = ALIASES.get(kind, kind)
    look_through(record.kind, record.payload, notes)
    return record


def _slowly(line: bytes, notes: Notes) -> Record | None:
    """A line of the bare era, or one that is not as it should be."""
    if line.isspace():
        return None
    try:
        value = plain(line, notes)
    except Malformed as error:
        note_bad_line(error, line, notes)
        return None
    if type(value) is not dict:
        notes.add("line.not-object", "A line holds JSON but no object; skipped.", Severity.ERROR)
        return None
    return record_of(value, notes)


def record_of(value: dict[str, Any], notes: Notes) -> Record:
    """A plain object as a record: told by its content, never by a version."""
    kind = value.get("type")
    if "payload" not in value:
        if type(kind) is str and "record_type" not in value:
            return _item(Envelope(), kind, value, notes)
        return _kept(Envelope(), "bare", value, notes)
    payload = value["payload"]
    around = _around(value, notes)
    if type(payload) is not dict or type(kind) is not str:
        # The record is kept whole: what it is cannot be told.
        notes.add(
            "record.unknown", "A record without a kind or without content; kept.", subject="record without a kind"
        )
        return Bookkeeping(**_members(around), kind="?", payload={"type": kind, "payload": payload})
    inner = payload.get("type")
    if kind == "response_item":
        return _item(around, inner, payload, notes)
    if kind == "event_msg":
        return _event(around, inner, payload, notes)
    if kind == "token_usage_record":
        record = fit(UsageRecord, payload, notes)
        return UsageLine(**_members(around), payload=record or UsageRecord())
    return _kept(around, kind, payload, notes)


def _around(value: dict[str, Any], notes: Notes) -> Envelope:
    rest = {key: item for key, item in value.items() if key not in ("type", "payload")}
    return fit(Envelope, rest, notes) or Envelope()


def _members(around: Envelope) -> dict[str, Any]:
    return {name: getattr(around, name) for name in (*_AROUND, "extra")}


def _item(around: Envelope, kind: Any, value: dict[str, Any], notes: Notes) -> Record:
    shape = ITEMS.get(kind) if type(kind) is str else None
    if shape is None:
        return _kept(around, f"response_item/{kind}", value, notes)
    return ItemLine(**_members(around), payload=_fitted(shape, value, notes))


def _event(around: Envelope, kind: Any, value: dict[str, Any], notes: Notes) -> Record:
    shape = ECHOES.get(kind) if type(kind) is str else None
    if shape is None:
        return _kept(around, f"event_msg/{kind}", value, notes)
    return EventLine(**_members(around), payload=_fitted(shape, value, notes))


def _fitted(shape: type[Shape], value: dict[str, Any], notes: Notes) -> Any:
    rest = {key: item for key, item in value.items() if key != "type"}
    try:
        # Most lines of the bare era are exactly as they should be.
        return msgspec.convert(value, shape, strict=True)
    except (msgspec.ValidationError, RecursionError, ValueError):
        return fit(shape, rest, notes)


def _kept(around: Envelope, kind: str, held: dict[str, Any], notes: Notes) -> Bookkeeping:
    """A record of bookkeeping, looked through."""
    kind = ALIASES.get(kind, kind)
    look_through(kind, held, notes)
    return Bookkeeping(**_members(around), kind=kind, payload=held)


def look_through(kind: str, held: dict[str, Any], notes: Notes) -> None:
    """Say what is news about a record of bookkeeping: that it is of a kind we do not know, or has such fields."""
    known = KNOWN.get(kind)
    if known is None:
        notes.add("record.unknown", f"A record of a kind we do not know ({kind}); kept.", subject=f"record {kind}")
    elif "*" not in known:
        report(kind, held, known, notes)
        if kind == "event_msg/item_completed" and type(item := held.get("item")) is dict:
            _check_item(item, notes)


def _check_item(item: dict[str, Any], notes: Notes) -> None:
    kind = item.get("type")
    known = UI_ITEMS.get(kind) if type(kind) is str else None
    if known is None:
        notes.add("record.unknown", f"An item of a kind we do not know ({kind}); kept.", subject=f"item {kind}")
    else:
        report(str(kind), item, known, notes)


def report(kind: str, held: dict[str, Any], known: frozenset[str], notes: Notes) -> None:
    """Name the keys we do not know, here and in the objects inside that are looked into."""
    if not held.keys() <= known:
        for key in sorted(held.keys() - known):
            text = f"{kind} has a field {key!r} we do not know; kept."
            notes.add("field.unknown", text, Severity.INFO, subject=f"{kind}.{key}")
    for key, inner in held.items():
        if type(inner) not in _NESTED or key not in INSIDE:
            continue
        for value in inner if type(inner) is list else (inner,):
            if type(value) is dict:
                report(f"{kind}.{key}", value, INSIDE[key], notes)
