"""Locks: one writer at a time. A killed writer leaves no lock behind.

A writer writes its progress into the lock's file. A process that waits reads it, so that it can report the progress and
can see whether the writer was stopped or hangs. It also makes a file that says that it waits: a writer that is in no
hurry then lets it go first.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from pollux.system.decoders import json_decoder
from pollux.system.priority import lent_priority
from pollux.system.progress import Progress, Report

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PATIENCE = 20.0
"""How long (seconds) a process waits for a writer that reports no progress."""

_PAUSE = 0.05
_LEND_AFTER = 0.3
"""After so many seconds, a process that waits lends its priority to the writer, whom others may keep from ending."""

_LONGEST = 4096
_LOCKED_BYTE = 1 << 30
"""The locked byte. Windows lets nobody read a locked byte, so it lies beyond all that is written."""

_encode = msgspec.json.Encoder().encode
_decode = json_decoder(Progress).decode


@contextmanager
def try_lock(path: Path) -> Iterator[bool]:
    """True inside where this process got the lock. The system releases it even after a SIGKILL."""
    with _opened(path) as handle:
        yield _acquire(handle)


class WriteLock:
    """The right to write. `waited`: another process had it before."""

    def __init__(self, path: Path, handle: int, *, waited: bool) -> None:
        self.waited = waited
        self._wanted = _wanted(path)
        self._handle = handle
        self._last = 0.0
        self.report(Progress())

    def is_wanted(self) -> bool:
        """Does another process wait? It is answered once: the process says so again if it still waits later."""
        try:
            self._wanted.unlink()
        except OSError:
            return False
        return True

    def report(self, progress: Progress) -> None:
        """Report progress to the processes that wait."""
        now = time.monotonic()
        if now - self._last < _PAUSE:
            return
        self._last = now
        line = _encode(msgspec.structs.replace(progress, by=os.getpid())) + b"\n"
        with contextlib.suppress(OSError):  # the report is not worth an error on a full disk
            os.lseek(self._handle, 0, os.SEEK_SET)
            os.write(self._handle, line)
            os.ftruncate(self._handle, len(line))


@contextmanager
def write_lock(path: Path, report: Report, patience: float | None = None) -> Iterator[WriteLock | None]:
    """The right to write. It waits for another process that has it, and `report` gets that one's progress.

    None where the other process reported no progress for `patience` seconds: it was stopped, or hangs.
    """
    with _opened(path) as handle:
        waited = not _acquire(handle)
        if waited and not _wait(path, handle, report, PATIENCE if patience is None else patience):
            yield None
            return
        try:
            yield WriteLock(path, handle, waited=waited)
        finally:
            with contextlib.suppress(OSError):
                os.ftruncate(handle, 0)


def owner(path: Path) -> str:
    """The process that has the lock, as the subject of a sentence."""
    process = _progress(path).by
    return f"Another pollux (process {process})" if process else "Another pollux"


def _wanted(path: Path) -> Path:
    """The file that says that a process waits for a lock."""
    return path.with_name(f"{path.name}.wanted")


def _wait(path: Path, handle: int, report: Report, patience: float) -> bool:
    began = changed = time.monotonic()
    last_change, reported, lent = 0, False, False
    with contextlib.ExitStack() as loan:
        while not (acquired := _acquire(handle)):
            with contextlib.suppress(OSError):
                _wanted(path).touch(0o600)
            change, progress = os.fstat(handle).st_mtime_ns, _read(handle)
            if change != last_change:
                last_change, changed = change, time.monotonic()
            if time.monotonic() - changed >= patience or _is_stopped(progress.by):
                break
            if not lent and time.monotonic() - began >= _LEND_AFTER:
                lent = True
                loan.enter_context(lent_priority(progress.by))
            report(progress)
            reported = True
            time.sleep(_PAUSE)
    with contextlib.suppress(OSError):
        _wanted(path).unlink()
    if reported:
        report(Progress())  # the waiting is over
    return acquired


def _progress(path: Path) -> Progress:
    try:
        with _opened(path) as handle:
            return _read(handle)
    except OSError:
        return Progress(by=0)


def _read(handle: int) -> Progress:
    """The owner's progress. The process of an owner that reports nothing is 0."""
    try:
        os.lseek(handle, 0, os.SEEK_SET)
        progress = _decode(os.read(handle, _LONGEST).partition(b"\n")[0])
    except (OSError, msgspec.DecodeError):
        return Progress(by=0)
    return msgspec.structs.replace(progress, by=progress.by or 0)


def _is_stopped(process: int | None) -> bool:
    """Was a process stopped, as Ctrl-Z does? False where the system does not say."""
    try:
        status = Path(f"/proc/{process}/stat").read_bytes()
    except OSError:
        return False
    return status.rpartition(b")")[2].split()[:1] in ([b"T"], [b"t"])


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    try:
        yield handle
    finally:
        os.close(handle)


def _acquire(handle: int) -> bool:
    try:
        if fcntl is not None:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:
            import msvcrt

            os.lseek(handle, _LOCKED_BYTE, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    except OSError:
        return False
    return True
