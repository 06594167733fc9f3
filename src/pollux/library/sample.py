"""The bundled sample history, for people who have none yet."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from pollux.errors import NotFound
from pollux.index.catalogue.values import Filter

if TYPE_CHECKING:
    from pollux.library.library import Library

HOME = Path(__file__).parent.parent / "sample" / "home"


def sample_environment(cache: str | None = None) -> tuple[dict[str, str], Path]:
    """An environment in which only the sample exists, and a directory to start from.

    pollux keeps nothing of it. A search needs `cache`, a temporary folder for the index of words.
    """
    if not HOME.is_dir():
        raise NotFound("This installation has no sample history.", f"It belongs in {HOME}.")
    nowhere = os.path.abspath(os.devnull)  # noqa: PTH100
    environ = {"HOME": str(HOME), "XDG_DATA_HOME": nowhere, "XDG_CONFIG_HOME": nowhere}
    return {**environ, "XDG_CACHE_HOME": cache or nowhere}, HOME


def is_needed(library: Library) -> bool:
    """Is there no session here? False where pollux may not look, or could not read what it saw."""
    if library.count(Filter(everything=True)) or library.index.unread():
        return False
    return all(library.homes.refused(root) is None for _, root in library.homes.roots())
