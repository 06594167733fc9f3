"""`pollux lake init`: make the tables of a lake."""

from __future__ import annotations

import secrets

import click

from pollux.cli.commands.lake.options import lake_argument
from pollux.cli.options.common import common
from pollux.cli.options.group import Command


@click.command("init", cls=Command, short_help="Make the tables of a lake.")
@lake_argument
@common()
@click.pass_context
def command(ctx: click.Context, lake: str) -> None:
    """Make the tables of a lake. Whoever looks after it does this once; to do it again changes nothing.

    LAKE is a folder, s3://bucket/path, gs://bucket/path or az://container/path.

    \b
    pollux lake init s3://acme/lake
    """
    from pollux.cli.terminal.screen import Screen
    from pollux.lake.delta import Delta
    from pollux.lake.load import LOADS
    from pollux.lake.store import open_store

    store = open_store(lake, create=True)
    store.check_writes(f"{LOADS}/init-{secrets.token_hex(8)}")
    made = Delta(store).create()
    Screen(ctx).lines([f"{store.url} is a lake now" if made else f"{store.url} is a lake already"])
