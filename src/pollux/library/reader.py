"""Sessions read from their files: the one that a person names, or many; and messages that a person names."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pollux import registry
from pollux.errors import Ambiguous, PolluxError, RequestError, UnknownName, Unreadable
from pollux.index.catalogue.prefixes import meant
from pollux.index.catalogue.values import Filter, SessionLocation
from pollux.library.for_agents.state import split_state
from pollux.library.fresh_index import FreshIndex
from pollux.library.session_files import SessionFiles
from pollux.model import Message, Session
from pollux.model.project_hash import unsettled_hash
from pollux.sources.base import Bundle, Source, SourceContext
from pollux.text.suggest import closest
from pollux.wire import display_path, folder_at, read_head
from pollux.writers.json_reader import begins, read_document

if TYPE_CHECKING:
    from pollux.library.jobs import Job

_HEAD = 4096
_SIGN = "#"
"""It stands between the name of a session and that of a message: `gemini:6403bd4e#5a7c`."""


class Citation(NamedTuple):
    """A session, or one of its messages."""

    session: Session
    message: Message | None = None


class SessionReader:
    """Reads what the index knows from the agents' files."""

    def __init__(self, files: SessionFiles, index: FreshIndex) -> None:
        self._files = files
        self._index = index

    # ------------------------------------------------------------------ one session

    def session(self, name: str | Path) -> Session:
        """The session of a key, a unique prefix of an id, `last`, or the path of a file."""
        path = name if isinstance(name, Path) else self._named_path(name)
        if path is not None:
            return self.open(path)
        places = self.find(str(name))
        if (session := self._at_first(places)) is not None:
            return session
        if name == "last":  # its files changed since they were listed
            return self.session(places[0].key)
        raise self._unknown(str(name))

    def find(self, name: str) -> list[SessionLocation]:
        """Where the session of a key, a unique prefix of an id, `last`, or the path of a file lies, the best first.

        None for a file that the index does not know. Raises `UnknownName` for any other name that it does not know.
        """
        if name == "last":
            newest = self._index.entries(limit=1)
            if not newest:
                hint = "pollux agents shows where pollux looks."
                raise self._index.absence()("No sessions were found.", hint)
            return self._index.find_known(newest[0].summary.key)
        if (path := self._named_path(name)) is not None:
            places = self._read_from(path)
            # A file may also hold sessions of sub-agents.
            return [place for place in places if place.key == place.bundle] or places
        return self.find_by_id(name)

    def find_by_id(self, name: str, hidden: Collection[str] = ()) -> list[SessionLocation]:
        """Where the session of a key or a unique prefix of an id lies, the best first. A name is never a path here.

        `hidden` are keys of sessions that count as unknown. Raises `UnknownName` and `Ambiguous`.
        """
        agent, prefix = _agent_and_prefix(name)
        known = self._with_prefix(display_path(prefix), agent or None) if prefix else []
        places = [place for place in known if place.key not in hidden]
        ids = meant({place.id for place in places})
        places = [place for place in places if place.id in ids]
        if len({place.key for place in places}) > 1:
            raise Ambiguous(name, sorted({place.key for place in places}))
        if not places:
            raise self._unknown(name, hidden)
        return places

    @staticmethod
    def _named_path(name: str) -> Path | None:
        """The path that a name stands for; None where it is a key, an id or `last`."""
        return None if name == "last" or _agent_and_prefix(name)[0] else path_of_name(name)

    def _unknown(self, name: str, hidden: Collection[str] = ()) -> UnknownName:
        return UnknownName("session", name, hint=self._other_session(name, hidden) or "Try: pollux list --all")

    def _at_first(self, places: Iterable[SessionLocation]) -> Session | None:
        """The session in the first of these places that has one."""
        return next((session for place in places for session in self.at(place)), None)

    def _other_session(self, name: str, hidden: Collection[str]) -> str | None:
        """A hint where a name is almost that of a session, such as one with a wrong letter."""
        agent, colon, prefix = name.rpartition(":")
        likely_agent = closest(agent, registry.source_names()) if agent else ""
        ids = (
            {p.id[: len(prefix)] for p in self._with_prefix("", likely_agent or None) if p.key not in hidden}
            if len(prefix) > 3
            else set()
        )
        close = prefix if prefix in ids else closest(prefix, {*ids, *(() if colon else ("last",))}, alike=0.8)
        suggestion = f"{likely_agent}{colon}{close}"
        return (
            f"Did you mean: {suggestion}?"
            if likely_agent is not None and close is not None and suggestion != name
            else None
        )

    def _with_prefix(self, prefix: str, agent: str | None) -> list[SessionLocation]:
        return self._index.find(prefix, agent)

    def open(self, path: Path) -> Session:
        """Read one file, wherever it lies and whichever agent wrote it."""
        if folder_at(path):
            raise Unreadable(f"{path} is a folder, not a session file.")
        head = read_head(path, _HEAD)
        for session in self.at(*self._read_from(path)):
            return session
        if begins(head):
            return read_document(path)
        return self._best([source for source in self._files.homes.sources() if source.recognizes(path, head)], path)

    def _best(self, sources: Iterable[Source], path: Path) -> Session:
        """The session of a file that these recognize. Of several, it is that of the one that finds least odd in it.

        An agent that grew out of another one writes what that one would recognize, too, and stands behind it.
        """
        found: list[Session] = []
        failure = Unreadable(
            f"{path} is not a session file of an agent that pollux knows.",
            f"Known: {', '.join(registry.source_names())}.",
        )
        for source in sources:
            try:
                found.append(self._of_file(source, path))
            except Unreadable as error:
                failure = error
        if not found:
            raise failure
        return min(reversed(found), key=lambda session: len(session.notices))

    def _read_from(self, path: Path) -> list[SessionLocation]:
        """Where the sessions lie that were read from a file, by its own name or through a link."""
        names = dict.fromkeys((display_path(path.absolute()), display_path(os.path.realpath(path))))
        return self._index.ask(lambda current: [place for name in names for place in current.read_from(name)])

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

        Before these come the versions that are read together with kept files. A session's own files may be complete
        while others, on which it depends, are gone.
        """
        from pollux.archive.checkout import with_complete_sessions

        places = [place for place in self._with_prefix(session.id, session.agent) if place.key == session.key]
        bundles = {place.bundle for place in places}
        roots = [
            (with_complete_sessions(source), root)
            for source, root in self._files.kept_roots()
            if source.name == session.agent
        ]
        checkouts = [
            version
            for source, root in roots
            for bundle in self._files.bundles_of(source, root)
            if bundle.key in bundles
            for version in source.read(bundle).sessions
        ]
        versions = [version for place in reversed(places) for version in self.at(place)]
        return [*(version for version in checkouts if version.key == session.key), *versions]

    # ------------------------------------------------------------------ many sessions

    def sessions(self, criteria: Filter | None = None) -> Iterator[Session]:
        """Full sessions, those whose files changed last first; read one at a time."""
        left = {entry.summary.key: {*entry.summary.files} for entry in self._index.entries(criteria)}
        bundles = self._files.bundles(criteria.agent if criteria is not None else None) if left else []
        changed: list[tuple[Source, Bundle]] = []
        for source, bundle in bundles:
            for session in source.read(bundle).sessions:
                files = left.get(session.key, set())
                # If a session lies under two roots, take the one that is listed.
                if files == {*session.files}:
                    del left[session.key]
                    yield session
                elif not files.isdisjoint(session.files):
                    # Another root's, unless its files changed since it was listed.
                    changed.append((source, bundle))
        for source, bundle in changed if left else ():
            for session in source.read(bundle).sessions:
                if left.pop(session.key, None) is not None:
                    yield session

    def jobs(self, criteria: Filter) -> list[Job]:
        """Jobs that read these sessions, the oldest first: processes share them."""
        from pollux.library.jobs import jobs

        summaries = {entry.summary.key: entry.summary for entry in self._index.entries(criteria)}
        places = self._index.ask(lambda current: current.places(criteria)) if summaries else []
        roots = self._files.every_root()
        bundles = ((display_path(r.path), s, bundle) for s, r in roots for bundle in self._files.bundles_of(s, r))
        return jobs(summaries, places, bundles if places else ())

    def at(
        self, *places: SessionLocation, unreadable: Callable[[PolluxError], object] | None = None
    ) -> Iterator[Session]:
        """The sessions in some places. `unreadable` hears of those that cannot be read; else the first is raised."""
        for source, root in self._files.every_root():
            keys: dict[str, set[str]] = {}
            for place in places:
                if (place.agent, place.root) == (source.name, display_path(root.path)):
                    keys.setdefault(place.bundle, set()).add(place.key)
            for bundle in self._files.bundles_with(source, root, keys) if keys else ():
                try:
                    sessions = source.read(bundle).sessions
                except PolluxError as error:
                    if unreadable is None:
                        raise
                    unreadable(error)
                else:
                    yield from (session for session in sessions if session.key in keys[bundle.key])


def _agent_and_prefix(name: str) -> tuple[str, str]:
    """The agent that a name begins with, if it does, and the rest of it."""
    agent, _, prefix = name.partition(":")
    return (agent, prefix) if agent in registry.source_names() else ("", name)


def path_of_name(name: str) -> Path | None:
    """The path that a name stands for: it looks like a path, or there is such a file. None where it is an id."""
    try:
        path = Path(name).expanduser()
        exists = path.exists()
    except (ValueError, OSError, RuntimeError):
        return None
    return path if name and (exists or _looks_like_path(name)) else None


def _looks_like_path(name: str) -> bool:
    return os.sep in name or name.endswith((".json", ".jsonl")) or name.startswith(("~", "."))


def cited(name: str, session: Callable[[str], Session]) -> Citation:
    """The session or the message that a name means. An id or a path may have the sign, too.

    A name may end with the state in which it was cited, which names nothing.
    """
    plain, state = split_state(name)
    if state is not None and path_of_name(name) is None:
        return cited(plain, session)
    key, sign, message = name.rpartition(_SIGN)
    if not sign or not key or path_of_name(name) is not None:
        return Citation(session(name))
    try:
        found = session(key)
    except UnknownName:
        try:
            return Citation(session(name))
        except UnknownName:
            pass
        raise
    return Citation(found, found.messages[find_message(found.messages, message)])


def find_message(messages: Sequence[Message], name: str) -> int:
    """The place of the message whose id is this, or begins like this."""
    exact = [number for number, message in enumerate(messages) if message.id == name]
    numbers = exact or [number for number, message in enumerate(messages) if name and message.id.startswith(name)]
    if not numbers:
        close = closest(name, {message.id[: len(name)] for message in messages}, alike=0.8)
        hint = f"Did you mean: {close}?" if close else "pollux show KEY --raw tells the id of each message."
        raise UnknownName("message", name, hint=hint)
    if len({messages[number].id for number in numbers}) > 1:
        several = ", ".join(messages[number].id for number in numbers[:5]) + (", …" if len(numbers) > 5 else "")
        raise RequestError(f"{len(numbers)} messages start with {name!r}.", f"Type more of the id: {several}")
    return numbers[0]
