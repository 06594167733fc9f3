"""The history of a session's files, and the session as it was at an earlier time."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import datetime
from pathlib import Path

from pollux.archive.archive import Archive
from pollux.archive.checkout import ABOUT, Checkout, checkout_name, files_of, roots_of, scans_of, with_complete_sessions
from pollux.archive.packs import State, is_safe
from pollux.archive.verify import file_of, moment, stamp_of
from pollux.index.sync.sync import RootScan
from pollux.model import Value
from pollux.sources.base import Root, Source
from pollux.wire import display_path


class Change(Value, frozen=True, kw_only=True):
    """What pollux saw happen to a file: `new`, `grown`, `rewritten`, `cut`, `mode`, `gone`, `back`."""

    at: datetime
    change: str
    file: str
    bytes: int | None
    sha256: str | None


def all_changes(archive: Archive) -> list[Change]:
    """What happened to any file."""
    return [_change(state) for state in archive.index.states()]


def _change(state: State) -> Change:
    return Change(
        at=moment(state),
        change=state.change,
        file=file_of(state),
        bytes=state.size if state.sha is not None else None,
        sha256=state.sha.hex() if state.sha is not None else None,
    )


class Past:
    """Asks an archive about some files of an agent."""

    def __init__(self, archive: Archive, checkouts: Path, agent: str) -> None:
        self._archive = archive
        self._checkouts = checkouts
        self._agent = agent
        self._homes = [home for name, home in archive.index.homes() if name == agent]

    def states(self, files: Collection[str]) -> list[State]:
        """All kept states of these files. Their paths are those of the agent's files or of our copies."""
        paths = set(files)
        states = []
        for home in self._homes:
            folder = self._checkouts / checkout_name(self._agent, home)
            for state in self._archive.index.states(self._agent, home):
                checked_out = display_path(folder / os.fsdecode(state.path))
                if file_of(state) in paths or checked_out in paths:
                    states.append(state)
        return states

    def changes(self, files: Collection[str]) -> list[Change]:
        """What happened to these files, in the order of time."""
        return [_change(state) for state in sorted(self.states(files), key=lambda state: (state.at, state.path))]

    def check_out(
        self,
        folder: Path,
        when: datetime,
        files: Collection[str],
        scans: Iterable[RootScan],
        source: Callable[[str], Source],
    ) -> Iterator[tuple[Source, Root]]:
        """Check the homes of some files out into a folder, as they were at a time. Gives their roots and sources."""
        until = stamp_of(when)
        live = list(scans)
        for home in dict.fromkeys(state.home for state in self.states(files)):
            states_then: dict[bytes, State] = {}
            for state in self._archive.index.states(self._agent, home):
                if state.at <= until and is_safe(state.path):
                    states_then[state.path] = state
            own = scans_of(live, self._agent, home)
            live_stamps = {path: (file.size, file.mtime_ns) for scan in own for path, file in files_of(scan, home)}
            present = {path: state for path, state in states_then.items() if state.sha is not None}
            # Neighbours that did not change since are links; the session's own files never, for a link may be refused.
            own_paths = {state.path for state in self.states(files)}
            same = {p for p, s in present.items() if live_stamps.get(p) == (s.size, s.mtime_ns) and p not in own_paths}
            checkout = Checkout(folder / checkout_name(self._agent, home), self._archive, self._agent, home)
            checkout.update({path: [state] for path, state in present.items() if path not in same}, same, "")
            roots = roots_of(folder / checkout_name(self._agent, home) / ABOUT, source)
            yield from ((with_complete_sessions(reader), root) for reader, root in roots)
