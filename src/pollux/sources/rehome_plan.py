"""The changes to an agent's own files that let it find a project's history under another path."""

from __future__ import annotations

from pollux.model import Value


class Rename(Value, frozen=True, kw_only=True):
    """A folder that gets another name, with its content unchanged."""

    path: str
    to: str


class Rewrite(Value, frozen=True, kw_only=True):
    """A file that gets other bytes; `what` describes the difference."""

    path: str
    before: bytes
    after: bytes
    what: str


class RehomePlan(Value, frozen=True, kw_only=True):
    """All changes for an agent. It writes such sessions into `folders`. `left` says what cannot change, and why."""

    steps: tuple[Rename | Rewrite, ...] = ()
    folders: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
