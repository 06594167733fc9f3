"""Copilot CLI deletes no session by itself."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from pollux.sources.base import Retention


def retention(_root: Path) -> Retention | None:
    """Never."""
    return None


def refresh(_path: str, content: bytes, _at: datetime) -> bytes:
    """The file as it is: Copilot CLI deletes no sessions."""
    return content
