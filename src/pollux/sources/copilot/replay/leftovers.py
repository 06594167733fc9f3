"""What a reading does not use of an event, as plain JSON."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from msgspec import to_builtins

from pollux.sources.copilot.format.schema import OtherEvent
from pollux.wire import Shape

_fields: Callable[[OtherEvent], tuple[Any, ...]] = attrgetter(
    "type", "id", "timestamp", "parentId", "data", "agentId", "ephemeral", "extra"
)


def rest(value: Shape) -> dict[str, Any]:
    """What is left of an object when the caller took out what it used. No field may hold another shape.

    A field that could not be used as it is stays. This runs for every event.
    """
    left: dict[str, Any] = to_builtins(value)
    if "⁂" in left:
        for name, odd in left.pop("⁂").items():
            fitted = left.get(name)
            # A list with odd items is in two halves: those that fitted, and the odd ones.
            left[name] = [*fitted, *odd] if type(odd) is list and type(fitted) is list else odd
    return left


def whole(event: OtherEvent) -> dict[str, Any]:
    """An event as it was written. Nearly all have these fields and no others."""
    type_name, id, at, parent, data, agent, ephemeral, extra = _fields(event)
    if extra or not (id and at and parent) or data is None or agent is not None or ephemeral is not None:
        return rest(event)
    return {"type": type_name, "id": id, "timestamp": to_builtins(at), "parentId": parent, "data": data}
