"""Tells a lake which documents are new: those that were just pushed, or all of them, for tables that are made anew."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import groupby, islice

import msgspec
from msgspec.structs import replace

from pollux.errors import NotFound, PolluxError
from pollux.lake.documents import SESSIONS, News, NewsEntry, decode, owner_of
from pollux.lake.store import Store, about

IN_A_NEWS = 200
"""So many documents one piece of news tells of."""

_AT_ONCE = 8
_DEPTH = 5
"""How many folders documents lie in."""


def tell(store: Store, person: str, machine: str, documents: Sequence[NewsEntry]) -> None:
    """Write one piece of news about documents of a machine. Raises `OutputError`."""
    news = News(machine=machine, person=person, seq=max(one.seq for one in documents), documents=tuple(documents))
    while not store.put_if_absent(news.path, msgspec.json.encode(news)):
        news = replace(news, seq=news.seq + 1)


def tell_again(store: Store) -> list[PolluxError]:
    """Write news of all documents that lie in a lake. Returns what is wrong with those that cannot be read."""
    problems: list[PolluxError] = []
    paths = (one.path for one in store.of_everybody(SESSIONS, problems) if one.path.count("/") == _DEPTH)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for (person, machine), some in groupby(paths, owner_of):
            for group in _groups(some):
                found = list(pool.map(partial(_entry, store), group))
                problems += [one for one in found if isinstance(one, PolluxError)]
                if entries := [one for one in found if isinstance(one, NewsEntry)]:
                    tell(store, person, machine, entries)
    return problems


def _groups(paths: Iterable[str]) -> Iterator[list[str]]:
    rest = iter(paths)
    while group := list(islice(rest, IN_A_NEWS)):
        yield group


def _entry(store: Store, path: str) -> NewsEntry | PolluxError | None:
    """What news say of a document; None where it was erased meanwhile."""
    try:
        document = decode(store.get(path))
    except NotFound:
        return None
    except PolluxError as error:
        return about(path, error)
    return NewsEntry(key=document.key, path=path, seq=document.seq, state=document.state)
