"""What is told of friction: facts with their messages, and how many there are. Nothing is graded."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from pollux.index.catalogue.friction.values import FrictionKind, Undoing
from pollux.model import Fate, Kind, Status, Value

__all__ = ["FrictionCase", "FrictionKind", "FrictionReport", "Undoing"]


class FrictionCase(Value, frozen=True, kw_only=True):
    """One case, at the message in which it shows.

    `what` is what a call was asked, or the path of a file. `earlier_message_id` is the message that it is about: the
    call that had failed before, or the edit that was undone. `edits_between` is how many edits went well between a call
    that failed and the same call again.
    """

    kind: FrictionKind
    key: str
    short_id: str
    agent: str
    session_kind: Kind
    title: str | None
    project: str | None
    message_id: str
    short_message_id: str
    place: int
    at: datetime | None
    fate: Fate
    what: str | None
    status: Status | None
    exit_code: int | None
    earlier_message_id: str | None
    edits_between: int | None
    undoing: Undoing | None


class FrictionReport(Value, frozen=True, kw_only=True):
    """Cases, and how many of each kind there are in all; None where that cannot be known.

    `sessions` is how many sessions were looked at; `sessions_unknown` how many more have nothing but prompts, so that
    nobody knows what was done in them. `calls` is how many calls there are, and `calls_without_result` how many of
    these have no result, so that nobody knows whether they failed. `more` says that there are other cases.
    """

    cases: tuple[FrictionCase, ...]
    counts: Mapping[FrictionKind, int | None]
    sessions: int
    sessions_unknown: int
    calls: int | None
    calls_without_result: int | None
    more: bool = False
