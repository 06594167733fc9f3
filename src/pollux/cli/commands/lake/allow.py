"""`pollux lake allow`: which projects may leave this machine, and how much of them."""

from __future__ import annotations

import click

from pollux.cli.options.choice import Choice
from pollux.cli.options.common import common, json_option, open_library, writing
from pollux.cli.options.group import Command
from pollux.errors import NotFound, RequestError

LEVELS = ["figures", "redacted", "whole"]


@click.command("allow", cls=Command, short_help="Allow projects to be pushed, or show which are.")
@click.argument("projects", metavar="PROJECT…", nargs=-1)
@click.option(
    "--level", type=Choice(LEVELS), help="How much goes: figures without words, redacted (the default), or whole."
)
@click.option(
    "--as",
    "name",
    metavar="NAME",
    help="What the lake calls the project. Only at the level figures do its sessions not tell its path.",
)
@click.option("--every-project", is_flag=True, help="All sessions, including those of no known project.")
@click.option("--withdraw", is_flag=True, help="Push no more of these projects. What was pushed stays in the lake.")
@json_option
@common()
@click.pass_context
def command(
    ctx: click.Context,
    projects: tuple[str, ...],
    level: str | None,
    name: str | None,
    every_project: bool,
    withdraw: bool,
    as_json: bool,
) -> None:
    """Allow the sessions of a project to be pushed, or show what is allowed.

    A folder includes the folders in it. Private sessions are never pushed.

    \b
    pollux lake allow ~/code/shop
    pollux lake allow ~/code/bank --level figures --as bank
    pollux lake allow ~/code/shop --withdraw
    """
    _check(projects, level, name, every_project=every_project, withdraw=withdraw)
    from pollux.cli.terminal.screen import Screen
    from pollux.lake.documents import Level
    from pollux.lake.permissions import EVERYTHING, Permission, Permissions, project_path
    from pollux.lake.settings import push_settings
    from pollux.lake.status import allowed
    from pollux.system.directories import Places

    writing(ctx)
    places = Places()
    library, screen = open_library(ctx, quiet=as_json), Screen(ctx)
    permissions, settings = Permissions(places.lake), push_settings(places)
    paths = [EVERYTHING] if every_project else [project_path(one, library.projects.all()) for one in projects]
    for path in paths:
        if not withdraw:
            permissions.allow(Permission(path=path, level=Level(level) if level else None, name=name))
        elif not permissions.withdraw(path):
            raise NotFound(f"{path or 'Every project'} was not allowed.", "pollux lake allow shows what is.")
    known = list(allowed(library, settings, permissions.all()))
    if as_json:
        from pollux.answers.lake import allowed_document

        screen.json(allowed_document(known))
    elif known:
        from pollux.cli.render.push import allowed_lines

        screen.lines(allowed_lines(screen, known, str(library.user_home)))
    elif not withdraw:
        raise NotFound("Nothing may be pushed yet.", "Try: pollux lake allow ~/code/shop")


def _check(
    projects: tuple[str, ...], level: str | None, name: str | None, *, every_project: bool, withdraw: bool
) -> None:
    """Raise `RequestError` where the options contradict one another."""
    if every_project and projects:
        raise RequestError("Either name projects or say --every-project, not both.", "Leave out one of them.")
    if not all(projects) or name == "":
        raise RequestError("No project has an empty name.", "Try: pollux lake allow ~/code/shop")
    if (level or name or withdraw) and not (every_project or projects):
        raise RequestError("Which project?", "Try: pollux lake allow ~/code/shop")
    if name is not None and (withdraw or len(projects) != 1):
        raise RequestError("--as names one project.", "Try: pollux lake allow ~/code/bank --as bank")
    if withdraw and level is not None:
        raise RequestError("--withdraw and --level cannot be combined.", "Leave out one of them.")
