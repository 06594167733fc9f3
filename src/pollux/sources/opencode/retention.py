"""OpenCode deletes no session by itself."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from pollux.sources.base import Retention


def retention(_root: Path) -> Retention | None:
    """Never; long outputs go after seven days."""
    return None


def refresh(_path: str, content: bytes, _at: datetime) -> bytes:
    """The file as it is: OpenCode deletes no sessions."""
    return content
