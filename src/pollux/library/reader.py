"""Sessions read from their files: the one that a person names, or many."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pollux import registry
from pollux.errors import Ambiguous, UnknownName, Unreadable
from pollux.index.catalog.queries import Filter, SessionLocation
from pollux.library.fresh_index import FreshIndex
from pollux.library.homes import Homes
from pollux.model import Session
from pollux.model.project_hash import unsettled_hash
from pollux.sources.base import Source, SourceContext
from pollux.text.suggest import closest
from pollux.wire import display_path, folder_at, read_head
from pollux.writers.document import begins, read_document

if TYPE_CHECKING:
    from pollux.library.jobs import Job

_HEAD = 4096


class SessionReader:
    """Reads what the index knows from the agents' files."""

    def __init__(self, homes: Homes, index: FreshIndex) -> None:
        self._homes = homes
        self._index = index

    # ------------------------------------------------------------------ one session

    def session(self, name: str | Path) -> Session:
        """The session of a key, a unique prefix of an id, `last`, or the path of a file."""
        if isinstance(name, Path):
            return self.open(name)
        if name == "last":
            newest = self._index.entries(limit=1)
            if not newest:
                hint = "pollux agents shows where pollux looks."
                raise self._index.absence()("No sessions were found.", hint)
            name = newest[0].summary.key
        agent, _, prefix = name.partition(":")
        if agent not in registry.source_names():
            if (path := path_meant(name)) is not None:
                return self.open(path)
            agent, prefix = "", name
        found = self._with_prefix(display_path(prefix), agent or None) if prefix else []
        # An id that all the others extend is the one meant: they were derived from it.
        shortest = min((place.id for place in found), key=len, default="")
        if all(place.id.startswith(shortest) for place in found):
            found = [place for place in found if place.id == shortest]
        if len({place.key for place in found}) > 1:
            raise Ambiguous(name, sorted({place.key for place in found}))
        for place in found:
            for session in self.at(place):
                return session
        raise UnknownName("session", name, hint=self._other_session(name) or "Try: pollux list --all")

    def _other_session(self, name: str) -> str | None:
        """A hint where a name is almost that of a session: one letter wrong of an agent or an id."""
        agent, colon, prefix = name.rpartition(":")
        known = closest(agent, registry.source_names()) if agent else ""
        ids = {place.id[: len(prefix)] for place in self._with_prefix("", known or None)} if len(prefix) > 3 else set()
        close = prefix if prefix in ids else closest(prefix, {*ids, *(() if colon else ("last",))}, alike=0.8)
        told = f"{known}{colon}{close}"
        return f"Did you mean: {told}?" if known is not None and close is not None and told != name else None

    def _with_prefix(self, prefix: str, agent: str | None) -> list[SessionLocation]:
        return self._index.ask(lambda current: current.with_prefix(prefix, agent))

    def open(self, path: Path) -> Session:
        """Read one file, wherever it lies and whichever agent wrote it."""
        if folder_at(path):
            raise Unreadable(f"{path} is a folder, not a session file.")
        head = read_head(path, _HEAD)
        for name in dict.fromkeys((str(path.absolute()), os.path.realpath(path))):
            places = self._index.ask(lambda current, name=name: current.read_from(display_path(name)))  # type: ignore[misc]
            for session in self.at(*places):
                return session
        if begins(head):
            return read_document(path)
        for source in self._homes.sources():
            if source.recognizes(path, head):
                return self._of_file(source, path)
        raise Unreadable(
            f"{path} is not a session file of an agent that pollux knows.",
            f"Known: {', '.join(registry.source_names())}.",
        )

    def _of_file(self, source: Source, path: Path) -> Session:
        """The session of a file that the index does not know."""
        bundle = source.bundle_of_file(path, SourceContext())
        session = next(iter(source.read(bundle).sessions), None)
        if session is None:
            raise Unreadable(f"{path} holds no conversation.")
        digest = unsettled_hash(session.project, session.project_evidence, session.project_hash)
        if digest is not None and self._index.resolve(digest):
            return source.read(bundle).sessions[0]
        return session

    def versions(self, session: Session) -> list[Session]:
        """A session as it is read under each root, the one that counts last.

        Before them as it is read beside what is gone: its own files may be whole, and others that it leans on not.
        """
        from pollux.archive.checkout import with_complete_sessions

        places = [place for place in self._with_prefix(session.id, session.agent) if place.key == session.key]
        bundles = {place.bundle for place in places}
        roots = [
            (with_complete_sessions(source), root)
            for source, root in self._homes.kept_roots()
            if source.name == session.agent
        ]
        near = [
            one
            for source, root in roots
            for bundle in self._homes.bundles_of(source, root)
            if bundle.key in bundles
            for one in source.read(bundle).sessions
        ]
        found = [one for place in reversed(places) for one in self.at(place)]
        return [*(one for one in near if one.key == session.key), *found]

    # ------------------------------------------------------------------ many sessions

    def sessions(self, wanted: Filter | None = None) -> Iterator[Session]:
        """Full sessions, those whose files changed last first; read one at a time."""
        left = {one.summary.key: {*one.summary.files} for one in self._index.entries(wanted)}
        for source, bundle in self._homes.bundles(wanted.agent if wanted is not None else None) if left else ():
            for session in source.read(bundle).sessions:
                # Of one that lies under two roots, the one that is listed.
                if not left.get(session.key, set()).isdisjoint(session.files):
                    del left[session.key]
                    yield session

    def jobs(self, wanted: Filter) -> list[Job]:
        """What reading these sessions takes, the oldest first: for work that is shared out among processes."""
        from pollux.library.jobs import jobs

        summaries = {one.summary.key: one.summary for one in self._index.entries(wanted)}
        places = self._index.ask(lambda current: current.places(wanted)) if summaries else []
        roots = self._homes.every_root()
        bundles = ((display_path(r.path), s, bundle) for s, r in roots for bundle in self._homes.bundles_of(s, r))
        return jobs(summaries, places, bundles if places else ())

    def at(self, *places: SessionLocation) -> Iterator[Session]:
        """The sessions in some places."""
        for source, root in self._homes.every_root():
            wanted: dict[str, set[str]] = {}
            for place in places:
                if (place.agent, place.root) == (source.name, display_path(root.path)):
                    wanted.setdefault(place.bundle, set()).add(place.key)
            for bundle in self._homes.bundles_of(source, root) if wanted else ():
                if bundle.key in wanted:
                    yield from (one for one in source.read(bundle).sessions if one.key in wanted[bundle.key])


def path_meant(name: str) -> Path | None:
    """The path that a name is: it looks like one, or there is such a file. None where it is an id."""
    try:
        path = Path(name).expanduser()
        there = path.exists()
    except (ValueError, OSError, RuntimeError):
        return None
    return path if name and (there or _looks_like_path(name)) else None


def _looks_like_path(name: str) -> bool:
    return os.sep in name or name.endswith((".json", ".jsonl")) or name.startswith(("~", "."))
