"""`pollux agents`: whose sessions are read, and where they are looked for."""

from __future__ import annotations

import click

from pollux.cli.options.common import common, json_option, open_library
from pollux.cli.options.group import Command


@click.command("agents", cls=Command, short_help="List the agents, and where their sessions are looked for.")
@json_option
@common()
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """List the agents, where pollux looks for their sessions, and why there."""
    from pollux.cli.terminal.screen import Screen
    from pollux.draw.table import Column, table
    from pollux.library.agents import locations
    from pollux.text.escape import one_line
    from pollux.text.figures import NONE, number, tilde

    library, screen = open_library(ctx, quiet=as_json), Screen(ctx)
    rows = locations(library)
    if as_json:
        from pollux.answers.agents import agents_document

        screen.json(agents_document(rows))
        return
    agent, name, path = (
        Column("agent"),
        Column("", sacrifice=2),
        Column("looked in", flexible=True, least=20, path=True),
    )
    why, found, count = Column("because of", sacrifice=1), Column("found"), Column("sessions", right=True)
    for row in rows:
        agent.add(row.agent)
        name.add(row.title, "dim")
        path.add(one_line(tilde(row.path, str(library.user_home))))
        why.add(row.reason, "dim")
        found.add(row.refused or ("yes" if row.exists else "no"), "good" if row.exists else "dim")
        count.add(number(row.sessions) if row.exists else NONE)
    screen.lines(table(screen, [agent, name, path, why, found, count]))
