"""A timer of the user's own that runs the archive: it is shown, installed and removed here."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

import msgspec

from pollux.errors import OutputError, RequestError, StoreError, UnknownName
from pollux.library.connect.own_start import folder_variables, own_command
from pollux.library.doctor import Archiving
from pollux.model import Value
from pollux.system.clock import now
from pollux.system.decoders import json_decoder
from pollux.system.directories import Places
from pollux.system.files import read, write_file
from pollux.system.timers import Job, Period, Piece, Timer, timers, usual

if TYPE_CHECKING:
    from pollux.archive.archive import Archive
    from pollux.library.homes import Homes

USUAL = Period(6 * 60)
_LATE = 2
"""A run is overdue after so many periods."""


class Note(Value, frozen=True, kw_only=True):
    """What pollux remembers of the timer, so that it need not ask the machine every time."""

    using: str
    every: str
    since: datetime


class InstalledTimer(Value, frozen=True, kw_only=True):
    """A timer that is installed.

    `active` is None where the machine does not say. `current`: it would be made in the same way now.
    """

    using: str
    every: str | None
    active: bool | None
    current: bool
    pieces: tuple[Piece, ...]


class PlannedTimer(Value, frozen=True, kw_only=True):
    """A timer as it would be made."""

    using: str
    every: str
    command: tuple[str, ...]
    environment: dict[str, str]
    pieces: tuple[Piece, ...]
    advice: str


class Schedule(Value, frozen=True, kw_only=True):
    """The timer that is installed, and the one that would be."""

    installed: InstalledTimer | None
    planned: PlannedTimer
    ran: datetime | None


class ScheduleService:
    """The timer of an archive."""

    def __init__(self, places: Places, homes: Homes, archive: Archive) -> None:
        self._places = places
        self._homes = homes
        self._archive = archive
        self._timers = timers(self._places.home, self._places.config.parent)

    def show(self, using: str | None = None, every: str | None = None) -> Schedule:
        """The timer that is installed, and the one that would be."""
        timer = self._first_installed()
        name = using or (timer.name if timer is not None else usual())
        if name not in self._timers:
            raise UnknownName("timer", name, self._timers)
        period = Period.parse(every) if every is not None else (timer.every() if timer is not None else None) or USUAL
        job = Job(
            command=(*own_command(self._places.environ), "archive", "run"),
            environment=folder_variables(self._places, self._homes),
            every=period,
        )
        pieces = tuple(self._timers[name].pieces(job))
        return Schedule(
            installed=self._installed(timer, pieces) if timer is not None else None,
            planned=PlannedTimer(
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
        """Install the timer, and remove timers of other kinds."""
        plan = self.show(using, every).planned
        job = Job(command=plan.command, environment=plan.environment, every=Period.parse(plan.every))
        try:
            self._timers[plan.using].install(job)
        except OutputError as error:
            raise OutputError(str(error), error.hint or self._other(plan.using)) from error
        for timer in self._installed_timers():
            if timer.name != plan.using:
                timer.remove()
        self._remember(Note(using=plan.using, every=plan.every, since=now()))
        return self.show()

    def remove(self) -> list[str]:
        """Remove every timer. Returns the kinds of timers that were installed."""
        names = []
        for timer in self._installed_timers():
            timer.remove()
            names.append(timer.name)
        self._places.schedule.unlink(missing_ok=True)
        return names

    def state(self) -> Archiving:
        """When the archive was last run, and whether a run is overdue, as far as pollux remembers."""
        note, ran = self._note(), self._archive.last_run
        is_late = False
        if note is not None:
            last = max(moment for moment in (ran, note.since) if moment is not None)
            is_late = now() - last > _LATE * Period.parse(note.every).length
        keeping: bool | None = None
        with contextlib.suppress(StoreError):  # every answer reports the problem
            keeping = self._archive.enabled
        return Archiving(
            keeping=keeping,
            ran=ran,
            using=note.using if note is not None else None,
            every=note.every if note is not None else None,
            overdue=is_late,
        )

    # ------------------------------------------------------------------ installed timers

    def _first_installed(self) -> Timer | None:
        """A timer that is installed: if there are several, the one that pollux remembers."""
        return next(self._installed_timers(), None)

    def _installed_timers(self) -> Iterator[Timer]:
        """The timers that are installed, the one that pollux remembers first."""
        note = self._note()
        for timer in sorted(self._timers.values(), key=lambda timer: note is None or timer.name != note.using):
            with contextlib.suppress(OutputError):  # a kind of timer that this machine does not have
                if timer.installed():
                    yield timer

    def _installed(self, timer: Timer, planned_pieces: tuple[Piece, ...]) -> InstalledTimer:
        pieces = tuple(timer.installed())
        every = timer.every()
        return InstalledTimer(
            using=timer.name,
            every=str(every) if every is not None else None,
            active=timer.active(),
            current=pieces == planned_pieces,
            pieces=pieces,
        )

    @staticmethod
    def _other(using: str) -> str:
        """Advice where a timer cannot be installed."""
        if using != "cron" and shutil.which("crontab") is not None:
            return "Try: pollux archive schedule --install --using cron"
        return "Start this command regularly in another way: pollux archive run"

    # ------------------------------------------------------------------ what pollux remembers

    def _note(self) -> Note | None:
        try:
            note = json_decoder(Note).decode(read(self._places.schedule))
            Period.parse(note.every)
        except (OSError, msgspec.DecodeError, RequestError):
            return None
        return note

    def _remember(self, note: Note) -> None:
        try:
            write_file(self._places.schedule, msgspec.json.encode(note), durable=True)
        except OSError as error:
            raise StoreError(f"{self._places.schedule} cannot be written: {error.strerror}.") from error
