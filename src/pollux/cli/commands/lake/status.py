"""`pollux lake status`: what may be pushed from this machine, and what was."""

from __future__ import annotations

import click

from pollux.cli.commands.lake.options import pushing
from pollux.cli.options.common import common, json_option, open_library, writing
from pollux.cli.options.group import Command


@click.command("status", cls=Command, short_help="Show what may be pushed, and what was.")
@pushing
@json_option
@common()
@click.pass_context
def command(ctx: click.Context, lake: str | None, person: str | None, as_json: bool) -> None:
    """Show what is set and allowed, what was pushed from this machine, and how much has changed since.

    Nothing is asked of the lake.
    """
    from pollux.cli.terminal.screen import Screen, talk
    from pollux.lake.settings import push_settings
    from pollux.lake.status import push_status
    from pollux.system.directories import Places

    writing(ctx)
    places = Places()
    library, screen = open_library(ctx, quiet=as_json), Screen(ctx)
    status = push_status(library, places, push_settings(places, lake, person))
    if as_json:
        from pollux.answers.push import status_document

        screen.json(status_document(status))
        return
    from pollux.cli.render.push import held_sentences, status_lines

    screen.lines(status_lines(screen, status, str(library.user_home)))
    for sentence in held_sentences(status.held):
        talk(sentence)
