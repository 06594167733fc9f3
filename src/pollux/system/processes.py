"""The processes of this user, as far as the system shows them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import NamedTuple

_PROC = Path("/proc")
_INTERPRETERS = ("node", "bun", "deno")
_BEGAN = 19
"""The place, counted after the name, of the time at which a process began, in ticks since the machine was started."""


class Process(NamedTuple):
    """A process: its number, its command line, its working directory, and when it began (seconds since 1970)."""

    pid: int
    words: tuple[str, ...]
    folder: str
    began: float

    @property
    def path(self) -> str:
        """What its command line calls its program; the script if an interpreter runs one."""
        paths = [word.strip() for word in self.words if not word.startswith("-")]
        runs_script = len(paths) > 1 and PurePath(paths[0]).name.removesuffix(".js") in _INTERPRETERS
        return paths[1 if runs_script else 0] if paths else ""

    @property
    def program(self) -> str:
        """The name of its program, or of its script."""
        return PurePath(self.path).name.removesuffix(".js")

    def writes_to(self, files: set[str]) -> bool:
        """Has it one of these files open for writing? Their paths have no links in them."""
        for handle in _names(_PROC / str(self.pid) / "fd"):
            with contextlib.suppress(OSError, ValueError):
                if str((_PROC / str(self.pid) / "fd" / handle).readlink()) in files:
                    facts = (_PROC / str(self.pid) / "fdinfo" / handle).read_text()
                    flags = next(line.split()[1] for line in facts.splitlines() if line.startswith("flags:"))
                    if int(flags, 8) & os.O_ACCMODE != os.O_RDONLY:
                        return True
        return False


def processes() -> list[Process] | None:
    """The processes of this user; None where the system does not show them in files."""
    try:
        started = next(
            int(line.split()[1]) for line in (_PROC / "stat").read_text().splitlines() if line.startswith("btime ")
        )
    except (OSError, StopIteration):
        return None
    return list(_processes(started))


def _processes(started: int) -> Iterator[Process]:
    user, tick = os.getuid(), os.sysconf("SC_CLK_TCK")
    for name in _names(_PROC):
        place = _PROC / name
        # A process may end at any moment, and some hide their folder.
        with contextlib.suppress(OSError, IndexError):
            if not name.isdecimal() or place.stat().st_uid != user:
                continue
            words = os.fsdecode((place / "cmdline").read_bytes()).rstrip("\0").split("\0")
            facts = (place / "stat").read_text(errors="replace").rpartition(")")[2].split()
            began = started + int(facts[_BEGAN]) / tick
            yield Process(int(name), tuple(words), str((place / "cwd").readlink()), began)


def _names(folder: Path) -> list[str]:
    with contextlib.suppress(OSError):
        return os.listdir(folder)  # noqa: PTH208
    return []


def is_alive(pid: int) -> bool:
    """Is there such a process? Assumed where the system cannot be asked."""
    if os.name == "nt":  # there, the question would end it
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # another user's
        return True
    return True
