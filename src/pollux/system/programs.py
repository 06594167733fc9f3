"""Programs of the user: where they are, which release they have, and becoming one of them."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn, Protocol

import msgspec

from pollux.errors import OutputError
from pollux.system.decoders import json_decoder
from pollux.system.files import read

_RELEASE = re.compile(r"(\d+)\.(\d+)\.(\d+)")
_ABOVE = 4
"""How many folders above a program its package may be described."""


class _Package(msgspec.Struct):
    name: str = ""
    version: str = ""


_decoder = json_decoder(_Package)


class Start(Protocol):
    """A plan that starts a program."""

    @property
    def program(self) -> str | None:
        """The path of the program."""

    @property
    def words(self) -> tuple[str, ...]:
        """The command."""

    @property
    def folder(self) -> str:
        """The folder to run it in."""

    @property
    def line(self) -> str:
        """The command for a shell."""

    def environment(self, environ: Mapping[str, str]) -> dict[str, str]:
        """The environment for the command."""


def find_program(name: str, environ: Mapping[str, str], others: Iterable[Path] = ()) -> str | None:
    """The path of a program, on the PATH or in other places; None if it is not installed.

    It is absolute: a relative folder on the PATH is one here, not in the folder in which the program will run.
    """
    found = shutil.which(name, path=environ.get("PATH", os.defpath))
    if found is not None:
        return os.path.abspath(found)  # noqa: PTH100 (a link stays a link)
    return next((str(place) for place in others if os.access(place, os.X_OK)), None)


def release_of(program: str, package: str) -> tuple[int, ...] | None:
    """The release of a program, by the description of its npm package or its own file's name; None if unknown.

    The program is not asked: its start may take a second.
    """
    file = Path(os.path.realpath(program))
    for folder in file.parents[:_ABOVE]:
        with contextlib.suppress(OSError, msgspec.DecodeError):
            found = _decoder.decode(read(folder / "package.json"))
            if found.name.startswith(package):
                return _release(found.version)
    return _release(file.name)


def _release(text: str) -> tuple[int, ...] | None:
    match = _RELEASE.match(text)
    return tuple(map(int, match.groups())) if match is not None else None


class Said(NamedTuple):
    """How a program ended, and what it said."""

    status: int
    text: str


def run(words: Sequence[str], folder: str, environ: Mapping[str, str]) -> Said:
    """Run a program to its end. Raises `OutputError` where it cannot be started."""
    try:
        ended = subprocess.run(  # noqa: S603 (the user's own agent)
            words, cwd=folder, env=environ, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
    except OSError as error:
        raise OutputError(f"{words[0]} cannot be started: {error.strerror}.") from error
    return Said(ended.returncode, (ended.stdout + ended.stderr).decode("utf-8", "replace").strip())


def become(program: str, words: tuple[str, ...], folder: str, environ: Mapping[str, str]) -> NoReturn:
    """Replace this process by a program. On Windows, which cannot, run it and end with its status.

    Raises `OSError` where the folder or the program cannot be used.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    if os.name == "nt":
        ended = subprocess.run([program, *words[1:]], cwd=folder, env=environ, check=False)  # noqa: S603 (the user's own agent)
        raise SystemExit(ended.returncode)
    os.chdir(folder)
    # Python ignores these signals, and a program would inherit that.
    for name in ("SIGPIPE", "SIGXFSZ"):
        if number := getattr(signal, name, None):
            signal.signal(number, signal.SIG_DFL)
    os.execve(program, words, environ)  # noqa: S606 (the user's own agent)
