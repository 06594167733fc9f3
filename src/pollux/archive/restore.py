"""Puts kept files back, byte for byte. A file that exists is never overwritten."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from pollux.archive.archive import Archive
from pollux.archive.contents import Damaged, Unread
from pollux.archive.order import best_first
from pollux.archive.packs import State, is_safe
from pollux.archive.verify import file_of
from pollux.errors import OutputError, StoreError
from pollux.model import Value
from pollux.sources.database import is_document
from pollux.system.files import HUGE, below, read, write_file
from pollux.system.link_bounds import leads_out
from pollux.wire import display_path


class Restored(Value, frozen=True, kw_only=True):
    """A file to write, or written. `there`: it exists already with the same bytes.

    `left`: another file exists and is not overwritten; allowed only for related files. `refreshed`: it has the present
    as its last use, because the agent deletes what is old.
    """

    path: str
    bytes: int
    sha256: str
    there: bool = False
    left: bool = False
    refreshed: bool = False

    @property
    def missing(self) -> bool:
        """Is it to be written?"""
        return not (self.there or self.left)


def states_to_restore(archive: Archive, states: Iterable[State], until: int | None = None) -> list[State]:
    """The state of each file to restore: the one at a time, or the best one, which is the last before a loss."""
    files: dict[tuple[bytes, bytes], list[State]] = {}
    for state in states:
        if is_safe(state.path) and (until is None or state.at <= until):
            files.setdefault((state.home, state.path), []).append(state)
    if until is not None:
        return [versions[-1] for versions in files.values() if versions[-1].sha is not None]
    histories = ([state for state in versions if state.sha is not None] for versions in files.values())
    return [best_first(archive, versions, None).states[0] for versions in histories if versions]


class FileToWrite(NamedTuple):
    """A file to write. A related file (`beside`) is skipped if another file exists there."""

    place: Path
    size: int
    sha: str
    mtime_ns: int
    content: Callable[[], bytes]
    beside: bool = False
    mode: int | None = None
    refreshed: bool = False


def files_to_write(
    archive: Archive, states: Iterable[State], folder: Path | None, roots: Collection[Path], *, beside: bool = False
) -> Iterator[FileToWrite]:
    """Kept states as files below a folder, or where they were among the agent's `roots`."""
    for state in states:
        path, home = os.fsdecode(state.path), Path(os.fsdecode(state.home))
        if folder is None and is_document(path):
            raise _in_a_database(home / path)
        place = within(folder, path) if folder is not None else in_place(home, path, roots)
        sha = (state.sha or b"").hex()
        yield FileToWrite(place, state.size, sha, state.mtime_ns, partial(_content, archive, state), beside, state.mode)


def _in_a_database(place: Path) -> OutputError:
    database = display_path(str(place.parent).removesuffix(".rows"))
    return OutputError(
        f"The session was in the database {database}, and pollux writes to no database.",
        "With -o FOLDER, restore writes its rows as JSON lines, and recover a file that the agent can import.",
    )


def within(folder: Path, path: str) -> Path:
    """The place of a file below a folder that the user named.

    Raises `OutputError` where the user named a file, or where a link leads out of the folder.
    """
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"{display_path(folder)} is a file, not a folder.", "Name another folder with -o.")
    try:
        return below(folder, path)
    except OSError as error:
        hint = "Nothing was written. Take another folder with -o."
        raise OutputError(f"{display_path(folder / path)} cannot be written: {error.strerror}.", hint) from error


def in_place(home: Path, path: str, roots: Collection[Path]) -> Path:
    """The place of a file in an agent's home, with all links followed. Raises `OutputError` for any other home.

    An archive may come from elsewhere, and must not choose which folders of this machine are written to.
    """
    real = os.path.realpath(home)
    own = [root for root in roots if os.path.realpath(root.parent) == real]
    if not own:
        hint = "It was kept elsewhere, or with other settings. Nothing was written. Name a folder for the files."
        raise OutputError(f"The agent has no folder {display_path(real)} on this machine.", hint)
    place = os.path.normpath(own[0].parent / path)
    if all(leads_out(place, str(root)) for root in own):
        raise OutputError(f"{display_path(place)} does not lie among the agent's sessions.", "Nothing was written.")
    return Path(os.path.realpath(os.path.dirname(place)), os.path.basename(place))  # noqa: PTH119, PTH120


def plan(files: Iterable[FileToWrite]) -> list[tuple[Restored, FileToWrite]]:
    """What would be written. Raises `OutputError` where a file of the session itself is there and differs."""
    planned: dict[Path, tuple[Restored, FileToWrite]] = {}
    for file in sorted(files, key=lambda file: file.beside):
        exists = os.path.lexists(file.place)
        same = exists and _same(file.place, file.content())
        if exists and not (same or file.beside):
            hint = "Nothing was written. Move it, or use another folder with -o."
            raise OutputError(f"{display_path(file.place)} exists with other content.", hint)
        restored = Restored(
            path=display_path(file.place),
            bytes=file.size,
            sha256=file.sha,
            there=same,
            left=exists and not same,
            refreshed=file.refreshed,
        )
        planned.setdefault(file.place, (restored, file))
    return list(planned.values())


def write(planned: Iterable[tuple[Restored, FileToWrite]]) -> None:
    """Write what was planned, all of it or nothing. A file that appeared meanwhile is not written over."""
    missing = [(restored, file) for restored, file in planned if restored.missing]
    folders = _new_folders(file.place for _, file in missing)
    written: list[FileToWrite] = []
    try:
        for restored, file in missing:
            _put(restored.path, file)
            written.append(file)
    except BaseException:
        for file in written:
            _take_back(file)
        for folder in folders:
            with contextlib.suppress(OSError):  # it was never made, or somebody put something there
                folder.rmdir()
        raise


def _new_folders(places: Iterable[Path]) -> list[Path]:
    """The folders that writing some files creates, the innermost first."""
    folders: set[Path] = set()
    for place in places:
        for folder in place.parents:
            if folder in folders or os.path.lexists(folder):
                break
            folders.add(folder)
    return sorted(folders, key=lambda folder: len(folder.parts), reverse=True)


def _put(path: str, file: FileToWrite) -> None:
    try:
        mode = 0o600 if file.mode is None else file.mode & 0o777
        write_file(file.place, file.content(), mtime_ns=file.mtime_ns, over=False, mode=mode)
    except OSError as error:
        if isinstance(error, FileExistsError) and os.path.lexists(file.place):
            raise OutputError(f"{path} was created by another program meanwhile, so it was not overwritten.") from error
        raise OutputError(f"{path} cannot be written: {error.strerror or error}.") from error


def _take_back(file: FileToWrite) -> None:
    """Remove a file that was just written, unless somebody has written to it since."""
    if _same(file.place, file.content()):
        with contextlib.suppress(OSError):
            file.place.unlink()


def _content(archive: Archive, state: State) -> bytes:
    try:
        return archive.read(state.sha or b"")
    except Unread as error:
        raise StoreError(f"What is kept of {file_of(state)} cannot be read: {error}.") from None
    except Damaged as error:
        raise StoreError(
            f"What is kept of {file_of(state)} is damaged: {error}.", "Try: pollux archive verify"
        ) from None


def _same(place: Path, content: bytes) -> bool:
    try:
        return read(place, HUGE) == content
    except OSError:
        return False
