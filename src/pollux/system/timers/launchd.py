"""Timers of launchd: one file in the user's Library folder."""

from __future__ import annotations

import contextlib
import os
import plistlib
from pathlib import Path
from typing import Any

from pollux.errors import OutputError, PolluxError, RequestError
from pollux.system.files import read
from pollux.system.timers.base import (
    NAME,
    Job,
    Period,
    Piece,
    missing_folders,
    remove_empty_folders,
    require_success,
    run_program,
)

_LABEL = NAME


class Launchd:
    """The timer as a launchd agent. `home` is the user's home directory."""

    name = "launchd"
    advice = "It runs while you are logged in. A run missed during sleep is made up for on waking."

    def __init__(self, home: Path) -> None:
        self._file = home / "Library" / "LaunchAgents" / f"{_LABEL}.plist"

    def pieces(self, job: Job) -> list[Piece]:
        """The file."""
        properties = {
            "Label": _LABEL,
            "ProgramArguments": list(job.command),
            "EnvironmentVariables": dict(sorted(job.environment.items())),
            "StartInterval": job.every.minutes * 60,
            "ProcessType": "Background",
            "StandardOutPath": os.devnull,
        }
        try:
            text = plistlib.dumps(properties, sort_keys=False).decode()
        except (ValueError, UnicodeEncodeError) as error:
            raise RequestError("A path has characters that no timer accepts.") from error
        return [Piece(place=str(self._file), text=text)]

    def installed(self) -> list[Piece]:
        """The file, if it exists."""
        exists = self._file.is_file()
        return (
            [Piece(place=str(self._file), text=read(self._file).decode("utf-8", "surrogateescape"))] if exists else []
        )

    def every(self) -> Period | None:
        """The period that the file names."""
        properties: dict[str, Any] = {}
        with contextlib.suppress(OSError, ValueError, plistlib.InvalidFileException):
            properties = plistlib.loads(read(self._file))
        seconds = properties.get("StartInterval")
        return Period(seconds // 60) if isinstance(seconds, int) else None

    def active(self) -> bool | None:
        """What launchd says."""
        with contextlib.suppress(PolluxError):
            return run_program("launchctl", "list", _LABEL).returncode == 0
        return None

    def install(self, job: Job) -> None:
        """Write the file and load it. If launchd refuses it, everything stays as it was."""
        before = read(self._file) if self._file.is_file() else None
        missing = missing_folders(self._file.parent)
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._file.write_text(self.pieces(job)[0].text, "utf-8")
            if before is not None:
                run_program("launchctl", "unload", str(self._file))
            require_success("launchctl", "load", "-w", str(self._file))
        except (OSError, OutputError) as error:
            with contextlib.suppress(OSError):
                self._file.unlink(missing_ok=True) if before is None else self._file.write_bytes(before)
            remove_empty_folders(missing)
            if isinstance(error, OSError):
                raise OutputError(f"{error.filename} cannot be written: {error.strerror}.") from error
            raise

    def remove(self) -> None:
        """Unload the timer and remove the file, even if launchd itself does not answer."""
        with contextlib.suppress(OutputError):
            run_program("launchctl", "unload", "-w", str(self._file))
        try:
            self._file.unlink(missing_ok=True)
        except OSError as error:
            raise OutputError(f"{error.filename} cannot be removed: {error.strerror}.") from error
