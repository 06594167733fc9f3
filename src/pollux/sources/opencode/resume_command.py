"""How OpenCode goes on with a session: `opencode --session ID`, in the folder that the session names."""

from __future__ import annotations

import os
from pathlib import Path

from pollux.errors import CannotResume, Unreadable
from pollux.sources.base import File
from pollux.sources.database import DATABASE, session_snapshot, with_log
from pollux.sources.opencode import find
from pollux.sources.opencode.witnesses.rows import SHAPE
from pollux.sources.resume_command import Program, ResumeCommand, ResumeRequest, home_variable, no_home, no_id
from pollux.sources.walk import stat_file
from pollux.text.shell import shell_word

PROGRAM = Program(name="opencode", package="opencode-ai", places=(".opencode/bin/opencode",), stays=True)

_WITH_DATABASE = (1, 2, 0)
_WITHOUT_FILES = (1, 16, 0)
"""The first release that does not take sessions in files into its database when it starts."""

_IN_OWN_FOLDER = (1, 18, 33)
"""A release that works in the folder that a session names, wherever it is started; of earlier ones nobody knows."""

_WITH_FORK = (1, 1, 0)
_ID = "ses"
"""What every id of a session begins with: OpenCode itself takes no other."""


def resume_command(request: ResumeRequest) -> ResumeCommand:
    """`opencode --session ID`; `--fork` begins a copy."""
    session = request.session
    if request.root.name != "opencode":
        if not request.root.name.endswith(find.SUFFIX) and not request.root.is_file():
            raise no_home(request, "OpenCode", "opencode")
        environ: dict[str, str | None] = {"OPENCODE_DB": str(request.root)}
    else:
        environ = home_variable(request, "XDG_DATA_HOME", request.root.parent, request.home / ".local" / "share")
    databases = [file for file in session.files if file.endswith(find.SUFFIX) or file == str(request.root)]
    is_in_database = bool(databases)
    if is_in_database and request.is_before(*_WITH_DATABASE):
        raise CannotResume(
            "release",
            f"{session.key} is in a database, and OpenCode {request.release_name} reads files alone.",
            "Update OpenCode to 1.2 or newer.",
        )
    if is_in_database:
        _require_row(request, databases)
    if not session.id.startswith(_ID):
        raise no_id(session, "OpenCode", PROGRAM.name)
    is_old = any(f"{os.sep}project{os.sep}" in file for file in session.files)
    if not is_in_database and (is_old or (request.release or ()) >= _WITHOUT_FILES):
        raise CannotResume(
            "format",
            f"No present release of OpenCode goes on with the files of {shell_word(session.key)}.",
            f"Go on with a copy that it imports: pollux handoff {shell_word(session.key)} --to {PROGRAM.name}",
        )
    if request.elsewhere and (request.release or ()) >= _IN_OWN_FOLDER:
        raise CannotResume(
            "elsewhere",
            f"OpenCode {request.release_name} goes on with a session only in the folder in which it was held.",
            f"Go on with a copy: pollux handoff {shell_word(session.key)} --to {PROGRAM.name} "
            f"--in {shell_word(request.folder)}",
        )
    if request.fork and request.is_before(*_WITH_FORK):
        raise CannotResume(
            "release", f"OpenCode {request.release_name} cannot go on with a copy.", "Try it without --fork."
        )
    fork = ("--fork",) if request.fork else ()
    return ResumeCommand(
        words=(PROGRAM.name, "--session", session.id, *fork, *request.arguments), environ=environ, fork=request.fork
    )


def _require_row(request: ResumeRequest, databases: list[str]) -> None:
    """Raise `CannotResume` where no database has the session's own row. One that cannot be read now may have it.

    The session's file is as good for a release that is not known to look in databases.
    """
    session = request.session
    record = any(f"{os.sep}session{os.sep}" in file and Path(file).stem == session.id for file in session.files)
    if record and (request.release is None or request.is_before(*_WITH_DATABASE)):
        return
    try:
        states = [session_snapshot(_database(file), SHAPE, session.id) for file in databases]
    except (Unreadable, OSError):
        return
    if any(state.rows("session", {"id": session.id}) for state in states):
        return
    key = shell_word(session.key)
    if not any(state.rows("message", {"session_id": session.id}) for state in states):
        hint = f"What pollux has kept of it: pollux history {key}"
        raise CannotResume("gone", f"{key} was just deleted from OpenCode's database.", hint)
    raise CannotResume(
        "row",
        f"OpenCode finds {key} no more: its own row is gone from the database.",
        f"Go on with what is left in another agent: pollux handoff {key} --to claude",
    )


def _database(path: str) -> File:
    """A database as it is now, with its log."""
    files = [path + side for side in ("", "-wal", "-journal") if Path(path + side).is_file()]
    beside = [stat_file(Path(file), DATABASE) for file in files]
    return with_log(beside[0], beside)


def running_sessions(_root: Path) -> dict[int, str]:
    """OpenCode writes down nowhere which process has which session."""
    return {}
