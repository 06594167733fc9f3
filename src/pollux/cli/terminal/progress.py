"""The progress of long work, on one line of the terminal. It appears only after a while."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

from pollux.cli.options.common import remark
from pollux.text.figures import size

if TYPE_CHECKING:
    from collections.abc import Sequence

    import click

    from pollux.library.library import Progress

_SILENCE = 0.5
_PAUSE = 0.1
_WIDTH, _LEAST = 24, 4
_LONG = 2.0
_AGAIN = 60.0


class Bar:
    """Draws progress on standard error, and clears the line at the end. `then` names a second pass.

    The bar counts bytes and never goes back: if the total grows, the bar waits. Without a terminal, or for a program,
    only waiting for another pollux is reported, now and then.
    """

    def __init__(self, what: str = "Indexing", then: str = "Indexing anew", *, quiet: bool = False) -> None:
        self._above = 0
        self._quiet = quiet
        self._shown = not quiet and sys.stderr.isatty()
        self._begun: float | None = None
        self._drawn = 0.0
        self._share = 0.0
        self._what, self._then = what, then
        self._standing = False
        self._waiting: float | None = None
        self._next = _LONG

    def __call__(self, progress: Progress) -> None:
        """Draw, if enough time has passed."""
        now = time.monotonic()
        if progress.by is not None:
            self._begun = None
            self._waiting = self._waiting or now
            self._wait(progress, now - self._waiting)
            return
        if not self._shown:
            return
        if self._waiting is not None:
            self._waiting = None
            self.close()
        if self._begun is None:
            self._begun, self._share = now, 0.0
        self._share = max(self._share, share(progress))
        if progress.done_files >= progress.files:
            self._finish(progress, now - self._begun)
        elif now - self._begun >= _SILENCE and now - self._drawn >= _PAUSE:
            self._drawn = now
            self._write(line(self._what, progress, self._share, now - self._begun, _columns()))

    def _finish(self, progress: Progress, seconds: float) -> None:
        """Everything is read: show a full bar, and clear it."""
        self._begun = None
        if self._standing:
            self._write(line(self._what, progress, 1.0, seconds, _columns()))
        self.close()
        self._what = self._then  # a second pass reads sessions of which more is known now

    def _wait(self, progress: Progress, seconds: float) -> None:
        if self._shown:
            if seconds >= _SILENCE:
                self._write(waiting(progress))
        elif seconds >= self._next:
            self._next = seconds + _AGAIN
            remark(f"{waiting(progress)}.", for_programs=self._quiet)

    def close(self) -> None:
        """Clear what interrupted work left on the line."""
        if self._standing:
            self._write("")

    def above(self, lines: Sequence[str]) -> None:
        """Write lines above the bar. They stay until the end, or for good if the work is interrupted."""
        self.close()
        self._above += len(lines)
        sys.stderr.write("".join([f"{text}\n" for text in lines]))
        sys.stderr.flush()

    def end(self) -> None:
        """Stop drawing, and take all lines back: other output follows."""
        self.close()
        if self._above:
            sys.stderr.write(f"\x1b[{self._above}A\r\x1b[J")
            sys.stderr.flush()
        self._above = 0
        self._shown = False

    def _write(self, text: str) -> None:
        self._standing = bool(text)
        sys.stderr.write(f"\r\x1b[2K{text}")
        sys.stderr.flush()


def bar(ctx: click.Context, what: str, then: str = "", *, quiet: bool = False) -> Bar:
    """A bar that is cleared when the command ends."""
    progress = Bar(what, then or what, quiet=quiet)
    ctx.call_on_close(progress.close)
    return progress


def waiting(progress: Progress) -> str:
    """The other pollux that this one waits for, and its progress."""
    other = f"another pollux (process {progress.by})" if progress.by else "another pollux"
    progress_text = f": {share(progress):.0%} of {size(progress.bytes)}" if progress.files else ""
    return f"Waiting for {other}, which is indexing{progress_text}"


def share(progress: Progress) -> float:
    """The share of the bytes that is read, or of the files where they are empty. It is 1 only when all is read."""
    if progress.done_files >= progress.files:
        return 1.0
    done, total = (progress.done_bytes, progress.bytes) if progress.bytes else (progress.done_files, progress.files)
    return min(done / total, 0.99)


def line(what: str, progress: Progress, part: float, seconds: float, columns: int) -> str:
    """One line: what is done, a bar, the bytes, the time left; shorter where there is no room."""
    done = round(part * progress.bytes)
    left = seconds * (1 - part) / part if part else 0.0
    facts = [
        f" {part:4.0%}",
        f"  {size(done)} of {size(progress.bytes)}" if progress.bytes else "",
        f", {_time(left)} left" if part < 1 else "",
    ]
    while len(facts) > 1 and columns - len(what) - len("".join(facts)) - 2 < _LEAST:
        facts.pop()
    wide = max(min(_WIDTH, columns - len(what) - len("".join(facts)) - 2), _LEAST)
    filled = int(part * wide)
    return f"{what} {'█' * filled}{'░' * (wide - filled)}{''.join(facts)}"


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
