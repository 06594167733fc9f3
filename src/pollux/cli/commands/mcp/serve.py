"""`pollux mcp`: answers agents over the Model Context Protocol, on standard input and output."""

from __future__ import annotations

from importlib import import_module

import click

from pollux.cli.options.choice import Choice
from pollux.cli.options.common import SAMPLE, common
from pollux.cli.options.group import Group
from pollux.errors import RequestError

COMMANDS: dict[str, str] = {
    "install": "pollux.cli.commands.mcp.install",
    "doctor": "pollux.cli.commands.mcp.doctor",
}
"""In the order in which `pollux mcp --help` shows them. Each module has a `command`."""


class Commands(Group):
    """Loads a command's module when the command is named."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Every command's name."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of this name."""
        if cmd_name not in COMMANDS:
            return None
        loaded: click.Command = import_module(COMMANDS[cmd_name]).command
        return loaded


@click.group("mcp", cls=Commands, invoke_without_command=True, short_help="Let agents search and read old sessions.")
@click.option("--also", multiple=True, type=Choice(["usage"]), help="Offer one more tool: usage.")
@click.option("--no-redact", is_flag=True, help="Hand out secrets as they stand in the sessions.")
@common()
@click.pass_context
def command(ctx: click.Context, also: tuple[str, ...], no_redact: bool) -> None:
    """Let agents search and read old sessions, as an MCP server on standard input and output.

    Agents start it themselves. Its tools only read. Secrets are hidden, and private projects and sessions are never
    answered.

    \b
    pollux mcp
    pollux mcp --also usage
    """
    if ctx.invoked_subcommand is not None:
        if also or no_redact:
            raise RequestError("--also and --no-redact belong to the server.", "Try: pollux mcp --help")
        return
    # A view is started by its name, as a command's module is: none imports another.
    import_module("pollux.mcp.run").run(also=also, redact=not no_redact, sample=bool(ctx.meta.get(SAMPLE)))
