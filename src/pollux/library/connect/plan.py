"""What connecting agents with pollux would change, file by file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

from pollux.model import Value
from pollux.sources.tool_host import Scope

NAME = "pollux"
"""The name of the server, and of the skill."""


class Change(StrEnum):
    """What happens to an entry or a skill.

    `renew` changes one of pollux's own, `replace` somebody else's. `none`: it is as it should be. `absent`: there is
    nothing to remove. `left`: it is somebody else's, and stays.
    """

    ADD = "add"
    RENEW = "renew"
    REPLACE = "replace"
    REMOVE = "remove"
    NONE = "none"
    ABSENT = "absent"
    LEFT = "left"

    @property
    def writes(self) -> bool:
        """Does it change a file?"""
        return self in (Change.ADD, Change.RENEW, Change.REPLACE, Change.REMOVE)


class Step(Value, frozen=True, kw_only=True):
    """One file: what is in it now, and what will be. None: there is no file.

    Several agents may read one file. `names` is the path of the entry in the file; a skill is a file of its own and has
    none. `entry_before` and `entry_after` are the entry alone. `base` is a folder that stays even if it is empty.
    `lock` is a folder that the agent makes as long as it writes the file. `own`: all that is in the file is pollux's,
    and unchanged. Any other file is kept as it was, once it was replaced: `copy` is where. `again` plans the same once
    more: an agent may change something else in its settings before this is written.
    """

    agents: tuple[str, ...]
    titles: tuple[str, ...]
    scope: Scope
    change: Change
    place: Path
    base: Path
    before: bytes | None
    after: bytes | None
    names: tuple[str, ...] = ()
    entry_before: Mapping[str, Any] | None = None
    entry_after: Mapping[str, Any] | None = None
    fragment: str = ""
    notes: tuple[str, ...] = ()
    lock: Path | None = None
    own: bool = False
    copy: Path | None = None
    again: Callable[[], Step] | None = None

    def is_same_as(self, other: Step) -> bool:
        """Does another step do the same to the entry, in a file that may differ elsewhere?"""
        return (self.place, self.change, self.entry_before, self.entry_after) == (
            other.place,
            other.change,
            other.entry_before,
            other.entry_after,
        )


class ConnectPlan(Value, frozen=True, kw_only=True):
    """All steps; `absent` are the titles of agents that are not on this machine. `written`: it was done."""

    steps: tuple[Step, ...]
    absent: tuple[str, ...] = ()
    written: bool = False

    @property
    def changes(self) -> tuple[Step, ...]:
        """The steps that change a file."""
        return tuple(step for step in self.steps if step.change.writes)


class Fragment(Value, frozen=True, kw_only=True):
    """What a person would write into a file, and the agent's own command that does it; None if it has none."""

    title: str
    place: Path
    text: str
    command: tuple[str, ...] | None = None
