"""One writer at a time, and without a trace of one that was killed.

Who writes says in the lock's file how far it is. Who waits reads that: so it can tell the person, and knows one that
gets on from one that was stopped or hangs.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from pollux.system.progress import Progress, Report

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PATIENCE = 20.0
"""So long (seconds) one waits for somebody of whom nothing is heard."""

_PAUSE = 0.05
_MOST = 4096
_FAR = 1 << 30
"""Windows lets nobody read a byte that is locked, so this one is beyond all that is written."""

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Progress).decode


@contextmanager
def sole(path: Path) -> Iterator[bool]:
    """Inside, True where nobody else is inside; the system gives the lock back even after a SIGKILL."""
    with _opened(path) as handle:
        yield _taken(handle)


class Turn:
    """The right to write. `waited`: somebody else had it before."""

    def __init__(self, handle: int, *, waited: bool) -> None:
        self.waited = waited
        self._handle = handle
        self._last = 0.0
        self.tell(Progress())

    def tell(self, progress: Progress) -> None:
        """Say how far one is to those who wait."""
        now = time.monotonic()
        if now - self._last < _PAUSE:
            return
        self._last = now
        line = _encode(msgspec.structs.replace(progress, by=os.getpid())) + b"\n"
        with contextlib.suppress(OSError):  # a full disk keeps nobody from writing less elsewhere
            os.lseek(self._handle, 0, os.SEEK_SET)
            os.write(self._handle, line)
            os.ftruncate(self._handle, len(line))


@contextmanager
def turn(path: Path, report: Report, patience: float | None = None) -> Iterator[Turn | None]:
    """Inside, the right to write. Somebody else who has it is awaited, and `report` hears how far that one is.

    None where nothing was heard of the other one for so long: it was stopped, or hangs.
    """
    with _opened(path) as handle:
        waited = not _taken(handle)
        if waited and not _awaited(handle, report, PATIENCE if patience is None else patience):
            yield None
            return
        try:
            yield Turn(handle, waited=waited)
        finally:
            with contextlib.suppress(OSError):
                os.ftruncate(handle, 0)


def owner(path: Path) -> str:
    """Who has the lock, in a sentence."""
    told = _told(path)
    return f"Another pollux (process {told.by})" if told.by else "Another pollux"


def _awaited(handle: int, report: Report, patience: float) -> bool:
    heard, since, said = 0, time.monotonic(), False
    while not (mine := _taken(handle)):
        moment, told = os.fstat(handle).st_mtime_ns, _read(handle)
        if moment != heard:
            heard, since = moment, time.monotonic()
        if time.monotonic() - since >= patience or _stopped(told.by):
            break
        report(told)
        said = True
        time.sleep(_PAUSE)
    if said:
        report(Progress())  # the waiting is over
    return mine


def _told(path: Path) -> Progress:
    try:
        with _opened(path) as handle:
            return _read(handle)
    except OSError:
        return Progress(by=0)


def _read(handle: int) -> Progress:
    """What the owner says. One that says nothing has the number 0."""
    try:
        os.lseek(handle, 0, os.SEEK_SET)
        told = _decode(os.read(handle, _MOST).partition(b"\n")[0])
    except (OSError, msgspec.DecodeError):
        return Progress(by=0)
    return msgspec.structs.replace(told, by=told.by or 0)


def _stopped(process: int | None) -> bool:
    """Was a process stopped, as Ctrl-Z does? Where the system does not say, waiting tells."""
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


def _taken(handle: int) -> bool:
    try:
        if fcntl is not None:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:
            import msvcrt

            os.lseek(handle, _FAR, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    except OSError:
        return False
    return True
