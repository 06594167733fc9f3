"""Servers as processes of their own, for `benchmarks.web`: `pollux web`, and a bare Starlette page."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path

BARE = """
import sys, uvicorn
from starlette.applications import Starlette
from starlette.responses import HTMLResponse
from starlette.routing import Route
page = "x" * int(sys.argv[1])
async def answer(request):
    return HTMLResponse(page)
config = uvicorn.Config(Starlette(routes=[Route("/", answer)]), port=0, http="h11", log_level="critical")
server = uvicorn.Server(config)
import socket
listening = socket.create_server(("127.0.0.1", 0), backlog=256)
print(listening.getsockname()[1], flush=True)
server.run(sockets=[listening])
"""
_TICK = os.sysconf("SC_CLK_TCK")


class Server:
    """A server in a process of its own."""

    def __init__(self, process: subprocess.Popen[str], port: int, cookie: str = "") -> None:
        self.process = process
        self.port = port
        self.headers = {"cookie": cookie} if cookie else {}

    def connect(self) -> HTTPConnection:
        """A connection that stays open."""
        return HTTPConnection("127.0.0.1", self.port, timeout=120)

    def get(self, path: str, connection: HTTPConnection | None = None) -> bytes:
        """The body of an answer, which must be a good one."""
        here = connection or self.connect()
        here.request("GET", path, headers=self.headers)
        response = here.getresponse()
        body = response.read()
        assert response.status == 200, (response.status, path, body[:300])
        if connection is None:
            here.close()
        return body

    def cpu(self) -> float:
        """Seconds of processor time, with those of processes that have ended."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / _TICK

    def memory(self) -> float:
        """Megabytes of its own, also of the processes that help it; not the pages of files that it has read."""
        pids = [self.process.pid, *_children(self.process.pid)]
        return sum(_own_kilobytes(pid) for pid in pids) / 1e3


def _children(pid: int) -> list[int]:
    found = [int(one) for file in Path(f"/proc/{pid}/task").glob("*/children") for one in file.read_text().split()]
    return [*found, *(below for one in found for below in _children(one))]


def _own_kilobytes(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon:"))


@contextmanager
def pollux_web(environ: dict[str, str], home: Path) -> Iterator[Server]:
    """`pollux web`, with the cookie of a browser that is known."""
    command = [sys.executable, "-m", "pollux", "web", "--no-open"]
    process = subprocess.Popen(
        command, env=environ, cwd=home, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None
    said: list[str] = []
    for line in process.stdout:
        said.append(line)
        if "ticket=" in line:
            break
    else:
        raise SystemExit("".join(said))
    address = said[-1].rpartition(" ")[2].strip()
    port = int(address.split(":")[2].partition("/")[0])
    threading.Thread(target=_hand_on, args=(process.stdout,), daemon=True).start()
    door = HTTPConnection("127.0.0.1", port)
    door.request("GET", address.partition(f":{port}")[2])
    cookie = door.getresponse().getheader("set-cookie") or ""
    try:
        yield Server(process, port, cookie.partition(";")[0])
    finally:
        process.terminate()
        process.wait()


def _hand_on(said: Iterable[str]) -> None:
    """Show what a server says after it has begun: it should say nothing."""
    for line in said:
        print("server:", line, end="", file=sys.stderr, flush=True)


@contextmanager
def bare_starlette(size: int) -> Iterator[Server]:
    """The yardstick: a page of so many bytes, which is made beforehand."""
    process = subprocess.Popen([sys.executable, "-c", BARE, str(size)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield Server(process, int(process.stdout.readline()))
    finally:
        process.terminate()
        process.wait()
