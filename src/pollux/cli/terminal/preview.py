"""What a search has found so far, above its progress bar. The ranked answer replaces it."""

from __future__ import annotations

import os
import sys
import time
from itertools import chain
from typing import TYPE_CHECKING

from pollux.cli.terminal.dumb import dumb
from pollux.draw.results import Group, result_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from pollux.cli.terminal.progress import Bar
    from pollux.cli.terminal.screen import Screen
    from pollux.library.library import Hit

_SILENCE = 0.5
"""A search that takes no longer (seconds) shows its answer only."""

_BELOW = 2
"""How many lines stay free: the bar, and the one that the shell showed last."""


class Preview:
    """Shows messages in the order in which they are found, at most `each` of a session, until the screen is full.

    Nothing moves while somebody reads.
    """

    def __init__(self, screen: Screen, bar: Bar, each: int) -> None:
        self._screen = screen
        self._bar = bar
        self._each = each
        self._room = os.get_terminal_size(sys.stderr.fileno()).lines - _BELOW
        self._begin = time.monotonic() + _SILENCE
        self._waiting: list[Callable[[], list[Hit]]] = []

    @staticmethod
    def is_possible(screen: Screen) -> bool:
        """Do answer and progress go to a terminal on which lines can be taken back?"""
        return screen.terminal and sys.stderr.isatty() and dumb() is None

    def __call__(self, hits: Callable[[], list[Hit]]) -> None:
        """Show messages of a session if there is room."""
        if self._room > 0:
            self._waiting.append(hits)
            if time.monotonic() >= self._begin:
                self._show()

    def _show(self) -> None:
        """Show the sessions that were found since the last time, as far as there is room."""
        groups = [Group(hits[: self._each], 0) for waiting in self._waiting if (hits := waiting())]
        self._waiting.clear()
        lines = list(chain.from_iterable([*result_lines(self._screen, [group]), ""] for group in groups))[: self._room]
        self._room -= len(lines)
        self._bar.above(lines)
