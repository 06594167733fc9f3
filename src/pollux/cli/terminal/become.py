"""pollux becomes an agent: it lets go of everything, and the agent has the process."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NoReturn, Protocol

from pollux.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import click


class Start(Protocol):
    """A plan with a command."""

    @property
    def program(self) -> str | None:
        """The path of the program."""

    @property
    def words(self) -> tuple[str, ...]:
        """The command."""

    @property
    def folder(self) -> str:
        """The folder to run it in."""

    @property
    def line(self) -> str:
        """The command for a shell."""

    def environment(self, environ: Mapping[str, str]) -> dict[str, str]:
        """The environment for the command."""


def become_agent(ctx: click.Context, plan: Start) -> NoReturn:
    """Become the agent that a plan starts. Raises `OutputError`."""
    from pollux.system.programs import become

    environ = plan.environment(os.environ)
    ctx.close()
    try:
        become(plan.program or "", plan.words, plan.folder, environ)
    except OSError as error:
        raise OutputError(f"{plan.program} cannot be started: {error.strerror}.", f"Try: {plan.line}") from error
