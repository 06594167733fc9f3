"""Clients that are slow, many or gone hold nobody else up."""

from __future__ import annotations

import json
import shutil
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from pollux.library.library import Library
from pollux.model import Session
from pollux.web import connection, gate
from tests.web.paths import EVERY
from tests.web.serving import SAMPLE_KEY, Served, serving


def _open(served: Served, text: str = "") -> socket.socket:
    sock = socket.create_connection(("127.0.0.1", served.port), timeout=20)
    sock.sendall(text.encode())
    return sock


def _head(served: Served, path: str, method: str = "GET", **more: str) -> str:
    headers = {"Host": f"127.0.0.1:{served.port}", "Cookie": served.cookie, "Sec-Fetch-Site": "same-origin", **more}
    return f"{method} {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers.items()) + "\r\n"


def _is_closed(sock: socket.socket) -> bool:
    try:
        return sock.recv(1) == b""
    except ConnectionResetError:
        return True


@pytest.mark.parametrize("begun", ["", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: 127.0.0.1"])
def test_whoever_never_ends_a_request_is_cut_off(served: Served, monkeypatch: pytest.MonkeyPatch, begun: str) -> None:
    monkeypatch.setattr(connection, "HEAD_SECONDS", 0.3)
    with closing(_open(served, begun)) as sock:
        for _ in range(3):  # a byte now and then does not help
            time.sleep(0.05)
            sock.sendall(b"X" if begun else b"")
        assert _is_closed(sock)
    assert served.get("/").status == 200


def test_a_second_request_of_a_connection_may_not_dawdle(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(_open(served, _head(served, "/x"))) as sock:
        page = b""
        while b"</html>" not in page:
            piece = sock.recv(1 << 16)
            assert piece, page
            page += piece
        monkeypatch.setattr(connection, "HEAD_SECONDS", 0.3)
        sock.sendall(b"GET / HT")
        assert _is_closed(sock)


def test_a_form_that_never_comes_is_refused(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "BODY_SECONDS", 0.2)
    kind = {"Content-Type": "application/x-www-form-urlencoded", "Content-Length": "100", "Origin": served.address}
    with closing(_open(served, _head(served, "/read", "POST", **kind) + "token=")) as sock:
        answer = sock.recv(1 << 16)
    assert answer.startswith(b"HTTP/1.1 408")


def test_connections_that_ask_for_nothing_make_room(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "MOST", 30)
    with ExitStack() as stack:
        idle = [stack.enter_context(closing(_open(served))) for _ in range(60)]
        assert served.get("/").status == 200
        assert _is_closed(idle[0])


def test_fifty_streams_and_a_page(served: Served) -> None:
    with ExitStack() as stack:
        streams = [stack.enter_context(closing(_open(served, _head(served, "/events")))) for _ in range(50)]
        for stream in streams:
            assert b"text/event-stream" in stream.recv(1 << 12)
        for _ in range(100):
            if len(served.web.hub._listeners) == 50:
                break
            time.sleep(0.02)
        assert len(served.web.hub._listeners) == 50
        assert served.get("/").status == 200
    for _ in range(200):
        if not served.web.hub._listeners:
            return
        time.sleep(0.02)
        served.web.hub.tell(["*"])  # who has gone is noticed when something is sent
    assert not served.web.hub._listeners


def test_fifty_clients_at_once_get_every_page(served: Served) -> None:
    paths = [*EVERY, "/?q=tide", "/?q=harbour+the", "/doctor.json", "/stats.csv?by=model", f"/export/html/{SAMPLE_KEY}"]
    with ThreadPoolExecutor(50) as clients:
        replies = list(clients.map(served.get, paths * 3))
    assert [reply.status for reply in replies if reply.status != 200] == []
    assert served.web.hub._listeners == set()


def test_whoever_takes_nothing_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And does not keep the session in memory until then, nor a thread."""
    monkeypatch.setattr(connection, "STALL_SECONDS", 0.3)
    lost: list[object] = []
    own = connection.Connection.connection_lost

    def note(self: connection.Connection, error: Exception | None) -> None:
        lost.append(self.client)
        own(self, error)

    monkeypatch.setattr(connection.Connection, "connection_lost", note)
    home = tmp_path / "large"
    key = _large(home)
    with serving(tmp_path / "served", home) as served:
        with closing(socket.socket()) as sock:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            sock.connect(("127.0.0.1", served.port))
            sock.sendall(_head(served, f"/s/{key}").encode())
            sock.recv(100)
            assert served.get("/").status == 200
            for _ in range(200):
                if sock.getsockname() in lost:
                    break
                time.sleep(0.05)
            received = 0
            while piece := sock.recv(1 << 20):
                received += len(piece)
        assert received < len(served.get(f"/s/{key}").body)


def _large(home: Path) -> str:
    """A session whose page does not fit into the buffers of a connection."""
    name = "11111111-2222-4333-8444-555555555555"
    file = home / ".claude" / "projects" / "-work-large" / f"{name}.jsonl"
    file.parent.mkdir(parents=True)
    lines = []
    for number in range(120):
        line = {
            "type": "user",
            "uuid": f"u{number}",
            "parentUuid": f"u{number - 1}" if number else None,
            "sessionId": name,
            "cwd": "/work/large",
            "timestamp": "2026-10-01T10:00:00.000Z",
            "message": {"role": "user", "content": f"{number} " + "long words " * 9000},
        }
        lines.append(json.dumps(line))
    file.write_text("\n".join(lines) + "\n", "utf-8")
    return f"claude:{name}"


def test_many_tabs_of_a_session_read_it_once(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    own = Library.session

    def slowly(library: Library, key: str) -> Session:
        read.append(key)
        time.sleep(0.3)
        return own(library, key)

    monkeypatch.setattr(Library, "session", slowly)
    served.web.reading._kept.clear()
    with ExitStack() as stack:
        socks = [stack.enter_context(closing(_open(served, _head(served, f"/s/{SAMPLE_KEY}")))) for _ in range(20)]
        assert served.get("/?q=agent:codex").status == 200  # lists have threads of their own
        for sock in socks:
            assert sock.recv(12) == b"HTTP/1.1 200"
    assert read == [SAMPLE_KEY]


@pytest.mark.parametrize("path", [f"/s/{SAMPLE_KEY}", f"/audit?key={SAMPLE_KEY}"])
def test_a_session_that_cannot_be_read_holds_no_list_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    answered = threading.Event()

    def never(*_: object) -> Session:
        answered.wait(30)
        raise OSError("gone")

    with serving(tmp_path) as served:
        monkeypatch.setattr(Library, "session", never)
        with ExitStack() as stack:
            for _ in range(10):
                stack.enter_context(closing(_open(served, _head(served, path))))
            assert served.get("/").status == 200
            assert served.get("/?q=packet").status == 200
            answered.set()


def test_a_cache_that_is_cleared_meanwhile_is_made_again(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        before = served.get("/").text
        shutil.rmtree(tmp_path / "CACHE")
        assert served.get("/").status == 200
        assert served.get(f"/s/{SAMPLE_KEY}").status == 200
        served.web.library.index.clear()
        after = served.get("/").text
        assert after.count("data-key") == before.count("data-key")
        assert "<mark>packet</mark>" in served.get("/?q=packet").text
