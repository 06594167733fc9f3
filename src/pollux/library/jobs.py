"""Sessions to read, divided into pieces of work."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from pollux.index.catalogue.values import SessionLocation
from pollux.model import Session, Summary, Value, summarize
from pollux.sources.base import Bundle, Source


class Job(Value, frozen=True, kw_only=True):
    """Sessions that are read together: their summaries, a function that reads them, and the size of their files."""

    summaries: tuple[Summary, ...]
    load: Callable[[], list[Session]]
    size: int = 0

    @classmethod
    def of(cls, session: Session) -> Job:
        """A session that was read already."""
        return cls(summaries=(summarize(session),), load=lambda: [session])


def jobs(
    summaries: Mapping[str, Summary], places: Iterable[SessionLocation], bundles: Iterable[tuple[str, Source, Bundle]]
) -> list[Job]:
    """The jobs that read these sessions, the oldest first. Each bundle comes with its root."""
    best = {place.key: place for place in places}  # of a session in two places, the last one
    keys_at: dict[tuple[str, str, str], list[str]] = {}
    for key, place in best.items():
        keys_at.setdefault((place.agent, place.root, place.bundle), []).append(key)
    readers = {(source.name, root, bundle.key): (source, bundle) for root, source, bundle in bundles}
    jobs = [
        _job([summaries[key] for key in keys if key in summaries], *readers[at])
        for at, keys in keys_at.items()
        if at in readers
    ]
    return sorted(jobs, key=lambda job: start_order(job.summaries[0]))


def _job(summaries: list[Summary], source: Source, bundle: Bundle) -> Job:
    in_order = tuple(sorted(summaries, key=start_order))
    return Job(summaries=in_order, load=lambda: source.read(bundle).sessions, size=bundle.size)


def start_order(summary: Summary) -> tuple[bool, float, str]:
    """The key by which sessions are sorted by their start; those without a time come first."""
    at = summary.started or summary.ended
    return at is not None, at.timestamp() if at is not None else 0.0, summary.key
