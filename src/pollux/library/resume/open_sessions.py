"""Whether an agent that is running has a session open."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from itertools import pairwise

from pollux.model import Summary, Value
from pollux.sources.resume_command import Program
from pollux.system.processes import Process, is_alive, processes
from pollux.text.figures import plural

RECENT = 60.0
"""If the system does not show processes, a session may be open if it was written within this time (seconds)."""


class OpenSession(Value, frozen=True, kw_only=True):
    """Who has a session open: the process, if it is known, and a sentence about it."""

    pid: int | None
    sentence: str


def open_session(
    session: Summary, title: str, folder: str, program: Program | None, noted: Mapping[int, str]
) -> OpenSession | None:
    """Who has a session open; None where nobody seems to.

    `noted` has the sessions that running agents say they have open. Another agent has it open if it writes to the
    files, or if it was told to resume the session, or if it runs in the folder and the files changed since it began.
    """
    running = processes()
    if running is None:
        return _by_time(session, title, noted)
    for process in sorted(running, key=lambda process: process.pid not in noted):
        if program is None or not _runs(process, program) or {*program.background} & {*process.words}:
            continue
        if process.pid in noted:
            has_it = noted[process.pid] == session.id
        else:
            has_it = _was_told_to_resume(process, session.id) or process.writes_to(
                {*map(os.path.realpath, session.files)}
            )
        if has_it:
            return OpenSession(pid=process.pid, sentence=f"{title} (process {process.pid}) has {session.key} open.")
        is_here = process.pid not in noted and process.folder == os.path.realpath(folder)
        if is_here and _written(session) > process.began:
            sentence = f"{title} (process {process.pid}) runs in {folder}, and {session.key} changed since it began."
            return OpenSession(pid=process.pid, sentence=sentence)
    return None


def _runs(process: Process, program: Program) -> bool:
    """Is it a program of this name, or a script of its package, as of an agent that starts itself once more?"""
    return process.program == program.name or f"/{program.package}/" in process.path


def _was_told_to_resume(process: Process, id: str) -> bool:
    """Does its command line say to go on with a session, not with a copy of it?"""
    words = process.words
    return (
        any(word in ("resume", "--resume", "-r") and other == id for word, other in pairwise(words))
        and "--fork-session" not in words
    )


def _by_time(session: Summary, title: str, noted: Mapping[int, str]) -> OpenSession | None:
    """Who has a session open, as far as can be said without seeing processes."""
    for pid, id in noted.items():
        if id == session.id and is_alive(pid):
            return OpenSession(pid=pid, sentence=f"{title} (process {pid}) has {session.key} open.")
    seconds = time.time() - _written(session)
    if noted or not 0 <= seconds < RECENT:
        return None
    sentence = f"{session.key} was written {plural(int(seconds), 'second')} ago, so {title} may have it open."
    return OpenSession(pid=None, sentence=sentence)


def _written(session: Summary) -> float:
    """When a session's files were last written (seconds since 1970)."""
    times = [0.0]
    for file in session.files:
        try:
            times.append(os.stat(file).st_mtime)  # noqa: PTH116
        except OSError:  # it is gone
            continue
    return max(times)
