"""`pollux tui`: the terminal UI. Bare `pollux` opens it too, where it can."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import click

from pollux.cli.at_once import library as library_at_once, why_not
from pollux.cli.options.common import OR_SAMPLE, SAMPLE, common, open_library
from pollux.cli.options.group import Command
from pollux.errors import RequestError
from pollux.system.directories import Places, present_folder
from pollux.text.shell import shell_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from pollux.library.library import Library


@click.command("tui", cls=Command, short_help="Open the terminal UI: search as you type, and read.")
@click.argument("query", nargs=-1)
@click.option("--plain", is_flag=True, help="Line by line, without a full screen: for screen readers.")
@common()
@click.pass_context
def command(ctx: click.Context, query: tuple[str, ...], plain: bool) -> None:
    """Open the terminal UI, with a QUERY in its search field.

    Type to search, Enter to read, F1 for all keys.

    \b
    pollux tui
    pollux tui retry agent:codex
    pollux tui --plain
    """
    problem = why_not(plain=plain)
    if problem is not None:
        print_list(ctx, problem, query)
        return
    show(ctx, " ".join(query), plain=plain)


def show(ctx: click.Context, query: str = "", *, plain: bool = False) -> None:
    """Open it. A view is started by its name, as a command's module is: none imports another."""
    view = import_module("pollux.tui.plain" if plain else "pollux.tui.run")
    opening, is_sample = _opening(ctx)
    view.run(opening, present_folder(), Places().settings, query, is_sample=is_sample)


def _opening(ctx: click.Context) -> tuple[Callable[[], Library], bool]:
    """Opens the sessions as the cache has them: another process looks for what changed meanwhile.

    Also says whether they are the sample, which is open already.
    """
    if ctx.meta.get(SAMPLE) or ctx.meta.get(OR_SAMPLE):
        library = open_library(ctx, quiet=True, words=True)
        if ctx.meta.get(SAMPLE):
            return (lambda: library), True

    return library_at_once, False


def print_list(ctx: click.Context, problem: str, query: tuple[str, ...] = ()) -> None:
    """Say why there is no terminal UI, and print the list instead."""
    if query:
        raise RequestError(problem, f"Try: {shell_line('pollux', 'search', *query)}")
    click.echo(f"pollux: {problem}", err=True)
    listing = import_module("pollux.cli.commands.list").command
    with listing.make_context("list", [], parent=ctx.parent or ctx) as inner:
        listing.invoke(inner)
