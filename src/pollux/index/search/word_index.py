"""The index of all words: what was said in which message of which session.

tantivy keeps it in a folder of its own. It holds whole texts, so a hit is shown without opening the agents' files.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, Self

import tantivy

from pollux.errors import StoreError
from pollux.index.search.compile import one_of
from pollux.index.search.fields import document, factor_of, kept_factor, register, schema, youth
from pollux.index.search.passages import Facts, Passage, PassageKind
from pollux.index.search.query import Query, Sort
from pollux.index.search.search import Hit, Wanted, counts, search
from pollux.index.search.segments import take_in
from pollux.index.search.suggestions import in_query
from pollux.index.search.trouble import Busy, Damaged, NotWritten
from pollux.model import Kind
from pollux.system.files import make_private_folder, restrict_folder

if TYPE_CHECKING:
    from pollux.index.search.widening import Wider

HEAP = 96_000_000
_MARKER = "generation"
_TOGETHER = 500


class WordIndex:
    """The words of all sessions. Any number of processes may search while one writes."""

    def __init__(self, folder: Path, index: tantivy.Index) -> None:
        self.folder = folder
        self._index = index
        self._told: _Told | None = None

    @classmethod
    def open(cls, folder: Path) -> WordIndex:
        """Open the index of a folder, or make an empty one; raises `Damaged` where there is one that cannot be used."""
        with _guarded(folder):
            make_private_folder(folder)
            restrict_folder(folder)
            opened = cls(folder, _opened(folder))
            opened.generation()
        return opened

    def refresh(self) -> None:
        """See what was committed since this index was opened or last refreshed."""
        with _guarded(self.folder):
            self._index.reload()
            self._told = None

    def generation(self) -> int | None:
        """The number of the last commit that is seen; None where nothing was ever committed."""
        return self._tells().generation

    def youngest(self) -> float:
        """The largest `youth` that a passage has, or had."""
        return self._tells().youth

    def _tells(self) -> _Told:
        if self._told is None:
            with _guarded(self.folder):
                self._told = _told(self._index.searcher())
        return self._told

    def size(self) -> int:
        """How many passages can be found."""
        with _guarded(self.folder):
            searcher = self._index.searcher()
            return int(searcher.num_docs) - len(_marks(searcher))

    def take_in(self, pieces: Collection[Path]) -> None:
        """Make the words of other indexes words of this one, all at once. Nobody else may be writing to it."""
        with _guarded(self.folder, writing=True):
            take_in(self.folder, pieces)
            restrict_folder(self.folder)
            self._index = _opened(self.folder)
            self._told = None

    def writer(self, heap: int = HEAP, threads: int = 1) -> Writer:
        """Begin to write; raises `Busy` where another process does."""
        with _guarded(self.folder):
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
    ) -> list[Hit]:
        """The best messages, best first; at most `per_session` of one session.

        Passages that hold everything asked for come first. Where they are fewer than `limit`, sessions follow that
        hold it in several passages, with the best of these.
        """
        with _guarded(self.folder):
            wanted = Wanted(
                limit=limit, sort=Sort(sort), per_session=per_session, kinds=kinds, session_kinds=session_kinds
            )
            return search(self._index.searcher(), query, wanted, self.youngest())

    def counts(
        self, query: Query, sessions: Collection[int], kinds: Collection[PassageKind] | None = None
    ) -> dict[int, int]:
        """How many messages of each of these sessions have a passage that holds everything that is asked for."""
        with _guarded(self.folder):
            return counts(self._index.searcher(), query, sessions, kinds)

    def strangers(self, query: Query) -> list[str]:
        """A sentence for each filter of a query whose value nothing has."""
        with _guarded(self.folder):
            return list(in_query(self._index.searcher(), query.node))

    def widened(self, query: Query, *, further: bool) -> Wider | None:
        """A query that finds more than this one; None where nothing else is like what was typed."""
        from pollux.index.search.widening import widened  # by those alone who found nothing

        with _guarded(self.folder):
            return widened(self._index.searcher(), query, further=further)

    def words_like(self, word: str, most: int = 5) -> list[str]:
        """Words of the index that are written almost like this one, the nearest and most frequent first."""
        from pollux.index.search.spelling import words_like  # by those alone who found nothing

        with _guarded(self.folder):
            return words_like(self._index.searcher(), word, most)


class _Told(NamedTuple):
    """What an index says of itself."""

    generation: int | None
    youth: float


def _told(searcher: tantivy.Searcher) -> _Told:
    marks = _marks(searcher)
    youths = [factor_of(float(kept)) for kept in searcher.fast_field_values("weight", marks) if kept is not None]
    generations = [int(searcher.doc(mark)["generation"][0]) for mark in marks]
    return _Told(max(generations, default=None), max(youths, default=1.0))


def _marks(searcher: tantivy.Searcher) -> list[tantivy.DocAddress]:
    """The documents that say how far the index goes: one a commit, and pieces taken in bring theirs along."""
    marks = tantivy.Query.term_query(schema(), "marker", _MARKER)
    return [place for _, place in searcher.search(marks, max(1, int(searcher.num_segments)), count=False).hits]


def _opened(folder: Path) -> tantivy.Index:
    index = tantivy.Index(schema(), path=str(folder), reuse=True)
    register(index)
    index.config_reader(reload_policy="manual")
    return index


class Writer:
    """Changes to an index. Nothing is seen, and nothing survives a crash, before `commit`.

    >>> with index.writer() as writer:
    ...     writer.forget([7])
    ...     writer.add(7, Facts.of(session), passages(session))
    ...     writer.commit(generation=12)
    """

    def __init__(self, index: WordIndex, writer: tantivy.IndexWriter) -> None:
        self._index = index
        self._writer = writer
        self._dirty = False
        self._youth = index.youngest()

    def add(self, number: int, facts: Facts, passages: Iterable[Passage]) -> int:
        """Add the passages of a session, known by its number; gives how many of them had to be cut."""
        self._dirty = True
        every = list(passages)
        self._youth = max(self._youth, youth(max((one.at for one in every if one.at is not None), default=None)))
        with _guarded(self._index.folder, writing=True):
            for passage in every:
                self._writer.add_document(document(number, facts, passage))
        return sum(passage.cut for passage in every)

    def forget(self, numbers: Iterable[int]) -> None:
        """Remove sessions, also what was added of them since the last commit."""
        self._dirty = True
        with _guarded(self._index.folder, writing=True):
            # By query: tantivy-py's deletion by term takes every number for a signed one, and finds none of ours.
            every = list(numbers)
            for start in range(0, len(every), _TOGETHER):
                self._writer.delete_documents_by_query(one_of("session", every[start : start + _TOGETHER]))

    def forget_from(self, number: int) -> None:
        """Remove all sessions from this number on."""
        self._dirty = True
        with _guarded(self._index.folder, writing=True):
            kind = tantivy.FieldType.Unsigned
            beyond = tantivy.Query.range_query(schema(), "session", kind, lower_bound=number)
            self._writer.delete_documents_by_query(beyond)

    def commit(self, generation: int) -> None:
        """Make everything since the last commit seen at once, under this number."""
        with _guarded(self._index.folder, writing=True):
            self._writer.delete_documents_by_term("marker", _MARKER)
            mark = tantivy.Document()
            mark.add_text("marker", _MARKER)
            mark.add_unsigned("generation", generation)
            mark.add_float("weight", kept_factor(self._youth))
            self._writer.add_document(mark)
            self._writer.commit()
        self._dirty = False
        self._index.refresh()

    def join(self) -> None:
        """Have small segments joined; `close` waits for it.

        Before anything else is changed: tantivy loses what it joins while documents are being removed.
        """
        with _guarded(self._index.folder, writing=True):
            self._writer.commit()

    def close(self) -> None:
        """Drop what was not committed, wait for pieces of the index that are being joined, let others write."""
        with _guarded(self._index.folder, writing=True):
            try:
                # A rollback breaks off the joining, and leaves its files behind.
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
def _guarded(folder: Path, *, writing: bool = False) -> Iterator[None]:
    """Whatever goes wrong inside tantivy means one of two things: it cannot be written, or has to be made anew.

    tantivy-py reports trouble as ValueError, and panics where it did not expect any. A panic is no `Exception`.
    """
    try:
        yield
    except OSError as error:
        raise StoreError(f"{folder} cannot be used: {error.strerror or error}.") from error
    except BaseException as error:
        if not isinstance(error, ValueError) and type(error).__name__ != "PanicException":
            raise
        if writing:
            hint = "Is the disk full?"
            raise NotWritten(f"The index of words in {folder} could not be written: {error}", hint) from error
        raise Damaged(f"The index of words in {folder} cannot be used: {error}") from error
