"""`pollux lake`: the sessions of many people and machines, in an object store of their own."""

from __future__ import annotations

from importlib import import_module

import click

from pollux.cli.options.common import common
from pollux.cli.options.group import Group

COMMANDS: dict[str, str] = {
    "allow": "pollux.cli.commands.lake.allow",
    "preview": "pollux.cli.commands.lake.preview",
    "push": "pollux.cli.commands.lake.push",
    "status": "pollux.cli.commands.lake.status",
    "init": "pollux.cli.commands.lake.init",
    "load": "pollux.cli.commands.lake.load",
    "tidy": "pollux.cli.commands.lake.tidy",
    "erase": "pollux.cli.commands.lake.erase",
    "list": "pollux.cli.commands.lake.list",
    "show": "pollux.cli.commands.lake.show",
    "search": "pollux.cli.commands.lake.search",
    "stats": "pollux.cli.commands.lake.stats",
    "query": "pollux.cli.commands.lake.query",
    "views": "pollux.cli.commands.lake.views",
}
"""In the order in which `pollux lake --help` shows them. Each module has a `command`."""


class Commands(Group):
    """Loads a command's module when the command is named."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Every command's name."""
        return [*COMMANDS]  # `list` is a module here

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of this name."""
        if cmd_name not in COMMANDS:
            return None
        loaded: click.Command = import_module(COMMANDS[cmd_name]).command
        return loaded


@click.group("lake", cls=Commands, short_help="Share sessions in an object store, and ask about all of them.")
@common()
def command() -> None:
    """Share sessions in an object store of your own, and ask about those of all people and machines.

    Nothing leaves this machine before you allow a project, and secrets are taken out.

    \b
    pollux lake allow ~/code/shop
    pollux lake preview s3://acme/lake
    pollux lake push s3://acme/lake
    """
