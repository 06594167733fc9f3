"""What an agent's own files must become so that it finds a project's history under another path."""

from __future__ import annotations

from pollux.model import Value


class Rename(Value, frozen=True, kw_only=True):
    """A folder that gets another name, with all that is in it as it is."""

    path: str
    to: str


class Rewrite(Value, frozen=True, kw_only=True):
    """A file that gets other bytes, and what differs in it."""

    path: str
    before: bytes
    after: bytes
    what: str


class Moving(Value, frozen=True, kw_only=True):
    """All that an agent needs. `folders` are those it writes such sessions into; `left` says what stays, and why."""

    steps: tuple[Rename | Rewrite, ...] = ()
    folders: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
