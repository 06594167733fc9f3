"""A field to type into."""

from __future__ import annotations

from textual.widgets import Input

from pollux.text.escape import visible
from pollux.tui.widgets.still import still_size


class Field(Input):
    """What gets into it is visible, also where it was pasted: a field draws its text as it is."""

    virtual_size = still_size()

    def on_mount(self) -> None:
        """A cursor that blinks is a screen that is never quiet."""
        self.cursor_blink = False

    def validate_value(self, value: str) -> str:
        """The text without anything that steers a terminal."""
        return visible(value)
