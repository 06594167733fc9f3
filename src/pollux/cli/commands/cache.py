"""`pollux cache`: what pollux keeps to answer quickly, and a way to be rid of it."""

from __future__ import annotations

import click

from pollux.cli.options.common import common, json_option, open_library, writing
from pollux.cli.options.group import Group


@click.group("cache", cls=Group, invoke_without_command=True)
@common()
@click.pass_context
def command(ctx: click.Context) -> None:
    """Show the cache, or delete it.

    It holds nothing that is not in the agents' files, and is made anew when it is missing.
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(info)


@command.command("info")
@json_option
@common()
@click.pass_context
def info(ctx: click.Context, as_json: bool = False) -> None:
    """Show the cache without updating it."""
    from pollux.cli.terminal.screen import Screen

    library, screen = open_library(ctx, quiet=as_json, words=True), Screen(ctx)
    cache = library.index.info()
    if as_json:
        from pollux.answers.cache import cache_document

        screen.json(cache_document(cache))
        return
    from pollux.draw.table import Column, table
    from pollux.text.escape import one_line
    from pollux.text.figures import plural, size, tilde

    name, value = Column(""), Column("", flexible=True, least=20, path=True)
    for what, text in (
        ("folder", one_line(tilde(cache.folder, str(library.user_home)))),
        ("catalogue", size(cache.catalogue_bytes)),
        ("index", size(cache.index_bytes)),
        ("sessions", f"{cache.sessions:,}"),
        ("passages", f"{cache.passages:,}"),
        *([("pending", f"words of {plural(cache.pending, 'session')}")] if cache.pending else []),
        ("generation", f"{cache.generation:,}"),
    ):
        name.add(what, "dim")
        value.add(text)
    screen.lines(table(screen, [name, value]))


@command.command("clear")
@common()
@click.pass_context
def clear(ctx: click.Context) -> None:
    """Throw the cache away."""
    from pollux.cli.terminal.screen import talk
    from pollux.text.figures import size

    writing(ctx)
    library = open_library(ctx)
    cache = library.index.info()
    library.index.clear()
    freed = cache.catalogue_bytes + cache.index_bytes
    talk(f"Removed {size(freed)}." if freed else "There was nothing to remove.")
