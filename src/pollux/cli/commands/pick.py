"""`pollux pick`: choose a session in the terminal, and print its name."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from pollux.cli.options.common import OR_SAMPLE, SAMPLE, common, open_library
from pollux.cli.options.filters import branch_option, filter_from_options, narrowing
from pollux.cli.options.group import Command
from pollux.errors import RequestError

if TYPE_CHECKING:
    from pollux.library.library import Library, ListEntry


@click.command("pick", cls=Command, short_help="Choose a session in the terminal, and print its key.")
@click.argument("query", nargs=-1)
@narrowing
@branch_option
@click.option("--id", "output", flag_value="id", help="Print the agent's own id.")
@click.option("--path", "output", flag_value="path", help="Print the path of its file.")
@click.option("--command", "output", flag_value="command", help="Print the command that goes on with it.")
@common()
@click.pass_context
def command(ctx: click.Context, /, query: tuple[str, ...], output: str | None, **options: Any) -> None:
    """Choose a session in the terminal, and print its key: a list for scripts.

    Type to search, ↑ and ↓ to move, Enter to take it. Esc leaves with the exit status 1, and nothing is printed.

    \b
    pollux show $(pollux pick)
    claude -r $(pollux pick --agent claude --id)
    """
    if os.environ.get("TERM", "dumb") == "dumb":
        raise RequestError("This terminal (TERM=dumb) cannot show a list to choose from.", "Try: pollux list")
    criteria = filter_from_options(**options)
    library = _library(ctx)
    entry = import_module("pollux.tui.pick.picker").pick(library, criteria, " ".join(query))
    if entry is None:
        ctx.exit(1)
    from pollux.cli.terminal.screen import Screen

    Screen(ctx).readable(f"{_line(library, entry, output)}\n")


def _line(library: Library, entry: ListEntry, output: str | None) -> str:
    summary = entry.summary
    match output:
        case "id":
            if summary.id.startswith("-"):  # `claude -r $(pollux pick --id)` would take it as an option
                raise RequestError(f"The id of {summary.key} looks like an option.", "Its key does not: pollux pick")
            return summary.id
        case "path":
            if not summary.files:
                raise RequestError(f"{summary.key} has no file of its own.")
            return summary.files[0]
        case "command":
            return library.resume.plan(summary.key).line
        case _:
            return summary.key


def _library(ctx: click.Context) -> Library:
    """The sessions as the cache has them: another process looks for what changed meanwhile."""
    if ctx.meta.get(SAMPLE) or ctx.meta.get(OR_SAMPLE):
        return open_library(ctx, quiet=True, words=True)
    from pollux.library.library import Library

    return ctx.with_resource(Library(fresh=False, complete_later=True))
