"""Hands a session over to an agent: plans it, writes it, keeps a record of it, and takes it back."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

from msgspec.structs import replace

from pollux import registry
from pollux.archive.restore import FileToWrite, in_place, plan as plan_files
from pollux.errors import CannotResume, OutputError
from pollux.library.handoff.plan import HandoffPlan
from pollux.library.handoff.record import HandedOver, HandoffRecord
from pollux.library.handoff.undo import Undone, find_handover, take_back
from pollux.library.handoff.warnings import Expected, warnings
from pollux.library.handoff.write import require_new, write
from pollux.library.resume.installed import folder_to_go_on_in, installed
from pollux.model import Kind, Session
from pollux.sources.capabilities import Receives, handoff_place_of, native_format_of
from pollux.sources.handoff_place import AppendedLine, HandoffPlace, HandoffRequest
from pollux.system.clock import now
from pollux.system.files import count_names
from pollux.system.output_file import to_bytes
from pollux.system.programs import run
from pollux.text.shell import shell_word
from pollux.wire import display_path
from pollux.writers.native.conversation import id_for
from pollux.writers.native.draft import draft
from pollux.writers.native.options import AS_IT_WAS, DraftOptions

if TYPE_CHECKING:
    from pollux.library.fresh_index import FreshIndex
    from pollux.library.homes import Homes
    from pollux.library.reader import SessionReader
    from pollux.sources.base import Source
    from pollux.sources.resume_command import Release
    from pollux.system.directories import Places
    from pollux.transforms.redact import Redactor
    from pollux.writers.native.account import Account
    from pollux.writers.native.conversation import Conversation, NativeFormat

SHARE = 0.6
"""How much of a model's window a conversation may fill, if nobody says otherwise."""


class HandoffService:
    """Hands sessions over to agents. Nothing is written before `write`, and nothing is ever written over."""

    def __init__(self, places: Places, homes: Homes, index: FreshIndex, reader: SessionReader, here: Path) -> None:
        self._places = places
        self._homes = homes
        self._index = index
        self._reader = reader
        self._here = here
        self._record = HandoffRecord(places.handed_over)

    def plan(
        self,
        session: Session | str,
        to: str,
        options: DraftOptions = AS_IT_WAS,
        *,
        folder: str | None = None,
        redactor: Redactor | None = None,
    ) -> HandoffPlan:
        """A session, or the one of a key, an id, `last` or a file, as a new session of the agent `to`.

        `folder` is where to go on instead of the session's own. Without `fit` in the options, the conversation is made
        to fit into a part of the window of the agent's models, if that is known. Raises `CannotResume` where the agent
        cannot go on with it, and `RequestError` where there is nothing to go on with.
        """
        self._homes.require_agent(to)
        origin = self._named(session) if isinstance(session, str) else session
        _require_answers(origin)
        source = self._homes.source(to)
        target = native_format_of(source)
        again = f"pollux handoff {shell_word(origin.key)} --to {to}"
        place = os.path.realpath(folder_to_go_on_in(origin, folder, self._here, again))
        clean = redactor(origin) if redactor is not None else origin
        program = installed(source, self._places)
        request = self._request(clean, source, target, place, program.release)
        there = handoff_place_of(source, request)
        require_new(there.file)
        conversation, account = draft(
            clean,
            _fitting(options, target),
            target,
            id=request.id,
            folder=place,
            at=request.at,
            agent_title=self._title(origin.agent),
        )
        expected = Expected(
            folder=place, chosen=folder, again=again, installed=program.path is not None, redacted=redactor is not None
        )
        own = self._homes.source(origin.agent) if self._is_known(origin.agent) else None
        return HandoffPlan(
            origin=origin.key,
            title=conversation.title,
            agent=to,
            agent_title=source.title,
            id=request.id,
            key=f"{to}:{request.id}" if there.keeps_id else None,
            at=request.at,
            folder=place,
            words=there.words,
            before=there.before,
            environ=there.environ,
            program=program.path,
            contents=tuple(plan_files(_files(there, target, replace(conversation, provider=there.provider)))),
            appended=_appendable(there),
            account=_with_origins(account, origin) if redactor is not None else account,
            redacted=redactor.count if redactor is not None else None,
            warnings=tuple(warnings(origin, there, source, own, expected)),
        )

    def _named(self, name: str) -> Session:
        """The session of a name. Only when all sessions are read, its folder is known."""
        self._index.wait_for_all()
        return self._reader.session(name)

    def _request(
        self, session: Session, source: Source, target: NativeFormat, folder: str, release: Release | None
    ) -> HandoffRequest:
        """What the source of the target is asked."""
        at = now()
        return HandoffRequest(
            id=id_for(target, _new_id(session.key, source.name, folder, at), at),
            title=session.title,
            at=at,
            folder=folder,
            roots=tuple(root.path for root in source.roots(self._places.environ, self._places.home)),
            own=self._places.handed_over / "sessions",
            release=release,
            environ=self._places.environ,
            home=self._places.home,
        )

    def agents(self) -> dict[str, str]:
        """The agents that sessions can be handed over to: their names, and what they are called."""
        sources = (registry.source(name) for name in registry.source_names())
        return {source.name: source.title for source in sources if isinstance(source, Receives)}

    def write(self, plan: HandoffPlan) -> HandoffPlan:
        """Write what was planned, all of it or nothing, and note it in the record.

        Raises `OutputError` where it cannot be written or a file of that name appeared meanwhile, and `StoreError`
        where the record cannot be kept; then nothing is written.
        """
        write(plan, self._record)
        self._index.close()  # the next question finds the new session
        return replace(plan, written=True)

    def take_over(self, plan: HandoffPlan) -> None:
        """Let the agent take over what was written, where it must do so before it goes on. Raises `OutputError`."""
        if not plan.before:
            return
        plan.require_program()
        said = run([plan.program or "", *plan.before[1:]], plan.folder, plan.environment(self._places.environ))
        if said.status != 0 or plan.id not in said.text:
            raise OutputError(f"{plan.agent_title} did not take the session over: {said.text}", f"Try: {plan.line}")

    def undo(self, name: str) -> Undone:
        """Remove what a hand-over wrote, by the key of the new session or of its origin: then the last hand-over.

        Raises `NotFound` where there is none, and `OutputError` where the agent went on with the new session.
        """
        entry = find_handover(name, self._record.all(), self._reader)
        undone = take_back(entry)
        self._record.remove(entry)
        self._index.close()
        return replace(undone, stays=self._stays(entry))

    def _stays(self, entry: HandedOver) -> bool | None:
        """Does the agent have a session of its own of what it took over?"""
        if entry.key is None:
            return None
        return any(one.summary.key == entry.key and not one.summary.kept for one in self._index.everything())

    def all(self) -> list[HandedOver]:
        """All hand-overs that were not undone, the oldest first."""
        return self._record.all()

    @staticmethod
    def _is_known(agent: str) -> bool:
        return agent in registry.source_names()

    def _title(self, agent: str) -> str:
        """The name of an agent for people. A document may come from an agent that is not known here."""
        return self._homes.source(agent).title if self._is_known(agent) else agent


def _require_answers(session: Session) -> None:
    """Raise `CannotResume` where nothing but the user's own prompts is left of a session."""
    if session.kind is Kind.PROMPTS:
        hint = f"Try: pollux show {shell_word(session.key)}"
        raise CannotResume(
            "prompts", f"Only typed prompts are left of {shell_word(session.key)}, and no answers.", hint
        )


def _new_id(origin: str, agent: str, folder: str, at: datetime) -> str:
    """The id of a hand-over: at another time it is another one."""
    name = f"{origin}\n{agent}\n{folder}\n{at.isoformat()}".encode("utf-8", "backslashreplace")
    return str(UUID(bytes=hashlib.sha256(name).digest()[:16], version=4))


def _fitting(options: DraftOptions, target: NativeFormat) -> DraftOptions:
    """The options with a limit of tokens: the user's, or else a part of the window. A limit of 0 means none."""
    if options.fit is not None:
        return replace(options, fit=options.fit or None)
    return replace(options, fit=int(SHARE * target.window) if target.window is not None else None)


def _with_origins(account: Account, session: Session) -> Account:
    """An account with the places of the messages as they are: a redactor takes the user's name out of paths."""
    origins = {message.id: message.origin for message in session.messages}
    return replace(account, items=tuple(replace(item, origin=origins.get(item.message)) for item in account.items))


def _appendable(there: HandoffPlace) -> AppendedLine | None:
    """The line to add, where the file is one that may be written to: no link, and no second name."""
    if there.appended is None or there.root is None:
        return None
    with contextlib.suppress(OSError):
        if count_names(there.appended.path) <= 1:
            return there.appended
    return None


def _files(there: HandoffPlace, target: NativeFormat, conversation: Conversation) -> list[FileToWrite]:
    """The file of the conversation, then those beside it that are missing."""
    buffer, digest = io.BytesIO(), hashlib.sha256()
    for line in target.lines(conversation):
        raw = to_bytes(line)
        digest.update(raw)
        buffer.write(raw)
    content = buffer.getvalue()
    main = FileToWrite(_safe(there.file, there.root), len(content), digest.hexdigest(), 0, partial(bytes, content))
    return [main, *(_beside(new.path, new.content, there.root) for new in there.beside)]


def _beside(path: Path, content: bytes, root: Path | None) -> FileToWrite:
    digest = hashlib.sha256(content).hexdigest()
    return FileToWrite(_safe(path, root), len(content), digest, 0, partial(bytes, content), beside=True)


def _safe(file: Path, root: Path | None) -> Path:
    """The place of a file with all links followed. Raises `OutputError` where they lead out of the agent's folder."""
    if root is None:
        return file
    try:
        return in_place(root.parent, str(file.relative_to(root.parent)), [root])
    except OSError as error:
        raise OutputError(f"{display_path(file)} cannot be written: {error.strerror or error}.") from error
