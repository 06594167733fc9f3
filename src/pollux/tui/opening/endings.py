"""What ends the terminal UI from outside: a signal, or a terminal that is gone."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from threading import current_thread, main_thread
from typing import TYPE_CHECKING

from pollux.system.termination import SIGNALS
from pollux.tui.opening.hangup import on_hangup

if TYPE_CHECKING:
    from collections.abc import Callable


def on_ending(end: Callable[[int], None], *, has_terminal: bool) -> None:
    """Call a function of the present loop with the signal that ends it. Only the main thread can be told of signals.

    A terminal that is gone ends it as its signal does.
    """
    loop = asyncio.get_running_loop()
    if os.name == "posix" and current_thread() is main_thread():
        for number in SIGNALS:
            loop.add_signal_handler(number, end, number)
        if has_terminal and sys.__stdin__ is not None:
            on_hangup(sys.__stdin__.fileno(), lambda: _tell(loop, end, SIGNALS[-1]))


def _tell(loop: asyncio.AbstractEventLoop, function: Callable[[int], None], number: int) -> None:
    with contextlib.suppress(RuntimeError):  # it has ended already
        loop.call_soon_threadsafe(function, number)
