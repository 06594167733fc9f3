"""Takes a person, a machine or a session out of a lake, for good."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import msgspec

from pollux.errors import NotFound, PolluxError
from pollux.lake.delta import Delta
from pollux.lake.documents import (
    NEWS,
    SESSIONS as DOCUMENTS,
    TOMBSTONES,
    Tombstone,
    owner_of,
    read_as,
    session_folder,
)
from pollux.lake.shown import known, show
from pollux.lake.store import Store, about
from pollux.lake.tables import TABLES


class Erased(msgspec.Struct):
    """How many sessions and documents were erased."""

    sessions: int
    documents: int


def tombstones(store: Store, people: Collection[str] | None = None) -> list[Tombstone]:
    """Everything that was erased, or that of these people. Files that others left there are none of ours."""
    whose = next(iter(people)) if people is not None and len(people) == 1 else ""
    found = [one.path for one in store.paths(f"{TOMBSTONES}/{whose}") if one.path.endswith(".json")]
    return [_tombstone(store, path) for path in found if people is None or path.split("/")[1] in people]


def _tombstone(store: Store, path: str) -> Tombstone:
    try:
        return read_as(Tombstone, store.get(path))
    except PolluxError as error:
        raise about(path, error) from error


def erase(store: Store, tombstone: Tombstone) -> Erased:
    """Erase documents and rows, and leave a tombstone, so that they do not come back. Raises `NotFound`.

    A load that runs now takes its rows back itself when it has shown them. Files that a load left which was killed go
    with `tidy`.
    """
    delta = Delta(store)
    sessions = [one for one in known(delta) if tombstone.covers(one.person, one.machine, one.key)]
    documents = list(documents_of(store, tombstone))
    if not sessions and not documents and tombstone.path not in (one.path for one in store.paths(TOMBSTONES)):
        raise NotFound(f"Nothing of {_named(tombstone)} is in the lake {store.url}.", "Try: pollux lake list LAKE")
    store.put_if_absent(tombstone.path, msgspec.json.encode(tombstone))
    store.delete(documents)
    erase_rows(delta, [tombstone], thorough=True)
    return Erased(len(sessions), sum(path.startswith(f"{DOCUMENTS}/") for path in documents))


def erase_rows(delta: Delta, graves: Sequence[Tombstone], *, thorough: bool = False) -> None:
    """Delete the rows of what was erased, and the files that had them; if `thorough`, where no row is left, too."""
    if not graves:
        return
    sessions = known(delta)
    keys = {one.key for one in sessions if any(grave.covers(one.person, one.machine, one.key) for grave in graves)}
    for name in TABLES:
        deleted = 0
        for columns in {_columns(grave) for grave in graves}:
            alike = [grave for grave in graves if _columns(grave) == columns]
            places = [[getattr(grave, column) for column in columns] for grave in alike]
            deleted += delta.delete_rows(name, columns, places)
        if deleted or thorough:
            delta.purge(name)
    show(delta, [], keys)


def _columns(grave: Tombstone) -> tuple[str, ...]:
    return tuple(name for name in ("person", "machine", "key") if getattr(grave, name) is not None)


def documents_of(store: Store, tombstone: Tombstone) -> Iterator[str]:
    """The documents of what is erased, and the news about them unless they are about others, too."""
    key = tombstone.key
    place = f"{tombstone.person}/{tombstone.machine}" if tombstone.machine is not None else tombstone.person
    for one in store.paths(f"{DOCUMENTS}/{place}"):
        if key is None or one.path.startswith(f"{session_folder(*owner_of(one.path), key)}/"):
            yield one.path
    if key is None:
        yield from (one.path for one in store.paths(f"{NEWS}/{place}"))


def _named(tombstone: Tombstone) -> str:
    return " of ".join(name for name in (tombstone.key, tombstone.machine, tombstone.person) if name is not None)
