"""Who reports changes below folders: Linux itself, or the package `watchfiles`, which must be asked again and again."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Event
from typing import Any, Protocol

from pollux.system import inotify

QUICK, SLOW = 0.05, 0.5
"""Seconds after which `watchfiles` is asked: while something happens, and when nothing did for long."""

CALM = 30.0
"""Seconds without a report after which there is no hurry: asking often is most of what waiting costs."""


class Reports(Protocol):
    """Reports of changes."""

    def wait(self, seconds: float) -> bool:
        """Was something reported, now or within so many seconds?"""
        ...

    def close(self) -> None:
        """End it."""
        ...


def reports_of(folders: Sequence[Path], stop: Event) -> Reports | None:
    """The reports of these folders; None where nobody gives any. Raises `OSError` and `RuntimeError`."""
    if inotify.is_available():
        return inotify.Inotify(folders)
    try:
        return Asked(folders, stop)
    except ImportError:
        return None


class Asked:
    """Reports that `watchfiles` collects. Whoever sets `stop` need not wait for it."""

    def __init__(self, folders: Sequence[Path], stop: Event) -> None:
        from watchfiles import watch

        # It only says what was reported since it was last asked.
        self._reports: Iterator[set[Any]] = watch(
            *folders,
            watch_filter=None,
            step=1,
            rust_timeout=1,
            yield_on_timeout=True,
            raise_interrupt=True,
            ignore_permission_denied=True,
            stop_event=stop,
        )
        self._stop = stop
        self._reported_at = time.monotonic()

    def wait(self, seconds: float) -> bool:
        """Was something reported, now or within so many seconds?"""
        end = time.monotonic() + seconds
        while True:
            is_change = bool(next(self._reports, None))
            now = time.monotonic()
            if is_change:
                self._reported_at = now
            pause = QUICK if now - self._reported_at < CALM else SLOW
            if is_change or now >= end or self._stop.wait(min(pause, end - now)):
                return is_change

    def close(self) -> None:
        """End it."""
        self._reports = iter(())
