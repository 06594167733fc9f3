"""Divides work among processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import TypeVar

import msgspec

from pollux.system.decoders import msgpack_decoder
from pollux.system.progress import Advance, Report
from pollux.system.workers import process_count, run_jobs
from pollux.text.surrogates import escape_surrogates

T = TypeVar("T")
W = TypeVar("W")


def map_in_processes(
    work: Callable[[W], T], pieces: Sequence[W], sizes: Sequence[int], kind: type[T], report: Report
) -> Iterator[tuple[int, T | None]]:
    """The result of each piece of work, in any order; None if a process died. Small work stays in this process."""
    advance = Advance(sizes, report)
    for number, answer in _results(work, pieces, sizes, kind):
        advance.done(number)
        yield number, answer


def _results(
    work: Callable[[W], T], pieces: Sequence[W], sizes: Sequence[int], kind: type[T]
) -> Iterator[tuple[int, T | None]]:
    size = process_count(sizes)
    if size < 2:
        yield from ((number, work(piece)) for number, piece in enumerate(pieces))
        return
    # The largest first, so that nothing large is still running at the end.
    order = sorted(range(len(pieces)), key=lambda number: -sizes[number])

    def job(number: int) -> bytes:
        result = work(pieces[order[number]])
        try:
            return msgspec.msgpack.encode(result)
        except UnicodeEncodeError:
            return msgspec.msgpack.encode(escape_surrogates(result, kind))

    with closing(run_jobs(job, len(pieces), size)) as stream:
        for number, answer in stream:
            yield order[number], None if answer is None else msgpack_decoder(kind).decode(answer)
