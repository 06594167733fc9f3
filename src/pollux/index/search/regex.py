"""Looking for a pattern in the sessions themselves, for what an index of words cannot find.

Some patterns take for ever in some texts. Python's `re` looks up now and then whether a signal has come, so a timer
ends it: what was found in the file so far counts, and the file is reported. The processor's time is measured, so that
a busy machine finds as much as an idle one. Where there are no such timers, as on Windows, nothing ends it.
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
from pollux.index.catalog.prefixes import Shortest
from pollux.index.search.passages import PassageKind, texts
from pollux.index.search.results import Found
from pollux.index.search.snippets import around
from pollux.model import Author, Message, Session, Summary, Value, summarize
from pollux.sources.base import Bundle, Source
from pollux.system.progress import Advance, Report
from pollux.system.workers import answers, can_fork, process_count
from pollux.text.surrogates import escape_surrogates

_ESCAPE = re.compile(r"\\.", re.DOTALL)
_MARKS = 16

SECONDS = 5.0
"""How long a pattern may take in one file."""


Spot = tuple[PassageKind, str, list[tuple[int, int]]]
"""A text in which something was found, what it is, and where."""


class Sought(Value, frozen=True, kw_only=True):
    """What is looked for: a pattern, in passages of some kinds, said in some time, in sessions of these keys and files.

    It may take so many seconds in one file.
    """

    pattern: re.Pattern[str]
    files: Mapping[str, Collection[str]]
    kinds: Collection[PassageKind] | None = None
    since: datetime | None = None
    until: datetime | None = None
    seconds: float = SECONDS


class Looked(Value, frozen=True, kw_only=True):
    """What was found in a bundle, and whether it was looked through to its end."""

    found: list[Found]
    whole: bool = True


class _TooLong(Exception):
    """The time is over."""


Unfinished = Callable[[Bundle], None]
"""Hears of the bundles that were not looked through to their end."""

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Looked).decode


def pattern(text: str) -> re.Pattern[str]:
    """A regular expression as Python has them. Capital letters matter only where the pattern has some."""
    text = normalize("NFC", text)
    careless = not any(letter.isupper() for letter in _ESCAPE.sub("", text))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return re.compile(text, re.MULTILINE | (re.IGNORECASE if careless else re.NOFLAG))
    except re.error as error:
        raise BadQuery(f"The pattern makes no sense: {error.msg}.", text, error.pos or 0) from None
    except (RecursionError, OverflowError):
        raise BadQuery("The pattern is too large.", text, 0) from None


def scan(
    tasks: Sequence[tuple[Source, Bundle]],
    sought: Sought,
    unfinished: Unfinished = lambda _: None,
    processes: int | None = None,
    report: Report = lambda _: None,
) -> Generator[Found]:
    """The messages in which the pattern occurs, in the order of the tasks; a session's as it tells them.

    `short_id` is left empty: only the catalogue knows all the others. `report` hears how far it is.
    """
    for (_, bundle), looked in zip(tasks, _every(tasks, sought, processes, report), strict=True):
        if not looked.whole:
            unfinished(bundle)
        yield from looked.found


def _every(
    tasks: Sequence[tuple[Source, Bundle]], sought: Sought, processes: int | None, report: Report
) -> Generator[Looked]:
    """What came of each task, in order."""
    sizes = [bundle.size for _, bundle in tasks]
    size, advance = process_count(sizes, processes), Advance(sizes, report)
    if size < 2 and (_has_timer() or not can_fork()):
        for number, task in enumerate(tasks):
            looked = _in_bundle(task, sought)
            advance.done(number)
            yield looked
        return
    early: dict[int, Looked] = {}
    due = 0
    with closing(answers(lambda number: _answer(tasks[number], sought), len(tasks), size)) as stream:
        for number, answer in stream:
            advance.done(number)
            early[number] = _decode(answer) if answer is not None else Looked(found=[], whole=False)
            while due in early:
                yield early.pop(due)
                due += 1


def _has_timer() -> bool:
    """Can a timer end what this thread does?"""
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


def _answer(task: tuple[Source, Bundle], sought: Sought) -> bytes:
    looked = _in_bundle(task, sought)
    try:
        return _encode(looked)
    except UnicodeEncodeError:
        return _encode(escape_surrogates(looked, Looked))


def _in_bundle(task: tuple[Source, Bundle], sought: Sought) -> Looked:
    source, bundle = task
    try:
        # Of one that lies under two roots, the one that is listed.
        wanted = sought.files
        sessions = [s for s in source.read(bundle).sessions if not set(s.files).isdisjoint(wanted.get(s.key, ()))]
    except Exception:  # noqa: BLE001 (a reader's fault must not cost the other sessions, and `doctor` tells of it)
        return Looked(found=[])
    spots: list[tuple[Session, Message, datetime | None, Spot]] = []
    whole = True
    try:
        with _at_most(sought.seconds):
            for session in sessions:
                spots.extend((session, *spot) for spot in _in_session(session, sought))
    except _TooLong:
        whole = False
    found: list[Found] = []
    for _, same in groupby(spots, key=lambda one: id(one[0])):
        some = list(same)
        session = some[0][0]
        told, short = summarize(session), Shortest(sorted({message.id for message in session.messages}))
        found += [_found(told, message, at, spot, short.of(message.id)) for _, message, at, spot in some]
    return Looked(found=found, whole=whole)


def _in_session(session: Session, sought: Sought) -> Iterator[tuple[Message, datetime | None, Spot]]:
    at = session.started
    titled = next((m for m in session.messages if m.author is Author.HUMAN), None) or next(iter(session.messages), None)
    for message in session.messages:
        at = message.at or at
        title = session.title if message is titled else None
        if _in_time(at, sought) and (spot := _in_message(message, title, sought)) is not None:
            yield message, at, spot


def _found(told: Summary, message: Message, at: datetime | None, spot: Spot, short: str) -> Found:
    kind, text, spans = spot
    shown = around(text, [(*span, 0) for span in spans])
    return Found(
        key=told.key,
        short_id="",
        message_id=message.id,
        short_message_id=short,
        role=message.role,
        author=message.author,
        kind=kind,
        at=at,
        session_kind=told.kind,
        project=told.project,
        title=told.title,
        snippet=shown.text,
        spans=shown.spans,
        score=float(len(spans)),
        scattered=False,
    )


def _in_time(at: datetime | None, sought: Sought) -> bool:
    if at is None:
        return sought.since is None and sought.until is None
    return (sought.since is None or at >= sought.since) and (sought.until is None or at <= sought.until)


def _in_message(message: Message, title: str | None, sought: Sought) -> Spot | None:
    """The first text of a message in which something is found. What is found must be something, not a mere place."""
    heading = [(PassageKind.TITLE, title)] if title else []
    for kind, text in chain(texts(message), heading):
        if sought.kinds is None or kind in sought.kinds:
            for way in _ways(text, sought.pattern):
                spans = (match.span() for match in sought.pattern.finditer(way) if match[0])
                if some := list(islice(spans, _MARKS)):
                    return kind, way, some
    return None


def _ways(text: str, pattern: re.Pattern[str]) -> Iterator[str]:
    """A text as it was written; and with its accents composed, as those of the pattern are."""
    yield text
    if not pattern.pattern.isascii() and not text.isascii() and not is_normalized("NFC", text):
        yield normalize("NFC", text)
