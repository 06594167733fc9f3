"""A home with sessions that these tests write themselves, and the server that answers about them."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from pollux import Library
from pollux.mcp.toolbox import Toolbox

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "src" / "pollux" / "sample" / "home"
PROJECT = "/work/harbour"


class World:
    """A home, pollux's own folders, and sessions of Claude Code."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.home.mkdir()
        own = {f"XDG_{name}_HOME": str(folder / "own" / name.lower()) for name in ("CACHE", "DATA", "CONFIG")}
        self.environ = {
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "POLLUX_BACKGROUND": "0",
            "PATH": os.environ.get("PATH", os.defpath),
            **own,
        }

    def library(self) -> Library:
        return Library(self.environ, self.home, hunt=False)

    def settings(self, text: str) -> None:
        file = self.folder / "own" / "config" / "pollux" / "config.toml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")

    def session(self, number: int, *records: dict[str, Any], project: str = PROJECT) -> str:
        """Write a session. Returns its key."""
        id = f"{number:08x}-0000-4000-8000-000000000000"
        folder = self.home / ".claude" / "projects" / project.replace("/", "-").replace(" ", "-")[:100]
        folder.mkdir(parents=True, exist_ok=True)
        parent: str | None = None
        lines = []
        for place, record in enumerate(records):
            uuid = f"{number:04x}{place:04x}-1111-4111-8111-111111111111"
            lines.append(
                {
                    "parentUuid": parent,
                    "isSidechain": False,
                    "userType": "external",
                    "cwd": project,
                    "sessionId": id,
                    "version": "2.1.112",
                    "uuid": uuid,
                    "timestamp": f"2026-11-{10 + number % 15:02}T08:{place % 60:02}:00.000Z",
                    **record,
                }
            )
            if record.get("type") in ("user", "assistant"):
                parent = uuid
        (folder / f"{id}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        return f"claude:{id}"


def said(text: str) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": text}}


def replied(*blocks: str | dict[str, Any], model: str = "claude-test-1") -> dict[str, Any]:
    content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
    usage = {"input_tokens": 10, "output_tokens": 5}
    message = {"id": f"msg_{crc32(str(content).encode()):08x}", "type": "message", "role": "assistant", "model": model}
    return {"type": "assistant", "message": {**message, "content": content, "stop_reason": "end_turn", "usage": usage}}


def called(name: str, arguments: dict[str, Any], id: str = "toolu_1") -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": name, "input": arguments}


def result(text: str, id: str = "toolu_1") -> dict[str, Any]:
    content = [{"type": "tool_result", "tool_use_id": id, "content": text}]
    return {"type": "user", "message": {"role": "user", "content": content}}


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


class Tools:
    """The tools, called without a process around them."""

    def __init__(self, world: World, monkeypatch: pytest.MonkeyPatch, cwd: Path | None = None) -> None:
        for name, value in world.environ.items():
            monkeypatch.setenv(name, value)
        monkeypatch.delenv("CLAUDE_CODE_SESSION_ID", raising=False)
        monkeypatch.chdir(cwd or world.home)
        self.toolbox = Toolbox()

    def __call__(self, tool: str, /, **arguments: Any) -> str:
        return self.result(tool, **arguments)["content"][0]["text"]  # type: ignore[no-any-return]

    def result(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        return self.toolbox(tool, arguments, {})


@pytest.fixture
def tools(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[Tools]:
    tools = Tools(world, monkeypatch)
    yield tools
    tools.toolbox.close()


class Server:
    """The server as a process, spoken to line by line."""

    def __init__(self, world: World, *arguments: str, python: tuple[str, ...] = (), **environ: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *python, "-m", "pollux", "mcp", *arguments],
            env={**world.environ, **environ},
            cwd=world.home,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
        )
        self.number = 0

    def send(self, line: bytes) -> None:
        assert self.process.stdin is not None
        rest = line + b"\n"
        while rest:  # a pipe may take less than all at once
            rest = rest[self.process.stdin.write(rest) or 0 :]

    def line(self, seconds: float = 60) -> bytes:
        assert self.process.stdout is not None
        assert select.select([self.process.stdout], [], [], seconds)[0], "no answer"
        return self.process.stdout.readline()

    def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """The answer to a request."""
        self.number += 1
        request = {"jsonrpc": "2.0", "id": self.number, "method": method, **({"params": params} if params else {})}
        self.send(json.dumps(request).encode())
        answer: dict[str, Any] = json.loads(self.line())
        assert answer["id"] == self.number
        return answer

    def call(self, tool: str, **arguments: Any) -> str:
        answer = self.ask("tools/call", {"name": tool, "arguments": arguments})
        return answer["result"]["content"][0]["text"]  # type: ignore[no-any-return]

    def end(self) -> tuple[float, bytes, bytes]:
        """Close standard input. Returns how long the server took to end, and what it still wrote."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.stdin = None
        start = time.monotonic()
        out, err = self.process.communicate(timeout=30)
        return time.monotonic() - start, out, err


@pytest.fixture
def server(world: World) -> Iterator[Server]:
    server = Server(world)
    yield server
    if server.process.poll() is None:
        server.process.kill()
        server.process.communicate()
