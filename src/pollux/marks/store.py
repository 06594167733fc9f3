"""All marks of the user, and how far sessions were read."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

import msgspec

from pollux.errors import StoreError
from pollux.marks.changes import Change, Replay, last_command
from pollux.marks.journal import Journal
from pollux.marks.read_positions import EVERYTHING, ReadPosition, ReadPositions, is_unread
from pollux.model.marks import NO_MARKS, Marks, SessionMarks
from pollux.system.clock import now
from pollux.system.decoders import json_decoder
from pollux.text.folding import fold

STATES = ("starred", "unread", "marked", "private")
"""The values of `is:`."""
MARK_FILTERS = ("is", "tag", "note", "name")
"""The filters of a query that ask for marks."""

_INSTANT = timedelta(microseconds=1)

Found = dict[str, frozenset[str] | None]
"""The sessions that have a mark; or, where the session itself has not, the keys of the anchors of those messages."""


class MarkState(NamedTuple):
    """All marks at one moment.

    `prompts` has the id of a prompt of marked sessions, by which they are known. `moved` has the keys of sessions that
    were not there any more, and the keys of those that have their marks meanwhile.
    """

    sessions: Mapping[str, SessionMarks] = {}
    positions: Mapping[str, ReadPosition] = {}
    prompts: Mapping[str, str] = {}
    moved: Mapping[str, str] = {}

    @property
    def all_read_until(self) -> datetime | None:
        """What ended until then counts as read, unless it has a position of its own; None where nothing was read."""
        everything = self.positions.get(EVERYTHING)
        return everything.at if everything is not None else None

    def of(self, key: str) -> SessionMarks | None:
        """The marks of a session and its messages; None where it has none."""
        return self.sessions.get(key)

    def unread(self, key: str, ended: datetime | None, messages: int) -> bool | None:
        """Has a session something that was not read yet? None where nothing was ever read."""
        return is_unread(self.positions, key, ended, messages)

    def find(self, name: str, value: str) -> Found:
        """The sessions and messages that match a filter. `is:unread` is asked of each session instead."""
        test = _test(name, value)
        found: Found = {}
        for key, marks in self.sessions.items():
            if test(marks.session):
                found[key] = None
            elif messages := frozenset(name for name, one in marks.messages.items() if test(one.marks)):
                found[key] = messages
        return found

    def tags(self) -> Counter[str]:
        """Every tag, and how many sessions have it, or a message with it."""
        return Counter(
            tag
            for marks in self.sessions.values()
            for tag in {*marks.session.tags, *(tag for one in marks.messages.values() for tag in one.marks.tags)}
        )


def _test(name: str, value: str) -> Callable[[Marks], bool]:
    """The test that marks must pass for a filter."""
    if name == "is":
        return bool if value == "marked" else lambda marks: getattr(marks, value, False) is True
    typed = fold(value)
    if name == "tag":
        pattern = typed.replace("[", "[[]")  # only `*` and `?` are special, and no tag has these
        return lambda marks: any(fnmatchcase(fold(tag), pattern) for tag in marks.tags)
    return lambda marks: has_words(typed, getattr(marks, name))


def has_words(typed: str, text: str | None) -> bool:
    """Has a text these folded words? `*` stands for any text."""
    return text is not None and (typed == "*" or typed in fold(text))


class MarkStore:
    """The journals in a folder. Several processes may write to them; every question sees what is there now."""

    def __init__(self, folder: Path) -> None:
        self._changes = Journal(folder / "marks.jsonl", Change)
        self._positions = ReadPositions(folder / "read.jsonl")
        self.unreadable: str | None = None
        self._stamps: object = object()
        self._state = MarkState()

    @property
    def file(self) -> Path:
        """The file of the marks."""
        return self._changes.file

    @property
    def damaged(self) -> int:
        """How many lines of it could not be read."""
        return self._changes.damaged

    def state(self) -> MarkState:
        """All marks as they are now; none where they cannot be read, and then `unreadable` says why."""
        try:
            stamps = self._changes.stamp(), self._positions.stamp()
            if stamps != self._stamps:
                replay = Replay(self._changes.lines())
                self._state = MarkState(replay.sessions(), self._positions.all(), replay.prompts, replay.moved)
                self._stamps = stamps
        except StoreError as error:
            self.unreadable = str(error)
            return MarkState()
        self.unreadable = None
        return self._state

    def change(self, changes: Sequence[Change]) -> Sequence[Change]:
        """Make changes, as one command, of sessions that are there. Returns what was not so before.

        If the marks of one had moved to another session, they are its own again. Raises `StoreError`.
        """
        command = os.urandom(6).hex()

        def new(lines: Sequence[Change]) -> Sequence[Change]:
            moved = Replay(lines).moved
            back = [_is_back(key, lines) for key in dict.fromkeys(change.session for change in changes) if key in moved]
            lines = [*lines, *back]
            sessions = Replay(lines).sessions()
            needed = [change.needed(_marks(sessions, change)) for change in changes]
            at = _after(lines)
            made = [msgspec.structs.replace(change, id=command, at=at) for change in needed if change is not None]
            return [*back, *made]

        return [line for line in self._changes.append(new) if line.becomes is None]

    def rename(self, keys: Mapping[str, str]) -> None:
        """Note that sessions have other keys now. Raises `StoreError`."""

        def new(lines: Sequence[Change]) -> Sequence[Change]:
            return [Change(at=_after(lines), session=old, becomes=now_called) for old, now_called in keys.items()]

        self._changes.append(new)

    def take_back(self, keys: Iterable[str]) -> None:
        """Note that sessions are there again, so that their marks are their own. Raises `StoreError`."""
        self._changes.append(lambda lines: [_is_back(key, lines) for key in keys])

    def undo(self) -> Sequence[Change]:
        """Undo the last command that was not undone yet. Returns its changes; none where there is no such command."""
        undone: list[Change] = []

        def new(lines: Sequence[Change]) -> Sequence[Change]:
            command = last_command(lines)
            if command is None:
                return ()
            undone.extend(line for line in lines if line.id == command)
            return [Change(at=_after(lines), undoes=command)]

        self._changes.append(new)
        return undone

    def exported(self) -> list[bytes]:
        """All lines of the marks, for another machine."""
        return [_encode(line) for line in self._changes.lines()]

    def join(self, lines: Iterable[bytes]) -> int:
        """Add the lines of another machine that are not here yet. Returns their number. Raises `StoreError`."""
        taken = [line for line in map(_decoded, lines) if line is not None]

        def new(known: Sequence[Change]) -> Sequence[Change]:
            here = set(map(_encode, known))
            return list({raw: line for line in taken if (raw := _encode(line)) not in here}.values())

        return len(self._changes.append(new)) if taken else 0

    def read(self, positions: Sequence[ReadPosition]) -> None:
        """Note how far sessions were read. Raises `StoreError`."""
        self._positions.add(positions)

    def read_everything(self) -> None:
        """Note that everything up to now is read. Raises `StoreError`."""
        self._positions.add([ReadPosition(at=now(), session=EVERYTHING)])


_encode = msgspec.json.Encoder().encode


def _decoded(line: bytes) -> Change | None:
    try:
        return json_decoder(Change).decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def _marks(sessions: Mapping[str, SessionMarks], change: Change) -> Marks:
    """The marks that a change is about."""
    marks = sessions.get(change.session)
    if marks is None:
        return NO_MARKS
    if change.message is None:
        return marks.session
    one = marks.messages.get(change.message.key)
    return one.marks if one is not None else NO_MARKS


def _is_back(key: str, lines: Sequence[Change]) -> Change:
    return Change(at=_after(lines), session=key, becomes=key)


def _after(lines: Sequence[Change]) -> datetime:
    """The present, but after all lines: what is written last counts, even if a clock was turned back."""
    return max([now(), *(line.at + _INSTANT for line in lines)])
