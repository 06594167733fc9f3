"""What is typed is taken one key after the other: typed quickly, it does what it does when it is typed slowly."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING

from textual.events import Key, Paste

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from textual.message_pump import MessagePump

    from pollux.tui.app import PolluxApp

Typed = Key | Paste

_PATIENCE = 1.0
"""So many seconds a key may take. Then the next one is taken all the same."""


class TypedKeys:
    """Keys and pasted texts that wait for what came before them: for its effect, and for the screen that it opens.

    `take` hands one to the app.
    """

    def __init__(self, app: PolluxApp, take: Callable[[Typed], Awaitable[None]]) -> None:
        self._app = app
        self._take = take
        self._waiting: deque[Typed] = deque()
        self._taken: Typed | None = None
        self._is_going_on = False
        self._taken_at = self._not_before = 0.0

    async def add(self, event: Typed) -> None:
        """Take a key when it is its turn."""
        if event.time < self._not_before:
            return
        if time.monotonic() - self._taken_at > _PATIENCE:
            self._taken = None
        self._waiting.append(event)
        await self.go_on()

    async def go_on(self) -> None:
        """Take those whose turn it is. While something is being opened, only a key that leaves it has its turn."""
        if self._is_going_on:
            return
        self._is_going_on = True
        try:
            while self._waiting and self._taken is None and (not self._app.is_opening or self._skip_to_leaving()):
                await self._take_one(self._waiting.popleft())
        finally:
            self._is_going_on = False

    def _skip_to_leaving(self) -> bool:
        """Forget what was typed before a key that leaves. A letter is one only if it is the first: it may be a text."""
        for place, event in enumerate(self._waiting):
            if isinstance(event, Key) and self._app.leaves(event) and not (place and event.is_printable):
                for _ in range(place):
                    self._waiting.popleft()
                return True
        return False

    def forget(self) -> None:
        """Forget what was typed until now: it was meant for somebody else."""
        self._waiting.clear()
        self._not_before = time.monotonic()

    async def _take_one(self, event: Typed) -> None:
        before = self._app.screen
        self._taken, self._taken_at = event, time.monotonic()
        await self._take(event)
        target = before.focused or before
        passed = [target, *target.ancestors] if event.is_forwarded else []
        # Twice: what a widget does may be another message, which takes the same way.
        await self._follow([*passed, *passed], event, before)

    async def _follow(self, nodes: Sequence[MessagePump], event: Typed, before: object) -> None:
        """Follow a key through the queues of all that it passes, one after the other; then wait for what it opened."""
        for place, node in enumerate(nodes, 1):
            if node.call_later(self._follow, nodes[place:], event, before):  # it is not closed
                return
        screen = self._app.screen
        if screen is not before:
            await self._follow([screen, self._app], event, screen)
        elif event is self._taken:
            self._taken = None
            await self.go_on()
