"""What `mcp install` and `skill install` share: their options, and showing, asking, writing, telling."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from pollux.cli.options.choice import Choice
from pollux.errors import RequestError

if TYPE_CHECKING:
    from pollux.cli.terminal.screen import Screen
    from pollux.library.connect.plan import ConnectPlan
    from pollux.library.library import Library

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

SCOPE = click.option(
    "--scope",
    type=Choice(["user", "project"]),
    default="user",
    show_default=True,
    help="For all your work, or for the project in this folder.",
)
PRINT = click.option("--print", "printing", is_flag=True, help="Only print it, to write it yourself.")
REMOVE = click.option("--remove", is_flag=True, help="Take it away again.")
YES = click.option("--yes", is_flag=True, help="Do not ask before writing.")


def writing_options(function: Decorated) -> Decorated:
    """Add the options that both commands have."""
    for option in (YES, REMOVE, PRINT, SCOPE):
        function = option(function)
    return function


def require_one(*, printing: bool, remove: bool, yes: bool) -> None:
    """Raise `RequestError` for options that exclude one another."""
    if printing and (remove or yes):
        other = "--remove" if remove else "--yes"
        raise RequestError(f"--print and {other} cannot be combined.", "Leave out one of them.")


def carry_out(library: Library, screen: Screen, plan: ConnectPlan, *, yes: bool, as_json: bool) -> bool:
    """Show a plan, and write it if that is wanted. Was something written?"""
    if as_json:
        from pollux.answers.connect import plan_document

        screen.json(plan_document(library.connect.write(plan) if yes else plan))
        return False
    from pollux.cli.terminal.screen import talk
    from pollux.draw.connect import plan_lines
    from pollux.text.figures import tilde

    screen.lines(plan_lines(screen, plan, str(library.user_home)))
    for title in plan.absent:
        talk(f"pollux: {title} is not on this machine, and is left out.")
    if not plan.changes:
        return False
    if not yes and not screen.terminal:
        talk("Nothing was written. Add --yes to do it.")
        return False
    if not yes:
        click.confirm("Write it?", abort=True, err=True)
    copies = [step.copy for step in library.connect.write(plan).steps if step.copy is not None]
    talk("Done." if not copies else "Done. What was there before is kept:")
    for copy in copies:
        talk(f"  {tilde(str(copy), str(library.user_home))}")
    return True
