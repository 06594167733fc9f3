"""How Copilot CLI goes on with a session, and which sessions are open now.

It finds a session by the name of its folder, wherever it is started.
"""

from __future__ import annotations

import re
from pathlib import Path

from pollux.errors import CannotResume
from pollux.sources.copilot import find
from pollux.sources.resume_command import Program, ResumeCommand, ResumeRequest, home_variable, is_uuid, no_home, no_id
from pollux.system.files import list_folder
from pollux.text.shell import shell_line, shell_word

PROGRAM = Program(name="copilot", package="@github/copilot", copies=False)

_LOCK = re.compile(r"inuse\.(\d+)\.(?:lock|hold)\Z")


def resume_command(request: ResumeRequest) -> ResumeCommand:
    """`copilot --resume ID`. A copy can be made only inside of it, by `/fork`."""
    session = request.session
    if request.root.name != find.FOLDER:
        raise no_home(request, "Copilot CLI", find.FOLDER)
    if not any(Path(file).name == find.EVENTS_NAME and Path(file).parent.name == session.id for file in session.files):
        raise CannotResume(
            "name",
            f"Copilot CLI finds a session by its folder, and {shell_word(session.key)} has none.",
            f"Try: pollux show {shell_word(session.key)}",
        )
    if not is_uuid(session.id):
        raise no_id(session, "Copilot CLI", PROGRAM.name)
    if request.fork:
        folder = ("--in", request.folder) if request.elsewhere else ()
        raise CannotResume(
            "fork",
            "Copilot CLI has no command that goes on with a copy of a session.",
            f"Resume it, and type /fork: {shell_line('pollux', 'resume', session.key, *folder)}",
        )
    return ResumeCommand(
        words=(PROGRAM.name, "--resume", session.id, *request.arguments),
        environ=home_variable(request, "COPILOT_HOME", request.root.parent, request.home / ".copilot"),
    )


def running_sessions(root: Path) -> dict[int, str]:
    """The sessions that are open, by process: each leaves a lock in the session's folder. Some may be dead."""
    sessions: dict[int, str] = {}
    for folder in list_folder(root):
        for file in list_folder(folder):
            if (match := _LOCK.match(file.name)) is not None:
                sessions[int(match[1])] = folder.name
    return sessions
