"""Keys of the table as Textual binds them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding, BindingType

from pollux.tui.keys import ANYWHERE, KEYS, LIST

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pollux.tui.keys import Key


def bindings(place: str) -> list[BindingType]:
    """The keys of a place. In the list they come before those of the search field."""
    first = place in (LIST, ANYWHERE)
    return [
        Binding(",".join(key.keys), key.action, key.meaning, show=False, priority=first, id=key.name)
        for key in KEYS
        if key.place == place
    ]


def keymap(table: Iterable[Key]) -> dict[str, str]:
    """What the user's settings change."""
    defaults = {key.name: key.keys for key in KEYS}
    return {key.name: ",".join(key.keys) for key in table if key.keys != defaults[key.name]}
