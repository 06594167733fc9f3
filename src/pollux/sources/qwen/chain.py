"""Which records are still part of the conversation: a chain leads from the last record back to the first."""

from __future__ import annotations

from collections.abc import Sequence

from pollux.model import Fate
from pollux.sources.qwen.transcript import Row

COMPRESSION = "chat_compression"


def fates(rows: Sequence[Row], last: Row | None) -> dict[int, Fate]:
    """The fates of the rows that are not live, by their places. `last` is the row that was written last.

    Where a parent is missing, because its line was lost, the chain goes on with the row before.
    """
    if is_chain(rows) and last is rows[-1]:
        compression = next((n for n in range(len(rows) - 1, 0, -1) if rows[n].record.subtype == COMPRESSION), 0)
        return dict.fromkeys(range(compression), Fate.COMPRESSED)
    places = {row.record.uuid: place for place, row in enumerate(rows) if row.record.uuid is not None}
    place = next((number for number, row in enumerate(rows) if row is last), len(rows) - 1)
    live: set[int] = set()
    while place >= 0 and place not in live:
        live.add(place)
        parent = rows[place].record.parentUuid
        if parent is None:
            if rows[place].record.uuid is not None:
                break
            place -= 1
        else:
            place = places.get(parent, place - 1)
    compression = max((n for n in live if rows[n].record.subtype == COMPRESSION), default=-1)
    result: dict[int, Fate] = {}
    for number in range(len(rows)):
        if number not in live:
            result[number] = Fate.REWOUND
        elif number < compression:
            result[number] = Fate.COMPRESSED
    return result


def is_chain(rows: Sequence[Row]) -> bool:
    """Does each row follow the one before it, and the first none?"""
    before = None
    for row in rows:
        record = row.record
        if record.parentUuid != before or record.uuid is None:
            return False
        before = record.uuid
    return bool(rows)
