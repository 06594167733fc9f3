"""`pollux lake views`: the views over the tables, for other engines."""

from __future__ import annotations

import click

from pollux.cli.options.choice import Choice
from pollux.cli.options.common import common
from pollux.cli.options.group import Command

ENGINES = ["duckdb", "spark", "trino", "clickhouse"]


@click.command("views", cls=Command, short_help="Print views over the tables, for other engines.")
@click.argument("lake", metavar="[LAKE]", required=False)
@click.option(
    "--for",
    "engine",
    type=Choice(ENGINES),
    default=ENGINES[0],
    show_default=True,
    help="The engine that reads them.",
)
@common()
@click.pass_context
def command(ctx: click.Context, lake: str | None, engine: str) -> None:
    """Print the statements that make views over the tables of a lake, so that nobody counts earlier states, too.

    The views are sessions, messages, tool_calls and usage. For ClickHouse there is an index of words besides; its last
    two statements bring it up to date. LAKE may be left out where the settings name one. There is no connection.

    \b
    pollux lake views s3://acme/lake --for spark
    """
    from pollux.cli.terminal.screen import Screen
    from pollux.lake.store import lake_name
    from pollux.lake.views import Engine, statements
    from pollux.system.config import load
    from pollux.system.directories import Places

    places = Places()
    address = lake or load(places.settings).lake.url or load(places.system_settings).lake.url or "s3://bucket/lake"
    for statement in statements(Engine(engine), lake_name(address)):
        Screen(ctx).readable(f"{statement};\n")
