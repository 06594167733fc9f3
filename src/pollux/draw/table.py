"""A table for people. Columns are as wide as their cells; where there is no room, the least important are left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pollux.draw.bars import bar
from pollux.draw.canvas import Canvas
from pollux.draw.width import cut, cut_left, pad, steady, width

GAP = 2


@dataclass
class Column:
    """One column: its cells as plain clean text, and how they may be shortened.

    `flexible` takes the room that is left and must have `least` columns; `most` caps a column; `whole` cells are never
    shortened before others; `sacrifice` says how early a column is left out when room is short (0: never, then from the
    highest down). `styles` names a style for each cell.
    """

    title: str
    cells: list[str] = field(default_factory=list)
    styles: list[str | None] = field(default_factory=list)
    right: bool = False
    flexible: bool = False
    least: int = 0
    most: int | None = None
    whole: bool = False
    sacrifice: int = 0
    path: bool = False
    paths: set[int] = field(default_factory=set)

    def add(self, cell: str, style: str | None = None, *, path: bool = False) -> None:
        """Add a cell; a `path` is shortened at its beginning."""
        if path or self.path:
            self.paths.add(len(self.cells))
        self.cells.append(steady(cell))
        self.styles.append(style)

    @property
    def natural(self) -> int:
        """Its width if there is room."""
        widest = max((width(text) for text in (self.title, *self.cells)), default=0)
        return widest if self.most is None else min(widest, self.most)

    @property
    def filled(self) -> bool:
        """Is there anything in it?"""
        return any(self.cells)

    def cell(self, index: int, columns: int) -> str:
        """A cell in so many columns."""
        short = cut_left if index in self.paths else cut
        return pad(short(self.cells[index], columns), columns, right=self.right)

    def heading(self, columns: int) -> str:
        """The title in so many columns."""
        return pad(cut(self.title, columns), columns, right=self.right)


@dataclass
class Chart(Column):
    """A column of bars in proportion to the largest value. It shrinks before all other columns."""

    values: list[float] = field(default_factory=list)
    peak: float = 0

    def bar(self, value: float, style: str | None = "good") -> None:
        """Add a bar."""
        self.add("", style)
        self.values.append(value)
        self.peak = max(self.peak, value)

    @property
    def natural(self) -> int:
        """As wide as it may be."""
        return max(width(self.title), self.most or 0)

    @property
    def filled(self) -> bool:
        """Is there a bar in it?"""
        return self.peak > 0

    def cell(self, index: int, columns: int) -> str:
        """A bar in so many columns."""
        return pad(bar(self.values[index], self.peak, columns), columns)


def table(canvas: Canvas, columns: Sequence[Column], indent: str = "") -> Iterator[str]:
    """The lines of a table, its titles first."""
    room = None if canvas.columns is None else canvas.columns - len(indent)
    visible, widths = _fit([column for column in columns if column.filled], room)
    fitted = list(zip(visible, widths, strict=True))
    if any(column.title for column in visible):
        titles = [canvas.paint(column.heading(wide), "head") for column, wide in fitted]
        yield (indent + (" " * GAP).join(titles)).rstrip()
    for index in range(max((len(column.cells) for column in visible), default=0)):
        cells = [(column.cell(index, wide), column.styles[index]) for column, wide in fitted]
        painted = [canvas.paint(cell, style) if style else cell for cell, style in cells]
        yield (indent + (" " * GAP).join(painted)).rstrip()


def _fit(columns: list[Column], room: int | None) -> tuple[list[Column], list[int]]:
    """Which columns stay and how wide each is."""
    visible, natural = list(columns), {id(column): column.natural for column in columns}
    while True:
        widths = [natural[id(column)] for column in visible]
        if room is None or _shrunk(visible, widths, room):
            return visible, widths
        spare = max(visible, key=lambda column: column.sacrifice, default=None)
        if spare is None or spare.sacrifice == 0:
            _squeezed(visible, widths, room)
            return visible, widths
        visible.remove(spare)


def _over(widths: list[int], room: int) -> int:
    return sum(widths) + GAP * (len(widths) - 1) - room


def _shrunk(columns: list[Column], widths: list[int], room: int) -> bool:
    """Make columns narrower: bars, then the flexible one, then those wider than a third. Returns whether they fit."""
    for fits, least in (
        (lambda column: isinstance(column, Chart), lambda column: max(width(column.title), column.least)),
        (lambda column: column.flexible, lambda column: column.least),
        (lambda column: not (column.right or column.flexible or column.whole or column.sacrifice), lambda _: room // 3),
    ):
        for index, column in enumerate(columns):
            if (over := _over(widths, room)) > 0 and fits(column):
                widths[index] = max(widths[index] - over, min(least(column), widths[index]))
    return _over(widths, room) <= 0


def _squeezed(columns: list[Column], widths: list[int], room: int) -> None:
    """Cut words, the longest first, where no column can be left out. Figures are never cut."""
    words = [index for index, column in enumerate(columns) if not column.right]
    while words and _over(widths, room) > 0:
        widest = max(words, key=lambda index: (columns[index].flexible, widths[index]))
        if widths[widest] <= 1:
            words.remove(widest)
        else:
            widths[widest] -= 1
