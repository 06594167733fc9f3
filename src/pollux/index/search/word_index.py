"""The index of all words: which word occurs in which message of which session.

tantivy keeps it in its own folder. It stores whole texts, so a hit is shown without opening the agents' files.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, Self

import tantivy

from pollux.index.search.compile import one_of
from pollux.index.search.errors import Busy, Damaged, NotWritten
from pollux.index.search.fact_terms import session_facts
from pollux.index.search.fields import decode_factor, encode_factor, recency, register, schema, to_document
from pollux.index.search.passages import Facts, Passage, PassageKind
from pollux.index.search.query import Query, Sort
from pollux.index.search.results import IndexHit
from pollux.index.search.segments import adopt_segments
from pollux.index.search.snippets import snippet
from pollux.index.search.suggestions import query_hints
from pollux.index.search.word_search import IndexRequest, Show, all_sessions, counts, fates, search, statistics
from pollux.model import Fate, Kind
from pollux.system.files import make_private_folder, restrict_folder

if TYPE_CHECKING:
    from pollux.index.search.direct.pending import PendingMatches
    from pollux.index.search.direct.ranking import IndexStatistics
    from pollux.index.search.outline import OutlineEntry
    from pollux.index.search.widening import WiderQuery

HEAP = 96_000_000
_MARKER = "generation"
_BATCH = 500
_PASSAGES = 200
"""So many passages are made ready at once: tantivy need not be woken for each, and few are in memory."""


class WordIndex:
    """The words of all sessions. Any number of processes may search while one writes."""

    def __init__(self, folder: Path, index: tantivy.Index) -> None:
        self.folder = folder
        self._index = index
        self._state: _IndexState | None = None

    @classmethod
    def open(cls, folder: Path) -> WordIndex:
        """Open the index of a folder, or make an empty one. Raises `Damaged` where the index cannot be used."""
        with _store_errors(folder):
            make_private_folder(folder)
            restrict_folder(folder)
            word_index = cls(folder, _open_index(folder))
            word_index.generation()
        return word_index

    @classmethod
    def empty(cls) -> WordIndex:
        """An index without words, in memory."""
        return cls(Path(), _prepared(tantivy.Index(schema())))

    def refresh(self) -> None:
        """Read the commits since this index was opened or last refreshed."""
        with _store_errors(self.folder):
            self._index.reload()
            self._state = None

    def generation(self) -> int | None:
        """The number of the last visible commit; None where nothing was committed."""
        return self._load_state().generation

    def max_recency(self) -> float:
        """The largest `recency` that a passage has, or had."""
        return self._load_state().recency

    def _load_state(self) -> _IndexState:
        if self._state is None:
            with _store_errors(self.folder):
                self._state = _state(self._index.searcher())
        return self._state

    def size(self) -> int:
        """How many passages the index has."""
        with _store_errors(self.folder):
            searcher = self._index.searcher()
            return int(searcher.num_docs) - len(_marker_documents(searcher))

    def take_in(self, pieces: Collection[Path]) -> None:
        """Add the words of other indexes to this one in one step. No other process may write to it meanwhile."""
        with _store_errors(self.folder, writing=True):
            adopt_segments(self.folder, pieces)
            restrict_folder(self.folder)
            self._index = _open_index(self.folder)
            self._state = None

    def writer(self, heap: int = HEAP, threads: int = 1) -> Writer:
        """Begin to write. Raises `Busy` where another process writes."""
        with _store_errors(self.folder):
            try:
                return Writer(self, self._index.writer(heap_size=heap, num_threads=threads))
            except ValueError as error:
                if "LockBusy" in str(error):
                    raise Busy("Another pollux is updating the index of words.", "Try again in a moment.") from None
                raise

    def search(  # noqa: PLR0913
        self,
        query: Query,
        *,
        limit: int = 20,
        sort: Sort = Sort.RELEVANCE,
        per_session: int | None = None,
        kinds: Collection[PassageKind] | None = None,
        session_kinds: Collection[Kind] | None = None,
        pending: PendingMatches | None = None,
        show: Show = snippet,
    ) -> list[IndexHit]:
        """The best messages, best first; at most `per_session` of one session.

        Passages that match the whole query come first. If they are fewer than `limit`, sessions follow that match it in
        several passages, each with the best of these. `pending` has the matches in sessions that are not in the index.
        `show` chooses the line of a passage.
        """
        with _store_errors(self.folder):
            wanted = IndexRequest(
                limit=limit,
                sort=Sort(sort),
                per_session=per_session,
                kinds=kinds,
                session_kinds=session_kinds,
                pending=pending,
                show=show,
            )
            return search(self._index.searcher(), query, wanted, self.max_recency())

    def counts(
        self, query: Query, sessions: Collection[int], kinds: Collection[PassageKind] | None = None
    ) -> dict[int, int]:
        """How many messages of each of these sessions have a passage that matches the whole query."""
        with _store_errors(self.folder):
            return counts(self._index.searcher(), query, sessions, kinds)

    def sessions(self, query: Query, kinds: Collection[PassageKind] | None = None) -> set[int]:
        """The sessions that have a passage, of these kinds, that matches the whole query."""
        with _store_errors(self.folder):
            return all_sessions(self._index.searcher(), query, kinds)

    def fates(self, sessions: Collection[int]) -> dict[tuple[int, int], Fate]:
        """The fates of the messages of these sessions that are not live, by the session and the place of each."""
        with _store_errors(self.folder):
            return fates(self._index.searcher(), sessions)

    def outline(self, number: int, ids: list[str], most: int | None = None) -> list[OutlineEntry]:
        """The prompts of a session, whose messages have these ids, or the first of them."""
        from pollux.index.search.outline import outline_from_index  # only some views need it

        with _store_errors(self.folder):
            return outline_from_index(self._index.searcher(), number, ids, most)

    def statistics(self, query: Query) -> IndexStatistics:
        """What the index counted of the words of a query."""
        with _store_errors(self.folder):
            return statistics(self._index.searcher(), query)

    def unknown_values(self, query: Query) -> list[str]:
        """A sentence for each filter of a query whose value nothing has."""
        with _store_errors(self.folder):
            return list(query_hints(self._index.searcher(), query.node))

    def widened(self, query: Query, *, further: bool) -> WiderQuery | None:
        """A query that finds more than this one; None where nothing similar occurs."""
        from pollux.index.search.widening import widen  # only needed where nothing was found

        with _store_errors(self.folder):
            return widen(self._index.searcher(), query, further=further)

    def words_like(self, word: str, most: int = 5) -> list[str]:
        """Words of the index with a similar spelling, the most similar and most frequent first."""
        from pollux.index.search.spelling import words_like  # only needed where nothing was found

        with _store_errors(self.folder):
            return words_like(self._index.searcher(), word, most)


class _IndexState(NamedTuple):
    """The generation and the recency that an index stores."""

    generation: int | None
    recency: float


def _state(searcher: tantivy.Searcher) -> _IndexState:
    marks = _marker_documents(searcher)
    recencies = [
        decode_factor(float(weight)) for weight in searcher.fast_field_values("weight", marks) if weight is not None
    ]
    generations = [int(searcher.doc(mark)["generation"][0]) for mark in marks]
    return _IndexState(max(generations, default=None), max(recencies, default=1.0))


def _marker_documents(searcher: tantivy.Searcher) -> list[tantivy.DocAddress]:
    """The documents with the number of a commit: one for each commit, also of pieces that were added."""
    marks = tantivy.Query.term_query(schema(), "marker", _MARKER)
    return [place for _, place in searcher.search(marks, max(1, int(searcher.num_segments)), count=False).hits]


def _open_index(folder: Path) -> tantivy.Index:
    return _prepared(tantivy.Index(schema(), path=str(folder), reuse=True))


def _prepared(index: tantivy.Index) -> tantivy.Index:
    register(index)
    index.config_reader(reload_policy="manual")
    return index


class Writer:
    """Changes to an index. They are neither visible nor safe from a crash before `commit`.

    >>> with index.writer() as writer:
    ...     writer.forget([7])
    ...     writer.add(7, Facts.of(session), passages(session))
    ...     writer.commit(generation=12)
    """

    def __init__(self, index: WordIndex, writer: tantivy.IndexWriter) -> None:
        self._index = index
        self._writer = writer
        self._dirty = False
        self._recency = index.max_recency()

    def add(self, number: int, facts: Facts, passages: Iterable[Passage]) -> None:
        """Add the passages of a session under its number."""
        self._dirty = True
        terms = session_facts(facts)
        waiting = iter(passages)
        with _store_errors(self._index.folder, writing=True):
            while batch := list(islice(waiting, _PASSAGES)):
                latest = max((passage.at for passage in batch if passage.at is not None), default=None)
                self._recency = max(self._recency, recency(latest))
                for passage in batch:
                    self._writer.add_document(to_document(number, terms, passage))

    def forget(self, numbers: Iterable[int]) -> None:
        """Remove sessions, including passages that were added since the last commit."""
        self._dirty = True
        with _store_errors(self._index.folder, writing=True):
            # By query: tantivy-py's deletion by term takes every number as signed, and matches none of ours.
            sessions = list(numbers)
            for start in range(0, len(sessions), _BATCH):
                self._writer.delete_documents_by_query(one_of("session", sessions[start : start + _BATCH]))

    def forget_from(self, number: int) -> None:
        """Remove all sessions from this number on."""
        self._dirty = True
        with _store_errors(self._index.folder, writing=True):
            kind = tantivy.FieldType.Unsigned
            beyond = tantivy.Query.range_query(schema(), "session", kind, lower_bound=number)
            self._writer.delete_documents_by_query(beyond)

    def commit(self, generation: int) -> None:
        """Make all changes since the last commit visible in one step, under this number."""
        with _store_errors(self._index.folder, writing=True):
            self._writer.delete_documents_by_term("marker", _MARKER)
            mark = tantivy.Document()
            mark.add_text("marker", _MARKER)
            mark.add_unsigned("generation", generation)
            mark.add_float("weight", encode_factor(self._recency))
            self._writer.add_document(mark)
            self._writer.commit()
        self._dirty = False
        self._index.refresh()

    def join(self) -> None:
        """Start to join small segments; `close` waits for it.

        This comes before other changes: tantivy loses joined segments while documents are being removed.
        """
        with _store_errors(self._index.folder, writing=True):
            self._writer.commit()

    def close(self) -> None:
        """Drop uncommitted changes, wait for segments that are being joined, and let others write."""
        with _store_errors(self._index.folder, writing=True):
            try:
                # A rollback interrupts the joining, and leaves its files behind.
                if self._dirty:
                    self._writer.rollback()
            finally:
                self._writer.wait_merging_threads()
                restrict_folder(self._index.folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(NotWritten) if error is not None else contextlib.nullcontext():
            self.close()


@contextlib.contextmanager
def _store_errors(folder: Path, *, writing: bool = False) -> Iterator[None]:
    """Turn errors of tantivy into `NotWritten`, or into `Damaged`: the index must be made again.

    tantivy-py reports errors as `ValueError`, and panics at unexpected ones. A panic is not an `Exception`.
    """
    try:
        yield
    except OSError as error:
        kind = NotWritten if writing else Damaged
        raise kind(f"{folder} cannot be used: {error.strerror or error}.") from error
    except BaseException as error:
        if not isinstance(error, ValueError) and type(error).__name__ != "PanicException":
            raise
        if writing:
            hint = "Is the disk full?"
            raise NotWritten(f"The index of words in {folder} could not be written: {error}", hint) from error
        raise Damaged(f"The index of words in {folder} cannot be used: {error}") from error
