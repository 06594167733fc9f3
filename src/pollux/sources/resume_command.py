"""The command by which an agent goes on with a session, and what decides it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from pollux.errors import CannotResume
from pollux.model import Summary, Value
from pollux.model.base import NOTHING
from pollux.system.named_path import named_path
from pollux.text.shell import shell_word

Release = tuple[int, ...]

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z", re.IGNORECASE)


class Program(Value, frozen=True, kw_only=True):
    """An agent's program: its name, the package that npm installs, and places below the home that no PATH names.

    `background` are words on the command lines of helpers that outlive the agent: they write nothing by themselves.
    `stays`: it goes on with a session only in the folder in which it was held. `copies`: it can be told to go on with a
    copy.
    """

    name: str
    package: str
    places: tuple[str, ...] = ()
    background: tuple[str, ...] = ()
    stays: bool = False
    copies: bool = True


class ResumeRequest(Value, frozen=True, kw_only=True):
    """A session, the root of its files, and how to go on: where, as a copy or not, with which arguments.

    `folder` is where the agent will run; `elsewhere` says that the session was not held there. `release` is that of the
    installed program, if it is known. `environ` and `home` are the user's environment and home directory.
    """

    session: Summary
    root: Path
    folder: str
    elsewhere: bool
    fork: bool
    arguments: tuple[str, ...]
    release: Release | None
    environ: Mapping[str, str]
    home: Path

    def is_before(self, *release: int) -> bool:
        """Is the installed release known to be older than this one?"""
        return self.release is not None and self.release < release

    @property
    def release_name(self) -> str:
        """The installed release, as people write it."""
        return ".".join(map(str, self.release or ()))


class ResumeCommand(Value, frozen=True, kw_only=True):
    """The program with its arguments, and the variables that lead it to the session's files: None takes one away.

    `fork`: it begins a new session with a copy. `warnings` are sentences about what the user may not expect.
    """

    words: tuple[str, ...]
    environ: Mapping[str, str | None] = NOTHING
    fork: bool = False
    warnings: tuple[str, ...] = ()


def is_uuid(id: str) -> bool:
    """Is it an id as the agents make them? A program may take another one for an option, or for a place in a list."""
    return _UUID.match(id) is not None


def no_id(session: Summary, title: str, program: str) -> CannotResume:
    """The error for an id that an agent did not give: its program may take it for an option, or another session."""
    return CannotResume(
        "id",
        f"{session.id!r} is no id that {title} gives, and it would take it for something else.",
        f"Go on with a copy that has its own id: pollux handoff {shell_word(session.key)} --to {program}",
    )


class HasEnvironment(Protocol):
    """A request that knows the user's environment."""

    @property
    def environ(self) -> Mapping[str, str]:
        """The environment."""


def home_variable(request: HasEnvironment, name: str, wanted: Path, default: Path) -> dict[str, str | None]:
    """The variable that leads an agent to a folder. None is needed where that folder is the default."""
    if os.path.realpath(wanted) != os.path.realpath(default):
        return {name: str(wanted)}
    given = request.environ.get(name, "")
    return {name: None} if given and os.path.realpath(named_path(given)) != os.path.realpath(default) else {}


def no_home(request: ResumeRequest, title: str, name: str) -> CannotResume:
    """The error where files lie in a folder that an agent cannot be told to use."""
    key = request.session.key
    return CannotResume(
        "home",
        f"{title} looks for sessions only in a folder {name!r}, and cannot be told to look in {request.root}.",
        f"Write its files as the agent has them: pollux recover {shell_word(key)} -o FOLDER",
    )
