"""Where a conversation goes that is handed over to an agent, and the command by which the agent goes on with it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from pollux.model import Value
from pollux.model.base import NOTHING
from pollux.sources.resume_command import Release


class HandoffRequest(Value, frozen=True, kw_only=True):
    """A conversation to hand over: its id, its title, when, and the folder in which the agent goes on, without links.

    `roots` are where the agent keeps sessions, `own` is a folder of pollux's for a file that the agent can load from
    anywhere. `release` is that of the installed program, if it is known. `environ` and `home` are the user's
    environment and home directory.
    """

    id: str
    title: str | None
    at: datetime
    folder: str
    roots: tuple[Path, ...]
    own: Path
    release: Release | None
    environ: Mapping[str, str]
    home: Path

    def is_before(self, *release: int) -> bool:
        """Is the installed release known to be older than this one?"""
        return self.release is not None and self.release < release


class NewFile(Value, frozen=True, kw_only=True):
    """A small file that the agent needs beside the conversation's. One that is there already stays."""

    path: Path
    content: bytes


class AppendedLine(Value, frozen=True, kw_only=True):
    """A line, with its end, that is added to a file of the agent's to which the agent itself only ever adds lines.

    `what` says what it is good for.
    """

    path: Path
    line: bytes
    what: str


class HandoffPlace(Value, frozen=True, kw_only=True):
    """The file of the conversation, and how the agent goes on with it.

    `root` is the agent's root that it lies under; None where it is a folder of pollux's. `words` are the program and
    its arguments, and `environ` leads the program to the file, as in `ResumeCommand`. `before` are those of the command
    by which the agent first takes the file over, if it must. `keeps_id`: the agent's session will have the id of the
    conversation; otherwise the agent begins a session with another id. `provider` is who serves the agent's models now,
    if its file must name that. `warnings` are sentences about what the user may not expect.
    """

    file: Path
    root: Path | None
    words: tuple[str, ...]
    before: tuple[str, ...] = ()
    environ: Mapping[str, str | None] = NOTHING
    beside: tuple[NewFile, ...] = ()
    appended: AppendedLine | None = None
    keeps_id: bool = True
    provider: str | None = None
    warnings: tuple[str, ...] = ()
