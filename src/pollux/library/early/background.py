"""The process that a command leaves behind: it reads what the command did not wait for, adds the words, and ends.

There is one at a time. It has the lowest priority, holds neither the terminal nor a pipe, and lets other processes go
first. It may be killed at any moment: what it has stored is complete, and the next command goes on from there. Where no
such process can be started, or the user does not want one, the next command does the work.
"""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING

from pollux.errors import PolluxError, RequestError
from pollux.library.early.apart import start_apart
from pollux.system.config import load
from pollux.system.locks import try_lock
from pollux.system.priority import take_lowest_priority

if TYPE_CHECKING:
    from pollux.library.fresh_index import FreshIndex
    from pollux.system.directories import Places

VARIABLE = "POLLUX_BACKGROUND"
"""The environment variable that turns the process off, or on against the settings."""

_OFF = ("0", "no", "off", "false")
_LOCK = "background.lock"


def is_enabled(places: Places) -> bool:
    """May a command leave a process behind?"""
    if os.name != "posix" or not sys.executable:
        return False
    if variable := places.environ.get(VARIABLE, ""):
        return variable.lower() not in _OFF
    try:
        return load(places.settings).sync.background
    except RequestError:  # nobody knows what the user wants; commands that need settings report what is wrong with them
        return False


def start(places: Places) -> None:
    """Leave a process behind, unless there is one."""
    with contextlib.suppress(OSError), try_lock(places.index / _LOCK) as alone:
        if not alone:
            return
    with contextlib.suppress(OSError):  # then the next command does the work
        start_apart(places, "sync", "--background")


def run(index: FreshIndex, places: Places) -> None:
    """Do all that is left to do, as the only such process. Nobody hears of a problem: the next command meets it."""
    take_lowest_priority()
    with contextlib.suppress(PolluxError, OSError), try_lock(places.index / _LOCK) as alone:
        if alone and index.has_begun():  # otherwise the cache was cleared meanwhile
            index.complete()
