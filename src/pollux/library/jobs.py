"""Sessions that are to be read, cut into pieces of work."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from pollux.index.catalog.queries import SessionLocation
from pollux.model import Session, Summary, Value, summarize
from pollux.sources.base import Bundle, Source


class Job(Value, frozen=True, kw_only=True):
    """Sessions that are read together: what is known of them before, how to read them, how many bytes that takes."""

    summaries: tuple[Summary, ...]
    load: Callable[[], list[Session]]
    size: int = 0

    @classmethod
    def of(cls, session: Session) -> Job:
        """A session that was read already."""
        return cls(summaries=(summarize(session),), load=lambda: [session])


def jobs(
    wanted: Mapping[str, Summary], places: Iterable[SessionLocation], bundles: Iterable[tuple[str, Source, Bundle]]
) -> list[Job]:
    """What reading the wanted sessions takes, those that began first first; bundles come with their roots."""
    best = {place.key: place for place in places}  # of one session that lies in two places the last
    keys_at: dict[tuple[str, str, str], list[str]] = {}
    for key, place in best.items():
        keys_at.setdefault((place.agent, place.root, place.bundle), []).append(key)
    readers = {(source.name, root, bundle.key): (source, bundle) for root, source, bundle in bundles}
    every = [
        _job([wanted[key] for key in keys if key in wanted], *readers[at])
        for at, keys in keys_at.items()
        if at in readers
    ]
    return sorted(every, key=lambda job: begun(job.summaries[0]))


def _job(summaries: list[Summary], source: Source, bundle: Bundle) -> Job:
    in_order = tuple(sorted(summaries, key=begun))
    return Job(summaries=in_order, load=lambda: source.read(bundle).sessions, size=bundle.size)


def begun(summary: Summary) -> tuple[bool, float, str]:
    """What puts sessions in the order in which they began; those that have no time come first."""
    at = summary.started or summary.ended
    return at is not None, at.timestamp() if at is not None else 0.0, summary.key
