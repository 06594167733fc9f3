"""What a hand-over would write, and the command by which the agent goes on with it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from pollux.archive.restore import FileToWrite, Restored
from pollux.errors import CannotResume
from pollux.library.resume.command_line import changed_environment, command_line
from pollux.model import Value
from pollux.sources.handoff_place import AppendedLine
from pollux.writers.native.account import Account


class HandoffPlan(Value, frozen=True, kw_only=True):
    """A session as a new session of an agent, before it is written; with `written`, after.

    `origin` is the key of the session, `key` that of the new one: None where the agent will give it an id of its own.
    `id` is the id that stands in the file. `appended` is a line that is added to another file. The command has the
    fields of a `ResumePlan`; `program` is None if the agent is not installed. `before` is the command by which the
    agent first takes the file over, in the same folder, if it must. `account` says what goes over, `redacted` how many
    secrets were replaced: None if nobody asked.
    """

    origin: str
    title: str | None
    agent: str
    agent_title: str
    id: str
    key: str | None
    at: datetime
    folder: str
    words: tuple[str, ...]
    before: tuple[str, ...]
    environ: Mapping[str, str | None]
    program: str | None
    contents: tuple[tuple[Restored, FileToWrite], ...]
    appended: AppendedLine | None
    account: Account
    redacted: int | None
    warnings: tuple[str, ...]
    written: bool = False

    @property
    def files(self) -> tuple[Restored, ...]:
        """The files, that of the conversation first. One that is there already stays as it is."""
        return tuple(file for file, _ in self.contents)

    @property
    def line(self) -> str:
        """The commands as a line for a shell."""
        return command_line(self.words, self.folder, self.environ, before=self.before)

    def environment(self, environ: Mapping[str, str]) -> dict[str, str]:
        """The environment for the command, made of the present one."""
        return changed_environment(environ, self.folder, self.environ)

    def require_program(self) -> None:
        """Raise `CannotResume` where the agent is not installed."""
        if self.program is None:
            raise CannotResume(
                "program",
                f"{self.agent_title} is not installed here: there is no program {self.words[0]!r} on the PATH.",
                "Without --run, pollux only writes the file.",
            )
