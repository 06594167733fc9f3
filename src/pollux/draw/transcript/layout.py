"""Styled text laid out: wrapped at words, or in a table whose cells are wrapped."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Literal

from pollux.draw.width import steady, width, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pollux.draw.canvas import Canvas

Span = tuple[str, tuple[str, ...]]
"""A text and the names of its styles."""

Edge = Literal["left", "center", "right"]

LEAST = 4


def paint_spans(canvas: Canvas, spans: Iterable[Span]) -> str:
    """The spans in their styles, where there are colours."""
    return "".join(
        canvas.paint("".join(text for text, _ in run), *styles) for styles, run in groupby(spans, key=itemgetter(1))
    )


def flow(spans: Iterable[Span], columns: int | None) -> Iterator[list[Span]]:
    """The spans in lines of so many columns, broken between words."""
    line: list[Span] = []
    used = 0
    for unit in _units(spans, columns):
        size = sum(width(text) for text, _ in unit)
        if columns is not None and used and used + size > columns:
            while line and line[-1][0].isspace():
                line.pop()
            yield line
            line, used = [], 0
            if unit[0][0].isspace():
                continue
        line += unit
        used += size
    yield line


def _units(spans: Iterable[Span], columns: int | None) -> Iterator[list[Span]]:
    """Pieces between which a line may end: words with all that touches them, blanks, letters of wide scripts."""
    unit: list[Span] = []
    for text, styles in spans:
        for word in words(text, columns or 1_000_000):
            alone = word.isspace() or (len(word) == 1 and width(word) > 1)
            if alone and unit:
                yield unit
                unit = []
            if alone:
                yield [(word, styles)]
            else:
                unit.append((word, styles))
    if unit:
        yield unit


def grid(
    table: Sequence[Sequence[Sequence[Span]]], columns: int | None, edges: Sequence[Edge]
) -> Iterator[list[Span]] | None:
    """A table with wrapped cells, each aligned as `edges` say. None if it does not fit."""
    rows = [[[(steady(text), styles) for text, styles in cell] for cell in row] for row in table]
    natural: list[int] = []
    for row in rows:
        natural += [0] * (len(row) - len(natural))
        for number, cell in enumerate(row):
            natural[number] = max(natural[number], _size(cell))
    wide = _widths(natural, columns)
    column_edges = [*edges, *["left"] * len(natural)][: len(natural)]
    return None if wide is None else _laid(rows, wide, column_edges)


def _laid(rows: Sequence[Sequence[Sequence[Span]]], wide: Sequence[int], edges: Sequence[str]) -> Iterator[list[Span]]:
    for number, row in enumerate(rows):
        yield from _row(row, wide, edges)
        if number == 0:
            yield [("─┼─".join("─" * one for one in wide), ("dim",))]


def _size(cell: Iterable[Span]) -> int:
    return sum(width(text) for text, _ in cell)


def _widths(natural: list[int], columns: int | None) -> list[int] | None:
    """The width of each column: the widest are reduced first. None if there is no room for all."""
    wide = [max(one, 1) for one in natural]
    room = None if columns is None else columns - 3 * (len(wide) - 1)
    if room is None or sum(wide) <= room:
        return wide
    if room < LEAST * len(wide):
        return None
    # Narrow columns keep their width, and the others share the rest.
    left, many = room, len(wide)
    for one in sorted(wide):
        if one * many > left:
            break
        left -= one
        many -= 1
    most, rest = divmod(left, many)
    widths = []
    for one in wide:
        extra = 1 if one > most and rest > 0 else 0
        rest -= extra
        widths.append(min(one, most + extra))
    return widths


def _row(row: Sequence[Sequence[Span]], wide: Sequence[int], edges: Sequence[str]) -> Iterator[list[Span]]:
    cells = [[*flow(row[n], one)] if n < len(row) else [] for n, one in enumerate(wide)]
    for number in range(max((len(cell) for cell in cells), default=0)):
        line: list[Span] = []
        for cell, one, edge in zip(cells, wide, edges, strict=True):
            line_spans = cell[number] if number < len(cell) else []
            line += [(" │ ", ("dim",))] if line else []
            blanks = one - _size(line_spans)
            before = {"left": 0, "center": blanks // 2, "right": blanks}[edge]
            line += [(" " * before, ()), *line_spans, (" " * (blanks - before), ())]
        yield line
