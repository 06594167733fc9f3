"""The few fields of a line that show which record it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import msgspec

from pollux.wire import REFUSED, Malformed, Notes, Shape, decode, decoder

_UNIQUE = 12


class ApiMessage(Shape, forbid_unknown_fields=False):
    """The fields of an API message that name it."""

    id: str | None = None
    role: str | None = None


class _Ancestor(Shape, forbid_unknown_fields=False):
    sessionId: str | None = None


class Envelope(Shape, forbid_unknown_fields=False):
    """The fields that name a record. All other fields are skipped, which is fast.

    `toolUseResult` is there if the record is the result of a call.
    """

    type: str | None = None
    uuid: str | None = None
    parentUuid: str | None = None
    requestId: str | None = None
    sessionId: str | None = None
    forkedFrom: _Ancestor | None = None
    toolUseResult: msgspec.Raw = msgspec.Raw()
    message: ApiMessage | None = None

    @property
    def is_reply(self) -> bool:
        """Is it a line of a reply? If its type is damaged, its message has a role."""
        if self.type == "assistant":
            return True
        return self.type != "user" and self.message is not None and self.message.role == "assistant"

    @property
    def reply(self) -> str | None:
        """The id of the reply that the line belongs to."""
        return self.message.id if self.message is not None and self.is_reply else None

    @property
    def origin(self) -> str | None:
        """The session that `/branch` copied the record from."""
        return self.forkedFrom.sessionId if self.forkedFrom is not None else None


E = TypeVar("E", bound=Envelope)


def envelope(kind: type[E], raw: bytes) -> E | None:
    """The envelope of a line. It is read as tolerantly as the whole line; None where that is impossible."""
    decode_exact: Callable[[bytes], E] = decoder(kind)
    try:
        return decode_exact(raw)
    except REFUSED:
        pass
    try:
        return decode(kind, raw, Notes())
    except Malformed:
        return None


def is_unique(name: str) -> bool:
    """Is an id long enough to be unique? A counter, or an id that was written by hand, is not."""
    return len(name) >= _UNIQUE
