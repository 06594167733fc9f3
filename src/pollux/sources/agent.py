"""A source whose methods are functions in the modules of a package."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from pollux.errors import CannotResume
from pollux.model import FACTS
from pollux.sources.base import Bundle, File, Reading, Retention, Root, SourceContext
from pollux.system.gc_pause import gc_paused

if TYPE_CHECKING:
    from pollux.model import AgentDescription, Message, Session, ToolCall
    from pollux.sources.database.documents import Document
    from pollux.sources.handoff_place import HandoffPlace, HandoffRequest
    from pollux.sources.rehome_plan import RehomePlan
    from pollux.sources.resume_command import Program, ResumeCommand, ResumeRequest
    from pollux.sources.resume_files import FileVersion, ResumeFile
    from pollux.sources.tool_host import ServerSettings, SkillFolder, Surroundings
    from pollux.writers.native.conversation import NativeFormat


class Agent:
    """The modules of a package as a `Source` with all capabilities: `find`, `group`, `read`, `description` and so on.

    Each is imported when it is needed: usually nothing has changed, and only `find` is needed. `databases`: the package
    has a module `documents`.
    """

    def __init__(
        self, name: str, title: str, package: str, *, marks: tuple[str, ...] = (), databases: bool = False
    ) -> None:
        self.name = name
        self.title = title
        self.marks = marks
        self._package = package
        self._databases = databases
        self._modules: dict[str, Any] = {}

    def _module(self, name: str) -> Any:
        if name not in self._modules:
            self._modules[name] = import_module(f"{self._package}.{name}")
        return self._modules[name]

    def roots(self, environ: Mapping[str, str], home: Path) -> list[Root]:
        """Where this agent keeps sessions."""
        folders: list[Root] = self._module("find").roots(environ, home)
        return folders

    def find(self, root: Path) -> Iterator[File]:
        """Every file under a root, and files next to it that concern sessions."""
        files: Iterator[File] = self._module("find").find(root)
        return files

    def bundles(self, root: Path, files: Iterable[File], context: SourceContext) -> list[Bundle]:
        """The sessions among the files."""
        groups: list[Bundle] = self._module("group").bundles(root, files, context)
        return groups

    def read(self, bundle: Bundle) -> Reading:
        """One session and the sessions inside it."""
        with gc_paused():
            from pollux.sources.gaps import with_damage

            reading: Reading = self._module("read").read(bundle)
            sessions = with_damage(reading.sessions, bundle)
            facts = self._module("description").facts
            return replace(reading, sessions=[_with_facts(session, facts(session)) for session in sessions])

    def documents(self, root: Path, files: Iterable[File], context: SourceContext) -> Iterable[Document]:
        """The sessions in the agent's databases as documents; none where it has no databases."""
        if not self._databases:
            return ()
        documents: Iterable[Document] = self._module("documents").documents(root, files, context)
        return documents

    def describe(self, session: Session) -> AgentDescription:
        """The names of the agent in other formats."""
        description: AgentDescription = self._module("description").describe(session)
        return description

    def answer(self, call: ToolCall) -> Any:
        """A tool's answer as the agent wrote it, if that is still known."""
        return self._module("description").answer(call)

    def compacts(self, message: Message) -> bool:
        """Does a message only say that the conversation was compacted?"""
        compacts: bool = self._module("description").compacts(message)
        return compacts

    def retention(self, root: Path) -> Retention | None:
        """When this agent deletes sessions; None if it never does."""
        retention: Retention | None = self._module("retention").retention(root)
        return retention

    def refresh(self, path: str, content: bytes, at: datetime) -> bytes:
        """A session's file with this time as the session's last use, if the agent finds that in the file."""
        new: bytes = self._module("retention").refresh(path, content, at)
        return new

    def plan_rehome(self, root: Path, moved: Mapping[str, str]) -> RehomePlan | None:
        """What must change under a root so that the agent finds histories under new paths."""
        plan: RehomePlan | None = self._module("rehome").plan_rehome(root, moved)
        return plan

    def resume_files(self, session: Session, versions: Sequence[FileVersion], root: Path) -> list[ResumeFile]:
        """Files from which the agent resumes a session, made of all versions of its files."""
        files: list[ResumeFile] = self._module("resume").resume_files(session, versions, root)
        return files

    def join_versions(self, versions: Sequence[FileVersion]) -> bytes | None:
        """One content with everything from all versions of a file, the last version unchanged."""
        content: bytes | None = self._module("resume").join_versions(versions)
        return content

    def resume_program(self) -> Program:
        """The agent's program."""
        program: Program = self._module("resume_command").PROGRAM
        return program

    def resume_command(self, request: ResumeRequest) -> ResumeCommand:
        """The command by which the agent goes on with a session. Raises `CannotResume` where it has none."""
        command: ResumeCommand = self._module("resume_command").resume_command(request)
        return command

    def running_sessions(self, root: Path) -> Mapping[int, str]:
        """The ids of the sessions that are open, by process, as far as the agent notes that itself."""
        sessions: Mapping[int, str] = self._module("resume_command").running_sessions(root)
        return sessions

    def handoff_place(self, request: HandoffRequest) -> HandoffPlace:
        """Where a conversation goes that is handed over. Raises `CannotResume` where the agent cannot go on with it."""
        place: HandoffPlace = self._module("handoff_place").handoff_place(request)
        return place

    def native_format(self) -> NativeFormat:
        """What writes a conversation as a file that the agent resumes. Raises `CannotResume` where nothing does."""
        if find_spec(f"{self._package}.native") is None:
            raise CannotResume(
                "agent",
                f"pollux does not know how to hand a conversation over to {self.title}.",
                "Try: pollux export KEY --to markdown, and show it to the agent",
            )
        native: NativeFormat = self._module("native").FORMAT
        return native

    def instructions_file(self) -> str:
        """The file in a project from which the agent takes instructions."""
        name: str = self._module("handoff_place").INSTRUCTIONS
        return name

    def home_folder(self, around: Surroundings) -> Path:
        """The agent's own folder."""
        folder: Path = self._module("tool_host").home_folder(around)
        return folder

    def server_settings(self, around: Surroundings) -> Sequence[ServerSettings]:
        """The files in which the agent looks for servers that offer tools."""
        settings: Sequence[ServerSettings] = self._module("tool_host").server_settings(around)
        return settings

    def skill_folders(self, around: Surroundings) -> Sequence[SkillFolder]:
        """The folders in which the agent looks for skills."""
        folders: Sequence[SkillFolder] = self._module("tool_host").skill_folders(around)
        return folders

    def own_session(self, environ: Mapping[str, str], meta: Mapping[str, Any]) -> str | None:
        """The id of the session that the agent is writing, as it tells programs that it starts."""
        id: str | None = self._module("own_session").own_session(environ, meta)
        return id

    def recognizes(self, path: Path, head: bytes) -> bool:
        """Is this a file of this agent?"""
        recognized: bool = self._module("group").recognizes(path, head)
        return recognized

    def bundle_of_file(self, path: Path, context: SourceContext) -> Bundle:
        """The bundle of a single file."""
        bundle: Bundle = self._module("group").bundle_of_file(path, context)
        return bundle


def _with_facts(session: Session, pairs: Iterable[tuple[str, Any]]) -> Session:
    """The session with the facts about its surroundings: texts, each once, in their order."""
    facts: dict[str, dict[str, None]] = {}
    for name, value in pairs:
        # Nearly every message says the same again.
        if isinstance(value, str) and value not in facts.get(name, ()) and value.strip():
            facts.setdefault(name, {})[value] = None
    return replace(session, facts={name: tuple(facts[name]) for name in FACTS if name in facts}) if facts else session
