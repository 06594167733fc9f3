"""Which sessions and messages no agent may see, or even know of.

These are the sessions of private projects, those that are marked as private, and all that came from one of them: their
sub-agents, forks, continuations, and copies for other agents. Of a private message, it is the copies in these sessions.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pollux.index.catalogue.queries import CatalogueQueries
from pollux.model import Anchor
from pollux.model.names import project_matches
from pollux.model.project_hash import project_hash


class Hidden(NamedTuple):
    """The keys of hidden sessions, and their numbers in the index; the places of messages if only these are hidden.

    `is_private`: something is private. Otherwise at most the asking agent's own sessions are hidden. `partly` are the
    numbers of the sessions of which some messages are hidden, by their keys: their titles may come from these messages.
    `copied` are the anchors of messages that are private in the sessions from which these sessions came.
    """

    keys: frozenset[str] = frozenset()
    places: Mapping[int, frozenset[int] | None] = {}
    is_private: bool = False
    partly: Mapping[str, int] = {}
    copied: Mapping[str, tuple[Anchor, ...]] = {}


def hidden(current: CatalogueQueries, projects: Sequence[str], own: Collection[str] = ()) -> Hidden:
    """What is hidden: what is private, and these sessions of the agent that asks."""
    marks = current.marks().sessions
    marked = {key for key, one in marks.items() if one.session.private}
    anchors = {
        key: found
        for key, one in marks.items()
        if (found := tuple(message.anchor for message in one.messages.values() if message.marks.private))
    }
    marked |= set(_of_projects(current, projects))
    offspring = _Offspring(current) if marked or anchors else None
    keys = offspring.of(marked) if offspring is not None and marked else marked
    copied = _copied(offspring, anchors) if offspring is not None else {}
    places = current.marked_places("is", "private")
    partly: dict[str, int] = {}
    for key, number in _numbers(current, {*anchors, *copied}):
        same = copies_of(copied.get(key, ()), current.anchors_at(number))
        if same or places.get(number):
            partly[key], places[number] = number, same | (places.get(number) or frozenset())
    is_private = bool(keys or places)
    left_out = keys | set(own)
    places |= dict.fromkeys(number for _, number in _numbers(current, left_out))
    return Hidden(frozenset(left_out), places, is_private=is_private, partly=partly, copied=copied)


def copies_of(anchors: Collection[Anchor], messages: Sequence[Anchor]) -> frozenset[int]:
    """The places of messages that have the id or the words of one of these."""
    ids = {one.id for one in anchors if one.key == one.id}  # not one that is only a place in a file
    words = {one.words for one in anchors if one.words is not None}
    return frozenset(place for place, one in enumerate(messages) if one.id in ids or one.words in words)


def _copied(offspring: _Offspring, anchors: Mapping[str, tuple[Anchor, ...]]) -> dict[str, tuple[Anchor, ...]]:
    """The anchors of private messages, by the sessions that came from those in which they are marked."""
    found: dict[str, tuple[Anchor, ...]] = {}
    for origin, own in anchors.items():
        for key in offspring.of({origin}) - {origin}:
            found[key] = found.get(key, ()) + own
    return found


def _of_projects(current: CatalogueQueries, projects: Sequence[str]) -> Iterator[str]:
    """The sessions of private projects, and those that had a private directory as an additional one."""
    if not projects:
        return
    rows = current.catalogue.rows(f"SELECT key, project, project_hash FROM sessions WHERE {current.here}")
    is_private = {project: is_private_project(project, projects) for project in {project for _, project, _ in rows}}
    digests = {project_hash(os.path.abspath(os.path.expanduser(name))) for name in projects}  # noqa: PTH100, PTH111
    yield from (key for key, project, digest in rows if is_private[project] or digest in digests)
    statement = f"SELECT key, value FROM facts JOIN sessions ON no=session WHERE name='directory' AND {current.here}"
    yield from (key for key, path in current.catalogue.rows(statement) if is_private_project(path, projects))


def is_private_project(path: str | None, projects: Iterable[str]) -> bool:
    """Is a project private, by the settings? Names and paths stand for projects as in the filter `project:`."""
    return any(project_matches(name, path) for name in projects)


class _Offspring:
    """What came from which session."""

    def __init__(self, current: CatalogueQueries) -> None:
        parents = f"SELECT key, parent FROM sessions WHERE parent IS NOT NULL AND {current.here}"
        links = f"SELECT s.key, target FROM links l JOIN sessions s ON s.no=l.session WHERE s.{current.here}"
        pairs = [*current.catalogue.rows(parents), *current.catalogue.rows(links)]
        self._by_origin: dict[str, list[str]] = {}
        for key, origin in pairs:
            self._by_origin.setdefault(origin, []).append(key)
        self._unknown = [] if current.is_complete else current.unknown({origin for _, origin in pairs})

    def of(self, keys: set[str]) -> set[str]:
        """These sessions and all that came from them. While some are unread, it has what came from an unknown one."""
        found, left = set(keys), [*keys, *self._unknown]
        while left:
            for key in self._by_origin.get(left.pop(), ()):
                if key not in found:
                    found.add(key)
                    left.append(key)
        return found


def _numbers(current: CatalogueQueries, keys: Collection[str]) -> list[tuple[str, int]]:
    statement = f"SELECT no, key FROM sessions WHERE +{current.here}"
    rows = current.catalogue.rows_with(statement, "id", {key.partition(":")[2] for key in keys})
    return [(key, number) for number, key in rows if key in keys]
