"""The first screen, drawn by another process while this one imports Textual."""

from __future__ import annotations

import json
import os
import select
import signal
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from pollux.library.library import Library

PATIENCE = 0.25
"""Seconds to wait for it. Then the screen begins empty."""

SPARE = 40
"""So many more sessions than lines are looked at: some are sub-agents, which are folded."""

_PIECE = 1 << 16


class First(NamedTuple):
    """Lines of the list, each with its key where the cursor may be on it, and how many sessions there are."""

    columns: int
    lines: list[tuple[str, str]]
    sessions: int


class FirstScreen:
    """A process that answers once. `show` puts what it has drawn on the terminal."""

    def __init__(
        self,
        open_library: Callable[[], Library],
        columns: int,
        height: int,
        show: Callable[[First], None] | None = None,
    ) -> None:
        self._pipe, theirs = os.pipe()
        self._child = os.fork()
        if self._child == 0:
            try:
                first = draw_first(open_library(), columns, height)
                if show is not None:
                    show(first)
                with os.fdopen(theirs, "w", encoding="utf-8") as stream:
                    stream.write(json.dumps(first))
            finally:
                os._exit(0)
        os.close(theirs)

    def result(self) -> First | None:
        """What it has drawn, and where it should, has shown; None if it could not. Then it shows nothing any more."""
        data = b""
        with os.fdopen(self._pipe, "rb", buffering=0) as stream:
            while select.select([stream], [], [], PATIENCE)[0]:
                piece = stream.read(_PIECE)
                if not piece:
                    break
                data += piece
        try:
            columns, lines, sessions = json.loads(data)
        except (ValueError, TypeError):
            self.end()
            return None
        return First(columns, [(line, key) for line, key in lines], sessions)

    def end(self) -> None:
        """End it, and take its exit status, so that nothing of it is left."""
        if self._child:
            os.kill(self._child, signal.SIGKILL)
            os.waitpid(self._child, 0)
            self._child = 0


def draw_first(library: Library, columns: int, height: int) -> First:
    """The first lines of the list."""
    from pollux import registry
    from pollux.draw.rows import Look, RowDrawer
    from pollux.library.library import Filter
    from pollux.system.clock import local, now
    from pollux.tui.canvas import StripCanvas
    from pollux.tui.list.rows import DayRow, SessionRow, moment_of, rows_by_day

    listed = library.index.listed_keys(Filter(everything=True), height + SPARE)
    seen = rows_by_day(listed, (), everything=False)[:height]
    drawer = RowDrawer(StripCanvas(columns), registry.source_names(), local(now()).date())
    entries = library.index.entries([row.key for row in seen if isinstance(row, SessionRow)])
    by_key = {entry.summary.key: entry for entry in entries}
    lines = [
        (drawer.day(moment_of(row)), "")
        if isinstance(row, DayRow)
        else (drawer.session(by_key[row.key], Look(row.depth, row.children, other_day=row.other_day)), row.key)
        for row in seen
        if isinstance(row, DayRow) or (isinstance(row, SessionRow) and row.key in by_key)
    ]
    return First(columns, lines, library.count())
