"""`pollux lake list`: the sessions of a lake, newest first."""

from __future__ import annotations

from typing import Any

import click

from pollux.cli.commands.lake.options import lake_argument, open_lake, whose
from pollux.cli.options.choice import Amount
from pollux.cli.options.common import common, json_option
from pollux.cli.options.filters import branch_option, filter_from_options, filters
from pollux.cli.options.group import Command
from pollux.errors import NotFound, RequestError


@click.command("list", cls=Command, short_help="List the sessions of a lake.")
@lake_argument
@click.argument("query", nargs=-1)
@filters
@branch_option
@whose
@click.option("--limit", "-n", metavar="N", type=Amount(), help="At most N sessions.")
@json_option
@click.option("--jsonl", is_flag=True, help="Print one JSON object a line.")
@common()
@click.pass_context
def command(
    ctx: click.Context,
    /,
    lake: str,
    query: tuple[str, ...],
    person: str | None,
    team: str | None,
    limit: int | None,
    as_json: bool,
    jsonl: bool,
    **options: Any,
) -> None:
    """List the sessions of a lake, newest first, as `pollux list` does with those of this machine.

    A session that was pushed from several machines is listed once.

    \b
    pollux lake list s3://acme/lake --since 3d
    pollux lake list s3://acme/lake --person ada branch:main retry
    """
    from pollux.cli.terminal.screen import Screen
    from pollux.lake.lists import LakeSessions
    from pollux.lake.usage import usage_of
    from pollux.library.filters import filter_words
    from pollux.system.directories import Places
    from pollux.text.figures import plural

    if as_json and jsonl:
        raise RequestError("--json and --jsonl cannot be combined.", "Leave out one of them.")
    selection = filter_from_options(**options, words=tuple(word for text in query for word in filter_words(text)))
    asked, screen, places = open_lake(lake, person, team), Screen(ctx), Places()
    sessions = LakeSessions(asked)
    found = sessions.listed(selection, limit)
    if as_json or jsonl:
        from pollux.answers.lake import pushed_document

        documents = pushed_document(usage_of(asked, places), found)
        screen.json_lines(documents) if jsonl else screen.json(documents)
        ctx.exit(0 if found else NotFound.exit_code)
    if not found:
        every = sessions.count_all()
        raise NotFound(
            f"No session of {every:,} matches." if every else "The lake has no sessions.",
            f"Try: pollux lake list {lake} --all" if every else f"Try: pollux lake load {lake}",
        )
    from pollux.cli.terminal.screen import talk
    from pollux.draw.list import listing

    people = {one.entry.summary.key: one.person for one in found}
    screen.lines(listing(screen, [one.entry for one in found], str(places.home), people))
    if screen.terminal:
        count = plural(len(set(people.values())), "person", "people")
        talk(screen.paint(f"{plural(len(found), 'session')} of {count}.", "dim"))
