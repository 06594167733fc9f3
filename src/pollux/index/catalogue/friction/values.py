"""What is told of one case of friction."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from pollux.model import Fate, Status, Value


class FrictionKind(StrEnum):
    """What happened.

    A call failed; one that had failed was made again; an edit was undone; the user stopped the model; the conversation
    was replaced by a summary.
    """

    FAILED = "failed"
    REPEATED = "repeated"
    UNDONE = "undone"
    INTERRUPTED = "interrupted"
    COMPACTED = "compacted"


class Undoing(StrEnum):
    """How an edit was undone: by the reverse edit, or by writing a file as it had been."""

    REVERSED = "reversed"
    WRITTEN_BACK = "written back"


class Friction(Value, frozen=True, kw_only=True):
    """One case, at the message in which it shows.

    `place` counts the messages of the session from 0. `moment` is the last time that is known at that message. `what`
    is what a call was asked, or the path of a file. `earlier` is the place of the message that it is about: of the call
    that had failed before, or of the edit that was undone. `edits_between` is how many edits went well between a call
    that failed and the same call again.
    """

    kind: FrictionKind
    place: int
    message_id: str
    at: datetime | None
    moment: datetime | None
    fate: Fate
    inherited: bool
    what: str | None = None
    status: Status | None = None
    exit_code: int | None = None
    earlier: int | None = None
    edits_between: int | None = None
    undoing: Undoing | None = None
