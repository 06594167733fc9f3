"""Opens the terminal UI."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.system.config import load
from pollux.tui.keys import changed

if TYPE_CHECKING:
    from pathlib import Path

    from pollux.library.library import Library


def run(library: Library, here: Path, query: str = "") -> None:
    """Show the list until the person leaves."""
    keys = changed(load(library.settings_file).keys)
    from pollux.tui.app import PolluxApp
    from pollux.tui.list.questions import Question, answer

    question = Question(project=str(here))
    app = PolluxApp(library, question._replace(text=query), answer(library, question), keys)
    app.run()
