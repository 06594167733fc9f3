"""`workspace.yaml`: what a session's folder says about it, in plain `key: value` lines."""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from pollux.errors import Unreadable
from pollux.model import Severity
from pollux.wire import SMALL, Notes, display_path, read_bytes

_LINE = re.compile(r"([^\s:#][^:]*):(?: +(.*))?\Z")
_BLOCK = re.compile(r"[|>][+-]?\d*[+-]?\Z")


def read_workspace(path: str, notes: Notes) -> dict[str, str]:
    """All keys with their values as text. A line that is neither is kept under its own text."""
    notes.file, notes.line = display_path(path), None
    try:
        text = read_bytes(path, SMALL).decode("utf-8", "replace")
    except Unreadable as error:
        notes.add("file.unreadable", str(error), Severity.ERROR)
        return {}
    values: dict[str, list[str]] = {}
    last: list[str] | None = None
    for line in text.split("\n"):
        match = _LINE.match(line)
        if match is not None:
            last = values.setdefault(match[1], [])
            last[:] = [match[2] or ""]
        elif last is not None and (line.startswith((" ", "\t")) or not line):
            last.append(line.strip())
        elif line.strip():
            values[line] = [""]
    return {key: _value(lines) for key, lines in values.items()}


def title_of(workspace: Mapping[str, str]) -> str | None:
    """The name that the human gave the session, or the agent; else its summary."""
    return workspace.get("name") or workspace.get("summary") or None


def _value(lines: list[str]) -> str:
    first, rest = lines[0].strip(), lines[1:]
    while rest and not rest[-1]:
        rest = rest[:-1]
    if _BLOCK.match(first):
        return "\n".join(rest) if first.startswith("|") else " ".join(rest)
    whole = " ".join([first, *rest]) if rest else first
    if len(whole) > 1 and whole[0] == whole[-1] == '"':
        try:
            return msgspec.json.decode(whole, type=str)
        except msgspec.DecodeError:
            return whole
    if len(whole) > 1 and whole[0] == whole[-1] == "'":
        return whole[1:-1].replace("''", "'")
    return "" if whole in ("null", "~") else whole
