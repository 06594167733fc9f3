"""Which timers there are, and which suits this machine."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from pollux.errors import RequestError
from pollux.system.timers.base import Timer
from pollux.system.timers.cron import Cron
from pollux.system.timers.launchd import Launchd
from pollux.system.timers.systemd import Systemd

_BOOTED = Path("/run/systemd/system")
"""This folder exists where systemd runs the machine."""


def timers(home: Path, config: Path) -> dict[str, Timer]:
    """Every kind of timer by its name, for a user whose settings are in `config`."""
    kinds: list[Timer] = [Systemd(config / "systemd" / "user"), Launchd(home), Cron()]
    return {timer.name: timer for timer in kinds}


def usual() -> str:
    """The kind of timer that this machine has. Raises `RequestError` where it has none."""
    if sys.platform == "darwin":
        return Launchd.name
    if shutil.which("systemctl") and (_BOOTED.is_dir() or not shutil.which("crontab")):
        return Systemd.name
    if shutil.which("crontab"):
        return Cron.name
    hint = "Start this command regularly in another way: pollux archive run"
    raise RequestError("This machine has no systemd, launchd or cron.", hint)
