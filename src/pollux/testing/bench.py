"""One file of a home on the bench: damaged again and again, each time read and compared with what must be there."""

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
    """One broken promise: what was done to which file, and what happened."""

    home: str
    file: str
    done: str
    happened: str

    def __str__(self) -> str:
        return f"{self.home}: {self.file}: {self.done}: {self.happened}"


class Bench:
    """A stage with one file picked out.

    `voices` are the units in which, undamaged, the human or the model says something: as long as one of
    them is whole there is a session.
    """

    def __init__(self, home: Home, file: str, stage: Stage) -> None:
        self.home = home
        self.file = file
        self.stage = stage
        self.raw = (home.path / file).read_bytes()
        self.layout = Layout(self.raw, home.subject.needed)
        self.failures: list[Failure] = []
        self._own = stage.shown(file)
        self._last: list[Session] | None = None
        self._written: list[str] | None = None
        self._asked: tuple[frozenset[str] | set[str], frozenset[str]] | None = None
        sessions = self.read("as it is") or []
        self.voices = self._voices(sessions)
        # What the undamaged file loses already is told once, by `nothing_lost`.
        self._never: frozenset[str] = frozenset()
        self._never = frozenset(self.missing(self.layout.words))
        self._asked = None
        self._line = next((line for line in stage.doctor().files if display_path(line.path) == self._own), None)
        self._others: list[Session] = []
        self._grouped: list[Bundle] = self._group()

    def _group(self) -> list[Bundle]:
        """The bundles that hold the file, where they can be read again after it changed; else nothing."""
        mine: list[Bundle] = []
        for bundle in list(self.stage.bundles()):
            if any(display_path(file.path) == self._own for file in bundle.files):
                mine.append(bundle)
            else:
                self._others += self.stage.source.read(bundle).sessions
        before = [self.stage.source.read(bundle).sessions for bundle in mine]
        self.stage.put(self.file, b"")
        after = [self.stage.source.read(bundle).sessions for bundle in mine]
        self.stage.put(self.file, self.raw)
        # A source may read a file while it groups: what it read then it does not see change.
        return [] if before == after else mine

    def _voices(self, sessions: list[Session]) -> list[Unit]:
        origins = {
            (message.origin.line, message.origin.item)
            for session in sessions
            for message in session.messages
            if message.author is not Author.CLIENT and message.origin is not None and message.origin.file == self._own
        }
        return [unit for unit in self.layout.units if (unit.line, unit.item) in origins - {(None, None)}]

    @property
    def counted(self) -> bool:
        """Does the doctor, undamaged, count the file as one that sessions were read from?"""
        return self._line is not None and bool(self._line.sessions)

    def fail(self, done: str, happened: str) -> None:
        """Write a failure down."""
        self.failures.append(Failure(home=self.home.name, file=self.file, done=done, happened=happened))

    def read(self, done: str, *, grouped: bool = False) -> list[Session] | None:
        """Read the stage; None where that raised. With `grouped` files stay grouped as they were, which is quicker."""
        try:
            if grouped and self._grouped:
                sessions = [session for bundle in self._grouped for session in self.stage.source.read(bundle).sessions]
                sessions += self._others
            else:
                sessions = self.stage.sessions()
            if sessions != self._last:
                self._written = self._asked = None
                self._last = sessions
        except Exception as error:  # noqa: BLE001 (whatever it is, it must not happen)
            self.fail(done, raised(error))
            return None
        return sessions

    @property
    def _pieces(self) -> list[str]:
        """The JSON of the last reading, written when somebody looks for something in it."""
        if self._written is None:
            self._written = pieces(self._last or [])
        return self._written

    def missing(self, needed: frozenset[str] | set[str]) -> set[str]:
        """Words that the last reading does not hold."""
        # The same question about the same reading comes again and again where a cut changes nothing.
        if self._asked is None or self._asked[0] is not needed:
            lost = needed - self._never
            for deep in (False, True):
                lost = lost.difference(*(written_words(piece, deep=deep) for piece in self._pieces)) if lost else lost
            self._asked = (needed, frozenset(lost))
        return set(self._asked[1])

    def holds(self, text: str) -> bool:
        """Does the JSON of the last reading hold this text?"""
        return any(text in piece for piece in self._pieces)

    def serves(self, sessions: list[Session]) -> bool:
        """Is one of the sessions read from the file?"""
        return any(self._own in session.files for session in sessions)

    def account(self, done: str) -> FileAccount | None:
        """The doctor's line for the file; a missing one is a failure."""
        report = self.doctor(done)
        line = next((line for line in report.files if display_path(line.path) == self._own), None) if report else None
        if report is not None and line is None and self._line is not None:
            self.fail(done, "doctor has no line for the file")
        return line

    def accounted(self, done: str) -> bool:
        """Does the doctor say what is odd about the file, or, where nothing is said in it, why it is left alone?"""
        report = self.doctor(done)
        if report is None:
            return True
        line = next((line for line in report.files if display_path(line.path) == self._own), None)
        if line is not None and (line.status in ("unreadable", "unknown") or (line.reason and not self.voices)):
            return True
        return any(notice.file == self._own for notice in report.notices)

    def doctor(self, done: str) -> Doctor | None:
        """The doctor's report; None where making it raised."""
        try:
            return self.stage.doctor()
        except Exception as error:  # noqa: BLE001 (whatever it is, it must not happen)
            self.fail(done, f"doctor {raised(error)}")
            return None


def raised(error: Exception) -> str:
    """An exception with the place it came from."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/pollux/" in frame.filename and "/testing/" not in frame.filename] or frames
    place = ours[-1]
    text = str(error)[:100]
    return f"raised {type(error).__name__} in {'/'.join(place.filename.rsplit('/', 2)[1:])}:{place.lineno} ({text})"


@contextmanager
def bench(home: Home, file: str, *, alone: bool = False) -> Iterator[Bench]:
    """A bench for the file, with what belongs to it around it, or alone."""
    with Stage(home, home.around(file, alone=alone)) as stage:
        yield Bench(home, file, stage)
