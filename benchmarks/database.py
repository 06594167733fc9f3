"""A large database of OpenCode: the first list, a list after one session changed, and reading; each with a yardstick.

python -m benchmarks.database FOLDER [--sessions N] [--megabytes N] [--rounds N]: the database is made once, and kept.
Changes are written in three ways: into the log while the agent runs, into the file when it ended, and as a new session.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

_CORPUS = Path(__file__).parent.parent / "tests" / "corpus" / "opencode" / "1.18.33" / "home"
PLACE = Path(".local") / "share" / "opencode" / "opencode.db"
"""Where the database lies in a home."""

_BEGIN = 1_770_000_000_000
_TURNS = 12
_TABLES = ("session", "message", "part", "todo")
_TARGETS = {"one changed session, in the log": 0.3, "one changed session, in the file": 0.3, "a new session": 0.3}

Row = tuple[Any, ...]


def history(folder: Path, sessions: int, megabytes: int) -> Path:
    """A home with a database of so many sessions, of so many megabytes in all."""
    home = folder / f"opencode-{sessions}-{megabytes}"
    database = home / PLACE
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
    with sqlite3.connect(f"{(_CORPUS / PLACE).as_uri()}?immutable=1", uri=True) as real:
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
    return (
        *given,
        "1.18.33",
        *[None] * 6,
        0.1,
        9,
        9,
        0,
        0,
        0,
        None,
        None,
        "build",
        None,
        at,
        at + _TURNS * 60_000 + 10,
        None,
        None,
    )


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


class Cost(NamedTuple):
    """Seconds of processor time, also of the processes that were started, and on the clock."""

    work: float
    clock: float


def cost(work: Callable[[], object]) -> Cost:
    """What some work costs."""
    before, started = _used(), time.perf_counter()
    work()
    return Cost(_used() - before, time.perf_counter() - started)


def _used() -> float:
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def measured(home: Path, rounds: int) -> Iterator[tuple[str, Cost, Cost]]:
    """What was measured, the yardstick, and pollux; each the best of some rounds."""
    database, cache = home / PLACE, home.parent / "cache"
    shutil.rmtree(cache, ignore_errors=True)
    environ = {**os.environ, "HOME": str(home), "XDG_CACHE_HOME": str(cache), "XDG_DATA_HOME": str(cache / "data")}
    environ["POLLUX_BACKGROUND"] = "0"

    def pollux(*words: str) -> str:
        command = [str(Path(sys.executable).with_name("pollux")), *words]
        return subprocess.run(command, env=environ, capture_output=True, text=True, check=True).stdout

    def listed(word: str) -> None:
        said = pollux("list", "--limit", "5")
        assert word in said, said

    bare = cost(lambda: bare_rows(database))
    yield "first list", bare, cost(lambda: pollux("list", "--limit", "5"))
    yield "all rows and words", bare, cost(lambda: pollux("sync"))
    yield "nothing changed", bare, min(cost(lambda: pollux("list", "--limit", "5")) for _ in range(rounds))
    with _agent(database) as agent:
        newest = agent.execute("SELECT id FROM session ORDER BY time_updated DESC LIMIT 1").fetchone()[0]
        words = (_said(agent, newest) for _ in range(rounds))
        yield "one changed session, in the log", bare, min(cost(partial(listed, word)) for word in words)
    words = (_said_at_once(database, newest) for _ in range(rounds))
    yield "one changed session, in the file", bare, min(cost(partial(listed, word)) for word in words)
    with _agent(database) as agent:
        words = (_new(agent) for _ in range(rounds))
        yield "a new session", bare, min(cost(partial(listed, word)) for word in words)
    yield "show a session", bare, min(cost(lambda: pollux("show", f"opencode:{newest}")) for _ in range(rounds))


@contextmanager
def _agent(database: Path) -> Iterator[sqlite3.Connection]:
    """The agent: its rows stay in the log until it ends."""
    with closing(sqlite3.connect(database, isolation_level=None)) as agent:
        agent.execute("PRAGMA wal_autocheckpoint=0")
        yield agent


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


def _said_at_once(database: Path, id: str) -> str:
    """The same by an agent that then ends, and moves its log into the file."""
    with _agent(database) as agent:
        return _said(agent, id)


def _new(agent: sqlite3.Connection) -> str:
    """Write a new session, and return its title."""
    number = agent.execute("SELECT count(*) FROM session").fetchone()[0]
    agent.execute("BEGIN")
    for table, row in session(number, random.Random(number), "some words " * 20_000, 40_000):
        _insert(agent, table, row)
    agent.execute("COMMIT")
    return f"Session {number}"


def bare_rows(database: Path) -> None:
    """The yardstick: read all rows of the tables with SQLite, in place, and parse their JSON."""
    decode = msgspec.json.Decoder().decode
    with closing(sqlite3.connect(f"{database.as_uri()}?immutable=1", uri=True)) as connection:
        for table in _TABLES:
            for row in connection.execute(f"SELECT * FROM {table}"):  # noqa: S608
                if table in ("message", "part"):
                    decode(row[-1])


def main() -> None:
    """Prints a table; a figure beyond its target is marked."""
    parser = argparse.ArgumentParser(description="Measure a large database of OpenCode.")
    parser.add_argument("folder", type=Path, help="where the database is made, and kept for the next time")
    parser.add_argument("--sessions", type=int, default=5000)
    parser.add_argument("--megabytes", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    home = history(options.folder.resolve(), options.sessions, options.megabytes)
    print(f"{(home / PLACE).stat().st_size / 1e6:,.0f} MB, {options.sessions:,} sessions; processor time (clock)")
    print(f"{'what':34} {'bare rows':>17} {'pollux':>17} {'ratio':>7} {'target':>7}")
    for name, bare, ours in measured(home, options.rounds):
        target = _TARGETS.get(name)
        mark = "  missed" if target is not None and ours.work > target else ""
        seconds = (f"{one.work:.2f} ({one.clock:.2f}) s" for one in (bare, ours))
        print("{:34} {:>17} {:>17}".format(name, *seconds), f"{ours.work / bare.work:7.2f} {target or '':>7}{mark}",
              flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
