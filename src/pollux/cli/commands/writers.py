"""`pollux writers`: the formats sessions can be written in."""

from __future__ import annotations

import click

from pollux.cli.options.common import common, json_option
from pollux.cli.options.group import Command


@click.command("writers", cls=Command)
@json_option
@common()
@click.pass_context
def command(ctx: click.Context, as_json: bool = False) -> None:
    """List the formats of `pollux export` and what each is for."""
    from pollux import registry
    from pollux.cli.terminal.screen import Screen
    from pollux.draw.table import Column, table

    screen = Screen(ctx)
    writers = [registry.writer(name) for name in registry.writer_names()]
    if as_json:
        from pollux.answers.agents import writers_document

        screen.json(writers_document(writers))
        return
    name, suffix, purpose = Column("format"), Column("files", sacrifice=1), Column("what for", flexible=True, least=50)
    for writer in writers:
        name.add(writer.name)
        suffix.add(f"*{writer.suffix}", "dim")
        purpose.add(writer.purpose)
    screen.lines(table(screen, [name, suffix, purpose]))
