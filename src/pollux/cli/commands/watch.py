"""`pollux watch`: sessions as they are being written."""

from __future__ import annotations

import sys

import click

from pollux.cli.options.common import common, open_library
from pollux.cli.options.complete import sessions
from pollux.cli.options.filters import filter_from_options, whose
from pollux.cli.options.group import Command


@click.command("watch", cls=Command, short_help="Follow sessions while agents write them.")
@click.argument("key", required=False, shell_complete=sessions)
@whose
@click.option("--plain", is_flag=True, help="Show a model's Markdown as it was written.")
@click.option("--jsonl", "--json", "as_json", is_flag=True, help="Print one JSON object a line, an event each.")
@common()
@click.pass_context
def command(
    ctx: click.Context, key: str | None, agent: str | None, project: str | None, plain: bool, as_json: bool
) -> None:
    """Follow sessions while agents write them: all of them, or the one called KEY.

    Messages are shown as they come, and new sessions are announced. Ctrl-C ends it.

    \b
    pollux watch
    pollux watch last
    pollux watch --project weather
    """
    from pollux.cli.terminal.screen import Screen, talk
    from pollux.draw.watch import Live

    selection = filter_from_options(agent, project)
    library, screen = open_library(ctx, quiet=as_json), Screen(ctx)
    events = library.watch(selection, key)
    if not as_json:
        if selection.project is not None and not library.projects.all(selection.project):
            talk(library.index.hint(selection, "No project is called that so far: `pollux projects` lists them."))
        talk(screen.paint("Watching. Ctrl-C ends it.", "dim"))
    sys.stderr.flush()
    screen.markdown = screen.markdown and not plain
    live = Live(screen)
    for event in events:
        if as_json:
            from pollux.answers.sessions import event_document

            screen.json(event_document(event))
        else:
            for line in live.lines(event):
                sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
