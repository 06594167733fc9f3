"""Putting kept files back: the bytes as they were, and never over a file that is there."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from pollux.archive.contents import Damaged
from pollux.archive.keep import Archive
from pollux.archive.packs import State
from pollux.archive.tree import is_safe, put
from pollux.archive.verify import file_of
from pollux.errors import OutputError, StoreError
from pollux.model import Value
from pollux.wire import shown


class Restored(Value, frozen=True, kw_only=True):
    """A file that is to be written, or was: `there` says that it lay there already with the same bytes.

    `left` says that another one lies there, which stays: so it may be with what is only beside a session.
    """

    path: str
    bytes: int
    sha256: str
    there: bool = False
    left: bool = False

    @property
    def missing(self) -> bool:
        """Is it to be written?"""
        return not (self.there or self.left)


def chosen(states: Iterable[State], until: int | None = None) -> list[State]:
    """Of each file the state to put back: the one of a time, else the largest, which is the last before a loss."""
    best: dict[tuple[bytes, bytes], State] = {}
    for state in states:
        if not is_safe(state.path) or (until is not None and state.at > until):
            continue
        place = (state.home, state.path)
        other = best.get(place)
        if until is not None or other is None or (state.sha is not None and state.size >= other.size):
            best[place] = state
    return [state for state in best.values() if state.sha is not None]


def plan(
    archive: Archive, states: Iterable[State], folder: Path | None, companions: Iterable[State] = ()
) -> list[tuple[Restored, State]]:
    """What would be written below a folder, or where the files were.

    Raises `OutputError` where a file of the session is there and differs; a companion that does is left.
    """
    own = [(_planned(archive, state, folder), state) for state in states]
    for told, _ in own:
        if told.left:
            hint = "Nothing was written. Move it away, or restore to another folder with --to."
            raise OutputError(f"{told.path} exists, and holds something else.", hint)
    known = {told.path for told, _ in own}
    beside = ((_planned(archive, state, folder), state) for state in companions)
    return own + [(told, state) for told, state in beside if told.path not in known]


def _planned(archive: Archive, state: State, folder: Path | None) -> Restored:
    place = _place(state, folder)
    taken = os.path.lexists(place)
    there = taken and _same(place, _content(archive, state))
    sha = (state.sha or b"").hex()
    return Restored(path=shown(place), bytes=state.size, sha256=sha, there=there, left=taken and not there)


def write(archive: Archive, planned: Iterable[tuple[Restored, State]], folder: Path | None) -> None:
    """Write what was planned. A file that appeared meanwhile is not written over."""
    for told, state in planned:
        if not told.missing:
            continue
        try:
            put(_place(state, folder), _content(archive, state), state.mtime_ns, over=False)
        except FileExistsError as error:
            raise OutputError(f"{told.path} has appeared meanwhile, and was left as it is.") from error
        except OSError as error:
            raise OutputError(f"{told.path} cannot be written: {error.strerror or error}.") from error


def _place(state: State, folder: Path | None) -> Path:
    home = os.fsencode(folder) if folder is not None else state.home
    return Path(os.fsdecode(os.path.join(home, state.path)))  # noqa: PTH118


def _content(archive: Archive, state: State) -> bytes:
    try:
        return archive.read(state.sha or b"")
    except Damaged as error:
        raise StoreError(
            f"What is kept of {file_of(state)} is damaged: {error}.", "Try: pollux archive verify"
        ) from None


def _same(place: Path, content: bytes) -> bool:
    try:
        return place.read_bytes() == content
    except OSError:
        return False
