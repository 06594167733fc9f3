"""When Gemini CLI deletes sessions: since 0.33 thirty days after their last use, unless its settings differ."""

from __future__ import annotations

import re
from pathlib import Path

from pollux.sources.base import Retention
from pollux.sources.settings import setting
from pollux.wire import display_path

_AGE = re.compile(r"(\d+)([hdwm])\Z")
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
