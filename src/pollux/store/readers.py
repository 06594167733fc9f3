"""Reading many bundles at once: in processes of their own where that is worth it.

A process is forked, so that it knows the bundles as they were found. It is told a number, and answers with what came
of it; it holds one session at a time and waits until its answer is taken, so memory does not grow with the history.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import re
import signal
from collections.abc import Generator, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any

import msgspec

from pollux.model import Notice, Severity
from pollux.sources.base import Bundle, Source
from pollux.store.rows import Entry, Reading, entry
from pollux.wire import shown

_WORTH_IT = 4 << 20
_AHEAD = 2
_HALF = re.compile("[\ud800-\udfff]")

Task = tuple[Source, Bundle]

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Reading).decode


def readings(tasks: Sequence[Task], processes: int | None = None) -> Generator[Reading]:
    """What came of every task, in whatever order they end."""
    wanted = processes if processes is not None else len(os.sched_getaffinity(0)) if _can_fork() else 1
    size = sum(file.size for _, bundle in tasks for file in bundle.files)
    if wanted < 2 or len(tasks) < 2 or size < _WORTH_IT:
        for number, task in enumerate(tasks):
            yield read(number, task)
        return
    with contextlib.ExitStack() as held:
        yield from _Team(tasks, min(wanted, len(tasks)), held).work()


def _can_fork() -> bool:
    return hasattr(os, "sched_getaffinity") and "fork" in multiprocessing.get_all_start_methods()


def read(number: int, task: Task) -> Reading:
    """Read one bundle. Whatever goes wrong costs this bundle only."""
    source, bundle = task
    try:
        entries = [entry(session) for session in source.read(bundle)]
        reading = _writable(
            Reading(number, bundle.problem, () if entries else bundle.notices, bundle.leaning(), entries)
        )
    except Exception as error:  # noqa: BLE001 (a reader's fault must not cost the other sessions)
        return _failed(number, bundle, f"{type(error).__name__}: {error}")
    return reading


def _writable(reading: Reading) -> Reading:
    """The reading as it can be kept: half a character, as of a path that is no text, is written out."""
    try:
        _encode([(each.summary, each.about, each.marks, each.notices, each.links) for each in reading.entries])
        _encode((reading.problem, reading.notices))
    except UnicodeEncodeError:
        return msgspec.convert(_whole(msgspec.to_builtins(reading)), Reading)
    return reading


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        return value if value.isascii() else _HALF.sub(_written_out, value)
    if isinstance(value, list):
        return [_whole(each) for each in value]
    return {key: _whole(each) for key, each in value.items()} if isinstance(value, dict) else value


def _written_out(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"


def _failed(number: int, bundle: Bundle, reason: str) -> Reading:
    text = f"Reading failed ({reason}); please report it."
    file = shown(bundle.files[0].path) if bundle.files else None
    notice = Notice(code="reader.failed", text=text, severity=Severity.ERROR, file=file)
    entries: list[Entry] = []
    return Reading(number, text, (notice,), b"", entries)


class _Team:
    """Some processes and what each of them is at."""

    def __init__(self, tasks: Sequence[Task], size: int, held: contextlib.ExitStack) -> None:
        self._tasks = tasks
        self._left = iter(range(len(tasks)))
        self._fork = multiprocessing.get_context("fork")
        self._at: dict[Connection, list[int]] = {}
        self._held = held
        for _ in range(size):
            self._hire()

    def _hire(self) -> None:
        ours, theirs = self._fork.Pipe()
        process = self._fork.Process(target=_reader, args=(theirs, ours, self._tasks), daemon=True)
        process.start()
        theirs.close()
        self._held.callback(process.join, 5)
        self._held.callback(process.terminate)
        self._held.callback(ours.close)
        self._at[ours] = []
        for _ in range(_AHEAD):
            self._hand_out(ours)

    def _hand_out(self, reader: Connection) -> None:
        number = next(self._left, None)
        if number is not None:
            self._at[reader].append(number)
            with contextlib.suppress(OSError):
                reader.send_bytes(number.to_bytes(8))

    def work(self) -> Iterator[Reading]:
        while busy := [reader for reader, at in self._at.items() if at]:
            for ready in wait(busy):
                assert isinstance(ready, Connection)  # noqa: S101 (we asked for nothing else)
                try:
                    answer = ready.recv_bytes()
                except (EOFError, OSError):
                    yield from self._replace(ready)
                    continue
                reading = _decode(answer)
                self._at[ready].remove(reading.number)
                self._hand_out(ready)
                yield reading

    def _replace(self, reader: Connection) -> Iterator[Reading]:
        """A process died, of hunger for memory perhaps: what it was at has failed, what it had yet to do goes on."""
        first, *rest = self._at.pop(reader)
        yield _failed(first, self._tasks[first][1], "the process died")
        self._left = iter([*rest, *self._left])
        self._hire()


def _reader(pipe: Connection, theirs: Connection, tasks: Sequence[Task]) -> None:
    """The life of a process: told a number, it reads and answers, until nobody is there any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    theirs.close()
    with contextlib.suppress(EOFError, OSError):
        while True:
            number = int.from_bytes(pipe.recv_bytes())
            reading = read(number, tasks[number])
            try:
                answer = _encode(reading)
            except ValueError as error:
                answer = _encode(_failed(number, tasks[number][1], str(error)))
            pipe.send_bytes(answer)
