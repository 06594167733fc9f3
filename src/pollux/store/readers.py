"""Reading many bundles for the store: in processes of their own where that is worth it."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing

import msgspec

from pollux.model import Notice, Severity
from pollux.sources.base import Bundle
from pollux.store.halves import written_out
from pollux.store.rows import Entry, Reading, entry
from pollux.store.team import Task, answers, helpers, weight
from pollux.wire import shown

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Reading).decode


def readings(tasks: Sequence[Task], processes: int | None = None) -> Generator[Reading]:
    """What came of every task, in whatever order they end."""
    size = helpers([weight(task) for task in tasks], processes)
    if size < 2:
        for number, task in enumerate(tasks):
            yield read(number, task)
        return
    with closing(answers(lambda number: _answer(number, tasks[number]), len(tasks), size)) as stream:
        for number, answer in stream:
            yield _decode(answer) if answer is not None else _failed(number, tasks[number][1], "the process died")


def _answer(number: int, task: Task) -> bytes:
    try:
        return _encode(read(number, task))
    except ValueError as error:
        return _encode(_failed(number, task[1], str(error)))


def read(number: int, task: Task) -> Reading:
    """Read one bundle. Whatever goes wrong costs this bundle only."""
    source, bundle = task
    try:
        entries = [entry(session) for session in source.read(bundle)]
        notices = () if entries else bundle.notices
        return _writable(Reading(number, bundle.problem, notices, bundle.leaning(), entries))
    except Exception as error:  # noqa: BLE001 (a reader's fault must not cost the other sessions)
        return _failed(number, bundle, f"{type(error).__name__}: {error}")


def _writable(reading: Reading) -> Reading:
    """The reading as it can be kept."""
    try:
        _encode([(each.summary, each.about, each.marks, each.notices, each.links) for each in reading.entries])
        _encode((reading.problem, reading.notices))
    except UnicodeEncodeError:
        return written_out(reading, Reading)
    return reading


def _failed(number: int, bundle: Bundle, reason: str) -> Reading:
    text = f"Reading failed ({reason}); please report it."
    file = shown(bundle.files[0].path) if bundle.files else None
    notice = Notice(code="reader.failed", text=text, severity=Severity.ERROR, file=file)
    entries: list[Entry] = []
    return Reading(number, text, (notice,), b"", entries)
