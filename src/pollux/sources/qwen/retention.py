"""Qwen Code never deletes sessions by their age. Since 0.19 it deletes the transcripts of sub-agents after 30 days."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path


def retention(_root: Path) -> None:
    """None: `general.cleanupPeriodDays` concerns sub-agents' transcripts and earlier versions of files only."""
    return


def refresh(_path: str, content: bytes, _at: datetime) -> bytes:
    """The file as it is: Qwen Code goes by the time of the file."""
    return content
