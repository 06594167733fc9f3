"""`pollux web` as a person starts it: one server a user, found again, ended at once."""

from __future__ import annotations

import http.client
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
import webbrowser
from collections.abc import Iterator
from pathlib import Path

import pytest

from pollux.library.index import IndexService
from pollux.library.sample import HOME
from pollux.system import inotify
from pollux.web import opening
from pollux.web.door import Running, ask_for_ticket, read_running
from pollux.web.opening import leading_page
from tests import program
from tests.web.serving import Served, serving

ENTRY = re.compile(r"http://127\.0\.0\.1:(\d+)(/enter\?ticket=\S+)")


class Started:
    """`pollux web` in a process of its own."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.folder = folder
        environ = {
            "HOME": str(folder / "home"),
            "PATH": os.environ.get("PATH", os.defpath),
            "PYTHONPATH": program.SOURCE,
            "POLLUX_BACKGROUND": "0",
            **{f"XDG_{name}_HOME": str(folder / name.lower()) for name in ("CACHE", "CONFIG", "DATA")},
        }
        command = [sys.executable, "-m", "pollux", "web", "--no-open", *arguments]
        self.process = subprocess.Popen(
            command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder
        )
        self.said = ""

    def entry(self) -> tuple[int, str]:
        """The port and the path that were printed."""
        assert self.process.stdout is not None
        while (found := ENTRY.search(self.said)) is None:
            line = self.process.stdout.readline()
            assert line, self.process.stderr and self.process.stderr.read()
            self.said += line
        return int(found[1]), found[2]

    def end(self, number: int = signal.SIGINT) -> tuple[int, str]:
        """The exit status, and what was written to stderr."""
        self.process.send_signal(number)
        return self.left()

    def left(self) -> tuple[int, str]:
        """The same of one that ends by itself."""
        _, errors = self.process.communicate(timeout=60)
        return self.process.returncode, errors


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    shutil.copytree(HOME, tmp_path / "home")
    yield tmp_path
    file = tmp_path / "cache" / "pollux" / "web.json"
    assert not file.exists()


def enter(port: int, path: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", path)
    try:
        return connection.getresponse().status
    finally:
        connection.close()


def test_a_second_one_opens_the_first_and_ctrl_c_ends_it(home: Path) -> None:
    first = Started(home)
    port, path = first.entry()
    try:
        file = home / "cache" / "pollux" / "web.json"
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        running = read_running(file)
        assert running is not None
        assert running.port == port
        second = Started(home)
        again = second.entry()
        assert second.left() == (0, "")
        assert "runs already" in second.said
        assert again[0] == port
        assert again[1] != path
        assert enter(*again) == 303
        assert enter(port, path) == 303
        assert enter(port, path) == 403
        ticket = path.partition("=")[2]
        assert ticket not in Path(f"/proc/{first.process.pid}/cmdline").read_text()
    finally:
        began = time.monotonic()
        status, errors = first.end()
    assert (status, errors) == (0, "")
    assert time.monotonic() - began < 10


def _wakeups(pid: int) -> int:
    """How often the threads of a process have woken up."""
    files = Path(f"/proc/{pid}/task").glob("*/status")
    lines = [line for file in files for line in file.read_text().splitlines() if "ctxt_switches" in line]
    return sum(int(line.split()[1]) for line in lines)


@pytest.mark.skipif(not inotify.is_available(), reason="only Linux wakes up whoever waits for changes")
def test_a_server_that_nobody_asks_sleeps(home: Path) -> None:
    """Also where a tab listens, and after something changed."""
    started = Started(home)
    port, path = started.entry()
    door, stream = (http.client.HTTPConnection("127.0.0.1", port, timeout=60) for _ in range(2))
    try:
        door.request("GET", path)
        cookie = (door.getresponse().getheader("set-cookie") or "").partition(";")[0]
        door.close()
        stream.request("GET", "/events", headers={"cookie": cookie})
        told = stream.getresponse()
        assert told.status == 200
        time.sleep(1)
        chat = max((home / "home").rglob("session-*.jsonl"))
        chat.write_bytes(chat.read_bytes() + b"\n")
        while not told.readline().startswith(b"data:"):
            pass
        woken = most = 1
        for _ in range(60):  # until nobody is left who may be asked for more: such threads end after half a minute
            before = _wakeups(started.process.pid)
            time.sleep(1.5)
            if (woken := _wakeups(started.process.pid) - before) <= most:
                break
        assert woken <= most
    finally:
        stream.close()
        assert started.end() == (0, "")


def test_a_file_of_a_server_that_has_ended_leads_to_a_new_one(home: Path) -> None:
    file = home / "cache" / "pollux" / "web.json"
    file.parent.mkdir(parents=True)
    file.write_text('{"port": 1, "url": null, "key": "x", "pid": 1}')
    started = Started(home)
    port, path = started.entry()
    assert enter(port, path) == 303
    assert started.end()[0] == 0


@pytest.mark.parametrize("arguments", [["--port", "x"], ["--port", "70000"], ["--url", "box"]])
def test_what_makes_no_sense_is_refused(tmp_path: Path, arguments: list[str]) -> None:
    (tmp_path / "home").mkdir()
    started = Started(tmp_path, *arguments)
    _, errors = started.process.communicate(timeout=20)
    assert started.process.returncode == 2
    assert errors.startswith("pollux: ")


def test_a_port_in_use_is_said(tmp_path: Path, served: Served) -> None:
    (tmp_path / "home").mkdir()
    started = Started(tmp_path, "--port", str(served.port))
    _, errors = started.process.communicate(timeout=20)
    assert started.process.returncode == 2
    assert "cannot be used" in errors


# ------------------------------------------------------------------------------------------------------ the door


def test_only_whoever_has_the_key_gets_a_ticket(served: Served) -> None:
    right = Running(served.port, None, served.web.access.door_key)
    ticket = ask_for_ticket(right)
    assert ticket is not None
    assert served.ask(f"/enter?ticket={ticket}").status == 303
    assert ask_for_ticket(right._replace(key="another")) is None
    assert served.ask("/ticket", "POST", b"nonce", X_Pollux_Proof=served.web.access.door_key).status == 403


def test_a_browser_gets_no_ticket(served: Served) -> None:
    from pollux.web.door import proof

    right = proof(served.web.access.door_key, "ask", "nonce")
    assert served.ask("/ticket", "POST", b"nonce", X_Pollux_Proof=right).status == 200
    for headers in ({"Origin": served.address}, {"Sec_Fetch_Site": "same-origin"}, {"Cookie": served.cookie}):
        assert served.ask("/ticket", "POST", b"nonce", X_Pollux_Proof=right, **headers).status == 403
    assert served.ask("/ticket", "POST", b"nonce", X_Pollux_Proof=right, Host="evil.example").status == 403


def test_a_file_that_nobody_of_us_wrote_tells_nothing(tmp_path: Path) -> None:
    for text in ("", "[]", "{}", '{"port": "x", "url": null, "key": ""}'):
        file = tmp_path / "web.json"
        file.write_text(text)
        assert read_running(file) is None
    assert read_running(tmp_path / "missing") is None


def test_programs_are_told_how_many_files_are_not_in_an_answer(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "pollux-unread-files" not in served.get("/stats.json").headers
    monkeypatch.setattr(IndexService, "unread_files", 7)
    for path in ("/index.json", "/stats.json", "/edits.json", "/stats"):
        assert served.get(path).headers["pollux-unread-files"] == "7"


def test_the_file_that_leads_to_the_server_is_safe() -> None:
    page = leading_page('http://127.0.0.1:1/enter?ticket="><script>')
    assert "<script" not in page
    assert 'content="no-referrer"' in page


def test_the_browser_gets_a_file_that_does_not_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither its own, nor one of a run that ended before it could remove it."""
    opened: list[tuple[str, int, str]] = []

    class Browser:
        name = "firefox"

        def open(self, address: str) -> bool:
            file = Path(address.removeprefix("file://"))
            opened.append((file.name, stat.S_IMODE(file.stat().st_mode), file.read_text()))
            return True

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(opening, "TICKET_SECONDS", 0.05)
    monkeypatch.setattr(webbrowser, "get", Browser)
    monkeypatch.setenv("DISPLAY", ":0")
    left, other = tmp_path / "pollux-web-left.html", tmp_path / "pollux-notes.html"
    for file in (left, other):
        file.write_text("x")
        os.utime(file, (1, 1))
    assert opening.open_browser("http://127.0.0.1:1/enter?ticket=abc")
    ((name, mode, page),) = opened
    assert (mode, "abc" in name, "ticket=abc" in page) == (0o600, False, True)
    for _ in range(200):
        if [*tmp_path.iterdir()] == [other]:
            break
        time.sleep(0.02)
    assert [*tmp_path.iterdir()] == [other]


def test_what_a_change_took_is_given_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[str] = []
    monkeypatch.setattr("pollux.web.live.give_back", lambda: given.append("back"))
    with serving(tmp_path) as served:
        hub, library = served.web.hub, served.web.library
        library.index.settle()
        hub._sync(threading.Event())
        assert given == []  # nothing had changed
        file = next(served.home.rglob("session-*aa6812ea*"))
        with file.open("a") as out:
            out.write('{"id":"new","timestamp":"2026-11-14T18:00:00.000Z","type":"user","content":"And the moon?"}\n')
        hub._sync(threading.Event())
        assert "back" in given
