"""A real terminal for a program: a pseudo-terminal, with an emulator that judges what is written to it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
import unicodedata
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyte
from wcwidth import wcwidth

SECONDS = 60.0
_ANSWERABLE = re.compile(rb"\x1b\[\?\d+\$p|\x1b\[>\d*q|\x1b\[\?u|\x1b\]22;\w*\x07")


class Screen(pyte.Screen):
    """A screen that passes over a letter without a width, where pyte's own forgets all that comes after it."""

    def draw(self, data: str) -> None:
        """Put letters on the screen."""
        super().draw("".join(letter for letter in data if wcwidth(letter) > 0 or unicodedata.combining(letter)))


class TerminalProgram:
    """A program in a terminal: keys in, the screen out."""

    def __init__(
        self, command: list[str], env: Mapping[str, str], cwd: Path, columns: int = 80, rows: int = 24
    ) -> None:
        self.screen = Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self.written = bytearray()
        self.status: int | None = None
        self.child, self._file = pty.fork()
        if self.child == 0:
            os.chdir(cwd)
            os.execvpe(command[0], command, dict(env))  # noqa: S606 (this is the program itself)
        fcntl.ioctl(self._file, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.status is None:
            os.kill(self.child, signal.SIGKILL)
            os.waitpid(self.child, 0)
        os.close(self._file)

    def send(self, keys: str | bytes) -> None:
        """Press keys."""
        os.write(self._file, keys if isinstance(keys, bytes) else keys.encode())

    def resize(self, columns: int, rows: int) -> None:
        """Make the window larger or smaller."""
        self.screen.resize(rows, columns)
        fcntl.ioctl(self._file, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    @property
    def text(self) -> str:
        """What is on the screen."""
        return "\n".join(line.rstrip() for line in self.screen.display)

    def settings(self) -> list[Any]:
        """How the terminal is set: whether it echoes, and so on."""
        return termios.tcgetattr(self._file)

    def until(self, condition: str | Callable[[], object]) -> None:
        """Wait until a text is on the screen, or something is true."""
        is_true = (lambda: condition in self.text) if isinstance(condition, str) else condition
        end = time.monotonic() + SECONDS
        while not is_true():
            assert time.monotonic() < end, f"never: {condition!r}\n{self.text}"
            if not self._take():
                assert is_true(), f"ended before {condition!r}\n{self.text}\n{self.written[-2000:]!r}"
                return

    def settle(self, seconds: float = 0.3) -> None:
        """Wait until nothing more is written."""
        length, still = -1, time.monotonic()
        while time.monotonic() - still < seconds:
            if len(self.written) != length:
                length, still = len(self.written), time.monotonic()
            assert self._take(), f"it ended\n{self.text}\n{self.written[-2000:]!r}"

    def press(self, keys: str) -> None:
        """Press keys, and wait until the screen shows what they do."""
        self.send(keys)
        self.settle()

    def wait(self) -> int:
        """Wait for the end of the program, and take its exit status."""
        end = time.monotonic() + SECONDS
        while self._take():
            assert time.monotonic() < end, f"it does not end\n{self.text}"
        _, status = os.waitpid(self.child, 0)
        self.status = os.waitstatus_to_exitcode(status)
        return self.status

    def has_more(self) -> bool:
        """Wait until something is written, and leave it there. Returns whether there is anything."""
        return bool(select.select([self._file], [], [], SECONDS)[0])

    def _take(self) -> bool:
        """Take what was written. Returns False at the end."""
        if not select.select([self._file], [], [], 0.05)[0]:
            return True
        try:
            data = os.read(self._file, 1 << 16)
        except OSError:
            return False
        self.written += data
        self._stream.feed(_ANSWERABLE.sub(b"", data))  # questions that this emulator does not know
        return bool(data)


def pollux_command(*arguments: str) -> list[str]:
    """The command line of pollux."""
    return [sys.executable, "-m", "pollux", *arguments]
