"""The lowest priority, for work that nobody waits for.

Linux gives each session of processes the same share of the processors, however low the priorities in it are, unless the
session itself has a low priority (sched(7), "The autogroup feature"). A process that was started in a session of its
own lowers both.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

LOWEST = 19
_USUAL = 0
_PAUSE = 0.11
"""The system lets people change the priority of a session ten times a second, all of them together."""

_TRIES = 3


def take_lowest_priority() -> None:
    """Let all other processes go first. A session that this process shares with others keeps its priority."""
    os.nice(LOWEST)
    if os.getsid(0) == os.getpid():
        _set_session_priority(os.getpid(), LOWEST)


@contextlib.contextmanager
def lent_priority(process: int | None) -> Iterator[None]:
    """Inside, the session of a process with the lowest priority has the usual one: this process waits for it."""
    is_lent = process and _session_priority(process) == LOWEST and _set_session_priority(process, _USUAL)
    try:
        yield
    finally:
        if process and is_lent:
            _set_session_priority(process, LOWEST)


def _session_priority(process: int) -> int | None:
    """The priority of the session of a process; None where the system has no such thing, or does not say."""
    try:
        line = _file(process).read_text()
    except OSError:
        return None
    found = re.search(r"nice (-?\d+)", line)
    return int(found[1]) if found else None


def _set_session_priority(process: int, priority: int) -> bool:
    for left in reversed(range(_TRIES)):
        try:
            _file(process).write_text(str(priority))
        except BlockingIOError:
            if left:
                time.sleep(_PAUSE)
        except OSError:
            return False
        else:
            return True
    return False


def _file(process: int) -> Path:
    return Path(f"/proc/{process}/autogroup")
