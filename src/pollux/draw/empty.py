"""What to show where there is no session: where pollux looked, and what can be done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.draw.table import Column, table
from pollux.draw.width import wrap
from pollux.text.escape import one_line
from pollux.text.figures import tilde
from pollux.wire import folder_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pollux.draw.canvas import Canvas
    from pollux.library.library import Library


def places_table(canvas: Canvas, library: Library) -> Iterator[str]:
    """A table of the places where pollux looked, and what to try next."""
    agent, path, content_column = (
        Column("agent"),
        Column("looked in", flexible=True, least=20, path=True),
        Column("found"),
    )
    lacking = library.index.lacking()
    for source, root in library.homes.roots():
        agent.add(source.title)
        path.add(one_line(tilde(str(root.path), str(library.user_home))))
        content = "nothing that can be read" if source.name in lacking else "a folder without sessions"
        content_column.add(library.homes.refused(root) or (content if folder_at(root.path) else "no such folder"))
    yield "No session could be read: pollux doctor names the files." if lacking else "No sessions were found."
    yield ""
    yield from table(canvas, [agent, path, content_column], indent="  ")
    yield ""
    yield from wrap(
        "`pollux show FILE` reads any session file, `pollux --sample` shows a sample history.", canvas.columns
    )
