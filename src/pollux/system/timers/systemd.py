"""Timers of systemd: two files in the user's configuration."""

from __future__ import annotations

import contextlib
from pathlib import Path

from pollux.errors import OutputError, PolluxError, RequestError
from pollux.system.files import read
from pollux.system.timers.base import MARK, NAME, Job, Period, Piece, absent, ask, take_away, tell

_CALENDAR = {60: "hourly", 1440: "daily", 10080: "weekly"}
_WANTS = "timers.target.wants"
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "%": "%%"}


class Systemd:
    """The timer as a pair of units. `folder` is where the user's own units lie."""

    name = "systemd"
    advice = "It runs while you are logged in. `loginctl enable-linger` lets it run always."

    def __init__(self, folder: Path) -> None:
        self._service, self._timer = folder / f"{NAME}.service", folder / f"{NAME}.timer"

    def pieces(self, job: Job) -> list[Piece]:
        """The two units."""
        environment = [f"Environment={_quoted(f'{name}={text}')}" for name, text in sorted(job.environment.items())]
        # In the first word `$` cannot be escaped.
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
        written = ((self._service, service), (self._timer, timer))
        return [Piece(place=str(path), text="\n".join(lines) + "\n") for path, lines in written]

    def installed(self) -> list[Piece]:
        """The units that are there."""
        there = [path for path in (self._service, self._timer) if path.is_file()]
        return [Piece(place=str(path), text=read(path).decode("utf-8", "surrogateescape")) for path in there]

    def every(self) -> Period | None:
        """As the units say."""
        for one in self.installed():
            with contextlib.suppress(RequestError):
                return Period.parse(one.text.partition(MARK)[2].partition("\n")[0])
        return None

    def active(self) -> bool | None:
        """As systemd says."""
        with contextlib.suppress(PolluxError):
            said = ask("systemctl", "--user", "is-active", self._timer.name).stdout.strip()
            return said == b"active" if said in (b"active", b"inactive", b"failed", b"unknown") else None
        return None

    def install(self, job: Job) -> None:
        """Write the units and start the timer. Where systemd does not take it, all is as it was."""
        before = {path: read(path) if path.is_file() else None for path in (self._service, self._timer)}
        missing = absent(self._timer.parent)
        try:
            for piece in self.pieces(job):
                path = Path(piece.place)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(piece.text, "utf-8", "surrogateescape")
            tell("systemctl", "--user", "daemon-reload")
            tell("systemctl", "--user", "enable", self._timer.name)
            tell("systemctl", "--user", "restart", self._timer.name)
        except (OSError, OutputError) as error:
            if before[self._timer] is None:  # or a link to it would stay
                with contextlib.suppress(OutputError):
                    ask("systemctl", "--user", "disable", self._timer.name)
            for path, content in before.items():
                with contextlib.suppress(OSError):
                    path.unlink(missing_ok=True) if content is None else path.write_bytes(content)
            self._unlink()
            take_away(missing)
            if isinstance(error, OSError):
                raise OutputError(f"{error.filename} cannot be written: {error.strerror}.") from error
            raise

    def _unlink(self) -> None:
        """Take away a link to a timer that is no more, which systemd did not take away itself."""
        wants = self._timer.parent / _WANTS
        link = wants / self._timer.name
        with contextlib.suppress(OSError):
            if link.is_symlink() and not self._timer.exists():
                link.unlink()
                wants.rmdir()

    def remove(self) -> None:
        """Stop the timer and remove the units, also where systemd itself cannot be asked any more."""
        with contextlib.suppress(OutputError):
            ask("systemctl", "--user", "disable", "--now", self._timer.name)
        try:
            self._service.unlink(missing_ok=True)
            self._timer.unlink(missing_ok=True)
        except OSError as error:
            raise OutputError(f"{error.filename} cannot be removed: {error.strerror}.") from error
        self._unlink()
        with contextlib.suppress(OutputError):
            ask("systemctl", "--user", "daemon-reload")


def _calendar(every: Period) -> str:
    if every.minutes in _CALENDAR:
        return _CALENDAR[every.minutes]
    return f"*:0/{every.minutes}" if every.minutes < 60 else f"0/{every.minutes // 60}:00"


def _quoted(word: str) -> str:
    """A word as systemd reads it."""
    if any(ord(each) < 32 and each not in _ESCAPES for each in word):
        raise RequestError(f"{word!r} holds a control character, which no timer takes.")
    return f'"{"".join(_ESCAPES.get(each, each) for each in word)}"'
