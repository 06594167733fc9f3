"""The terminal UI in a real pseudo-terminal, beside a Textual app that shows nothing.

`python -m benchmarks.tui FOLDER` makes 10,000 sessions in a folder, and keeps them and their cache for the next time. A
frame's time is the processor time of the whole program from the key to the last byte that it
writes: nothing else on the machine is in it. Where the machine is quiet, the time on the clock is the same.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import pty
import re
import select
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyte

from benchmarks.store import history

_QUESTION = re.compile(rb"\x1b\[\?\d+\$p|\x1b\[>\d*q|\x1b\[\?u|\x1b\]22;\w*\x07")
"""What pyte does not know."""

POLLUX = str(Path(sys.executable).with_name("pollux"))
EMPTY = """
from textual.app import App
from textual.widgets import Footer, Input
class Empty(App):
    def compose(self):
        yield Input(placeholder="emptyfield", select_on_focus=False)
        yield Footer()
Empty().run()
"""
PLAIN = """
from rich.segment import Segment
from textual.app import App
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widgets import Input
class Rows(ScrollView, can_focus=False):
    def on_mount(self):
        self.virtual_size = Size(80, 10_000)
    def render_line(self, y):
        return Strip([Segment(f"row {self.scroll_offset.y + y} of a list".ljust(self.size.width))], self.size.width)
class Plain(App):
    BINDINGS = [("pagedown", "page", "")]
    def compose(self):
        yield Input(placeholder="emptyfield", select_on_focus=False)
        yield Rows()
    def on_mount(self):
        self.query_one(Input).cursor_blink = False
    def action_page(self):
        self.query_one(Rows).scroll_page_down(animate=False)
Plain().run()
"""
"""A list that draws nothing but the number of each row: what it needs is Textual's own share of a frame."""

LAST = "commands"
"""A word of pollux's last line."""

COLUMNS, ROWS = 120, 40
ROUNDS = 5
QUIET = 0.12
"""After so many seconds without a byte, a frame is complete."""

CALM = 0.4
"""The same after something long. The cursor of a field blinks each half second."""

WORDS = ("self", "import", "subprocess", "retry", "zanzibarquark", "path exists", "the error", "async def")
PER_SECOND, SECONDS = 30, 10
MESSAGES, FOLLOWED = 7200, 300
BLOCK = 200_000
KEYS = (("G", "g", "G"), ("g", "G", "g"), ("PgUp", "G", "\x1b[5~"), ("PgDn", "g", "\x1b[6~"), ("J", "g", "J"))
"""What is measured, the key before it, and its own."""


class InTerminal:
    """A program in a terminal that nobody looks at."""

    def __init__(self, command: list[str], env: Mapping[str, str]) -> None:
        self.begun = time.perf_counter()
        self.process, self._file = pty.fork()
        if self.process == 0:
            os.execvpe(command[0], command, dict(env))  # noqa: S606 (this is the program itself)
        self.resize(COLUMNS, ROWS)
        self.written = b""
        self._pieces: list[tuple[float, bytes]] = []

    def resize(self, columns: int, rows: int) -> None:
        """Make the window larger or smaller."""
        fcntl.ioctl(self._file, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def send(self, keys: str) -> None:
        """Press keys."""
        os.write(self._file, keys.encode())

    def take(self, seconds: float) -> bool:
        """Take what is written within so many seconds. Returns whether there was something."""
        if not select.select([self._file], [], [], seconds)[0]:
            return False
        piece = os.read(self._file, 1 << 20)
        self.written += piece
        self._pieces.append((time.perf_counter(), piece))
        return True

    def until(self, text: str, times: int = 1, seconds: float = 300) -> None:
        """Wait until a text was written, so many times."""
        end = time.perf_counter() + seconds
        while self.written.count(text.encode()) < times:
            if time.perf_counter() > end:
                raise TimeoutError(f"never: {text}\n{self.written[-2000:]!r}")
            self.take(0.05)

    def quiet(self, seconds: float = QUIET) -> float:
        """Wait until nothing more is written. Returns when the last byte was."""
        last = time.perf_counter()
        while self.take(seconds):
            last = time.perf_counter()
        return last

    def frame(self, act: Callable[[], None]) -> tuple[float, float]:
        """How long something takes until it is on the screen, in seconds on the clock and of the processor."""
        self.quiet()
        clock, used = time.perf_counter(), self.used()
        act()
        self.take(2.0)
        return self.quiet() - clock, self.used() - used

    def resized(self, columns: int, rows: int) -> tuple[float, float]:
        """How long another size takes, in seconds on the clock until all of the screen is as it stays, and in all.

        Textual draws the same screen once or twice more.
        """
        self.quiet()
        self._pieces.clear()
        begun = time.perf_counter()
        self.resize(columns, rows)
        self.take(2.0)
        end = self.quiet()
        screen = pyte.Screen(columns, rows)
        stream = pyte.ByteStream(screen)
        shown = []
        for when, piece in self._pieces:
            stream.feed(_QUESTION.sub(b"", piece))
            shown.append((when, list(screen.display)))
        right = next(when for when, lines in shown if lines == shown[-1][1])
        return right - begun, end - begun

    def press(self, keys: str) -> tuple[float, float]:
        """How long keys take."""
        return self.frame(lambda: self.send(keys))

    def used(self) -> float:
        """Seconds of processor time of all its threads."""
        return sum(_spent(file) for file in Path(f"/proc/{self.process}/task").glob("*/schedstat"))

    def memory(self) -> float:
        """Megabytes that belong to it alone."""
        lines = Path(f"/proc/{self.process}/smaps_rollup").read_text("utf-8").splitlines()
        return sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) / 1024

    def end(self) -> None:
        """End it."""
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self._file)


def _spent(file: Path) -> float:
    try:
        return int(file.read_text("utf-8").split()[0]) / 1e9
    except (OSError, IndexError):  # the thread has ended
        return 0.0


@contextmanager
def opened(command: list[str], env: Mapping[str, str], ready: str, times: int = 1) -> Iterator[InTerminal]:
    """A program whose first screen is there."""
    terminal = InTerminal(command, env)
    try:
        terminal.until(ready, times)
        yield terminal
    finally:
        terminal.end()


def starting(env: Mapping[str, str], rounds: int) -> dict[str, Any]:
    """From the start to the first list, and until it takes keys, each round beside the empty app.

    The last line of a screen is written last. pollux writes the first screen itself; with the second one Textual has
    the terminal, and takes keys.
    """
    programs = {
        "empty": ([sys.executable, "-c", EMPTY], "mptyfield", 1),
        "pollux": ([POLLUX], LAST, 1),
        "keys": ([POLLUX], LAST, 2),
    }
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in programs}
    for _ in range(rounds):
        for name, (command, text, count) in programs.items():
            with opened(command, env, text, count) as terminal:
                times[name].append((time.perf_counter() - terminal.begun, terminal.used()))
    clock = {name: min(one for one, _ in rows) for name, rows in times.items()}
    processor = {name: min(one for _, one in rows) for name, rows in times.items()}
    return {
        what: {
            "empty_ms": clock["empty"] * 1e3,
            "ms": clock[name] * 1e3,
            "ratio": clock[name] / clock["empty"],
            "processor_ratio": processor[name] / processor["empty"],
            "ours_ms": (clock[name] - clock["empty"]) * 1e3,
        }
        for what, name in (("the first list", "pollux"), ("the first list takes keys", "keys"))
    }


def typing(env: Mapping[str, str], ready: str) -> dict[str, Any]:
    """Keys in the search field: one at a time, then many in a row."""
    with opened([POLLUX], env, ready) as terminal:
        terminal.quiet(CALM)
        frames = []
        for word in WORDS:
            frames += [terminal.press(letter) for letter in word]
            terminal.press("\x1b")
        frames = frames[len(WORDS[0]) :]  # the first word opens the index
        keys = (" ".join(WORDS) + " ") * 10
        begun = time.perf_counter()
        for number, letter in enumerate(keys[: PER_SECOND * SECONDS]):
            while (left := begun + number / PER_SECOND - time.perf_counter()) > 0:
                terminal.take(left)
            terminal.send(letter)
        sent = time.perf_counter()
        behind = terminal.quiet(CALM) - sent
    return {"a key in the search field": summed_up(frames), "after 300 keys in 10 s": {"behind_ms": behind * 1e3}}


def scrolling(env: Mapping[str, str], ready: str) -> dict[str, Any]:
    """Through the list, and how much memory it takes; beside it a plain list."""
    with opened([sys.executable, "-c", EMPTY], env, "mptyfield") as empty:
        empty.quiet(CALM)
        least = empty.memory()
    with opened([sys.executable, "-c", PLAIN], env, "mptyfield") as plain:
        plain.quiet(CALM)
        own = {
            "a plain list: a screen further": [plain.press("\x1b[6~") for _ in range(20)],
            "a plain list: a key in the field": [plain.press(letter) for letter in "subprocess retry"],
            "a plain list: resize": [_resized(plain, *size) for size in ((100, 35), (COLUMNS, ROWS)) * 3],
        }
        resized = _right_after(plain)
    with opened([POLLUX], env, ready) as terminal:
        terminal.quiet(CALM)
        frames = [terminal.press("\x1b[6~") for _ in range(40)]
        frames += [terminal.press("\x1b[B") for _ in range(20)]
        frames += [terminal.press(key) for key in ("\x1b[1;5F", "\x1b[5~", "\x1b[1;5H", "\x1b[6~")]
        memory = terminal.memory() - least
    return {
        **{name: summed_up(one) for name, one in own.items()},
        "a plain list: resize, until the screen is right": resized,
        "a frame of the list": {**summed_up(frames), "megabytes_over_empty": memory},
    }


def reading(folder: Path) -> dict[str, Any]:
    """A session of many messages, one with a large block, and one that is being written."""
    home, env = _written(folder)
    found: dict[str, Any] = {}
    with opened([POLLUX], env, "3 sessions") as terminal:
        terminal.quiet(CALM)
        _open(terminal, "manymessages")
        for name, before, keys in KEYS:
            terminal.press(before)
            found[f"7,200 messages: {name}"] = summed_up([terminal.press(keys)])
        resized = [_resized(terminal, columns, rows) for columns, rows in ((COLUMNS - 20, ROWS - 5), (COLUMNS, ROWS))]
        found["7,200 messages: resize"] = summed_up(resized)
        found["7,200 messages: resize, until the screen is right"] = _right_after(terminal)
        terminal.press("q")
        terminal.press("\x1b")
        found["a block of 200 kB"] = summed_up([_open(terminal, "largeblock")])
        terminal.press("q")
        terminal.press("\x1b")
        _open(terminal, "followed")
        terminal.press("F")
        found["following 300 messages a second"] = _followed(terminal, home)
    return found


def _resized(terminal: InTerminal, columns: int, rows: int) -> tuple[float, float]:
    return terminal.frame(lambda: terminal.resize(columns, rows))


def _right_after(terminal: InTerminal) -> dict[str, Any]:
    """When the screen is right after another size, and when the last byte is written."""
    times = [terminal.resized(*size) for size in ((COLUMNS - 20, ROWS - 5), (COLUMNS, ROWS)) * 5]
    right, last = ([one[place] * 1e3 for one in times] for place in (0, 1))
    return {"right_ms": statistics.median(right), "slowest_ms": max(right), "last_ms": statistics.median(last)}


def _open(terminal: InTerminal, word: str) -> tuple[float, float]:
    """Find a session, and open it."""
    terminal.press(word)
    terminal.quiet(CALM)
    return terminal.press("\r")


def _followed(terminal: InTerminal, home: Path, seconds: float = 5.0) -> dict[str, Any]:
    """What a frame costs while a session is written."""
    file = next(home.rglob("*-cccccccc.jsonl"))
    used, frames = terminal.used(), 0
    begun = time.perf_counter()
    number = 0
    with file.open("a", encoding="utf-8") as stream:
        while time.perf_counter() - begun < seconds:
            due = int((time.perf_counter() - begun) * FOLLOWED)
            while number < due:
                number += 1
                stream.write(json.dumps(_message(f"new{number}", number, f"step {number} of it")) + "\n")
            stream.flush()
            before = len(terminal.written)
            terminal.take(0.02)
            frames += len(terminal.written) > before
    spent = terminal.used() - used
    return {"frames": frames, "processor_ms_a_second": spent / seconds * 1e3, "cpu_ms": spent / max(frames, 1) * 1e3}


def _message(id: str, number: int, text: str, kind: str = "gemini") -> dict[str, Any]:
    at = f"2026-03-01T{10 + number // 3600 % 12:02}:{number // 60 % 60:02}:{number % 60:02}.000Z"
    content = text if kind == "gemini" else [{"text": text}]
    return {"id": id, "timestamp": at, "type": kind, "content": content}


def _written(folder: Path) -> tuple[Path, dict[str, str]]:
    home = folder / "read"
    chats = home / ".gemini" / "tmp" / "garden" / "chats"
    chats.mkdir(parents=True)
    (chats.parent / ".project_root").write_text("/home/mia/garden", "utf-8")
    reply = "Sow **peas** in March.\n\n- in rows\n- not too deep\n\n```python\ndef sow(pea):\n    return pea\n```\n"
    many = [
        _message(f"m{number}", number, f"manymessages {number}", "user")
        if number % 2 == 0
        else _message(f"m{number}", number, f"{reply} {number}")
        for number in range(MESSAGES)
    ]
    block = "\n\n".join(f"## Part {n}\n\n{reply}" for n in range(BLOCK // (len(reply) + 15) + 1))[:BLOCK]
    large = [_message("a", 1, "largeblock", "user"), _message("b", 2, block)]
    followed = [_message("f0", 0, "followed", "user")]
    followed += [_message(f"f{number}", number, f"step {number}") for number in range(1, MESSAGES)]
    for letter, messages in zip("abc", (many, large, followed), strict=True):
        id = f"{letter * 8}-aaaa-4000-8000-000000000001"
        times = {"startTime": "2026-03-01T10:00:00.000Z", "lastUpdated": "2026-03-01T11:00:00.000Z"}
        head = {"sessionId": id, "projectHash": "0" * 64, **times, "kind": "main"}
        lines = "".join(json.dumps(record) + "\n" for record in (head, *messages))
        (chats / f"session-2026-03-01T10-00-{letter * 8}.jsonl").write_text(lines, "utf-8")
    env = environment(home, folder / "own")
    subprocess.run([POLLUX, "sync"], env=env, check=True, capture_output=True)
    return home, env


def summed_up(frames: list[tuple[float, float]]) -> dict[str, float]:
    """The middle and the 95th of a hundred, on the clock and of the processor, in milliseconds."""
    clock, processor = (sorted(one[place] * 1e3 for one in frames) for place in (0, 1))
    late = max(round(len(frames) * 0.95) - 1, 0)
    return {
        "p50_ms": statistics.median(clock),
        "p95_ms": clock[late],
        "cpu_p50_ms": statistics.median(processor),
        "cpu_p95_ms": processor[late],
    }


def environment(home: Path, own: Path) -> dict[str, str]:
    """An environment with this home, and pollux's own files in a folder."""
    places = {f"XDG_{name}_HOME": str(own / name.lower()) for name in ("CACHE", "DATA", "CONFIG")}
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return {**kept, **places, "HOME": str(home), "TERM": "xterm-256color", "POLLUX_BACKGROUND": "0"}


def main() -> None:
    """Measure, and print."""
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    options.add_argument("folder", type=Path)
    options.add_argument("--home", type=Path, help="a history that is there already")
    options.add_argument("--sessions", type=int, default=10_000)
    options.add_argument("--rounds", type=int, default=ROUNDS)
    options.add_argument("--only", choices=["start", "type", "scroll", "read"])
    given = options.parse_args()
    env = environment(given.home or history(given.folder, given.sessions), given.folder / "own")
    subprocess.run([POLLUX, "sync"], env=env, check=True, capture_output=True)
    ready = f"{given.sessions:,} sessions"
    found: dict[str, Any] = {}
    if given.only in (None, "start"):
        found |= starting(env, given.rounds)
    if given.only in (None, "type"):
        found |= typing(env, ready)
    if given.only in (None, "scroll"):
        found |= scrolling(env, ready)
    if given.only in (None, "read"):
        with tempfile.TemporaryDirectory() as folder:
            found |= reading(Path(folder))
    for name, figures in found.items():
        print(f"{name:36}", "  ".join(f"{what} {value:.4g}" for what, value in figures.items()))


if __name__ == "__main__":
    main()
