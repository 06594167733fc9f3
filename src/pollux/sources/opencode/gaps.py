"""Which figures may be missing."""

from __future__ import annotations

from collections.abc import Iterator

from pollux.model import Fate, Gap, gap
from pollux.sources.opencode.messages.messages import Entry

_CUT = "A response was broken off: its figures were never written."
_UNSURE = "A response has no figures: what it cost, if anything, was not written."
_REFUSED = ("APIError", "ProviderAuthError", "ContextOverflowError")
"""Errors of requests that were refused: nothing was used."""


def gaps(entries: list[Entry]) -> tuple[Gap, ...]:
    """The responses without figures: killed, aborted, or cut."""
    return tuple(_gaps(entries))


def _gaps(entries: list[Entry]) -> Iterator[Gap]:
    for entry in entries:
        message = entry.message
        if not entry.is_response or message.inherited or message.usage is not None:
            continue
        if entry.says:
            yield gap(_CUT, message, certain=message.fate is not Fate.REWOUND)
        elif entry.error not in _REFUSED:
            yield gap(_UNSURE, message)
