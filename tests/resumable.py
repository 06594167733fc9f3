"""Homes with small sessions that the agents resume, and stand-ins for the agents that say how they were started."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pollux import Library
from pollux.model.base import NOTHING

IDS = {
    "claude": f"3f0a7c11-9b7d-4c0e-8a52-{os.getpid():012x}",
    "codex": f"01a1ddc7-9f8c-7ef1-93e4-{os.getpid():012x}",
    "gemini": f"7c9e6679-7425-40de-944b-{os.getpid():012x}",
}
"""The ids of the sessions. Other tests at the same time have others, because running agents are known by them."""
OTHER_ID = f"4f0a7c11-9b7d-4c0e-8a52-{os.getpid():012x}"
PACKAGES = {
    "claude": "@anthropic-ai/claude-code",
    "codex": "@openai/codex",
    "copilot": "@github/copilot",
    "gemini": "@google/gemini-cli",
    "opencode": "opencode-ai",
    "qwen": "@qwen-code/qwen-code",
}
TIME = "2026-11-14T10:00:00.000Z"
WRITTEN = 1_794_650_400
"""When the files were written (seconds since 1970)."""
_NO_HASH = "0" * 64
AGENT = f"""#!{sys.executable}
import json, os, signal, sys
print("the agent speaks", flush=True)
facts = {{
    "words": sys.argv, "folder": os.getcwd(), "environ": dict(os.environ), "pid": os.getpid(),
    "terminal": [os.isatty(number) for number in (0, 1, 2)],
    "ignored": next(line.split()[1] for line in open("/proc/self/status") if line.startswith("SigIgn")),
}}
json.dump(facts, open(os.environ["STARTED"], "w"))
for path in os.environ.get("WIPE", "").split(":"):
    if path:
        open(path, "w").close()
sys.exit(7)
"""


class Desk:
    """A home, a project in which one session of each agent was held, and a folder of programs."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.project = folder / "work" / "weather"
        self.elsewhere = folder / "work" / "other"
        self.bin = folder / "bin"
        self.started = folder / "started.json"
        for place in (self.home, self.project, self.elsewhere, self.bin):
            place.mkdir(parents=True)

    def library(self, here: Path | None = None, environ: Mapping[str, str] = NOTHING, *, fresh: bool = True) -> Library:
        """A library with its own files beside the home, as if pollux was started in a folder."""
        own = {f"XDG_{name}_HOME": str(self.home.parent / name.lower()) for name in ("CACHE", "DATA", "CONFIG")}
        variables = {"HOME": str(self.home), "PATH": str(self.bin), **own, **environ}
        return Library(variables, here or self.home, hunt=False, fresh=fresh)

    def furnish(self, **variables: Path) -> dict[str, Path]:
        """Write a session of each agent, in the homes that these variables name or the usual ones."""
        claude = variables.get("CLAUDE_CONFIG_DIR", self.home / ".claude")
        codex = variables.get("CODEX_HOME", self.home / ".codex")
        gemini = variables.get("GEMINI_CLI_HOME", self.home) / ".gemini"
        return {"claude": self.claude(claude), "codex": self.codex(codex), "gemini": self.gemini(gemini)}

    def claude(self, home: Path, id: str = IDS["claude"], project: Path | None = None) -> Path:
        """A session of Claude Code."""
        place = str(project or self.project)
        usual = {"isSidechain": False, "sessionId": id, "timestamp": TIME, "cwd": place, "version": "2.1.325"}
        usual |= {"userType": "external", "entrypoint": "cli"}
        return _lines(
            home / "projects" / re.sub("[^A-Za-z0-9]", "-", place) / f"{id}.jsonl",
            {"type": "user", "uuid": "u1", "parentUuid": None, **usual, "message": _said("user", "Is it raining?")},
            {
                "type": "assistant",
                "uuid": "u2",
                "parentUuid": "u1",
                **usual,
                "message": {"id": "m1", "type": "message", "model": "claude-sonnet-4-6"}
                | _said("assistant", [{"type": "text", "text": "It is."}]),
            },
        )

    def codex(self, home: Path, *, folder: str = "sessions/2026/11/14", provider: str | None = "openai") -> Path:
        """A thread of Codex CLI."""
        id = IDS["codex"]
        meta = {"id": id, "timestamp": TIME, "cwd": str(self.project), "originator": "codex_cli_rs"}
        meta |= {"cli_version": "0.166.0", "source": "cli", **({"model_provider": provider} if provider else {})}
        said = [("user", "input_text", "Is it raining?"), ("assistant", "output_text", "It is.")]
        events = [("user_message", "Is it raining?"), ("agent_message", "It is.")]
        items: list[dict[str, Any]] = []
        for (role, kind, text), (event, message) in zip(said, events, strict=True):
            content = [{"type": kind, "text": text}]
            items.append({"type": "response_item", "payload": {"type": "message", "role": role, "content": content}})
            items.append({"type": "event_msg", "payload": {"type": event, "message": message}})
        return _lines(
            home / folder / f"rollout-2026-11-14T10-00-00-{id}.jsonl",
            {"timestamp": TIME, "type": "session_meta", "payload": meta},
            *({"timestamp": TIME, **item} for item in items),
        )

    def gemini(self, home: Path, *, updated: str = TIME, id: str = IDS["gemini"]) -> Path:
        """A session of Gemini CLI."""
        digest = hashlib.sha256(str(self.project).encode()).hexdigest()
        slug = home / "tmp" / "weather"
        file = _lines(
            slug / "chats" / f"session-2026-11-14T10-00-{id[:8]}.jsonl",
            {"sessionId": id, "projectHash": digest, "startTime": updated, "lastUpdated": updated, "kind": "main"},
            {"id": "m1", "timestamp": updated, "type": "user", "content": [{"text": "Is it raining?"}]},
            {"id": "m2", "timestamp": updated, "type": "gemini", "content": "It is."},
            {"$set": {"lastUpdated": updated, "summary": "Rain"}},
        )
        marker = slug / ".project_root"
        marker.write_text(str(self.project))
        os.utime(marker, (WRITTEN, WRITTEN))
        return file

    def guessed(self, home: Path) -> None:
        """A session of Gemini CLI whose folder has an unknown hash. The files that it reads lie elsewhere."""
        file = self.gemini(home)
        calls = [
            {
                "id": name,
                "name": "read_file",
                "args": {"absolute_path": str(self.elsewhere / name)},
                "status": "success",
            }
            for name in ("a.py", "b.py", "c.py")
        ]
        header, *lines = map(json.loads, file.read_text().splitlines())
        reply = {"id": "m3", "timestamp": TIME, "type": "gemini", "content": "", "toolCalls": calls}
        _lines(home / "tmp" / _NO_HASH / "chats" / file.name, {**header, "projectHash": _NO_HASH}, *lines, reply)
        file.unlink()
        (home / "tmp" / "weather" / ".project_root").unlink()

    def install(self, agent: str, release: str = "99.0.0") -> Path:
        """A stand-in for an agent, as npm would install it."""
        package = self.bin.parent / "lib" / PACKAGES[agent]
        package.mkdir(parents=True, exist_ok=True)
        (package / "package.json").write_text(json.dumps({"name": PACKAGES[agent], "version": release}))
        program = package / "cli.js"
        program.write_text(AGENT)
        program.chmod(0o755)
        (self.bin / agent).unlink(missing_ok=True)
        (self.bin / agent).symlink_to(program)
        return self.bin / agent

    def start(self) -> dict[str, Any]:
        """How the stand-in was started."""
        facts: dict[str, Any] = json.loads(self.started.read_bytes())
        return facts

    @contextmanager
    def running(self, *words: str, folder: Path | None = None, opened: Path | None = None) -> Iterator[int]:
        """A process with this command line, in a folder, that may have a file open for writing."""
        code = "import sys; file = open(sys.argv[1], 'a') if sys.argv[1] else None; print('ready', flush=True); input()"
        command = [words[0], "-c", code, str(opened or ""), *words[1:]]
        with subprocess.Popen(
            command,
            executable=sys.executable,
            cwd=folder or self.home,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={"HOME": str(self.home), "PYTHONHOME": sys.base_prefix},
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            try:
                yield process.pid
            finally:
                process.stdin.close()
                process.wait(30)


def _said(role: str, content: Any) -> dict[str, Any]:
    return {"role": role, "content": content}


def _lines(file: Path, *records: dict[str, Any]) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    os.utime(file, (WRITTEN, WRITTEN))
    return file
