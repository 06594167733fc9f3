"""What to say when there is nothing to show: where pollux looked, and what can be done."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from pollux.cli.terminal.screen import talk
from pollux.cli.terminal.table import Column, table
from pollux.errors import NotFound, Unreadable
from pollux.text.escape import one_line
from pollux.text.figures import tilde
from pollux.wire import folder_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    import click

    from pollux.cli.terminal.screen import Screen
    from pollux.library.library import Library


def nothing(ctx: click.Context, screen: Screen, library: Library) -> NoReturn:
    """Tell where pollux looked, and end with the status of `vain`."""
    talk("\n".join(_looked(screen, library)))
    ctx.exit(vain(library))


def vain(library: Library) -> int:
    """How a search for sessions ends that found none: not in vain for want of rights, as far as that is known."""
    refused = library.index.closed or any(library.homes.refused(root) is not None for _, root in library.homes.roots())
    return Unreadable.exit_code if refused else NotFound.exit_code


def _looked(screen: Screen, library: Library) -> Iterator[str]:
    """A table of the places pollux looked at, and a way out."""
    agent, path, found = Column("agent"), Column("looked in", flexible=True, least=20, path=True), Column("found")
    for source, root in library.homes.roots():
        agent.add(source.title)
        path.add(one_line(tilde(str(root.path), str(library.places.home))))
        there = "a folder without sessions" if folder_at(root.path) else "no such folder"
        found.add(library.homes.refused(root) or there)
    yield "No sessions were found."
    yield ""
    yield from table(screen, [agent, path, found], indent="  ")
    yield ""
    yield "`pollux show FILE` reads any session file, `pollux --sample` shows a sample history."
