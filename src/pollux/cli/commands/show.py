"""`pollux show`: one session, readable."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import click

from pollux.cli.options.common import common, json_option, open_library, remark
from pollux.cli.options.complete import messages, sessions
from pollux.cli.options.filters import When, fate_option
from pollux.cli.options.group import Command
from pollux.errors import RequestError
from pollux.library.for_agents.state import change_of
from pollux.text.shell import shell_word

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pollux.cli.terminal.screen import Screen


@click.command("show", cls=Command)
@click.argument("key", shell_complete=sessions)
@click.option("--full", is_flag=True, help="Unfold tool calls, their output, and the client's own texts.")
@click.option("--raw", is_flag=True, help="Show the file and line of each message and its record as it stands there.")
@click.option("--plain", is_flag=True, help="Show a model's Markdown as it was written.")
@fate_option
@click.option(
    "--at", metavar="MESSAGE", shell_complete=messages, help="Open at this message: its id, or the beginning of it."
)
@click.option(
    "--as-of", metavar="WHEN", type=When(end=True), help="As it was at an earlier time, from what the archive keeps."
)
@json_option
@common()
@click.pass_context
def command(
    ctx: click.Context,
    key: str,
    full: bool,
    raw: bool,
    plain: bool,
    fate: str,
    at: str | None,
    as_of: datetime | None,
    as_json: bool,
) -> None:
    """Show a session.

    KEY is a session's key or the beginning of its id, `last`, or the path of a session file. KEY#MESSAGE opens at a
    message. A citation that an agent got, KEY#MESSAGE@STATE, also says whether the session changed since.

    \b
    pollux show last
    pollux show 3274cde4 --full
    pollux show ./session.jsonl --raw
    pollux show 3274cde4 --at 5a7cbec2
    pollux show 3274cde4 --as-of yesterday
    """
    from pollux.cli.terminal.screen import Screen

    if at is not None and as_json:
        raise RequestError("--at and --json cannot be combined.", "Leave out one of them.")
    library, screen = open_library(ctx, quiet=as_json, early=True), Screen(ctx)
    session, message = library.cited(key)
    if (changed := change_of(key, session)) is not None:
        remark(changed, for_programs=as_json)
    if message is not None:
        if as_json:
            raise RequestError(
                "A message and --json cannot be combined.", f"Try: pollux show {shell_word(session.key)} --json"
            )
        at = at or message.id
    if as_of is not None:
        session = library.archive.as_of(session, as_of)
    if as_json:
        from pollux.answers.sessions import session_document

        session_document(library, session, screen.document, live_only=fate == "live")
        return
    from pollux.draw.transcript import transcript

    screen.markdown = screen.markdown and not plain
    home = str(library.user_home)
    marks, heirs = library.marks.of(session.key), library.index.heirs(session.key)
    lines = transcript(
        screen, session, home=home, full=full, raw=raw, live=fate == "live", at=at, marks=marks, heirs=heirs
    )
    show_lines(screen, lines, at)


def show_lines(screen: Screen, lines: Iterable[str], at: str | None) -> None:
    """Show a session's lines, from the message on that was asked for."""
    if at is None:
        screen.lines(lines)
        return
    from pollux.draw.transcript import Here

    every = list(lines)
    screen.lines_at(every, next(number for number, line in enumerate(every) if isinstance(line, Here)))
