"""Widgets that Textual does not arrange twice."""

from __future__ import annotations

from typing import TypeVar

from textual.containers import Horizontal
from textual.events import Mount, Resize
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive
from textual.screen import Screen

Result = TypeVar("Result")


def still_size() -> Reactive[Size]:
    """The size of what a widget holds, if that moves nothing else.

    Textual arranges the whole screen again after such a change, since bars for scrolling could appear: here are none.
    """
    return Reactive(Size(0, 0), layout=False)


class SideBySide(Horizontal):
    """Widgets in a row."""

    virtual_size = still_size()


class LeftEarly(Screen[Result]):
    """A screen that may be left before it has its parts: Textual then makes none, and tells it all the same."""

    async def _dispatch_message(self, message: Message) -> None:
        is_left = self.app._exit or self._closing or self._pruning  # noqa: SLF001 (Textual has no other word for it)
        if is_left and isinstance(message, (Mount, Resize)):
            return
        await super()._dispatch_message(message)


class StillScreen(LeftEarly[None]):
    """A screen that does not scroll."""

    virtual_size = still_size()
