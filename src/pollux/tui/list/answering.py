"""What the list asks the library, in a thread of its own: the sessions, or what a query finds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from pollux.answers.search import search_remarks
from pollux.draw.results import by_session
from pollux.errors import BadQuery, EmptyCache, PolluxError, StoreError
from pollux.library.filters import filter_of, filter_words
from pollux.library.library import Filter
from pollux.tui.list.by_id import is_key, keys_of_id
from pollux.tui.list.question import EACH, Answer, Question
from pollux.tui.list.rows import SessionRow, rows_by_day, rows_of_hits

if TYPE_CHECKING:
    from pollux.library.library import Library
    from pollux.system.progress import Report
    from pollux.tui.list.rows import Row

_ANY = Filter()
_OPTIONS = ("agent", "project", "since", "until")


class Listed:
    """The list that was answered last: it is made again only if it may be another one now."""

    def __init__(self) -> None:
        self._about: tuple[object, ...] = ()
        self._state: object = None
        self._rows: list[Row] = []
        self._sessions = 0

    def ask(self, library: Library, question: Question, criteria: Filter) -> tuple[list[Row], int]:
        """The rows, and how many sessions they are of."""
        everything = question.scope == "everything"
        about, state = (criteria, question.unfolded, everything), library.index.state()
        if about != self._about or state != self._state or criteria.marks:
            listed = library.index.listed_keys(criteria)
            self._rows = rows_by_day(listed, question.unfolded, everything=everything)
            self._sessions = sum(everything or one.kind == "main" for one in listed)
            self._about, self._state = about, state
        return self._rows, self._sessions


def answer(
    library: Library,
    question: Question,
    within: Filter = _ANY,
    before: Listed | None = None,
    report: Report = lambda _: None,
) -> Answer:
    """Ask the library about the sessions within a filter; `before` has the list that was answered last.

    What is wrong with the question becomes a remark, and the rows stay as they are. `report` hears how far a search is
    that looks through sessions whose words are not indexed yet, and may end it by raising `Enough`.
    """
    try:
        criteria = replace(within, everything=True)
        if question.scope == "project":
            criteria = replace(criteria, project=question.project)
        if not question.is_search:
            criteria = _narrowed(criteria, question.query)
            library.homes.require_agent(criteria.agent)
            return _listed(library, question, criteria, before or Listed())
        found = _found(library, question, criteria, within, report)
        return found._replace(unread_files=library.index.unread_files)
    except EmptyCache:  # another process is about to read everything
        problem = library.index.cache_problem
        rows: list[Row] | None = None if question.is_search else []
        return Answer(question, rows, remark=problem or "Reading your sessions for the first time …", unread_files=None)
    except PolluxError as error:
        sentence = error.sentence if isinstance(error, BadQuery) else str(error)
        unread = None if isinstance(error, StoreError) else 0
        return Answer(question, None, remark=" ".join(filter(None, [sentence, error.hint])), unread_files=unread)


def _narrowed(criteria: Filter, text: str) -> Filter:
    """The filter with those that were typed."""
    typed = filter_of(words=filter_words(text))
    given = {name: value for name in _OPTIONS if (value := getattr(typed, name)) is not None}
    return replace(criteria, **given, facts=(*criteria.facts, *typed.facts), marks=(*criteria.marks, *typed.marks))


def _listed(library: Library, question: Question, criteria: Filter, before: Listed) -> Answer:
    rows, sessions = before.ask(library, question, criteria)
    return Answer(question, rows, sessions, unread_files=library.index.unread_files)


def _found(library: Library, question: Question, criteria: Filter, within: Filter, report: Report) -> Answer:
    """The sessions of a pasted id, wherever they were held, and below them what its words find.

    Where there are such sessions, the query is not widened: nobody looks for words like an id.
    """
    text = question.text.strip()
    named = keys_of_id(library, text, within)
    if named and is_key(text):
        return Answer(question, [SessionRow(key) for key in named], len(named), named=tuple(named))
    exact, most = bool(named), question.hits
    result = library.search(
        question.query, criteria, limit=most, per_session=EACH, counted=True, exact=exact, report=report
    )
    groups = [group for group in by_session(result) if group.hits[0].key not in named]
    remarks = [*search_remarks(result, option=None)] if not named else []
    if not groups and not named and result.meant:
        remarks.append("Did you mean: " + ", ".join(other for _, other in result.meant))
    rows = [*(SessionRow(key) for key in named), *rows_of_hits(groups)]
    sessions, more = len(named) + len(groups), len(result.hits) >= question.hits
    return Answer(question, rows, sessions, " ".join(remarks), more=more, named=tuple(named))
