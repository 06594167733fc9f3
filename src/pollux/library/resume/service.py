"""Plans how to go on with a session in its own agent, and keeps its files before."""

from __future__ import annotations

import os
import stat
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pollux.errors import CannotResume, NotFound, RequestError, StoreError, Unreadable
from pollux.index.catalogue.queries import CatalogueQueries
from pollux.index.catalogue.values import Filter, SessionLocation
from pollux.library.resume.installed import folder_to_go_on_in, guessed_folder, installed
from pollux.library.resume.open_sessions import open_session
from pollux.library.resume.plan import ResumePlan
from pollux.model import Kind, Summary
from pollux.projects.moves import EVIDENCE
from pollux.sources.base import File, Root, Source
from pollux.sources.capabilities import resume_command_of, retention_of, running_sessions_of
from pollux.sources.database import DATABASE, document_path
from pollux.sources.resume_command import ResumeRequest
from pollux.system.clock import now
from pollux.system.config import load
from pollux.text.shell import shell_word
from pollux.text.suggest import did_you_mean
from pollux.wire import display_path

if TYPE_CHECKING:
    from pollux.library.fresh_index import FreshIndex
    from pollux.library.keeper import Keeper
    from pollux.library.reader import SessionReader
    from pollux.library.session_files import SessionFiles
    from pollux.system.directories import Places

_LONGEST = timedelta.max.days


class ResumeService:
    """Plans how to go on with sessions, and keeps their files before."""

    def __init__(  # noqa: PLR0913
        self,
        places: Places,
        files: SessionFiles,
        index: FreshIndex,
        reader: SessionReader,
        *,
        keeper: Keeper,
        here: Path,
    ) -> None:
        self._places = places
        self._homes = files.homes
        self._scan = files.scan
        self._index = index
        self._reader = reader
        self._keeper = keeper
        self._here = here

    def last_here(self) -> Summary:
        """The session that was last used in the present folder, or in the nearest one above it that has any.

        Raises `NotFound` where there is none. A folder that holds the user's home does not count.
        """
        present = os.path.realpath(self._here)
        home = self._places.home
        projects = {project.path for project in self._index.ask(CatalogueQueries.projects)}
        for folder in (present, *map(str, Path(present).parents)):
            if folder in projects and (folder == present or not home.is_relative_to(folder)):
                for entry in self._index.entries(Filter(project=folder)):
                    if entry.summary.project == folder and not entry.summary.kept:
                        return entry.summary
        raise NotFound(f"No session was held in {display_path(present)}.", "Try: pollux resume KEY, or pollux list")

    def plan(
        self, name: str, *, fork: bool = False, folder: str | None = None, arguments: tuple[str, ...] = ()
    ) -> ResumePlan:
        """How to go on with the session of a key, a unique prefix of an id, `last`, or the path of a file.

        `folder` is another folder than the session's to go on in, `arguments` are more arguments for the agent, after
        those that the settings have for it.
        Raises `CannotResume` where no command can.
        """
        session, source, root = self._find(name)
        self._require_conversation(session)
        known, program, release = installed(source, self._places)
        again = f"pollux resume {shell_word(session.key)}"
        bound = source.title if known is not None and known.stays else None
        place = folder_to_go_on_in(session, folder, self._here, again, bound=bound)
        request = ResumeRequest(
            session=session,
            root=root.path,
            folder=place,
            elsewhere=place != session.project or session.project_evidence == EVIDENCE,
            fork=fork,
            arguments=(*self._remembered(source.name), *arguments),
            release=release,
            environ=self._places.environ,
            home=self._places.home,
        )
        command = resume_command_of(source, request)
        opened = open_session(session, source.title, place, known, running_sessions_of(source, root.path))
        return ResumePlan(
            session=session,
            title=source.title,
            words=command.words,
            folder=place,
            environ=command.environ,
            fork=command.fork,
            program=program,
            files=self._files(session, root),
            opened=opened,
            copies=known is None or known.copies,
            warnings=(
                *guessed_folder(session, folder, again),
                *command.warnings,
                *self._warnings(session, source, root),
            ),
        )

    def _remembered(self, agent: str) -> tuple[str, ...]:
        """The arguments that the settings have for an agent. Raises `RequestError` where they name an unknown one."""
        known = {source.name for source in self._homes.sources()}
        args = load(self._places.settings).resume.args
        for name in args:
            if name not in known:
                hint = did_you_mean(name, sorted(known))
                raise RequestError(f"The settings have `resume.args` for {name!r}, which is no agent.", hint)
        return args.get(agent, ())

    def keep(self, plan: ResumePlan) -> None:
        """Keep the files of a plan as they are now, whether or not every sync does. Raises `StoreError`."""
        _, source, root = self._find(plan.session.key)
        scan = self._scan(source, root)
        databases = {file.path for file in scan.files if file.role == DATABASE}
        files = [file for path in plan.files if path not in databases and (file := _file(path)) is not None]
        ids = [key.partition(":")[2] for key in self._index.family(plan.session.key)] if databases else []
        wanted = {document_path(database, id) for database in databases for id in ids}
        try:
            documents = [scan.documents[path] for path in sorted(wanted & scan.documents.keys())] if wanted else []
        except Unreadable as error:
            raise StoreError(f"Not kept, and so not resumed: {error}", f"To go on without: {plan.line}") from error
        if not files and not documents:
            raise _is_gone(plan.session.key)
        result = self._keeper.archive.keep_files(plan.session.agent, root.path.parent, files, documents)
        if result.unread:
            raise StoreError(f"Not kept, and so not resumed: {result.unread[0]}.", f"To go on without: {plan.line}")

    def _find(self, name: str) -> tuple[Summary, Source, Root]:
        """A session as the agent has it, with its source and its root.

        Only when all sessions are read, its folder and its sub-agents are known.
        """
        self._index.wait_for_all()
        places = self._reader.find(name)
        if not places:
            session = self._reader.session(name)
            raise CannotResume(
                "home",
                f"{name} is in no folder in which pollux looks for sessions of its agent.",
                f"Try: pollux show {shell_word(name)}" if session.files else "Try: pollux list",
            )
        key = places[0].key
        summary = self._index.ask(lambda current: current.summary(key))
        owned = self._own_place(places)
        if summary is None or owned is None:
            raise _is_kept(key)
        source, root = owned
        inside = os.path.join(display_path(root.path), "")  # noqa: PTH118
        own = display_path(root.path)
        files = tuple(file for file in self._index.files_of(key) if file.startswith(inside) or file == own)
        if summary.kept and not files:  # the agent has no more of it than its log of typed prompts
            raise _is_kept(key)
        if files and all(_file(file) is None for file in files):
            raise _is_gone(key)
        return replace(summary, files=files), source, root

    def _own_place(self, places: list[SessionLocation]) -> tuple[Source, Root] | None:
        """The first of some places that is an agent's own; None where all are pollux's."""
        roots = {(source.name, display_path(root.path)): (source, root) for source, root in self._homes.roots()}
        return next((roots[place.agent, place.root] for place in places if (place.agent, place.root) in roots), None)

    @staticmethod
    def _require_conversation(session: Summary) -> None:
        """Raise `CannotResume` for a session that is only part of another one, or no conversation."""
        if session.kind is Kind.SUBAGENT:
            hint = (
                f"Try: pollux resume {shell_word(session.parent)}"
                if session.parent
                else f"Try: pollux show {shell_word(session.key)}"
            )
            raise CannotResume(
                "subagent",
                f"{shell_word(session.key)} is the session of a sub-agent, which only its parent could go on with.",
                hint,
            )
        if session.kind is Kind.PROMPTS:
            hint = f"Try: pollux show {shell_word(session.key)}"
            raise CannotResume("prompts", f"Only typed prompts are left of {shell_word(session.key)}.", hint)

    def _files(self, session: Summary, root: Root) -> tuple[str, ...]:
        """The session's files and those of its sub-agents, as the agent has them."""
        inside = os.path.join(display_path(root.path.parent), "")  # noqa: PTH118
        family = self._index.family(session.key)
        others = sorted(file for key in family if key != session.key for file in self._index.files_of(key))
        return tuple(dict.fromkeys(file for file in (*session.files, *others) if file.startswith(inside)))

    @staticmethod
    def _warnings(session: Summary, source: Source, root: Root) -> list[str]:
        warnings = []
        if session.kept:
            warnings.append(
                f"pollux has kept more of it than its files hold: pollux recover {shell_word(session.key)} shows all."
            )
        retention = retention_of(source, root.path)
        used = session.ended or session.started
        if retention is not None and not any(map(retention.concerns, session.files)):
            retention = None
        if retention is not None and retention.days is not None and used is not None:
            limit = timedelta(days=min(retention.days, _LONGEST))
            if now() - used > limit:
                days = f"{retention.days:g} days"
                warnings.append(f"{source.title} may delete it when it starts: it was not used for more than {days}.")
        return warnings


def _is_kept(key: str) -> CannotResume:
    """The error for a session that only pollux has."""
    return CannotResume(
        "kept",
        f"The files of {key} are gone; only pollux has kept them.",
        f"Try: pollux recover {shell_word(key)} --in-place, then pollux resume {shell_word(key)}",
    )


def _is_gone(key: str) -> CannotResume:
    """The error for a session that was deleted after the cache had looked."""
    hint = f"What pollux has kept of it: pollux history {shell_word(key)}"
    return CannotResume("gone", f"The files of {key} were just deleted.", hint)


def _file(path: str) -> File | None:
    """A file as it is now; None where it is gone."""
    try:
        facts = os.stat(path)  # noqa: PTH116
    except (FileNotFoundError, NotADirectoryError):
        return None
    mode = stat.S_IMODE(facts.st_mode)
    return File(path=path, role="", size=facts.st_size, mtime_ns=facts.st_mtime_ns, inode=facts.st_ino, mode=mode)
