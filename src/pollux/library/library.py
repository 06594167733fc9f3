"""The one object every view holds: all sessions of this machine, and the services that answer questions about them.

`Library` itself answers what is asked most: `list`, `count`, `sessions`, `session`, `open`, `search`, `match`, `watch`,
`sync`, `doctor`. The rest is asked of its services, each named by the command or the thing that it is about:

- `homes`: where the agents' files lie;
- `index`: what is known of all sessions, and the cache that holds it;
- `marks`: stars, tags, notes and names that the user gave, and how far sessions were read;
- `projects`: the directories people worked in;
- `usage`: tokens and money, for `stats`, `audit` and `timeline`;
- `resume`, `handoff`: how to go on with a session in its agent, or in another one;
- `connect`: the server and the skill in the agents' settings, for `mcp install`, `mcp doctor` and `skill install`;
- `archive`, `recover`, `rehome`, `schedule`: what the commands of these names do;
- `edits`: the files that agents changed;
- `compare`: two sessions side by side;
- `friction`: calls that failed or were made again, edits undone, interruptions, compactions;
- `brief`: what was decided, tried and changed in sessions, within a number of tokens;
- `for_agents`: sessions as agents may see them, without what is private;
- `signing`: signatures over records and session files, for `sign`, `verify` and `key`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterator, Mapping
from contextlib import closing
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

import msgspec

from pollux import registry
from pollux.index.build_id import build_id
from pollux.index.catalogue.values import Filter, ListedKey, ListEntry, Project
from pollux.index.index import CacheInfo, Index
from pollux.index.search.passages import PassageKind
from pollux.index.search.query import ABOUT, FILTERS, PLACES, Sort, parse
from pollux.index.search.results import Hit, SearchResult
from pollux.index.sync.sync import Outcome
from pollux.library.doctor import Doctor, diagnose
from pollux.library.fresh_index import FreshIndex
from pollux.library.homes import Homes
from pollux.library.index import IndexService
from pollux.library.keeper import Keeper
from pollux.library.marks import MarksService
from pollux.library.projects import ProjectsService
from pollux.library.reader import Citation, SessionReader, cited
from pollux.library.session_files import SessionFiles
from pollux.library.watch import Event, EventKind, Watch
from pollux.marks.store import MarkStore
from pollux.model import Session
from pollux.model.names import project_matches
from pollux.projects.hashes import ProjectHashes
from pollux.projects.moves import Moves
from pollux.projects.resolve import Resolver
from pollux.system.directories import Places, present_folder
from pollux.system.progress import Enough, Progress, Report

if TYPE_CHECKING:
    from pollux.index.search.outline import OutlineEntry
    from pollux.library.archive import ArchiveService
    from pollux.library.brief.service import BriefService
    from pollux.library.compare.service import CompareService
    from pollux.library.connect.service import ConnectService
    from pollux.library.edits.service import EditsService
    from pollux.library.for_agents.service import ForAgents
    from pollux.library.friction.service import FrictionService
    from pollux.library.handoff.service import HandoffService
    from pollux.library.jobs import Job
    from pollux.library.recover import RecoverService
    from pollux.library.rehome import RehomeService
    from pollux.library.resume.service import ResumeService
    from pollux.library.schedule import ScheduleService
    from pollux.library.searching import Found
    from pollux.library.signing import SigningService
    from pollux.usage.service import UsageService

__all__ = [
    "ABOUT",
    "FILTERS",
    "PLACES",
    "CacheInfo",
    "Enough",
    "Event",
    "EventKind",
    "Filter",
    "Hit",
    "Library",
    "ListEntry",
    "ListedKey",
    "Outcome",
    "PassageKind",
    "Progress",
    "Project",
    "SearchResult",
    "Sort",
    "project_matches",
]

Rows = list
"""The plain list; inside `Library` that word is a method."""


class Library:
    """Every session of every agent.

    >>> for session in Library().sessions():
    ...     print(session.key, session.title)

    What can be answered without a session's words comes from a cache that is brought up to date first; with
    `fresh=False` it is taken as it is. `environ` stands for the process's environment, `cwd` for the directory it was
    started in. Without `hunt` the disk is not searched for the projects of hashed folders. `report` hears how far
    a sync is. With `complete_later`, a search does not wait for words that another process may index later: it looks
    through those sessions itself. With `early`, a list of the newest sessions and a look-up by id do not wait for the
    other sessions: what depends on those is None. `close` lets go of its files, as the end of a `with` block does; the
    next question opens them again.

    Several threads may ask one library at once, and several processes may have one each: docs/library.md says how.
    """

    def __init__(  # noqa: PLR0913
        self,
        environ: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        *,
        hunt: bool = True,
        fresh: bool = True,
        complete_later: bool = False,
        early: bool = False,
        report: Report = lambda _: None,
    ) -> None:
        self._complete_later = complete_later
        self._here = here = present_folder() if cwd is None else cwd
        self._places = places = Places(environ)
        self._moves = moves = Moves(places)
        hashes = ProjectHashes(places)
        resolver = Resolver(hashes, places, here, hunt=hunt)
        # The cache is valid as long as the code that reads is the same, and no project is moved.
        store = Index(places.index, lambda: f"{build_id()} {moves.stamp}", report)
        self.homes = Homes(places, moves, hashes)
        self._files = SessionFiles(places, self.homes, store)
        self._keeper = Keeper(places, self._files, report)
        self._marks = marks = MarkStore(places.marks)
        self._index = FreshIndex(
            store, self._files, self._keeper, resolver=resolver, marks=marks, fresh=fresh, early=early, report=report
        )
        self._reader = SessionReader(self._files, self._index)
        self.index = IndexService(self._index, self._places, self.homes)
        self.marks = MarksService(marks, self._index)
        self.projects = ProjectsService(self._index, hashes, moves)

    @property
    def user_home(self) -> Path:
        """The home directory of the user."""
        return self._places.home

    @property
    def settings_file(self) -> Path:
        """The file of the user's settings, which need not exist."""
        return self._places.settings

    @cached_property
    def usage(self) -> UsageService:
        """What was used, and what it cost."""
        from pollux.usage.service import UsageService

        return UsageService(
            self._index.ask,
            settings=self._places.settings,
            prices=self._places.prices,
            ask_known=self._index.ask_known,
        )

    @cached_property
    def archive(self) -> ArchiveService:
        """What is kept of what the agents delete."""
        from pollux.library.archive import ArchiveService

        return ArchiveService(self._places, self._files, self._index, self._keeper, self._marks)

    @cached_property
    def schedule(self) -> ScheduleService:
        """The timer that runs the archive."""
        from pollux.library.schedule import ScheduleService

        return ScheduleService(self._places, self.homes, self._keeper.archive)

    @cached_property
    def recover(self) -> RecoverService:
        """Joins sessions from all that is left of them."""
        from pollux.library.recover import RecoverService

        return RecoverService(
            self._places,
            self._files,
            self._index,
            self._reader,
            archive=self.archive,
            store=self._keeper.archive,
        )

    @cached_property
    def rehome(self) -> RehomeService:
        """Moves of projects, also in the agents' own files."""
        from pollux.library.rehome import RehomeService

        return RehomeService(self._places, self.homes, self._index, self.projects, self._moves)

    @cached_property
    def resume(self) -> ResumeService:
        """How to go on with sessions in their agents."""
        from pollux.library.resume.service import ResumeService

        return ResumeService(self._places, self._files, self._index, self._reader, keeper=self._keeper, here=self._here)

    @cached_property
    def handoff(self) -> HandoffService:
        """How to go on with sessions in other agents."""
        from pollux.library.handoff.service import HandoffService

        return HandoffService(self._places, self.homes, self._index, self._reader, self._here)

    @cached_property
    def connect(self) -> ConnectService:
        """What makes pollux known to agents."""
        from pollux.library.connect.service import ConnectService

        return ConnectService(self._places, self.homes, self._here)

    @cached_property
    def edits(self) -> EditsService:
        """The files that agents changed."""
        from pollux.library.edits.service import EditsService

        return EditsService(self._index, self._reader, self._here)

    @cached_property
    def compare(self) -> CompareService:
        """Two sessions side by side."""
        from pollux.library.compare.service import CompareService

        return CompareService(self._index, self._marks, self.usage)

    @cached_property
    def friction(self) -> FrictionService:
        """Where the work did not go smoothly."""
        from pollux.library.friction.service import FrictionService

        return FrictionService(self._index, self._marks)

    @cached_property
    def brief(self) -> BriefService:
        """What was decided, tried and changed in sessions, within a number of tokens."""
        from pollux.library.brief.service import BriefService

        return BriefService(self._index, self._reader, self._marks, self.for_agents, self.search)

    @cached_property
    def for_agents(self) -> ForAgents:
        """Sessions as agents may see them."""
        from pollux.library.for_agents.service import ForAgents

        return ForAgents(self._places, self._index, self._reader, self._marks, may_index_later=self._may_index_later)

    @cached_property
    def signing(self) -> SigningService:
        """Signatures over records and session files."""
        from pollux.library.signing import SigningService

        return SigningService(self._places, self.homes, self._reader)

    def sync(self) -> Outcome:
        """Bring the cache up to date. Every question does so by itself, once in the life of a library."""
        return self._index.sync()

    def close(self) -> None:
        """Let go of every file. The next question opens them again."""
        self._index.close()
        self._keeper.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    # ------------------------------------------------------------------ many sessions

    def list(self, criteria: Filter | None = None, limit: int | None = None) -> Rows[ListEntry]:
        """Summaries, newest first."""
        return self._index.entries(criteria, limit)

    def count(self, criteria: Filter | None = None) -> int:
        """The number of sessions that match."""
        return self._index.count(criteria)

    def sessions(self, criteria: Filter | None = None) -> Iterator[Session]:
        """Full sessions, those whose files changed last first; read one at a time."""
        return self._reader.sessions(criteria)

    def jobs(self, criteria: Filter) -> Rows[Job]:
        """Jobs that read these sessions, the oldest first: processes share them."""
        return self._reader.jobs(criteria)

    def search(  # noqa: PLR0913
        self,
        text: str,
        criteria: Filter | None = None,
        *,
        kinds: Collection[PassageKind] | None = None,
        limit: int = 20,
        sort: Sort = Sort.RELEVANCE,
        per_session: int | None = None,
        counted: bool = False,
        exact: bool = False,
        report: Report = lambda _: None,
        found: Found | None = None,
    ) -> SearchResult:
        """The messages that match a query, in all sessions, best first; docs/search.md describes the language.

        `counted` also counts the hits of each session. If nothing matches, pollux searches for other forms and
        spellings of the words: `SearchResult.widened` says which. With `exact` it does not. If words cannot be indexed
        now, the sessions themselves are searched. `report` hears how far that is, and `found` of each session in which
        something is found: it gets a function that gives the best messages, not ranked yet.

        >>> for hit in Library().search('parser "off by one" -test').hits:
        ...     print(hit.key, hit.snippet)
        """
        from pollux.index.search.session_search import SearchRequest
        from pollux.library.searching import Searching

        selection = criteria or Filter()
        self.homes.require_agent(selection.agent)
        query = parse(text, registry.source_names()).narrowed(
            *selection.facts,
            *selection.marks,
            agent=selection.agent,
            project=selection.project,
            since=selection.since,
            until=selection.until,
        )
        request = SearchRequest(
            limit=limit, sort=sort, per_session=per_session, kinds=kinds, counted=counted, exact=exact
        )

        search = Searching(self._index, query, request, report, found)
        if self._may_index_later():
            return search.without_waiting()
        return search.leaving_new_words() if self._complete_later else search.with_words()

    def _may_index_later(self) -> bool:
        """Does another process index the words that are pending?"""
        if not self._complete_later:
            return False
        from pollux.library.early.background import is_enabled

        return is_enabled(self._places)

    def match(  # noqa: PLR0913
        self,
        pattern: str,
        criteria: Filter | None = None,
        *,
        kinds: Collection[PassageKind] | None = None,
        seconds: float = 5.0,
        unfinished: Callable[[str], None] = lambda _: None,
        report: Callable[[Progress], None] = lambda _: None,
    ) -> Generator[Hit]:
        """The messages in which a regular expression occurs, those of the newest sessions first.

        This reads every file, so it is slow, but it finds what the index of words cannot. `seconds` limits the time for
        one file; `unfinished` hears of the files that took longer, and `report` how far the search is.
        """
        from pollux.index.search.regex import RegexSearch, pattern as compile_pattern, scan

        regex = compile_pattern(pattern)
        selection = msgspec.structs.replace(criteria or Filter(), everything=True)
        entries = self.list(selection)
        short = {entry.summary.key: entry.short for entry in entries}
        search = RegexSearch(
            pattern=regex,
            files={entry.summary.key: entry.summary.files for entry in entries},
            kinds=kinds,
            since=selection.since,
            until=selection.until,
            seconds=seconds,
        )
        newest = {key: number for number, key in enumerate(short)}
        tasks = sorted(self._files.bundles(selection.agent), key=lambda task: newest.get(task[1].key, len(newest)))
        seen: set[tuple[str, str]] = set()
        left_out = lambda bundle: unfinished(bundle.files[0].path)  # noqa: E731
        with closing(scan(tasks, search, left_out, report=report)) as stream:
            for hit in stream:
                if (hit.key, hit.message_id) not in seen:  # a session may lie under two roots
                    seen.add((hit.key, hit.message_id))
                    yield msgspec.structs.replace(hit, short_id=short[hit.key])

    def watch(self, criteria: Filter | None = None, key: str | None = None) -> Iterator[Event]:
        """What is written into sessions from now on. Each step waits for an event, without end.

        >>> for event in Library().watch():
        ...     print(event.event, event.session.key)
        """
        self.homes.require_agent(criteria.agent if criteria is not None else None)
        return iter(Watch(self.homes, self._index, self._reader, criteria or Filter(everything=True), key))

    # ------------------------------------------------------------------ one session, and all files

    def session(self, name: str | Path) -> Session:
        """The session of a key, a unique prefix of an id, `last`, or the path of a file."""
        return self._reader.session(name)

    def cited(self, name: str) -> Citation:
        """The session that a name means, as for `session`, or with `KEY#MESSAGE` a message of it."""
        return cited(name, self.session)

    def outline(self, key: str) -> Rows[OutlineEntry]:
        """The prompts of a session, with their ids and times, from the cache: its files are not read.

        Only if its words are not in the cache yet, they are. Raises `UnknownName`.
        """
        from pollux.index.search.outline import outline_of

        entries = self._index.outline(key)
        return outline_of(self.session(key)) if entries is None else entries

    def open(self, path: Path) -> Session:
        """Read one file, wherever it lies and whichever agent wrote it."""
        return self._reader.open(path)

    def doctor(self) -> Doctor:
        """Account for every file under the agents' roots."""
        return diagnose(self._files, self._index, self.archive.due(), self.schedule.state())
