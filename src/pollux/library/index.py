"""What views ask about the index: what it lacks, why, and what the cache holds."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from pollux import registry
from pollux.errors import NotFound, RequestError, Unreadable
from pollux.index.catalogue.queries import CatalogueQueries
from pollux.index.catalogue.values import Filter, ListedKey, ListEntry
from pollux.index.index import CacheInfo
from pollux.library.fresh_index import FreshIndex
from pollux.library.homes import Homes
from pollux.system.directories import Places

if TYPE_CHECKING:
    from datetime import date

    from pollux.index.catalogue.facets import Facets
    from pollux.index.catalogue.relatives import Relative
    from pollux.index.search.outline import OutlineEntry
    from pollux.index.search.word_index import WordIndex
    from pollux.library.early.syncing import Syncing


class IndexService:
    """What is known of all sessions, what could not be read, and the cache itself."""

    def __init__(self, index: FreshIndex, places: Places, homes: Homes) -> None:
        self._index = index
        self._places = places
        self._homes = homes

    # ------------------------------------------------------------------ what answers lack

    @property
    def problem(self) -> str | None:
        """Why answers may lack something: what the cache does not hold, and what is wrong with archive and marks."""
        return self._index.problem

    @property
    def cache_problem(self) -> str | None:
        """Why the cache cannot be used as usual: a copy of it, or only memory, is used instead."""
        return self._index.store.problem

    @property
    def busy(self) -> bool:
        """Was the last sync ended early? Then answers may be older than the files."""
        return self._index.busy

    @property
    def is_ready(self) -> bool:
        """Was the cache brought up to date, or is it used as it is?"""
        return self._index.is_ready

    @property
    def unreadable_paths(self) -> list[str]:
        """The agents' folders and files that the system did not let pollux look into at the last sync."""
        return self._index.unreadable_paths

    def unread(self) -> int:
        """How many sessions may be missing from every list because their files could not be read."""
        # What was read before it was closed to us is in the cache, and no session that could not be read.
        return max(self._index.unread(), len(self._index.forbidden_files))

    def lacking(self) -> set[str]:
        """The agents with files that could not be read: sessions of theirs may be missing from every list."""
        return self._index.lacking()

    def absence(self, agent: str | None = None) -> type[NotFound | Unreadable]:
        """The error where nothing was found: `Unreadable` where no ordinary session of an agent could be read."""
        return self._index.absence(agent)

    def hint(self, criteria: Filter, otherwise: str = "") -> str:
        """A hint where nothing was found: what the person probably meant."""
        return self._index.hint(criteria, otherwise)

    @property
    def unread_files(self) -> int:
        """How many files are not in the answers: early ones, those of a sync that was ended early, or of `--no-sync`.

        0 also where a process has just begun to read, and nobody knows yet.
        """
        return self._index.unread_files

    @property
    def is_early(self) -> bool:
        """Did the answers of this run wait for no more files than they need?"""
        return self._index.is_early

    def pending(self) -> int:
        """How many sessions have words that are not in the index yet."""
        return self._index.pending()

    # ------------------------------------------------------------------ sessions by their keys

    def family(self, key: str) -> list[str]:
        """The keys of a session and all its descendants."""
        return self._index.family(key)

    def with_prefix(self, prefix: str) -> Iterator[tuple[str, str, str | None]]:
        """Agent, id and title of the sessions whose id starts like this, newest first."""
        return self._index.with_prefix(prefix)

    def listed_keys(self, criteria: Filter, limit: int | None = None) -> list[ListedKey]:
        """The wanted sessions without summaries, newest first: a list of many asks `entries` for those it shows."""
        return self._index.ask(lambda current: current.listed_keys(criteria, limit))

    def state(self) -> object:
        """Another value whenever sessions or words were stored meanwhile, by any process. Marks are no part of it."""
        return self._index.state()

    def entries(self, keys: Iterable[str]) -> list[ListEntry]:
        """Summaries of a few sessions. A session that is gone is left out."""
        return self._index.ask(lambda current: current.entries(keys))

    def outline(self, key: str, most: int | None = None) -> list[OutlineEntry] | None:
        """The prompts of a session, or the first of them.

        None where its words are not in the index yet, or there is no such session.
        """
        return self._index.outline(key, most)

    def changes(self, stop: threading.Event | None = None, *, settles: bool = False) -> Iterator[frozenset[str]]:
        """The keys of the sessions that change until `stop` is set. Where nothing changes for some seconds, no keys.

        If it `settles`, other questions take what it found: that is for a view that changes nothing itself.
        """
        from pollux.library.watch import Changes

        return iter(Changes(self._homes, self._index, stop, settles=settles))

    def rest(self) -> None:
        """Let go, in this thread, of what wakes it up while nobody asks. The next question opens it again."""
        self._index.store.rest()

    def prepare(self) -> None:
        """Read what changed, for all questions that a view may ask from then on."""
        self._index.wait_for_all(details=True)

    def settle(self) -> None:
        """Bring the cache up to date for the questions that follow, which then do not look themselves."""
        self._index.sync(settles=True)

    def heirs(self, key: str) -> list[str]:
        """The sessions that a session was handed over to, as far as is known without reading anything now."""
        return self._index.ask(lambda current: current.heirs(key), synced=False) if self._index.is_ready else []

    def relatives(self, key: str) -> list[Relative]:
        """Parent, sub-agents, forks, continuations and hand-overs of a session."""
        from pollux.index.catalogue.relatives import relatives

        return self._index.ask(lambda current: relatives(current, key))

    def facets(
        self,
        text: str = "",
        criteria: Filter | None = None,
        names: Iterable[str] | None = None,
        matching: Matching | None = None,
    ) -> Facets:
        """What the sessions of a list, or of a search for `text`, can be narrowed down by.

        For each of these names, or of all, its values, and how many of the sessions have each; the most frequent first.
        `matching` are the sessions that a search for `text` finds, if somebody has begun to look for them.
        """
        return _facets(self._index, text, criteria or Filter(), names, matching)

    def matching(self, text: str) -> Matching:
        """The sessions that a search for `text` finds, which are looked for while something else is done."""

        def question(current: CatalogueQueries) -> Matching:
            with self._index.store.words() as words:
                return _begin_matching(self._index, current, words, text)

        return self._index.ask(question, frozen=False)

    # ------------------------------------------------------------------ the cache

    def start_sync(self) -> Syncing | None:
        """Begin to bring the cache up to date beside this view; None where nothing is stored."""
        from pollux.library.early.syncing import start_sync

        return None if self._index.store.problem is not None else start_sync(self._places)

    def catch_up(self, *, later: bool) -> None:
        """Store the newest sessions, then all, for a view that shows them meanwhile.

        Words come last. If they may come `later`, they are left to a process behind, where the user wants that.
        """
        self._index.catch_up()
        if self.pending():
            from pollux.library.early.background import is_enabled, start

            if later and is_enabled(self._places):
                start(self._places)
            else:
                self._index.add_words()

    def info(self) -> CacheInfo:
        """What the cache holds, as it is: nothing is brought up to date."""
        return self._index.info()

    def complete_later(self) -> None:
        """Leave a process behind that does what the answers did not wait for, if there is anything to do.

        It is not started if the user does not want it, or where that is not possible.
        """
        if self._index.has_work_left():
            from pollux.library.early.background import is_enabled, start

            if is_enabled(self._places):
                start(self._places)

    def complete(self) -> None:
        """Do all that is left to do at the lowest priority, unless another process does so. Others go first."""
        from pollux.library.early.background import run

        run(self._index, self._places)

    def stamps(self) -> dict[str, str]:
        """A text for each session, by its key, that changes whenever the files change that it was read from."""
        return self._index.ask(CatalogueQueries.stamps)

    def clear(self) -> None:
        """Throw the cache away. It is made anew when something is asked."""
        self._index.clear()


@lru_cache(maxsize=1)
def _local_days(*_zone: object) -> Callable[[int], date | None]:
    """Gives the day of a quarter of an hour in the machine's own zone, and remembers it."""
    from pollux.usage.days import day_of

    return day_of(None)


class Matching:
    """The numbers of some sessions. A thread looks for them: the index of words leaves the others alone meanwhile."""

    def __init__(self, look: Callable[[], set[int]]) -> None:
        self._look = look
        self._found: set[int] = set()
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._found = self._look()
        except Exception as error:  # noqa: BLE001 (whoever waits for it gets it)
            self._error = error

    def numbers(self) -> set[int]:
        """The numbers, as soon as they are known. Raises what went wrong."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._found


def _facets(
    index: FreshIndex, text: str, criteria: Filter, names: Iterable[str] | None, matching: Matching | None
) -> Facets:
    """The facets of the sessions that a list has, or of those with a message that matches a query."""
    from pollux.index.catalogue.facets import FACETS, facets  # only some views need it
    from pollux.text.suggest import did_you_mean

    wanted = FACETS if names is None else tuple(names)
    for name in wanted:
        if name not in FACETS:
            raise RequestError(f"{name!r} is no facet.", did_you_mean(name, FACETS, f"Known: {', '.join(FACETS)}."))
    if not text.strip():
        return index.ask(lambda current: facets(current, criteria, wanted, _local_days(time.tzname, time.timezone)))
    everything = msgspec.structs.replace(criteria, everything=True)  # a search has sub-agents, too

    def question(current: CatalogueQueries) -> Facets:
        with index.store.words() as words:
            found = matching if matching is not None else _begin_matching(index, current, words, text)
            return facets(current, everything, wanted, _local_days(time.tzname, time.timezone), found.numbers())

    return index.ask(question, frozen=False)


def _begin_matching(index: FreshIndex, current: CatalogueQueries, words: WordIndex, text: str) -> Matching:
    """Look for the sessions with a message that matches a query, whether or not their words are indexed."""
    from pollux.index.search.marked import resolve_marks
    from pollux.index.search.query import Sort, parse

    query = resolve_marks(parse(text, registry.source_names()), current)
    pending = index.pending_sessions(current)
    if pending is None:
        return Matching(lambda: words.sessions(query))
    from pollux.index.search.direct.examine import DirectRequest
    from pollux.index.search.direct.pending import PendingSearch

    search = PendingSearch(pending.bundles)
    request = DirectRequest(limit=1, sort=Sort.NEWEST, per_session=1, index=words.statistics(query))
    direct = search.matches(query, request).matching  # from files, which is done here
    return Matching(lambda: (words.sessions(query) - search.numbers) | direct)
