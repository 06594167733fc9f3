"""When to look for changes: whenever the file system reports one, and otherwise ever less often."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from enum import Enum
from pathlib import Path
from threading import Event

from pollux.library.watch.reports import Reports, reports_of
from pollux.wire import folder_at

INTERVAL = 5.0
"""Seconds between two ticks without a report."""

LONGEST = 600.0
"""Seconds after which a look is due without a report: some file systems report nothing."""

BURST, LULL = 0.4, 0.05
"""Changes that follow one another within a lull are one, for so many seconds at most."""

_RARER, _RARER_IF_MISSED = 8, 2
"""So many times longer is the wait for the next look without a report where the last one found nothing: where reports
can be trusted, so far as is known, and where they cannot."""

PAUSE = 0.25
_IDLE_SHARE = 4
"""After a look, at least so many times as long as it took is left to other programs."""


class Tick(Enum):
    """Why there is a tick."""

    REPORTED = "something changed"
    DUE = "nothing was reported for a while"
    QUIET = "nothing is to be done"


class Ticks:
    """Ticks until `stop` is set: one to begin with, one for every report, and one whenever a look is due.

    A look without a report that finds nothing makes the next one due later. If it finds something (`missed`), this file
    system reports nothing, and looks are due often again.
    """

    def __init__(self, folders: Callable[[], list[Path]], stop: Event | None = None) -> None:
        self._folders = folders
        self._stop = stop if stop is not None else Event()
        self._wait = INTERVAL
        self._rarer = _RARER
        self._looked = 0.0

    def missed(self) -> None:
        """Note that something had changed without a report."""
        self._wait, self._rarer = INTERVAL, _RARER_IF_MISSED

    def __iter__(self) -> Iterator[Tick]:
        yield self._look(Tick.REPORTED)
        while not self._stop.is_set():
            existing = self._existing()
            yield from self._reported(existing) if existing else ()
            if self._stop.is_set():
                return
            began = time.monotonic()
            yield self._look(Tick.REPORTED)
            # A sync of a large history takes a while, so most of the time is left to other programs.
            self._stop.wait(max(PAUSE, _IDLE_SHARE * (time.monotonic() - began)))

    def _look(self, tick: Tick) -> Tick:
        self._looked = time.monotonic()
        return tick

    def _existing(self) -> list[Path]:
        return [folder for folder in self._folders() if folder_at(folder)]

    def _reported(self, existing: list[Path]) -> Iterator[Tick]:
        """Ticks from the events of the file system, as long as it reports them. None reports a new root."""
        self._wait = INTERVAL  # what changed before the watch began is not reported
        try:
            reports = reports_of(existing, self._stop)
            if reports is None:
                return
            with closing(reports):
                while True:
                    is_change = reports.wait(INTERVAL)
                    if self._stop.is_set():
                        return
                    if is_change:
                        self._await_end(reports)
                        yield self._look(Tick.REPORTED)
                    elif self._existing() != existing:
                        return
                    else:
                        yield self._quiet()
        except (OSError, RuntimeError):
            return  # the system has no more watches to give, or a folder is gone

    def _await_end(self, reports: Reports) -> None:
        """Wait until nothing more is reported: an agent writes many lines at once."""
        latest = time.monotonic() + BURST
        while time.monotonic() < latest and reports.wait(LULL):
            pass

    def _quiet(self) -> Tick:
        """The tick where nothing was reported: a look is due if the last one was long ago."""
        if time.monotonic() - self._looked < self._wait:
            return Tick.QUIET
        self._wait = min(self._rarer * self._wait, LONGEST)
        return self._look(Tick.DUE)
