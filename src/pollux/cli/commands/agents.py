"""`pollux agents`: whose sessions are read, and where they are looked for."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from pollux.cli.options.common import common, json_option, open_library
from pollux.cli.options.group import Command

if TYPE_CHECKING:
    from pollux.library.library import Library


@click.command("agents", cls=Command, short_help="List the agents, and where their sessions are looked for.")
@json_option
@common()
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """List the agents, where pollux looks for their sessions, and why there."""
    from pollux.cli.terminal.figures import NONE, number, tilde
    from pollux.cli.terminal.screen import Screen
    from pollux.cli.terminal.table import Column, table
    from pollux.text.escape import one_line

    library, screen = open_library(ctx, quiet=as_json), Screen(ctx)
    rows = _rows(library)
    if as_json:
        screen.json(rows)
        return
    agent, name, path = (
        Column("agent"),
        Column("", sacrifice=2),
        Column("looked in", flexible=True, least=20, path=True),
    )
    why, found, count = Column("because of", sacrifice=1), Column("found"), Column("sessions", right=True)
    for row in rows:
        agent.add(row["agent"])
        name.add(row["title"], "dim")
        path.add(one_line(tilde(row["path"], str(library.places.home))))
        why.add(row["reason"], "dim")
        found.add(row["refused"] or ("yes" if row["found"] else "no"), "good" if row["found"] else "dim")
        count.add(number(row["sessions"]) if row["found"] else NONE)
    screen.lines(table(screen, [agent, name, path, why, found, count]))


def _rows(library: Library) -> list[dict[str, Any]]:
    from pollux.library.library import Filter
    from pollux.wire import folder_at, shown

    every = [(one.summary.agent, one.summary.files) for one in library.list(Filter(everything=True))]
    rows: list[dict[str, Any]] = []
    for source, root in library.homes.roots():
        inside = os.path.join(shown(root.path), "")  # noqa: PTH118
        held = sum(agent == source.name and any(f.startswith(inside) for f in files) for agent, files in every)
        rows.append(
            {
                "agent": source.name,
                "title": source.title,
                "path": shown(root.path),
                "reason": root.reason,
                "found": folder_at(root.path),
                "refused": library.homes.refused(root),
                "sessions": held,
            }
        )
    return rows
