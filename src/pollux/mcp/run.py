"""The server: it reads requests from standard input, line by line, and writes nothing but answers to standard output.

Calls of tools wait for one another in a thread of their own. All else is answered at once: a client that asks whether
the server lives, or cancels a call, need not wait.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING, BinaryIO

from pollux.library.for_agents.texts import USAGE, USUAL_TOOLS
from pollux.mcp.messages import INTERNAL_ERROR, PARSE_ERROR, Id, ProtocolError, Request, failure, read_message, success
from pollux.mcp.protocol import Protocol
from pollux.mcp.toolbox import Toolbox

if TYPE_CHECKING:
    from msgspec import UnsetType

_LONGEST_LINE = 4 << 20
_GRACE = 0.7
"""How long (seconds) calls that are under way may take when standard input is closed."""
_HINT = "pollux: this is a server for agents, which start it themselves. Ctrl-D ends it.\n"


def run(*, also: Sequence[str] = (), redact: bool = True, sample: bool = False) -> None:
    """Answer requests until standard input is closed."""
    if sys.stdin is not None and sys.stdin.isatty():
        sys.stderr.write(_HINT)
    requests, answers = _take_streams()
    tools = (*USUAL_TOOLS, *((USAGE,) if "usage" in also else ()))
    toolbox = Toolbox(redact=redact, sample=sample)
    server = Server(Protocol(tools, toolbox), answers, toolbox.give_up)
    server.serve(requests)
    if not server.has_ended(_GRACE):
        os._exit(0)  # a call is under way whose answer nobody waits for
    toolbox.close()


def _take_streams() -> tuple[BinaryIO, BinaryIO]:
    """Standard input and output for this server alone: whatever else is printed goes to standard error."""
    while (nothing := os.open(os.devnull, os.O_RDWR)) <= 2:  # the caller closed one of the three
        pass
    streams = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    return streams


class Server:
    """Reads requests and writes answers, both a line at a time. `give_up` ends the call that is under way soon."""

    def __init__(self, protocol: Protocol, answers: BinaryIO, give_up: Callable[[], None]) -> None:
        self._protocol = protocol
        self._answers = answers
        self._give_up = give_up
        self._lock = threading.Lock()
        self._calls: SimpleQueue[Request | None] = SimpleQueue()
        self._waiting: set[int | str | UnsetType] = set()
        self._running: int | str | UnsetType | None = None
        self._worker = threading.Thread(target=self._work, daemon=True)
        self._gone = False

    def serve(self, requests: BinaryIO) -> None:
        """Answer all requests, until there are no more or the client has gone."""
        self._worker.start()
        with suppress(OSError):  # the caller closed standard input before it began
            while not self._gone and (line := requests.readline(_LONGEST_LINE)):
                if len(line) == _LONGEST_LINE and not line.endswith(b"\n"):
                    while (rest := requests.readline(_LONGEST_LINE)) and not rest.endswith(b"\n"):
                        pass
                    self._write(failure(None, ProtocolError(PARSE_ERROR, "This message is too long.")))
                elif line.strip():
                    self._take(line)
        self._calls.put(None)

    def has_ended(self, seconds: float) -> bool:
        """Are all calls answered, after at most so many seconds?"""
        self._worker.join(seconds)
        return not self._worker.is_alive()

    def _take(self, line: bytes) -> None:
        """Answer a line, or let the worker do so."""
        try:
            messages = read_message(line)
        except ProtocolError as error:
            self._write(failure(None, error))
            return
        for message in messages:
            if isinstance(message, ProtocolError):
                self._write(failure(message.id, message))
            elif message.method == "notifications/cancelled":
                self._cancel(message.params.get("requestId"))
            elif isinstance(message.id, (int, str)):
                if message.method == "tools/call":
                    self._waiting.add(message.id)
                    self._calls.put(message)
                else:
                    self._write(self._answer(message, message.id))

    def _cancel(self, id: object) -> None:
        """Let a call go unanswered. One that is answered already cannot be cancelled."""
        if isinstance(id, (int, str)) and id in self._waiting:
            self._waiting.discard(id)
            if id == self._running:
                self._give_up()

    def _work(self) -> None:
        """Answer the calls that were not cancelled, one after the other."""
        while (request := self._calls.get()) is not None:
            self._running = request.id
            if request.id in self._waiting and isinstance(request.id, (int, str)):
                answer = self._answer(request, request.id)
                if request.id in self._waiting:
                    self._waiting.discard(request.id)  # before the answer: the client may use the id again after it
                    self._write(answer)

    def _answer(self, request: Request, id: Id) -> bytes:
        try:
            return success(id, self._protocol.answer(request))
        except ProtocolError as error:
            return failure(id, error)
        except Exception as error:  # noqa: BLE001 (the server lives on)
            return failure(
                id, ProtocolError(INTERNAL_ERROR, f"Something went wrong inside pollux ({type(error).__name__}).")
            )

    def _write(self, line: bytes) -> None:
        """Write a line. A client that has gone needs no answers."""
        with self._lock:
            try:
                while line and not self._gone:
                    line = line[self._answers.write(line) or 0 :]
            except OSError:
                self._gone = True
