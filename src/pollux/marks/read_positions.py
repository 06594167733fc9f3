"""How far sessions were read, so that views can show what is new since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import msgspec

from pollux.marks.journal import Journal
from pollux.system.clock import is_usable

EVERYTHING = "*"
"""In place of a session: all that ended before is read."""

_INSTANT = timedelta(microseconds=1)
_SMALL = 1 << 16
"""A journal of so many bytes is not worth shortening."""
_WASTE = 4
"""How many lines a position may have before the journal is shortened."""


class ReadPosition(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How far a session was read, and when: up to this message, while it had so many and had ended then."""

    at: datetime
    session: str
    message: str | None = None
    messages: int = 0
    ended: datetime | None = None

    def __post_init__(self) -> None:
        if any(at is not None and (at.tzinfo is None or not is_usable(at)) for at in (self.at, self.ended)):
            raise ValueError("a time that cannot be compared with others")


class ReadPositions:
    """The positions of all sessions. They change often, so the journal is shortened when most of it is outdated."""

    def __init__(self, file: Path) -> None:
        self._journal = Journal(file, ReadPosition)

    def stamp(self) -> tuple[int, ...] | None:
        """A value that changes with the positions."""
        return self._journal.stamp()

    def all(self) -> dict[str, ReadPosition]:
        """The position of each session, and that of everything."""
        return _latest(self._journal.lines())

    def add(self, positions: Sequence[ReadPosition]) -> None:
        """Set positions. The first one ever also says that everything before it is read. Raises `StoreError`."""
        first = min((position.at for position in positions), default=None)

        def new(lines: Sequence[ReadPosition]) -> Sequence[ReadPosition]:
            known = any(line.session == EVERYTHING for line in (*lines, *positions))
            if known or first is None:
                return positions
            return [ReadPosition(at=first - _INSTANT, session=EVERYTHING), *positions]

        self._journal.append(new)
        stamp = self._journal.stamp()
        if stamp is not None and stamp[1] > _SMALL:
            lines = self._journal.lines()
            if len(lines) > _WASTE * len(_latest(lines)):
                self._journal.rewrite(lambda lines: list(_latest(lines).values()))


def _latest(lines: Sequence[ReadPosition]) -> dict[str, ReadPosition]:
    return {line.session: line for line in lines}


def is_unread(positions: Mapping[str, ReadPosition], key: str, ended: datetime | None, messages: int) -> bool | None:
    """Has a session something that was not read yet? None where nothing was ever read."""
    everything = positions.get(EVERYTHING)
    if everything is None:
        return None
    position = positions.get(key)
    if position is None or position.at <= everything.at:
        return ended is not None and ended > everything.at
    if ended != position.ended and ended is not None and position.ended is not None:
        return ended > position.ended
    return messages > position.messages
