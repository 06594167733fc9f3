"""How far a sync is, on one line of the terminal, and only where it takes so long that somebody wonders."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from pollux.cli.common import remark

if TYPE_CHECKING:
    from pollux.library import Progress

_SILENCE = 0.5
_PAUSE = 0.1
_WIDTH = 24
_LONG = 2.0
_AGAIN = 60.0


class Bar:
    """Hears of progress; draws on standard error, and wipes the line when all is done.

    Where no terminal shows it, or a program listens, only waiting for another pollux is worth a word, now and then.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._shown = not quiet and sys.stderr.isatty()
        self._begun: float | None = None
        self._drawn = 0.0
        self._standing = False
        self._waiting: float | None = None
        self._next = _LONG

    def __call__(self, progress: Progress) -> None:
        """Draw, where it is time."""
        now = time.monotonic()
        if progress.by is not None:
            self._begun = None
            self._waiting = self._waiting or now
            self._wait(progress, now - self._waiting)
            return
        if not self._shown:
            return
        if self._begun is None:
            self._begun = now
        done = progress.done_files >= progress.files
        if done:
            self._begun = None
            self.close()
            return
        if now - self._begun < _SILENCE or now - self._drawn < _PAUSE:
            return
        self._drawn = now
        self._write(line(progress, now - self._begun))

    def _wait(self, progress: Progress, seconds: float) -> None:
        if self._shown:
            if seconds >= _SILENCE:
                self._write(waiting(progress))
        elif seconds >= self._next:
            self._next = seconds + _AGAIN
            remark(f"{waiting(progress)}.", for_programs=self._quiet)

    def close(self) -> None:
        """Wipe what an interrupted sync left on the line."""
        if self._standing:
            self._write("")

    def _write(self, text: str) -> None:
        self._standing = bool(text)
        sys.stderr.write(f"\r\x1b[2K{text}")
        sys.stderr.flush()


def waiting(progress: Progress) -> str:
    """For whom this pollux waits, and how far that one is."""
    who = f"another pollux (process {progress.by})" if progress.by else "another pollux"
    far = f": {_share(progress):.0%}, {progress.done_files:,} of {progress.files:,} files" if progress.files else ""
    return f"Waiting for {who}, which is indexing{far}"


def line(progress: Progress, seconds: float) -> str:
    """One line: a bar, files, speed, time left."""
    share = _share(progress)
    filled = int(share * _WIDTH)
    speed = progress.done_bytes / 1e6 / seconds if seconds else 0.0
    left = seconds * (1 - share) / share if share else 0.0
    return (
        f"Indexing {'█' * filled}{'░' * (_WIDTH - filled)} {share:4.0%}  "
        f"{progress.done_files:,} of {progress.files:,} files  {speed:.0f} MB/s  {_time(left)} left"
    )


def _share(progress: Progress) -> float:
    return progress.done_bytes / progress.bytes if progress.bytes else progress.done_files / max(1, progress.files)


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
