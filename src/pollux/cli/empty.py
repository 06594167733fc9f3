"""What to say when there is nothing to show: where pollux looked, and what can be done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.cli.clean import one_line
from pollux.cli.table import Column, table
from pollux.cli.words import tilde

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pollux.cli.screen import Screen
    from pollux.library import Library


def nothing(screen: Screen, library: Library) -> Iterator[str]:
    """A table of the places pollux looked at, and a way out."""
    agent, path, found = Column("agent"), Column("looked in", flexible=True, least=20, path=True), Column("found")
    for source, root in library.roots():
        agent.add(source.title)
        path.add(one_line(tilde(str(root.path), str(library.places.home))))
        found.add("a folder without sessions" if root.path.is_dir() else "no such folder")
    yield "No sessions were found."
    yield ""
    yield from table(screen, [agent, path, found], indent="  ")
    yield ""
    yield "`pollux show FILE` reads any session file, `pollux --sample` shows a sample history."
