"""The archive kept without being run by hand: a timer of the user's own, shown, installed and removed."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from pollux.errors import OutputError, RequestError, StoreError, UnknownName
from pollux.library.doctor import Archiving
from pollux.model import Value
from pollux.system.clock import now
from pollux.system.directories import Places
from pollux.system.files import read, write_file
from pollux.system.timers import Job, Period, Piece, Timer, timers, usual

if TYPE_CHECKING:
    from pollux.archive.archive import Archive
    from pollux.library.homes import Homes

USUAL = Period(6 * 60)
_LATE = 2
"""Overdue is what was not run for so many periods."""


class Note(Value, frozen=True, kw_only=True):
    """What pollux itself remembers of the timer, so that it need not ask the machine every time."""

    using: str
    every: str
    since: datetime


class Installed(Value, frozen=True, kw_only=True):
    """A timer that is there. `active` is None where the machine does not say; `current`: as it would be made now."""

    using: str
    every: str | None
    active: bool | None
    current: bool
    pieces: tuple[Piece, ...]


class Planned(Value, frozen=True, kw_only=True):
    """A timer as it would be made."""

    using: str
    every: str
    command: tuple[str, ...]
    environment: dict[str, str]
    pieces: tuple[Piece, ...]
    advice: str


class Schedule(Value, frozen=True, kw_only=True):
    """What is there, and what would be."""

    installed: Installed | None
    planned: Planned
    ran: datetime | None


class ScheduleService:
    """The timer of an archive."""

    def __init__(self, places: Places, homes: Homes, archive: Archive) -> None:
        self._places = places
        self._homes = homes
        self._archive = archive
        self._timers = timers(self._places.home, self._places.config.parent)

    def show(self, using: str | None = None, every: str | None = None) -> Schedule:
        """What is there, and what would be installed."""
        there = self._there()
        name = using or (there.name if there is not None else usual())
        if name not in self._timers:
            raise UnknownName("timer", name, self._timers)
        period = Period.parse(every) if every is not None else (there.every() if there is not None else None) or USUAL
        job = Job(command=_command(), environment=self._environment(), every=period)
        pieces = tuple(self._timers[name].pieces(job))
        return Schedule(
            installed=self._installed(there, pieces) if there is not None else None,
            planned=Planned(
                using=name,
                every=str(period),
                command=job.command,
                environment=job.environment,
                pieces=pieces,
                advice=self._timers[name].advice,
            ),
            ran=self._archive.last_run,
        )

    def install(self, using: str | None = None, every: str | None = None) -> Schedule:
        """Make it so. One of another kind goes: nobody needs two."""
        planned = self.show(using, every).planned
        job = Job(command=planned.command, environment=planned.environment, every=Period.parse(planned.every))
        try:
            self._timers[planned.using].install(job)
        except OutputError as error:
            raise OutputError(str(error), error.hint or self._other(planned.using)) from error
        for timer in self._known():
            if timer.name != planned.using:
                timer.remove()
        self._remember(Note(using=planned.using, every=planned.every, since=now()))
        return self.show()

    def remove(self) -> list[str]:
        """Take away whatever is there; returns the kinds of timers that were."""
        gone = []
        for timer in self._known():
            timer.remove()
            gone.append(timer.name)
        self._places.schedule.unlink(missing_ok=True)
        return gone

    def state(self) -> Archiving:
        """When the archive was last run, and whether that is overdue, as far as pollux knows by itself."""
        note, ran = self._noted(), self._archive.last_run
        late = False
        if note is not None:
            last = max(moment for moment in (ran, note.since) if moment is not None)
            late = now() - last > _LATE * Period.parse(note.every).length
        keeping: bool | None = None
        with contextlib.suppress(StoreError):  # every answer says so
            keeping = self._archive.enabled
        return Archiving(
            keeping=keeping,
            ran=ran,
            using=note.using if note is not None else None,
            every=note.every if note is not None else None,
            overdue=late,
        )

    # ------------------------------------------------------------------ what is there

    def _there(self) -> Timer | None:
        """The timer that is installed, first the one that pollux remembers."""
        return next(self._known(), None)

    def _known(self) -> Iterator[Timer]:
        note = self._noted()
        for timer in sorted(self._timers.values(), key=lambda one: note is None or one.name != note.using):
            with contextlib.suppress(OutputError):  # what this machine does not have is not there
                if timer.installed():
                    yield timer

    def _installed(self, timer: Timer, planned: tuple[Piece, ...]) -> Installed:
        pieces = tuple(timer.installed())
        every = timer.every()
        return Installed(
            using=timer.name,
            every=str(every) if every is not None else None,
            active=timer.active(),
            current=pieces == planned,
            pieces=pieces,
        )

    @staticmethod
    def _other(using: str) -> str:
        """What to do where a timer cannot be had."""
        if using != "cron" and shutil.which("crontab") is not None:
            return "Try: pollux archive schedule --install --using cron"
        return "Start this command regularly in another way: pollux archive run"

    # ------------------------------------------------------------------ what pollux remembers

    def _noted(self) -> Note | None:
        try:
            note = msgspec.json.decode(read(self._places.schedule), type=Note)
            Period.parse(note.every)
        except (OSError, msgspec.DecodeError, RequestError):
            return None
        return note

    def _remember(self, note: Note) -> None:
        try:
            write_file(self._places.schedule, msgspec.json.encode(note), durable=True)
        except OSError as error:
            raise StoreError(f"{self._places.schedule} cannot be written: {error.strerror}.") from error

    def _environment(self) -> dict[str, str]:
        """Every variable that decides where pollux looks and keeps. Raises `RequestError` where one is relative."""
        carried: dict[str, str] = {}
        while True:
            asked = _Asked({k: v for k, v in self._places.environ.items() if k not in carried})
            places = Places(asked)
            home = places.home
            roots = [root.path for source in self._homes.sources() for root in source.roots(asked, home)]
            if not carried and (odd := next((path for path in roots if not path.is_absolute()), None)) is not None:
                raise RequestError(
                    f"{odd} is a relative path, but a timer has no current directory.", "Use an absolute path."
                )
            _ = places.data, places.config, places.cache
            if not asked.answers:
                break
            carried |= asked.answers
        if "PYTHONPATH" in self._places.environ:
            carried["PYTHONPATH"] = self._places.environ["PYTHONPATH"]
        return {name: text for name, text in carried.items() if text}


class _Asked(Mapping[str, str]):
    """An environment that notes what was asked for and is there."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self.answers: dict[str, str] = {}

    def __getitem__(self, name: str) -> str:
        self.answers[name] = self._environ[name]
        return self._environ[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._environ)

    def __len__(self) -> int:
        return len(self._environ)


def _command() -> tuple[str, ...]:
    """How to start the pollux that runs now, and have it keep."""
    script = Path(sys.executable).with_name("pollux")
    own = (str(script),) if os.access(script, os.X_OK) else (sys.executable, "-P", "-m", "pollux")
    return (*own, "archive", "run")
