"""pollux becomes an agent: it lets go of everything, and the agent has the process."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NoReturn

from pollux.errors import OutputError

if TYPE_CHECKING:
    import click

    from pollux.system.programs import Start


def become_agent(ctx: click.Context, plan: Start) -> NoReturn:
    """Become the agent that a plan starts. Raises `OutputError`."""
    from pollux.system.programs import become

    environ = plan.environment(os.environ)
    ctx.close()
    try:
        become(plan.program or "", plan.words, plan.folder, environ)
    except OSError as error:
        raise OutputError(f"{plan.program} cannot be started: {error.strerror}.", f"Try: {plan.line}") from error
