"""Troubles of the machine, not of a file: no room, too many open files, a network that is away. They pass.

What could not be read because of them is read again by the next sync, although its files are the same.
"""

from __future__ import annotations

import errno

_ERRORS = {errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.EIO, errno.ESTALE}
_SQLITE = {13, 14, 778, 1034, 1546}
"""No room, a file that cannot be opened, and what fails where a file cannot be written."""

_count = 0


def note_trouble(error: BaseException) -> None:
    """Count an error if it is such a trouble."""
    code = getattr(error, "sqlite_errorcode", None)
    if (isinstance(error, OSError) and error.errno in _ERRORS) or (code is not None and {code, code & 0xFF} & _SQLITE):
        count_trouble()


def count_trouble() -> None:
    """Count one more trouble."""
    global _count  # noqa: PLW0603 (whoever reads need not hand it on)
    _count += 1


def troubles() -> int:
    """How many there were in this process."""
    return _count
