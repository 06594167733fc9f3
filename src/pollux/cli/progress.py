"""How far a sync is, on one line of the terminal, and only where it takes so long that somebody wonders."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pollux.library import Progress

_SILENCE = 0.5
_PAUSE = 0.1
_WIDTH = 24


class Bar:
    """Hears of progress; draws on standard error, and wipes the line when all is done."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._shown = not quiet and sys.stderr.isatty()
        self._begun: float | None = None
        self._drawn = 0.0
        self._standing = False

    def __call__(self, progress: Progress) -> None:
        """Draw, where it is time."""
        if not self._shown:
            return
        now = time.monotonic()
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

    def close(self) -> None:
        """Wipe what an interrupted sync left on the line."""
        if self._standing:
            self._write("")

    def _write(self, text: str) -> None:
        self._standing = bool(text)
        sys.stderr.write(f"\r\x1b[2K{text}")
        sys.stderr.flush()


def line(progress: Progress, seconds: float) -> str:
    """One line: a bar, files, speed, time left."""
    share = progress.done_bytes / progress.bytes if progress.bytes else progress.done_files / max(1, progress.files)
    filled = int(share * _WIDTH)
    speed = progress.done_bytes / 1e6 / seconds if seconds else 0.0
    left = seconds * (1 - share) / share if share else 0.0
    return (
        f"Indexing {'█' * filled}{'░' * (_WIDTH - filled)} {share:4.0%}  "
        f"{progress.done_files:,} of {progress.files:,} files  {speed:.0f} MB/s  {_time(left)} left"
    )


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
