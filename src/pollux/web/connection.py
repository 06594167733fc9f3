"""A connection of a browser, or of somebody who only wants to keep the server busy: who is too slow is cut off."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

HEAD_SECONDS = 10.0
"""So long the head of a request may take to come."""

_GRACE = 0.5
STALL_SECONDS = 60.0
"""Who takes nothing of an answer for so long is cut off: it would hold a session in memory."""

MOST = 400
"""With more connections than this, those that ask for nothing are closed: others can connect."""


class Connection(H11Protocol):
    """A connection that waits for a request only for a while."""

    _deadline: asyncio.TimerHandle | None = None
    _stalled: asyncio.TimerHandle | None = None

    @property
    def is_waiting(self) -> bool:
        """Is no request being answered?"""
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is None or cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        if len(self.connections) > MOST:
            for other in [*self.connections]:
                if other is not self and isinstance(other, Connection) and other.is_waiting:
                    other.transport.abort()
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Take a part of a request. Once its head is whole, the application may take its time."""
        super().data_received(data)
        if self.is_waiting:
            self._wait()
        else:
            self._rest()

    def pause_writing(self) -> None:
        """Wait until something of the answer was taken."""
        super().pause_writing()
        self._stalled = self.loop.call_later(STALL_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on."""
        super().resume_writing()
        self._move()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        self._rest()
        self._move()
        super().connection_lost(exc)

    def _wait(self) -> None:
        """Close the connection if no head comes. Each further byte of it does not prolong that."""
        if self._deadline is None:
            self._deadline = self.loop.call_later(HEAD_SECONDS, self._end)

    def _rest(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _move(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def _end(self) -> None:
        """A busy server may not have read yet what has come: it gets a moment for that."""
        self._deadline = self.loop.call_later(_GRACE, self._cut_off)

    def _cut_off(self) -> None:
        self._deadline = None
        if self.is_waiting:
            self.transport.abort()
