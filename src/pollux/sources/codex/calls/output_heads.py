"""The head that Codex puts before a command's output: the command itself, how long it took, how it ended."""

from __future__ import annotations

import re

from pollux.wire import seconds

# 0.115 to 0.118 begin with the command, quoted for a shell: a line break ends it only outside of quotes.
_COMMAND = re.compile(
    r"""Command: (?:[^\n'"\\]++|'[^']*+'|"(?:[^"\\]++|\\.)*+"|\\.)*+\n(?=Chunk ID: |Wall time: )""", re.DOTALL
)
# `Exit code: N` (0.60+), `Process exited with code N` (0.100+).
_EXIT = re.compile(r"(?:Chunk ID: [^\n]*\n|Wall time: [^\n]*\n)*(?:Exit code:|Process exited with code) (-?\d{1,10})\b")
_FIRST = ("C", "E", "W", "P")
_WALL = re.compile(r"^Wall time: (\d+(?:\.\d+)?) seconds$", re.MULTILINE)
_HEAD = 300


def exit_code(output: str) -> int | None:
    """The exit code in the head. A command may print anything, so only the very beginning counts."""
    if not output.startswith(_FIRST):
        return None
    exit_ = _EXIT.match(output, _begins(output))
    return int(exit_[1]) if exit_ is not None else None


def wall_time(output: str) -> float | None:
    """How long the command took, if the head says so."""
    begins = _begins(output)
    if output.find("Wall time: ", begins, begins + _HEAD) < 0:
        return None
    match = _WALL.search(output, begins, begins + _HEAD)
    return seconds(float(match[1])) if match is not None else None


def _begins(output: str) -> int:
    """Where the head begins, after the command."""
    command = _COMMAND.match(output) if output.startswith("Command: ") else None
    return command.end() if command is not None else 0
