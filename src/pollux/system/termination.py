"""A signal to end raises an exception, as Ctrl-C does, so that unfinished files are deleted first."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = [number for name in ("SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)) is not None]
"""The signals that ask a process to end."""


class Terminated(KeyboardInterrupt):
    """A signal asked the process to end."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextmanager
def termination_raises() -> Iterator[list[int]]:
    """Inside, a signal that would end the process at once raises `Terminated`. Ignored signals stay ignored.

    Gives the signals that came, as an import may drop what is raised meanwhile.
    """
    came: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield came
        return

    def end(number: int, _frame: FrameType | None) -> None:
        came.append(number)
        raise Terminated(number)

    ours = [number for number in SIGNALS if signal.getsignal(number) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, end)
    try:
        yield came
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)
