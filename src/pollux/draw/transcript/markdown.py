"""A model's Markdown in a terminal, line by line: headings, lists, quotes, tables and code get their look.

The lines stay where they were written, so no word can be lost and nothing is nested too deep. Without colours the marks
of headings and emphasis stay too, since nothing else would show them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pollux.draw.transcript.emphasis import spans
from pollux.draw.transcript.highlight import highlighted
from pollux.draw.transcript.layout import Edge, Span, flow, grid, paint_spans
from pollux.draw.width import width

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pollux.draw.canvas import Canvas

_FENCE = re.compile(r"( *)(`{3,}|~{3,})(.*)")
_HEADING = re.compile(r" {0,3}#{1,6} +(.*)")
_RULE = re.compile(r" {0,3}(?:-(?: *-){2,}|\*(?: *\*){2,}|_(?: *_){2,}) *")
_ITEM = re.compile(r"( *)([-*+]|\d{1,9}[.)])( +)(.*)")
_QUOTE = re.compile(r" {0,3}((?:> ?){1,8})(.*)")
_DELIMITERS = re.compile(r"\|?(?: *:?-+:? *\|)+(?: *:?-+:?)?")
_CELL = re.compile(r"(?:[^|\\]|\\.?)*")
_DIM = ("dim",)


def markdown(canvas: Canvas, text: str, columns: int | None, style: str | None = None) -> Iterator[str]:
    """The lines of a clean text, all of it in a style if one is given."""
    page = _Page(canvas, columns)
    for line in page.lines(text.split("\n")):
        spans = line if style is None else [(words, (style, *styles)) for words, styles in line]
        yield paint_spans(canvas, spans).rstrip()


class _Page:
    """Knows how much room there is, and what it may paint."""

    def __init__(self, canvas: Canvas, columns: int | None) -> None:
        self._color = canvas.color
        self._columns = columns

    def lines(self, source: list[str]) -> Iterator[list[Span]]:
        """Everything, one block after the other."""
        place, in_list = 0, False
        while place < len(source):
            line = source[place]
            if (fence := _FENCE.fullmatch(line)) is not None and "`" not in fence[3]:
                end = _end(source, place, fence[2])
                yield from self._code(source[place : end + 1], fence[2], fence[3].strip())
                place = end
            elif (
                "|" in line
                and place + 1 < len(source)
                and _DELIMITERS.fullmatch(source[place + 1].strip(" ")) is not None
            ):
                end = place + 2
                while end < len(source) and "|" in source[end]:
                    end += 1
                yield from self._table(source[place:end])
                place = end - 1
            elif line.startswith("    ") and not in_list:
                yield [(line, ())]
            else:
                yield from self._line(line)
                in_list = _ITEM.fullmatch(line) is not None or (in_list and (not line or line[0] == " "))
            place += 1

    def _line(self, line: str) -> Iterator[list[Span]]:
        """A line of prose, a heading, an item, a quote, a rule."""
        item = _ITEM.fullmatch(line)
        start = item.start(4) if item is not None else len(line) - len(line.lstrip(" "))
        blanks = (" " * start, ())
        if not self._color:
            return self._wrapped((line[:start], ()), [(line[start:], ())], blanks)
        if _RULE.fullmatch(line) is not None:
            return iter([[("─" * min(self._columns or 40, 40), _DIM)]])
        if item is not None:
            lead = line[:start] if item[2][0].isdigit() else f"{item[1]}•{item[3]}"
            return self._wrapped((lead, _DIM), [*spans(item[4])], blanks)
        if (heading := _HEADING.fullmatch(line)) is not None:
            return self._wrapped(("", ()), [*spans(heading[1].rstrip("# ") or heading[1], ("bold",))], ("", ()))
        if (quote := _QUOTE.fullmatch(line)) is not None:
            bars = ("▌ " * quote[1].count(">"), _DIM)
            return self._wrapped(bars, [*spans(quote[2])], bars)
        return self._wrapped(blanks, [*spans(line[start:])], blanks)

    def _wrapped(self, lead: Span, rest: list[Span], hang: Span) -> Iterator[list[Span]]:
        """A line, wrapped: `lead` is before the first part and `hang` before the others, if there is room."""
        room, beside = self._columns, width(lead[0])
        if room is None or beside + sum(width(text) for text, _ in rest) <= room:
            yield [lead, *rest]
            return
        if beside > room // 2:
            lead, rest, hang, beside = ("", ()), [lead, *rest], ("", ()), 0
        for number, piece in enumerate(flow(rest, room - beside)):
            yield [hang if number else lead, *piece]

    def _code(self, block: list[str], fence: str, info: str) -> Iterator[list[Span]]:
        """Code keeps its lines, and the fences that say what it is."""
        closed = len(block) > 1 and _closes(block[-1], fence)
        code = block[1:-1] if closed else block[1:]
        yield [(block[0], _DIM)]
        if code:
            yield from highlighted("\n".join(code), info.partition(" ")[0], color=self._color)
        if closed:
            yield [(block[-1], _DIM)]

    def _table(self, block: list[str]) -> Iterator[list[Span]]:
        rows = []
        for number, line in enumerate(block):
            if number != 1:
                style = ("bold",) if number == 0 else ()
                rows.append([list(spans(cell, style)) if self._color else [(cell, ())] for cell in _cells(line)])
        laid = grid(rows, self._columns, [_edge(mark) for mark in _cells(block[1])])
        for line in block if laid is None else ():
            yield [(line, ())]
        yield from laid or ()


def _edge(mark: str) -> Edge:
    """The alignment of a column, by the mark below its title."""
    return "center" if mark[0] == mark[-1] == ":" else "right" if mark[-1] == ":" else "left"


def _end(source: list[str], start: int, fence: str) -> int:
    """The line that closes a fence, or the last one."""
    for number in range(start + 1, len(source)):
        if _closes(source[number], fence):
            return number
    return len(source) - 1


def _closes(line: str, fence: str) -> bool:
    text = line.strip(" ")
    return len(text) >= len(fence) and not text.strip(fence[0])


def _cells(line: str) -> list[str]:
    """The cells of a row; a bar behind a backslash belongs to its cell."""
    text = line.strip(" ")
    text = text.removeprefix("|")
    cells, place = [], 0
    while place <= len(text):
        match = _CELL.match(text, place)
        assert match is not None  # noqa: S101 (it may be empty)
        cells.append(match[0].strip(" ").replace("\\|", "|"))
        place = match.end() + 1
    return cells[:-1] if len(cells) > 1 and not cells[-1] and text.endswith("|") else cells
