"""Which figures may be missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pollux.model import Fate, Gap, gap
from pollux.sources.opencode.messages.messages import Entry

_CUT = "A response was broken off: its figures were never written."
_UNSURE = "A response has no figures: what it cost, if anything, was not written."
_UNDATED = "It is not known when a response was made, or to which message its parts belong: it may be counted twice."
_PARTLY = "A response has only a part of its figures."
_NO_RESPONSE = "Figures stand in a message that is no response: they are not counted."
_NO_BEGINNING = "It is not known when the session began: responses may be copies, and counted in another session, too."
_UNREAD = "The record of a message cannot be read: it may be a response."
_DAMAGED = "A database of the session is damaged: what is missing may hold figures."
_REFUSED = ("APIError", "ProviderAuthError", "ContextOverflowError")
"""Errors of requests that were refused: nothing was used."""


def gaps(entries: list[Entry], *, dated: bool, damaged: Iterable[str]) -> tuple[Gap, ...]:
    """The gaps of a session. `dated`: its record says when it began. `damaged` are databases that are not whole."""
    found = [*_gaps(entries), *(Gap(why=_DAMAGED, certain=False, file=file) for file in damaged)]
    if not dated and any(entry.is_response for entry in entries):
        found.append(Gap(why=_NO_BEGINNING, certain=False))
    return tuple(found)


def _gaps(entries: list[Entry]) -> Iterator[Gap]:
    """The responses without figures: killed, aborted, or cut; and those of which nobody knows whether they are new."""
    for entry in entries:
        message = entry.message
        if message.inherited:
            continue
        if not entry.is_response:
            if entry.uncounted:
                yield gap(_NO_RESPONSE, message, certain=True)
            elif entry.unread:
                yield gap(_UNREAD, message)
        elif message.usage is not None:
            if message.usage.exact is not True:
                yield gap(_PARTLY, message, certain=message.usage.total is None)
            if entry.undated:
                yield gap(_UNDATED, message)
        elif entry.says and not entry.undated:
            yield gap(_CUT, message, certain=message.fate is not Fate.REWOUND)
        elif entry.error not in _REFUSED:
            yield gap(_UNSURE, message)
