"""When Claude Code deletes sessions: thirty days after they were left, unless told otherwise."""

from __future__ import annotations

from pathlib import Path

from pollux.sources.base import Retention
from pollux.sources.settings import setting
from pollux.wire import display_path

_DEFAULT = 30


def retention(root: Path) -> Retention:
    """What the settings beside a root say."""
    file = root.parent / "settings.json"
    told = setting(file, "cleanupPeriodDays")
    stated = isinstance(told, int | float) and not isinstance(told, bool)
    return Retention(
        agent="claude",
        setting="cleanupPeriodDays",
        file=display_path(file),
        days=float(told) if stated else float(_DEFAULT),
        stated=stated,
        advice='{"cleanupPeriodDays": 36500}',
    )
