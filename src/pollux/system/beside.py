"""A process beside this one, which makes ready what a later question needs.

Loading a large package takes longer than any answer. While this process does something else, another core may be free.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Self

from pollux.system.workers import can_fork, is_single_threaded, settle

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

Answer = Callable[[bytes], bytes]
"""Answers the question, once everything is ready."""


class Beside:
    """Such a process: it makes itself ready, answers one question, and ends. It also ends with its parent."""

    def __init__(self, make_ready: Callable[[], Answer]) -> None:
        import multiprocessing  # imported only if a process is started

        fork = multiprocessing.get_context("fork")
        self._pipe, theirs = fork.Pipe()
        self._process = fork.Process(target=_run, args=(theirs, make_ready), daemon=True)
        self._process.start()
        theirs.close()

    @classmethod
    def begin(cls, make_ready: Callable[[], Answer]) -> Self | None:
        """Start the process; None where that is impossible, or where locks of other threads would stay locked in it."""
        with contextlib.suppress(OSError):
            return cls(make_ready) if can_fork() and is_single_threaded() else None
        return None

    def ask(self, question: bytes) -> bytes | None:
        """The answer to the only question; None if the process died."""
        try:
            self._pipe.send_bytes(question)
            return self._pipe.recv_bytes()
        except (EOFError, OSError):
            return None
        finally:
            self._pipe.close()
            self._process.join()


def _run(pipe: Connection, make_ready: Callable[[], Answer]) -> None:
    settle(pipe)
    with contextlib.suppress(Exception):  # who asks gets no answer, and meets the same error
        answer = make_ready()
        pipe.send_bytes(answer(pipe.recv_bytes()))
