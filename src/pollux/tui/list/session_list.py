"""The list of sessions, drawn a screen at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.tui.canvas import StripCanvas
from pollux.tui.list.rows import ChosenRow, DayRow, DrawnRow, MoreRow, PassageRow, Row, SessionRow, moment_of
from pollux.tui.widgets.line_list import LineList

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from textual import events

    from pollux.draw.rows import RowDrawer
    from pollux.library.library import ListEntry

_KEPT = 2000
"""So many summaries are remembered."""


class SessionList(LineList):
    """Rows, and the summaries of those that were seen.

    `lookup` gives summaries by their keys. `moved` is told when another row is under the cursor, and `at_end` when the
    person has come to the last rows.
    """

    def __init__(
        self,
        lookup: Callable[[Iterable[str]], list[ListEntry]],
        agents: Callable[[], Sequence[str]],
        moved: Callable[[], None],
        at_end: Callable[[], None],
    ) -> None:
        super().__init__(id="sessions")
        self.rows: list[Row] = []
        self.unfolded: frozenset[str] = frozenset()
        self.dated = False
        self._lookup = lookup
        self._agents = agents
        self._moved = moved
        self._at_end = at_end
        self._entries: dict[str, ListEntry | None] = {}
        self._drawer: RowDrawer | None = None
        self._drawn_in = 0

    def moved(self) -> None:
        """Another row is under the cursor."""
        self._moved()

    def go_to(self, number: int) -> None:
        """Put the cursor on a row."""
        super().go_to(number)
        self._look_for_end()

    def scroll_lines(self, lines: int) -> None:
        """Move by so many rows."""
        super().scroll_lines(lines)
        self._look_for_end()

    def clicked_bar(self, event: events.Click) -> bool:
        """Show the part that was clicked on in the bar."""
        was_bar = super().clicked_bar(event)
        self._look_for_end()
        return was_bar

    def _look_for_end(self) -> None:
        if self.rows and self._nearest(len(self.rows) - 1, -1) in self.visible_lines():
            self._at_end()

    # ------------------------------------------------------------------ lines

    def count(self) -> int:
        """How many rows there are."""
        return len(self.rows)

    def stops_at(self, number: int) -> bool:
        """The cursor stops at sessions and passages."""
        row = self.rows[number]
        return bool(row.key) if isinstance(row, DrawnRow) else isinstance(row, (SessionRow, PassageRow))

    def line(self, number: int) -> str:
        """A row."""
        row = self.rows[number]
        return row.line if isinstance(row, DrawnRow) else self._draw(row)

    def _draw(self, row: DayRow | SessionRow | PassageRow | MoreRow) -> str:
        from pollux.draw.rows import Look

        drawer = self._current_drawer()
        match row:
            case DayRow():
                return drawer.day(moment_of(row))
            case SessionRow():
                entry = self.entry(row.key)
                look = Look(
                    row.depth,
                    row.children,
                    is_unfolded=row.key in self.unfolded,
                    dated=self.dated,
                    other_day=row.other_day,
                )
                return drawer.session(entry, look) if entry is not None else f"        {row.key}"
            case PassageRow(hit=hit):
                return drawer.passage(hit)
            case MoreRow(left=left):
                return drawer.more(left)

    def _current_drawer(self) -> RowDrawer:
        if self._drawer is None or self._drawn_in != self.columns:
            from pollux.draw.rows import RowDrawer
            from pollux.system.clock import local, now

            self._drawn_in = self.columns
            self._drawer = RowDrawer(StripCanvas(self.columns), self._agents(), local(now()).date())
        return self._drawer

    def changed(self) -> None:
        """Draw everything again."""
        self._drawer = None
        super().changed()

    # ------------------------------------------------------------------ summaries

    def entry(self, key: str) -> ListEntry | None:
        """The summary of a session; None if it is gone. Those of the whole screen are looked up together."""
        if key not in self._entries:
            if len(self._entries) > _KEPT:
                self._entries.clear()
            seen = [self.rows[number] for number in self.visible_lines()]
            keys = {key, *(row.key for row in seen if isinstance(row, SessionRow))}
            missing = [one for one in keys if one not in self._entries]
            self._entries |= dict.fromkeys(missing)
            self._entries |= {entry.summary.key: entry for entry in self._lookup(missing)}
        return self._entries[key]

    def learn(self, entries: Iterable[ListEntry]) -> None:
        """Remember summaries that are known already."""
        self._entries |= {entry.summary.key: entry for entry in entries}

    def forget(self, keys: Iterable[str] | None = None) -> None:
        """Look summaries up again, of some sessions or of all."""
        for key in list(self._entries) if keys is None else keys:
            self._entries.pop(key, None)

    def redraw_session(self, key: str) -> None:
        """Look a session up again, and draw its row again."""
        self.forget([key])
        for number in self.visible_lines():
            if getattr(self.rows[number], "key", None) == key:
                self.redraw(number)

    # ------------------------------------------------------------------ rows

    @property
    def row(self) -> ChosenRow | None:
        """The row under the cursor."""
        row = self.rows[self.cursor] if self.cursor < len(self.rows) else None
        if isinstance(row, DrawnRow):
            return SessionRow(row.key) if row.key else None
        return row if isinstance(row, (SessionRow, PassageRow)) else None

    def passage_of(self, row: ChosenRow) -> str | None:
        """The message of a passage; below the row of a session, that of its first passage, which is the best one."""
        if isinstance(row, PassageRow):
            return row.hit.message_id
        below = self.rows[self.cursor + 1 : self.cursor + 2]
        return next((one.hit.message_id for one in below if isinstance(one, PassageRow) and one.key == row.key), None)

    def show(self, rows: list[Row], *, keep: bool) -> None:
        """Show other rows. With `keep`, the cursor stays on its row, and that row stays where it is on the screen.

        At the top it stays at the top: there the newest sessions appear.
        """
        before, height = self.row, self.cursor - self.top
        at_top = not self.top and bool(self.rows) and self.cursor == self._nearest(0, 1)
        self.rows = rows
        place = _place(rows, before) if keep and before is not None and not at_top else None
        self.cursor = place if place is not None else self._nearest(0, 1) if rows else 0
        self.changed()
        if place is not None:
            self.show_from(place - height)
            self.show_cursor()
        else:
            self.to_start()
        self.moved()


def _place(rows: Sequence[Row], before: SessionRow | PassageRow) -> int | None:
    """Where a row is now; where only its session is left, the place of that."""
    session = None
    for number, row in enumerate(rows):
        if row == before:
            return number
        if session is None and isinstance(row, SessionRow) and row.key == before.key:
            session = number
    return session
