"""A span as OTLP has it in JSON: ids in hexadecimal, large numbers as text, attributes by type."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from enum import IntEnum
from typing import Any

from pollux.model import ToolCall, Value

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LATEST = 2**63 - 1


class Kind(IntEnum):
    """What a span is: work of the program's own, or a request to another."""

    INTERNAL = 1
    CLIENT = 3


class Span(Value, frozen=True, kw_only=True):
    """A piece of work, from when to when in nanoseconds. `links` lead to spans of other traces, by session key."""

    trace: str
    id: str
    parent: str | None
    name: str
    kind: Kind
    start: int
    end: int
    attributes: Mapping[str, Any]
    failed: bool = False
    links: tuple[str, ...] = ()

    def document(self) -> dict[str, Any]:
        """As JSON."""
        document: dict[str, Any] = {"traceId": self.trace, "spanId": self.id}
        if self.parent is not None:
            document["parentSpanId"] = self.parent
        document |= {
            "name": self.name,
            "kind": int(self.kind),
            "startTimeUnixNano": str(self.start),
            "endTimeUnixNano": str(max(self.start, self.end)),
            "attributes": attributes(self.attributes),
        }
        if self.links:
            document["links"] = [{"traceId": trace_id(key), "spanId": span_id(key)} for key in self.links]
        if self.failed:
            document["status"] = {"code": 2}
        return document


def trace_id(key: str) -> str:
    """The trace of a session: the same every time."""
    return _digest("trace", key)[:32]


def span_id(key: str, *place: str) -> str:
    """A span of a session; without a place the one that holds all others."""
    return _digest("span", key, *place)[:16]


def _digest(*names: str) -> str:
    return hashlib.sha256("\0".join(names).encode("utf-8", "surrogatepass")).hexdigest()


def attributes(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Names and values; what is not known has no attribute."""
    return [{"key": name, "value": _value(value)} for name, value in values.items() if value is not None]


def _value(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int) and -LATEST <= value <= LATEST:
        return {"intValue": str(value)}
    if isinstance(value, tuple):
        return {"arrayValue": {"values": [_value(item) for item in value]}}
    return {"stringValue": str(value)}


def nanoseconds(at: datetime | None) -> int | None:
    """A time in nanoseconds; None where OTLP cannot hold it."""
    if at is None:
        return None
    counted = ((at if at.tzinfo is not None else at.replace(tzinfo=UTC)) - EPOCH) // timedelta(microseconds=1) * 1000
    return counted if 0 < counted <= LATEST else None


def interval(call: ToolCall, otherwise: int) -> tuple[int, int]:
    """When a call began and ended; where its duration was not recorded, it takes no time."""
    at = nanoseconds(call.at)
    if at is None:
        return otherwise, otherwise
    taken = int(max(call.seconds or 0.0, 0.0) * 1e9)
    start, end = (at - taken, at) if call.at_end else (at, at + taken)
    return (start, end) if start >= 0 and end <= LATEST else (at, at)
