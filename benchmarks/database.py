"""A large database of OpenCode: the first list, a list after one session changed, and reading; each with a yardstick.

python -m benchmarks.database FOLDER [--sessions N] [--megabytes N] [--rounds N]: the database is made once, and kept.
Changes are written in three ways: into the log while the agent runs, into the file when it ended, and as a new session.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

_CORPUS = Path(__file__).parent.parent / "tests" / "corpus" / "opencode" / "1.18.33" / "home"
_PLACE = Path(".local") / "share" / "opencode" / "opencode.db"
_BEGIN = 1_790_000_000_000
_TURNS = 12
_TABLES = ("session", "message", "part", "todo")
_TARGETS = {"one changed session, in the log": 0.3, "one changed session, in the file": 0.3, "a new session": 0.3}

Row = tuple[Any, ...]


def history(folder: Path, sessions: int, megabytes: int) -> Path:
    """A home with a database of so many sessions, of so many megabytes in all."""
    home = folder / f"opencode-{sessions}-{megabytes}"
    database = home / _PLACE
    if not database.exists():
        database.parent.mkdir(parents=True, exist_ok=True)
        making = database.with_suffix(".making")
        making.unlink(missing_ok=True)
        with sqlite3.connect(making, isolation_level=None) as connection:
            _fill(connection, sessions, megabytes)
        connection.close()
        making.rename(database)
    return home


def _fill(connection: sqlite3.Connection, sessions: int, megabytes: int) -> None:
    """Make the tables of the newest release in the corpus, and fill them."""
    connection.execute("PRAGMA journal_mode=OFF")
    connection.execute("PRAGMA synchronous=OFF")
    with sqlite3.connect(f"{(_CORPUS / _PLACE).as_uri()}?immutable=1", uri=True) as real:
        statements = [text for (text,) in real.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")]
    for statement in statements:
        connection.execute(statement)
    connection.execute("BEGIN")
    _insert(connection, "project", ("pool", "/home/ada/pool", "git", *[None] * 4, _BEGIN, _BEGIN, None, "[]", None))
    chance = random.Random(11)
    words = [f"{a}{b}" for a in ("par", "val", "sta", "re", "con") for b in ("ser", "ue", "tion", "turn", "fig", "ty")]
    text = " ".join(chance.choice(words) for _ in range(200_000))
    each = megabytes * 1_000_000 // sessions
    for number in range(sessions):
        for table, row in session(number, chance, text, each):
            _insert(connection, table, row)
    connection.execute("COMMIT")
    connection.execute("PRAGMA journal_mode=WAL")


def session(number: int, chance: random.Random, text: str, size: int) -> Iterator[tuple[str, Row]]:
    """The rows of a session with so many bytes: prompts, thinking, tool calls with long outputs, answers."""
    id, at = f"ses_{sessions_first(number)}", _BEGIN + number * 3_600_000
    yield "session", session_row(id, number, at)
    outputs = max(size - 16_000, 1000) // (_TURNS * 2)

    def part(message: str, count: int, data: dict[str, Any]) -> tuple[str, Row]:
        return "part", (f"prt_{message[4:]}{count:02}", message, id, at, at, json.dumps(data))

    def some(length: int) -> str:
        start = chance.randrange(len(text) - length)
        return text[start : start + length]

    for turn in range(_TURNS):
        at += 60_000
        prompt, reply = (f"msg_{number:06}{turn:03}{kind}" for kind in "ab")
        yield "message", (prompt, id, at, at, json.dumps(_prompt(at)))
        yield part(prompt, 0, {"type": "text", "text": some(300)})
        yield "message", (reply, id, at + 1, at + 1, json.dumps(_reply(prompt, at)))
        yield part(reply, 0, {"type": "step-start"})
        yield part(reply, 1, {"type": "reasoning", "text": some(400), "time": {"start": at, "end": at + 2}})
        for call in range(2):
            state = {"status": "completed", "input": {"command": f"make {turn}"}, "output": some(outputs), "title": "x",
                     "metadata": {"exit": 0}, "time": {"start": at, "end": at + 9}}  # fmt: skip
            yield part(reply, 2 + call, {"type": "tool", "callID": f"c{turn}{call}", "tool": "bash", "state": state})
        yield part(reply, 4, {"type": "text", "text": some(500), "time": {"start": at, "end": at + 9}})
        yield part(reply, 5, {"type": "step-finish", "reason": "stop", "cost": 0.01, "tokens": _tokens()})


def sessions_first(number: int) -> str:
    """The end of a session's id: ids sort in reverse."""
    return f"{10**9 - number:010}bench"


def session_row(id: str, number: int, at: int) -> Row:
    """The row of a session, all columns of the newest release."""
    given = (id, "pool", None, None, f"slug-{number}", f"/home/ada/pool/{number % 40}", "", f"Session {number}")
    return (*given, "1.18.33", *[None] * 6, 0.1, 9, 9, 0, 0, 0, None, None, "build", None, at, at, None, None)


def _prompt(at: int) -> dict[str, Any]:
    return {"role": "user", "time": {"created": at}, "agent": "build", "model": {"providerID": "p", "modelID": "m"}}


def _reply(prompt: str, at: int) -> dict[str, Any]:
    return {
        "role": "assistant", "parentID": prompt, "modelID": "m", "providerID": "p", "mode": "build", "agent": "build",
        "path": {"cwd": "/home/ada/pool", "root": "/home/ada"}, "cost": 0.01, "tokens": _tokens(), "finish": "stop",
        "time": {"created": at + 1, "completed": at + 10},
    }  # fmt: skip


def _tokens() -> dict[str, Any]:
    return {"total": 1200, "input": 1000, "output": 150, "reasoning": 50, "cache": {"read": 0, "write": 0}}


def _insert(connection: sqlite3.Connection, table: str, row: Row) -> None:
    connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)  # noqa: S608


# ---------------------------------------------------------------------------------------------------------- measuring


def measured(home: Path, rounds: int) -> Iterator[tuple[str, float, float]]:
    """What was measured, the yardstick and pollux, in seconds."""
    database, cache = home / _PLACE, home.parent / "cache"
    shutil.rmtree(cache, ignore_errors=True)
    environ = {**os.environ, "HOME": str(home), "XDG_CACHE_HOME": str(cache), "XDG_DATA_HOME": str(cache / "data")}
    pollux = str(Path(sys.executable).with_name("pollux"))

    def listed() -> str:
        done = subprocess.run([pollux, "list", "--limit", "5"], env=environ, capture_output=True, text=True, check=True)
        return done.stdout

    bare = _wall(lambda: bare_rows(database))
    yield "first list", bare, _wall(listed)
    yield "all rows and words", bare, _wall(lambda: subprocess.run([pollux, "sync"], env=environ, check=True,
                                                                  capture_output=True))  # fmt: skip
    yield "nothing changed", bare, min(_wall(listed) for _ in range(rounds))
    agent = sqlite3.connect(database, isolation_level=None)
    agent.execute("PRAGMA wal_autocheckpoint=0")
    agent.execute("SELECT count(*) FROM project").fetchall()
    newest = agent.execute("SELECT id FROM session ORDER BY time_updated DESC LIMIT 1").fetchone()[0]
    times = {"one changed session, in the log": _changed(agent, newest, listed, rounds)}
    agent.close()

    def in_file() -> Iterator[float]:
        for _ in range(rounds):
            agent = sqlite3.connect(database, isolation_level=None)
            word = _said(agent, newest)
            agent.close()
            yield _until(word, listed)

    times["one changed session, in the file"] = min(in_file())
    agent = sqlite3.connect(database, isolation_level=None)
    count = agent.execute("SELECT count(*) FROM session").fetchone()[0]
    made = []
    for number in range(count, count + rounds):
        agent.execute("BEGIN")
        for table, row in session(number, random.Random(number), "some words " * 20_000, 40_000):
            _insert(agent, table, row)
        agent.execute("COMMIT")
        made.append(_until(f"Session {number}", listed))
    times["a new session"] = min(made)
    agent.close()
    for name, seconds in times.items():
        yield name, bare, seconds


def _changed(agent: sqlite3.Connection, id: str, listed: Callable[[], str], rounds: int) -> float:
    return min(_until(_said(agent, id), listed) for _ in range(rounds))


def _said(agent: sqlite3.Connection, id: str) -> str:
    """Write another prompt into a session, and give it a new title, as the agent does in one turn."""
    number, at = time.time_ns(), time.time_ns() // 10**6
    message, word = f"msg_{number}", f"okapi{number}"
    agent.execute("BEGIN")
    _insert(agent, "message", (message, id, at, at, json.dumps(_prompt(at))))
    _insert(agent, "part", (f"prt_{number}", message, id, at, at, json.dumps({"type": "text", "text": word})))
    agent.execute("UPDATE session SET time_updated=?, title=? WHERE id=?", (at, word, id))
    agent.execute("COMMIT")
    return word


def _until(word: str, listed: Callable[[], str]) -> float:
    started = time.perf_counter()
    said = listed()
    seconds = time.perf_counter() - started
    assert word in said, said
    return seconds


def bare_rows(database: Path) -> None:
    """The yardstick: read all rows of the tables with SQLite, in place, and parse their JSON."""
    decode = msgspec.json.Decoder().decode
    with sqlite3.connect(f"{database.as_uri()}?immutable=1", uri=True) as connection:
        for table in _TABLES:
            for row in connection.execute(f"SELECT * FROM {table}"):  # noqa: S608
                if table in ("message", "part"):
                    decode(row[-1])
    connection.close()


def _wall(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def main() -> None:
    """Prints a table; a figure beyond its target is marked."""
    parser = argparse.ArgumentParser(description="Measure a large database of OpenCode.")
    parser.add_argument("folder", type=Path, help="where the database is made, and kept for the next time")
    parser.add_argument("--sessions", type=int, default=5000)
    parser.add_argument("--megabytes", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    home = history(options.folder.resolve(), options.sessions, options.megabytes)
    print(f"{(home / _PLACE).stat().st_size / 1e6:,.0f} MB, {options.sessions:,} sessions")
    print(f"{'what':36} {'bare rows':>10} {'pollux':>10} {'ratio':>7} {'target':>7}")
    for name, bare, ours in measured(home, options.rounds):
        target = _TARGETS.get(name)
        mark = "  missed" if target is not None and ours > target else ""
        print(f"{name:36} {bare:8.2f} s {ours:8.2f} s {ours / bare:7.2f} {target or '':>7}{mark}", flush=True)


if __name__ == "__main__":
    main()
