"""`pollux lake show`: one session of a lake, readable."""

from __future__ import annotations

import click

from pollux.cli.commands.lake.options import lake_argument, open_lake
from pollux.cli.commands.show import show_lines
from pollux.cli.options.common import common, json_option
from pollux.cli.options.filters import fate_option
from pollux.cli.options.group import Command
from pollux.errors import RequestError


@click.command("show", cls=Command, short_help="Show a session of a lake.")
@lake_argument
@click.argument("key")
@click.option("--full", is_flag=True, help="Unfold tool calls, their output, and the client's own texts.")
@click.option("--plain", is_flag=True, help="Show a model's Markdown as it was written.")
@fate_option
@click.option("--at", metavar="MESSAGE", help="Open at this message: its id, or the beginning of it.")
@json_option
@common()
@click.pass_context
def command(
    ctx: click.Context, lake: str, key: str, full: bool, plain: bool, fate: str, at: str | None, as_json: bool
) -> None:
    """Show a session of a lake, from the document that was pushed.

    KEY is a session's key or the beginning of its id, or `last`. Where several machines pushed the session, the copy is
    shown that was used last.

    \b
    pollux lake show s3://acme/lake 3274cde4
    pollux lake show s3://acme/lake last --full
    """
    from pollux.cli.terminal.screen import Screen
    from pollux.lake.lists import LakeSessions
    from pollux.system.directories import Places

    if at is not None and as_json:
        raise RequestError("--at and --json cannot be combined.", "Leave out one of them.")
    asked, screen, places = open_lake(lake), Screen(ctx), Places()
    sessions = LakeSessions(asked)
    session = sessions.session(sessions.find(key))
    if as_json:
        from pollux.answers.lake import lake_session_document
        from pollux.lake.usage import usage_of

        usage = usage_of(asked, places)
        lake_session_document(usage, sessions, session, screen.document, live_only=fate == "live")
        return
    from pollux.draw.transcript import transcript

    screen.markdown = screen.markdown and not plain
    show_lines(screen, transcript(screen, session, home=str(places.home), full=full, live=fate == "live", at=at), at)
