"""`pollux mcp install`: make the server known to agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pollux.cli.commands.mcp.writing import carry_out, require_one, writing_options
from pollux.cli.options.common import common, json_option, open_library, writing
from pollux.cli.options.group import Command
from pollux.errors import RequestError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from pollux.cli.terminal.screen import Screen
    from pollux.library.library import Library


def agents_or_all(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The agents, and `all`."""
    from click.shell_completion import CompletionItem

    from pollux.cli.options.complete import agents

    every = [CompletionItem("all")] if "all".startswith(incomplete) else []
    return [*agents(ctx, param, incomplete), *every]


@click.command("install", cls=Command, short_help="Make the server known to agents.")
@click.argument("agent", required=False, shell_complete=agents_or_all)
@writing_options
@json_option
@common()
@click.pass_context
def command(ctx: click.Context, /, agent: str | None, as_json: bool, **options: Any) -> None:
    """Add the server to the settings of an agent, or with `all` of every agent on this machine.

    Shows first which lines of which file change; then asks. Everything else in the file stays as it is, and a copy of
    the file is kept. What is there already is not written again.

    \b
    pollux mcp install claude
    pollux mcp install all --yes
    pollux mcp install codex --scope project
    pollux mcp install gemini --print
    pollux mcp install all --remove
    """
    from pollux.cli.terminal.screen import Screen, talk

    writing(ctx)
    scope, printing, remove, yes = (options[name] for name in ("scope", "printing", "remove", "yes"))
    require_one(printing=printing, remove=remove, yes=yes)
    if agent is None:
        raise RequestError("For which agent?", "Try: pollux mcp install all")
    library, screen = open_library(ctx, quiet=as_json, gaps=False), Screen(ctx)
    if printing:
        _print(library, screen, agent, scope, as_json=as_json)
        return
    plan = library.connect.plan_server(agent, scope, remove=remove)
    if carry_out(library, screen, plan, yes=yes, as_json=as_json) and not remove:
        talk("Agents start the server with their next session. pollux mcp doctor tries it now.")


def _print(library: Library, screen: Screen, agent: str, scope: str, *, as_json: bool) -> None:
    from pollux.cli.terminal.screen import talk
    from pollux.text.figures import tilde
    from pollux.text.shell import shell_line
    from pollux.wire import display_path

    fragments = library.connect.server_fragments(agent, scope)
    if as_json:
        from pollux.answers.connect import fragments_document

        screen.json(fragments_document(fragments))
        return
    for fragment in fragments:
        talk(f"{fragment.title}, in {tilde(display_path(fragment.place), str(library.user_home))}:")
        screen.readable(fragment.text)
        if fragment.command is not None:
            talk(f"Or: {shell_line(*fragment.command)}")
