"""A table for people: columns as wide as what they hold, the least needed ones left out where there is no room."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pollux.cli.screen import Screen
from pollux.cli.width import cut, cut_left, pad, width

GAP = 2


@dataclass
class Column:
    """One column: its cells as plain clean text, and how they may be shortened.

    `flexible` takes the room that is left and must have `least` columns; `most` caps a column; `sacrifice` says how
    early a column is left out when room is short (0: never, then from the highest down). `styles` names a style
    for each cell.
    """

    title: str
    cells: list[str] = field(default_factory=list)
    styles: list[str | None] = field(default_factory=list)
    right: bool = False
    flexible: bool = False
    least: int = 0
    most: int | None = None
    sacrifice: int = 0
    path: bool = False

    def add(self, cell: str, style: str | None = None) -> None:
        """Add a cell."""
        self.cells.append(cell)
        self.styles.append(style)

    @property
    def natural(self) -> int:
        """How wide it would like to be."""
        widest = max((width(text) for text in (self.title, *self.cells)), default=0)
        return widest if self.most is None else min(widest, self.most)


def table(screen: Screen, columns: Sequence[Column], indent: str = "") -> Iterator[str]:
    """The lines of a table, its titles first."""
    room = None if screen.columns is None else screen.columns - len(indent)
    shown, widths = _fit([column for column in columns if any(column.cells)], room)
    titles = [screen.paint(cell, "head") for cell in _row([c.title for c in shown], shown, widths)]
    if any(column.title for column in shown):
        yield (indent + (" " * GAP).join(titles)).rstrip()
    for index in range(max((len(column.cells) for column in shown), default=0)):
        cells = _row([column.cells[index] for column in shown], shown, widths)
        styles = [column.styles[index] for column in shown]
        painted = [screen.paint(c, s) if s else c for c, s in zip(cells, styles, strict=True)]
        yield (indent + (" " * GAP).join(painted)).rstrip()


def _row(cells: Sequence[str], columns: Sequence[Column], widths: Sequence[int]) -> list[str]:
    row = []
    for cell, column, columns_wide in zip(cells, columns, widths, strict=True):
        short = cut_left(cell, columns_wide) if column.path else cut(cell, columns_wide)
        row.append(pad(short, columns_wide, right=column.right))
    return row


def _fit(columns: list[Column], room: int | None) -> tuple[list[Column], list[int]]:
    """Which columns stay and how wide each is."""
    shown = list(columns)
    while True:
        widths = [column.natural for column in shown]
        total = sum(widths) + GAP * (len(shown) - 1)
        if room is None or total <= room:
            return shown, widths
        flexible = next((i for i, column in enumerate(shown) if column.flexible), None)
        if flexible is not None:
            left = widths[flexible] - (total - room)
            if left >= min(shown[flexible].least, widths[flexible]):
                widths[flexible] = left
                return shown, widths
        spare = max(shown, key=lambda column: column.sacrifice, default=None)
        if spare is None or spare.sacrifice == 0:
            if flexible is not None:
                widths[flexible] = max(widths[flexible] - (total - room), 1)
            return shown, widths
        shown.remove(spare)
