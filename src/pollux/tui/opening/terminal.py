"""The terminal, from before Textual has it until after: it is given back as it was found."""

from __future__ import annotations

import codecs
import contextlib
import mmap
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.driver import Driver

ENTER, LEAVE = "\x1b[?1049h", "\x1b[?1049l"
"""What a terminal takes to show another screen, and the one before again."""

_INPUT, _LOCAL = 0, 3
"""Where termios has the modes of the input, and those of the terminal as such."""

_HIDE, _SHOW = "\x1b[?25l", "\x1b[?25h"
_USUAL = "\x1b[?1047l\x1b[?1l\x1b>\x1b[?7h\x1b[?1000;1002;1003;1004;1006;2004l\x1b[=0u\x1b[0m" + _SHOW
"""The screen that shells have, keys and letters as they are for them, no mouse; the cursor stays where it is."""

_SHOWN, _BEING_SHOWN = 1, 2
_SIZE = (80, 24)
_PATIENCE, _PAUSE = 0.5, 0.005
"""How many seconds a terminal has to take a whole screen, and between two looks whether it has."""


class OpenedTerminal:
    """The terminal of standard input, and of standard error or else standard output, as Textual has it.

    From `open` on it is as Textual will have it. `driver` gives it to Textual, `close` gives it back.
    """

    def __init__(self) -> None:
        self._shows = mmap.mmap(-1, 1)  # another process may write it
        self.before: list[Any] | None = None
        self._input = sys.__stdin__.fileno() if sys.__stdin__ is not None else -1
        streams = [stream for stream in (sys.__stderr__, sys.__stdout__) if stream is not None]
        self._stream = next((stream for stream in streams if stream.isatty()), None)
        self._output = self._stream.fileno() if self._stream is not None else -1

    def open(self) -> bool:
        """Stop the echo: what is typed now waits for Textual. Returns whether there is such a terminal."""
        try:
            import termios
        except ImportError:  # Windows
            return False
        try:
            self.before = termios.tcgetattr(self._input)
            modes = list(self.before)
            modes[_INPUT] &= ~(termios.ICRNL | termios.IXON)
            modes[_LOCAL] &= ~(termios.ECHO | termios.ICANON | termios.ISIG | termios.IEXTEN)
            termios.tcsetattr(self._input, termios.TCSANOW, modes)
        except termios.error:
            self.before = None
        return self.before is not None and self._stream is not None

    @property
    def size(self) -> tuple[int, int]:
        """Columns and lines. Variables may say what they were in another window."""
        try:
            columns, lines = os.get_terminal_size(self._output)
        except OSError:
            return _SIZE
        return columns or _SIZE[0], lines or _SIZE[1]

    @property
    def shows(self) -> bool:
        """Does it show another screen already?"""
        return bool(self._shows[0])

    def show(self, drawn: bytes) -> None:
        """Show a screen, in place of what the terminal shows."""
        self._shows[0] = _BEING_SHOWN
        data = (ENTER + _HIDE).encode() + drawn
        while data:
            data = data[os.write(self._output, data) :]
        self._shows[0] = _SHOWN

    def wait_until_shown(self) -> None:
        """Let another process finish the screen that it is showing: half a sequence would spoil what follows."""
        end = time.monotonic() + _PATIENCE
        while self._shows[0] == _BEING_SHOWN and time.monotonic() < end:
            time.sleep(_PAUSE)

    def taken(self, found: list[Any] | None) -> list[Any] | None:
        """Textual has taken the terminal, and found it like this: how it was before, which is what is given back."""
        before, self.before, self._shows[0] = self.before or found, None, 0
        return before

    def driver(self, base: type[Driver]) -> type[Driver]:
        """Textual's driver, which goes on from here."""
        opened = self
        _take_bytes_that_are_no_text(base)

        class Continuing(base):  # type: ignore[misc, valid-type]
            """Takes the terminal over as it is, and gives it back as it was before."""

            attrs_before: list[Any] | None
            _file: Any
            is_on = False

            def __init__(self, *given: Any, **named: Any) -> None:
                super().__init__(*given, **named)
                if opened._stream is not None and not self._file.isatty():
                    self._file = opened._stream

            def _get_terminal_size(self) -> tuple[int, int]:
                return opened.size

            def write(self, data: str) -> None:
                """Write, but do not leave the screen that is shown already."""
                if not (opened.shows and data == ENTER):
                    super().write(data)

            def start_application_mode(self) -> None:
                """Take the terminal."""
                super().start_application_mode()
                self.is_on = True
                self.attrs_before = opened.taken(getattr(self, "attrs_before", None))

            def stop_application_mode(self) -> None:
                """Show what was shown before. The settings of the terminal come back when all of that is written."""
                self.is_on = False
                opened.before, self.attrs_before = getattr(self, "attrs_before", None), None
                super().stop_application_mode()

            def close(self) -> None:
                """Write the rest, and give the terminal back."""
                super().close()
                opened.close()

            def resume_application_mode(self) -> None:
                """Take the terminal again, and draw all of it anew.

                A process that was stopped from outside could not give it back before.
                """
                import asyncio  # not before Textual is imported

                if self.is_on:
                    self.suspend_application_mode()
                super().resume_application_mode()
                asyncio.get_running_loop().call_soon_threadsafe(self._app.call_later, self._draw)

            def _draw(self) -> None:
                self._app.refresh(layout=True)

        return Continuing

    @contextmanager
    def lent(self) -> Iterator[None]:
        """Another program has the terminal. Whatever it leaves behind, if it is killed, is as it was before."""
        import termios  # nobody lends it on Windows

        try:
            found = termios.tcgetattr(self._input)
        except termios.error:
            yield
            return
        try:
            yield
        finally:
            with contextlib.suppress(OSError, termios.error):
                termios.tcsetattr(self._input, termios.TCSADRAIN, found)
                os.write(self._output, _USUAL.encode())

    def close(self) -> None:
        """Give the terminal back, unless Textual has taken it."""
        if self.before is None:
            return
        import termios

        with contextlib.suppress(OSError, termios.error):
            if self.shows:
                os.write(self._output, (LEAVE + _SHOW).encode())
            termios.tcsetattr(self._input, termios.TCSAFLUSH, self.before)
        self.before = None


def _take_bytes_that_are_no_text(driver: type[Driver]) -> None:
    """A terminal with another encoding, or a paste, may send any bytes: Textual's driver would end with an error."""
    module = sys.modules[driver.__module__]
    if hasattr(module, "getincrementaldecoder"):  # not on Windows
        vars(module)["getincrementaldecoder"] = lambda name: partial(codecs.getincrementaldecoder(name), "replace")
