"""When Gemini CLI deletes sessions: since 0.33 thirty days after their last use, unless its settings differ.

It goes by the last use that stands in the session's file, not by the time of the file.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from pollux.sources.base import Retention
from pollux.sources.settings import setting
from pollux.wire import display_path
from pollux.wire.join_versions import format_document, object_lines, parse_document, value_of

_AGE = re.compile(r"(\d+)([hdwm])\Z")
_CHAT = re.compile(r"/chats/session-[^/]*\.jsonl?\Z")
_LAST_USE = "lastUpdated"
_DAYS = {"h": 1 / 24, "d": 1.0, "w": 7.0, "m": 30.0}


def retention(root: Path) -> Retention:
    """The retention in the settings next to a root."""
    file = root.parent / "settings.json"
    value = setting(file, "general", "sessionRetention")
    settings = value if isinstance(value, dict) else {}
    age = _AGE.match(str(settings.get("maxAge", "30d")))
    days = int(age[1]) * _DAYS[age[2]] if age is not None else 30.0
    return Retention(
        agent="gemini",
        setting="general.sessionRetention",
        file=display_path(file),
        days=None if settings.get("enabled") is False else days,
        stated="enabled" in settings or "maxAge" in settings,
        advice='{"general": {"sessionRetention": {"enabled": false}}}',
    )


def refresh(path: str, content: bytes, at: datetime) -> bytes:
    """A chat with this time as its last use: in a log as one more line, in a document in its place."""
    if not _CHAT.search(path):
        return content
    time = at.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"
    lines = object_lines(content)
    if lines and "sessionId" in (first := value_of(lines[0]) or {}) and "messages" not in first:
        line = msgspec.json.encode({"$set": {_LAST_USE: time}}) + b"\n"
        return content + (b"" if content.endswith(b"\n") else b"\n") + line
    document = parse_document(content, "messages")
    if document is None or _LAST_USE not in document.members:
        return content
    document.members[_LAST_USE] = msgspec.json.encode(time)
    return format_document(document, "messages")
