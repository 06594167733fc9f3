"""Changes in agents' files for a project that was moved. Every change can be undone to the byte.

A journal is written first, with the old bytes of every file that will change. If a step finds a file that changed since
the plan was made, everything ends, and all steps so far are undone.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import msgspec

from pollux.errors import OutputError, StoreError
from pollux.projects.renamed_folders import RenamedFolders
from pollux.sources.base import fingerprint_of
from pollux.sources.rehome_plan import Rename, Rewrite
from pollux.system.decoders import msgpack_decoder
from pollux.system.deep_folders import files_below, remove_tree
from pollux.system.files import HUGE, list_folder, make_private_folder, read, write_file
from pollux.text.shell import shell_word
from pollux.wire import display_path

_JOURNAL = "journal"


class JournalEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A step and the state before it: a renamed folder's `fingerprint`, or a file's bytes, time and mode."""

    path: bytes
    to: bytes | None = None
    fingerprint: str = ""
    before: bytes = b""
    after: bytes = b""
    mtime_ns: int = 0
    mode: int = 0

    @property
    def place(self) -> Path:
        """The path before the step."""
        return Path(os.fsdecode(self.path))

    @property
    def target(self) -> Path:
        """The path after the step."""
        return Path(os.fsdecode(self.to or self.path))

    def is_before(self) -> bool:
        """Is the file or folder as it was before the step?"""
        if self.to is not None:
            return not os.path.lexists(self.target) and folder_fingerprint(self.place) == self.fingerprint
        return _bytes(self.place) == self.before

    def is_after(self) -> bool:
        """Is the file or folder as the step leaves it?"""
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
        """Undo the step."""
        if self.to is not None:
            self.target.rename(self.place)
        else:
            write_file(self.place, self.before, mtime_ns=self.mtime_ns, mode=self.mode)


class Journal(msgspec.Struct, frozen=True, kw_only=True):
    """A move that was made in the agents' files."""

    old: bytes
    new: bytes
    entries: list[JournalEntry]


def entries_of(steps: Iterable[Rename | Rewrite]) -> list[JournalEntry]:
    """Steps with the present state of their files. Raises `OutputError` where one cannot be taken."""
    entries = []
    targets: set[str] = set()
    for step in steps:
        if isinstance(step, Rename):
            if os.path.lexists(step.to) or step.to in targets:
                raise OutputError(f"{display_path(step.to)} exists already.", "Nothing was changed.")
            targets.add(step.to)
            fingerprint = folder_fingerprint(Path(step.path))
            entries.append(JournalEntry(path=os.fsencode(step.path), to=os.fsencode(step.to), fingerprint=fingerprint))
            continue
        if Path(step.path).is_symlink():
            raise OutputError(f"{display_path(step.path)} is a link to another file.", "Nothing was changed.")
        stat = Path(step.path).stat()
        entry = JournalEntry(
            path=os.fsencode(step.path),
            before=step.before,
            after=step.after,
            mtime_ns=stat.st_mtime_ns,
            mode=stat.st_mode & 0o7777,
        )
        entries.append(entry)
    return entries


class Relocations:
    """The moves that were made in the agents' files, each in a folder with a number."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def last(self, old: str) -> tuple[Path, Journal] | None:
        """The last move of a project that was not undone."""
        for path in reversed(self._all()):
            try:
                journal = msgpack_decoder(Journal).decode(read(path / _JOURNAL, HUGE))
            except FileNotFoundError:  # the move ended before anything was changed
                continue
            except (OSError, msgspec.DecodeError) as error:
                raise StoreError(f"{display_path(path / _JOURNAL)} cannot be read: {error}.") from error
            if os.fsdecode(journal.old) == old:
                return path, journal
        return None

    def _all(self) -> list[Path]:
        try:
            paths = list_folder(self.folder)
        except OSError as error:
            raise StoreError(f"{display_path(self.folder)} cannot be read: {error.strerror or error}.") from error
        return sorted((path for path in paths if path.name.isdigit()), key=lambda path: int(path.name))

    def apply(self, old: str, new: str, entries: list[JournalEntry]) -> Path:
        """Take all steps or none. Returns the folder of the journal."""
        journal = Journal(old=os.fsencode(old), new=os.fsencode(new), entries=entries)
        try:
            home = self._write_down(journal)
        except OSError as error:
            raise StoreError(f"{display_path(self.folder)} cannot be written: {error.strerror or error}.") from error
        done_entries: list[JournalEntry] = []
        try:
            for entry in entries:
                entry.do()
                done_entries.append(entry)
        except OSError as error:
            _undo(done_entries, f"Try: pollux rehome {shell_word(display_path(old))} --undo")
            remove_tree(home)
            raise OutputError(
                f"{error.filename} cannot be changed: {error.strerror}.", "Nothing was changed."
            ) from error
        except OutputError:
            _undo(done_entries, f"Try: pollux rehome {shell_word(display_path(old))} --undo")
            remove_tree(home)
            raise
        return home

    def _write_down(self, journal: Journal) -> Path:
        make_private_folder(self.folder)
        home = self.folder / str(max((int(path.name) for path in self._all()), default=0) + 1)
        home.mkdir(mode=0o700)  # never overwrite the journal of another move
        try:
            self._fill(home, journal)
        except BaseException:
            remove_tree(home)
            raise
        return home

    def _fill(self, home: Path, journal: Journal) -> None:
        for entry in journal.entries:
            if entry.to is None:
                copy = home / "before" / entry.place.relative_to(entry.place.anchor)
                write_file(copy, entry.before, mtime_ns=entry.mtime_ns)
        write_file(home / _JOURNAL, msgspec.msgpack.encode(journal))
        RenamedFolders(self.folder / "renamed").add(
            (entry.path, entry.to) for entry in journal.entries if entry.to is not None
        )

    def revert(self, home: Path, journal: Journal) -> list[Path]:
        """Put all bytes and names back, also of an interrupted move. Raises `OutputError` if a file changed since."""
        done_entries = [entry for entry in journal.entries if not entry.is_before()]
        for entry in done_entries:
            if not entry.is_after():
                hint = f"Nothing was put back. The earlier files are in {display_path(home / 'before')}."
                raise OutputError(f"{display_path(entry.target)} was changed since.", hint)
        old = display_path(os.fsdecode(journal.old))
        _undo(done_entries, f"Try: pollux rehome {shell_word(old)} --undo. What is back already stays.")
        remove_tree(home)
        return [entry.place for entry in done_entries]


def _undo(entries: list[JournalEntry], hint: str) -> None:
    try:
        for entry in reversed(entries):
            entry.undo()
    except OSError as error:
        raise OutputError(f"{error.filename} cannot be put back: {error.strerror}.", hint) from error


def folder_fingerprint(folder: Path) -> str:
    """A value for the names, sizes and times of all files in a folder."""
    return fingerprint_of(
        f"{os.path.relpath(path, folder)}\n{stat.st_size}\n{stat.st_mtime_ns}" for path, stat in files_below(folder)
    )


def _bytes(file: Path) -> bytes | None:
    try:
        return read(file)
    except OSError:
        return None
