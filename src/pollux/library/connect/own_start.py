"""How other programs start this pollux: its command, and the variables that lead it to the same folders."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pollux.errors import RequestError
from pollux.system.directories import Places
from pollux.system.programs import find_program

if TYPE_CHECKING:
    from pollux.library.homes import Homes

_CACHES = ("archive-v0", "builds-v0")
"""Folders in which uvx keeps programs that it runs once."""


def own_command(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The command that starts the pollux that runs now, with an absolute path.

    A link on the PATH that leads to it comes first: an update may move the program, and leaves the link.
    """
    script = Path(sys.executable).with_name("pollux")
    if not os.access(script, os.X_OK):
        script = Path(os.path.abspath(sys.argv[0]))  # noqa: PTH100 (a link stays a link)
        if script.name != "pollux" or not os.access(script, os.X_OK):
            return (sys.executable, "-P", "-m", "pollux")
    known = find_program("pollux", environ)
    is_same = known is not None and os.path.isabs(known) and os.path.realpath(known) == os.path.realpath(script)  # noqa: PTH117
    return (known if known is not None and is_same else str(script),)


def is_passing(command: Sequence[str]) -> bool:
    """Does a command lead into a cache, which another program may clear at any time?"""
    return any(part in _CACHES for part in Path(command[0]).parts)


def folder_variables(places: Places, homes: Homes) -> dict[str, str]:
    """The variables that name pollux's and the agents' folders. Raises `RequestError` for a relative path."""
    variables: dict[str, str] = {}
    while True:
        environ = _Recorder({k: v for k, v in places.environ.items() if k not in variables})
        others = Places(environ)
        home = others.home
        roots = [root.path for source in homes.sources() for root in source.roots(environ, home)]
        if not variables and (odd := next((path for path in roots if not path.is_absolute()), None)) is not None:
            raise RequestError(
                f"{odd} is a relative path, but others start pollux in any directory.", "Use an absolute path."
            )
        _ = others.data, others.config, others.cache
        if not environ.read:
            break
        variables |= environ.read
    if "PYTHONPATH" in places.environ:
        variables["PYTHONPATH"] = places.environ["PYTHONPATH"]
    return {name: text for name, text in variables.items() if text}


class _Recorder(Mapping[str, str]):
    """An environment that records which of its variables were read."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self.read: dict[str, str] = {}

    def __getitem__(self, name: str) -> str:
        self.read[name] = self._environ[name]
        return self._environ[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._environ)

    def __len__(self) -> int:
        return len(self._environ)
