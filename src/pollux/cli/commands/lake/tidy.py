"""`pollux lake tidy`: keep a lake small and quick."""

from __future__ import annotations

from datetime import datetime

import click

from pollux.cli.commands.lake.options import lake_argument, tell_problems
from pollux.cli.options.common import common, json_option
from pollux.cli.options.filters import When
from pollux.cli.options.group import Command


@click.command("tidy", cls=Command, short_help="Keep a lake small and quick.")
@lake_argument
@click.option("--older-than", metavar="WHEN", type=When(), help="Also delete sessions not used since then: 400d, 2025.")
@click.option(
    "--nobody-loads", is_flag=True, help="Also remove at once what loads left that were stopped within the last day."
)
@json_option
@common()
@click.pass_context
def command(ctx: click.Context, lake: str, older_than: datetime | None, nobody_loads: bool, as_json: bool) -> None:
    """Join small files, and remove what nothing shows any more: earlier states, and what stopped loads left.

    What was erased is removed once more, with all files that may still have held it. What a load left is removed after
    a day, because it may still be running. Where you know that none is, --nobody-loads does not wait.

    \b
    pollux lake tidy s3://acme/lake
    pollux lake tidy s3://acme/lake --older-than 400d
    """
    from datetime import timedelta

    from pollux.cli.terminal.screen import Screen
    from pollux.lake.store import open_store
    from pollux.lake.tidy import GRACE, tidy

    screen = Screen(ctx)
    result = tidy(open_store(lake), older_than, timedelta(0) if nobody_loads else GRACE)
    if as_json:
        from pollux.answers.lake import done_document

        screen.json(done_document(result))
    else:
        from pollux.cli.render.lake import tidy_line

        screen.lines([tidy_line(result)])
    tell_problems(result.problems, "places could not be tidied up", for_programs=as_json)
