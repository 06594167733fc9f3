"""The package in `examples`, installed as a person would: commands and the server for agents see its session."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import program
from tests.cli.program import Pollux
from tests.mcp.conftest import Server, World

PACKAGE = Path(__file__).parent.parent / "examples" / "parrot"
KEY = "parrot:7c1f"
ASKED = "Who is a clever bird?"
REPLIED = "A clever bird!"
LINES = (
    {"who": "me", "text": ASKED, "time": "2026-11-14T09:30:00.000Z"},
    {"who": "parrot", "text": REPLIED, "time": "2026-11-14T09:30:02.000Z"},
)
OFFLINE = ("--isolated", "--disable-pip-version-check", "--no-index", "--no-deps", "--no-build-isolation")


@pytest.fixture(scope="module")
def python_path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Where Python finds pollux, and the package that pip built and installed without a network."""
    folder = tmp_path_factory.mktemp("installed")
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", *OFFLINE, "--no-cache-dir", "--target", str(folder), str(PACKAGE)],
        env={**os.environ, "HOME": str(folder)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return os.pathsep.join((program.SOURCE, str(folder)))


@pytest.fixture
def pollux(python_path: str, tmp_path: Path) -> Pollux:
    """The program, in a home with one talk."""
    here = Pollux(tmp_path)
    _talk(here.home)
    here.env["PYTHONPATH"] = python_path
    return here


@pytest.fixture
def server(python_path: str, tmp_path: Path) -> Iterator[Server]:
    """The server for agents, in such a home."""
    world = World(tmp_path)
    _talk(world.home)
    server = Server(world, PYTHONPATH=python_path)
    yield server
    if server.process.poll() is None:
        server.process.kill()
        server.process.communicate()


def _talk(home: Path) -> None:
    file = home / ".parrot" / "talks" / "7c1f.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text("".join(json.dumps(line) + "\n" for line in LINES), "utf-8")


def _said(pollux: Pollux, *arguments: str) -> str:
    done = pollux(*arguments)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def _json(pollux: Pollux, *arguments: str) -> Any:
    return json.loads(_said(pollux, *arguments, "--json"))


def test_the_session_is_found_listed_and_counted(pollux: Pollux) -> None:
    (parrot,) = (agent for agent in _json(pollux, "agents") if agent["found"])
    assert (parrot["agent"], parrot["title"], parrot["sessions"]) == ("parrot", "Parrot", 1)
    assert parrot["path"] == str(pollux.home / ".parrot" / "talks")
    (listed,) = _json(pollux, "list")
    assert (listed["key"], listed["title"]) == (KEY, ASKED)
    assert listed["counts"] == {"prompts": 1, "replies": 1, "tool_calls": 0, "failed_tool_calls": 0}
    (row,) = _json(pollux, "stats", "--by", "agent")["rows"]
    assert (row["name"], row["sessions"], row["total"]) == ("parrot", 1, None)
    (file,) = _json(pollux, "doctor")["files"]
    assert (file["agent"], file["status"], file["sessions"]) == ("parrot", "read", [KEY])


def test_the_session_is_searched_shown_and_exported(pollux: Pollux) -> None:
    hits = _json(pollux, "search", "agent:parrot clever")
    assert [(hit["key"], hit["author"], hit["snippet"]) for hit in hits] == [
        (KEY, "human", ASKED),
        (KEY, "model", REPLIED),
    ]
    shown = _said(pollux, "show", KEY)
    assert shown.index(ASKED) < shown.index(REPLIED)
    page = _said(pollux, "export", KEY, "--to", "markdown")
    assert page.startswith(f"# {ASKED}\n")
    assert REPLIED in page
    document = json.loads(_said(pollux, "export", KEY, "--to", "json"))
    assert [message["parts"] for message in document["messages"]] == [
        [{"type": "text", "text": line["text"]}] for line in LINES
    ]
    assert [message["origin"]["line"] for message in document["messages"]] == [1, 2]


def test_the_session_goes_and_comes_back_with_the_package(pollux: Pollux) -> None:
    with_package = pollux.env["PYTHONPATH"]
    for path, keys in ((with_package, [KEY]), (program.SOURCE, []), (with_package, [KEY])):
        done = program.run_new("list", "--json", env={**pollux.env, "PYTHONPATH": path}, cwd=pollux.home)
        assert [session["key"] for session in json.loads(done.stdout)] == keys


def test_agents_find_and_read_the_session(server: Server) -> None:
    assert ASKED in server.call("list_sessions")
    assert REPLIED in server.call("search_sessions", query="clever")
    assert REPLIED in server.call("read_session", key=KEY)
    server.end()
