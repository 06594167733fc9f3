"""Qwen Code never deletes sessions by their age. Since 0.19 it deletes the transcripts of sub-agents after 30 days."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from pollux.sources.base import Retention
from pollux.sources.settings import setting
from pollux.wire import display_path

_DEFAULT = 30
_OWN_FOLDER, _SETTINGS = ".qwen", "settings.json"


def retention(root: Path) -> Retention:
    """The retention of sub-agents' transcripts, in the settings of the agent.

    They lie in its own folder, also where the sessions were moved elsewhere: then only their name is known.
    """
    file = root / _SETTINGS
    value = setting(file, "general", "cleanupPeriodDays")
    stated = isinstance(value, int | float) and not isinstance(value, bool)
    return Retention(
        agent="qwen",
        setting="general.cleanupPeriodDays",
        file=display_path(file) if root.name == _OWN_FOLDER or file.is_file() else _SETTINGS,
        days=float(value) if stated else float(_DEFAULT),
        stated=stated,
        advice='{"general": {"cleanupPeriodDays": 36500}}',
        folder="subagents",
    )


def refresh(_path: str, content: bytes, _at: datetime) -> bytes:
    """The file as it is: Qwen Code goes by the time of the folder in which it lies."""
    return content
