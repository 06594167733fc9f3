"""The sessions that a search looks through itself, because their words are not in the index yet."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from pollux.index.catalogue.queries import CatalogueQueries
from pollux.index.search.direct.look_through import PendingBundle
from pollux.index.sync.sync import RootScan, Sync, SyncInput


class PendingSessions(NamedTuple):
    """The bundles to look through, and the numbers of sessions whose files changed since they were catalogued."""

    bundles: list[PendingBundle]
    changed: list[int]


def pending_sessions(current: CatalogueQueries, scans: Iterable[RootScan]) -> PendingSessions:
    """The pending sessions under these roots. Of a session under several roots, only the preferred one is searched."""
    titles = current.pending_titles()
    bundles: list[PendingBundle] = []
    for each in Sync(current.catalogue, None, SyncInput(lambda _: None)).pending(scans) if titles else ():
        numbers = {key: number for key, number in each.numbers.items() if number in titles}
        if numbers:
            own_titles = "\n".join([titles[number] for number in numbers.values()])
            bundles.append(PendingBundle(each.task.source, each.task.bundle, numbers, each.dependencies, own_titles))
    present = {number for bundle in bundles for number in bundle.numbers.values()}
    return PendingSessions(bundles, [number for number in titles if number not in present])
