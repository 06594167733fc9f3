"""How Claude Code goes on with a session, and which sessions are open now.

It finds a session by the name of its file: since a release between 2.1.181 and 2.1.250 in the folder of any project,
before only in the folder of the project in which it is started. A copy goes into the folder of that project.
"""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from pollux.errors import CannotResume
from pollux.sources.claude.rehome import plain_name, short_name
from pollux.sources.resume_command import Program, ResumeCommand, ResumeRequest, home_variable, is_uuid, no_home
from pollux.system.decoders import json_decoder
from pollux.system.files import list_folder, read
from pollux.text.shell import shell_word

# Some installers make an alias of the shell instead of a file on the PATH.
PROGRAM = Program(name="claude", package="@anthropic-ai/claude-code", places=(".claude/local/claude",))

_PROCESS = re.compile(r"\d+\.json\Z")
_LAST_BOUND_TO_FOLDERS = (2, 1, 181)


class _Open(msgspec.Struct):
    """What a running Claude Code (2.1.112 and later) notes about itself."""

    pid: int
    sessionId: str


_decoder = json_decoder(_Open)


def resume_command(request: ResumeRequest) -> ResumeCommand:
    """`claude --resume ID`, with `--fork-session` for a copy."""
    session = request.session
    if not is_uuid(session.id) or not any(Path(file).stem == session.id for file in session.files):
        raise CannotResume(
            "name",
            f"Claude Code finds a session by the name of its file, and {session.key} is in a file with another name.",
            f"Try: pollux recover {shell_word(session.key)} --in-place",
        )
    if request.root.name != "projects":
        raise no_home(request, "Claude Code", "projects")
    names = {Path(file).parent.name for file in session.files if Path(file).stem == session.id}
    if (
        not names & {plain_name(request.folder), short_name(request.folder)}
        and request.release is not None
        and request.release <= _LAST_BOUND_TO_FOLDERS
    ):
        raise CannotResume(
            "elsewhere",
            f"Claude Code {request.release_name} resumes a session only in the folder in which it was held.",
            "Update Claude Code; or, if the project was moved: pollux rehome OLD NEW --in-place",
        )
    fork = ("--fork-session",) if request.fork else ()
    return ResumeCommand(
        words=(PROGRAM.name, "--resume", session.id, *fork, *request.arguments),
        environ=home_variable(request, "CLAUDE_CONFIG_DIR", request.root.parent, request.home / ".claude"),
        fork=request.fork,
    )


def running_sessions(root: Path) -> dict[int, str]:
    """The session that each running Claude Code says it has open, by its process. Dead ones may be among them."""
    sessions: dict[int, str] = {}
    for file in list_folder(root.parent / "sessions", ".json"):
        # Files with other names beside these hold secrets.
        if _PROCESS.match(file.name):
            try:
                note = _decoder.decode(read(file))
            except (OSError, msgspec.DecodeError):
                continue
            sessions[note.pid] = note.sessionId
    return sessions
