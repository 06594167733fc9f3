"""What to say where nothing was found: perhaps a name was mistyped."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pollux.library import Filter, Library


def mistyped(shelf: Library, asked: Filter, otherwise: str, text: str = "") -> str:
    """A hint: which project, model or tool was probably meant, in the options or in a query's `text`."""
    found = shelf.meant(asked, text)
    return f"Did you mean: {' '.join(found)}?" if found else otherwise
