"""Opens the terminal UI."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pollux.tui.first import FirstScreen
from pollux.tui.keys import KEYS, changed
from pollux.tui.list.layout import list_columns
from pollux.tui.list.question import Question

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pollux.library.library import Library
    from pollux.tui.keys import Key


def run(
    open_library: Callable[[], Library], here: Path, settings: Path, query: str = "", *, is_open: bool = False
) -> None:
    """Show the list until the person leaves. `settings` is the file of the user's settings, which need not exist.

    Where the library is open already, no other process may use it.
    """
    keys = _keys(settings)
    columns, height = os.get_terminal_size()
    draws_ahead = not (query or is_open) and hasattr(os, "fork")
    first = FirstScreen(open_library, list_columns(columns), height) if draws_ahead else None
    from pollux.tui.app import PolluxApp

    drawn = first.result() if first is not None else None
    app = PolluxApp(open_library, Question(text=query, project=str(here)), drawn, keys)
    app.run()
    if first is not None:
        first.end()


def _keys(settings: Path) -> tuple[Key, ...]:
    """The table of keys with the user's changes."""
    if not settings.exists():
        return KEYS
    from pollux.system.config import load

    return changed(load(settings).keys)
