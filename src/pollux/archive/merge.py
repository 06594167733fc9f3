"""Joins the states of a rewritten file, where no single state holds everything."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise

import msgspec

from pollux.archive.contents import Damaged
from pollux.archive.keep import Archive
from pollux.archive.packs import State, is_safe
from pollux.sources.base import Source
from pollux.sources.capabilities import united_content
from pollux.sources.resume_files import FileVersion
from pollux.wire.joining import object_lines


def turns(states: Iterable[State]) -> Iterator[State]:
    """The states that do not stand at the beginning of the next one of the same file; one's own after those taken in.

    A state that was taken in goes on from the one before it that was taken in. One's own goes on from the one before
    it, whosever that is.
    """
    for _, group in groupby(states, key=lambda state: (state.agent, state.home, state.path)):
        listed = list(group)
        taken, own = [one for one in listed if one.taken], [one for one in listed if not one.taken]
        among_own = (pair for pair in pairwise(listed) if not (pair[0].taken or pair[1].taken))
        begun = {state for state, later in (*pairwise(taken), *among_own) if _goes_on(state, later)}
        for state in (*taken, *own):
            if state.sha is not None and is_safe(state.path) and state not in begun:
                yield state


def _goes_on(state: State, later: State) -> bool:
    return later.change in ("grown", "mode") and later.size >= state.size


def by_file(states: Iterable[State]) -> dict[bytes, list[State]]:
    """The contents that files had of which none stands at the beginning of the next one, by the files' paths."""
    files: dict[bytes, dict[bytes, State]] = {}
    for state in turns(states):
        contents = files.setdefault(state.path, {})
        contents.pop(state.sha or b"", None)  # what came back stands last
        contents[state.sha or b""] = state
    return {path: list(contents.values()) for path, contents in files.items()}


def rewritten(states: Iterable[State]) -> dict[bytes, list[State]]:
    """The files that had several such contents."""
    return {path: listed for path, listed in by_file(states).items() if len(listed) > 1}


class Union(msgspec.Struct):
    """What some states of a file hold together. It is the `whole` one of them, or a `content` of its own.

    Agents rewrite some files with every message. So a union is stored, and later states are added to it.
    One with `unread` states is made anew, for they may be readable the next time.
    """

    states: list[bytes] = []
    whole: bytes | None = None
    content: bytes = b""
    unread: int = 0

    @property
    def token(self) -> bytes:
        """Identifies it."""
        return hashlib.sha256(b"".join(self.states)).hexdigest().encode()

    def with_all(self, archive: Archive, source: Source, states: Sequence[State]) -> Union:
        """Add later states. The union is made anew where the states do not begin with those that are in it."""
        hashes = [state.sha or b"" for state in states]
        if self.unread or self.states != hashes[: len(self.states)]:
            return Union().with_all(archive, source, states)
        whole, content, unread = self.whole, self.content, 0
        if whole is not None and len(hashes) > len(self.states):
            with contextlib.suppress(Damaged):
                content = archive.read(whole)
        for state, sha in list(zip(states, hashes, strict=True))[len(self.states) :]:
            try:
                later = archive.read(sha)
            except Damaged:
                unread += 1
            else:
                whole, content = _both(source, os.fsdecode(state.path), (whole, content), (sha, later))
        return Union(hashes, whole, b"" if whole is not None else content, unread)


_Hashed = tuple[bytes | None, bytes]
"""The hash of a state, or None, and a content."""


def _both(source: Source, path: str, earlier: _Hashed, later: _Hashed) -> _Hashed:
    """Two contents joined. It is one of them where that has everything, and the larger where they cannot be joined."""
    if not earlier[1]:
        return later
    together = united_content(source, [FileVersion(path=path, content=content) for _, content in (earlier, later)])
    if together is None:
        return max(earlier, later, key=lambda pair: len(pair[1]))
    for sha, content in (later, earlier):
        if together in (content, b"".join(object_lines(content))):
            return sha, content
    return None, together
