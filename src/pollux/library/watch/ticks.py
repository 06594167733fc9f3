"""When to look for changes: whenever the file system reports one, and otherwise ever less often."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from threading import Event

from pollux.wire import folder_at

INTERVAL = 5.0
"""Seconds between two ticks without a report."""

LONGEST = 600.0
"""Seconds after which a look is due without a report: some file systems report nothing."""

QUICK, SLOW = 50, 250
"""Milliseconds after which the system is asked for reports: while something happens, and when nothing did for long."""

CALM = 30.0
"""Seconds without a report after which there is no hurry: asking often is most of what waiting costs."""

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
        self._step = QUICK
        self._reported_at = time.monotonic()

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
        try:
            from watchfiles import watch
        except ImportError:
            return
        self._wait = INTERVAL  # what changed before the watch began is not reported
        try:
            for changes in watch(
                *existing,
                watch_filter=None,
                debounce=400,
                step=self._step,
                rust_timeout=int(INTERVAL * 1000),
                yield_on_timeout=True,
                raise_interrupt=True,
                ignore_permission_denied=True,
                stop_event=self._stop,
            ):
                if changes:
                    self._reported_at = time.monotonic()
                    yield self._look(Tick.REPORTED)
                if (step := QUICK if time.monotonic() - self._reported_at < CALM else SLOW) != self._step:
                    self._step = step
                    return  # the next watch asks more or less often
                if changes:
                    continue
                if self._existing() != existing:
                    return
                if time.monotonic() - self._looked < self._wait:
                    yield Tick.QUIET
                else:
                    self._wait = min(self._rarer * self._wait, LONGEST)
                    yield self._look(Tick.DUE)
        except (OSError, RuntimeError):
            return  # the system has no more watches to give, or a folder is gone
