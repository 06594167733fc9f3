"""How Gemini CLI goes on with a session.

Since 0.15 it resumes a session by its id, in the folder of its project and nowhere else. Since 0.43 it also loads any
session file, in any folder: that begins a new session with a copy.
"""

from __future__ import annotations

from pathlib import Path

from pollux.errors import CannotResume
from pollux.model import Kind
from pollux.model.project_hash import project_hash
from pollux.sources.gemini_sessions.projects.projects import marker_of
from pollux.sources.resume_command import Program, ResumeCommand, ResumeRequest, home_variable, is_uuid, no_home
from pollux.text.shell import shell_word

PROGRAM = Program(name="gemini", package="@google/gemini-cli")


def resume_command(request: ResumeRequest) -> ResumeCommand:
    """`gemini --resume ID`, or `gemini --session-file FILE` for a copy."""
    session = request.session
    if session.kind is Kind.CHECKPOINT:
        raise _is_checkpoint(request)
    if not _chats(request):
        hint = f"Try: pollux show {shell_word(session.key)}"
        raise CannotResume("format", f"No file of {session.key} is one that Gemini CLI resumes.", hint)
    if request.is_before(0, 15):
        raise _is_too_old(request, "cannot resume sessions", "0.15")
    if not _finds_in(request.folder, request):
        warning = "Gemini CLI resumes a session only in its own folder, so it goes on with a copy that has its own id."
        return _copy(request, (warning,) if not request.fork else ())
    if request.fork:
        return _copy(request, ())
    if request.root.name != "tmp" or request.root.parent.name != ".gemini":
        raise no_home(request, "Gemini CLI", ".gemini/tmp")
    if not is_uuid(session.id):
        raise CannotResume(
            "id",
            f"{session.id!r} is no id that Gemini CLI gives, and it would take it for something else.",
            f"Go on with a copy: pollux resume {shell_word(session.key)} --fork",
        )
    return ResumeCommand(
        words=(PROGRAM.name, "--resume", session.id, *request.arguments), environ=_home(request, request.root)
    )


def running_sessions(_root: Path) -> dict[int, str]:
    """Gemini CLI writes down nowhere which process has which session."""
    return {}


def _finds_in(folder: str, request: ResumeRequest) -> bool:
    """Does Gemini CLI find the session in a folder? The note beside the chats decides, or the name of their folder."""
    digest = project_hash(folder)
    for project in {chat.parent.parent for chat in _chats(request)}:
        marker = marker_of(str(project / ".project_root"))
        if (
            project.name == digest
            or (marker or "") == folder
            or (not marker and request.session.project_hash == digest)
        ):
            return True
    return False


def _chats(request: ResumeRequest) -> list[Path]:
    return [Path(file) for file in request.session.files if Path(file).parent.name == "chats"]


def _copy(request: ResumeRequest, warnings: tuple[str, ...]) -> ResumeCommand:
    if request.is_before(0, 43):
        raise _is_too_old(request, "cannot go on with a copy of a session", "0.43")
    # A migration leaves copies, and a resume leaves a beginning: the largest file has everything.
    file = max(_chats(request), key=lambda chat: chat.stat().st_size if chat.exists() else -1)
    return ResumeCommand(
        words=(PROGRAM.name, "--session-file", str(file), *request.arguments),
        environ=_home(request, request.root) if request.root.parent.name == ".gemini" else {},
        fork=True,
        warnings=warnings,
    )


def _home(request: ResumeRequest, root: Path) -> dict[str, str | None]:
    return home_variable(request, "GEMINI_CLI_HOME", root.parent.parent, request.home)


def _is_too_old(request: ResumeRequest, what: str, since: str) -> CannotResume:
    return CannotResume(
        "release", f"Gemini CLI {request.release_name} {what}.", f"Update Gemini CLI: {since} and later can."
    )


def _is_checkpoint(request: ResumeRequest) -> CannotResume:
    """The error for a conversation that a person saved, or that was saved before a change of files."""
    from pollux.sources.gemini_sessions.group import tag_of  # only needed here

    file = request.session.files[0]
    tag = tag_of(file)
    typed = f"/chat resume {tag}" if tag else f"/restore {Path(file).stem}"
    return CannotResume(
        "checkpoint",
        f"{request.session.key} is a checkpoint, which Gemini CLI resumes only from inside.",
        f"Start gemini in {request.folder}, and type: {typed}",
    )
