"""`pollux compare`: two sessions side by side."""

from __future__ import annotations

import click

from pollux.cli.options.common import common, json_option, open_library
from pollux.cli.options.complete import sessions
from pollux.cli.options.group import Command


@click.command("compare", cls=Command, short_help="Two sessions side by side.")
@click.argument("first", metavar="KEY", shell_complete=sessions)
@click.argument("second", metavar="KEY", shell_complete=sessions)
@json_option
@common()
@click.pass_context
def command(ctx: click.Context, first: str, second: str, as_json: bool) -> None:
    """Compare two sessions: prompts, tools, files changed, tokens, cost, duration and models of each.

    What both have is said once: a fork shares its beginning with the session that it was forked from, and so do two
    forks of one session. The rest is what each did from the point on where they part.

    \b
    pollux compare 3274cde4 26f2b7db
    pollux compare last 3274cde4 --json
    """
    from pollux.cli.terminal.screen import Screen

    library, screen = open_library(ctx, quiet=as_json), Screen(ctx)
    comparison = library.compare.sessions(library.session(first), library.session(second))
    if as_json:
        from pollux.answers.compare import comparison_document

        screen.json(comparison_document(comparison))
        return
    from pollux.draw.compare import comparison_lines

    screen.lines(comparison_lines(screen, comparison, str(library.user_home)))
