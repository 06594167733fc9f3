"""What a source may offer beyond reading. Each capability is a protocol, which a source implements completely."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from pollux.errors import CannotResume
from pollux.model import Session
from pollux.sources.base import File, Retention, Source, SourceContext
from pollux.sources.handoff_place import HandoffPlace, HandoffRequest
from pollux.sources.rehome_plan import RehomePlan, Rename, Rewrite
from pollux.sources.resume_command import Program, ResumeCommand, ResumeRequest
from pollux.sources.resume_files import FileVersion, ResumeFile
from pollux.sources.tool_host import ServerSettings, SkillFolder, Surroundings
from pollux.text.shell import shell_word

if TYPE_CHECKING:
    from pollux.sources.database.documents import Document
    from pollux.writers.native.conversation import NativeFormat

__all__ = [
    "Announces",
    "Continues",
    "FileVersion",
    "HandoffPlace",
    "HandoffRequest",
    "HostsTools",
    "Marks",
    "Program",
    "Receives",
    "Refreshes",
    "RehomePlan",
    "Rehomes",
    "Rename",
    "ResumeCommand",
    "ResumeFile",
    "ResumeRequest",
    "Resumes",
    "Retains",
    "Retention",
    "Rewrite",
    "ServerSettings",
    "SkillFolder",
    "Surroundings",
    "Unpacks",
]


@runtime_checkable
class Retains(Protocol):
    """Knows when the agent deletes sessions by itself."""

    def retention(self, root: Path) -> Retention | None:
        """When it deletes, and which setting changes that; None if it never does."""


@runtime_checkable
class Refreshes(Protocol):
    """Knows where the agent writes into a session's file when the session was last used."""

    def refresh(self, path: str, content: bytes, at: datetime) -> bytes:
        """The file with this time as the session's last use; unchanged if the file does not say when that was."""


@runtime_checkable
class Rehomes(Protocol):
    """Knows which files must change if a project gets another path."""

    def plan_rehome(self, root: Path, moved: Mapping[str, str]) -> RehomePlan | None:
        """What must change under a root so that the agent finds histories under new paths; None if nothing can."""


@runtime_checkable
class Resumes(Protocol):
    """Can make files that the agent resumes, from what is left of a session."""

    def resume_files(self, session: Session, versions: Sequence[FileVersion], root: Path) -> list[ResumeFile]:
        """The files, made of all versions of the session's files."""

    def join_versions(self, versions: Sequence[FileVersion]) -> bytes | None:
        """Join all versions of a file; the last version stays unchanged. None if that is not possible."""


@runtime_checkable
class Unpacks(Protocol):
    """Gives the sessions in the agent's databases as documents, which the archive keeps instead of the databases."""

    def documents(self, root: Path, files: Iterable[File], context: SourceContext) -> Iterable[Document]:
        """The documents of all sessions in these files. Raises `Unreadable` where a database cannot be read."""


@runtime_checkable
class Continues(Protocol):
    """Knows the command by which the agent goes on with a session."""

    def resume_program(self) -> Program | None:
        """The agent's program; None if no program goes on with a session."""

    def resume_command(self, request: ResumeRequest) -> ResumeCommand:
        """The command. Raises `CannotResume` where the agent has none."""

    def running_sessions(self, root: Path) -> Mapping[int, str]:
        """The ids of the sessions that are open, by process, as far as the agent notes that itself."""


@runtime_checkable
class Receives(Protocol):
    """Knows where a conversation goes that is handed over to the agent."""

    def handoff_place(self, request: HandoffRequest) -> HandoffPlace:
        """The place of its file, and the command. Raises `CannotResume` where the agent cannot go on with one."""

    def native_format(self) -> NativeFormat:
        """What writes such a file."""

    def instructions_file(self) -> str | None:
        """The name of the file in a project from which the agent takes instructions; None if it takes none."""


@runtime_checkable
class HostsTools(Protocol):
    """Starts servers that offer tools, and reads skills."""

    def home_folder(self, around: Surroundings) -> Path:
        """The agent's own folder, which need not exist."""

    def server_settings(self, around: Surroundings) -> Sequence[ServerSettings]:
        """The files in which it looks for servers."""

    def skill_folders(self, around: Surroundings) -> Sequence[SkillFolder]:
        """The folders in which it looks for skills."""


@runtime_checkable
class Announces(Protocol):
    """Knows how the agent tells programs that it starts which session it is writing."""

    def own_session(self, environ: Mapping[str, str], meta: Mapping[str, Any]) -> str | None:
        """The id of the session, by the program's environment and what a call says of itself; None if neither says."""


@runtime_checkable
class Marks(Protocol):
    """Knows what the agent leaves in its working directories."""

    @property
    def marks(self) -> tuple[str, ...]:
        """Names of files and folders that mark such a directory."""


CAPABILITIES = (Retains, Rehomes, Resumes, Continues, Receives, HostsTools, Announces, Marks, Unpacks)


def marks_of(source: object) -> tuple[str, ...]:
    """The names that an agent leaves in its working directories; none if its source does not say."""
    return source.marks if isinstance(source, Marks) else ()


def own_session_of(source: object, environ: Mapping[str, str], meta: Mapping[str, Any]) -> str | None:
    """The id of the session that an agent is writing; None if its source does not say."""
    return source.own_session(environ, meta) if isinstance(source, Announces) else None


def retention_of(source: object, root: Path) -> Retention | None:
    """When an agent deletes sessions; None if it never does, or if its source does not say."""
    return source.retention(root) if isinstance(source, Retains) else None


def refreshed_content(source: object, path: str, content: bytes, at: datetime) -> bytes:
    """A file with this time as its session's last use; unchanged if its source does not say where that stands."""
    return source.refresh(path, content, at) if isinstance(source, Refreshes) else content


def documents_of(source: object, root: Path, files: Iterable[File], context: SourceContext) -> Iterable[Document]:
    """The sessions in an agent's databases as documents; none if its source has no databases."""
    return source.documents(root, files, context) if isinstance(source, Unpacks) else ()


def rehome_plan_of(source: object, root: Path, moved: Mapping[str, str]) -> RehomePlan | None:
    """What must change under a root if projects were moved; None if the source does not say."""
    return source.plan_rehome(root, moved) if isinstance(source, Rehomes) else None


def resume_files_of(source: object, session: Session, versions: Sequence[FileVersion], root: Path) -> list[ResumeFile]:
    """Files that an agent can resume; none if its source cannot make them."""
    return source.resume_files(session, versions, root) if isinstance(source, Resumes) else []


def joined_versions_of(source: object, versions: Sequence[FileVersion]) -> bytes | None:
    """All versions of a file in one; None if the source cannot join them."""
    return source.join_versions(versions) if isinstance(source, Resumes) else None


def program_of(source: object) -> Program | None:
    """The program that goes on with an agent's sessions; None if its source does not say."""
    return source.resume_program() if isinstance(source, Continues) else None


def resume_command_of(source: Source, request: ResumeRequest) -> ResumeCommand:
    """The command by which an agent goes on with a session. Raises `CannotResume` where it has none."""
    if isinstance(source, Continues):
        return source.resume_command(request)
    raise CannotResume(
        "agent",
        f"pollux does not know how {source.title} goes on with a session.",
        f"Try: pollux show {shell_word(request.session.key)}",
    )


def running_sessions_of(source: object, root: Path) -> Mapping[int, str]:
    """The ids of the sessions that are open, by process; none if the source does not say."""
    return source.running_sessions(root) if isinstance(source, Continues) else {}


def native_format_of(source: Source) -> NativeFormat:
    """What writes a conversation as a file of an agent. Raises `CannotResume` where nothing does."""
    if isinstance(source, Receives):
        return source.native_format()
    raise _cannot_receive(source)


def handoff_place_of(source: Source, request: HandoffRequest) -> HandoffPlace:
    """Where a conversation goes that is handed over to an agent. Raises `CannotResume` where it cannot be."""
    if isinstance(source, Receives):
        return source.handoff_place(request)
    raise _cannot_receive(source)


def _cannot_receive(source: Source) -> CannotResume:
    return CannotResume(
        "agent",
        f"pollux does not know how to hand a conversation over to {source.title}.",
        "Try: pollux export KEY --to markdown, and show it to the agent",
    )


def instructions_file_of(source: object) -> str | None:
    """The file in a project from which an agent takes instructions; None if its source does not say."""
    return source.instructions_file() if isinstance(source, Receives) else None


def home_folder_of(source: object, around: Surroundings) -> Path | None:
    """The agent's own folder; None if its source does not say."""
    return source.home_folder(around) if isinstance(source, HostsTools) else None


def server_settings_of(source: object, around: Surroundings) -> Sequence[ServerSettings]:
    """The files in which an agent looks for servers; none if its source does not say."""
    return source.server_settings(around) if isinstance(source, HostsTools) else ()


def skill_folders_of(source: object, around: Surroundings) -> Sequence[SkillFolder]:
    """The folders in which an agent looks for skills; none if its source does not say."""
    return source.skill_folders(around) if isinstance(source, HostsTools) else ()
