"""What the tools work with: the library, the project of the agent that asks, and its own session."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from pollux.errors import RequestError, UnknownName
from pollux.library.for_agents.service import ForAgents
from pollux.library.for_agents.state import StatedName, split_state
from pollux.library.library import Library
from pollux.model import Session
from pollux.model.names import project_name
from pollux.system.clock import local, now
from pollux.text.fence import harmless_line
from pollux.text.figures import plural

_JUST_NOW = timedelta(minutes=2)


class Desk:
    """Answers what several tools ask. With `redact`, no answer has a secret."""

    def __init__(self, library: Library, directory: Path, *, redact: bool) -> None:
        self.library = library
        self.view: ForAgents = library.for_agents
        self.directory = directory
        self.redact = redact
        self._own: set[str] = set()

    def begin(self, meta: Mapping[str, Any]) -> None:
        """Begin with a call: look for what changed since the last one. `meta` is what the call says of itself."""
        self.view.look_again()
        self._own = self.view.own_sessions(meta)

    @property
    def here(self) -> str | None:
        """The project of the agent that asks."""
        return self.view.project_at(self.directory)

    def own(self, without: Iterable[str]) -> set[str]:
        """The keys of the sessions to leave out: those that are named, and the one that the agent is writing."""
        keys = set(self._own)
        for name in without:
            with suppress(UnknownName):  # what is unknown is left out anyway
                keys.add(self.session_key(name))
        return keys

    def session_key(self, name: str) -> str:
        """The whole key of the session that a key or a citation names. Raises `UnknownName`."""
        return self.view.session_key(key_of(name).name.partition("#")[0])

    def line(self, text: str, length: int | None = None) -> str:
        """An old text on one line, without secrets and without harm."""
        clean = self.view.redacted_text(text) if self.redact else text
        return harmless_line(clean, length)

    def brief(self, session: Session, tokens: int) -> str:
        """The brief of a session, without the lines around it."""
        redactor = self.view.redactor() if self.redact else None
        return self.library.brief.of(session, tokens=tokens, redactor=redactor).body

    def remarks(self) -> list[str]:
        """What the answer lacks: sessions that are not read yet."""
        index = self.library.index
        index.complete_later()
        if not index.busy:
            return []
        far = f" ({plural(index.unread_files, 'file')} to go)" if index.unread_files else ""
        return [f"Not all sessions are read yet{far}, so this may be incomplete: ask again in a minute."]


def key_of(name: str) -> StatedName:
    """The name and the state of a key that an agent gave. Raises `RequestError` for what looks like a path."""
    plain, state = split_state(name)
    if any(sign in plain for sign in ("/", "\\", "~")) or plain.startswith("."):
        raise RequestError("This is no key: a key looks like agent:6403bd4e, and list_sessions tells them.")
    return StatedName(plain, state)


def project(path: str | None) -> str:
    """The name of a project."""
    return project_name(path) if path else "no project"


def when(moment: datetime | None, day: datetime | None = None) -> str:
    """A time as people here read it; without the date, if it is on this day."""
    if moment is None:
        return "no date"
    is_same = day is not None and local(day).date() == local(moment).date()
    return local(moment).strftime("%H:%M" if is_same else "%Y-%m-%d %H:%M")


def is_being_written(ended: datetime | None) -> bool:
    """Was a session written to just now?"""
    return ended is not None and now() - ended < _JUST_NOW
