"""Timers of cron: one line among the user's own, which stay as they are to the byte."""

from __future__ import annotations

import contextlib
import os
import re
import shlex

from pollux.errors import OutputError, RequestError
from pollux.system.timers.base import MARK, Job, Period, Piece, ask, tell

_LONGEST = 990
"""Some crons cut a longer line."""


class Cron:
    """The timer as a line of the user's crontab."""

    name = "cron"
    advice = "It runs while the machine is on. A run that was slept through is not made up for."

    def pieces(self, job: Job) -> list[Piece]:
        """The line."""
        words = [f"{name}={_quoted(text)}" for name, text in sorted(job.environment.items())]
        words += map(_quoted, job.command)
        command = f"{' '.join(words)} >{os.devnull}"
        line = f"{_times(job.every)} {command} {MARK}{job.every}"
        if any(ord(each) < 32 for each in line):
            raise RequestError("A path holds a control character, which no crontab takes.")
        if len(os.fsencode(line)) > _LONGEST:
            raise RequestError("The paths are too long for a line of a crontab.", "Try: --using systemd")
        return [Piece(place="crontab", text=f"{line}\n")]

    def installed(self) -> list[Piece]:
        """The line that is there, or several."""
        return [Piece(place="crontab", text=os.fsdecode(line)) for line in self._lines() if _ours(line)]

    def every(self) -> Period | None:
        """As the line says."""
        for one in self.installed():
            with contextlib.suppress(RequestError):
                return Period.parse(one.text.rpartition(MARK)[2])
        return None

    def active(self) -> bool | None:
        """Whether cron itself runs is not ours to find out."""
        return None

    def install(self, job: Job) -> None:
        """Write the line. It stands first: what the user sets further down is not meant for it."""
        there = self._lines()
        line = os.fsencode(self.pieces(job)[0].text)
        if [one for one in there if _ours(one)] != [line]:
            tell("crontab", "-", content=line + b"".join(one for one in there if not _ours(one)))

    def remove(self) -> None:
        """Take the line away, and the crontab where nothing else is in it."""
        there = self._lines()
        others = b"".join(one for one in there if not _ours(one))
        if others and others != b"".join(there):
            tell("crontab", "-", content=others)
        elif there and not others:
            tell("crontab", "-r")

    @staticmethod
    def _lines() -> list[bytes]:
        """The user's crontab. Who never had one has none."""
        done = ask("crontab", "-l")
        if done.returncode and b"no crontab" not in done.stderr.lower():
            said = " ".join(done.stderr.decode("utf-8", "replace").split()).rstrip(".") or f"status {done.returncode}"
            raise OutputError(f"crontab -l failed: {said}.")
        return [line + b"\n" for line in done.stdout.split(b"\n")[:-1]] + _rest(done.stdout)


def _quoted(text: str) -> str:
    """A word for cron and for the shell after it.

    cron takes `%` for a new line, unless a backslash stands before it that is itself escaped by none. Some crons make
    one backslash of two. So `%` stands outside of the shell's quotes, and no backslash beside another one.
    """
    return "\\%".join(re.sub(r"\\(?=\\)", r"\\''", shlex.quote(piece)) for piece in text.split("%"))


def _rest(content: bytes) -> list[bytes]:
    """What follows the last line's end."""
    rest = content.rpartition(b"\n")[2]
    return [rest] if rest else []


def _ours(line: bytes) -> bool:
    return MARK.encode() in line


def _times(every: Period) -> str:
    if every.minutes < 60:
        return f"*/{every.minutes} * * * *"
    if every.minutes < 1440:
        return f"0 {'*' if every.minutes == 60 else f'*/{every.minutes // 60}'} * * *"
    # At noon, when most machines are awake.
    return f"0 12 * * {'*' if every.minutes == 1440 else '1'}"
