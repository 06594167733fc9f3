"""The state of a session's files: a view that shows the session reads it again when this is another one."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from typing import NamedTuple

from pollux.sources.database import JOURNAL, LOG


class FileStamp(NamedTuple):
    """The state of a file. `beside` is the state of what SQLite writes first, before the database itself changes."""

    file: str
    size: int
    changed_ns: int
    inode: int
    beside: tuple[FileStamp, ...] = ()


def file_stamps(files: Iterable[str]) -> tuple[FileStamp | None, ...]:
    """The state of each file; None for one that is gone, or is no file any more."""
    return tuple(map(_with_what_is_beside, files))


def _with_what_is_beside(file: str) -> FileStamp | None:
    own = _stamp(file)
    if own is None:
        return None
    return own._replace(beside=tuple(filter(None, [_stamp(file + LOG), _stamp(file + JOURNAL)])))


def _stamp(file: str) -> FileStamp | None:
    try:
        facts = os.stat(file)  # noqa: PTH116
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(facts.st_mode):
        return None
    return FileStamp(file, facts.st_size, facts.st_mtime_ns, facts.st_ino)
