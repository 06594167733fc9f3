"""What to say where nothing was found: perhaps a name was mistyped."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pollux.library import Filter, Library


def mistyped(shelf: Library, asked: Filter, otherwise: str) -> str:
    """A hint: which project or fact was probably meant."""
    project = shelf.likely_project(asked.project) if asked.project is not None else None
    found = [f"Did you mean: --project {project}?"] if project is not None else []
    return " ".join([*found, *shelf.strangers(asked)]) or otherwise
