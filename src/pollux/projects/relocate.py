"""Changing agents' files where a project was moved, so that every change can be taken back to the byte.

What will be changed is written down first, with the bytes of every file that gets others. A step that finds something
else than what it was planned for ends everything, and what was done until then is taken back.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import msgspec

from pollux.errors import OutputError, StoreError
from pollux.projects.folder_aliases import FolderAliases
from pollux.sources.base import fingerprint_of
from pollux.sources.moving import Rename, Rewrite
from pollux.system.deep_folders import files_below, remove_tree
from pollux.system.files import HUGE, list_folder, make_private_folder, read, write_file
from pollux.wire import display_path

_JOURNAL = "journal"


class RelocationStep(msgspec.Struct, frozen=True, kw_only=True):
    """A step as it was, before anything changed: a renamed folder's `fingerprint`, or a file's bytes, time and mode."""

    path: bytes
    to: bytes | None = None
    fingerprint: str = ""
    before: bytes = b""
    after: bytes = b""
    mtime_ns: int = 0
    mode: int = 0

    @property
    def place(self) -> Path:
        """Where it was."""
        return Path(os.fsdecode(self.path))

    @property
    def target(self) -> Path:
        """Where it is after a renaming."""
        return Path(os.fsdecode(self.to or self.path))

    def is_before(self) -> bool:
        """Is all as it was planned for?"""
        if self.to is not None:
            return not os.path.lexists(self.target) and folder_fingerprint(self.place) == self.fingerprint
        return _bytes(self.place) == self.before

    def is_after(self) -> bool:
        """Is all as the step leaves it?"""
        if self.to is not None:
            return not os.path.lexists(self.place) and folder_fingerprint(self.target) == self.fingerprint
        return _bytes(self.place) == self.after

    def do(self) -> None:
        """Take the step."""
        if not self.is_before():
            raise OutputError(f"{display_path(self.place)} was changed meanwhile.", "Nothing was changed by pollux.")
        if self.to is not None:
            self.place.rename(self.target)
        else:
            write_file(self.place, self.after, mode=self.mode)

    def undo(self) -> None:
        """Take it back."""
        if self.to is not None:
            self.target.rename(self.place)
        else:
            write_file(self.place, self.before, mtime_ns=self.mtime_ns, mode=self.mode)


class Journal(msgspec.Struct, frozen=True, kw_only=True):
    """A move that was done in the agents' files."""

    old: bytes
    new: bytes
    entries: list[RelocationStep]


def plan_steps(steps: Iterable[Rename | Rewrite]) -> list[RelocationStep]:
    """Steps with what they find now. Raises `OutputError` where one cannot be taken."""
    found = []
    targets: set[str] = set()
    for step in steps:
        if isinstance(step, Rename):
            if os.path.lexists(step.to) or step.to in targets:
                raise OutputError(f"{display_path(step.to)} exists already.", "Nothing was changed.")
            targets.add(step.to)
            fingerprint = folder_fingerprint(Path(step.path))
            found.append(RelocationStep(path=os.fsencode(step.path), to=os.fsencode(step.to), fingerprint=fingerprint))
            continue
        if Path(step.path).is_symlink():
            raise OutputError(f"{display_path(step.path)} is a link to another file.", "Nothing was changed.")
        stat = Path(step.path).stat()
        told = RelocationStep(
            path=os.fsencode(step.path),
            before=step.before,
            after=step.after,
            mtime_ns=stat.st_mtime_ns,
            mode=stat.st_mode & 0o7777,
        )
        found.append(told)
    return found


class Relocations:
    """The moves that were done in the agents' files, each in a folder with a number."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def last(self, old: str) -> tuple[Path, Journal] | None:
        """The last one of a project that was not taken back."""
        for path in reversed(self._all()):
            try:
                told = msgspec.msgpack.decode(read(path / _JOURNAL, HUGE), type=Journal)
            except FileNotFoundError:  # it ended before anything was changed
                continue
            except (OSError, msgspec.DecodeError) as error:
                raise StoreError(f"{display_path(path / _JOURNAL)} cannot be read: {error}.") from error
            if os.fsdecode(told.old) == old:
                return path, told
        return None

    def _all(self) -> list[Path]:
        try:
            held = list_folder(self.folder)
        except OSError as error:
            raise StoreError(f"{display_path(self.folder)} cannot be read: {error.strerror or error}.") from error
        return sorted((path for path in held if path.name.isdigit()), key=lambda path: int(path.name))

    def apply(self, old: str, new: str, entries: list[RelocationStep]) -> Path:
        """Take all steps or none. Returns where the way back is written down."""
        journal = Journal(old=os.fsencode(old), new=os.fsencode(new), entries=entries)
        try:
            home = self._write_down(journal)
        except OSError as error:
            raise StoreError(f"{display_path(self.folder)} cannot be written: {error.strerror or error}.") from error
        done: list[RelocationStep] = []
        try:
            for entry in entries:
                entry.do()
                done.append(entry)
        except OSError as error:
            _undo(done, f"Try: pollux rehome {display_path(old)} --undo")
            remove_tree(home)
            raise OutputError(
                f"{error.filename} cannot be changed: {error.strerror}.", "Nothing was changed."
            ) from error
        except OutputError:
            _undo(done, f"Try: pollux rehome {display_path(old)} --undo")
            remove_tree(home)
            raise
        return home

    def _write_down(self, journal: Journal) -> Path:
        make_private_folder(self.folder)
        home = self.folder / str(max((int(path.name) for path in self._all()), default=0) + 1)
        home.mkdir(mode=0o700)  # never over the way back of another move
        for entry in journal.entries:
            if entry.to is None:
                copy = home / "before" / entry.place.relative_to(entry.place.anchor)
                write_file(copy, entry.before, mtime_ns=entry.mtime_ns)
        write_file(home / _JOURNAL, msgspec.msgpack.encode(journal))
        FolderAliases(self.folder / "renamed").add(
            (entry.path, entry.to) for entry in journal.entries if entry.to is not None
        )
        return home

    def revert(self, home: Path, journal: Journal) -> list[Path]:
        """Put all bytes and names back, also of a move that was cut short. Raises `OutputError` where one changed."""
        done = [entry for entry in journal.entries if not entry.is_before()]
        for entry in done:
            if not entry.is_after():
                hint = f"Nothing was put back. What files were before lies in {display_path(home / 'before')}."
                raise OutputError(f"{display_path(entry.target)} was changed since.", hint)
        _undo(done, "Try again: what is back already stays.")
        remove_tree(home)
        return [entry.place for entry in done]


def _undo(done: list[RelocationStep], hint: str) -> None:
    try:
        for entry in reversed(done):
            entry.undo()
    except OSError as error:
        raise OutputError(f"{error.filename} cannot be put back: {error.strerror}.", hint) from error


def folder_fingerprint(folder: Path) -> str:
    """Stands for all that lies in a folder: names, sizes and times."""
    return fingerprint_of(
        f"{os.path.relpath(path, folder)}\n{stat.st_size}\n{stat.st_mtime_ns}" for path, stat in files_below(folder)
    )


def _bytes(file: Path) -> bytes | None:
    try:
        return read(file)
    except OSError:
        return None
