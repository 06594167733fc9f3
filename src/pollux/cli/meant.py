"""What to say where nothing was found: perhaps a name was mistyped."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pollux.library import Filter, Library


def mistyped(shelf: Library, asked: Filter, otherwise: str) -> str:
    """A hint: which project or fact was probably meant."""
    project = shelf.likely_project(asked.project) if asked.project is not None else None
    found = [f"Did you mean: --project {project}?"] if project is not None else []
    filters = (hint for word in asked.words if (hint := _filter(word)) is not None)
    return " ".join([*found, *shelf.strangers(asked), *filters]) or otherwise


def _filter(word: str) -> str | None:
    """What was probably meant by a word of a list that looks like a filter and is none."""
    from pollux.library import FILTERS, likely_filter

    name, _, value = word.partition(":")
    if not name.isalpha() or not value or value.startswith((":", "//", "\\")):
        return None
    if name.lower() in FILTERS:
        return f"{name}: is a filter of pollux search."
    near = likely_filter(name)
    return f"{name}: is no filter. Did you mean: {near}:{value}?" if near is not None else None
