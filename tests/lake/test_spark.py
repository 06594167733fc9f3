"""Raw homes on Spark: a cluster of two workers reads what the library reads, and a bad home costs nobody else's."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pollux import Filter, Library
from pollux.lake.tables import TABLES
from pollux.model import Session, ToolCall
from pollux.usage.stats import Grouping
from tests.lake.engines import engine, java

ROOT = Path(__file__).parents[2]
CORPUS = ROOT / "tests" / "corpus"
HOMES = [
    "claude/1.0.128",
    "claude/2.1.325",
    "claude/walk-fork-of-compacted-in-other-folder",
    "codex/0.130.0",
    "codex/0.166.0-compressed",
    "codex/walk-exact-though-cut",
    "copilot/1.0.102",
    "copilot/1.0.11-tui",
    "gemini/0.4.1",
    "gemini/0.61.0",
    "gemini/upgrade",
    "opencode/0.5.29",
    "opencode/1.18.33-wal",
    "qwen/0.1.4",
    "qwen/0.24.4",
    "qwen/0.5.2-tui",
]
USED = ("input", "cached", "output", "reasoning", "requests")
DAMAGED = "damaged-home"


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixteen homes of six agents, and one whose files are damaged."""
    folder = tmp_path_factory.mktemp("raw") / "homes"
    for name in HOMES:
        shutil.copytree(CORPUS / name / "home", folder / name.replace("/", "-"), symlinks=True)
    chats = folder / DAMAGED / ".gemini" / "tmp" / "shop" / "chats"
    chats.mkdir(parents=True)
    (chats / "session-2026-11-01T10-00-abcdef01.json").write_bytes(b"\x00\x01 no session")
    return folder


def of_library(home: Path, beside: Path) -> tuple[dict[str, tuple[str | None, int, int]], dict[str, list[int | None]]]:
    """The title, messages and calls of each session, and the figures of each agent, from this machine's own pollux."""
    own = {f"XDG_{name}_HOME": str(beside / name.lower()) for name in ("CACHE", "CONFIG", "DATA", "STATE")}
    with Library({"HOME": str(home), **own}, home, hunt=False) as library:
        titles = {entry.summary.key: entry.summary.title for entry in library.list(Filter(everything=True))}
        sessions = {
            session.key: (titles[session.key], len(session.messages), calls_in(session))
            for session in library.sessions(Filter(everything=True))
        }
        stats = library.usage.stats(Grouping.AGENT)
    return sessions, {str(row.name): [getattr(row.usage, name) for name in USED] for row in stats.rows}


def calls_in(session: Session) -> int:
    return sum(type(part) is ToolCall for message in session.messages for part in message.parts)


@pytest.mark.slow
@pytest.mark.timeout(1500)  # a cluster on a busy machine
def test_two_workers_read_what_the_library_reads(homes: Path, tmp_path: Path) -> None:
    engine("pyspark")
    java()
    environ = {**os.environ, "PYSPARK_PYTHON": sys.executable, "PYTHONPATH": str(ROOT), "SPARK_LOCAL_IP": "127.0.0.1"}
    command = [sys.executable, "-m", "tests.lake.spark_job", str(homes)]
    done = subprocess.run(command, env=environ, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    found: dict[str, Any] = json.loads(done.stdout)

    assert (found["tasks"], found["workers"]) == (len(HOMES) + 1, 2)
    titles = table(found["sessions"], "title")
    messages, calls = table(found["messages"], "count"), table(found["calls"], "count")
    used = {(row["home"], row["agent"]): [row[name] for name in USED] for row in found["usage"]}
    for name in HOMES:
        home = homes / name.replace("/", "-")
        sessions, by_agent = of_library(home, tmp_path / "beside" / name)
        here = {key for at, key in titles if at == str(home)}
        assert here == sessions.keys(), name
        for key in here:
            place = (str(home), key)
            assert (titles[place], messages.get(place, 0), calls.get(place, 0)) == sessions[key]
        for agent, expected in by_agent.items():
            assert used.get((str(home), agent), [None] * len(USED)) == expected, name

    problems = [row for row in found["problems"] if row["home"] == str(homes / DAMAGED)]
    assert {(row["agent"], row["severity"]) for row in problems} == {("gemini", "error")}
    assert "file.damaged" in {row["code"] for row in problems}
    for name, columns in found["columns"].items():
        if name in TABLES:
            assert [column for column, _ in columns] == ["home", *(c.name for c in TABLES[name].of_session())]
    assert [sorted(row) for row in found["some"]] == [["key", "prompts"]]


def table(rows: list[dict[str, Any]], value: str) -> dict[tuple[str, str], Any]:
    """A value by home and session; a session that comes twice is an error."""
    assert len({(row["home"], row["key"]) for row in rows}) == len(rows)
    return {(row["home"], row["key"]): row[value] for row in rows}
