"""What a reading does not use of an event, as plain JSON."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from msgspec import to_builtins

from pollux.sources.copilot.format.schema import OtherEvent
from pollux.wire import Shape

_envelope: Callable[[OtherEvent], tuple[Any, ...]] = attrgetter("type", "id", "timestamp", "parentId", "data")


def rest(value: Shape, *used: str) -> dict[str, Any]:
    """An object without the fields that were used, which are taken out of it. No field may hold another shape.

    A field that could not be used as it is stays. This runs for every event.
    """
    for name in used:
        setattr(value, name, None)
    left: dict[str, Any] = to_builtins(value)
    if unknown := left.pop("⁂", None):
        for name, odd in unknown.items():
            fitted = left.get(name)
            # A list with odd items is in two halves: those that fitted, and the odd ones.
            left[name] = [*fitted, *odd] if type(odd) is list and type(fitted) is list else odd
    return left


def whole(event: OtherEvent) -> dict[str, Any]:
    """An event as it was written. Nearly all have these fields and no others."""
    type_name, id, at, parent, data = values = _envelope(event)
    if event.extra or event.agentId is not None or event.ephemeral is not None or None in values:
        return rest(event)
    return {"type": type_name, "id": id, "timestamp": to_builtins(at), "parentId": parent, "data": data}
