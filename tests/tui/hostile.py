"""A home in which every text means harm, made of the corpus: what each agent writes, wherever it may write a text."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).parent.parent / "corpus"
HOMES = ("gemini/0.44.0", "claude/2.1.325", "codex/0.166.0", "qwen/0.24.4", "copilot/1.0.11", "opencode/1.18.33")
PATTERNS = (
    *(".gemini/tmp/*/chats/*.jsonl", ".claude/projects/**/*.jsonl", ".codex/sessions/**/*.jsonl"),
    *(".qwen/projects/*/chats/*.jsonl", ".copilot/session-state/*/events.jsonl"),
)

CONTROLS = (
    "\x1b[2J\x1b[31m\x1b]0;stolen\x07\x1b]52;c;c3RvbGVu\x07\x1bP$q\x1b\\\x1b[?1049l\x1b[?25l\x1b[5;1H\x1bc"
    "\x9b2J\x9d0;stolen\x9c\x00\x05\x07\x08\x0b\x0c\x0e\x0f\x7f\x85"
)
ORDER = "\u202e\u202d\u202a\u2066\u2067\u2069\u061c\u200f\u206a"
"""Marks that reverse the order of letters."""

WIDTHS = "\u200b\u2060\ufeff\u00ad\u3164\U000e0041\ufe0f\ufe0e" + "e" + "\u0301" * 30 + "漢字🇩🇪👍🏽👨‍👩‍👧🏳️‍🌈﷽ﷺ𒐫"
"""Letters without a width, and those of which terminals have different opinions."""

HALVES = "\ud800\udfff\udc80"
MARKUP = "[bold]x[/] [link=file:///etc/passwd]y[/link] \x1bbold\x1bz\x1b\x1b \x1bno such style\x1b"
"""What the libraries that draw would take for their own."""

EVIL = f" \r{CONTROLS}{ORDER}{WIDTHS}{HALVES}{MARKUP}evil\u2028\t\r\n"

_STRUCTURE = {
    *("type", "role", "id", "uuid", "parentUuid", "parentId", "sessionId", "session_id", "timestamp", "call_id"),
    *("tool_use_id", "kind", "subtype", "startTime", "lastUpdated", "projectHash", "messageId", "leafUuid"),
    *("logicalParentUuid", "history_mode", "source", "status", "stop_reason", "ts"),
}
"""What says how a record is to be read, and which records belong together."""

_ARGUMENTS = {"input", "args"}
"""Objects whose names are somebody's own, too."""


def hostile_home(folder: Path, addition: str = EVIL) -> Path:
    """A home with the sessions of all agents, something added to every text in them."""
    for name in HOMES:
        shutil.copytree(CORPUS / name / "home", folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".cache"))
    for file in _transcripts(folder):
        records = [_spoiled(json.loads(line), addition) for line in file.read_bytes().split(b"\n") if line]
        file.write_text("".join(f"{json.dumps(record)}\n" for record in records), "ascii")
    for database in folder.rglob("opencode.db"):
        _spoil_database(database, addition)
    return folder


def _spoil_database(file: Path, addition: str) -> None:
    """The same for the rows of OpenCode. A text of a database may be no text at all."""
    with closing(sqlite3.connect(file)) as database, database:
        for table in ("message", "part"):
            for id, data in database.execute(f"SELECT id, data FROM {table}").fetchall():  # noqa: S608
                spoiled = json.dumps(_spoiled(json.loads(data), addition))
                database.execute(f"UPDATE {table} SET data = ? WHERE id = ?", (spoiled, id))  # noqa: S608
        end = addition.encode("utf-8", "surrogatepass")
        for column in ("title", "slug", "directory", "version", "agent"):
            database.execute(f"UPDATE session SET {column} = CAST({column} || ? AS TEXT)", (end,))  # noqa: S608


def _transcripts(folder: Path) -> Iterator[Path]:
    for pattern in PATTERNS:
        yield from folder.glob(pattern)


def _spoiled(value: Any, addition: str, key: str = "") -> Any:
    """The same record with something added to every text that is no part of the record's structure."""
    match value:
        case dict():
            mark = addition if key in _ARGUMENTS else ""
            return {name + mark: _spoiled(inner, addition, name) for name, inner in value.items()}
        case list():
            return [_spoiled(inner, addition, key) for inner in value]
        case str() if key not in _STRUCTURE:
            return value + addition
    return value


def long_home(folder: Path, text: str) -> Path:
    """A home with a session for each field in which a long text may be; its title says which."""
    for number, field in enumerate(LONG):
        id = f"{number:08}-8fec-4542-b577-6e17ef613410"
        file = folder / ".claude" / "projects" / "-home-ada" / f"{id}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        words = {name: text if name == field else f"{name} of {field}" for name in LONG}
        file.write_text("".join(f"{json.dumps(record)}\n" for record in _records(id, number, words)), "ascii")
    return folder


LONG = ("title", "cwd", "prompt", "reply", "tool", "argument", "output", "thinking", "branch", "model", "name", "file")


def _records(id: str, number: int, words: dict[str, str]) -> Iterator[dict[str, Any]]:
    """A session of Claude Code: a prompt, a reply with a call, and its result."""
    call = {
        "type": "tool_use",
        "id": "c1",
        "name": words["tool"],
        "input": {words["name"]: words["argument"], "file_path": words["file"]},
    }
    reply = [{"type": "thinking", "thinking": words["thinking"]}, {"type": "text", "text": words["reply"]}, call]
    result = [{"type": "tool_result", "tool_use_id": "c1", "content": words["output"]}]
    messages: list[tuple[str, dict[str, Any]]] = [
        ("user", {"role": "user", "content": words["prompt"]}),
        ("assistant", {"role": "assistant", "id": "r1", "model": words["model"], "content": reply}),
        ("user", {"role": "user", "content": result}),
    ]
    yield {"type": "custom-title", "customTitle": words["title"], "sessionId": id}
    before = None
    for place, (kind, message) in enumerate(messages):
        here = f"{place:08}-0000-4000-8000-{number:012}"
        yield {
            "type": kind,
            "uuid": here,
            "parentUuid": before,
            "sessionId": id,
            "isSidechain": False,
            "timestamp": f"2026-11-15T06:{number:02}:{place:02}.000Z",
            "cwd": words["cwd"],
            "version": "2.1.325",
            "gitBranch": words["branch"],
            "message": message,
        }
        before = here
