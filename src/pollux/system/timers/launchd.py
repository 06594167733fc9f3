"""Timers of launchd: one file in the user's library."""

from __future__ import annotations

import contextlib
import os
import plistlib
from pathlib import Path
from typing import Any

from pollux.errors import OutputError, PolluxError, RequestError
from pollux.system.files import read
from pollux.system.timers.base import NAME, Job, Period, Piece, absent, ask, take_away, tell

_LABEL = NAME


class Launchd:
    """The timer as an agent of launchd's. `home` is the user's."""

    name = "launchd"
    advice = "It runs while you are logged in. A run that was slept through is made up for on waking."

    def __init__(self, home: Path) -> None:
        self._file = home / "Library" / "LaunchAgents" / f"{_LABEL}.plist"

    def pieces(self, job: Job) -> list[Piece]:
        """The file."""
        told = {
            "Label": _LABEL,
            "ProgramArguments": list(job.command),
            "EnvironmentVariables": dict(sorted(job.environment.items())),
            "StartInterval": job.every.minutes * 60,
            "ProcessType": "Background",
            "StandardOutPath": os.devnull,
        }
        try:
            text = plistlib.dumps(told, sort_keys=False).decode()
        except (ValueError, UnicodeEncodeError) as error:
            raise RequestError("A path holds characters that no timer takes.") from error
        return [Piece(place=str(self._file), text=text)]

    def installed(self) -> list[Piece]:
        """The file, where it is there."""
        there = self._file.is_file()
        return [Piece(place=str(self._file), text=read(self._file).decode("utf-8", "surrogateescape"))] if there else []

    def every(self) -> Period | None:
        """As the file says."""
        told: dict[str, Any] = {}
        with contextlib.suppress(OSError, ValueError, plistlib.InvalidFileException):
            told = plistlib.loads(read(self._file))
        seconds = told.get("StartInterval")
        return Period(seconds // 60) if isinstance(seconds, int) else None

    def active(self) -> bool | None:
        """As launchd says."""
        with contextlib.suppress(PolluxError):
            return ask("launchctl", "list", _LABEL).returncode == 0
        return None

    def install(self, job: Job) -> None:
        """Write the file and load it. Where launchd does not take it, all is as it was."""
        before = read(self._file) if self._file.is_file() else None
        missing = absent(self._file.parent)
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._file.write_text(self.pieces(job)[0].text, "utf-8")
            if before is not None:
                ask("launchctl", "unload", str(self._file))
            tell("launchctl", "load", "-w", str(self._file))
        except (OSError, OutputError) as error:
            with contextlib.suppress(OSError):
                self._file.unlink(missing_ok=True) if before is None else self._file.write_bytes(before)
            take_away(missing)
            if isinstance(error, OSError):
                raise OutputError(f"{error.filename} cannot be written: {error.strerror}.") from error
            raise

    def remove(self) -> None:
        """Unload it and remove the file, also where launchd itself cannot be asked any more."""
        with contextlib.suppress(OutputError):
            ask("launchctl", "unload", "-w", str(self._file))
        try:
            self._file.unlink(missing_ok=True)
        except OSError as error:
            raise OutputError(f"{error.filename} cannot be removed: {error.strerror}.") from error
