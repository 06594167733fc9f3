"""Sessions to be read, and the reading of many of them on all cores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import TypeVar

import msgspec

from pollux.index.catalog.queries import Place
from pollux.model import Session, Summary, Value
from pollux.sources.base import Bundle, Source
from pollux.system.progress import Advance, Report
from pollux.system.workers import answers, helpers
from pollux.text.surrogates import written_out

T = TypeVar("T")
W = TypeVar("W")


class Job(Value, frozen=True, kw_only=True):
    """Sessions that are read together: what is known of them before, how to read them, how many bytes that takes."""

    summaries: tuple[Summary, ...]
    load: Callable[[], list[Session]]
    size: int = 0


def jobs(
    wanted: Mapping[str, Summary], places: Iterable[Place], bundles: Iterable[tuple[str, Source, Bundle]]
) -> list[Job]:
    """What reading the wanted sessions takes, those that began first first; bundles come with their roots."""
    best = {place.key: place for place in places}  # of one session that lies in two places the last
    held: dict[tuple[str, str, str], list[str]] = {}
    for key, place in best.items():
        held.setdefault((place.agent, place.root, place.bundle), []).append(key)
    found = {(source.name, root, bundle.key): (source, bundle) for root, source, bundle in bundles}
    every = [
        _job([wanted[key] for key in keys if key in wanted], *found[at]) for at, keys in held.items() if at in found
    ]
    return sorted(every, key=lambda job: begun(job.summaries[0]))


def _job(told: list[Summary], source: Source, bundle: Bundle) -> Job:
    return Job(summaries=tuple(sorted(told, key=begun)), load=lambda: source.read(bundle).sessions, size=bundle.size)


def begun(told: Summary) -> tuple[bool, float, str]:
    """What puts sessions in the order in which they began; those that have no time come first."""
    at = told.started or told.ended
    return at is not None, at.timestamp() if at is not None else 0.0, told.key


def answered(
    work: Callable[[W], T], pieces: Sequence[W], sizes: Sequence[int], kind: type[T], report: Report
) -> Iterator[tuple[int, T | None]]:
    """What came of each piece of work, in whatever order: in processes of their own where that is worth it."""
    advance = Advance(sizes, report)
    for number, answer in _answered(work, pieces, sizes, kind):
        advance.done(number)
        yield number, answer


def _answered(
    work: Callable[[W], T], pieces: Sequence[W], sizes: Sequence[int], kind: type[T]
) -> Iterator[tuple[int, T | None]]:
    size = helpers(sizes)
    if size < 2:
        yield from ((number, work(piece)) for number, piece in enumerate(pieces))
        return
    # The largest first, so that none is left to be waited for in the end.
    order = sorted(range(len(pieces)), key=lambda number: -sizes[number])

    def job(number: int) -> bytes:
        done = work(pieces[order[number]])
        try:
            return msgspec.msgpack.encode(done)
        except UnicodeEncodeError:
            return msgspec.msgpack.encode(written_out(done, kind))

    with closing(answers(job, len(pieces), size)) as stream:
        for number, answer in stream:
            yield order[number], None if answer is None else msgspec.msgpack.decode(answer, type=kind)
