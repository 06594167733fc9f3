"""The agents themselves list the tools of `pollux mcp`, call one, and tell their model what it answered."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pollux.library.for_agents.texts import USUAL
from tests.agents.conftest import CLIS, in_full, need

SAMPLE = Path(__file__).parents[2] / "src" / "pollux" / "sample" / "home"
POLLUX = [str(Path(sys.executable).parent / "pollux"), "mcp"]
RELEASES = [
    ("gemini", "0.61.0"),
    ("claude", "2.1.325"),
    ("codex", "0.166.0"),
    pytest.param("gemini", "0.44.0", marks=in_full),
    pytest.param("claude", "2.1.112", marks=in_full),
    pytest.param("codex", "0.145.0", marks=in_full),
]
PROMPT = "How did we fix it last time?"
CALLS: dict[str, dict[str, Any]] = {
    "search_sessions": {"query": "the"},
    "read_session": {},
    "list_sessions": {"limit": 3},
}
FENCED = re.compile(r"^<old-words-(\w{8})>$.*^</old-words-\1>$", re.MULTILINE | re.DOTALL)
SESSIONS = {"gemini": "6403bd4e", "claude": "a49ffc28", "codex": "01a1b23d"}


def _connect(room: Any) -> list[str]:
    """Give an agent the server, as its settings name it. Returns the arguments that it needs."""
    entry = {"command": POLLUX[0], "args": POLLUX[1:], "env": {"POLLUX_BACKGROUND": "0"}}
    if room.agent == "gemini":
        file = room.root / "settings.json"
        settings = json.loads(file.read_text("utf-8"))
        file.write_text(json.dumps({**settings, "mcpServers": {"pollux": {**entry, "trust": True}}}), "utf-8")
        return ["--output-format", "json", "-p", PROMPT]
    if room.agent == "claude":
        file = room.folder / "mcp.json"
        file.write_text(json.dumps({"mcpServers": {"pollux": {"type": "stdio", **entry}}}), "utf-8")
        allowed = [f"mcp__pollux__{name}" for name in CALLS]
        options = ["--mcp-config", str(file), "--strict-mcp-config", "--allowedTools", ",".join(allowed)]
        return ["-p", "--output-format", "json", *options, "--", PROMPT]
    file = room.root / "config.toml"
    lines = [f"command = {json.dumps(POLLUX[0])}", 'args = ["mcp"]', 'env = { POLLUX_BACKGROUND = "0" }']
    file.write_text("\n".join([file.read_text("utf-8"), "[mcp_servers.pollux]", *lines, ""]), "utf-8")
    return ["exec", "--skip-git-repo-check", "--json", PROMPT]


@pytest.mark.slow
@pytest.mark.parametrize("tool", CALLS)
@pytest.mark.parametrize(("agent", "release"), RELEASES)
def test_an_agent_calls_a_tool_and_its_model_gets_the_answer(
    harness: ModuleType, tmp_path: Path, agent: str, release: str, tool: str
) -> None:
    need(agent, release)
    arguments = CALLS[tool] or {"key": f"{agent}:{SESSIONS[agent]}"}
    with harness.Room(agent, release, SAMPLE, tmp_path / "project", CLIS) as room:
        # The newest Claude Code names the tools of servers, and its model looks them up before it calls one.
        looked_up = [("ToolSearch", {"query": f"select:mcp__pollux__{tool}"})] if release == "2.1.325" else []
        room.server.wanted = [*looked_up, (tool, arguments)]
        status, out, errors = room.run(_connect(room), timeout=120)
        requests = [request for request in room.server.requests if PROMPT in json.dumps(request["body"])]
        assert status == 0, (out, errors)
        assert not room.server.wanted, "the tool was never offered"
        offered = {name for request in requests for name, _ in harness.server.offered(agent, request["body"])}
        assert any(name.endswith(tool) for name in offered)
        first = json.dumps(requests[0]["body"])
        assert all(name in first for name in CALLS), "not all tools are named"
        results = [
            item["text"]
            for item in harness.server.conversation(agent, requests[-1]["body"])
            if item["kind"] == "tool_result" and "old-words" in item["text"]
        ]
    (text,) = results
    if "\\n<old-words" in text:  # Codex CLI 0.145 shows its model the JSON
        text = text.replace("\\n", "\n")
    assert FENCED.search(text) is not None
    assert f"{agent}:" in text
    assert len(text) <= USUAL + 200  # the agent may say what kind of text it is, and how long the tool took
