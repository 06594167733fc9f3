"""Whether the terminal UI can be opened, and on what. It imports as little as possible: bare `pollux` begins here."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

from pollux.cli.terminal.dumb import dumb

if TYPE_CHECKING:
    from pollux.library.library import Library

NEEDED = "The terminal UI needs textual: pip install 'pollux[tui]'"


def can_open() -> bool:
    """Can the terminal UI be opened?"""
    return why_not() is None


def why_not(*, plain: bool = False) -> str | None:
    """Why the terminal UI cannot be opened; None where it can."""
    if not (_is_terminal(sys.stdin) and _is_terminal(sys.stdout)):
        return "The terminal UI needs a terminal."
    if plain:
        return None
    if (why := dumb()) is not None:
        return f"This terminal ({why}) cannot show the terminal UI. `pollux tui --plain` works line by line."
    return NEEDED if find_spec("textual") is None else None


def library() -> Library:
    """The sessions as the cache has them: another process looks for what changed meanwhile."""
    from pollux.library.library import Library

    return Library(fresh=False, complete_later=True)


def _is_terminal(stream: object) -> bool:
    try:
        return bool(stream.isatty())  # type: ignore[attr-defined]
    except (AttributeError, ValueError):
        return False
