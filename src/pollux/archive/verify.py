"""Checks that every kept content can be read as it was, and names the files that cannot."""

from __future__ import annotations

import contextlib
import os
from datetime import UTC, datetime, timedelta

from pollux.archive.archive import Archive, cannot_read, head_of
from pollux.archive.contents import Damaged, Unread, unpack
from pollux.archive.index import Index, Location
from pollux.archive.packs import State
from pollux.archive.survey import active_packs
from pollux.model import Value
from pollux.wire import display_path

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Loss(Value, frozen=True, kw_only=True):
    """A state of a file that cannot be read any more."""

    agent: str
    file: str
    at: datetime


class Verdict(Value, frozen=True, kw_only=True):
    """The result of checking the whole archive.

    `stretches` counts unreadable places in the packs. `missing` is the number of bytes that the packs lost at their
    ends.
    """

    contents: int
    states: int
    bytes: int
    damaged: int
    stretches: int
    missing: int
    lost: tuple[Loss, ...]

    @property
    def sound(self) -> bool:
        """Is everything as it was written?"""
        return not (self.damaged or self.stretches or self.missing or self.lost)


def verify(archive: Archive) -> Verdict:
    """Read everything. Damaged contents are dropped: the next run archives them again if their files still exist.

    It reads the packs from their beginning and does not trust the index, because others may be appending.
    """
    archive.index.refresh()
    states_before = set(archive.index.states())
    with contextlib.closing(Index(None, archive.folder)) as index:
        packs = active_packs(archive.folder).keys()
        index.refresh()
        places, states = index.contents(), index.states()
        sound = sound_contents(archive, places)
        damaged = {head_of(place).sha for place in places} - sound.keys()
        if damaged and packs != active_packs(archive.folder).keys():  # new packs took the place of those looked at
            return verify(archive)
        stretches, gaps = index.damaged(), index.gaps()
    unknown = sound.keys() - {head_of(place).sha for place in archive.index.contents()}
    if stretches or gaps or unknown or archive.index.damaged() or states_before.difference(states):
        archive.index.refresh(anew=True)
    gaps |= archive.index.gaps()
    if damaged:
        with archive.index.change():
            archive.index.drop(damaged)
    unreadable = [state for state in states if state.sha is not None and state.sha not in sound]
    lost = {(state.agent, file_of(state), moment(state)) for state in (*unreadable, *archive.index.lost())}
    return Verdict(
        contents=len(places),
        states=len(states),
        bytes=sum(sound.values()),
        damaged=len(damaged),
        stretches=stretches,
        missing=sum(gaps.values()),
        lost=tuple(Loss(agent=agent, file=file, at=at) for agent, file, at in sorted(lost)),
    )


def sound_contents(archive: Archive, places: list[Location]) -> dict[bytes, int]:
    """The readable contents, with their sizes. Each is read once, right after its base.

    Raises `StoreError` if the system does not give one: it may not be damaged.
    """
    above: dict[bytes | None, list[Location]] = {}
    for place in places:
        above.setdefault(head_of(place).base, []).append(place)
    sound: dict[bytes, int] = {}
    waiting = [(place, b"") for place in above.get(None, ())]
    while waiting:
        place, base = waiting.pop()
        head = head_of(place)
        try:
            content = unpack(head, archive.payload(place), base)
        except Unread as error:
            raise cannot_read(archive.folder, error) from error
        except Damaged:
            continue
        sound[head.sha] = head.size
        waiting += [(other, content) for other in above.get(head.sha, ())]
    return sound


def file_of(state: State) -> str:
    """Where a kept file was."""
    return display_path(os.fsdecode(os.path.join(state.home, state.path)))  # noqa: PTH118


def moment(state: State) -> datetime:
    """When a state was kept."""
    return datetime.fromtimestamp(state.at / 1_000_000, UTC)


def stamp_of(when: datetime) -> int:
    """A time as states have it, in microseconds. A float of seconds is not exact enough."""
    return (when - _EPOCH) // timedelta(microseconds=1)
