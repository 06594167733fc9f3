"""A source that forwards to another one. Subclasses change single methods."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pollux.model import Session
from pollux.sources.base import Bundle, File, Reading, Retention, Root, Source, SourceContext
from pollux.sources.capabilities import (
    documents_of,
    handoff_place_of,
    home_folder_of,
    instructions_file_of,
    joined_versions_of,
    marks_of,
    native_format_of,
    own_session_of,
    program_of,
    refreshed_content,
    rehome_plan_of,
    resume_command_of,
    resume_files_of,
    retention_of,
    running_sessions_of,
    server_settings_of,
    skill_folders_of,
)
from pollux.sources.handoff_place import HandoffPlace, HandoffRequest
from pollux.sources.rehome_plan import RehomePlan
from pollux.sources.resume_command import Program, ResumeCommand, ResumeRequest
from pollux.sources.resume_files import FileVersion, ResumeFile
from pollux.sources.tool_host import ServerSettings, SkillFolder, Surroundings

if TYPE_CHECKING:
    from pollux.sources.database.documents import Document
    from pollux.writers.native.conversation import NativeFormat


class SourceWrapper:
    """Forwards every method to the source inside."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.name = source.name
        self.title = source.title
        self.marks = marks_of(source)

    def roots(self, environ: Mapping[str, str], home: Path) -> list[Root]:
        """Where the agent keeps sessions."""
        return self.source.roots(environ, home)

    def find(self, root: Path) -> Iterator[File]:
        """Every file under a root."""
        return self.source.find(root)

    def bundles(self, root: Path, files: Iterable[File], context: SourceContext) -> list[Bundle]:
        """The sessions among the files."""
        return self.source.bundles(root, files, context)

    def read(self, bundle: Bundle) -> Reading:
        """One session and the sessions inside it."""
        return self.source.read(bundle)

    def recognizes(self, path: Path, head: bytes) -> bool:
        """Is this a file of this agent?"""
        return self.source.recognizes(path, head)

    def bundle_of_file(self, path: Path, context: SourceContext) -> Bundle:
        """The bundle of a single file."""
        return self.source.bundle_of_file(path, context)

    def refresh(self, path: str, content: bytes, at: datetime) -> bytes:
        """A file with this time as its session's last use."""
        return refreshed_content(self.source, path, content, at)

    def documents(self, root: Path, files: Iterable[File], context: SourceContext) -> Iterable[Document]:
        """The sessions in the agent's databases as documents; none if it has no databases."""
        return documents_of(self.source, root, files, context)

    def retention(self, root: Path) -> Retention | None:
        """When the agent deletes sessions; None if the source does not say."""
        return retention_of(self.source, root)

    def plan_rehome(self, root: Path, moved: Mapping[str, str]) -> RehomePlan | None:
        """What must change where projects were moved; None if the source does not say."""
        return rehome_plan_of(self.source, root, moved)

    def resume_files(self, session: Session, versions: Sequence[FileVersion], root: Path) -> list[ResumeFile]:
        """Files that the agent resumes; none if the source cannot make them."""
        return resume_files_of(self.source, session, versions, root)

    def join_versions(self, versions: Sequence[FileVersion]) -> bytes | None:
        """One content for all versions of a file; None if the source cannot make it."""
        return joined_versions_of(self.source, versions)

    def resume_program(self) -> Program | None:
        """The agent's program; None if the source does not say."""
        return program_of(self.source)

    def resume_command(self, request: ResumeRequest) -> ResumeCommand:
        """The command by which the agent goes on with a session. Raises `CannotResume` where it has none."""
        return resume_command_of(self.source, request)

    def running_sessions(self, root: Path) -> Mapping[int, str]:
        """The ids of the sessions that are open, by process; none if the source does not say."""
        return running_sessions_of(self.source, root)

    def handoff_place(self, request: HandoffRequest) -> HandoffPlace:
        """Where a conversation goes that is handed over. Raises `CannotResume` where it cannot be."""
        return handoff_place_of(self.source, request)

    def native_format(self) -> NativeFormat:
        """What writes a conversation as a file of the agent. Raises `CannotResume` where nothing does."""
        return native_format_of(self.source)

    def own_session(self, environ: Mapping[str, str], meta: Mapping[str, Any]) -> str | None:
        """The id of the session that the agent is writing; None if the source does not say."""
        return own_session_of(self.source, environ, meta)

    def instructions_file(self) -> str | None:
        """The file in a project from which the agent takes instructions; None if the source does not say."""
        return instructions_file_of(self.source)

    def home_folder(self, around: Surroundings) -> Path | None:
        """The agent's own folder; None if the source does not say."""
        return home_folder_of(self.source, around)

    def server_settings(self, around: Surroundings) -> Sequence[ServerSettings]:
        """The files in which the agent looks for servers; none if the source does not say."""
        return server_settings_of(self.source, around)

    def skill_folders(self, around: Surroundings) -> Sequence[SkillFolder]:
        """The folders in which the agent looks for skills; none if the source does not say."""
        return skill_folders_of(self.source, around)
