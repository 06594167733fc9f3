"""`pollux lake preview`: what a push would send, without sending it."""

from __future__ import annotations

import click

from pollux.cli.commands.lake.options import pushing
from pollux.cli.options.common import common, json_option, open_library, writing
from pollux.cli.options.complete import sessions
from pollux.cli.options.group import Command
from pollux.errors import Unreadable


@click.command("preview", cls=Command, short_help="Show what a push would send, without sending it.")
@pushing
@click.option("--again", is_flag=True, help="All that is allowed, as `push --again` sends it.")
@click.option(
    "--document",
    metavar="KEY",
    shell_complete=sessions,
    help="Print what would be sent of this session, to the letter.",
)
@json_option
@common()
@click.pass_context
def command(
    ctx: click.Context, lake: str | None, person: str | None, again: bool, document: str | None, as_json: bool
) -> None:
    """Show what a push would send: sessions, bytes, and the secrets that are taken out. There is no connection.

    \b
    pollux lake preview
    pollux lake preview --document last
    """
    from pollux.cli.terminal.progress import bar
    from pollux.cli.terminal.screen import Screen, talk
    from pollux.lake.push import Pusher
    from pollux.lake.settings import push_settings
    from pollux.system.directories import Places

    writing(ctx)
    places = Places()
    library, screen = open_library(ctx, quiet=as_json), Screen(ctx)
    pusher = Pusher(library, places, push_settings(places, lake, person))
    if document is not None:
        from pollux.answers.push import pushed_document

        screen.json(pushed_document(pusher.document(document)))
        return
    preview = pusher.preview(bar(ctx, "Preparing", quiet=as_json), again=again)
    if as_json:
        from pollux.answers.push import preview_document

        screen.json(preview_document(preview))
    else:
        from pollux.cli.render.push import held_sentences, preview_lines
        from pollux.text.figures import plural, size

        if preview.sessions:
            screen.lines(preview_lines(screen, preview))
        total = f"{plural(len(preview.sessions), 'session')}, {size(sum(one.entry.bytes for one in preview.sessions))}"
        talk(f"{total}, as {preview.person}." if preview.sessions else "Nothing is new.")
        for sentence in held_sentences(preview.held):
            talk(sentence)
    if preview.unread:
        raise Unreadable(f"{len(preview.unread)} of the sessions could not be read.", "Try: pollux doctor")
