"""`pollux history`: what became of a session's files."""

from __future__ import annotations

import click

from pollux.cli.options.common import common, json_option, open_library
from pollux.cli.options.complete import sessions
from pollux.cli.options.group import Command
from pollux.errors import NotFound


@click.command("history", cls=Command, short_help="Show what happened to a session's files.")
@click.argument("key", shell_complete=sessions)
@json_option
@common()
@click.pass_context
def command(ctx: click.Context, key: str, as_json: bool) -> None:
    """Tell what became of a session's files, from what the archive keeps.

    `pollux show KEY --as-of WHEN` shows the session as it was at one of these times.
    """
    from pollux.cli.terminal.screen import Screen

    library, screen = open_library(ctx, quiet=as_json), Screen(ctx)
    session = library.session(key)
    history = library.archive.history(session)
    if as_json:
        from pollux.answers.archive import history_document

        screen.json(history_document(history))
        ctx.exit(0 if history else 1)
    if not history:
        raise NotFound(f"Nothing is kept of {session.key}.", "Try: pollux archive run")
    from pollux.draw.archive import changes

    screen.lines(changes(screen, history, str(library.user_home)))
