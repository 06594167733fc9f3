"""One file of a home, damaged again and again, each time read and compared with what must be there."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from pollux.library.doctor import Doctor
from pollux.model import Author, Session
from pollux.sources.base import Bundle, FileAccount
from pollux.testing.homes import Home, Stage, pieces
from pollux.testing.layout import Layout, Unit
from pollux.testing.words import written_words
from pollux.wire import display_path


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """One broken promise: the file, the damage, and what happened."""

    home: str
    file: str
    done: str
    happened: str

    def __str__(self) -> str:
        return f"{self.home}: {self.file}: {self.done}: {self.happened}"


class Bench:
    """A stage with one chosen file.

    `voices` are the units of messages by the human or the model: as long as one of them is complete, there must be a
    session.
    """

    def __init__(self, home: Home, file: str, stage: Stage) -> None:
        self.home = home
        self.file = file
        self.stage = stage
        self.raw = (home.path / file).read_bytes()
        self.layout = Layout(self.raw, home.subject.needed)
        self.failures: list[Failure] = []
        self._path = stage.shown(file)
        self._last_sessions: list[Session] | None = None
        self._json: list[str] | None = None
        self._last_missing: tuple[frozenset[str] | set[str], frozenset[str]] | None = None
        sessions = self.read("as it is") or []
        self.voices = self._voices(sessions)
        # `nothing_lost` reports once what the undamaged file loses already.
        self._lost_before: frozenset[str] = frozenset()
        self._lost_before = frozenset(self.missing(self.layout.words))
        self._last_missing = None
        self._account_before = next(
            (line for line in stage.doctor().files if display_path(line.path) == self._path), None
        )
        self._other_sessions: list[Session] = []
        self._bundles: list[Bundle] = self._bundles_of_file()

    def _bundles_of_file(self) -> list[Bundle]:
        """The bundles with the file, if they can be read again after a change; otherwise none."""
        bundles: list[Bundle] = []
        for bundle in list(self.stage.bundles()):
            if any(display_path(file.path) == self._path for file in bundle.files):
                bundles.append(bundle)
            else:
                self._other_sessions += self.stage.source.read(bundle).sessions
        before = [self.stage.source.read(bundle).sessions for bundle in bundles]
        self.stage.put(self.file, b"")
        after = [self.stage.source.read(bundle).sessions for bundle in bundles]
        self.stage.put(self.file, self.raw)
        # A source that reads a file while grouping does not see later changes.
        return [] if before == after else bundles

    def _voices(self, sessions: list[Session]) -> list[Unit]:
        origins = {
            (message.origin.line, message.origin.item)
            for session in sessions
            for message in session.messages
            if message.author is not Author.CLIENT and message.origin is not None and message.origin.file == self._path
        }
        return [unit for unit in self.layout.units if (unit.line, unit.item) in origins - {(None, None)}]

    @property
    def counted(self) -> bool:
        """Were sessions read from the undamaged file, according to the doctor?"""
        return self._account_before is not None and bool(self._account_before.sessions)

    def fail(self, action: str, happened: str) -> None:
        """Note a failure."""
        self.failures.append(Failure(home=self.home.name, file=self.file, done=action, happened=happened))

    def read(self, action: str, *, grouped: bool = False) -> list[Session] | None:
        """Read the stage; None where that raised an error. With `grouped` the bundles stay the same: this is faster."""
        try:
            if grouped and self._bundles:
                sessions = [session for bundle in self._bundles for session in self.stage.source.read(bundle).sessions]
                sessions += self._other_sessions
            else:
                sessions = self.stage.sessions()
            if sessions != self._last_sessions:
                self._json = self._last_missing = None
                self._last_sessions = sessions
        except Exception as error:  # noqa: BLE001 (no error may happen here)
            self.fail(action, raised(error))
            return None
        return sessions

    @property
    def _pieces(self) -> list[str]:
        """The JSON of the last reading, made when it is first needed."""
        if self._json is None:
            self._json = pieces(self._last_sessions or [])
        return self._json

    def missing(self, needed: frozenset[str] | set[str]) -> set[str]:
        """The words that are missing in the last reading."""
        # The same question is asked again and again if a cut changes nothing.
        if self._last_missing is None or self._last_missing[0] is not needed:
            lost = needed - self._lost_before
            for deep in (False, True):
                lost = lost.difference(*(written_words(piece, deep=deep) for piece in self._pieces)) if lost else lost
            self._last_missing = (needed, frozenset(lost))
        return set(self._last_missing[1])

    def holds(self, text: str) -> bool:
        """Does the JSON of the last reading hold this text?"""
        return any(text in piece for piece in self._pieces)

    def serves(self, sessions: list[Session]) -> bool:
        """Is one of the sessions read from the file?"""
        return any(self._path in session.files for session in sessions)

    def account(self, action: str) -> FileAccount | None:
        """The doctor's line for the file; a missing one is a failure."""
        report = self.doctor(action)
        line = next((line for line in report.files if display_path(line.path) == self._path), None) if report else None
        if report is not None and line is None and self._account_before is not None:
            self.fail(action, "doctor has no line for the file")
        return line

    def accounted(self, action: str) -> bool:
        """Does the doctor report what is odd about the file, or why a file without messages is ignored?"""
        report = self.doctor(action)
        if report is None:
            return True
        line = next((line for line in report.files if display_path(line.path) == self._path), None)
        if line is not None and (line.status in ("unreadable", "unknown") or (line.reason and not self.voices)):
            return True
        return any(notice.file == self._path for notice in report.notices)

    def doctor(self, action: str) -> Doctor | None:
        """The doctor's report; None where it raised an error."""
        try:
            return self.stage.doctor()
        except Exception as error:  # noqa: BLE001 (no error may happen here)
            self.fail(action, f"doctor {raised(error)}")
            return None


def raised(error: Exception) -> str:
    """An exception with its place."""
    frames = traceback.extract_tb(error.__traceback__)
    own_frames = [
        frame for frame in frames if "/pollux/" in frame.filename and "/testing/" not in frame.filename
    ] or frames
    place = own_frames[-1]
    text = str(error)[:100]
    return f"raised {type(error).__name__} in {'/'.join(place.filename.rsplit('/', 2)[1:])}:{place.lineno} ({text})"


@contextmanager
def bench(home: Home, file: str, *, alone: bool = False) -> Iterator[Bench]:
    """A bench for a file, with the files that belong to it, or alone."""
    with Stage(home, home.around(file, alone=alone)) as stage:
        yield Bench(home, file, stage)
