"""`pollux lake`: the sessions of many people and machines, in an object store of their own."""

from __future__ import annotations

import click

from pollux.cli.options.common import common
from pollux.cli.options.group import LazyGroup

_COMMANDS = (
    *("allow", "preview", "push", "status"),
    *("init", "load", "tidy", "erase"),
    *("list", "show", "search", "stats", "query", "views"),
)


@click.group(
    "lake",
    cls=LazyGroup,
    modules={name: f"{__name__}.{name}" for name in _COMMANDS},
    short_help="Share sessions in an object store, and ask about all of them.",
)
@common()
def command() -> None:
    """Share sessions in an object store of your own, and ask about those of all people and machines.

    Nothing leaves this machine before you allow a project, and secrets are taken out.

    \b
    pollux lake allow ~/code/shop
    pollux lake preview s3://acme/lake
    pollux lake push s3://acme/lake
    """
