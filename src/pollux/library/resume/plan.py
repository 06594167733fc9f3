"""How to go on with a session: the command, and what stands in its way."""

from __future__ import annotations

from collections.abc import Mapping

from pollux.errors import CannotResume
from pollux.library.resume.command_line import changed_environment, command_line
from pollux.library.resume.open_sessions import OpenSession
from pollux.model import Summary, Value
from pollux.text.shell import shell_word


class ResumePlan(Value, frozen=True, kw_only=True):
    """The command that goes on with a session: its words, the folder to run it in, and the variables to set.

    A variable that is None must not be set. `fork`: a new session begins with a copy of this one. `program` is the
    program's path, None if it is not installed. `files` are kept before. `opened` says who has the session open, and
    stands in the way unless it is a fork. `copies`: the agent can be told to go on with a copy. `warnings`
    are sentences about what the user may not expect.
    """

    session: Summary
    title: str
    words: tuple[str, ...]
    folder: str
    environ: Mapping[str, str | None]
    fork: bool
    program: str | None
    files: tuple[str, ...]
    opened: OpenSession | None
    copies: bool
    warnings: tuple[str, ...]

    @property
    def line(self) -> str:
        """The command as a line for a shell."""
        return command_line(self.words, self.folder, self.environ)

    def environment(self, environ: Mapping[str, str]) -> dict[str, str]:
        """The environment for the command, made of the present one."""
        return changed_environment(environ, self.folder, self.environ)

    def require_ready(self) -> None:
        """Raise `CannotResume` where the program is missing, or somebody else has the session open."""
        if self.program is None:
            raise CannotResume(
                "program",
                f"{self.title} is not installed here: there is no program {self.words[0]!r} on the PATH.",
                f"Where it is: {self.line}",
            )
        if self.opened is not None and not self.fork:
            key = shell_word(self.session.key)
            copy, handoff = (
                f"with a copy: pollux resume {key} --fork",
                f"in another agent: pollux handoff {key} --to AGENT",
            )
            hint = f"Go on there, end it first, or go on {copy if self.copies else handoff}"
            raise CannotResume("open", self.opened.sentence, hint)
