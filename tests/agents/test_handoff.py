"""The agents themselves go on with what pollux hands over: the model is sent every live word of it, in order."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pollux import Library, registry
from pollux.model import Author, Fate, Session, Text, ToolCall
from pollux.writers.base import Options
from tests.agents.conftest import CLIS, in_full, need
from tests.program import SOURCE
from tests.resumable import PACKAGES

CORPUS = Path(__file__).parent.parent / "corpus"
FIRST, SECOND = "And then, what came of it?", "And after that, what?"
HOMES = {"claude": "2.1.325", "codex": "0.166.0", "gemini": "0.61.0"}
OLDER = [("claude", "2.1.112"), ("codex", "0.145.0"), ("gemini", "0.44.0")]
RELEASES = [*HOMES.items(), *(pytest.param(*older, marks=in_full) for older in OLDER)]
OTHERS = {"copilot": "1.0.102", "opencode": "1.18.33", "qwen": "0.24.4"}
"""Agents that take conversations over, too, and have no command that lists their sessions."""
OTHER_RELEASES = [
    *OTHERS.items(),
    *(pytest.param(*old, marks=in_full) for old in (("copilot", "1.0.40"), ("qwen", "0.15.10"))),
]
ORIGINS = {**HOMES, **OTHERS}

# The harness leaves the pipes of an agent that it asked for its list to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


def held(agent: str, folder: Path) -> tuple[str, Session]:
    """A file with the session with the most tool calls in the newest home of an agent, and what is in it."""
    place = str(CORPUS / agent / ORIGINS[agent] / "home")
    own = {f"XDG_{name}_HOME": str(folder / "asked" / name) for name in ("CACHE", "DATA", "CONFIG")}
    with Library({"HOME": place, **own}, folder, hunt=False) as library:
        entries = [e.summary for e in library.list() if not e.summary.parent]
        if agent in HOMES:
            best = max((e for e in entries if len(e.files) == 1), key=lambda one: one.counts.tool_calls)
            return best.files[0], library.session(Path(best.files[0]))
        session = library.session(max(entries, key=lambda one: one.counts.tool_calls).key)
    document = folder / "session.json"
    with document.open("w") as out:
        registry.writer("json").write(session, out.write, Options())
    return str(document), session


@contextmanager
def room(harness: ModuleType, agent: str, release: str, folder: Path) -> Iterator[Any]:
    """An empty home for an agent that is installed on the PATH, and a project."""
    need(agent, release)
    (folder / "empty").mkdir()
    project = folder / "project"
    project.mkdir()
    with harness.Room(agent, release, folder / "empty", str(project), CLIS, session="none") as made:
        _install(made, folder)
        yield made


def _install(made: Any, folder: Path) -> None:
    package = folder / "lib" / PACKAGES[made.agent]
    package.mkdir(parents=True)
    (package / "package.json").write_text(json.dumps({"name": PACKAGES[made.agent], "version": made.version}))
    program = package / "cli.js"
    program.write_text("#!/bin/sh\nexec " + " ".join(f"'{word}'" for word in made.command) + ' "$@"\n')
    program.chmod(0o755)
    programs = folder / "bin"
    programs.mkdir()
    (programs / made.agent).symlink_to(program)
    usual = made.environment()
    own = {f"XDG_{name}_HOME": str(folder / "own" / name) for name in ("CACHE", "DATA", "CONFIG")}
    path = f"{programs}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    more = {**own, "PATH": path, "PYTHONPATH": SOURCE, "POLLUX_BACKGROUND": "0"}
    made.environment = lambda: {**usual, **more}


def pollux(made: Any, *words: str) -> Any:
    """What a command says in JSON, in the environment of an agent."""
    command = [sys.executable, "-m", "pollux", *words, "--json"]
    told = subprocess.run(
        command, env=made.environment(), cwd=made.folder, capture_output=True, text=True, check=False, timeout=120
    )
    assert told.returncode == 0, told.stderr
    return json.loads(told.stdout)


def take_over(made: Any, words: list[str]) -> None:
    """Let an agent take the file over, where it must do so first."""
    if words:
        status, _, problem = made.run(words[1:], 60)
        assert status == 0, problem


def go_on(harness: ModuleType, made: Any, words: list[str], prompt: str) -> dict[str, Any]:
    """What an agent sends if it is started by a command of pollux, without a terminal."""
    run = made.run
    arguments = {
        "claude": ["-p", "--output-format", "json", *words[1:], "--strict-mcp-config", prompt],
        "codex": ["exec", *words[1:2], "--skip-git-repo-check", "--json", *words[2:], prompt],
        "copilot": [*words[1:], "-p", prompt, "--allow-all-tools"],
        "gemini": [*words[1:], "--output-format", "json", "-p", prompt],
        "opencode": ["run", "--model", "loop/loop", *words[1:], "--format", "json", prompt],
        "qwen": [*words[1:], "--output-format", "json", "-p", prompt],
    }[made.agent]
    made.run = lambda _arguments, timeout: run(arguments, timeout)
    try:
        report: dict[str, Any] = harness.resume(made, prompt, 120)
    finally:
        made.run = run
        made.server.requests.clear()
    return report


def spoken(session: Session) -> Iterator[str]:
    """Every live word of a session: prompts, replies, and what tools gave back."""
    for message in session.messages:
        if message.fate is not Fate.LIVE or message.author is Author.CLIENT:
            continue
        for part in message.parts:
            if type(part) is Text and part.text.strip():
                yield part.text.strip()
            elif type(part) is ToolCall and part.output and part.output.strip():
                yield part.output.strip()


def assert_in_order(session: Session, report: dict[str, Any]) -> None:
    """Every live word arrived, and none before an earlier one. Results of parallel calls may change places."""
    texts = [item.get("text") or "" for item in report["conversation"] if not item.get("new")]
    whole = "\n\0\n".join(texts)
    place = 0
    for text in spoken(session):
        found = whole.find(text, max(0, place - 20_000))
        assert found >= 0, f"{text[:200]!r} did not arrive"
        place = max(place, found)


@pytest.mark.parametrize("origin", sorted(ORIGINS))
@pytest.mark.parametrize(("agent", "release"), [*RELEASES, *OTHER_RELEASES])
def test_the_agent_goes_on(harness: ModuleType, origin: str, agent: str, release: str, tmp_path: Path) -> None:
    file, session = held(origin, tmp_path)
    before = Path(file).read_bytes()
    with room(harness, agent, release, tmp_path) as made:
        plan = pollux(made, "handoff", file, "--to", agent, "--in", made.project, "--yes")
        assert plan["written"]
        written = Path(plan["files"][0]["path"])
        content = written.read_bytes()
        if plan["key"] and agent not in OTHERS:
            listed = harness.listing(made, 60)["sessions"]
            assert [one["id"] for one in listed] == [plan["id"]]
            assert listed[0]["title"].startswith(" ".join(str(plan["title"]).split())[:20])
        take_over(made, plan["before"])
        made.session = plan["id"]
        report = go_on(harness, made, plan["command"], FIRST)
        assert report["resumed"], json.dumps(report)[-3000:]
        assert report["would_be_refused"] == []
        assert_in_order(session, report)
        (summary,) = pollux(made, "list")
        key = plan["key"] or summary["key"]
        assert (summary["key"], summary["handed_over_from"]) == (key, plan["origin"])
        assert summary["counts"]["prompts"] == 1, "only what came after counts"
        if plan["key"] and not plan["before"]:
            assert written.read_bytes().startswith(content)
            assert len(written.read_bytes()) > len(content)
        made.session = summary["id"]
        resumed = pollux(made, "resume", key)["command"]
        again = go_on(harness, made, resumed, SECOND)
        assert again["resumed"], json.dumps(again)[-3000:]
        assert_in_order(session, again)
        assert FIRST in "\n".join(item.get("text") or "" for item in again["conversation"])
        (summary,) = pollux(made, "list")
        assert (summary["key"], summary["project"]) == (key, made.project)
        assert summary["counts"]["prompts"] == 2
        assert SECOND in json.dumps(pollux(made, "show", key)["messages"])
    assert Path(file).read_bytes() == before


@in_full
@pytest.mark.parametrize("origin", sorted(HOMES))
def test_an_early_gemini_lists_it(harness: ModuleType, origin: str, tmp_path: Path) -> None:
    """Among its own files: 0.40 loads no others. The harness cannot make it speak to the server on this machine."""
    file, _ = held(origin, tmp_path)
    with room(harness, "gemini", "0.40.1", tmp_path) as made:
        plan = pollux(made, "handoff", file, "--to", "gemini", "--in", made.project, "--yes")
        (listed,) = harness.listing(made, 60)["sessions"]
        assert (listed["id"], plan["command"]) == (plan["id"], ["gemini", "--resume", plan["id"]])
        assert listed["title"].startswith(" ".join(str(plan["title"]).split())[:20])
        pollux(made, "handoff", plan["key"], "--undo")
        assert harness.listing(made, 60)["sessions"] == []


@in_full
@pytest.mark.parametrize(("agent", "release"), HOMES.items())
def test_the_agent_is_started(harness: ModuleType, agent: str, release: str, tmp_path: Path) -> None:
    """`--run`, in a terminal: the agent shows the end of the conversation."""
    file, session = held("claude", tmp_path)
    last = list(spoken(session))[-1].split()[0]
    with room(harness, agent, release, tmp_path) as made:
        shown = started(made, file, last)
    assert last in shown.partition("command")[2]


@pytest.mark.parametrize("release", ["0.166.0", pytest.param("0.145.0", marks=in_full)])
def test_codex_starts_and_lists_it_if_it_has_a_database(harness: ModuleType, release: str, tmp_path: Path) -> None:
    """Then it shows in its list only what its database has."""
    file, session = held("gemini", tmp_path)
    last = list(spoken(session))[-1].split()[0]
    with room(harness, "codex", release, tmp_path) as made:
        status, _, problem = made.run(["exec", "--skip-git-repo-check", "Hello."], 60)
        assert (status, any(made.root.glob("state_*.sqlite"))) == (0, True), problem
        codex = made.command
        shown = started(made, file, last)
        assert last in shown.partition("command")[2]
        made.command = codex
        first = (session.title or next(spoken(session))).split()[0]
        assert first in made.screen(["resume"], 40, re.escape(first))


def started(made: Any, file: str, last: str) -> str:
    """What a terminal shows if pollux hands a session over and starts the agent."""
    words = ["handoff", file, "--to", made.agent, "--in", made.project, "--yes", "--run"]
    made.command = [sys.executable, "-m", "pollux", *words]
    shown: str = made.screen([], 40, f"(?s)command.*{re.escape(last)}")
    return shown
