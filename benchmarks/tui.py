"""The terminal UI: its first screen, keys, scrolling, a long conversation, following; beside an empty Textual app.

`python -m benchmarks.tui FOLDER SESSIONS` makes a history in a folder, and keeps it for the next time.
"""

from __future__ import annotations

import argparse
import asyncio
import fcntl
import json
import os
import pty
import resource
import select
import signal
import statistics
import struct
import sys
import termios
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from benchmarks.store import history
from pollux.library.library import Library, ListedKey
from pollux.tui.app import PolluxApp
from pollux.tui.list.question import Question
from pollux.tui.list.rows import rows_by_day
from pollux.tui.reader.screen import ReaderScreen

EMPTY = """
from textual.app import App
from textual.widgets import Footer, Input
class Empty(App):
    def compose(self):
        yield Input(placeholder="nothing")
        yield Footer()
Empty().run()
"""
TYPED = "subprocess import self return"
SIZE = (120, 40)
MESSAGES = 7200


def first_screen(environ: dict[str, str], rounds: int) -> dict[str, float]:
    """From `exec` to the first painted list in a terminal, and to that of an empty app; the best round of each."""
    ours, theirs = [], []
    for _ in range(rounds):
        theirs.append(_painted([sys.executable, "-c", EMPTY], b"othing", environ))
        ours.append(_painted([sys.executable, "-m", "pollux"], b" sessions", environ))
    return {
        "seconds": min(wall for wall, _ in ours),
        "empty": min(wall for wall, _ in theirs),
        "ratio": min(wall for wall, _ in ours) / min(wall for wall, _ in theirs),
        "cpu": min(cpu for _, cpu in ours),
        "empty cpu": min(cpu for _, cpu in theirs),
        "cpu ratio": min(cpu for _, cpu in ours) / min(cpu for _, cpu in theirs),
    }


def _painted(command: list[str], words: bytes, environ: dict[str, str]) -> tuple[float, float]:
    """The time until the words are on the terminal, and the process's CPU time until then."""
    start = time.perf_counter()
    child, terminal = pty.fork()
    if child == 0:
        os.execvpe(command[0], command, environ)  # noqa: S606 (this is the program itself)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", SIZE[1], SIZE[0], 0, 0))
    written = b""
    while words not in written:
        assert select.select([terminal], [], [], 60)[0]
        written += os.read(terminal, 1 << 16)
    wall = time.perf_counter() - start
    fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
    cpu = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(terminal)
    return wall, cpu


def _milliseconds(times: list[float]) -> dict[str, float]:
    ordered = sorted(times)
    return {
        "median": 1000 * statistics.median(ordered),
        "p95": 1000 * ordered[int(len(ordered) * 0.95)],
        "most": 1000 * ordered[-1],
    }


def _driven(environ: dict[str, str], steps: Callable[[PolluxApp, Any], Awaitable[dict[str, Any]]]) -> dict[str, Any]:
    """Take some steps in the app, without a terminal."""

    async def run() -> dict[str, Any]:
        library = Library(environ, Path(environ["HOME"]), hunt=False, fresh=False, complete_later=True)
        app = PolluxApp(lambda: library, Question())
        async with app.run_test(size=SIZE) as pilot:
            while not app.list_screen.sessions.rows or app.is_syncing:
                await asyncio.sleep(0.02)
            return await steps(app, pilot)

    return asyncio.run(run())


async def _frame(app: PolluxApp, action: Callable[[], object]) -> float:
    """The CPU time of an action, until the screen is drawn again."""
    drawn = asyncio.Event()
    start = time.process_time()
    action()
    app.screen.call_after_refresh(drawn.set)
    await drawn.wait()
    return time.process_time() - start


async def typing(app: PolluxApp, _pilot: Any) -> dict[str, Any]:
    """From a key in the search field to its answer on the screen, in CPU time of all threads."""
    screen, times = app.list_screen, []
    for letter in TYPED:
        start = time.process_time()
        screen.field.insert_text_at_cursor(letter)
        while screen._shown is None or screen._shown[0] != screen.question.text:
            await asyncio.sleep(0.001)
        await _frame(app, lambda: None)
        times.append(time.process_time() - start)
    return _milliseconds(times)


async def hurry(app: PolluxApp, pilot: Any) -> dict[str, Any]:
    """30 keys a second for 10 seconds: how long after the last one its answer is there."""
    screen = app.list_screen
    for number in range(300):
        await pilot.press(TYPED[number % len(TYPED)].replace(" ", "a"))
        await asyncio.sleep(1 / 30)
        if number % len(TYPED) == len(TYPED) - 1:
            screen.field.value = ""
    start = time.perf_counter()
    while screen._shown is None or screen._shown[0] != screen.question.text:
        await asyncio.sleep(0.001)
    return {"backlog ms": 1000 * (time.perf_counter() - start)}


async def scrolling(app: PolluxApp, pilot: Any) -> dict[str, Any]:
    """A screen further, many times, in a list of 50,000 sessions; and what the list takes."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    known = app.library.index.listed_keys(app_filter())
    keys = [ListedKey(f"{one.key}", one.kind, one.parent, one.moment) for one in known]
    many = [one for _ in range(50_000 // max(len(keys), 1) + 1) for one in keys][:50_000]
    sessions = app.list_screen.sessions
    sessions.show(rows_by_day(many, (), everything=True), keep=False)
    await pilot.pause()
    times = [await _frame(app, app.list_screen.action_page_down) for _ in range(60)]
    return {**_milliseconds(times), "MB": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1000}


def app_filter() -> Any:
    from pollux.library.library import Filter

    return Filter(everything=True)


def long_session(home: Path) -> str:
    """A session of many messages."""
    folder = home / ".claude" / "projects" / "-long"
    folder.mkdir(parents=True, exist_ok=True)
    id = "00000000-0000-4000-8000-000000007200"
    lines, parent = [], None
    for number in range(MESSAGES):
        role = "user" if number % 2 == 0 else "assistant"
        text = f"Message {number}: " + "some words to read, `code` and **more** of it. " * 8
        content = text if role == "user" else [{"type": "text", "text": f"## Part {number}\n\n{text}\n\n- one\n- two"}]
        record = {
            "type": role,
            "uuid": f"{number:032x}",
            "parentUuid": parent,
            "sessionId": id,
            "timestamp": f"2026-01-01T{number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}.000Z",
            "cwd": "/long",
            "version": "2.1.0",
            "message": {"role": role, "content": content, **({"model": "m"} if role == "assistant" else {})},
        }
        parent = record["uuid"]
        lines.append(json.dumps(record))
    (folder / f"{id}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    return f"claude:{id}"


def reading(key: str) -> Callable[[PolluxApp, Any], Awaitable[dict[str, Any]]]:
    """How long the end, the beginning, a screen back and a resize of a long conversation take."""

    async def steps(app: PolluxApp, pilot: Any) -> dict[str, Any]:
        start = time.perf_counter()
        app.call_later(app.read, key)
        while not (isinstance(app.screen, ReaderScreen) and app.screen.session is not None):
            await asyncio.sleep(0.005)
        await pilot.pause()
        result: dict[str, Any] = {"opened s": time.perf_counter() - start}
        screen = app.screen
        actions = {
            "G": screen.action_bottom,
            "PgUp": screen.action_page_up,
            "g": screen.action_top,
            "J": screen.action_next_message,
        }
        for name, action in actions.items():
            result[f"{name} ms"] = 1000 * max([await _frame(app, action) for _ in range(5)])
        times = []
        for columns in (100, 80, 140, 120):
            begin = time.process_time()
            await pilot.resize_terminal(columns, 40)
            await pilot.pause()
            times.append(time.process_time() - begin)
        result["resize ms"] = 1000 * max(times)
        return result

    return steps


def following(home: Path) -> Callable[[PolluxApp, Any], Awaitable[dict[str, Any]]]:
    """A session that grows by 300 messages a second is followed: how long the frames take."""
    folder = home / ".claude" / "projects" / "-long"
    id = "00000000-0000-4000-8000-000000000300"
    file = folder / f"{id}.jsonl"
    lines = [
        line.replace("000000007200", "000000000300")
        for line in (folder / "00000000-0000-4000-8000-000000007200.jsonl").read_text("utf-8").splitlines(keepends=True)
    ]
    file.write_text("".join(lines[:100]), "utf-8")

    async def steps(app: PolluxApp, pilot: Any) -> dict[str, Any]:
        app.call_later(app.read, f"claude:{id}")
        while not (isinstance(app.screen, ReaderScreen) and app.screen.session is not None):
            await asyncio.sleep(0.005)
        await pilot.press("F")
        times: list[float] = []
        renew = app.screen.on_reader_screen_read

        def measured(event: Any) -> None:
            start = time.process_time()
            renew(event)
            times.append(time.process_time() - start)

        app.screen.on_reader_screen_read = measured  # type: ignore[method-assign]
        for number in range(100, 1600, 15):
            with file.open("a", encoding="utf-8") as stream:
                stream.writelines(lines[number : number + 15])
            await asyncio.sleep(0.05)
        await asyncio.sleep(1)
        seen = app.screen.session.messages
        assert len(seen) == 1600, len(seen)
        return _milliseconds(times)

    return steps


def main() -> None:
    """Print all figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("sessions", type=int, nargs="?", default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    home = history(options.folder, options.sessions, 10)
    cache = options.folder / "tui"
    environ = {
        **os.environ,
        "HOME": str(home),
        "TERM": "xterm-256color",
        "POLLUX_BACKGROUND": "0",
        **{f"XDG_{name}_HOME": str(cache / name.lower()) for name in ("CACHE", "DATA", "CONFIG")},
    }
    key = long_session(home)
    follow = following(home)
    with Library(environ, home, hunt=False) as library:
        library.sync()
    figures = {
        "first screen": first_screen(environ, options.rounds),
        "a key in the search field, CPU ms": _driven(environ, typing),
        "30 keys a second": _driven(environ, hurry),
        "a page of 50,000 sessions, CPU ms": _driven(environ, scrolling),
        "following 300 messages a second, CPU ms": _driven(environ, follow),
        f"a session of {MESSAGES:,} messages, CPU ms": _driven(environ, reading(key)),
    }
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
