"""File names for exported sessions: the same every time, safe everywhere, never the same for two sessions."""

from __future__ import annotations

import hashlib
import re
from datetime import UTC, datetime
from enum import StrEnum

_ODD = re.compile(r"[^a-z0-9._-]+")
LONGEST = 80


class Layout(StrEnum):
    """What shares a file."""

    SESSION = "session"
    DAY = "day"


def file_name(agent: str, id: str, suffix: str) -> str:
    """`gemini-3274cde4-….md`: no title in it, since titles change.

    An id may hold anything, even path separators. If it had to be changed, a piece of its hash keeps the name unique.
    The same holds for capital letters, which some file systems do not tell apart.
    """
    plain = _plain(id)
    if plain != id:
        plain = f"{plain}-{_digest(id)}" if plain else _digest(id)
    return f"{_ODD.sub('-', agent.lower())}-{plain}{suffix}"


def day_name(project: str | None, started: datetime | None, suffix: str) -> str:
    """`weather-1f3a9c/2026-11-15.md`: a project's folder and a day of it, in UTC.

    Two projects may have the same name; a piece of the hash of the path distinguishes them.
    """
    last = re.split(r"[/\\]", project.rstrip("/\\"))[-1] if project else ""
    folder = f"{_plain(last) or 'project'}-{_digest(project)[:6]}" if project else "no-project"
    day = started.astimezone(UTC).date().isoformat() if started is not None else "undated"
    return f"{folder}/{day}{suffix}"


def _plain(text: str) -> str:
    return _ODD.sub("-", text.lower())[:LONGEST].strip(".-")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
