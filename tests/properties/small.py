"""A small invented home: three good sessions in two projects, and room for one bad file."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from pollux import Filter, Library, Session
from pollux.library.library import ListEntry
from pollux.wire import display_path

EVERYTHING = Filter(everything=True)
PROJECT = "/home/mia/garden"
HASH = hashlib.sha256(PROJECT.encode()).hexdigest()
GOOD = {f"{str(number) * 8}-aaaa-4000-8000-00000000000{number}" for number in (1, 2, 3)}
BAD = "99999999-aaaa-4000-8000-000000000009"


def header(session: str) -> dict[str, Any]:
    moment = "2026-03-01T10:00:00.000Z"
    return {"sessionId": session, "projectHash": HASH, "startTime": moment, "lastUpdated": moment, "kind": "main"}


def prompt(number: int, text: str) -> dict[str, Any]:
    return {
        "id": f"m{number}",
        "timestamp": f"2026-03-01T10:00:{number:02}.000Z",
        "type": "user",
        "content": [{"text": text}],
    }


def reply(number: int, text: str) -> dict[str, Any]:
    figures = {"input": 10, "output": 5, "cached": 0, "thoughts": 0, "tool": 0, "total": 15}
    record = {"id": f"m{number}", "timestamp": f"2026-03-01T10:00:{number:02}.000Z", "type": "gemini", "content": text}
    return {**record, "thoughts": [], "tokens": figures, "model": "gemini-2.5-pro"}


def lines(*records: Any) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def conversation(session: str) -> list[dict[str, Any]]:
    return [
        header(session),
        prompt(1, "When do I sow the peas?"),
        reply(2, "In March."),
        prompt(3, "And beans?"),
        reply(4, "In May."),
    ]


def document(session: str) -> bytes:
    first, *messages = conversation(session)
    return json.dumps({**first, "messages": messages}, indent=2).encode()


class Small:
    """The home in a temporary folder."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.own = folder / "own"
        self.root = self.home / ".gemini" / "tmp"
        self.chats = self.root / "garden" / "chats"
        self.chats.mkdir(parents=True)
        (self.root / "garden" / ".project_root").write_text(PROJECT)
        one, two, three = sorted(GOOD)
        (self.chats / f"session-2026-03-01T10-00-{one[:8]}.jsonl").write_bytes(lines(*conversation(one)))
        (self.chats / f"session-2026-03-01T10-00-{two[:8]}.jsonl").write_bytes(lines(*conversation(two)))
        old = self.root / HASH / "chats"
        old.mkdir(parents=True)
        (old / f"session-2026-03-01T10-00-{three[:8]}.json").write_bytes(document(three))
        self.registry = self.home / ".gemini" / "projects.json"
        self.registry.write_text(json.dumps({"projects": {PROJECT: "garden"}}))
        self.bad = self.chats / f"session-2026-03-02T10-00-{BAD[:8]}.jsonl"
        self.before: dict[str, tuple[int, str]] = {}

    @property
    def environ(self) -> dict[str, str]:
        own = {f"XDG_{name}_HOME": str(self.own / name.lower()) for name in ("CACHE", "CONFIG", "DATA", "STATE")}
        return {
            "HOME": str(self.home),
            "PATH": os.environ.get("PATH", os.defpath),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            **own,
        }

    def library(self) -> Library:
        """A fresh look; from here on nothing under `.gemini` may change."""
        self.before = self.snapshot()
        return Library(self.environ, self.home)

    def snapshot(self) -> dict[str, tuple[int, str]]:
        """Every name with its time and content; what cannot be read has its name at least."""
        result: dict[str, tuple[int, str]] = {}
        for folder, folders, names in os.walk(self.home / ".gemini"):
            for path in (Path(folder, name) for name in (*folders, *names)):
                content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
                result[str(path)] = (path.lstat().st_mtime_ns, content)
        return result

    def listed(self, library: Library) -> dict[str, ListEntry]:
        """What is listed; the good sessions must be, and whole."""
        rows = {summary.summary.id: summary for summary in library.list(EVERYTHING)}
        for session in GOOD:
            assert rows[session].summary.counts.prompts == 2, session
            assert rows[session].summary.counts.replies == 2, session
        assert self.snapshot() == self.before, "something was written to the agent's folders"
        return rows

    def read_bad(self) -> Session | None:
        """The session of the bad file, where there is one, after the good ones were found whole."""
        library = self.library()
        self.listed(library)
        return next((session for session in library.sessions(EVERYTHING) if session.id not in GOOD), None)

    def line_of_bad(self) -> tuple[str, str]:
        """The doctor's word about the bad file and its reason."""
        report = self.library().doctor()
        assert self.snapshot() == self.before, "something was written to the agent's folders"
        line = next(line for line in report.files if display_path(line.path) == display_path(self.bad))
        return line.status.value, line.reason or ""
