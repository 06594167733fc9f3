"""Records of odd lines, and of lines that are not part of the conversation: no line is refused."""

from __future__ import annotations

from typing import Any

import msgspec

from pollux.model import Severity
from pollux.sources.codex.format.keys import ALIASES, INSIDE, KNOWN, UI_ITEMS
from pollux.sources.codex.format.schema import (
    ECHOES,
    ITEMS,
    Bookkeeping,
    BookkeepingLine,
    ContextLine,
    Envelope,
    EventLine,
    ItemLine,
    UsageLine,
    UsageRecord,
)
from pollux.system.clock import is_usable
from pollux.system.decoders import json_decoder
from pollux.wire import REFUSED, Malformed, Notes, Shape, fit, note_bad_line, plain

Record = ItemLine | EventLine | UsageLine | ContextLine | BookkeepingLine

_untyped = json_decoder(Bookkeeping).decode
_TYPED: dict[str, dict[str, type[Shape]]] = {"response_item": ITEMS, "event_msg": ECHOES, "token_usage_record": {}}
# For each kind of object, the keys whose inner objects are checked.
_CHECKED_KEYS = {
    known: [key for key in INSIDE if key in known] for known in (*KNOWN.values(), *UI_ITEMS.values(), *INSIDE.values())
}
_ENVELOPE = ("timestamp", "ordinal", "metadata")


def odd(line: bytes, notes: Notes) -> Record | None:
    """The record of a line that the quick decoder refused; None if the line is empty or damaged."""
    return _bookkeeping(line, notes) or _decode_slowly(line, notes)


def _bookkeeping(line: bytes, notes: Notes) -> Bookkeeping | None:
    """The record of a line of bookkeeping; None if the line is something else."""
    try:
        record = _untyped(line)
    except REFUSED:
        return None
    if record.timestamp is not None and not is_usable(record.timestamp):
        return None
    kind, shapes = record.kind, _TYPED.get(record.kind)
    if shapes is not None:
        inner = record.payload.get("type")
        if kind == "token_usage_record" or (type(inner) is str and inner in shapes):
            # It has a type, but its fields are odd.
            return None
        kind = f"{kind}/{inner}"
    record.kind = ALIASES.get(kind, kind)
    report_unknown(record.kind, record.payload, notes)
    return record


def _decode_slowly(line: bytes, notes: Notes) -> Record | None:
    """The record of a line of the bare era, or of an odd line."""
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
    """The record of a plain object. Its content says what it is, never a version."""
    kind = value.get("type")
    if "payload" not in value:
        if type(kind) is str and "record_type" not in value:
            return _item(Envelope(), kind, value, notes)
        return _bookkeeping_record(Envelope(), "bare", value, notes)
    payload = value["payload"]
    envelope = _envelope(value, notes)
    if type(payload) is not dict or type(kind) is not str:
        kind, payload = kind_and_payload(kind, payload, notes)
        return Bookkeeping(**_members(envelope), kind=kind, payload=payload)
    inner = payload.get("type")
    if kind == "response_item":
        return _item(envelope, inner, payload, notes)
    if kind == "event_msg":
        return _event(envelope, inner, payload, notes)
    if kind == "token_usage_record":
        record = fit(UsageRecord, payload, notes, kind)
        return UsageLine(**_members(envelope), payload=record or UsageRecord())
    return _bookkeeping_record(envelope, kind, payload, notes)


def kind_and_payload(kind: Any, payload: Any, notes: Notes) -> tuple[str, dict[str, Any]]:
    """The kind and the payload of a record; if one of them is odd, the record is kept as a whole."""
    if type(payload) is dict and type(kind) is str:
        return kind, payload
    notes.add("record.unknown", "A record without a kind or without content; kept.", subject="record without a kind")
    return "?", {"type": kind, "payload": payload}


def _envelope(value: dict[str, Any], notes: Notes) -> Envelope:
    rest = {key: item for key, item in value.items() if key not in ("type", "payload")}
    return fit(Envelope, rest, notes, "line") or Envelope()


def _members(envelope: Envelope) -> dict[str, Any]:
    return {name: getattr(envelope, name) for name in (*_ENVELOPE, "extra")}


def _item(envelope: Envelope, kind: Any, value: dict[str, Any], notes: Notes) -> Record:
    shape = ITEMS.get(kind) if type(kind) is str else None
    if shape is None:
        return _bookkeeping_record(envelope, f"response_item/{kind}", value, notes)
    return ItemLine(**_members(envelope), payload=_fit_payload(shape, value, notes, f"response_item/{kind}"))


def _event(envelope: Envelope, kind: Any, value: dict[str, Any], notes: Notes) -> Record:
    shape = ECHOES.get(kind) if type(kind) is str else None
    if shape is None:
        return _bookkeeping_record(envelope, f"event_msg/{kind}", value, notes)
    return EventLine(**_members(envelope), payload=_fit_payload(shape, value, notes, f"event_msg/{kind}"))


def _fit_payload(shape: type[Shape], value: dict[str, Any], notes: Notes, name: str) -> Any:
    rest = {key: item for key, item in value.items() if key != "type"}
    try:
        # Most lines of the bare era have exactly this shape.
        return msgspec.convert(value, shape, strict=True)
    except (msgspec.ValidationError, RecursionError, ValueError):
        return fit(shape, rest, notes, name)


def _bookkeeping_record(envelope: Envelope, kind: str, payload: dict[str, Any], notes: Notes) -> Bookkeeping:
    """A record of bookkeeping, after its keys were checked."""
    kind = ALIASES.get(kind, kind)
    report_unknown(kind, payload, notes)
    return Bookkeeping(**_members(envelope), kind=kind, payload=payload)


def report_unknown(kind: str, payload: dict[str, Any], notes: Notes) -> None:
    """Report an unknown kind of bookkeeping, or unknown fields in it."""
    known = KNOWN.get(kind)
    if known is None:
        notes.add("record.unknown", f"A record of a kind we do not know ({kind}); kept.", subject=f"record {kind}")
    elif "*" not in known:
        report(kind, payload, known, notes)
        if kind == "event_msg/item_completed" and type(item := payload.get("item")) is dict:
            _check_item(item, notes)


def _check_item(item: dict[str, Any], notes: Notes) -> None:
    kind = item.get("type")
    known = UI_ITEMS.get(kind) if type(kind) is str else None
    if known is None:
        notes.add("record.unknown", f"An item of a kind we do not know ({kind}); kept.", subject=f"item {kind}")
    else:
        report(str(kind), item, known, notes)


def report(kind: str, record: dict[str, Any], known: frozenset[str], notes: Notes) -> None:
    """Report unknown keys, here and in the inner objects that are checked."""
    if known.issuperset(record):
        checked_keys = _CHECKED_KEYS[known]
    else:
        for key in sorted(record.keys() - known):
            text = f"{kind} has an unknown field {key!r}; kept."
            notes.add("field.unknown", text, Severity.INFO, subject=f"{kind}.{key}")
        checked_keys = [key for key in record if key in INSIDE]
    for key in checked_keys:
        inner = record.get(key)
        if type(inner) is dict:
            report(f"{kind}.{key}", inner, INSIDE[key], notes)
        elif type(inner) is list:
            for value in inner:
                if type(value) is dict:
                    report(f"{kind}.{key}", value, INSIDE[key], notes)
