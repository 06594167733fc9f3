"""The records of one session, gathered from everything that tells of it."""

from __future__ import annotations

from itertools import islice
from typing import Any

import msgspec

from pollux.model import Origin
from pollux.sources.opencode.format.schema import MessageInfo, Part, SessionInfo, UsualPart


class MessageRecord(msgspec.Struct, frozen=True, gc=False):
    """A message, and where it stands. `removed`: the agent took it out again, and only another witness has it.

    `exact`: nothing in it is unknown or odd.
    """

    info: MessageInfo
    origin: Origin
    removed: bool = False
    exact: bool = False


class PartRecord(msgspec.Struct, frozen=True, gc=False):
    """A part, and where it stands: its origin, or the database in which it is a row. Few are asked for their origin."""

    part: Part | UsualPart
    place: Origin | str
    removed: bool = False
    exact: bool = False

    @property
    def origin(self) -> Origin:
        """Where it stands."""
        place = self.place
        return Origin(file=place, row=f"part/{self.part.id}") if type(place) is str else place  # type: ignore[return-value]


class Gathered(msgspec.Struct):
    """What is known of a session. The first witness of a record counts; `first` names the sources in their order.

    `side` has records beside the conversation: the list of things to do, what changed in the project. `settled` is
    how many messages the better witnesses have, once one of them is whole: what it lacks was removed there.
    `settled_ids` are theirs, once somebody asks. `damaged` are the documents of a database that was not whole.
    """

    info: SessionInfo | None = None
    info_origin: Origin | None = None
    messages: dict[str, MessageRecord] = {}
    parts: dict[str, dict[str, PartRecord]] = {}
    worktree: str | None = None
    side: dict[str, Any] = {}
    files: list[str] = []
    damaged: list[str] = []
    old_layout: bool = False
    settled: int | None = None
    settled_ids: set[str] | None = None

    def settle(self) -> None:
        """Take the messages so far as all that were not removed, if there is a witness."""
        if self.messages or self.info is not None:
            self.settled, self.settled_ids = len(self.messages), None

    def is_removed(self, id: str) -> bool:
        """Was a message removed in a better witness? Most sessions have one witness alone, and never ask."""
        if self.settled is None:
            return False
        if self.settled_ids is None:
            first = islice(self.messages.items(), self.settled)
            self.settled_ids = {name for name, record in first if not record.removed}
        return id not in self.settled_ids

    def add_info(self, info: SessionInfo, origin: Origin) -> None:
        """Take a session's own record, unless there is one."""
        if self.info is None:
            self.info, self.info_origin = info, origin

    def add_message(self, id: str, record: MessageRecord) -> None:
        """Take a message, unless it is known."""
        self.messages.setdefault(id, record)

    def add_part(self, message: str, id: str, record: PartRecord) -> None:
        """Take a part, unless it is known."""
        self.parts.setdefault(message, {}).setdefault(id, record)
