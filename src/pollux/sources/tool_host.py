"""Where an agent looks for servers that offer tools, and for skills."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

from pollux.model import Value
from pollux.model.base import NOTHING


class Scope(StrEnum):
    """For what settings hold: for all of a user's work, for a project and everybody in it, for a user in a project."""

    USER = "user"
    PROJECT = "project"
    LOCAL = "local"


class Surroundings(Value, frozen=True, kw_only=True):
    """The user's environment and home directory, and the folder in which an agent would be started."""

    environ: Mapping[str, str]
    home: Path
    folder: Path


class ServerSettings(Value, frozen=True, kw_only=True):
    """A file in which an agent looks for servers, by their names below `names`.

    `format` is `json` (with comments) or `toml`. `extra` is what an entry has beside its command. `joined`: an entry
    has its command and the arguments in one list, and calls variables `environment`. `patience` is how long (seconds)
    the agent waits for a server to start. `add` is the agent's own command that adds a server, up to the server's name;
    `dashes` stand behind the name. `note` is what the user may not expect. `lock` is a folder that the agent makes as
    long as it writes the file.
    """

    scope: Scope
    file: Path
    format: str
    names: tuple[str, ...]
    extra: Mapping[str, Any] = NOTHING
    joined: bool = False
    patience: float = 30.0
    add: tuple[str, ...] | None = None
    dashes: tuple[str, ...] = ()
    note: str | None = None
    lock: Path | None = None

    def own_command(self, name: str, command: Sequence[str]) -> tuple[str, ...] | None:
        """The agent's own command that adds this server; None if it has none."""
        return (*self.add, name, *self.dashes, *command) if self.add is not None else None


class SkillFolder(Value, frozen=True, kw_only=True):
    """A folder in which an agent looks for skills, each in a folder of its name."""

    scope: Scope
    folder: Path
