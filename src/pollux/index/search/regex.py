"""Searching the sessions themselves for a regular expression, which an index of words cannot find.

Some patterns take for ever in some texts. Python's `re` checks regularly for signals, so a timer can end it: the hits
so far count, and the file is reported. The timer measures the processor's time, so that a busy machine finds as much as
an idle one. Without such timers, as on Windows, nothing ends it.
"""

from __future__ import annotations

import re
import signal
import threading
import warnings
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from itertools import chain, groupby, islice
from types import FrameType
from unicodedata import is_normalized, normalize

import msgspec

from pollux.errors import BadQuery
from pollux.index.catalogue.prefixes import ShortIds
from pollux.index.search.passages import PassageKind, texts
from pollux.index.search.results import Hit
from pollux.index.search.snippets import snippet_around
from pollux.model import Author, Message, Session, Summary, Value, summarize
from pollux.sources.base import Bundle, Source
from pollux.system.decoders import msgpack_decoder
from pollux.system.progress import Advance, Report
from pollux.system.workers import can_fork, process_count, run_jobs
from pollux.text.surrogates import escape_surrogates

_ESCAPE = re.compile(r"\\.", re.DOTALL)
_MARKS = 16

SECONDS = 5.0
"""How long a pattern may take in one file."""


TextMatch = tuple[PassageKind, str, list[tuple[int, int]]]
"""A kind of passage, its text, and the matching spans."""


class RegexSearch(Value, frozen=True, kw_only=True):
    """A pattern, the kinds of passages, the period, and the sessions by key with their files.

    `seconds` limits the time for one file.
    """

    pattern: re.Pattern[str]
    files: Mapping[str, Collection[str]]
    kinds: Collection[PassageKind] | None = None
    since: datetime | None = None
    until: datetime | None = None
    seconds: float = SECONDS


class BundleHits(Value, frozen=True, kw_only=True):
    """The hits in a bundle, and whether it was searched to its end."""

    hits: list[Hit]
    complete: bool = True


class _TooLong(Exception):
    """The time is over."""


Unfinished = Callable[[Bundle], None]
"""Gets each bundle that was not searched to its end."""

_encode = msgspec.msgpack.Encoder().encode
_decode = msgpack_decoder(BundleHits).decode


def pattern(text: str) -> re.Pattern[str]:
    """A regular expression of Python. Case matters only if the pattern has capital letters."""
    text = normalize("NFC", text)
    any_case = not any(letter.isupper() for letter in _ESCAPE.sub("", text))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return re.compile(text, re.MULTILINE | (re.IGNORECASE if any_case else re.NOFLAG))
    except re.error as error:
        raise BadQuery(f"The pattern is not a valid regular expression: {error.msg}.", text, error.pos or 0) from None
    except (RecursionError, OverflowError):
        raise BadQuery("The pattern is too large.", text, 0) from None


def scan(
    tasks: Sequence[tuple[Source, Bundle]],
    search: RegexSearch,
    unfinished: Unfinished = lambda _: None,
    processes: int | None = None,
    report: Report = lambda _: None,
) -> Generator[Hit]:
    """The messages in which the pattern occurs, in the order of the tasks, and of the messages in a session.

    `short_id` stays empty: only the catalogue knows all other ids. `report` gets the progress.
    """
    for (_, bundle), result in zip(tasks, _results(tasks, search, processes, report), strict=True):
        if not result.complete:
            unfinished(bundle)
        yield from result.hits


def _results(
    tasks: Sequence[tuple[Source, Bundle]], search: RegexSearch, processes: int | None, report: Report
) -> Generator[BundleHits]:
    """The result of each task, in order."""
    sizes = [bundle.size for _, bundle in tasks]
    size, advance = process_count(sizes, processes), Advance(sizes, report)
    if size < 2 and (_has_timer() or not can_fork()):
        for number, task in enumerate(tasks):
            result = _search_bundle(task, search)
            advance.done(number)
            yield result
        return
    early: dict[int, BundleHits] = {}
    due = 0
    with closing(run_jobs(lambda number: _answer(tasks[number], search), len(tasks), size)) as stream:
        for number, answer in stream:
            advance.done(number)
            early[number] = _decode(answer) if answer is not None else BundleHits(hits=[], complete=False)
            while due in early:
                yield early.pop(due)
                due += 1


def _has_timer() -> bool:
    """Can a timer interrupt this thread?"""
    return hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """Raise `_TooLong` where the block computes for longer."""
    if not _has_timer():
        yield
        return

    def over(_signal: int, _frame: FrameType | None) -> None:
        raise _TooLong

    before = signal.signal(signal.SIGVTALRM, over)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _answer(task: tuple[Source, Bundle], search: RegexSearch) -> bytes:
    result = _search_bundle(task, search)
    try:
        return _encode(result)
    except UnicodeEncodeError:
        return _encode(escape_surrogates(result, BundleHits))


def _search_bundle(task: tuple[Source, Bundle], search: RegexSearch) -> BundleHits:
    source, bundle = task
    try:
        # A session may lie under two roots: only the listed one counts.
        wanted = search.files
        sessions = [s for s in source.read(bundle).sessions if not set(s.files).isdisjoint(wanted.get(s.key, ()))]
    except Exception:  # noqa: BLE001 (a reader's fault must not cost the other sessions, and `doctor` reports it)
        return BundleHits(hits=[])
    spots: list[tuple[Session, Message, datetime | None, TextMatch]] = []
    complete = True
    try:
        with _at_most(search.seconds):
            for session in sessions:
                spots.extend((session, *spot) for spot in _search_session(session, search))
    except _TooLong:
        complete = False
    hits: list[Hit] = []
    for _, group in groupby(spots, key=lambda item: id(item[0])):
        matches = list(group)
        session = matches[0][0]
        summary, short = summarize(session), ShortIds(sorted({message.id for message in session.messages}))
        hits += [_hit(summary, message, at, spot, short.of(message.id)) for _, message, at, spot in matches]
    return BundleHits(hits=hits, complete=complete)


def _search_session(session: Session, search: RegexSearch) -> Iterator[tuple[Message, datetime | None, TextMatch]]:
    at = session.started
    title_message = next((m for m in session.messages if m.author is Author.HUMAN), None) or next(
        iter(session.messages), None
    )
    for message in session.messages:
        at = message.at or at
        title = session.title if message is title_message else None
        if _in_time(at, search) and (spot := _search_message(message, title, search)) is not None:
            yield message, at, spot


def _hit(summary: Summary, message: Message, at: datetime | None, spot: TextMatch, short: str) -> Hit:
    kind, text, spans = spot
    snippet = snippet_around(text, [(*span, 0) for span in spans])
    return Hit(
        key=summary.key,
        short_id="",
        message_id=message.id,
        short_message_id=short,
        role=message.role,
        author=message.author,
        kind=kind,
        at=at,
        session_kind=summary.kind,
        project=summary.project,
        title=summary.title,
        snippet=snippet.text,
        spans=snippet.spans,
        score=float(len(spans)),
        scattered=False,
    )


def _in_time(at: datetime | None, search: RegexSearch) -> bool:
    if at is None:
        return search.since is None and search.until is None
    return (search.since is None or at >= search.since) and (search.until is None or at <= search.until)


def _search_message(message: Message, title: str | None, search: RegexSearch) -> TextMatch | None:
    """The first text of a message in which the pattern matches. An empty match does not count."""
    heading = [(PassageKind.TITLE, title)] if title else []
    for kind, text in chain(texts(message), heading):
        if search.kinds is None or kind in search.kinds:
            for form in _forms(text, search.pattern):
                spans = (match.span() for match in search.pattern.finditer(form) if match[0])
                if matches := list(islice(spans, _MARKS)):
                    return kind, form, matches
    return None


def _forms(text: str, pattern: re.Pattern[str]) -> Iterator[str]:
    """A text as it was written, and with composed accents, as in the pattern."""
    yield text
    if not pattern.pattern.isascii() and not text.isascii() and not is_normalized("NFC", text):
        yield normalize("NFC", text)
