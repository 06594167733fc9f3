"""A thread that answers the newest question: those that are overtaken while it works are dropped."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from pollux.system.progress import Enough

T = TypeVar("T")


class Latest(Generic[T]):
    """Asks `answer` in a thread of its own, since a connection to a database belongs to one thread.

    `hear` gets each answer, in that thread, unless a newer question came meanwhile. `fail` gets what goes wrong inside:
    nobody answers any more then. `end` runs at the end.
    """

    def __init__(
        self,
        answer: Callable[[T], object],
        hear: Callable[[object], None],
        fail: Callable[[Exception], object],
        end: Callable[[], None],
    ) -> None:
        self._answer = answer
        self._hear = hear
        self._fail = fail
        self._end = end
        self._changed = threading.Condition()
        self._question: T | None = None
        self._closed = False
        self._thread: threading.Thread | None = None

    def ask(self, question: T) -> None:
        """Ask. A question that still waits is forgotten."""
        with self._changed:
            self._question = question
            self._changed.notify()
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, daemon=True)
                self._thread.start()

    @property
    def overtaken(self) -> bool:
        """Has a newer question come? A long answer may ask this and give up."""
        return self._question is not None or self._closed

    def give_up(self, _progress: object) -> None:
        """Hear how far an answer is. Raises `Enough` where nobody waits for it any more."""
        if self.overtaken:
            raise Enough

    def close(self, seconds: float = 1.0) -> None:
        """End the thread, and wait a little for it."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join(seconds)

    def _work(self) -> None:
        try:
            while (question := self._next()) is not None:
                with contextlib.suppress(Enough):
                    answer = self._answer(question)
                    if not self.overtaken:
                        self._hear(answer)
        except Exception as error:  # noqa: BLE001 (it is told where the view is, which ends with it)
            self._fail(error)
        finally:
            self._end()

    def _next(self) -> T | None:
        """The next question; None at the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._question is not None)
            question, self._question = self._question, None
            return None if self._closed else question
