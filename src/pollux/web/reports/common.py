"""What several reports ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.errors import NotFound
from pollux.model.names import project_name

if TYPE_CHECKING:
    from pollux.library.library import Library, ListEntry


def entry_of(library: Library, key: str) -> ListEntry:
    """What a list shows of a session. A key is never a path, nor the beginning of an id. Raises `NotFound`."""
    for entry in library.index.entries([key]):
        return entry
    raise NotFound("No session has this key.", "Look for it among all sessions.")


def project_names(library: Library) -> list[str]:
    """The names of the projects, those used last first."""
    return list(dict.fromkeys(project_name(one.path) for one in library.projects.all() if one.path))
