"""A timer of the user that runs a command regularly, with systemd, launchd or cron."""

from __future__ import annotations

from pollux.system.timers.base import Job, Period, Piece, Timer
from pollux.system.timers.choice import timers, usual

__all__ = ["Job", "Period", "Piece", "Timer", "timers", "usual"]
