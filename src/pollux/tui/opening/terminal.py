"""The terminal between the first screen and Textual: it shows that screen already, and does not echo what is typed."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.driver import Driver

ENTER, LEAVE = "\x1b[?1049h", "\x1b[?1049l"
"""What a terminal takes to show another screen, and the one before again."""

_INPUT, _LOCAL = 0, 3
"""Where termios has the modes of the input, and those of the terminal as such."""

_HIDE, _SHOW = "\x1b[?25l", "\x1b[?25h"


class OpenedTerminal:
    """The terminal of standard error, which Textual draws on. From `open` to `close` it is as Textual will have it."""

    def __init__(self) -> None:
        self._file = sys.__stderr__.fileno() if sys.__stderr__ is not None else -1
        self._before: list[Any] | None = None
        self.shows: bool | None = None

    def open(self) -> bool:
        """Stop the echo: what is typed now waits for Textual. Returns whether there is such a terminal."""
        import termios

        try:
            self._before = termios.tcgetattr(self._file)
        except termios.error:
            return False
        modes = list(self._before)
        modes[_INPUT] &= ~(termios.ICRNL | termios.IXON)
        modes[_LOCAL] &= ~(termios.ECHO | termios.ICANON | termios.ISIG | termios.IEXTEN)
        termios.tcsetattr(self._file, termios.TCSANOW, modes)
        return True

    def show(self, drawn: bytes) -> None:
        """Show a screen, in place of what the terminal shows."""
        data = (ENTER + _HIDE).encode() + drawn
        while data:
            data = data[os.write(self._file, data) :]

    def driver(self, base: type[Driver]) -> type[Driver]:
        """Textual's driver, for a terminal that shows its screen already, and will be as it was before that."""
        opened = self

        class Continuing(base):  # type: ignore[misc, valid-type]
            """Takes the terminal over where it has just been opened."""

            attrs_before: list[Any] | None

            def write(self, data: str) -> None:
                """Write, but show no other screen again."""
                if not (opened.shows and data == ENTER):
                    super().write(data)

            def start_application_mode(self) -> None:
                """Take the terminal."""
                super().start_application_mode()
                if opened._before is not None:
                    self.attrs_before, opened._before, opened.shows = opened._before, None, False

        return Continuing

    def close(self) -> None:
        """Give the terminal back as it was, unless Textual has taken it."""
        if self._before is None:
            return
        import termios

        with contextlib.suppress(OSError, termios.error):
            if self.shows is not False:
                os.write(self._file, (LEAVE + _SHOW).encode())
            termios.tcsetattr(self._file, termios.TCSANOW, self._before)
        self._before = None
