"""Private copies of databases: an agent's own file is never opened by SQLite, which would write beside it.

A copy holds the database and its log as they were at one moment. It lies in a folder for the user alone, and goes when
the process ends.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
import time
from pathlib import Path
from typing import BinaryIO

from pollux.errors import RequestError
from pollux.sources.database.file_format import LOG_HEAD
from pollux.system.directories import Places
from pollux.system.files import opened
from pollux.system.last_steps import at_end
from pollux.wire import unreadable
from pollux.wire.passing import count_trouble

LOG, JOURNAL = "-wal", "-journal"
"""What SQLite puts behind a database's name for the files that belong to it. `-shm` holds nothing of its own."""

_ATTEMPTS = 8
_PAUSE = 0.05
_NAMED = bytes.fromhex("d9d505f920a163d7")  # the end of a journal that names a second one
_CLONE = 0x40049409  # FICLONE: some file systems share the blocks of a copy
_PIECE = 1 << 26
_PREFIX = "pollux-database-"
_NAME = re.compile(rf"{_PREFIX}(\d+)-")


class PrivateFolder:
    """A folder for the user alone, with a database in it."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=_place()))
        self.file = self.folder / "copy.db"

    def remove(self) -> None:
        """Remove the folder. What another process made stays: it may still use it."""
        if _NAME.match(self.folder.name)[1] == str(os.getpid()):  # type: ignore[index]
            shutil.rmtree(self.folder, ignore_errors=True)


class PrivateCopy(PrivateFolder):
    """A copy of a database, with its log or without. `torn` says that the agent kept writing meanwhile."""

    def __init__(self, path: str, *, log: bool = True) -> None:
        super().__init__()
        self.torn = False
        self._wants_log = log
        try:
            self._copy(path)
        except BaseException:
            self.remove()
            raise

    @property
    def has_log(self) -> bool:
        """Is there a log that was not yet merged?"""
        return (self.folder / f"copy.db{LOG}").exists()

    def _copy(self, path: str) -> None:
        """Copy until the database stays as it was meanwhile: the log is copied last, and may only have grown."""
        try:
            for attempt in range(_ATTEMPTS):
                before = stamp_of(path)
                _copy_file(path, self.file)
                head = self._copy_log(path)
                self._copy_journal(path)
                if stamp_of(path) == before and log_head(path) == head:
                    return
                time.sleep(_PAUSE * attempt)
        except (OSError, ValueError) as error:
            if not self.folder.is_dir():
                count_trouble()
            raise unreadable(path, error) from error
        self.torn = True

    def _copy_log(self, path: str) -> bytes:
        """Copy the log, and return its head, which changes when the agent begins the log anew."""
        head = log_head(path)
        if self._wants_log:
            _copy_if_there(path + LOG, self.folder / f"copy.db{LOG}")
        return head

    def _copy_journal(self, path: str) -> None:
        """Copy the journal without the name of a second one at its end: SQLite would delete the file of that name."""
        journal = self.folder / f"copy.db{JOURNAL}"
        _copy_if_there(path + JOURNAL, journal)
        if journal.exists():
            with open(journal, "r+b") as stream:  # noqa: PTH123 (a private copy)
                end = stream.seek(0, os.SEEK_END)
                while end >= len(_NAMED) and _read_at(stream, end - len(_NAMED)) == _NAMED:
                    end -= len(_NAMED)
                    stream.truncate(end)


def _place() -> str | None:
    """Pollux's cache, if there is one: the system's folder for temporary files may lie in memory."""
    with contextlib.suppress(RequestError, OSError):
        cache = Places().cache
        if cache.is_dir() and os.access(cache, os.W_OK):
            remove_abandoned(cache)
            return str(cache)
    return None


def remove_abandoned(folder: Path) -> None:
    """Remove the copies of processes that were killed."""
    for left in folder.glob(f"{_PREFIX}*"):
        maker = _NAME.match(left.name)
        if maker is not None and not _is_running(int(maker[1])):
            shutil.rmtree(left, ignore_errors=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


@at_end
def _remove_all() -> None:
    """At the end, remove the copies of this process, and of the processes that it started."""
    with contextlib.suppress(RequestError, OSError):
        for folder in {Places().cache, Path(tempfile.gettempdir())}:
            for own in folder.glob(f"{_PREFIX}{os.getpid()}-*"):
                shutil.rmtree(own, ignore_errors=True)
            remove_abandoned(folder)


def stamp_of(path: str) -> tuple[int, int, int]:
    """What changes with every change of a file."""
    stat = os.stat(path)  # noqa: PTH116
    return stat.st_size, stat.st_mtime_ns, stat.st_ino


def log_head(path: str) -> bytes:
    """The head of a database's log, which changes when the agent begins the log anew; nothing without a log."""
    try:
        with opened(path + LOG, buffer=0) as log:
            return log.read(LOG_HEAD)
    except FileNotFoundError:
        return b""


def _read_at(stream: BinaryIO, place: int) -> bytes:
    stream.seek(place)
    return stream.read(len(_NAMED))


def _copy_if_there(path: str, to: Path) -> None:
    try:
        _copy_file(path, to)
    except FileNotFoundError:
        to.unlink(missing_ok=True)


def _copy_file(path: str, to: Path) -> None:
    with opened(path, buffer=0) as source, open(to, "wb", opener=_private) as target:
        if _cloned(source, target):
            return
        while piece := source.read(_PIECE):
            target.write(piece)


def _cloned(source: BinaryIO, target: BinaryIO) -> bool:
    """Let the copy share the blocks of the file, where the file system can: then it takes no time and no room."""
    try:
        import fcntl

        fcntl.ioctl(target.fileno(), _CLONE, source.fileno())
    except (ImportError, OSError):
        return False
    return True


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
