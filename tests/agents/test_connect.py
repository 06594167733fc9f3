"""The agents see what `mcp install` and `skill install` write: they list it, start it, and tell the model."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.agents.conftest import in_full
from tests.agents.test_handoff import RELEASES, pollux, room

TOOLS = ("search_sessions", "read_session", "list_sessions")
LIST = {"claude": ["mcp", "get", "pollux"], "codex": ["mcp", "list", "--json"], "gemini": ["mcp", "list"]}
ASK = {
    "copilot": ["--allow-all-tools", "-p"],
    "opencode": ["run", "--model", "loop/loop"],
    "qwen": ["--approval-mode", "yolo", "--output-format", "json", "-p"],
    "claude": ["-p", "--output-format", "json"],
    "codex": ["exec", "--skip-git-repo-check", "--json"],
    # Without a terminal it tells the model only of tools that need no consent.
    "gemini": ["--approval-mode", "yolo", "--output-format", "json", "-p"],
}
releases = pytest.mark.parametrize(("agent", "release"), RELEASES)

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@contextmanager
def usual_room(harness: ModuleType, agent: str, release: str, folder: Path) -> Iterator[Any]:
    """A room in which no variable names a folder, as on most machines. pollux is installed."""
    with room(harness, agent, release, folder) as made:
        usual = made.environment()
        names = ("XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "CODEX_HOME", "COPILOT_HOME", "PYTHONPATH")
        made.environment = lambda: {name: value for name, value in usual.items() if name not in names}
        yield made


def listed(made: Any) -> str:
    status, out, err = made.run(LIST[made.agent], 90)
    assert status == 0, err
    return str(out) + str(err)


def asked(made: Any) -> str:
    """What the model is sent if somebody asks something."""
    made.server.requests.clear()
    status, out, err = made.run([*ASK[made.agent], "What did we decide last time?"], 120)
    assert status == 0, out + err
    return json.dumps([request["body"] for request in made.server.requests])


@releases
def test_the_agent_starts_the_server(harness: ModuleType, agent: str, release: str, tmp_path: Path) -> None:
    with usual_room(harness, agent, release, tmp_path) as made:
        before = asked(made)
        plan = pollux(made, "mcp", "install", agent, "--yes")
        (step,) = plan["steps"]
        assert (plan["written"], step["change"], step["scope"]) == (True, "add", "user")
        assert step["after"]["command"] == str(Path(sys.executable).with_name("pollux"))
        shown = listed(made)
        if agent == "codex":
            (server,) = json.loads(shown[: shown.rindex("]") + 1])
            assert (server["name"], server["enabled"]) == ("pollux", True)
            assert server["transport"]["command"] == step["after"]["command"]
            assert server["transport"]["args"] == ["mcp"]
        else:
            assert f"{step['after']['command']}" in shown
            assert "Connected" in shown
        after = asked(made)
        for tool in TOOLS:
            assert tool not in before
            assert tool in after, made.agent
        (entry,) = pollux(made, "mcp", "doctor")["entries"]
        assert (entry["agent"], entry["state"], tuple(entry["tools"])) == (agent, "answers", TOOLS)
        content = Path(step["file"]).read_text()
        assert pollux(made, "mcp", "install", agent, "--yes")["steps"][0]["change"] == "none"
        pollux(made, "mcp", "install", agent, "--remove", "--yes")
        assert "pollux" not in (Path(step["file"]).read_text() if Path(step["file"]).exists() else "")
        assert "pollux" in content


@in_full
@releases
def test_what_the_agents_own_command_writes_is_the_same(
    harness: ModuleType, agent: str, release: str, tmp_path: Path
) -> None:
    with usual_room(harness, agent, release, tmp_path) as made:
        (own,) = pollux(made, "mcp", "install", agent, "--print")
        status, out, err = made.run(own["command"][1:], 90)
        assert status == 0, out + err
        assert pollux(made, "mcp", "install", agent)["steps"][0]["change"] == "none"
        (step,) = pollux(made, "mcp", "install", agent, "--remove", "--yes")["steps"]
        assert (step["change"], step["file"]) == ("remove", own["file"])
        pollux(made, "mcp", "install", agent, "--yes")
        words = ["mcp", "remove", *({"claude": ["-s", "user"], "gemini": ["-s", "user"]}.get(agent, [])), "pollux"]
        status, out, err = made.run(words, 90)
        assert status == 0, out + err
        assert pollux(made, "mcp", "install", agent, "--remove")["steps"][0]["change"] == "absent"


@in_full
@releases
def test_the_agent_reads_a_projects_file(harness: ModuleType, agent: str, release: str, tmp_path: Path) -> None:
    with usual_room(harness, agent, release, tmp_path) as made:
        command = [sys.executable, "-m", "pollux", "mcp", "install", agent, "--scope", "project", "--yes", "--json"]
        told = subprocess.run(command, env=made.environment(), cwd=made.project, capture_output=True, check=True)
        (step,) = json.loads(told.stdout)["steps"]
        assert Path(step["file"]).is_relative_to(made.project)
        shown = listed(made) if agent != "codex" else asked(made)
        assert {"claude": "Project config", "codex": TOOLS[0], "gemini": "Connected"}[agent] in shown


@releases
@pytest.mark.parametrize("scope", ["user", pytest.param("project", marks=in_full)])
def test_the_model_hears_of_the_skill(
    harness: ModuleType, agent: str, release: str, scope: str, tmp_path: Path
) -> None:
    described = "Finds what was decided, tried, run or fixed in earlier sessions"
    with usual_room(harness, agent, release, tmp_path) as made:
        assert described not in asked(made)
        command = [sys.executable, "-m", "pollux", "skill", "install", agent, "--scope", scope, "--yes"]
        subprocess.run(command, env=made.environment(), cwd=made.project, capture_output=True, check=True)
        assert described in asked(made)
        if agent == "gemini" and scope == "user":
            status, out, err = made.run(["skills", "list"], 90)
            assert status == 0, err
            assert described in out + err


@in_full
def test_claude_and_pollux_write_at_once(harness: ModuleType, tmp_path: Path) -> None:
    """Both write to one file, and neither loses what the other wrote."""
    with usual_room(harness, "claude", "2.1.325", tmp_path) as made:
        file = made.home / ".claude.json"
        own = {name: f"kept {name}" for name in ("first", "second")}
        file.write_text(json.dumps({**json.loads(file.read_text()), **own}))
        with ThreadPoolExecutor(1) as pool:
            run = pool.submit(asked, made)
            written = 0
            while not run.done() or written < 3:
                pollux(made, "mcp", "install", "claude", "--remove", "--yes")
                pollux(made, "mcp", "install", "claude", "--yes")
                assert json.loads(file.read_text())["mcpServers"]["pollux"]["args"] == ["mcp"]
                written += 1
            run.result()
        state = json.loads(file.read_text())
        assert {name: state[name] for name in own} == own
        assert "pollux" in state["mcpServers"]
        assert state["projects"][made.project]["hasTrustDialogAccepted"]
        assert not file.with_name(".claude.json.lock").exists()


@pytest.mark.parametrize(("agent", "release"), [("copilot", "1.0.102"), ("opencode", "1.18.33"), ("qwen", "0.24.4")])
def test_the_other_agents_offer_the_tools(harness: ModuleType, agent: str, release: str, tmp_path: Path) -> None:
    with usual_room(harness, agent, release, tmp_path) as made:
        before = asked(made)
        assert pollux(made, "mcp", "install", agent, "--yes")["written"]
        after = asked(made)
        assert all(tool in after and tool not in before for tool in TOOLS)
        (entry,) = pollux(made, "mcp", "doctor")["entries"]
        assert (entry["agent"], entry["state"], tuple(entry["tools"])) == (agent, "answers", TOOLS)
        assert pollux(made, "mcp", "install", agent, "--remove", "--yes")["written"]
        assert asked(made).count(TOOLS[0]) == 0
