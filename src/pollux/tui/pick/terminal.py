"""The terminal itself, whatever the standard streams are: keys from it, and a few lines on it."""

from __future__ import annotations

import codecs
import contextlib
import os
import select
import signal
import termios
import tty
from typing import TYPE_CHECKING, Self

from pollux.draw.width import width
from pollux.errors import RequestError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import TracebackType

_KEYS = {
    "\r": "enter",
    "\n": "enter",
    "\x7f": "backspace",
    "\x08": "backspace",
    "\t": "tab",
    "\x03": "escape",
    "\x04": "escape",
    "\x07": "escape",
    "\x0e": "down",
    "\x10": "up",
    "\x15": "clear",
    "\x17": "word",
    "\x1b[A": "up",
    "\x1b[B": "down",
    "\x1bOA": "up",
    "\x1bOB": "down",
    "\x1b[5~": "pageup",
    "\x1b[6~": "pagedown",
    "\x1b[H": "home",
    "\x1b[F": "end",
}
_ESCAPE_SECONDS = 0.05
_SIZE = (80, 24)


class Terminal:
    """Open while in use. Afterwards the terminal is as it was, and what was drawn on it is gone."""

    def __init__(self) -> None:
        try:
            self._file = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
        except OSError:
            raise RequestError("pollux pick needs a terminal.", "Try: pollux list --json") from None
        self._before = termios.tcgetattr(self._file)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._waking, self._wake = os.pipe()
        self._height = 0
        self._resized: object = None

    def __enter__(self) -> Self:
        tty.setraw(self._file, termios.TCSADRAIN)
        with contextlib.suppress(ValueError):  # another thread than the main one
            self._resized = signal.signal(signal.SIGWINCH, lambda *_: self.wake())
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with contextlib.suppress(OSError, termios.error):  # the terminal may be gone
            self._write("\r\x1b[J\x1b[?25h")
            termios.tcsetattr(self._file, termios.TCSADRAIN, self._before)
        if callable(self._resized) or isinstance(self._resized, int):
            signal.signal(signal.SIGWINCH, self._resized)
        for file in (self._file, self._waking, self._wake):
            os.close(file)

    @property
    def size(self) -> tuple[int, int]:
        """Columns and lines."""
        try:
            columns, lines = os.get_terminal_size(self._file)
        except OSError:
            return _SIZE
        return columns or _SIZE[0], lines or _SIZE[1]

    def wake(self) -> None:
        """End the waiting for keys; any thread may call this."""
        with contextlib.suppress(OSError):
            os.write(self._wake, b".")

    def pressed(self) -> Iterator[str]:
        """The keys that were pressed, letters as they are; none if it was woken; `closed` if the terminal is gone."""
        ready, _, _ = select.select([self._file, self._waking], [], [])
        if self._waking in ready:
            os.read(self._waking, 1024)
        if self._file not in ready:
            return
        try:
            data = os.read(self._file, 4096)
        except OSError:
            data = b""
        if not data:
            yield "closed"
            return
        text = self._decoder.decode(data)
        if text == "\x1b" and select.select([self._file], [], [], _ESCAPE_SECONDS)[0]:
            text += self._decoder.decode(os.read(self._file, 4096))
        yield from split_keys(text)

    def draw(self, lines: Sequence[str], column: int) -> None:
        """Draw lines from where the cursor is on, and put the cursor into the first of them."""
        self._height = max(self._height, len(lines))
        rest = [""] * (self._height - len(lines))
        frame = "\r\n".join(f"{line}\x1b[0m\x1b[K" for line in [*lines, *rest])
        up = f"\x1b[{self._height - 1}A" if self._height > 1 else ""
        right = f"\x1b[{column}C" if column else ""
        self._write(f"\x1b[?25l\r{frame}{up}\r{right}\x1b[?25h")

    def _write(self, text: str) -> None:
        data = text.encode("utf-8", "replace")
        while data:
            data = data[os.write(self._file, data) :]


def split_keys(text: str) -> Iterator[str]:
    """The keys in what a terminal sends: letters, names of other keys; unknown sequences are left out."""
    while text:
        for sequence, name in _KEYS.items():
            if text.startswith(sequence):
                yield name
                text = text[len(sequence) :]
                break
        else:
            if text[0] == "\x1b":
                end = next((n for n, letter in enumerate(text[2:], 2) if letter.isalpha() or letter == "~"), None)
                if len(text) == 1:
                    yield "escape"
                text = text[end + 1 :] if end is not None and text[1:2] in ("[", "O") else text[1:]
            else:
                if text[0].isprintable() and width(text[0]):
                    yield text[0]
                text = text[1:]
