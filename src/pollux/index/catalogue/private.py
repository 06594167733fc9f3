"""Which sessions and messages no agent may see, or even know of.

These are the sessions of private projects, those that are marked as private, and all that came from one of them: their
sub-agents, forks, continuations, and copies for other agents.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pollux.index.catalogue.queries import CatalogueQueries
from pollux.model.names import project_matches
from pollux.model.project_hash import project_hash


class Hidden(NamedTuple):
    """The keys of hidden sessions, and their numbers in the index; the places of messages if only these are hidden.

    `is_private`: something is private. Otherwise at most the asking agent's own sessions are hidden.
    """

    keys: frozenset[str] = frozenset()
    places: Mapping[int, frozenset[int] | None] = {}
    is_private: bool = False


def hidden(current: CatalogueQueries, projects: Sequence[str], own: Collection[str] = ()) -> Hidden:
    """What is hidden: what is private, and these sessions of the agent that asks."""
    marked = {key for key, marks in current.marks().sessions.items() if marks.session.private}
    keys = _with_offspring(current, marked | set(_of_projects(current, projects)))
    marked_places = current.marked_places("is", "private")
    left_out = keys | set(own)
    places = marked_places | dict.fromkeys(_numbers(current, left_out))
    return Hidden(frozenset(left_out), places, is_private=bool(keys or marked_places))


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


def _with_offspring(current: CatalogueQueries, keys: set[str]) -> set[str]:
    """These sessions and all that came from them. While some are unread, what came from an unknown one is hidden, too.

    Without a private session there is nothing to look for.
    """
    if not keys:
        return keys
    parents = f"SELECT key, parent FROM sessions WHERE parent IS NOT NULL AND {current.here}"
    links = f"SELECT s.key, target FROM links l JOIN sessions s ON s.no=l.session WHERE s.{current.here}"
    pairs = [*current.catalogue.rows(parents), *current.catalogue.rows(links)]
    offspring: dict[str, list[str]] = {}
    for key, origin in pairs:
        offspring.setdefault(origin, []).append(key)
    found, left = set(keys), [*keys]
    if not current.is_complete:
        left += current.unknown({origin for _, origin in pairs})
    while left:
        for key in offspring.get(left.pop(), ()):
            if key not in found:
                found.add(key)
                left.append(key)
    return found


def _numbers(current: CatalogueQueries, keys: Collection[str]) -> list[int]:
    statement = f"SELECT no, key FROM sessions WHERE +{current.here}"
    rows = current.catalogue.rows_with(statement, "id", {key.partition(":")[2] for key in keys})
    return [number for number, key in rows if key in keys]
