"""When the oldest record of a transcript was written. What changed before that time shares nothing with it.

A record stands in two transcripts if one of them is a fork. Both files were written to when the record existed, so both
changed after its time. This holds if the records have their own times, and if the first of them are not lost.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from datetime import datetime

from pollux.errors import Unreadable
from pollux.sources.base import File
from pollux.sources.claude.format.envelope import Envelope, envelope
from pollux.system.clock import recorded
from pollux.wire import opened

_KEEPS_TIMES = (2, 0, 77)
"""From this release on, copies have the times of their originals. Earlier ones may have that of the fork."""

_AT_ONCE = 0.2
"""No model replies so quickly (seconds): then both are copies, with the time of the fork."""


class _Dated(Envelope):
    """A record with its time, and what shows whether others stood before it."""

    timestamp: str | None = None
    version: str | None = None
    logicalParentUuid: str | None = None
    isCompactSummary: bool | None = None

    @property
    def at(self) -> datetime | None:
        """Its time."""
        return recorded(self.timestamp) if self.timestamp is not None else None

    @property
    def is_first(self) -> bool:
        """Can no other record have stood before it? One that stands for earlier ones has no parent either."""
        return self.parentUuid is None and not self.logicalParentUuid and not self.isCompactSummary

    @property
    def keeps_times(self) -> bool:
        """Does its release leave copies their times?"""
        try:
            return tuple(map(int, (self.version or "").split("."))) >= _KEEPS_TIMES
        except ValueError:
            return False


def oldest_record(file: File) -> float | None:
    """The time of a transcript's oldest record, in seconds; None where nobody can know it."""
    try:
        with opened(file.path) as lines:
            return _oldest(_records(lines))
    except Unreadable:
        return None


def _records(lines: Iterable[bytes]) -> Iterator[_Dated | None]:
    """The records of a transcript. None stands for a line that cannot be read, if it comes first."""
    has_begun = False
    for line in lines:
        record = None if line.isspace() else envelope(_Dated, line)
        if record is not None and record.uuid is None:
            continue
        if record is not None or not (has_begun or line.isspace()):
            has_begun = True
            yield record


def _oldest(records: Iterable[_Dated | None]) -> float | None:
    """The oldest time, if the first records are there, and have their own times; infinite without any record."""
    times: list[float] = []
    prompts, is_proven = 0, True
    for record in records:
        at = record.at if record is not None else None
        if record is None or at is None:
            return None
        if not times:
            is_proven = record.keeps_times
            if not record.is_first:
                return None
        times.append(at.timestamp())
        if not is_proven and record.is_reply:
            is_proven = prompts == 1 and times[-1] - times[0] > _AT_ONCE
            if not is_proven:
                return None
        prompts += record.type == "user"
    return min(times, default=math.inf) if is_proven else None
