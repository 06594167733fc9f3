"""How Qwen Code goes on with a session, and which sessions are open now.

It finds a session by the name of its file, in the folder of the project in which it is started.
"""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from pollux.errors import CannotResume
from pollux.sources.resume_command import Program, ResumeCommand, ResumeRequest, home_variable, is_uuid
from pollux.system.decoders import json_decoder
from pollux.system.files import list_folder, read
from pollux.text.shell import shell_word

PROGRAM = Program(name="qwen", package="@qwen-code/qwen-code", stays=True)
_FIRST_WITH_FORKS = (0, 21)


class _Open(msgspec.Struct):
    """What a running Qwen Code (0.18 and later) notes about itself."""

    pid: int
    session_id: str


_decoder = json_decoder(_Open)


def project_id(path: str) -> str:
    """The name of a project's folder: every character but letters and digits becomes a dash."""
    return re.sub(r"[^A-Za-z0-9]", "-", path)


def resume_command(request: ResumeRequest) -> ResumeCommand:
    """`qwen --resume ID`, with `--fork-session` for a copy (0.21)."""
    session = request.session
    chats = [Path(file) for file in session.files if Path(file).name == f"{session.id}.jsonl"]
    if not is_uuid(session.id) or not chats:
        raise CannotResume(
            "name",
            f"Qwen Code finds a session by the name of its file, and {session.key} is in no such file.",
            _copied(session.key),
        )
    if not any(file.parent.name == "chats" for file in chats):
        raise CannotResume(
            "archived",
            f"Qwen Code archived {session.key}, and goes on only with sessions outside of its archive.",
            _copied(session.key),
        )
    if project_id(request.folder) not in {file.parent.parent.name for file in chats}:
        raise CannotResume(
            "elsewhere",
            "Qwen Code resumes a session only in the folder in which it was held.",
            f"{_copied(session.key)} --in {shell_word(request.folder)}",
        )
    if request.fork and request.is_before(*_FIRST_WITH_FORKS):
        raise CannotResume(
            "fork",
            f"Qwen Code {request.release_name} cannot go on with a copy; 0.21 and later can.",
            "Update Qwen Code, or leave out --fork",
        )
    fork = ("--fork-session",) if request.fork else ()
    return ResumeCommand(
        words=(PROGRAM.name, "--resume", session.id, *fork, *request.arguments),
        environ=home_variable(request, "QWEN_RUNTIME_DIR", request.root, request.home / ".qwen"),
        fork=request.fork,
    )


def _copied(key: str) -> str:
    """What works where the files do not."""
    return f"Go on with a copy that it resumes: pollux handoff {shell_word(key)} --to {PROGRAM.name}"


def running_sessions(root: Path) -> dict[int, str]:
    """The session that each running Qwen Code says it has open, by its process. Dead ones may be among them."""
    sessions: dict[int, str] = {}
    for project in list_folder(root / "projects", ""):
        for file in list_folder(project / "chats", ".runtime.json"):
            try:
                note = _decoder.decode(read(file))
            except (OSError, msgspec.DecodeError):
                continue
            sessions[note.pid] = note.session_id
    return sessions
