"""The agents themselves go on with what pollux resumes: the conversation that arrives at the model is the session's."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from types import ModuleType
from typing import Any

import pytest

from pollux import Library
from tests.agents.conftest import CLIS, in_full, need
from tests.program import SOURCE

CORPUS = Path(__file__).parent.parent / "corpus"
PROMPT = "And then, what came of it?"
SESSIONS = [
    ("claude", "2.1.325", "2.1.325"),
    ("claude", "2.1.112", "2.1.112"),
    ("claude", "2.1.112-cfgdir", "2.1.325"),
    ("codex", "0.166.0", "0.166.0"),
    ("codex", "0.130.0", "0.145.0"),
    ("gemini", "0.61.0", "0.61.0"),
    ("gemini", "0.44.0-tui", "0.44.0"),
    ("copilot", "1.0.102", "1.0.102"),
    ("qwen", "0.24.4", "0.24.4"),
    ("opencode", "1.18.33", "1.18.33"),
]
ELSEWHERE = [
    pytest.param(*session, options, id=f"{session[0]}-{session[1]}-{'fork' if options else 'same'}")
    for session in SESSIONS
    if session[2] not in {"2.1.112", "0.145.0"} and session[0] not in {"opencode", "qwen"}
    for options in ([], ["--fork"])
    if not (options and session[0] == "copilot")
]
"""OpenCode and Qwen Code go on nowhere else, and Copilot CLI with no copy."""
AT_ONCE = {"claude": (), "codex": (), "gemini": ("-i",), "copilot": ("-i",), "qwen": ("-i",)}
"""The option of each agent before a prompt that it takes at once and then stays, in a terminal."""
WAITS = {"opencode": "Done: the report now prints humidity"}
"""Agents that take a prompt together with a session only as it is typed, and what they show before: the last reply."""


def held(agent: str, home: str, folder: Path) -> tuple[dict[str, str], str, str]:
    """The environment of a home, its longest session with a known project, and that project."""
    file = CORPUS / agent / home / "env.json"
    variables = json.loads(file.read_bytes()) if file.exists() else {}
    place = str(CORPUS / agent / home / "home")
    own = {f"XDG_{name}_HOME": str(folder / "asked" / name) for name in ("CACHE", "DATA", "CONFIG")}
    environ = {name: value.replace("{HOME}", place) for name, value in variables.items()}
    with Library({"HOME": place, **own, **environ}, folder, hunt=False) as library:
        entries = [e.summary for e in library.list() if e.summary.project and not e.summary.parent]
        session = max(
            (one for one in entries if "archived_sessions" not in one.files[0]), key=lambda one: one.counts.tool_calls
        )
    return variables, session.id, str(session.project)


@contextmanager
def room(harness: ModuleType, agent: str, release: str, home: str, project: str, **more: Any) -> Iterator[Any]:
    place = CORPUS / agent / home / "home"
    need(agent, release)
    with harness.Room(agent, release, place, project, CLIS, **more) as made:
        yield made


def through_pollux(made: Any, folder: Path, *options: str) -> None:
    """Let a room start the agent by `pollux resume` in a terminal, from another folder, with the agent on the PATH."""
    programs = folder / "bin"
    programs.mkdir()
    agent = programs / made.agent
    agent.write_text("#!/bin/sh\nexec " + " ".join(f"'{word}'" for word in made.command) + ' "$@"\n')
    agent.chmod(0o755)
    usual = made.environment
    own = {f"XDG_{name}_HOME": str(folder / "own" / name) for name in ("CACHE", "DATA", "CONFIG")}
    path = f"{programs}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    made.environment = lambda: {**usual(), **own, "PATH": path, "PYTHONPATH": SOURCE, "POLLUX_BACKGROUND": "0"}
    made.command = [sys.executable, "-m", "pollux", "resume", f"{made.agent}:{made.session}", *options, "--"]

    def run(_arguments: list[str], timeout: float) -> tuple[int, str, str]:
        if made.agent in WAITS:
            shown = made.screen([], timeout, "Understood", typed=(WAITS[made.agent], PROMPT))
        else:
            shown = made.screen([*AT_ONCE[made.agent], PROMPT], timeout, "Understood")
        return 0, shown, shown

    made.run = run


@pytest.mark.parametrize(("agent", "home", "release"), SESSIONS)
def test_the_conversation_arrives(harness: ModuleType, agent: str, home: str, release: str, tmp_path: Path) -> None:
    variables, session, project = held(agent, home, tmp_path)
    with room(harness, agent, release, home, project, session=session, variables=variables) as made:
        expected = harness.resume(made, PROMPT, 120)
    assert expected["resumed"], expected["stderr"]
    with room(harness, agent, release, home, project, session=session, variables=variables) as made:
        through_pollux(made, tmp_path)
        report = harness.resume(made, PROMPT, 120)
    assert report["resumed"], report["stderr"]
    assert harness.compare(expected, report, thinking=False) is None
    assert (tmp_path / "own" / "DATA" / "pollux" / "archive").is_dir()


def recorded(made: Any) -> dict[Path, bytes]:
    """The files in which the agent has recorded a session."""
    files = (path for path in made.root.rglob("*.jsonl") if made.session[:8] in str(path.relative_to(made.root)))
    return {path: path.read_bytes() for path in files}


@in_full
@pytest.mark.parametrize(("agent", "home", "release", "options"), ELSEWHERE)
def test_the_conversation_arrives_in_another_folder(
    harness: ModuleType, agent: str, home: str, release: str, options: list[str], tmp_path: Path
) -> None:
    variables, session, project = held(agent, home, tmp_path)
    with room(harness, agent, release, home, project, session=session, variables=variables) as made:
        expected = harness.resume(made, PROMPT, 120)
    other = tmp_path / "other"
    other.mkdir()
    kept = tmp_path / "home"
    with room(harness, agent, release, home, str(other), session=session, variables=variables, keep=kept) as made:
        before = recorded(made)
        through_pollux(made, tmp_path, "--in", str(other), *options)
        report = harness.resume(made, PROMPT, 120)
        after = recorded(made)
    assert report["resumed"], report["stderr"]
    assert harness.compare(expected, report, thinking=False) is None
    assert before
    is_copy = bool(options) or agent == "gemini"
    assert all(after[place] == content for place, content in before.items()) == is_copy
    shutil.rmtree(kept)


@in_full
@pytest.mark.parametrize(
    ("agent", "home", "release"), [one for one in SESSIONS if "cfgdir" not in one[1] and one[0] in AT_ONCE]
)
def test_a_session_that_an_agent_has_open(
    harness: ModuleType, agent: str, home: str, release: str, tmp_path: Path
) -> None:
    """A new session, in a terminal: no command line names it."""
    project = tmp_path / "project"
    project.mkdir()
    own = {f"XDG_{name}_HOME": str(tmp_path / "own" / name) for name in ("CACHE", "DATA", "CONFIG")}
    with room(harness, agent, release, home, str(project)) as made:

        def opened() -> list[str]:
            with Library({"HOME": str(made.home), **own}, project, hunt=False) as library:
                sessions = [e.summary.key for e in library.list() if e.summary.project == str(project)]
                plans = [library.resume.plan(key) for key in sessions]
            return [plan.opened.sentence for plan in plans if plan.opened is not None]

        screen = Thread(target=made.screen, args=([*AT_ONCE[agent], PROMPT], 40, "NEVER"))
        screen.start()
        said: list[str] = []
        while screen.is_alive() and not said:
            said = opened()
        screen.join()
        assert len(said) == 1
        assert "(process " in said[0]
        assert opened() == []
