"""Looks through sessions whose words are not in the index yet, on all cores, the newest first."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from typing import NamedTuple

import msgspec

from pollux.index.search.direct.examine import Examiner, SessionMatches
from pollux.index.search.direct.prefilter import FileLetters
from pollux.index.search.direct.quick_look import has_words
from pollux.index.search.direct.ranking import Statistics
from pollux.sources.base import Bundle, Source
from pollux.system.decoders import msgpack_decoder
from pollux.system.files import read
from pollux.system.progress import Advance, Report
from pollux.system.workers import can_fork, process_count, run_jobs
from pollux.text.surrogates import escape_surrogates

_LARGEST = 64 << 20
"""Larger files are read at once, without a look at their bytes: that would take twice their memory."""

_PASSAGE_BYTES = 4096
"""About how many bytes of files belong to a passage, and half as many characters."""


class PendingBundle(NamedTuple):
    """A bundle whose sessions are searched directly.

    `numbers` are the numbers of its sessions by key; sessions without one are left out. `dependencies` are those of its
    last reading, if they are known, and `titles` the titles and names of its sessions: with these, a bundle that cannot
    match need not be read.
    """

    source: Source
    bundle: Bundle
    numbers: Mapping[str, int]
    dependencies: bytes | None = None
    titles: str = ""


class BundleMatches(msgspec.Struct, array_like=True, frozen=True):
    """What matches in the sessions of a bundle. `complete` is false where it could not be looked through."""

    sessions: list[SessionMatches] = []
    skipped: Statistics = msgspec.field(default_factory=Statistics)
    complete: bool = True


_encode = msgspec.msgpack.Encoder().encode
_decode = msgpack_decoder(BundleMatches).decode


def look_through(
    pending: Sequence[PendingBundle],
    examiner: Examiner,
    processes: int | None = None,
    report: Report = lambda _: None,
) -> Generator[tuple[PendingBundle, BundleMatches]]:
    """The matches in each bundle, as they come; those that changed last come first. `report` gets the progress."""
    tasks = sorted(pending, key=lambda task: task.bundle.changed_ns, reverse=True)
    sizes = [task.bundle.size for task in tasks]
    size, advance = process_count(sizes, processes), Advance(sizes, report)
    if size < 2 or not can_fork():
        for number, task in enumerate(tasks):
            matches = _look_at(task, examiner)
            advance.done(number)
            yield task, matches
        return
    with closing(run_jobs(lambda number: _answer(tasks[number], examiner), len(tasks), size)) as stream:
        for number, answer in stream:
            advance.done(number)
            yield tasks[number], _decode(answer) if answer is not None else BundleMatches(complete=False)


def _answer(task: PendingBundle, examiner: Examiner) -> bytes:
    """The matches for another process. Each process has its own copy of the examiner."""
    matches = _look_at(task, examiner)
    try:
        return _encode(matches)
    except UnicodeEncodeError:
        return _encode(escape_surrogates(matches, BundleMatches))


def _look_at(task: PendingBundle, examiner: Examiner) -> BundleMatches:
    literals = examiner.literals or ()
    letters = None if examiner.literals is None or examiner.is_exact else _letters(task)
    if letters is not None and not has_words(letters.may_have, literals):
        size = task.bundle.size
        return BundleMatches(skipped=examiner.skipped(letters.may_have, 1 + size // _PASSAGE_BYTES, size // 2))
    try:
        sessions = task.source.read(task.bundle).sessions
    except Exception:  # noqa: BLE001 (a reader's fault must not cost the other sessions, and `doctor` reports it)
        return BundleMatches(complete=False)
    surely = letters is not None and has_words(letters.has, literals)
    matches = [
        examiner.examine(session, task.numbers[session.key], surely=surely)
        for session in sessions
        if session.key in task.numbers
    ]
    return BundleMatches(matches, complete=len(matches) == len(task.numbers))


def _letters(task: PendingBundle) -> FileLetters | None:
    """The letters of a bundle's files; None where its words may stand elsewhere."""
    if task.dependencies is None or task.bundle.size > _LARGEST:
        return None
    files = task.bundle.word_files(task.dependencies)
    if files is None:
        return None
    try:
        contents = [read(path, _LARGEST) for path in files.paths]
    except OSError:
        return None
    data = contents[0] if len(contents) == 1 else b"\n".join(contents)
    return FileLetters(data, f"{files.added}\n{task.titles}")
