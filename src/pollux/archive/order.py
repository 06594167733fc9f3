"""Decides which state of a file is shown. The user's own come before those of another archive."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from pollux.archive.archive import Archive
from pollux.archive.contents import Damaged
from pollux.archive.packs import State
from pollux.model import Value
from pollux.sources.base import File
from pollux.system.files import opened

_PIECE = 1 << 20


class Order(Value, frozen=True):
    """The states of a file, the best first. A live file of at least `size` bytes has lost nothing."""

    states: list[State]
    size: int


def best_first(archive: Archive, states: Iterable[State], live: File | None) -> Order:
    """The largest first. The user's own states come before imported ones, unless those continue them."""
    sized = sorted(states, key=lambda state: (state.size, state.at), reverse=True)
    own = [state for state in sized if not state.taken]
    if not own and live is None:
        return Order(sized, sized[0].size)
    ahead = [state for state in sized if state.taken and _goes_on(archive, state, own[0] if own else None, live)]
    behind = [state for state in sized if state.taken and state not in ahead]
    mine = [*ahead, *own]
    return Order([*mine, *behind], mine[0].size if mine else 0)


def _goes_on(archive: Archive, state: State, own: State | None, live: File | None) -> bool:
    """Does an imported state begin with all that the user has, and hold more?"""
    if state.sha is None or state.size <= max(own.size if own else 0, live.size if live else 0):
        return False
    try:
        content = archive.read(state.sha)
    except Damaged:
        return False
    if own is not None and hashlib.sha256(content[: own.size]).digest() != own.sha:
        return False
    if live is None or (own is not None and live.size < own.size):
        return True
    return starts_with(live.path, live.size, hashlib.sha256(content[: live.size]).digest())


def starts_with(path: str, size: int, sha: bytes) -> bool:
    """Does a file begin with so many bytes of this hash?"""
    hasher = hashlib.sha256()
    try:
        with opened(path) as file:
            while size and (piece := file.read(min(size, _PIECE))):
                hasher.update(piece)
                size -= len(piece)
    except OSError:
        return False
    return hasher.digest() == sha
