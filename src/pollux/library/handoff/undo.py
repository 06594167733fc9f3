"""Takes a hand-over back: removes what it wrote, as long as nobody changed it."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from pollux.errors import Ambiguous, NotFound, OutputError
from pollux.library.handoff.record import HandedOver, WrittenFile
from pollux.model import Session, Text, Value
from pollux.system.files import HUGE, read, remove_drafts
from pollux.text.shell import shell_word
from pollux.wire import display_path
from pollux.writers.native.note import read_note

if TYPE_CHECKING:
    from pollux.library.reader import SessionReader


class Removal(StrEnum):
    """What became of a file: removed, gone before, or left because others need it or it was changed."""

    REMOVED = "removed"
    GONE = "gone"
    LEFT = "left"


class RemovedFile(Value, frozen=True, kw_only=True):
    """A file of a hand-over that was undone."""

    path: str
    state: Removal


class Undone(Value, frozen=True, kw_only=True):
    """A hand-over that was undone. `key` is that of the session that it made; None where the agent gave it another.

    `stays`: the agent took the session over into its own files, where it stays; None if nobody knows.
    """

    origin: str
    agent: str
    id: str
    key: str | None
    files: tuple[RemovedFile, ...]
    stays: bool | None = None


def find_handover(name: str, entries: Sequence[HandedOver], reader: SessionReader) -> HandedOver:
    """The last hand-over that a name means: the key or the id of the new session or of its origin, or a file.

    A session that an agent began with a hand-over has the note of it. Raises `NotFound`.
    """
    if not entries:
        raise NotFound("Nothing was handed over, or all of it was undone.")
    for entry in reversed(entries):
        if name in (entry.key, entry.id, entry.origin) or _is_file_of(entry, name):
            return entry
    keys = dict.fromkeys(key for entry in entries for key in _keys(entry) if _begins(key, name))
    if len(keys) > 1:
        raise Ambiguous(name, keys)
    session = reader.session(name) if not keys else None
    wanted = session.key if session is not None else next(iter(keys))
    for entry in reversed(entries):
        if wanted in _keys(entry) or (session is not None and _is_made_by(session, entry)):
            return entry
    raise NotFound(
        f"pollux has no record that {shell_word(wanted)} was handed over.", "Only what pollux wrote can be undone."
    )


def _keys(entry: HandedOver) -> tuple[str, str]:
    """What may name a hand-over: the key of its origin, and that of its file."""
    return entry.origin, f"{entry.agent}:{entry.id}"


def _is_file_of(entry: HandedOver, name: str) -> bool:
    return os.path.realpath(name) in {os.path.realpath(file.place) for file in entry.files}


def _begins(key: str, name: str) -> bool:
    """Does the id of a key begin like a name, which may have the agent before it?"""
    agent, colon, id = key.partition(":")
    beginning = name.removeprefix(f"{agent}{colon}")
    return bool(beginning) and id.startswith(beginning)


def _is_made_by(session: Session, entry: HandedOver) -> bool:
    """Does a session begin with the note of a hand-over?"""
    for message in session.messages[:8]:
        for part in message.parts:
            note = read_note(part.text) if isinstance(part, Text) else None
            if note is not None:
                return note.origin == entry.origin and abs((note.at - entry.at).total_seconds()) < _CLOSE
    return False


_CLOSE = 0.002
"""A note has the time in milliseconds (seconds)."""


def take_back(entry: HandedOver) -> Undone:
    """Remove the files of a hand-over, and the folders made for them that are empty then.

    What is left of a file whose writing was broken off goes, too.

    A line that was added to a file stays, unless it is all that is in there: the agent may be adding lines, and passes
    over those about a session that is gone.

    Raises `OutputError`, and removes nothing, where the conversation was changed: the agent went on with it.
    """
    for file in entry.files:
        if not (file.beside or file.appended) and _state(file) is Removal.LEFT:
            raise OutputError(
                f"{display_path(file.place)} was changed since: the agent went on with it.",
                "Nothing was removed. It is a session like any other now.",
            )
    files = tuple(RemovedFile(path=display_path(file.place), state=_remove(file)) for file in entry.files)
    for folder in entry.folders:
        with contextlib.suppress(OSError):  # somebody put something there, or it is gone
            os.rmdir(folder)  # noqa: PTH106
    return Undone(origin=entry.origin, agent=entry.agent, id=entry.id, key=entry.key, files=files)


def _remove(file: WrittenFile) -> Removal:
    state = _state(file)
    if not (file.beside or file.appended):
        remove_drafts(file.place)
    if state is not Removal.REMOVED or (file.beside and not _is_alone(file.place)):
        return state if state is not Removal.REMOVED else Removal.LEFT
    try:
        file.place.unlink()
    except FileNotFoundError:
        return Removal.GONE
    except OSError as error:
        raise OutputError(f"{display_path(file.place)} cannot be removed: {error.strerror}.") from error
    return Removal.REMOVED


def _is_alone(place: Path) -> bool:
    """Is there no other file in the folder of a file, and below it?"""
    others = (Path(folder, name) for folder, _, names in os.walk(place.parent) for name in names)
    return all(other == place for other in others)


def _state(file: WrittenFile) -> Removal:
    """What an undo may do with a file: remove it as it was written, or leave it; or it is gone."""
    try:
        content = read(file.place, HUGE)
    except FileNotFoundError:
        return Removal.GONE
    except OSError:
        return Removal.LEFT
    return Removal.REMOVED if hashlib.sha256(content).hexdigest() == file.sha256 else Removal.LEFT
