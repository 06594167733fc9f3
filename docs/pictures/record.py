# ruff: noqa: INP001 (a script, no package)
"""Records commands on a real terminal as an animated picture, with the times they really took.

`.venv/bin/python docs/pictures/record.py HOME > docs/pictures/first-minute.svg` types the first commands of a new user
over the history in HOME, without a cache. No wait is cut; typing has a pace of its own.
"""

from __future__ import annotations

import os
import pty
import select
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from fcntl import ioctl
from pathlib import Path
from termios import TIOCSWINSZ
from typing import NamedTuple

import pyte
from draw import ADVANCE, BAR, BOTTOM, COLUMNS, DIM, EDGE, FONT, GROUND, LEFT, LINE, SIZE, TOP, drawn
from rich.style import Style
from rich.text import Text

ROWS = 46
COMMANDS = (
    "pollux list --limit 6",
    "pollux show last | tail -n 6",
    "pollux search parser --limit 3",
    "pollux stats --by agent",
)
KEY, FRAME, PAUSE, REST = 0.04, 0.1, 1.5, 4.0
"""Seconds of a key, of a frame, of a look at an answer, and of the last picture before everything begins again."""
NAMES = {"green": "green", "red": "red", "brown": "yellow", "magenta": "magenta", "cyan": "cyan"}


class Row(NamedTuple):
    """What stands in one row of the terminal, from one second to another."""

    number: int
    text: Text
    start: float
    end: float


class Recorder:
    """A terminal that remembers when each of its rows changed."""

    def __init__(self) -> None:
        self._screen = pyte.Screen(COLUMNS, ROWS)
        self._stream = pyte.ByteStream(self._screen)
        self._since = [(0.0, Text()) for _ in range(ROWS)]
        self.rows: list[Row] = []
        self.now = 0.0

    def feed(self, output: bytes) -> None:
        """Show some output at the present second."""
        self._stream.feed(output)
        for number in sorted(self._screen.dirty):
            text = self._text(number)
            start, old = self._since[number]
            if text != old or text.spans != old.spans:
                self._leave(number, old, start)
                self._since[number] = (self.now, text)
        self._screen.dirty.clear()

    def end(self) -> None:
        """Everything that still stands has stood until now."""
        for number, (start, text) in enumerate(self._since):
            self._leave(number, text, start)

    def _leave(self, number: int, text: Text, start: float) -> None:
        if text.plain and self.now > start:
            self.rows.append(Row(number, text, start, self.now))

    def _text(self, number: int) -> Text:
        text = Text()
        cells = self._screen.buffer[number]
        for column in range(COLUMNS):
            cell = cells[column]
            colour = NAMES.get(cell.fg)
            text.append(cell.data, Style(color=colour, bold=cell.bold or None, dim=cell.fg == "brightblack" or None))
        text.rstrip()
        return text


def run(command: str, environ: dict[str, str]) -> Iterator[tuple[float, bytes]]:
    """What a command writes to a terminal, and after how many seconds, in steps of a frame."""
    mine, its = pty.openpty()
    ioctl(its, TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    started = time.monotonic()
    with subprocess.Popen(["/bin/sh", "-c", command], env=environ, stdin=its, stdout=its, stderr=its):  # noqa: S603
        os.close(its)
        is_open = True
        while is_open:
            output, end = b"", time.monotonic() + FRAME
            while is_open and (left := end - time.monotonic()) > 0:
                if select.select([mine], [], [], left)[0]:
                    try:
                        output += os.read(mine, 1 << 16)
                    except OSError:  # the other side is closed
                        is_open = False
            yield time.monotonic() - started, output
    os.close(mine)


def recorded(environ: dict[str, str]) -> Recorder:
    """The first commands, typed one after the other."""
    recorder = Recorder()
    for command in COMMANDS:
        recorder.feed(b"\x1b[32m$\x1b[0m ")
        for key in command:
            recorder.now += KEY
            recorder.feed(b"\x1b[1m" + key.encode() + b"\x1b[0m")
        recorder.now += 0.2
        recorder.feed(b"\r\n")
        entered = recorder.now
        for seconds, output in run(command, environ):
            recorder.now = entered + seconds
            recorder.feed(output)
        took = f"\x1b[90m{recorder.now - entered:.1f} s\x1b[0m\r\n"
        recorder.feed(took.encode())
        recorder.now += PAUSE
    recorder.now += REST
    recorder.end()
    return recorder


def animated(recorder: Recorder, title: str) -> str:
    """The recording as a drawing that moves, and shows its end where drawings do not move."""
    width, height = LEFT * 2 + COLUMNS * ADVANCE, TOP + LINE * ROWS + BOTTOM - LINE // 2
    end = recorder.now
    rows = recorder.rows
    steps = "".join(_steps(name, row, end) for name, row in enumerate(rows))
    body = "\n".join(
        f'<g class="{"last " if row.end >= end else ""}r{name}">{drawn(row.text, TOP + LINE * row.number)}</g>'
        for name, row in enumerate(rows)
    )
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" role="img">
<title>{title}</title>
<style>g>g{{visibility:hidden}}g>.last{{visibility:visible}}
@media not (prefers-reduced-motion:reduce){{g>g,g>.last{{animation:{end:.1f}s step-end infinite}}{steps}}}</style>
<rect x="0.5" y="0.5" width="{width - 1:.0f}" height="{height - 1}" rx="10" fill="{GROUND}" stroke="{EDGE}"/>
<path d="M0.5 38 V10.5 a10 10 0 0 1 10 -10 H{width - 10.5:.1f} a10 10 0 0 1 10 10 V38 Z" fill="{BAR}"/>
<g font-family="{FONT}" font-size="{SIZE}">
<text x="{width / 2:.0f}" y="24" fill="{DIM}" text-anchor="middle" font-size="13">{title}</text>
{body}
</g>
</svg>
"""


def _steps(name: int, row: Row, end: float) -> str:
    """When a row is seen and when it is not."""
    start, stop = (100 * at / end for at in (row.start, row.end))
    frames = f"0%{{visibility:hidden}}{start:.2f}%{{visibility:visible}}{stop:.2f}%{{visibility:hidden}}"
    return f"g>.r{name}{{animation-name:k{name}}}@keyframes k{name}{{{frames}}}"


def main() -> None:
    """Print the picture of the first minute over one history."""
    home = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as cache:
        environ = {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": str(home),
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            "PAGER": "cat",
            **{f"XDG_{name}_HOME": f"{cache}/{name.lower()}" for name in ("CACHE", "DATA", "CONFIG")},
        }
        recorder = recorded(environ)
        subprocess.run(["pollux", "cache", "clear"], env=environ, check=True, capture_output=True)  # noqa: S607
    count = sum(1 for file in home.rglob("*") if file.is_file())
    sys.stdout.write(animated(recorder, f"The first minute on a machine with {count:,} sessions"))


if __name__ == "__main__":
    main()
