"""Starts a server as an agent would: with few variables, in another directory. Asks who it is and what it offers."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Thread
from typing import IO, Any, NamedTuple, Self

import msgspec

from pollux import __version__
from pollux.text.escape import one_line

PROTOCOL = "2025-11-25"
LONGEST = 30.0
"""No server is waited for longer (seconds), however patient the agent is."""

_INHERITED = ("HOME", "USER", "LOGNAME", "LANG", "SYSTEMROOT")
_LINE = 1 << 20
_END = 2.0
_SHOWN = 300


class Answer(NamedTuple):
    """What a server says of itself, and how long (seconds) it took from its start until it had named its tools."""

    name: str | None
    version: str | None
    protocol: str | None
    tools: tuple[str, ...]
    seconds: float


class NoAnswer(Exception):
    """A server does not answer as it should. The text is a sentence without a full stop."""


def bare_environment(environ: Mapping[str, str], variables: Mapping[str, str]) -> dict[str, str]:
    """What a server gets at least: a few variables, the usual PATH, and those of its entry."""
    few = {name: environ[name] for name in _INHERITED if name in environ}
    return {**few, "PATH": os.defpath.lstrip(":"), **variables}


def ask(words: Sequence[str], environ: Mapping[str, str], folder: Path | None, patience: float) -> Answer:
    """Start a server, and ask it. Raises `NoAnswer`."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="pollux-", ignore_cleanup_errors=True) as other:
        try:
            server = _Server(words, environ, folder or Path(other), began + min(patience, LONGEST))
        except OSError as error:
            raise NoAnswer(f"it cannot be started: {error.strerror or error}") from error
        with server:
            client = {"name": "pollux doctor", "version": __version__}
            start = server.call(
                1, "initialize", {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client}
            )
            server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
            tools = server.call(2, "tools/list", {}).get("tools")
            seconds = time.monotonic() - began
    about = start.get("serverInfo")
    facts = about if isinstance(about, dict) else {}
    names = [tool.get("name") for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []
    return Answer(
        name=_text(facts.get("name")),
        version=_text(facts.get("version")),
        protocol=_text(start.get("protocolVersion")),
        tools=tuple(name for name in names if isinstance(name, str)),
        seconds=seconds,
    )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


class _Server:
    """A server that runs. It ends with the block."""

    def __init__(self, words: Sequence[str], environ: Mapping[str, str], folder: Path, until: float) -> None:
        self._until = until
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        try:
            self._process = subprocess.Popen(  # noqa: S603 (the user's own settings name it)
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                cwd=folder,
                env=dict(environ),
                start_new_session=True,
            )
        except BaseException:
            self._errors.close()
            raise
        self._lines: queue.Queue[bytes] = queue.Queue()
        stdout = self._process.stdout
        assert stdout is not None  # noqa: S101 (a pipe, as asked for above)
        self._reader = Thread(target=self._read, args=(stdout,), daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        process = self._process
        with contextlib.suppress(OSError):
            if process.stdin is not None:
                process.stdin.close()
        try:
            process.wait(_END)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL) if hasattr(os, "killpg") else process.kill()
            process.wait()
        self._reader.join(_END)
        with contextlib.suppress(OSError):
            if process.stdout is not None:
                process.stdout.close()
        self._errors.close()

    def _read(self, stdout: IO[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError):
            while line := stdout.readline(_LINE):
                self._lines.put(line)
        self._lines.put(b"")

    def send(self, message: Mapping[str, Any]) -> None:
        """Send a message. Raises `NoAnswer` where the server has ended."""
        stdin = self._process.stdin
        assert stdin is not None  # noqa: S101 (a pipe, as asked for above)
        try:
            stdin.write(msgspec.json.encode(message) + b"\n")
            stdin.flush()
        except OSError as error:
            raise self._ended() from error

    def call(self, id: int, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """The result of a request. Raises `NoAnswer`."""
        self.send({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        while True:
            message = self._message(method)
            if message.get("id") != id:
                continue
            result = message.get("result")
            if not isinstance(result, dict):
                error = message.get("error")
                why = error.get("message") if isinstance(error, dict) else None
                raise NoAnswer(f"it refuses {method}: {one_line(str(why))[:_SHOWN]}")
            return result

    def _message(self, method: str) -> dict[str, Any]:
        try:
            line = self._lines.get(timeout=max(0.0, self._until - time.monotonic()))
        except queue.Empty:
            raise NoAnswer(f"it does not answer {method} in time") from None
        if not line:
            raise self._ended()
        try:
            message = msgspec.json.decode(line)
        except msgspec.DecodeError:
            message = None
        if not isinstance(message, dict):
            shown = one_line(line.decode("utf-8", "replace").strip())[:_SHOWN]
            raise NoAnswer(f"it writes to its output what is not of the protocol: {shown}")
        return message

    def _ended(self) -> NoAnswer:
        """The error where a server ends by itself, with the last that it said."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_END)
        self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, self._errors.tell() - 4096))
        last = [line for line in self._errors.read().decode("utf-8", "replace").splitlines() if line.strip()]
        said = f": {one_line(last[-1].strip())[:_SHOWN]}" if last else ""
        return NoAnswer(f"it ends with status {self._process.returncode}{said}")
