"""How long a tool took. An event, the answer's metadata or the first lines of its text may say so."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pollux.sources.codex.calls.output_heads import wall_time
from pollux.wire import seconds


def seconds_of(events: Iterable[dict[str, Any]] | None, metadata: Any, output: str | None) -> float | None:
    """The seconds that a tool took, from the first of these that has them."""
    for event in events or ():
        record = item if type(item := event.get("item")) is dict else event
        if type(duration := record.get("duration")) is dict:
            whole, rest = seconds(duration.get("secs")), seconds(duration.get("nanos"), 10**9)
            if whole is not None and rest is not None:
                return whole + rest
    if type(metadata) is dict and (time := seconds(metadata.get("duration_seconds"))) is not None:
        return time
    return wall_time(output) if output is not None else None
