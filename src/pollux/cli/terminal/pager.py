"""A pager in front of long output, as git has it."""

from __future__ import annotations

import codecs
import contextlib
import os
import shlex
import subprocess
import sys
from collections.abc import Iterable

from pollux.cli.terminal import marks

JUMPING = ("less", "more")
"""Pagers that can begin at a line."""


def page(lines: Iterable[str], at: int = 0) -> bool:
    """Show lines in `$PAGER`, or in less, beginning `at` one of them.

    False where there is no pager to be had, or none that can begin there: nothing was written then.
    """
    command = _command()
    if not command or (at and os.path.basename(command[0]) not in JUMPING):  # noqa: PTH119
        return False
    if at:
        command.append(f"+{at + 1}")
    # F: no pager for what fits on the screen. R: colours. X: leave the text on the screen.
    utf8 = codecs.lookup(sys.stdout.encoding).name == "utf-8"
    environ = {"LESS": "FRX", **({"LESSCHARSET": "utf-8"} if utf8 else {}), **os.environ}
    sys.stdout.flush()
    try:
        pager = subprocess.Popen(command, stdin=subprocess.PIPE, env=environ)  # noqa: S603 (the user's own choice)
    except OSError:
        return False
    assert pager.stdin is not None  # noqa: S101 (a pipe was asked for)
    try:
        for line in lines:
            pager.stdin.write(f"{line}\n".encode(sys.stdout.encoding, marks.NAME))
    except (BrokenPipeError, KeyboardInterrupt):
        pass  # the reader has seen enough
    finally:
        with contextlib.suppress(BrokenPipeError):
            pager.stdin.close()
        _wait(pager)
    return True


def _command() -> list[str]:
    variable = os.environ.get("PAGER")
    try:
        command = shlex.split("less" if variable is None else variable)
    except ValueError:
        return []
    return [] if command[:1] == ["cat"] else command


def _wait(pager: subprocess.Popen[bytes]) -> None:
    """Wait until the pager ends. Meanwhile Ctrl-C is for the pager."""
    while True:
        try:
            pager.wait()
        except KeyboardInterrupt:
            continue
        return
