"""A terminal that is gone. The system tells only the processes that it controls; the others find it out here."""

from __future__ import annotations

import select
from collections.abc import Callable
from threading import Thread


def on_hangup(file: int, tell: Callable[[], None]) -> None:
    """Call a function, in a thread of its own, as soon as the other side of a terminal is gone."""
    if hasattr(select, "poll"):  # not on Windows
        Thread(target=_wait, args=(file, tell), name="hang-up", daemon=True).start()


def _wait(file: int, tell: Callable[[], None]) -> None:
    poll = select.poll()
    poll.register(file, 0)  # no event but those that cannot be turned off: the end of the terminal
    poll.poll()
    tell()
