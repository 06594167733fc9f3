"""Copying: through the terminal where it takes part, else with the system's own tool, else into a file.

A terminal gets the text in the sequence OSC 52, and gives no answer. Some are known to ignore it, tmux has a command of
its own, and most drop a text that is too long: xterm takes 100,000 bytes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

LONGEST = 74_000
"""Bytes that become less than 100,000 in base64."""

_TOOLS = (("pbcopy",), ("wl-copy",), ("xclip", "-selection", "clipboard"), ("xsel", "-ib"), ("clip.exe",))
_SECONDS = 2.0


def copy(text: str, by_terminal: Callable[[str], None], environ: Mapping[str, str] | None = None) -> str:
    """Copy a text. Returns a few words that say how."""
    variables = os.environ if environ is None else environ
    data = text.encode("utf-8", "backslashreplace")
    fits = len(data) <= LONGEST
    if variables.get("TMUX") and _told(("tmux", "load-buffer", "-w", "-"), data):
        return "copied through tmux"
    if fits and not _ignores(variables):
        by_terminal(data.decode())
        return "copied through the terminal"
    for tool in _usable(variables):
        if _told(tool, data):
            return f"copied with {Path(tool[0]).name}"
    if fits:
        by_terminal(data.decode())
        return "sent to the terminal, which may ignore it"
    with tempfile.NamedTemporaryFile("wb", prefix="pollux-copied-", suffix=".txt", delete=False) as file:
        file.write(data)
    return f"too long for the terminal, so it is in {file.name}"


def _ignores(variables: Mapping[str, str]) -> bool:
    """Is this a terminal that is known to ignore the sequence?"""
    return variables.get("TERM_PROGRAM") == "Apple_Terminal" or "VTE_VERSION" in variables


def _usable(variables: Mapping[str, str]) -> list[tuple[str, ...]]:
    """The tools that reach the clipboard of the person who sits at this machine."""
    if variables.get("SSH_CONNECTION"):
        return []
    path = variables.get("PATH")
    seen = {"wl-copy": "WAYLAND_DISPLAY", "xclip": "DISPLAY", "xsel": "DISPLAY"}
    return [
        (program, *tool[1:])
        for tool in _TOOLS
        if (tool[0] not in seen or variables.get(seen[tool[0]]))
        and (program := shutil.which(tool[0], path=path)) is not None
    ]


def _told(command: tuple[str, ...], data: bytes) -> bool:
    """Give the text to a program. Returns whether it took it."""
    try:
        done = subprocess.run(  # noqa: S603 (a tool by its own name)
            command,
            input=data,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
