"""Folds new documents into the tables. Any number of loaders may do so at once, and each may be killed at any moment.

1. The rows of some documents are appended under a `batch` of their own: nobody sees them.
2. One change of the table of sessions shows them, and hides those of earlier states.
3. The news about these documents are deleted.

Where it ends before that, the next load does it again, and `tidy` removes rows that nothing shows.
"""

from __future__ import annotations

import re
import secrets
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

import msgspec

from pollux.errors import NotFound, PolluxError, RequestError, Unreadable
from pollux.lake.delta import Delta, rows_in
from pollux.lake.documents import NEWS, News, NewsEntry, decode, owner_of, read_as
from pollux.lake.erase import erase_rows, tombstones
from pollux.lake.rows import rows_of
from pollux.lake.shown import Shown, known, show
from pollux.lake.store import Store, StoredObject, about
from pollux.lake.tables import ROWS, SESSIONS, TABLES
from pollux.lake.tell import tell_again
from pollux.system.files import read
from pollux.system.progress import Advance, Report

if TYPE_CHECKING:
    from deltalake import DeltaTable

LOADS = "loads"
"""Where running loads name their batches, so that `tidy` spares the rows."""

_NEWS = 200
"""So many news are read before their documents are loaded."""

_BYTES = 64 << 20
"""So many bytes of documents are shown together, unpacked: packed, nothing tells how much memory they need."""

_LARGEST_NEWS = 4 << 20
"""No news of so few documents are larger."""

_AT_ONCE, _AHEAD = 8, 16
"""So many documents are fetched at once, and before their turn."""

_DEPTH = 3
"""How many folders news lie in."""

_MONTH = re.compile(r"[0-9]{4}-[0-9]{2}|undated")
_LARGEST = 2**63

Row = dict[str, Any]
_Place = tuple[str, str, str]


class Loaded(msgspec.Struct):
    """What a load did. `problems` are about documents that it could not load, whose news it left where they are."""

    news: int = 0
    sessions: int = 0
    unchanged: int = 0
    erased: int = 0
    problems: list[PolluxError] = []


class _Told(NamedTuple):
    """A document that news tell of. The paths of both prove whose it is."""

    person: str
    machine: str
    entry: NewsEntry
    news: str

    @property
    def place(self) -> _Place:
        """What its session is known by."""
        return self.person, self.machine, self.entry.key


class _Read(NamedTuple):
    """The rows of a document, by table."""

    rows: dict[str, list[Row]]
    size: int


class Part(NamedTuple):
    """One part of several: machines are divided among loaders, so that these do not meet."""

    part: int = 1
    parts: int = 1

    def has(self, machine: str) -> bool:
        """Does a machine belong to this part?"""
        return crc32(machine.encode()) % self.parts == self.part - 1


ALL = Part()


class Loader:
    """Loads the news of a lake, once. `teams` has the teams of people."""

    def __init__(self, store: Store, teams: Mapping[str, str] | None = None) -> None:
        self._store = store
        self._delta = Delta(store)
        self._teams = teams or {}
        self._result = Loaded()
        self._troubled: set[str] = set()

    def load(self, part: Part = ALL, report: Report = lambda _: None, *, again: bool = False) -> Loaded:
        """Load what is new, or with `again` all documents that lie there."""
        self._delta.open(SESSIONS)  # so that a wrong address is an error even where there are no news
        if again:
            self._result.problems += tell_again(self._store)
        every = (one for one in self._store.of_everybody(NEWS, self._result.problems) if _is_ours(one.path))
        news = sorted((one for one in every if part.has(owner_of(one.path)[1])), key=lambda one: one.path)
        advance = Advance([one.size for one in news], report)
        for start in range(0, len(news), _NEWS):
            self._load(news[start : start + _NEWS])
            for number in range(start, min(start + _NEWS, len(news))):
                advance.done(number)
        self._assign_teams()
        return self._result

    def _load(self, news: Sequence[StoredObject]) -> None:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            told = [one for some in pool.map(self._read_news, news) for one in some]
            keys = {one.entry.key for one in told}
            there = {one.place: one for one in known(self._delta, keys)}
            wanted = self._wanted(told, there)
            read = (self._read(states, data, there) for states, data in self._fetched(wanted, pool))
            for documents in _in_groups(read):
                self._show(documents)
        show(self._delta, [], keys)  # where a load was killed before it settled which copies count
        done = [one.path for one in news if one.path not in self._troubled]
        self._store.delete(done)
        self._result.news += len(done)

    def _read_news(self, news: StoredObject) -> list[_Told]:
        """The documents that news tell of. Nobody can tell of somebody else's."""
        person, machine = owner_of(news.path)
        try:
            if news.size > _LARGEST_NEWS:
                raise Unreadable("No piece of news is that large.")
            documents = read_as(News, self._store.get(news.path)).documents
        except NotFound:  # another loader was faster
            return []
        except PolluxError as error:
            self._note(about(news.path, error), news.path)
            return []
        own = [one for one in documents if one.is_of(person, machine)]
        if len(own) < len(documents):
            self._note(Unreadable(f"{news.path} tells of documents of others."), news.path)
        return [_Told(person, machine, one, news.path) for one in own]

    def _wanted(self, told: Sequence[_Told], there: Mapping[_Place, Shown]) -> list[list[_Told]]:
        """The documents to load: of each session all states that are new, the last first."""
        graves = tombstones(self._store, {one.person for one in told})
        states: dict[_Place, list[_Told]] = {}
        for one in sorted(told, key=lambda one: one.entry.seq, reverse=True):
            shown = there.get(one.place)
            if any(grave.covers(one.person, one.machine, one.entry.key) for grave in graves):
                self._store.delete([one.entry.path])
                self._result.erased += 1
            elif shown is not None and shown.seq >= one.entry.seq:
                self._result.unchanged += 1
            else:
                states.setdefault(one.place, []).append(one)
        return list(states.values())

    def _fetched(
        self, wanted: Sequence[list[_Told]], pool: ThreadPoolExecutor
    ) -> Iterator[tuple[list[_Told], bytes | None]]:
        """The states of each session, and the document of the last one."""
        for start in range(0, len(wanted), _AHEAD):
            some = wanted[start : start + _AHEAD]
            yield from zip(some, pool.map(self._get, [states[0].entry.path for states in some]), strict=True)

    def _get(self, path: str) -> bytes | None:
        """A document as it is stored; None where there is none now: who reads it asks again, and hears why."""
        try:
            return self._store.get(path)
        except PolluxError:
            return None

    def _read(self, states: Sequence[_Told], first: bytes | None, there: Mapping[_Place, Shown]) -> _Read | None:
        """The rows of the last of these states that can be read. The first is here already."""
        for one in states:
            try:
                data = first if first is not None else self._store.get(one.entry.path)
                return self._rows(one, data, there.get(one.place))
            except NotFound:  # it was erased meanwhile
                pass
            except PolluxError as error:
                self._note(about(one.entry.path, error), one.news)
            first = None
        return None

    def _rows(self, told: _Told, data: bytes, shown: Shown | None) -> _Read:
        document = decode(data)
        session = document.read()
        names = (document.machine, document.key, session.key, document.seq)
        if names != (told.machine, told.entry.key, told.entry.key, told.entry.seq):
            raise Unreadable(f"{told.entry.path} is not the document that the news tell of.")
        if not session.agent.isprintable():
            raise Unreadable(f"{told.entry.path} is of an agent that nobody can name.")
        if not (_MONTH.fullmatch(document.month) and 0 <= document.seq < _LARGEST > (document.redactions or 0)):
            raise Unreadable(f"{told.entry.path} has figures that no document has.")
        try:
            rows = rows_of(session)
        except Exception as error:  # one document must not keep the others out
            raise Unreadable(f"{told.entry.path} cannot be loaded: {error}.") from error
        rows[SESSIONS][0] |= {
            "team": self._teams.get(told.person),
            "object": told.entry.path,
            "level": document.level.value,
            **{name: getattr(document, name) for name in ("seq", "state", "edition", "redactions")},
        }
        month = shown.month if shown is not None else document.month
        place = {"month": month, "person": told.person, "machine": told.machine}
        return _Read(
            {name: [place | row for row in some] for name, some in rows.items()}, memoryview(document.session).nbytes
        )

    def _show(self, documents: Sequence[_Read]) -> None:
        """Append the rows of documents, and show them at once."""
        batch = secrets.token_hex(16)
        marker = f"{LOADS}/{batch}"
        self._store.put_if_absent(marker, b"")
        rows = {name: [row | {"batch": batch} for one in documents for row in one.rows[name]] for name in TABLES}
        for name in ROWS:
            self._delta.append(name, rows[name])
        show(self._delta, rows[SESSIONS], ())
        # Whoever was erased since the documents were read must not come back.
        erased = [
            grave
            for grave in tombstones(self._store, {row["person"] for row in rows[SESSIONS]})
            if any(grave.covers(row["person"], row["machine"], row["key"]) for row in rows[SESSIONS])
        ]
        erase_rows(self._delta, erased)
        self._store.delete([marker])
        self._result.sessions += len(documents)

    def _assign_teams(self) -> None:
        """Put people into the teams that they belong to now."""
        import pyarrow as pa

        def change(table: DeltaTable) -> None:
            there = {(row["person"], row["team"]) for row in rows_in(table, ["person", "team"])}
            moved = sorted({name for name, team in there if self._teams.get(name, team) != team})
            if moved:
                people = pa.table({"person": moved, "team": [self._teams[name] for name in moved]})
                table.merge(people, "t.person = s.person", "s", "t").when_matched_update({"team": "s.team"}).execute()

        if self._teams:
            self._delta.change(SESSIONS, change)

    def _note(self, error: PolluxError, news: str) -> None:
        self._troubled.add(news)
        self._result.problems.append(error)


def _is_ours(news: str) -> bool:
    """Can this be the path of news?"""
    return news.count("/") == _DEPTH and news.isprintable()


def _in_groups(documents: Iterable[_Read | None]) -> Iterator[list[_Read]]:
    """Documents in groups that are not too large."""
    group: list[_Read] = []
    size = 0
    for one in documents:
        if one is not None:
            group.append(one)
            size += one.size
        if size > _BYTES:
            yield group
            group, size = [], 0
    if group:
        yield group


def read_teams(path: Path) -> dict[str, str]:
    """The team of each person, from a TOML file. Raises `RequestError`."""
    try:
        teams = tomllib.loads(read(path).decode())
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise RequestError(f"{path} is no list of teams: {error}.", 'A line of one is: ada = "shop"') from error
    if odd := next((name for name, team in teams.items() if not isinstance(team, str)), None):
        raise RequestError(f"The team of {odd} in {path} is no text.", 'A line of the list is: ada = "shop"')
    return teams
