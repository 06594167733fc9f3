"""Opens the terminal UI."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING

from pollux.system.termination import Terminated
from pollux.tui.first import FirstScreen
from pollux.tui.keys import KEYS, changed
from pollux.tui.list.layout import list_columns
from pollux.tui.list.question import Question

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pollux.library.library import Library
    from pollux.tui.app import PolluxApp
    from pollux.tui.keys import Key


def run(
    open_library: Callable[[], Library], here: Path, settings: Path, query: str = "", *, is_open: bool = False
) -> None:
    """Show the list until the person leaves. `settings` is the file of the user's settings, which need not exist.

    Where the library is open already, no other process may use it.
    """
    keys, theme = _settings(settings)
    columns, height = os.get_terminal_size()
    draws_ahead = not (query or is_open) and hasattr(os, "fork")
    first = FirstScreen(open_library, list_columns(columns), height) if draws_ahead else None
    from pollux.tui.app import PolluxApp
    from pollux.tui.looks import palette_name

    drawn = first.result() if first is not None else None
    app = PolluxApp(open_library, Question(text=query, project=str(here)), drawn, keys, palette_name(theme, os.environ))
    app.run()
    if first is not None:
        first.end()
    if app.ended_by is not None:
        raise Terminated(app.ended_by)
    if app.last_read is not None:
        _say_farewell(app)
    app.close_library()


def _say_farewell(app: PolluxApp) -> None:
    from pollux.errors import PolluxError

    with contextlib.suppress(PolluxError, OSError):  # it is only a help
        line = _farewell(app.library, app.last_read or "")
        sys.stdout.buffer.write(f"{line}\n".encode(sys.stdout.encoding or "utf-8", "replace"))
        sys.stdout.flush()


def _farewell(library: Library, key: str) -> str:
    """The session that was read last, and the command that goes on with it."""
    from pollux.text.escape import one_line

    entry = next(iter(library.index.entries([key])), None)
    if entry is None:
        return f"pollux show {key}"
    title = one_line(entry.title or "A session without a title", 60)
    return f"{title} · pollux {'resume' if entry.summary.kind == 'main' else 'show'} {entry.short}"


def _settings(file: Path) -> tuple[tuple[Key, ...], str]:
    """The table of keys with the user's changes, and the theme."""
    if not file.exists():
        return KEYS, "auto"
    from pollux.system.config import load

    config = load(file)
    return changed(config.keys), config.tui.theme
