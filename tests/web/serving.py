"""A real server of the web UI in a thread, over a home of its own, and a client that says whatever it is told to."""

from __future__ import annotations

import http.client
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

from pollux import Library
from pollux.library.sample import HOME
from pollux.web.access import Access
from pollux.web.app import Web
from pollux.web.run import Server, listen

SAMPLE_KEY = "gemini:aa6812ea-4d8d-44e0-b98d-81820b95da31"
COMPACTED_KEY = "claude:d80997e6-0e9e-4ce2-99f8-6b4631a4696f"
REWOUND_KEY = "gemini:1ff96923-bbd8-4d1c-b6e5-18fec6ab6e61"


class Reply(NamedTuple):
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()


class Served:
    """A server, and how to ask it."""

    def __init__(self, web: Web, home: Path) -> None:
        self.web = web
        self.home = home
        self.port = web.access.port
        self.address = f"http://127.0.0.1:{self.port}"

    @property
    def cookie(self) -> str:
        return self.web.access.cookie_header().partition(";")[0]

    def ask(self, path: str, method: str = "GET", body: bytes | None = None, /, **headers: str) -> Reply:
        """Exactly these headers and a Host, unless one of them is another."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            given = {"Host": f"127.0.0.1:{self.port}", **named}
            if body is not None:
                given.setdefault("Content-Length", str(len(body)))
            for name, value in given.items():
                connection.putheader(name, value)
            connection.endheaders(body)
            response = connection.getresponse()
            found = {name.lower(): value for name, value in response.getheaders()}
            return Reply(response.status, found, response.read())
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Reply:
        """As the user's browser asks."""
        return self.ask(path, Cookie=self.cookie, Sec_Fetch_Site="same-origin", **headers)

    def post(self, path: str, fields: dict[str, str], **headers: str) -> Reply:
        """As a form of ours asks, unless a header is another."""
        given = {
            "Cookie": self.cookie,
            "Origin": self.address,
            "Sec_Fetch_Site": "same-origin",
            "Content_Type": "application/x-www-form-urlencoded",
        }
        sent = urlencode({"token": self.web.access.form_token, **fields}).encode()
        return self.ask(path, "POST", sent, **{**given, **headers})


@contextmanager
def serving(
    folder: Path, home: Path | None = HOME, *, url: str | None = None, is_sample: bool = False
) -> Iterator[Served]:
    """A server over a copy of a home; without one, over an empty home."""
    here = folder / "home"
    if home is not None:
        shutil.copytree(home, here, dirs_exist_ok=True)
    here.mkdir(exist_ok=True)
    environ = {"HOME": str(here), **{f"XDG_{name}_HOME": str(folder / name) for name in ("CACHE", "CONFIG", "DATA")}}
    listening = listen(None)
    ready = threading.Event()
    with Library(environ, here, hunt=False) as library:
        web = Web(library, Access(listening.getsockname()[1], url), is_sample=is_sample)
        server = Server(web, ready.set)
        thread = threading.Thread(target=lambda: server.run(sockets=[listening]), daemon=True)
        thread.start()
        assert ready.wait(20)
        try:
            yield Served(web, here)
        finally:
            server.end()
            thread.join(10)
            assert not thread.is_alive()
