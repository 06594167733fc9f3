"""Widgets that Textual does not arrange twice."""

from __future__ import annotations

from textual.containers import Horizontal
from textual.geometry import Size
from textual.reactive import Reactive
from textual.screen import Screen


def still_size() -> Reactive[Size]:
    """The size of what a widget holds, if that moves nothing else.

    Textual arranges the whole screen again after such a change, since bars for scrolling could appear: here are none.
    """
    return Reactive(Size(0, 0), layout=False)


class SideBySide(Horizontal):
    """Widgets in a row."""

    virtual_size = still_size()


class StillScreen(Screen[None]):
    """A screen that does not scroll."""

    virtual_size = still_size()
