"""What parts belong to."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from pollux.model import Origin
from pollux.wire import Notes

Fetch = Callable[[str, Origin], str | None]
"""The full text of a long output, by the name of its file and the place that names it; None if it is gone."""


class Owner(msgspec.Struct, frozen=True, gc=False):
    """The message that parts belong to, and its session. `ends_turn`: nothing followed these parts in the turn."""

    message: str
    session: str
    fetch: Fetch
    notes: Notes
    is_summary: bool = False
    ends_turn: bool = False
