"""Lines that are not as they should be, and such as carry no conversation, as records: no line is refused for that."""

from __future__ import annotations

from typing import Any

import msgspec

from pollux.model import Severity
from pollux.sources.codex.format.keys import ALIASES, INSIDE, KNOWN, UI_ITEMS
from pollux.sources.codex.format.schema import (
    ECHOES,
    ITEMS,
    Bookkeeping,
    ContextLine,
    Envelope,
    EventLine,
    ItemLine,
    Kept,
    UsageLine,
    UsageRecord,
)
from pollux.wire import REFUSED, Malformed, Notes, Shape, fit, note_bad_line, plain

Record = ItemLine | EventLine | UsageLine | ContextLine | Kept

_untyped = msgspec.json.Decoder(Bookkeeping).decode
_TYPED: dict[str, dict[str, type[Shape]]] = {"response_item": ITEMS, "event_msg": ECHOES, "token_usage_record": {}}
# The keys of each kind of object whose objects are looked into.
_LOOKED_INTO = {
    known: [key for key in INSIDE if key in known] for known in (*KNOWN.values(), *UI_ITEMS.values(), *INSIDE.values())
}
_AROUND = ("timestamp", "ordinal", "metadata")


def odd(line: bytes, notes: Notes) -> Record | None:
    """A line of which the quick way knows nothing; None where it is empty or damaged."""
    return _booked(line, notes) or _slowly(line, notes)


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
        kind, payload = settled(kind, payload, notes)
        return Bookkeeping(**_members(around), kind=kind, payload=payload)
    inner = payload.get("type")
    if kind == "response_item":
        return _item(around, inner, payload, notes)
    if kind == "event_msg":
        return _event(around, inner, payload, notes)
    if kind == "token_usage_record":
        record = fit(UsageRecord, payload, notes)
        return UsageLine(**_members(around), payload=record or UsageRecord())
    return _kept(around, kind, payload, notes)


def settled(kind: Any, payload: Any, notes: Notes) -> tuple[str, dict[str, Any]]:
    """What a record is, and its content; one of which that cannot be told is kept whole."""
    if type(payload) is dict and type(kind) is str:
        return kind, payload
    notes.add("record.unknown", "A record without a kind or without content; kept.", subject="record without a kind")
    return "?", {"type": kind, "payload": payload}


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


def _kept(around: Envelope, kind: str, payload: dict[str, Any], notes: Notes) -> Bookkeeping:
    """A record of bookkeeping, looked through."""
    kind = ALIASES.get(kind, kind)
    look_through(kind, payload, notes)
    return Bookkeeping(**_members(around), kind=kind, payload=payload)


def look_through(kind: str, payload: dict[str, Any], notes: Notes) -> None:
    """Say what is news about a record of bookkeeping: that it is of a kind we do not know, or has such fields."""
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
    """Name the keys we do not know, here and in the objects inside that are looked into."""
    if known.issuperset(record):
        looked_into = _LOOKED_INTO[known]
    else:
        for key in sorted(record.keys() - known):
            text = f"{kind} has an unknown field {key!r}; kept."
            notes.add("field.unknown", text, Severity.INFO, subject=f"{kind}.{key}")
        looked_into = [key for key in record if key in INSIDE]
    for key in looked_into:
        inner = record.get(key)
        for value in inner if type(inner) is list else (inner,):
            if type(value) is dict:
                report(f"{kind}.{key}", value, INSIDE[key], notes)
