"""Reports of changes below folders, as Linux gives them: whoever waits for one sleeps until it comes."""

from __future__ import annotations

import ctypes
import errno
import os
import select
import struct
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, Self

_CLOEXEC, _NONBLOCK = 0o2000000, 0o4000
_ATTRIBUTES, _MODIFIED, _WRITTEN = 0x4, 0x2, 0x8
_MOVED_FROM, _MOVED_TO, _CREATED, _DELETED, _SELF_DELETED, _SELF_MOVED = 0x40, 0x80, 0x100, 0x200, 0x400, 0x800
_OVERFLOW, _IGNORED, _IS_FOLDER = 0x4000, 0x8000, 0x40000000
_ONLY_FOLDERS, _NO_LINKS = 0x1000000, 0x2000000
_CHANGES = (
    _ATTRIBUTES
    | _MODIFIED
    | _WRITTEN
    | _MOVED_FROM
    | _MOVED_TO
    | _CREATED
    | _DELETED
    | _SELF_DELETED
    | _SELF_MOVED
    | _ONLY_FOLDERS
)
_EVENT = struct.Struct("iIII")
_BYTES = 1 << 16
_NO_MORE = (errno.ENOSPC, errno.ENOMEM, errno.EMFILE, errno.ENFILE)
"""What the system says where it has no more watches to give."""


class Inotify:
    """The changes below some folders, which may be links themselves; no link below them is followed.

    Raises `OSError` where the system watches no more folders, and where one of these is gone. What is below a folder
    that cannot be opened is not reported.
    """

    def __init__(self, folders: Iterable[Path]) -> None:
        self._folders = [os.fsencode(folder) for folder in folders]
        self._paths: dict[int, bytes] = {}
        self._handle = _checked(_libc().inotify_init1(_CLOEXEC | _NONBLOCK))
        self._poll = select.poll()
        self._poll.register(self._handle, select.POLLIN)
        try:
            for folder in self._folders:
                self._add(folder)
        except BaseException:
            self.close()
            raise

    def wait(self, seconds: float) -> bool:
        """Was something reported, now or within so many seconds?"""
        return bool(self._poll.poll(1000 * seconds)) and self._take()

    def close(self) -> None:
        """End it."""
        os.close(self._handle)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _take(self) -> bool:
        """Take what was reported, and watch folders that are new."""
        try:
            reports = os.read(self._handle, _BYTES)
        except BlockingIOError:
            return False
        at, is_change = 0, False
        while at < len(reports):
            number, mask, _, length = _EVENT.unpack_from(reports, at)
            name = reports[at + _EVENT.size : at + _EVENT.size + length].rstrip(b"\0")
            at += _EVENT.size + length
            path = self._paths.get(number, b"")
            if mask & _IGNORED:  # nothing more is reported of this folder
                self._paths.pop(number, None)
                continue
            is_change = True
            if mask & (_SELF_DELETED | _SELF_MOVED) and path in self._folders:
                raise FileNotFoundError(errno.ENOENT, "A folder is gone", os.fsdecode(path))
            if mask & _OVERFLOW:  # reports were lost, perhaps those of new folders
                for folder in self._folders:
                    self._add(folder)
            elif path and mask & _IS_FOLDER and mask & (_CREATED | _MOVED_TO):
                self._add(path + b"/" + name, _NO_LINKS)
        return is_change

    def _add(self, folder: bytes, links: int = 0) -> None:
        """Watch a folder and all below it. It is watched before it is listed, so nothing new is missed."""
        waiting = [(folder, links)]
        while waiting:
            path, more = waiting.pop()
            try:
                number = _checked(_libc().inotify_add_watch(self._handle, path, _CHANGES | more))
                self._paths[number] = path
                with os.scandir(path) as scan:
                    waiting += [(one.path, _NO_LINKS) for one in scan if one.is_dir(follow_symlinks=False)]
            except OSError as error:
                if error.errno in _NO_MORE:
                    raise


def is_available() -> bool:
    """Does this system report changes so?"""
    return sys.platform.startswith("linux") and hasattr(_libc(), "inotify_init1")


def _checked(number: int) -> int:
    """What a call gave. Raises `OSError` where it failed."""
    if number < 0:
        reason = ctypes.get_errno()
        raise OSError(reason, os.strerror(reason))
    return number


@cache
def _libc() -> Any:
    return ctypes.CDLL(None, use_errno=True)
