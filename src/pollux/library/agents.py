"""Where each agent's sessions are looked for, and how many there are."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pollux.index.catalogue.values import Filter
from pollux.model import Value
from pollux.wire import display_path, folder_at

if TYPE_CHECKING:
    from pollux.library.library import Library


class Location(Value, frozen=True, kw_only=True):
    """A folder in which an agent's sessions are looked for.

    `reason` names the variable that leads there. `refused` says why the system does not let pollux look into it.
    """

    agent: str
    title: str
    path: str
    reason: str
    exists: bool
    refused: str | None
    sessions: int


def locations(library: Library) -> list[Location]:
    """Every folder that pollux looks into, agent by agent."""
    files = [(entry.summary.agent, entry.summary.files) for entry in library.list(Filter(everything=True))]

    def count(agent: str, folder: str) -> int:
        inside = os.path.join(folder, "")  # noqa: PTH118
        return sum(name == agent and any(path.startswith(inside) for path in paths) for name, paths in files)

    return [
        Location(
            agent=source.name,
            title=source.title,
            path=display_path(root.path),
            reason=root.reason,
            exists=folder_at(root.path),
            refused=library.homes.refused(root),
            sessions=count(source.name, display_path(root.path)),
        )
        for source, root in library.homes.roots()
    ]
