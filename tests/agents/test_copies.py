"""The agents go on with copies of sessions, and pollux counts only what came after: after hand-overs and imports."""

from __future__ import annotations

import json
import subprocess
from datetime import datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pollux.model import Session
from pollux.sources.claude.native import FORMAT as CLAUDE
from pollux.sources.codex.native import FORMAT as CODEX
from pollux.sources.gemini.native import FORMAT as GEMINI
from pollux.system.clock import now
from pollux.writers.native.conversation import NativeFormat
from pollux.writers.native.draft import draft
from pollux.writers.native.options import DraftOptions
from tests.agents.conftest import CLIS, in_full, need
from tests.unit.sources.claude.conftest import SID, call, in_chain, json_lines, model, result, user
from tests.unit.writers.native.read_back import place, read

FORMATS: dict[str, NativeFormat] = {"gemini": GEMINI, "claude": CLAUDE, "codex": CODEX}
RELEASES = [
    *(("gemini", "0.61.0"), ("gemini", "0.44.0")),
    *(("claude", "2.1.325"), ("claude", "2.1.112")),
    *(("codex", "0.166.0"), ("codex", "0.145.0")),
]
NEWEST = {"gemini": "0.61.0", "claude": "2.1.325", "codex": "0.166.0"}
ID = "7c9e6679-7425-40de-944b-e07fc1f90ae{}"
ASKED = ["How warm is it?", "And tomorrow?"]

pytestmark = in_full


def origin(folder: Path) -> Session:
    """A session of Claude Code, with figures."""
    records = [user(ASKED[0]), call(command="weather"), result(content="12"), model("Twelve.", "msg_2")]
    records += [user(ASKED[1]), model("Nine.", "msg_3")]
    file = folder / "origin" / ".claude" / "projects" / "-work-weather" / f"{SID}.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text(json_lines(*in_chain(records)))
    return read(folder / "origin", folder / "asked")[SID]


def hand_over(session: Session, agent: str, id: str, home: Path, project: Path, at: datetime | None = None) -> Path:
    conversation, _ = draft(
        session, DraftOptions(), FORMATS[agent], id=id, folder=str(project), at=at or now(), agent_title="Another"
    )
    return place(FORMATS[agent], conversation, home)


def resumed(harness: ModuleType, agent: str, release: str, home: Path, after: Path, id: str, prompt: str) -> None:
    """Let the agent go on once; `after` is the home as it leaves it."""
    with harness.Room(agent, release, home, str(after.parent / "weather"), CLIS, session=id, keep=after) as room:
        report = harness.resume(room, prompt, 120)
    assert report["resumed"], report["stderr"]


def check(session: Session, origin: str, own: list[str]) -> None:
    """It is linked to its origin, and nothing of the origin counts in it."""
    assert [(link.kind, link.target) for link in session.links] == [("handed_over_from", origin)]
    assert [m.text for m in session.prompts if m.inherited] == ASKED
    assert [m.text for m in session.prompts if not m.inherited] == own
    assert all(m.inherited for m in session.messages if m.text in {"Twelve.", "Nine."})


@pytest.mark.parametrize(("agent", "release"), RELEASES)
def test_after_a_hand_over(harness: ModuleType, agent: str, release: str, tmp_path: Path) -> None:
    need(agent, release)
    session, id, project = origin(tmp_path), ID.format(7), tmp_path / "weather"
    project.mkdir()
    hand_over(session, agent, id, tmp_path / "home", project)
    written = read(tmp_path / "home", tmp_path / "0")[id]
    check(written, session.key, [])
    assert (written.usage.total, written.exact) == (0, True)
    resumed(harness, agent, release, tmp_path / "home", tmp_path / "once", id, "And then?")
    once = read(tmp_path / "once", tmp_path / "1")[id]
    check(once, session.key, ["And then?"])
    assert (once.usage.requests, once.usage.total, once.exact, once.gaps) == (1, 105, True, ())
    resumed(harness, agent, release, tmp_path / "once", tmp_path / "twice", id, "And now?")
    check(read(tmp_path / "twice", tmp_path / "2")[id], session.key, ["And then?", "And now?"])


@pytest.mark.parametrize("release", ["0.61.0", "0.44.0"])
def test_by_an_option_of_gemini_cli(harness: ModuleType, release: str, tmp_path: Path) -> None:
    need("gemini", release)
    session, project = origin(tmp_path), tmp_path / "weather"
    project.mkdir()
    file = hand_over(session, "gemini", ID.format(7), tmp_path / "written", project)
    (tmp_path / "home").mkdir()
    with harness.Room("gemini", release, tmp_path / "home", str(project), CLIS, keep=tmp_path / "after") as room:
        status, _, problem = room.run(["-p", "And then?", "--session-file", str(file)], 120)
    assert status == 0, problem
    (found,) = read(tmp_path / "after", tmp_path / "1").values()
    assert found.id != ID.format(7)
    check(found, session.key, ["And then?"])
    assert (found.usage.total, found.exact) == (105, True)


def test_through_all_agents(harness: ModuleType, tmp_path: Path) -> None:
    session, project = origin(tmp_path), tmp_path / "weather"
    project.mkdir()
    for number, agent in enumerate(("gemini", "codex", "claude", "claude")):
        need(agent, NEWEST[agent])
        id, home, after = ID.format(number), tmp_path / f"home-{number}", tmp_path / f"after-{number}"
        hand_over(session, agent, id, home, project)
        resumed(harness, agent, NEWEST[agent], home, after, id, f"And {number}?")
        heir = read(after, tmp_path / str(number))[id]
        assert [(link.kind, link.target) for link in heir.links] == [("handed_over_from", session.key)]
        assert [m.text for m in heir.prompts] == [*ASKED, *(f"And {earlier}?" for earlier in range(number + 1))]
        assert (heir.usage.total, heir.exact) == (105, True)
        session = heir


def test_after_claude_code_compacted_it(harness: ModuleType, tmp_path: Path) -> None:
    need("claude", NEWEST["claude"])
    session, id, project = origin(tmp_path), ID.format(7), tmp_path / "weather"
    project.mkdir()
    hand_over(session, "claude", id, tmp_path / "home", project)
    after = tmp_path / "after"
    with harness.Room(
        "claude", NEWEST["claude"], tmp_path / "home", str(project), CLIS, session=id, keep=after
    ) as room:
        room.run(["-p", "--output-format", "json", "--resume", id, "--strict-mcp-config", "/compact"], 120)
    found = read(after, tmp_path / "1")[id]
    check(found, session.key, [])
    assert any(m.fate == "compressed" for m in found.messages if m.inherited)


class AppServer:
    """Asks Codex's app-server."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def say(self, **message: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self._process.stdin.flush()

    def hear(self, wanted: str) -> Any:
        """Read until an answer or a notice of this name."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            message = json.loads(line)
            if wanted in (message.get("method"), message.get("id")):
                return message.get("result", message.get("params"))
        raise AssertionError(f"the app-server ended before {wanted}")


@pytest.mark.parametrize("release", ["0.166.0", "0.145.0", "0.130.0"])
def test_after_codex_imported_it(harness: ModuleType, release: str, tmp_path: Path) -> None:
    need("codex", release)
    project, home = tmp_path / "weather", tmp_path / "home"
    project.mkdir()
    home.mkdir()
    with harness.Room("codex", release, home, str(project), CLIS, keep=tmp_path / "after") as room:
        record: dict[str, Any] = {"cwd": str(project), "timestamp": f"{now():%Y-%m-%dT%H:%M:%S}.000Z"}
        asked = [user(ASKED[0], **record), model("Twelve.", "msg_2", **record)]
        asked += [user(ASKED[1], **record), model("Nine.", "msg_3", **record)]
        file = room.home / ".claude" / "projects" / "-weather" / f"{SID}.jsonl"
        file.parent.mkdir(parents=True)
        file.write_text(json_lines(*in_chain(asked)))
        _import(harness, room)
        (thread,) = [path.stem[-36:] for path in room.root.rglob("rollout-*.jsonl")]
        room.session = thread
        report = harness.resume(room, "And then?", 120)
    assert report["resumed"], report["stderr"]
    found = read(tmp_path / "after", tmp_path / "1")
    check(found[thread], f"claude:{SID}", ["And then?"])
    assert (found[thread].usage.total, found[thread].exact) == (105, True)


def _import(harness: ModuleType, room: Any) -> None:
    """Let Codex import the sessions that it finds."""
    command, pipe = [*room.command, "app-server"], subprocess.PIPE
    streams: dict[str, Any] = {"stdin": pipe, "stdout": pipe, "stderr": subprocess.DEVNULL, "text": True}
    with subprocess.Popen(
        command, cwd=room.project, env=room.environment(), start_new_session=True, **streams
    ) as process:
        try:
            server = AppServer(process)
            client = {"name": "tests", "title": "tests", "version": "1"}
            offer = {"clientInfo": client, "capabilities": {"experimentalApi": True}}
            server.say(id="1", method="initialize", params=offer)
            server.hear("1")
            server.say(method="initialized")
            server.say(id="2", method="externalAgentConfig/detect", params={"includeHome": True})
            items = server.hear("2")["items"]
            server.say(id="3", method="externalAgentConfig/import", params={"migrationItems": items})
            server.hear("externalAgentConfig/import/completed")
        finally:
            harness.end(process)
