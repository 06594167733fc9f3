"""Starts the server, and ends it."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import uvicorn

from pollux.errors import RequestError
from pollux.system.memory import share_arenas
from pollux.web.access import Access, origin_of
from pollux.web.app import Web
from pollux.web.connection import Connection
from pollux.web.door import ask_for_ticket, forget_running, note_running, read_running
from pollux.web.gate import Gate
from pollux.web.opening import open_browser

if TYPE_CHECKING:
    from pathlib import Path
    from types import FrameType

    from pollux.library.library import Library

SWITCH = 0.0005
"""Seconds after which a thread that reads a large session lets the others go on, which answer small questions."""

_LARGEST_HEAD = 1 << 16
Say = Callable[[str], object]


class Wish(NamedTuple):
    """What was asked for on the command line. `file` tells of the server that runs; the sample has none."""

    port: int | None = None
    url: str | None = None
    opens: bool = True
    file: Path | None = None
    is_sample: bool = False


def run(open_library: Callable[[], Library], wish: Wish, say: Say) -> None:
    """Open the server that runs already, or start one and serve until somebody ends it. Raises `RequestError`."""
    if wish.url is not None:
        origin_of(wish.url)
    if _open_running(wish, say):
        return
    listening = listen(wish.port)
    share_arenas()
    access = Access(listening.getsockname()[1], wish.url)
    library = open_library()
    library.index.prepare()  # what changed is read before there are threads, which other processes may help with
    library.index.rest()
    web = Web(library, access, is_sample=wish.is_sample)
    try:
        if wish.file is not None:
            with contextlib.suppress(OSError):  # then a second `pollux web` starts a server of its own
                note_running(wish.file, access, wish.url)
        serve(web, listening, lambda: _welcome(web, wish, say))
    finally:
        listening.close()
        if wish.file is not None:
            with contextlib.suppress(OSError):
                forget_running(wish.file, access)


def _open_running(wish: Wish, say: Say) -> bool:
    """Open the server that runs already, if there is one that fits."""
    running = read_running(wish.file) if wish.file is not None else None
    if running is None or wish.port not in (None, running.port) or wish.url not in (None, running.url):
        return False
    ticket = ask_for_ticket(running)
    if ticket is None:
        return False
    address = (running.url or f"http://127.0.0.1:{running.port}").rstrip("/")
    say(f"pollux web runs already at {address}")
    _open(f"{address}/enter?ticket={ticket}", wish, say)
    return True


def _welcome(web: Web, wish: Wish, say: Say) -> None:
    access = web.access
    say(f"pollux web is at {access.address}")
    _open(access.entry(), wish, say)
    say("Ctrl-C ends it.")
    threading.Thread(target=web.warm_up, daemon=True).start()


def _open(entry: str, wish: Wish, say: Say) -> None:
    if wish.opens and open_browser(entry):
        say("If no page opens: `pollux web --no-open`, in another terminal, prints an address.")
    else:
        say(f"Open this address within a minute; it works once: {entry}")


def listen(port: int | None) -> socket.socket:
    """A socket that only this machine can reach, on a free port or on this one. Raises `RequestError`."""
    try:
        return socket.create_server(("127.0.0.1", port or 0), backlog=256)
    except OSError as error:
        hint = "Leave --port out: pollux finds a free one."
        raise RequestError(f"Port {port} cannot be used: {error.strerror}.", hint) from error
    except OverflowError:
        raise RequestError(f"{port} is no port.", "A port is a number from 1 to 65535.") from None


def serve(web: Web, listening: socket.socket, ready: Callable[[], object] = lambda: None) -> None:
    """Serve until Ctrl-C. `ready` is called when the server answers."""
    server = Server(web, ready)
    sys.setswitchinterval(SWITCH)
    with contextlib.suppress(KeyboardInterrupt):
        server.run(sockets=[listening])


class Server(uvicorn.Server):
    """A server that sleeps until something is asked or a signal comes."""

    def __init__(self, web: Web, ready: Callable[[], object] = lambda: None) -> None:
        config = uvicorn.Config(
            Gate(web.routes(), web.access),
            http=Connection,
            ws="none",
            loop="asyncio",
            lifespan="off",
            log_config=None,
            log_level="critical",
            access_log=False,
            proxy_headers=False,
            server_header=False,
            date_header=False,
            timeout_graceful_shutdown=1,
            h11_max_incomplete_event_size=_LARGEST_HEAD,
        )
        super().__init__(config)
        self._web = web
        self._ready = ready
        self._ended = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    async def main_loop(self) -> None:
        """Wait for the end. uvicorn would look ten times a second."""
        self._loop = asyncio.get_running_loop()
        self._ready()
        if not self.should_exit:
            await self._ended.wait()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End, at once: streams of events would keep it waiting."""
        super().handle_exit(sig, frame)
        self.end()

    def end(self) -> None:
        """End the server. From any thread."""
        self.should_exit = True
        self._web.hub.close()
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._ended.set)
