"""`pollux mcp doctor`: does the server answer, as the agents start it?"""

from __future__ import annotations

import click

from pollux.cli.options.common import SAMPLE, common, json_option, open_library
from pollux.cli.options.group import Command
from pollux.errors import NotFound, RequestError


@click.command("doctor", cls=Command, short_help="Start the server as the agents would, and see whether it answers.")
@json_option
@common()
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """Start the server as each agent would, and see whether it answers.

    Finds every entry in the agents' settings that has pollux's name or leads to pollux, for you and for the project in
    this folder. Tells its version, its tools and how long it took, and names entries whose program is gone and entries
    that are there twice. Ends with status 1 where one does not answer, or where there is none.

    \b
    pollux mcp doctor
    pollux mcp doctor --json
    """
    from pollux.cli.terminal.screen import Screen

    if ctx.meta.get(SAMPLE):
        raise RequestError("The sample has no settings of agents.", "Leave --sample out.")
    library, screen = open_library(ctx, quiet=as_json, gaps=False), Screen(ctx)
    checks = library.connect.check()
    if as_json:
        from pollux.answers.connect import checks_document

        screen.json(checks_document(checks))
        ctx.exit(0 if checks.good else 1)
    if not checks.entries:
        raise NotFound("No agent's settings lead to pollux.", "Try: pollux mcp install all")
    from pollux.draw.connect import check_lines

    screen.lines(check_lines(screen, checks, str(library.user_home)))
    ctx.exit(0 if checks.good else 1)
