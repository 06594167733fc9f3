"""When Claude Code deletes sessions: thirty days after their last use, unless its settings differ."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from pollux.sources.base import Retention
from pollux.sources.settings import setting
from pollux.wire import display_path

_DEFAULT = 30


def retention(root: Path) -> Retention:
    """The retention in the settings next to a root."""
    file = root.parent / "settings.json"
    value = setting(file, "cleanupPeriodDays")
    stated = isinstance(value, int | float) and not isinstance(value, bool)
    return Retention(
        agent="claude",
        setting="cleanupPeriodDays",
        file=display_path(file),
        days=float(value) if stated else float(_DEFAULT),
        stated=stated,
        advice='{"cleanupPeriodDays": 36500}',
    )


def refresh(_path: str, content: bytes, _at: datetime) -> bytes:
    """The file as it is: Claude Code goes by the time of the file."""
    return content
