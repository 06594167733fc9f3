"""`pollux mcp`: answers agents over the Model Context Protocol, on standard input and output."""

from __future__ import annotations

from importlib import import_module

import click

from pollux.cli.options.choice import Choice
from pollux.cli.options.common import SAMPLE, common
from pollux.cli.options.group import LazyGroup
from pollux.errors import RequestError

COMMANDS: dict[str, str] = {
    "install": "pollux.cli.commands.mcp.install",
    "doctor": "pollux.cli.commands.mcp.doctor",
}


@click.group(
    "mcp",
    cls=LazyGroup,
    modules=COMMANDS,
    invoke_without_command=True,
    short_help="Let agents search and read old sessions.",
)
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
