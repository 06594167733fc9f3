"""What a timer is told, and what each kind of timer can do."""

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
"""Stands in every timer that pollux made, with its period behind it."""

_MINUTES = (5, 10, 15, 20, 30)
_HOURS = (1, 2, 3, 4, 6, 8, 12)
_NAMES = {"hourly": 60, "daily": 1440, "weekly": 10080}
_UNITS = {"m": 1, "min": 1, "h": 60, "d": 1440}
_PATIENCE = 60.0


class Period(NamedTuple):
    """How often: a number of minutes that cron can say too, so that all timers understand the same."""

    minutes: int

    @classmethod
    def parse(cls, text: str) -> Period:
        """`15min`, `6h`, `daily`, `weekly`. Raises `RequestError`."""
        told = re.fullmatch(r"(\d{1,4}) ?([a-z]+)", text.strip().lower())
        minutes = _NAMES.get(text.strip().lower(), int(told[1]) * _UNITS.get(told[2], 0) if told is not None else 0)
        if minutes in (*_MINUTES, *(60 * hours for hours in _HOURS), *_NAMES.values()):
            return cls(minutes)
        known = f"{', '.join(map(str, _MINUTES))} min; {', '.join(map(str, _HOURS))} h; daily; weekly"
        raise RequestError(f"No timer can run every {text!r}.", f"Known: {known}.")

    def __str__(self) -> str:
        if self.minutes < 60:
            return f"{self.minutes}min"
        named = {minutes: name for name, minutes in _NAMES.items() if minutes > 60}
        return named.get(self.minutes, f"{self.minutes // 60}h")

    @property
    def length(self) -> timedelta:
        """As a span of time."""
        return timedelta(minutes=self.minutes)


class Job(Value, frozen=True, kw_only=True):
    """What is to be run, in which environment, and how often."""

    command: tuple[str, ...]
    environment: dict[str, str]
    every: Period


class Piece(Value, frozen=True, kw_only=True):
    """A file that makes up a timer, or a line in the user's crontab."""

    place: str
    text: str


class Timer(Protocol):
    """One way to run something now and then."""

    name: str
    advice: str
    """What the person should know of it."""

    def pieces(self, job: Job) -> list[Piece]:
        """What would be there for a job."""
        ...

    def installed(self) -> list[Piece]:
        """What is there."""
        ...

    def every(self) -> Period | None:
        """How often what is there runs."""
        ...

    def active(self) -> bool | None:
        """Does the machine run it? None where it does not say."""
        ...

    def install(self, job: Job) -> None:
        """Put it there, in place of what was there. Raises `OutputError`."""
        ...

    def remove(self) -> None:
        """Take it away. Raises `OutputError`."""
        ...


def ask(program: str, *arguments: str, content: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    """Run one of the machine's programs. Raises `OutputError` where there is none, or it does not answer."""
    found = shutil.which(program)
    if found is None:
        raise OutputError(f"There is no {program} on this machine.")
    try:
        return subprocess.run(  # noqa: S603 (our own words, and the machine's program)
            [found, *arguments], input=content or b"", capture_output=True, timeout=_PATIENCE, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        told = error.strerror if isinstance(error, OSError) else "it does not answer"
        raise OutputError(f"{program} cannot be used: {told}.") from error


def tell(program: str, *arguments: str, content: bytes | None = None) -> bytes:
    """As `ask`. Raises `OutputError` with the program's own words where it fails."""
    done = ask(program, *arguments, content=content)
    if done.returncode:
        said = " ".join(done.stderr.decode("utf-8", "replace").split()).rstrip(".") or f"status {done.returncode}"
        raise OutputError(f"{' '.join((program, *arguments[:2]))} failed: {said}.")
    return done.stdout


def absent(folder: Path) -> list[Path]:
    """Which of a folder and those above it are not there yet, the innermost first."""
    return [each for each in (folder, *folder.parents) if not each.exists()]


def take_away(folders: Iterable[Path]) -> None:
    """Remove folders that were made in vain, the innermost first, but none that holds something."""
    with contextlib.suppress(OSError):
        for folder in folders:
            folder.rmdir()
