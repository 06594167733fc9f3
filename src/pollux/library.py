"""The one object every view holds: all sessions of this machine."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping
from contextlib import closing
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from pollux import registry
from pollux.edition import edition
from pollux.errors import Ambiguous, NotFound, StoreError, UnknownName, Unreadable
from pollux.ledger import Doctor, examine
from pollux.memory import ProjectMemory
from pollux.model import Session, Usage, summarize
from pollux.moves import Moved, Moves
from pollux.places import Places
from pollux.projects import fits
from pollux.sources.base import Bundle, Root, Source, Surroundings
from pollux.store.found import Findings, Found
from pollux.store.passages import PassageKind
from pollux.store.query import PLACES, Sort, parse
from pollux.store.questions import Filter, Listed, Place, Point, Project, Questions, is_project
from pollux.store.store import TROUBLE, Held, Store
from pollux.store.sync import Circumstances, Look, Outcome
from pollux.store.tasks import Enough, Progress
from pollux.watch import Event, Happening, Watch
from pollux.wire import read_head, shown
from pollux.writers.document import BEGINS, session_of

if TYPE_CHECKING:
    from pollux.export.work import Job

if TYPE_CHECKING:
    from pollux.accounts import Accounts
    from pollux.archive.keep import Archive
    from pollux.archive.tree import Trees
    from pollux.keeping import Keeping
    from pollux.recovering import Recovering
    from pollux.rehoming import Rehoming

__all__ = [
    "PLACES",
    "Enough",
    "Event",
    "Filter",
    "Findings",
    "Found",
    "Happening",
    "Held",
    "Library",
    "Listed",
    "Outcome",
    "PassageKind",
    "Progress",
    "Project",
    "Sort",
    "fits",
]

_HEAD = 4096

T = TypeVar("T")

Rows = list
"""The plain list; inside `Library` that word is a method."""


class Library:
    """Every session of every agent.

    >>> for session in Library().sessions():
    ...     print(session.key, session.title)

    What can be answered without a session's words comes from a cache that is brought up to date first; with
    `fresh=False` it is taken as it is. `environ` stands for the process's environment, `cwd` for the directory it was
    started in. Without `hunt` the disk is not searched for the projects of hashed folders. `report` hears how far
    a sync is.
    """

    def __init__(
        self,
        environ: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        *,
        hunt: bool = True,
        fresh: bool = True,
        report: Callable[[Progress], None] = lambda _: None,
    ) -> None:
        self.places = Places(environ)
        self.cwd = Path.cwd() if cwd is None else cwd
        self.memory = ProjectMemory(self.places)
        self.moves = Moves(self.places)
        self.store = Store(self.places.index, f"{edition()} {self.moves.stamp}")
        self.problem: str | None = None
        self.busy = False
        self._hunt = hunt
        self._fresh = fresh
        self._report = report
        self._asked: str | None = None

    # ------------------------------------------------------------------ where things are

    def sources(self) -> Rows[Source]:
        """Every agent pollux can read."""
        return [self.source(name) for name in registry.source_names()]

    def source(self, name: str) -> Source:
        """One agent. Where projects were moved, it says where they are now."""
        return Moved(registry.source(name), self.moves) if self.moves.all() else registry.source(name)

    def know(self, agent: str | None) -> None:
        """Raise `UnknownName` where an agent was named that pollux cannot read."""
        if agent is not None:
            registry.source(agent)

    def roots(self) -> Rows[tuple[Source, Root]]:
        """Where each agent's sessions are looked for."""
        return [(s, root) for s in self.sources() for root in s.roots(self.places.environ, self.places.home)]

    def every_root(self) -> Rows[tuple[Source, Root]]:
        """Where each agent's sessions are looked for, and where those lie that pollux kept."""
        return [*self.roots(), *self._kept_roots()]

    def _kept_roots(self) -> Rows[tuple[Source, Root]]:
        return self.trees.roots() if self.places.kept.is_dir() else []

    def bundles(self, agent: str | None = None) -> Rows[tuple[Source, Bundle]]:
        """The files of every session as they are now, those that changed last first."""
        if agent is not None and agent not in registry.source_names():
            raise UnknownName("agent", agent, registry.source_names())
        found: list[tuple[Source, Bundle]] = []
        for source, root in self.every_root():
            if agent in (None, source.name):
                found += [(source, bundle) for bundle in self.bundles_of(source, root)]
        return sorted(found, key=lambda pair: pair[1].changed_ns, reverse=True)

    def bundles_of(self, source: Source, root: Root) -> Rows[Bundle]:
        """One root's; a file that the store knows is not opened for its head again."""
        files = list(source.find(root.path))
        around = self._around()
        around.heads = self.store.heads(source.name, shown(root.path))
        return source.bundles(root.path, files, around)

    # ------------------------------------------------------------------ keeping up

    def sync(self) -> Outcome:
        """Bring the cache up to date. Where another pollux is at it, nothing is done and `busy` is set.

        A `report` that raises `Enough` ends it early, and `busy` is set too: then answers may be behind the files.
        """
        self._prove([self.cwd, *self.cwd.parents])
        looks = [Look(source, root) for source, root in self.roots()]
        self._keep(looks)
        looks += [Look(source, root) for source, root in self._kept_roots()]
        try:
            now = Circumstances(self._around(), self._report, self._learnt)
            outcome = self.store.sync(looks, now)
            if outcome.changed and self._learnt(set()):
                self.store.sync(looks, now)
        except Enough:
            outcome = Outcome(busy=True)
        self.memory.save()
        self.busy = outcome.busy
        outcome.sessions = self._questions.count()
        return outcome

    def _keep(self, looks: Rows[Look]) -> None:
        """Keep what is there where the user wants that, and lay out what is there no more."""
        if not self.places.archive.is_dir():
            return
        try:
            if self.archive.keeping:
                self.archive.keep(looks)
            if self.archive.exists:
                self.trees.refresh(self.archive, looks)
                self.problem = self.trees.problem
        except StoreError as error:
            self.problem = str(error)

    def _prove(self, folders: Iterable[Path], hashes: Collection[str] = ()) -> bool:
        """Where pollux is started, or other agents worked, may be the folder whose hash is all that was known."""
        unsettled = {digest for digest in hashes if self.memory.path_of(digest) is None} | self._questions.unsettled()
        proved = {digest: str(f) for f in folders if (digest := _hash(str(f))) in unsettled} if unsettled else {}
        for digest, path in proved.items():
            self.memory.learn(digest, path)
        return bool(proved)

    def _learnt(self, hashes: set[str]) -> bool:
        """Do the directories of known sessions tell what some hashes stand for, or those of sessions without one?"""
        return self._prove(map(Path, self._questions.directories()), hashes)

    def cache(self) -> Held:
        """What the cache holds, as it is: nothing is brought up to date."""
        return self.store.held()

    def clear_cache(self) -> None:
        """Throw the cache away. It is made anew when something is asked."""
        self.store.clear()
        self.__dict__.pop("_current", None)

    @cached_property
    def _current(self) -> Questions:
        """The catalogue, once a run brought up to date."""
        if self._fresh:
            self.sync()
        return self._questions

    def _ask(self, question: Callable[[Questions], T], *, synced: bool = True) -> T:
        """Ask the catalogue. A cache in trouble is opened again, then thrown away; only then the user hears of it."""
        for remedy in (self.store.close, self.store.start_anew):
            try:
                return question(self._current if synced else self._questions)
            except TROUBLE:
                self.__dict__.pop("_current", None)
                remedy()
        try:
            return question(self._current if synced else self._questions)
        except TROUBLE as error:
            raise StoreError(f"The cache cannot be used: {error}.", "Try: pollux cache clear") from error

    @cached_property
    def accounts(self) -> Accounts:
        """What was used, and what it cost."""
        from pollux.accounts import Accounts

        return Accounts(self._ask, settings=self.places.settings, prices=self.places.prices)

    @cached_property
    def archive(self) -> Archive:
        """The states of the agents' files that were kept. Most have none, so it is imported when it is needed."""
        from pollux.archive.keep import Archive

        return Archive(self.places.archive, self.places.archive_index)

    @cached_property
    def trees(self) -> Trees:
        """What the agents deleted, laid out as they had it."""
        from pollux.archive.renamed import Renamed
        from pollux.archive.tree import Trees

        return Trees(self.places.kept, Renamed(self.places.relocations / "renamed"), self.source)

    @cached_property
    def keeping(self) -> Keeping:
        """What is kept of what the agents delete."""
        from pollux.keeping import Keeping

        return Keeping(self)

    @cached_property
    def recovering(self) -> Recovering:
        """Sessions put together again from all that is left of them."""
        from pollux.recovering import Recovering

        return Recovering(self)

    @cached_property
    def rehoming(self) -> Rehoming:
        """Moves of projects, also in the agents' own files."""
        from pollux.rehoming import Rehoming

        return Rehoming(self)

    @property
    def _questions(self) -> Questions:
        return Questions(self.store.catalogue, [(source.name, shown(root.path)) for source, root in self.every_root()])

    # ------------------------------------------------------------------ many sessions

    def list(self, wanted: Filter | None = None, limit: int | None = None) -> Rows[Listed]:
        """Summaries, newest first."""
        asked = wanted or Filter()
        self.know(asked.agent)
        return self._ask(lambda current: current.listed(asked, limit))

    def sessions(self, wanted: Filter | None = None) -> Iterator[Session]:
        """Full sessions, those whose files changed last first; read one at a time."""
        kept = {one.summary.key: one.summary.kept for one in self.list(wanted)}
        for source, bundle in self.bundles(wanted.agent if wanted is not None else None) if kept else ():
            for session in source.read(bundle):
                if kept.get(session.key) is session.kept:
                    del kept[session.key]
                    yield session

    def jobs(self, wanted: Filter) -> Rows[Job]:
        """What reading these sessions takes, the oldest first: for work that is shared out among processes."""
        from pollux.export.work import jobs

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
    ) -> Findings:
        """The messages that answer to a query, in all sessions, best first; docs/search.md describes the language.

        `counted` also tells how many messages of each session there are.

        >>> for hit in Library().search('parser "off by one" -test').hits:
        ...     print(hit.key, hit.snippet)
        """
        from pollux.store.finding import find

        asked = wanted or Filter()
        self.know(asked.agent)
        query = parse(text, registry.source_names()).narrowed(
            agent=asked.agent, project=asked.project, since=asked.since, until=asked.until
        )
        return self._ask(
            lambda current: find(
                self.store.text,
                current,
                query,
                limit=limit,
                sort=sort,
                per_session=per_session,
                kinds=kinds,
                counted=counted,
            )
        )

    def scan(
        self, pattern: str, wanted: Filter | None = None, *, kinds: Collection[PassageKind] | None = None
    ) -> Generator[Found]:
        """The messages in which a regular expression occurs, those of the newest sessions first.

        Every file is read: this finds what the index of words cannot, and takes its time.
        """
        from pollux.store.scanning import Sought, pattern as compile_pattern, scan

        compiled = compile_pattern(pattern)
        asked = msgspec.structs.replace(wanted or Filter(), everything=True)
        short = {one.summary.key: one.short for one in self.list(asked)}
        sought = Sought(pattern=compiled, keys=frozenset(short), kinds=kinds, since=asked.since, until=asked.until)
        newest = {key: number for number, key in enumerate(short)}
        tasks = sorted(self.bundles(asked.agent), key=lambda task: newest.get(task[1].key, len(newest)))
        told: set[tuple[str, str]] = set()
        with closing(scan(tasks, sought)) as stream:
            for found in stream:
                if (found.key, found.message_id) not in told:  # a session may lie under two roots
                    told.add((found.key, found.message_id))
                    yield msgspec.structs.replace(found, short_id=short[found.key])

    # ------------------------------------------------------------------ one session

    def session(self, name: str) -> Session:
        """The session of a key, a unique prefix of an id, `last`, or the path of a file."""
        if name == "last":
            newest = self.list(limit=1)
            if not newest:
                raise NotFound("There are no sessions.", "pollux agents shows where pollux looks.")
            name = newest[0].summary.key
        agent, _, prefix = name.partition(":")
        if agent not in registry.source_names():
            path = _path(name)
            if path is not None and (_looks_like_path(name) or path.exists()):
                return self.open(path)
            agent, prefix = "", name
        found = self._starting(prefix, agent or None) if prefix else []
        # An id that all the others extend is the one meant: they were derived from it.
        shortest = min((place.id for place in found), key=len, default="")
        if all(place.id.startswith(shortest) for place in found):
            found = [place for place in found if place.id == shortest]
        if len({place.key for place in found}) > 1:
            raise Ambiguous(name, sorted({place.key for place in found}))
        for place in found:
            for session in self._read(place):
                return session
        raise UnknownName("session", name, hint="Try: pollux list --all")

    def _starting(self, prefix: str, agent: str | None) -> Rows[Place]:
        return self._ask(lambda current: current.starting(prefix, agent))

    def _read(self, *places: Place) -> Iterator[Session]:
        """Sessions from their files."""
        for source, root in self.every_root():
            wanted: dict[str, set[str]] = {}
            for place in places:
                if (place.agent, place.root) == (source.name, shown(root.path)):
                    wanted.setdefault(place.bundle, set()).add(place.key)
            for bundle in self.bundles_of(source, root) if wanted else ():
                if bundle.key in wanted:
                    yield from (one for one in source.read(bundle) if one.key in wanted[bundle.key])

    def starting(self, prefix: str) -> Iterator[tuple[str, str, str | None]]:
        """Agent, id and title of the sessions whose id starts like this, those that were left last first."""
        for one in self.list(Filter(everything=True)):
            if one.summary.id.startswith(prefix):
                yield one.summary.agent, one.summary.id, one.summary.title

    def open(self, path: Path) -> Session:
        """Read one file, wherever it lies and whichever agent wrote it."""
        if path.is_dir():
            raise Unreadable(f"{path} is a folder, not a session file.")
        head = read_head(path, _HEAD)
        for name in dict.fromkeys((str(path.absolute()), os.path.realpath(path))):
            places = self._ask(lambda current, name=name: current.holding(shown(name)))  # type: ignore[misc]
            for session in self._read(*places):
                return session
        if head.startswith(BEGINS):
            return _exported(path)
        for source in self.sources():
            if source.claims(path, head):
                for session in source.read(source.loose(path, self._around())):
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
        from pollux.archive.tree import whole

        roots = [(whole(s), root) for s, root in self._kept_roots() if s.name == session.agent]
        near = [one for s, r in roots for b in self.bundles_of(s, r) if b.key in bundles for one in s.read(b)]
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

    def newest(self) -> tuple[Point, set[str]]:
        """How far the cache is, and the keys of all sessions."""
        return self._ask(Questions.newest, synced=False)

    def newer(self, point: Point, wanted: Filter, key: str | None = None) -> Iterator[tuple[Session, str]]:
        """The sessions that were read since the cache was so far, each with the beginning that suffices to name it."""

        def question(current: Questions) -> Rows[tuple[Place, str]]:
            found = [place for place in current.newer(point, wanted) if key in (None, place.key)]
            return [(place, current.short(place.id)) for place in found]

        named = self._ask(question, synced=False)
        places = [place for place, _ in named]
        short = {place.key: beginning for place, beginning in named}
        for session in self._read(*places):
            yield session, short[session.key]

    def recent(self, wanted: Filter, most: int, key: str | None = None) -> Iterator[Session]:
        """The sessions that were left last, or the one of this key."""

        def question(current: Questions) -> Rows[Place]:
            newest = [one.summary.key for one in current.listed(wanted, most)] if key is None else [key]
            places = (place for one in newest for place in current.starting(one.partition(":")[2]))
            return [place for place in places if place.key in newest]

        yield from self._read(*self._ask(question, synced=False))

    # ------------------------------------------------------------------ projects and files

    def projects(self, name: str | None = None) -> Rows[Project]:
        """The projects people worked in; a name, or part of it, narrows them down."""
        self._asked = name
        found = self._ask(Questions.projects)
        if name is None:
            return found
        return [p for p in found if fits(name, p.path) or any(is_project(name, None, digest) for digest in p.hashes)]

    def teach(self, path: str) -> str:
        """Remember that this path is a project; returns the hash it will be known by."""
        digest = _hash(path)
        self.memory.teach(digest, path)
        return digest

    def rehome(self, old: str, new: str) -> tuple[str, str]:
        """Remember that a project was moved; what was worked out before is worked out anew."""
        before, after = self.moves.move(old, new)
        self.teach(before)
        self.store.close()
        self.store = Store(self.places.index, f"{edition()} {self.moves.stamp}")
        self.__dict__.pop("_current", None)
        return before, after

    def doctor(self) -> Doctor:
        """Account for every file under the agents' roots."""
        kept = self._ask(lambda current: [current.kept(s.name, shown(root.path)) for s, root in self.roots()])
        account = examine(
            (source, list(source.find(root.path)), self.bundles_of(source, root), every)
            for (source, root), every in zip(self.roots(), kept, strict=True)
        )
        account.totals["outputs_cut"] = self._ask(Questions.cut)
        return msgspec.structs.replace(account, retention=tuple(self.keeping.due()))

    # ------------------------------------------------------------------ inside

    def _around(self) -> Surroundings:
        return Surroundings(
            home=self.places.home,
            cwd=self.cwd,
            memory=self.memory,
            asked=self._asked,
            hunt=self._hunt,
        )


def _exported(path: Path) -> Session:
    try:
        return session_of(path.read_bytes())
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror or error}.") from error
    except ValueError as error:
        raise Unreadable(f"{path} is no document of `pollux export --to json`: {error}.") from error


def _hash(path: str) -> str:
    return hashlib.sha256(path.encode("utf-8", "surrogateescape")).hexdigest()


def _path(name: str) -> Path | None:
    """The name as a path, where it can be one."""
    try:
        path = Path(name).expanduser()
        path.exists()
    except (ValueError, OSError, RuntimeError):
        return None
    return path


def _looks_like_path(name: str) -> bool:
    return os.sep in name or name.endswith((".json", ".jsonl")) or name.startswith(("~", "."))
