"""Joins the states of a rewritten file if no single state holds everything."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise

import msgspec

from pollux.archive.archive import Archive
from pollux.archive.contents import Damaged
from pollux.archive.packs import State, is_safe
from pollux.sources.base import Source
from pollux.sources.capabilities import joined_versions_of
from pollux.sources.resume_files import FileVersion
from pollux.wire.join_versions import object_lines


def rewrite_points(states: Iterable[State]) -> Iterator[State]:
    """The states that the next state of the file does not begin with; imported ones first.

    An imported state continues the imported state before it. One's own state continues the state before it, imported
    or not.
    """
    for _, group in groupby(states, key=lambda state: (state.agent, state.home, state.path)):
        versions = list(group)
        imported, own = [one for one in versions if one.taken], [one for one in versions if not one.taken]
        among_own = (pair for pair in pairwise(versions) if not (pair[0].taken or pair[1].taken))
        continued = {state for state, later in (*pairwise(imported), *among_own) if _goes_on(state, later)}
        for state in (*imported, *own):
            if state.sha is not None and is_safe(state.path) and state not in continued:
                yield state


def _goes_on(state: State, later: State) -> bool:
    return later.change in ("grown", "mode") and later.size >= state.size


def by_file(states: Iterable[State]) -> dict[bytes, list[State]]:
    """For each path, the states with contents that are no prefix of the next content."""
    files: dict[bytes, dict[bytes, State]] = {}
    for state in rewrite_points(states):
        contents = files.setdefault(state.path, {})
        contents.pop(state.sha or b"", None)  # what came back stands last
        contents[state.sha or b""] = state
    return {path: list(contents.values()) for path, contents in files.items()}


def rewritten(states: Iterable[State]) -> dict[bytes, list[State]]:
    """As `by_file`, but only files with several such contents."""
    return {path: listed for path, listed in by_file(states).items() if len(listed) > 1}


class MergedContent(msgspec.Struct):
    """What some states of a file hold together: the state `whole`, or a `content` of its own.

    Agents rewrite some files with every message. So the merged content is stored, and later states are added to it.
    If it has `unread` states, it is made again, because they may be readable the next time.
    """

    states: list[bytes] = []
    whole: bytes | None = None
    content: bytes = b""
    unread: int = 0

    @property
    def token(self) -> bytes:
        """Identifies it."""
        return hashlib.sha256(b"".join(self.states)).hexdigest().encode()

    def with_all(self, archive: Archive, source: Source, states: Sequence[State]) -> MergedContent:
        """Add later states. Starts again if the states do not begin with those that are merged already."""
        hashes = [state.sha or b"" for state in states]
        if self.unread or self.states != hashes[: len(self.states)]:
            return MergedContent().with_all(archive, source, states)
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
        return MergedContent(hashes, whole, b"" if whole is not None else content, unread)


_Hashed = tuple[bytes | None, bytes]
"""The hash of a state, or None, and a content."""


def _both(source: Source, path: str, earlier: _Hashed, later: _Hashed) -> _Hashed:
    """Two contents joined: one of them if it has everything, and the larger one if they cannot be joined."""
    if not earlier[1]:
        return later
    together = joined_versions_of(source, [FileVersion(path=path, content=content) for _, content in (earlier, later)])
    if together is None:
        return max(earlier, later, key=lambda pair: len(pair[1]))
    for sha, content in (later, earlier):
        if together in (content, b"".join(object_lines(content))):
            return sha, content
    return None, together
