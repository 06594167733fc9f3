"""The one object every view holds: all sessions of this machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Generator, Iterator
from contextlib import closing
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from pollux import registry
from pollux.errors import Ambiguous, NotFound, UnknownName, Unreadable
from pollux.index.catalog.queries import CatalogQueries, Cursor, Filter, ListEntry, Place, Project, is_project
from pollux.index.index import CacheInfo
from pollux.index.search.passages import PassageKind
from pollux.index.search.query import ABOUT, FILTERS, PLACES, Sort, parse
from pollux.index.search.results import Findings, Found
from pollux.index.sync.sync import Outcome
from pollux.library.doctor import Doctor, examine
from pollux.library.naming import path_meant
from pollux.library.refresh import Refresh, project_hash
from pollux.library.watch import Event, Happening, Watch
from pollux.model import Session, Usage, summarize
from pollux.model.names import fits
from pollux.system.progress import Enough, Progress
from pollux.text.suggest import closest
from pollux.wire import folder_at, read_head, shown
from pollux.writers.document import begins, read_document

if TYPE_CHECKING:
    from pollux.library.archive import Keeping
    from pollux.library.jobs import Job
    from pollux.library.recover import Recovering
    from pollux.library.rehome import Rehoming
    from pollux.library.schedule import Scheduling
    from pollux.usage.accounts import Accounts

__all__ = [
    "ABOUT",
    "FILTERS",
    "PLACES",
    "CacheInfo",
    "Enough",
    "Event",
    "Filter",
    "Findings",
    "Found",
    "Happening",
    "Library",
    "ListEntry",
    "Outcome",
    "PassageKind",
    "Progress",
    "Project",
    "Sort",
    "fits",
]

_HEAD = 4096

Rows = list
"""The plain list; inside `Library` that word is a method."""


class Library(Refresh):
    """Every session of every agent.

    >>> for session in Library().sessions():
    ...     print(session.key, session.title)

    What can be answered without a session's words comes from a cache that is brought up to date first; with
    `fresh=False` it is taken as it is. `environ` stands for the process's environment, `cwd` for the directory it was
    started in. Without `hunt` the disk is not searched for the projects of hashed folders. `report` hears how far
    a sync is. `close` lets go of its files, as the end of a `with` block does; the next question opens them again.
    """

    @cached_property
    def accounts(self) -> Accounts:
        """What was used, and what it cost."""
        from pollux.usage.accounts import Accounts

        return Accounts(self._ask, settings=self.places.settings, prices=self.places.prices)

    @cached_property
    def keeping(self) -> Keeping:
        """What is kept of what the agents delete."""
        from pollux.library.archive import Keeping

        return Keeping(self)

    @cached_property
    def scheduling(self) -> Scheduling:
        """The timer that keeps."""
        from pollux.library.schedule import Scheduling

        return Scheduling(self)

    @cached_property
    def recovering(self) -> Recovering:
        """Sessions put together again from all that is left of them."""
        from pollux.library.recover import Recovering

        return Recovering(self)

    @cached_property
    def rehoming(self) -> Rehoming:
        """Moves of projects, also in the agents' own files."""
        from pollux.library.rehome import Rehoming

        return Rehoming(self)

    # ------------------------------------------------------------------ many sessions

    def list(self, wanted: Filter | None = None, limit: int | None = None) -> Rows[ListEntry]:
        """Summaries, newest first."""
        asked = wanted or Filter()
        self.know(asked.agent)
        return self._ask(lambda current: current.listed(asked, limit))

    def count(self, wanted: Filter | None = None) -> int:
        """How many sessions a list of them all would have."""
        asked = wanted or Filter()
        self.know(asked.agent)
        return self._ask(lambda current: current.count(asked))

    def meant(self, wanted: Filter, otherwise: str = "") -> str:
        """A hint where nothing was found: what was probably meant by what no session has."""
        from pollux.index.search.suggestions import in_list

        return " ".join(self._ask(lambda current: in_list(current, wanted))) or otherwise

    def sessions(self, wanted: Filter | None = None) -> Iterator[Session]:
        """Full sessions, those whose files changed last first; read one at a time."""
        left = {one.summary.key: {*one.summary.files} for one in self.list(wanted)}
        for source, bundle in self.bundles(wanted.agent if wanted is not None else None) if left else ():
            for session in source.read(bundle).sessions:
                # Of one that lies under two roots, the one that is listed.
                if not left.get(session.key, set()).isdisjoint(session.files):
                    del left[session.key]
                    yield session

    def jobs(self, wanted: Filter) -> Rows[Job]:
        """What reading these sessions takes, the oldest first: for work that is shared out among processes."""
        from pollux.library.jobs import jobs

        summaries = {one.summary.key: one.summary for one in self.list(wanted)}
        places = self._ask(lambda current: current.places(wanted)) if summaries else []
        bundles = ((shown(r.path), s, bundle) for s, r in self.every_root() for bundle in self.bundles_of(s, r))
        return jobs(summaries, places, bundles if places else ())

    def search(  # noqa: PLR0913
        self,
        text: str,
        wanted: Filter | None = None,
        *,
        kinds: Collection[PassageKind] | None = None,
        limit: int = 20,
        sort: Sort = Sort.RELEVANCE,
        per_session: int | None = None,
        counted: bool = False,
        exact: bool = False,
    ) -> Findings:
        """The messages that answer to a query, in all sessions, best first; docs/search.md describes the language.

        `counted` also tells how many messages of each session there are. Where nothing holds what was typed, other
        forms and spellings of the words are looked for: `Findings.widened` says which. With `exact` they are not.

        >>> for hit in Library().search('parser "off by one" -test').hits:
        ...     print(hit.key, hit.snippet)
        """
        from pollux.index.search.finding import Wish, find

        asked = wanted or Filter()
        self.know(asked.agent)
        query = parse(text, registry.source_names()).narrowed(
            *asked.facts, agent=asked.agent, project=asked.project, since=asked.since, until=asked.until
        )
        wish = Wish(limit=limit, sort=sort, per_session=per_session, kinds=kinds, counted=counted, exact=exact)
        return self._ask(lambda current: find(self.store.text, current, query, wish))

    def match(  # noqa: PLR0913
        self,
        pattern: str,
        wanted: Filter | None = None,
        *,
        kinds: Collection[PassageKind] | None = None,
        seconds: float = 5.0,
        unfinished: Callable[[str], None] = lambda _: None,
        report: Callable[[Progress], None] = lambda _: None,
    ) -> Generator[Found]:
        """The messages in which a regular expression occurs, those of the newest sessions first.

        Every file is read: this finds what the index of words cannot, and takes its time. It takes no more than so many
        seconds for the pattern in one file; `unfinished` hears of the files of which a part was left out, `report` how
        far it is.
        """
        from pollux.index.search.regex import Sought, pattern as compile_pattern, scan

        compiled = compile_pattern(pattern)
        asked = msgspec.structs.replace(wanted or Filter(), everything=True)
        listed = self.list(asked)
        short = {one.summary.key: one.short for one in listed}
        sought = Sought(
            pattern=compiled,
            files={one.summary.key: one.summary.files for one in listed},
            kinds=kinds,
            since=asked.since,
            until=asked.until,
            seconds=seconds,
        )
        newest = {key: number for number, key in enumerate(short)}
        tasks = sorted(self.bundles(asked.agent), key=lambda task: newest.get(task[1].key, len(newest)))
        told: set[tuple[str, str]] = set()
        left_out = lambda bundle: unfinished(bundle.files[0].path)  # noqa: E731
        with closing(scan(tasks, sought, left_out, report=report)) as stream:
            for found in stream:
                if (found.key, found.message_id) not in told:  # a session may lie under two roots
                    told.add((found.key, found.message_id))
                    yield msgspec.structs.replace(found, short_id=short[found.key])

    # ------------------------------------------------------------------ one session

    def session(self, name: str | Path) -> Session:
        """The session of a key, a unique prefix of an id, `last`, or the path of a file."""
        if isinstance(name, Path):
            return self.open(name)
        if name == "last":
            newest = self.list(limit=1)
            if not newest:
                hint = "pollux agents shows where pollux looks."
                raise (Unreadable if self.closed else NotFound)("No sessions were found.", hint)
            name = newest[0].summary.key
        agent, _, prefix = name.partition(":")
        if agent not in registry.source_names():
            if (path := path_meant(name)) is not None:
                return self.open(path)
            agent, prefix = "", name
        found = self._starting(shown(prefix), agent or None) if prefix else []
        # An id that all the others extend is the one meant: they were derived from it.
        shortest = min((place.id for place in found), key=len, default="")
        if all(place.id.startswith(shortest) for place in found):
            found = [place for place in found if place.id == shortest]
        if len({place.key for place in found}) > 1:
            raise Ambiguous(name, sorted({place.key for place in found}))
        for place in found:
            for session in self._read(place):
                return session
        raise UnknownName("session", name, hint=self._other_session(name) or "Try: pollux list --all")

    def _other_session(self, name: str) -> str | None:
        """A hint where a name is almost that of a session: one letter wrong of an agent or an id."""
        agent, colon, prefix = name.rpartition(":")
        known = closest(agent, registry.source_names()) if agent else ""
        ids = {place.id[: len(prefix)] for place in self._starting("", known or None)} if len(prefix) > 3 else set()
        close = prefix if prefix in ids else closest(prefix, {*ids, *(() if colon else ("last",))}, alike=0.8)
        told = f"{known}{colon}{close}"
        return f"Did you mean: {told}?" if known is not None and close is not None and told != name else None

    def _starting(self, prefix: str, agent: str | None) -> Rows[Place]:
        return self._ask(lambda current: current.starting(prefix, agent))

    def starting(self, prefix: str) -> Iterator[tuple[str, str, str | None]]:
        """Agent, id and title of the sessions whose id starts like this, those that were left last first."""
        for one in self.list(Filter(everything=True)):
            if one.summary.id.startswith(prefix):
                yield one.summary.agent, one.summary.id, one.summary.title

    def open(self, path: Path) -> Session:
        """Read one file, wherever it lies and whichever agent wrote it."""
        if folder_at(path):
            raise Unreadable(f"{path} is a folder, not a session file.")
        head = read_head(path, _HEAD)
        for name in dict.fromkeys((str(path.absolute()), os.path.realpath(path))):
            places = self._ask(lambda current, name=name: current.holding(shown(name)))  # type: ignore[misc]
            for session in self._read(*places):
                return session
        if begins(head):
            return read_document(path)
        for source in self.sources():
            if source.recognizes(path, head):
                for session in source.read(source.bundle_of_file(path, self._around())).sessions:
                    return session
                raise Unreadable(f"{path} holds no conversation.")
        raise Unreadable(
            f"{path} is no session file of an agent pollux knows.", f"Known: {', '.join(registry.source_names())}."
        )

    def family(self, session: Session) -> Rows[str]:
        """The keys of a session and all its descendants."""
        return self._ask(lambda current: current.family(session.key))

    def readings(self, session: Session) -> Rows[Session]:
        """A session as it is read under each root, the one that counts last.

        Before them as it is read beside what is gone: its own files may be whole, and others that it leans on not.
        """
        places = [p for p in self._starting(session.id, session.agent) if p.key == session.key]
        bundles = {place.bundle for place in places}
        from pollux.archive.checkout import whole

        roots = [(whole(s), root) for s, root in self._kept_roots() if s.name == session.agent]
        near = [one for s, r in roots for b in self.bundles_of(s, r) if b.key in bundles for one in s.read(b).sessions]
        found = [one for place in reversed(places) for one in self._read(place)]
        return [*(one for one in near if one.key == session.key), *found]

    def files_of(self, key: str) -> Rows[str]:
        """Every file a session was read from: the agent's, and those that are kept."""
        return self._ask(lambda current: current.files(key))

    def family_usage(self, session: Session) -> Usage:
        """What a session and its descendants used."""
        told = summarize(session)
        return self._ask(lambda current: current.family_usage(told))

    # ------------------------------------------------------------------ as it is being written

    def watch(self, wanted: Filter | None = None, key: str | None = None) -> Iterator[Event]:
        """What is written into sessions from now on, as it comes: each step waits, and there is no end.

        >>> for event in Library().watch():
        ...     print(event.event, event.session.key)
        """
        self.know(wanted.agent if wanted is not None else None)
        return iter(Watch(self, wanted or Filter(everything=True), key))

    def newest(self) -> tuple[Cursor, set[str]]:
        """How far the cache is, and the keys of all sessions."""
        return self._ask(CatalogQueries.newest, synced=False)

    def newer(self, point: Cursor, wanted: Filter, key: str | None = None) -> Iterator[tuple[Session, str]]:
        """The sessions that were read since the cache was so far, each with the beginning that suffices to name it."""

        def question(current: CatalogQueries) -> Rows[tuple[Place, str]]:
            found = [place for place in current.newer(point, wanted) if key in (None, place.key)]
            return [(place, current.short(place.id)) for place in found]

        named = self._ask(question, synced=False)
        places = [place for place, _ in named]
        short = {place.key: beginning for place, beginning in named}
        for session in self._read(*places):
            yield session, short[session.key]

    def recent(self, wanted: Filter, most: int, key: str | None = None) -> Iterator[Session]:
        """The sessions that were left last, or the one of this key."""

        def question(current: CatalogQueries) -> Rows[Place]:
            newest = [one.summary.key for one in current.listed(wanted, most)] if key is None else [key]
            places = (place for one in newest for place in current.starting(one.partition(":")[2]))
            return [place for place in places if place.key in newest]

        yield from self._read(*self._ask(question, synced=False))

    # ------------------------------------------------------------------ projects and files

    def likely_project(self, name: str) -> str | None:
        """The project that was probably meant by a name that none has."""
        from pollux.index.search.suggestions import likely_project

        return self._ask(lambda current: likely_project(current, name))

    def projects(self, name: str | None = None) -> Rows[Project]:
        """The projects people worked in; a name, or part of it, narrows them down."""
        self._asked = name
        found = self._ask(CatalogQueries.projects)
        if name is None:
            return found
        return [p for p in found if fits(name, p.path) or any(is_project(name, None, digest) for digest in p.hashes)]

    def teach(self, path: str) -> str:
        """Remember that this path is a project; returns the hash it will be known by."""
        digest = project_hash(path)
        self.memory.teach(digest, path)
        return digest

    def rehome(self, old: str, new: str) -> tuple[str, str]:
        """Remember that a project was moved; what was worked out before is worked out anew."""
        before, after = self.moves.move(old, new)
        self.teach(before)
        self.close()
        self.store = self._opened_store()
        return before, after

    def doctor(self) -> Doctor:
        """Account for every file under the agents' roots."""
        kept = self._ask(lambda current: [current.kept(s.name, shown(root.path)) for s, root in self.roots()])
        account = examine(
            (source, list(source.find(root.path)), self.bundles_of(source, root), every)
            for (source, root), every in zip(self.roots(), kept, strict=True)
        )
        account.totals["outputs_cut"] = self._ask(CatalogQueries.cut)
        return msgspec.structs.replace(account, retention=tuple(self.keeping.due()), archive=self.scheduling.state())
