"""Timers of systemd: two files in the user's configuration."""

from __future__ import annotations

import contextlib
from pathlib import Path

from pollux.errors import OutputError, PolluxError, RequestError
from pollux.system.files import read
from pollux.system.timers.base import (
    MARK,
    NAME,
    Job,
    Period,
    Piece,
    missing_folders,
    remove_empty_folders,
    require_success,
    run_program,
)

_CALENDAR = {60: "hourly", 1440: "daily", 10080: "weekly"}
_WANTS = "timers.target.wants"
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "%": "%%"}


class Systemd:
    """The timer as a pair of units. `folder` is the folder of the user's own units."""

    name = "systemd"
    advice = "It runs while you are logged in. `loginctl enable-linger` lets it run always."

    def __init__(self, folder: Path) -> None:
        self._service, self._timer = folder / f"{NAME}.service", folder / f"{NAME}.timer"

    def pieces(self, job: Job) -> list[Piece]:
        """The two units."""
        environment = [f"Environment={_quoted(f'{name}={text}')}" for name, text in sorted(job.environment.items())]
        # `$` cannot be escaped in the first word.
        command = ("/usr/bin/env", *job.command) if "$" in job.command[0] else job.command
        service = (
            f"{MARK}{job.every}",
            "[Unit]",
            "Description=Keep what coding agents delete",
            "",
            "[Service]",
            "Type=oneshot",
            "Nice=10",
            *environment,
            f"ExecStart={' '.join(_quoted(word).replace('$', '$$') for word in command)}",
        )
        timer = (
            f"{MARK}{job.every}",
            "[Unit]",
            "Description=Keep what coding agents delete, now and then",
            "",
            "[Timer]",
            f"OnCalendar={_calendar(job.every)}",
            "Persistent=true",
            "",
            "[Install]",
            "WantedBy=timers.target",
        )
        files = ((self._service, service), (self._timer, timer))
        return [Piece(place=str(path), text="\n".join(lines) + "\n") for path, lines in files]

    def installed(self) -> list[Piece]:
        """The units that exist."""
        paths = [path for path in (self._service, self._timer) if path.is_file()]
        return [Piece(place=str(path), text=read(path).decode("utf-8", "surrogateescape")) for path in paths]

    def every(self) -> Period | None:
        """The period that the units name."""
        for piece in self.installed():
            with contextlib.suppress(RequestError):
                return Period.parse(piece.text.partition(MARK)[2].partition("\n")[0])
        return None

    def active(self) -> bool | None:
        """What systemd says."""
        with contextlib.suppress(PolluxError):
            state = run_program("systemctl", "--user", "is-active", self._timer.name).stdout.strip()
            return state == b"active" if state in (b"active", b"inactive", b"failed", b"unknown") else None
        return None

    def install(self, job: Job) -> None:
        """Write the units and start the timer. If systemd refuses it, everything stays as it was."""
        before = {path: read(path) if path.is_file() else None for path in (self._service, self._timer)}
        missing = missing_folders(self._timer.parent)
        try:
            for piece in self.pieces(job):
                path = Path(piece.place)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(piece.text, "utf-8", "surrogateescape")
            require_success("systemctl", "--user", "daemon-reload")
            require_success("systemctl", "--user", "enable", self._timer.name)
            require_success("systemctl", "--user", "restart", self._timer.name)
        except (OSError, OutputError) as error:
            if before[self._timer] is None:  # otherwise a link to it would stay
                with contextlib.suppress(OutputError):
                    run_program("systemctl", "--user", "disable", self._timer.name)
            for path, content in before.items():
                with contextlib.suppress(OSError):
                    path.unlink(missing_ok=True) if content is None else path.write_bytes(content)
            self._unlink()
            remove_empty_folders(missing)
            if isinstance(error, OSError):
                raise OutputError(f"{error.filename} cannot be written: {error.strerror}.") from error
            raise

    def _unlink(self) -> None:
        """Remove a link to a removed timer, which systemd did not remove itself."""
        wants = self._timer.parent / _WANTS
        link = wants / self._timer.name
        with contextlib.suppress(OSError):
            if link.is_symlink() and not self._timer.exists():
                link.unlink()
                wants.rmdir()

    def remove(self) -> None:
        """Stop the timer and remove the units, even if systemd itself does not answer."""
        with contextlib.suppress(OutputError):
            run_program("systemctl", "--user", "disable", "--now", self._timer.name)
        try:
            self._service.unlink(missing_ok=True)
            self._timer.unlink(missing_ok=True)
        except OSError as error:
            raise OutputError(f"{error.filename} cannot be removed: {error.strerror}.") from error
        self._unlink()
        with contextlib.suppress(OutputError):
            run_program("systemctl", "--user", "daemon-reload")


def _calendar(every: Period) -> str:
    if every.minutes in _CALENDAR:
        return _CALENDAR[every.minutes]
    return f"*:0/{every.minutes}" if every.minutes < 60 else f"0/{every.minutes // 60}:00"


def _quoted(word: str) -> str:
    """A word as systemd reads it."""
    if any(ord(character) < 32 and character not in _ESCAPES for character in word):
        raise RequestError(f"{word!r} has a control character, which no timer accepts.")
    return f'"{"".join(_ESCAPES.get(character, character) for character in word)}"'
