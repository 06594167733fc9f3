"""Runs pollux as a program: each command is a process of its own, with its own environment, folder and streams.

To start Python and to import pollux takes longer than most commands do. So one process does both once, and each
command is a fork of it. Where the environment changes how Python itself starts, the command gets a new Python.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import pkgutil
import resource
import runpy
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

import pollux
from pollux.errors import Missing

SOURCE = str(Path(pollux.__file__).parent.parent)
LANG = "C.UTF-8"
_STARTS = ("PYTHON", "LANG", "LC_")
"""How the names of variables begin that Python reads when it starts."""
_USUAL = [{"LANG": LANG}, {"LANG": LANG, "PYTHONPATH": SOURCE}]
_LATER = ("markdown_it", "rich.cells")
"""What commands import only when they draw."""
_LIMITS = (resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE, resource.RLIMIT_AS)
"""The limits that tests set for themselves, and for what they start."""
_LENGTH = 8


def run(
    *arguments: str,
    env: Mapping[str, str],
    cwd: Path,
    errors: str = "strict",
    timeout: float = 240,
    handles: int | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end. It may open so many files at once; otherwise as many as the tests may."""
    if {name: value for name, value in env.items() if name.startswith(_STARTS)} not in _USUAL:
        return run_new(*arguments, env=env, cwd=cwd, errors=errors, timeout=timeout)
    with (
        TemporaryFile("w+", encoding="utf-8", errors=errors) as out,
        TemporaryFile("w+", encoding="utf-8", errors=errors) as err,
    ):
        limits = {number: resource.getrlimit(number) for number in _LIMITS}
        if handles is not None:
            limits[resource.RLIMIT_NOFILE] = (handles, limits[resource.RLIMIT_NOFILE][1])
        inherited = {"umask": _umask(), "limits": limits}
        request = {"arguments": arguments, "env": dict(env), "cwd": str(cwd), **inherited}
        try:
            status = _server().status(request, (out, err), timeout)
        except BaseException:
            _server().kill()
            _server.cache_clear()
            raise
        return subprocess.CompletedProcess(arguments, status, _content(out), _content(err))


def run_new(
    *arguments: str,
    env: Mapping[str, str],
    cwd: Path,
    errors: str = "strict",
    timeout: float = 240,
    prepare: Callable[[], None] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end in a new Python, which first does what `prepare` says."""
    return subprocess.run(
        [sys.executable, "-m", "pollux", *arguments],
        env=env,
        cwd=cwd,
        capture_output=True,
        encoding="utf-8",
        errors=errors,
        timeout=timeout,
        check=False,
        preexec_fn=prepare,
    )


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _content(file: IO[str]) -> str:
    file.seek(0)
    return file.read()


@cache
def _server() -> _Server:
    return _Server()


class _Server:
    """The process that has imported pollux, seen from a test."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", __file__, str(theirs.fileno())],
                env={"LANG": LANG, "PYTHONPATH": SOURCE, "PATH": os.environ.get("PATH", os.defpath)},
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        atexit.register(self.close)

    def status(self, request: dict[str, Any], files: tuple[IO[str], IO[str]], timeout: float) -> int:
        """Run a command with these files as its output; returns its exit status, or the negative of a signal."""
        content = json.dumps(request).encode()
        socket.send_fds(self._socket, [len(content).to_bytes(_LENGTH)], [file.fileno() for file in files])
        self._socket.sendall(content)
        if not select.select([self._socket], [], [], timeout)[0]:
            raise subprocess.TimeoutExpired(["pollux", *request["arguments"]], timeout)
        return int.from_bytes(_receive(self._socket, _LENGTH), signed=True)

    def kill(self) -> None:
        """End it with all commands that still run."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self.close()

    def close(self) -> None:
        """Let it end."""
        atexit.unregister(self.close)
        self._socket.close()
        self._process.wait()


def _receive(stream: socket.socket, length: int) -> bytes:
    content = b""
    while len(content) < length:
        piece = stream.recv(length - len(content))
        if not piece:
            raise EOFError("the other side has ended")
        content += piece
    return content


# ---------------------------------------------------------------------------------------------- in the other process


def _serve(stream: socket.socket) -> None:
    """Fork for each request, until nobody asks any more."""
    while True:
        length, files, _, _ = socket.recv_fds(stream, _LENGTH, 2)
        if not length:
            return
        request = json.loads(_receive(stream, int.from_bytes(length)))
        child = os.fork()
        if child == 0:
            stream.close()
            _become(request, files)
            runpy.run_module("pollux", run_name="__main__", alter_sys=True)
            sys.exit()
        for file in files:
            os.close(file)
        _, status = os.waitpid(child, 0)
        stream.sendall(os.waitstatus_to_exitcode(status).to_bytes(_LENGTH, signed=True))


def _become(request: dict[str, Any], files: list[int]) -> None:
    """Take on the streams, the environment, the folder and the arguments of a command, and what it inherits."""
    for file, number in zip(files, (1, 2), strict=True):
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update(request["env"])
    time.tzset()
    os.umask(request["umask"])
    for number, limit in request["limits"].items():
        resource.setrlimit(int(number), limit)
    os.chdir(request["cwd"])
    sys.path.insert(0, request["cwd"])
    sys.argv[1:] = request["arguments"]


def _import_all() -> None:
    """Import pollux, but not what imports `multiprocessing`: pollux ends in another way where that is loaded."""
    sys.modules["multiprocessing"] = None  # type: ignore[assignment]
    modules = (module.name for module in pkgutil.walk_packages(pollux.__path__, "pollux."))
    for name in (*modules, *_LATER):
        if not name.endswith(".__main__"):
            with suppress(ImportError, Missing):
                importlib.import_module(name)
    del sys.modules["multiprocessing"]
    gc.freeze()


if __name__ == "__main__":
    _import_all()
    with socket.socket(fileno=int(sys.argv[1])) as requests:
        _serve(requests)
