"""What a replay collects: what each agent said and did."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from pollux.sources.copilot.replay.entries import Entry
from pollux.wire import RecordList


class Stream(msgspec.Struct):
    """What one agent said and did: the main one, or a sub-agent, which the call `call` started."""

    name: str | None
    entries: list[Entry]
    records: RecordList
    call: str | None = None
    facts: dict[str, Any] = {}
    model: str | None = None
    times: list[datetime] = []
    compactions: list[int] = []


class Fork(msgspec.Struct, frozen=True):
    """Where the events end that were copied from another session, and the id of that session."""

    place: int
    origin: str
