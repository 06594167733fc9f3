"""When Gemini CLI deletes sessions: since 0.33 thirty days after they were left, unless told otherwise."""

from __future__ import annotations

import re
from pathlib import Path

from pollux.sources.base import Retention
from pollux.sources.settings import setting
from pollux.wire import display_path

_AGE = re.compile(r"(\d+)([hdwm])\Z")
_DAYS = {"h": 1 / 24, "d": 1.0, "w": 7.0, "m": 30.0}


def retention(root: Path) -> Retention:
    """What the settings beside a root say."""
    file = root.parent / "settings.json"
    told = setting(file, "general", "sessionRetention")
    held = told if isinstance(told, dict) else {}
    age = _AGE.match(str(held.get("maxAge", "30d")))
    days = int(age[1]) * _DAYS[age[2]] if age is not None else 30.0
    return Retention(
        agent="gemini",
        setting="general.sessionRetention",
        file=display_path(file),
        days=None if held.get("enabled") is False else days,
        stated="enabled" in held or "maxAge" in held,
        advice='{"general": {"sessionRetention": {"enabled": false}}}',
    )
