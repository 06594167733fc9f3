"""The bundled sample history, for those who have none yet."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from pollux.errors import NotFound
from pollux.index.catalog.queries import Filter

if TYPE_CHECKING:
    from pollux.library.library import Library

HOME = Path(__file__).parent.parent / "sample" / "home"


def surroundings(cache: str | None = None) -> tuple[dict[str, str], Path]:
    """An environment in which the sample is all there is, and a directory to start from.

    Nothing is kept, but for a search there must be a folder to put words into for the time being.
    """
    if not HOME.is_dir():
        raise NotFound("This installation has no sample history.", f"It belongs in {HOME}.")
    nowhere = os.path.abspath(os.devnull)  # noqa: PTH100
    environ = {"HOME": str(HOME), "XDG_DATA_HOME": nowhere, "XDG_CONFIG_HOME": nowhere}
    return {**environ, "XDG_CACHE_HOME": cache or nowhere}, HOME


def is_needed(library: Library) -> bool:
    """Did no agent leave anything here? Not so where pollux may not look, or could not read what it saw."""
    if library.count(Filter(everything=True)) or library.index.unread():
        return False
    return all(library.homes.refused(root) is None for _, root in library.homes.roots())
