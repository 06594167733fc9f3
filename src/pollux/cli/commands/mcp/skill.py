"""`pollux skill`: a page that tells agents when and how to ask pollux."""

from __future__ import annotations

from typing import Any

import click

from pollux.cli.commands.mcp.install import agents_or_all
from pollux.cli.commands.mcp.writing import carry_out, require_one, writing_options
from pollux.cli.options.common import common, json_option, open_library, writing
from pollux.cli.options.group import Command, Group
from pollux.errors import RequestError


@click.group("skill", cls=Group, invoke_without_command=True, short_help="Tell agents when and how to ask pollux.")
@click.pass_context
def command(ctx: click.Context) -> None:
    """Tell agents when and how to ask pollux: one page, which they open when they need it."""
    if ctx.invoked_subcommand is None:
        raise RequestError("What is to be done with the skill?", "Try: pollux skill install")


@command.command("install", cls=Command, short_help="Write the page where agents look for skills.")
@click.argument("agent", default="all", shell_complete=agents_or_all)
@writing_options
@json_option
@common()
@click.pass_context
def install(ctx: click.Context, /, agent: str, as_json: bool, **options: Any) -> None:
    """Write the page where an agent looks for skills, or without AGENT where all agents on this machine do.

    Until it is needed, a skill costs only its description. It works with the command line alone. Shows first which
    files change; then asks. A copy of what is replaced is kept.

    \b
    pollux skill install
    pollux skill install claude --scope project
    pollux skill install --print
    pollux skill install --remove
    """
    from pollux.cli.terminal.screen import Screen, talk

    writing(ctx)
    scope, printing, remove, yes = (options[name] for name in ("scope", "printing", "remove", "yes"))
    require_one(printing=printing, remove=remove, yes=yes)
    library, screen = open_library(ctx, quiet=as_json, gaps=False), Screen(ctx)
    if printing:
        text = library.connect.skill_text()
        if as_json:
            from pollux.answers.connect import skill_document

            screen.json(skill_document(text))
        else:
            screen.readable(text)
        return
    plan = library.connect.plan_skill(agent, scope, remove=remove)
    if carry_out(library, screen, plan, yes=yes, as_json=as_json) and not remove:
        talk("Agents know it from their next session on.")
