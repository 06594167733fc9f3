"""A home of three agents that somebody means harm to, and the library and the program that read it."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import stat
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from pollux import Filter, Library, Session
from pollux.library.doctor import Doctor
from pollux.model import Text, ToolCall
from pollux.wire import display_path
from tests import program

CORPUS = Path(__file__).parent.parent / "corpus"
HOMES = ("gemini/0.44.0", "claude/2.1.325", "codex/0.166.0-compressed")
EVERYTHING = Filter(everything=True)


class World:
    """A home, pollux's own folders beside it, and a folder that no agent has to do with."""

    def __init__(self, folder: Path, homes: tuple[str, ...] = HOMES) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.outside = folder / "outside"
        self.outside.mkdir()
        self.home.mkdir()
        for home in homes:
            shutil.copytree(CORPUS / home / "home", self.home, dirs_exist_ok=True)
        own = {f"XDG_{name}_HOME": str(folder / "own" / name.lower()) for name in ("CACHE", "DATA", "CONFIG")}
        self.environ = {"HOME": str(self.home), "POLLUX_NOW": "2026-11-16T12:00:00Z", **own}

    @property
    def cache(self) -> Path:
        """Where pollux keeps what it can make again."""
        return self.folder / "own" / "cache" / "pollux"

    @property
    def data(self) -> Path:
        """Where pollux keeps what it cannot."""
        return self.folder / "own" / "data" / "pollux"

    @property
    def config(self) -> Path:
        """Where the user writes settings."""
        return self.folder / "own" / "config" / "pollux"

    def library(self, **environ: str) -> Library:
        return Library({**self.environ, **environ}, self.home, hunt=False)

    def places(self) -> dict[tuple[str, str], Path]:
        """One file of every kind: whose it is and what its source calls it."""
        places: dict[tuple[str, str], Path] = {}
        for source, root in self.library().homes.roots():
            for file in source.find(root.path):
                if file.role != "other":
                    places.setdefault((source.name, file.role), Path(file.path))
        return places

    def command(self, *arguments: str, prepare: Callable[[], None] | None = None) -> subprocess.CompletedProcess[str]:
        """Run the program to its end, which must come soon; `prepare` is done in its process before it starts."""
        if prepare is not None:
            return program.run_new(*arguments, env=self.env(), cwd=self.home, prepare=prepare)
        return program.run(*arguments, env=self.env(), cwd=self.home)

    def env(self) -> Mapping[str, str]:
        """The environment of a program."""
        return {
            **self.environ,
            "PYTHONPATH": program.SOURCE,
            "PATH": os.environ["PATH"],
            "TZ": "UTC",
            "LANG": "C.UTF-8",
            "POLLUX_BACKGROUND": "0",
        }


def read_all(library: Library) -> dict[str, Session]:
    """Every session, whole."""
    return {session.key: session for session in library.sessions(EVERYTHING)}


def words(session: Session) -> str:
    """All that a session shows of its files."""
    pieces = [session.project or "", session.title or ""]
    for message in session.messages:
        for part in message.parts:
            if isinstance(part, Text):
                pieces.append(part.text)
            elif isinstance(part, ToolCall):
                pieces += [str(part.input), part.output or ""]
    return "\n".join(pieces)


def line_of(account: Doctor, path: Path) -> tuple[str, str | None]:
    """What an account says of a file."""
    return next((str(line.status), line.reason) for line in account.files if line.path == display_path(path))


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.fixture(autouse=True)
def _in_time() -> Iterator[None]:
    """Whoever waits for ever fails, and holds nobody else up."""

    def late(_number: int, _frame: object) -> None:
        raise TimeoutError("it waits for something that never comes")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(600)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def within(seconds: int) -> Iterator[None]:
    """What happens inside must not take longer."""
    left = signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(max(left, 1))


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(path.parent)  # the name of a socket must be short
        try:
            server.bind(path.name)
        finally:
            os.chdir(here)


def _device(path: Path) -> None:
    try:
        os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 5))  # /dev/zero, which never ends
    except PermissionError:
        pytest.skip("only root makes devices")


ODD: dict[str, Callable[[Path], None]] = {"FIFO": _fifo, "socket": _socket, "device": _device}
"""What is no file, and how to make one."""
