"""A timer of the user's own that runs a command now and then, by whatever the machine has for that."""

from __future__ import annotations

from pollux.system.timers.base import Job, Period, Piece, Timer
from pollux.system.timers.choice import timers, usual

__all__ = ["Job", "Period", "Piece", "Timer", "timers", "usual"]
