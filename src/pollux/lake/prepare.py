"""Makes the document of a session: with names that may leave the machine, without secrets, without words if asked."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping

import msgspec
from msgspec.structs import replace

from pollux import registry
from pollux.lake.documents import Document, Level
from pollux.lake.figures import figures_only
from pollux.lake.journal import Entry
from pollux.lake.settings import Machine
from pollux.model import Message, Session, ToolCall, Value
from pollux.text.surrogates import spell_surrogates
from pollux.transforms.redact import Redactor
from pollux.writers.base import Options
from pollux.writers.json import WRITER

_SEPARATORS = re.compile(r"[-_.:/#]+")
_NUMBER = re.compile(r"[0-9a-fA-F]+|(?=.*\d)[0-9A-Za-z]{20,}")
_USUAL = frozenset({"", "agent", "call", "checkpoint", "prompts", "ses", "session", "subagent", "toolu"})
"""Words in ids that agents and pollux make."""


class Planned(Value, frozen=True, kw_only=True):
    """A session that is to be pushed: how, and what was pushed of it before. `project` is what the lake calls it."""

    key: str
    id: str
    level: Level
    month: str
    seq: int
    stamp: str
    project: str | None
    before: Entry | None

    @property
    def key_there(self) -> str:
        """The key by which the lake knows it."""
        return f"{self.key.partition(':')[0]}:{self.id}"


class Prepared(Value, frozen=True, kw_only=True):
    """A document that is ready, what the journal notes of it, and the secrets that were taken out, by rule."""

    planned: Planned
    entry: Entry
    project: str | None
    secrets: Mapping[str, int]
    data: bytes

    @property
    def is_new(self) -> bool:
        """Does the lake not know this state yet?"""
        return not self.entry.told


class Preparer:
    """Makes documents of sessions. `ids` has what the lake calls each session, where that is not the agent's own id."""

    def __init__(
        self, person: str, machine: Machine, new_redactor: Callable[[], Redactor], ids: Mapping[str, str] | None = None
    ) -> None:
        self._person = person
        self._machine = machine
        self._new_redactor = new_redactor
        self._names = new_redactor()
        self._ids = ids or {}

    def lake_id(self, key: str, level: Level) -> str:
        """What the lake calls a session: its own id, unless that holds words, or something that must not leave.

        An id stays as it is, so words would stay in it where the level is lowered later.
        """
        id = key.partition(":")[2]
        if level is Level.WHOLE:
            return spell_surrogates(id)
        return id if is_number(id) and self._names.text(id) == id else self._hidden(key)

    def _hidden(self, key: str) -> str:
        digest = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16, key=self._machine.secret)
        return digest.hexdigest()

    def document(self, session: Session, planned: Planned) -> tuple[Document, Mapping[str, int]]:
        """The document of a session, and how many secrets of each rule were taken out."""
        session, secrets = self._clean(self._renamed(session, planned), planned)
        pieces: list[str] = []
        WRITER.write(session, pieces.append, Options())
        document = Document(
            level=planned.level,
            machine=self._machine.id,
            person=self._person,
            key=session.key,
            agent=session.agent,
            id=session.id,
            seq=planned.seq,
            month=planned.month,
            project=session.project,
            redactions=None if planned.level is Level.WHOLE else sum(secrets.values()),
            session=msgspec.Raw("".join(pieces).rstrip().encode()),
        ).sealed()
        before = planned.before
        if before is not None and before.state == document.state:
            document = replace(document, seq=before.seq)
        return document, secrets

    def prepare(self, session: Session, planned: Planned, *, data: bool = True) -> Prepared:
        """The document in its stored form; without `data`, only its size."""
        document, secrets = self.document(session, planned)
        content, before = document.encode(), planned.before
        entry = Entry(
            key=planned.key,
            id=planned.id,
            month=planned.month,
            seq=document.seq,
            state=document.state,
            path=document.path,
            level=planned.level,
            stamp=planned.stamp,
            bytes=len(content),
            redactions=document.redactions,
            told=before is not None and before.told and before.state == document.state,
            at=before.at if before is not None else None,
        )
        kept = content if data else b""
        return Prepared(planned=planned, entry=entry, project=document.project, secrets=secrets, data=kept)

    def _clean(self, session: Session, planned: Planned) -> tuple[Session, Mapping[str, int]]:
        project = planned.project or session.project
        if planned.level is Level.WHOLE:
            clean, secrets = session, dict[str, int]()
        else:
            redactor = self._new_redactor()
            clean = replace(redactor(session), id=session.id, parent=session.parent)
            secrets = redactor.counts
            project = planned.project or clean.project
        if planned.level is Level.FIGURES:
            clean, project = figures_only(clean), planned.project
        return replace(clean, project=spell_surrogates(project) if project else project), secrets

    # ------------------------------------------------------------------ names of sessions

    def _renamed(self, session: Session, planned: Planned) -> Session:
        """The session with the lake's names for itself and for those it is related to."""
        known = {session.agent, *registry.source_names()}

        def rename(key: str) -> str:
            agent, _, id = key.partition(":")
            if planned.level is not Level.WHOLE and (agent not in known or not id):
                return f"{session.agent}:{self._hidden(key)}"
            return f"{agent}:{self._ids.get(key) or self.lake_id(key, planned.level)}" if id else key

        return replace(
            session,
            id=planned.id,
            parent=rename(session.parent) if session.parent is not None else None,
            links=tuple(replace(link, target=rename(link.target)) for link in session.links),
            messages=tuple(_with_renamed_children(message, rename) for message in session.messages),
        )


def _with_renamed_children(message: Message, rename: Callable[[str], str]) -> Message:
    parts = (
        replace(part, child=rename(part.child)) if isinstance(part, ToolCall) and part.child else part
        for part in message.parts
    )
    return replace(message, parts=tuple(parts))


def is_number(id: str) -> bool:
    """Is an id made by chance or counted, so that it tells nothing?"""
    return all(part in _USUAL or _NUMBER.fullmatch(part) for part in _SEPARATORS.split(id))
