"""How long a tool took: told by an event, by the answer's metadata, or in the first lines of its text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

_WALL = re.compile(r"^Wall time: (\d+(?:\.\d+)?) seconds$", re.MULTILINE)
_HEAD = 300


def seconds_of(events: Iterable[dict[str, Any]] | None, metadata: Any, output: str | None) -> float | None:
    """The first of the three that is there."""
    for event in events or ():
        item = event.get("item")
        match item if type(item) is dict else event:
            case {"duration": {"secs": int(whole), "nanos": int(nanos)}} if whole >= 0:
                return whole + nanos / 1e9
    match metadata:
        case {"duration_seconds": int(taken) | float(taken)} if taken >= 0:
            return float(taken)
    found = _WALL.search(output, 0, _HEAD) if output is not None and "Wall time: " in output[:_HEAD] else None
    return float(found[1]) if found is not None else None
