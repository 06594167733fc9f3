"""What lies over a screen, and is closed with an answer."""

from __future__ import annotations

from typing import TypeVar

from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen

from pollux.tui.widgets.still import LeftEarly

Result = TypeVar("Result")


class Overlay(ModalScreen[Result], LeftEarly[Result]):
    """Is closed once: a key that was typed too quickly may come when it is closed already."""

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Close it with an answer, unless another screen is on top by now."""
        return super().dismiss(result) if self.is_active else AwaitComplete()
