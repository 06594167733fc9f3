"""Timers of cron: one line in the user's crontab. All other lines stay the same to the byte."""

from __future__ import annotations

import contextlib
import os
import re
import shlex

from pollux.errors import OutputError, RequestError
from pollux.system.timers.base import MARK, Job, Period, Piece, require_success, run_program

_LONGEST = 990
"""The longest line. Some crons cut longer ones."""


class Cron:
    """The timer as a line of the user's crontab."""

    name = "cron"
    advice = "It runs while the machine is on. Runs missed during sleep are not made up for."

    def pieces(self, job: Job) -> list[Piece]:
        """The line."""
        words = [f"{name}={_quoted(text)}" for name, text in sorted(job.environment.items())]
        words += map(_quoted, job.command)
        command = f"{' '.join(words)} >{os.devnull}"
        line = f"{_times(job.every)} {command} {MARK}{job.every}"
        if any(ord(character) < 32 for character in line):
            raise RequestError("A path has a control character, which no crontab accepts.")
        if len(os.fsencode(line)) > _LONGEST:
            raise RequestError("The paths are too long for a line of a crontab.", "Try: --using systemd")
        return [Piece(place="crontab", text=f"{line}\n")]

    def installed(self) -> list[Piece]:
        """The line that is there, or several."""
        return [Piece(place="crontab", text=os.fsdecode(line)) for line in self._lines() if _is_ours(line)]

    def every(self) -> Period | None:
        """The period that the line names."""
        for piece in self.installed():
            with contextlib.suppress(RequestError):
                return Period.parse(piece.text.rpartition(MARK)[2])
        return None

    def active(self) -> bool | None:
        """None: pollux cannot find out whether cron runs."""
        return None

    def install(self, job: Job) -> None:
        """Write the line as the first: variables that the user sets further down are not meant for it."""
        lines = self._lines()
        line = os.fsencode(self.pieces(job)[0].text)
        if [other for other in lines if _is_ours(other)] != [line]:
            require_success("crontab", "-", content=line + b"".join(other for other in lines if not _is_ours(other)))

    def remove(self) -> None:
        """Remove the line, and the crontab where nothing else is in it."""
        lines = self._lines()
        others = b"".join(line for line in lines if not _is_ours(line))
        if others and others != b"".join(lines):
            require_success("crontab", "-", content=others)
        elif lines and not others:
            require_success("crontab", "-r")

    @staticmethod
    def _lines() -> list[bytes]:
        """The lines of the user's crontab; none where there is no crontab."""
        process = run_program("crontab", "-l")
        if process.returncode and b"no crontab" not in process.stderr.lower():
            message = (
                " ".join(process.stderr.decode("utf-8", "replace").split()).rstrip(".")
                or f"status {process.returncode}"
            )
            raise OutputError(f"crontab -l failed: {message}.")
        return [line + b"\n" for line in process.stdout.split(b"\n")[:-1]] + _rest(process.stdout)


def _quoted(text: str) -> str:
    """A word for cron and for the shell after it.

    cron reads `%` as a new line, unless an unescaped backslash precedes it. Some crons read two backslashes as one. So
    each `%` stands outside of the shell's quotes, and no two backslashes stand side by side.
    """
    return "\\%".join(re.sub(r"\\(?=\\)", r"\\''", shlex.quote(piece)) for piece in text.split("%"))


def _rest(content: bytes) -> list[bytes]:
    """The text after the last line feed."""
    rest = content.rpartition(b"\n")[2]
    return [rest] if rest else []


def _is_ours(line: bytes) -> bool:
    return MARK.encode() in line


def _times(every: Period) -> str:
    if every.minutes < 60:
        return f"*/{every.minutes} * * * *"
    if every.minutes < 1440:
        return f"0 {'*' if every.minutes == 60 else f'*/{every.minutes // 60}'} * * *"
    # At noon, when most machines are on.
    return f"0 12 * * {'*' if every.minutes == 1440 else '1'}"
