"""What a timer runs, and what each kind of timer can do."""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple, Protocol

from pollux.errors import OutputError, RequestError
from pollux.model import Value

NAME = "pollux-archive"
MARK = "# pollux archive schedule --every "
"""The mark in every timer that pollux made, before its period."""

_MINUTES = (5, 10, 15, 20, 30)
_HOURS = (1, 2, 3, 4, 6, 8, 12)
_NAMES = {"hourly": 60, "daily": 1440, "weekly": 10080}
_UNITS = {"m": 1, "min": 1, "h": 60, "d": 1440}
_PATIENCE = 60.0


class Period(NamedTuple):
    """How often a timer runs: a number of minutes that every kind of timer can express, also cron."""

    minutes: int

    @classmethod
    def parse(cls, text: str) -> Period:
        """`15min`, `6h`, `daily`, `weekly`. Raises `RequestError`."""
        match = re.fullmatch(r"(\d{1,4}) ?([a-z]+)", text.strip().lower())
        minutes = _NAMES.get(text.strip().lower(), int(match[1]) * _UNITS.get(match[2], 0) if match is not None else 0)
        if minutes in (*_MINUTES, *(60 * hours for hours in _HOURS), *_NAMES.values()):
            return cls(minutes)
        choices = f"{', '.join(map(str, _MINUTES))} min; {', '.join(map(str, _HOURS))} h; daily; weekly"
        raise RequestError(f"No timer can run every {text!r}.", f"Known: {choices}.")

    def __str__(self) -> str:
        if self.minutes < 60:
            return f"{self.minutes}min"
        names = {minutes: name for name, minutes in _NAMES.items() if minutes > 60}
        return names.get(self.minutes, f"{self.minutes // 60}h")

    @property
    def length(self) -> timedelta:
        """As a span of time."""
        return timedelta(minutes=self.minutes)


class Job(Value, frozen=True, kw_only=True):
    """A command, its environment, and how often it runs."""

    command: tuple[str, ...]
    environment: dict[str, str]
    every: Period


class Piece(Value, frozen=True, kw_only=True):
    """A file that makes up a timer, or a line in the user's crontab."""

    place: str
    text: str


class Timer(Protocol):
    """One way to run a command regularly."""

    name: str
    advice: str
    """What the user should know about it."""

    def pieces(self, job: Job) -> list[Piece]:
        """The pieces that a job needs."""
        ...

    def installed(self) -> list[Piece]:
        """The pieces that are installed."""
        ...

    def every(self) -> Period | None:
        """How often the installed timer runs."""
        ...

    def active(self) -> bool | None:
        """Does the machine run the timer? None where it does not say."""
        ...

    def install(self, job: Job) -> None:
        """Install the timer, and replace an installed one. Raises `OutputError`."""
        ...

    def remove(self) -> None:
        """Remove the timer. Raises `OutputError`."""
        ...


def run_program(program: str, *arguments: str, content: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    """Run a program of this machine. Raises `OutputError` where it is missing, or does not answer."""
    path = shutil.which(program)
    if path is None:
        raise OutputError(f"There is no {program} on this machine.")
    try:
        return subprocess.run(  # noqa: S603 (our own arguments, and the machine's program)
            [path, *arguments], input=content or b"", capture_output=True, timeout=_PATIENCE, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        reason = error.strerror if isinstance(error, OSError) else "it does not answer"
        raise OutputError(f"{program} cannot be used: {reason}.") from error


def require_success(program: str, *arguments: str, content: bytes | None = None) -> bytes:
    """The output of a program. Raises `OutputError` with the program's own message where it fails."""
    process = run_program(program, *arguments, content=content)
    if process.returncode:
        message = (
            " ".join(process.stderr.decode("utf-8", "replace").split()).rstrip(".") or f"status {process.returncode}"
        )
        raise OutputError(f"{' '.join((program, *arguments[:2]))} failed: {message}.")
    return process.stdout


def missing_folders(folder: Path) -> list[Path]:
    """The missing folders among this one and those above it, the innermost first."""
    return [path for path in (folder, *folder.parents) if not path.exists()]


def remove_empty_folders(folders: Iterable[Path]) -> None:
    """Remove these folders, the innermost first, as long as they are empty."""
    with contextlib.suppress(OSError):
        for folder in folders:
            folder.rmdir()
