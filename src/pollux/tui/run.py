"""Opens the terminal UI."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING

from pollux.system.termination import Terminated, termination_raises
from pollux.tui.keys import KEYS, changed
from pollux.tui.list.layout import list_columns
from pollux.tui.list.question import Question
from pollux.tui.opening.first import FirstScreen
from pollux.tui.opening.terminal import OpenedTerminal
from pollux.tui.palettes import palette_name

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pollux.library.library import Library
    from pollux.tui.app import PolluxApp
    from pollux.tui.keys import Key
    from pollux.tui.opening.first import First

SAMPLE = "This is the bundled sample, not your own history."


def run(
    open_library: Callable[[], Library], here: Path, settings: Path, query: str = "", *, is_sample: bool = False
) -> None:
    """Show the list until the person leaves. `settings` is the file of the user's settings, which need not exist.

    The sample is open already, and no other process may use it.
    """
    keys, theme = _settings(settings)
    palette = palette_name(theme, os.environ)
    question = Question(text=query, project=str(here))
    with termination_raises() as signals:
        app = _shown(open_library, question, keys, palette, signals, is_sample=is_sample)
    if app.failure is not None:
        raise app.failure
    if app.ended_by is not None:
        raise Terminated(app.ended_by)
    if app.last_read is not None:
        _say_farewell(app, is_sample=is_sample)
    app.close_library()


def _shown(  # noqa: PLR0913
    open_library: Callable[[], Library],
    question: Question,
    keys: tuple[Key, ...],
    palette: str,
    signals: list[int],
    *,
    is_sample: bool,
) -> PolluxApp:
    """Open the app. If it can be, the first screen is shown while Textual is imported."""
    terminal = OpenedTerminal()
    columns, height = terminal.size

    def show(first: First) -> None:
        from pollux.tui.looks import looks
        from pollux.tui.opening.frame import as_bytes, colour_system, frame

        lines = frame(first, columns, height, keys)
        terminal.show(as_bytes(lines, looks(palette), colour_system(os.environ)))

    can_show, process, first = terminal.open(), None, None
    try:
        if not (question.text or is_sample) and hasattr(os, "fork"):
            process = FirstScreen(open_library, list_columns(columns), height, show if can_show else None)
        from pollux.tui.app import PolluxApp

        if process is not None:
            first = process.result()
        app = PolluxApp(open_library, question, first, keys, palette)
        app.greeting, app.is_sample = SAMPLE if is_sample else "", is_sample
        app.driver_class, app.dropped_signals = terminal.driver(app.driver_class), signals
        app.run()
        return app
    finally:
        if process is not None:
            terminal.wait_until_shown()
            process.end()
        terminal.close()


def _say_farewell(app: PolluxApp, *, is_sample: bool) -> None:
    from pollux.errors import PolluxError

    with contextlib.suppress(PolluxError, OSError):  # it is only a help
        line = _farewell(app.library, app.last_read or "", is_sample=is_sample)
        sys.stdout.buffer.write(f"{line}\n".encode(sys.stdout.encoding or "utf-8", "replace"))
        sys.stdout.flush()


def _farewell(library: Library, key: str, *, is_sample: bool) -> str:
    """The session that was read last, and the command that goes on with it."""
    from pollux.text.escape import one_line
    from pollux.text.shell import name_word, shell_line

    entry = next(iter(library.index.entries([key])), None)
    if entry is None:
        return shell_line("pollux", "show", key)
    title = one_line(entry.title or "A session without a title", 60)
    command = "--sample show" if is_sample else "resume" if entry.summary.kind == "main" else "show"
    return f"{title} · pollux {command} {name_word(entry.short, key)}"


def _settings(file: Path) -> tuple[tuple[Key, ...], str]:
    """The table of keys with the user's changes, and the theme."""
    if not file.exists():
        return KEYS, "auto"
    from pollux.system.config import load

    config = load(file)
    return changed(config.keys), config.tui.theme
