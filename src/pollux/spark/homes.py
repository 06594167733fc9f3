"""Finds homes below a folder, and reads what one agent left in one of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from pollux import registry
from pollux.errors import NotFound, Unreadable
from pollux.library.homes import Homes
from pollux.library.session_files import SessionFiles
from pollux.model import Kind, Notice, Session, Severity
from pollux.projects.hashes import ProjectHashes
from pollux.projects.moves import Moves
from pollux.sources.base import Bundle, Root, Source
from pollux.system.directories import Places
from pollux.wire import display_path, folder_at

DEPTH = 3
"""How many folders below the one that was named a home may lie, as in `<team>/<person>/home`."""
_NO_TIME = datetime.min.replace(tzinfo=UTC)


class Found(NamedTuple):
    """A session, or what stands in its place where there is none, and the notices about it."""

    key: str | None
    session: Session | None
    notices: tuple[Notice, ...]


class _OwnRoots(Homes):
    """The roots below a home that was copied here: whatever its settings name, nothing outside of it is read."""

    def __init__(self, home: Path) -> None:
        # Files that pollux kept are links to where the home was before.
        places = Places({"HOME": str(home), "XDG_CACHE_HOME": os.devnull})
        super().__init__(places, Moves(places), ProjectHashes(places))
        self.places = places
        self._home = os.path.realpath(home)

    def roots(self) -> list[tuple[Source, Root]]:
        """Roots that are there, and inside."""
        return [(source, root) for source, root in super().roots() if self._is_inside(root.path)]

    def _is_inside(self, path: Path) -> bool:
        return os.path.lexists(path) and Path(os.path.realpath(path)).is_relative_to(self._home)


def homes_below(folder: Path) -> list[tuple[Path, list[str]]]:
    """The homes below a folder, or the folder itself, each with the agents that left something there.

    No link is followed. A folder that cannot be opened may be a home: it has no agents. Raises `Unreadable`.
    """
    if not folder_at(folder):
        raise Unreadable(f"{display_path(folder)} is not a folder.", "Every worker needs it under the same path.")
    homes = list(_homes(folder.absolute(), DEPTH))
    if not homes:
        known = ", ".join(registry.source_names())
        raise NotFound(f"No home in {display_path(folder)} has files of an agent.", f"Known agents: {known}.")
    return homes


def _homes(folder: Path, depth: int) -> Iterator[tuple[Path, list[str]]]:
    try:
        with os.scandir(folder) as entries:
            inside = sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
    except OSError:
        yield folder, []
        return
    if agents := list(dict.fromkeys(source.name for source, _ in _OwnRoots(folder).roots())):
        yield folder, agents
    elif depth:
        for name in inside:
            if not name.startswith("."):
                yield from _homes(folder / name, depth - 1)


def read_home(home: Path, agent: str | None) -> Iterator[Found]:
    """Everything that an agent left in a home, each session once. What cannot be read is a notice, never an error."""
    roots = _OwnRoots(home)
    files = SessionFiles(roots.places, roots)
    if agent is None:
        yield Found(None, None, (_refused(home, roots),))
    by_key: dict[str, list[tuple[Source, Bundle]]] = {}
    for source, root in roots.roots():
        if source.name != agent:
            continue
        if roots.refused(root) is not None:
            yield Found(None, None, (_refused(root.path, roots),))
        try:
            bundles = files.bundles_of(source, root)
        except Exception as error:  # noqa: BLE001 (a reader's fault must not cost the other homes; it is reported)
            yield Found(None, None, (failed(root.path, error),))
            continue
        for bundle in bundles:
            by_key.setdefault(bundle.key, []).append((source, bundle))
    seen: set[str] = set()
    for copies in by_key.values():
        for found in _best(_read(copies)):
            if found.session is None:
                yield found
            elif found.session.key not in seen:
                seen.add(found.session.key)
                yield found


def _read(copies: Iterable[tuple[Source, Bundle]]) -> Iterator[Found]:
    """The sessions in the copies of a bundle under several roots."""
    for source, bundle in copies:
        try:
            reading = source.read(bundle)
        except Exception as error:  # noqa: BLE001 (a reader's fault must not cost the other sessions; it is reported)
            place = bundle.files[0].path if bundle.files else ""
            yield Found(bundle.key, None, (failed(place, error),))
        else:
            yield from (Found(session.key, session, session.notices) for session in reading.sessions)
            if not reading.sessions and reading.notices:
                yield Found(bundle.key, None, reading.notices)


def _best(found: Iterable[Found]) -> Iterator[Found]:
    """Of several copies of a session the one that counts; what could not be read is reported beside it."""
    best: dict[str, Session] = {}
    for one in found:
        if one.session is None:
            yield one
        elif one.session.key not in best or _rank(one.session) >= _rank(best[one.session.key]):
            best[one.session.key] = one.session
    yield from (Found(key, session, session.notices) for key, session in best.items())


def _rank(session: Session) -> tuple[bool, datetime, int]:
    """A conversation before typed lines, then what was used last, then what is longest: as the catalogue has it."""
    return session.kind is not Kind.PROMPTS, session.ended or session.started or _NO_TIME, len(session.messages)


def _refused(path: Path, roots: Homes) -> Notice:
    reason = roots.refused(Root(path=path, reason="")) or "it changed meanwhile"
    text = f"The folder cannot be read: {reason}."
    return Notice(code="file.unreadable", text=text, severity=Severity.ERROR, file=display_path(path))


def failed(path: str | Path, error: Exception) -> Notice:
    """A notice of a fault of ours."""
    text = f"Reading failed ({type(error).__name__}: {error}); please report it."
    return Notice(code="reader.failed", text=text, severity=Severity.ERROR, file=display_path(path))
