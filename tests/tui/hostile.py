"""A home in which every text means harm, made of the corpus: what each agent writes, wherever it may write a text."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).parent.parent / "corpus"
HOMES = ("gemini/0.44.0", "claude/2.1.325", "codex/0.166.0")

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
    return folder


def _transcripts(folder: Path) -> Iterator[Path]:
    for pattern in (".gemini/tmp/*/chats/*.jsonl", ".claude/projects/**/*.jsonl", ".codex/sessions/**/*.jsonl"):
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
