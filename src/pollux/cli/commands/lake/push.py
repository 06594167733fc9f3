"""`pollux lake push`: send what is new to a lake."""

from __future__ import annotations

import click

from pollux.cli.commands.lake.options import pushing
from pollux.cli.options.common import common, json_option, open_library, writing
from pollux.cli.options.group import Command
from pollux.errors import Unreadable


@click.command("push", cls=Command, short_help="Send what is new to a lake.")
@pushing
@click.option(
    "--again", is_flag=True, help="Send all that is allowed once more, as this release reads it and takes secrets out."
)
@json_option
@common()
@click.pass_context
def command(ctx: click.Context, lake: str | None, person: str | None, again: bool, as_json: bool) -> None:
    """Send the sessions of allowed projects that are new or have changed, without their secrets.

    LAKE is a folder, s3://bucket/path, gs://bucket/path or az://container/path. Where nothing is new, there is no
    connection.

    \b
    pollux lake push s3://acme/lake
    pollux lake push /mnt/team/lake --person ada
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
    outcome = pusher.push(bar(ctx, "Pushing", quiet=as_json), again=again)
    if as_json:
        from pollux.answers.lake import done_document

        screen.json(done_document(outcome))
    else:
        from pollux.cli.render.push import held_sentences
        from pollux.text.figures import plural, size

        sent = f"{plural(outcome.sessions, 'session')} pushed, {size(outcome.bytes)}"
        taken = f", {plural(outcome.secrets, 'secret')} taken out" if outcome.secrets else ""
        screen.lines([f"{sent}{taken}" if outcome.sessions else "nothing new to push"])
        for sentence in held_sentences(outcome.held):
            talk(sentence)
        if outcome.erased:
            talk(f"{plural(outcome.erased, 'session')} not pushed: whoever runs the lake erased them.")
    if outcome.unread:
        raise Unreadable(f"{len(outcome.unread)} of the sessions could not be read.", "Try: pollux doctor")
