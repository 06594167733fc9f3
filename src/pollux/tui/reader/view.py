"""A conversation on the screen: only the lines that are seen are drawn."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from rich.segment import Segment
from textual.message import Message as Event
from textual.strip import Strip

from pollux.draw.width import width
from pollux.tui.looks import looks
from pollux.tui.strips import strip
from pollux.tui.widgets.line_widget import LineWidget
from pollux.tui.widgets.window import BAR, WHEEL

if TYPE_CHECKING:
    from rich.style import Style
    from textual import events

    from pollux.tui.reader.document import Document

GUTTER = 2

Place = tuple[int, int]
"""A piece, and a line of it."""


class ConversationView(LineWidget, can_focus=True):
    """Shows a document from a place on, and knows which piece is the current one."""

    DEFAULT_CSS = "ConversationView { background: $background; }"

    class Moved(Event):
        """Another piece is the current one, or other lines are seen."""

    def __init__(self) -> None:
        super().__init__(id="conversation")
        self.document: Document | None = None
        self.top: Place = (0, 0)
        self.current = 0
        self.needle = ""
        self._found: Place | None = None
        self._seen: list[Place] | None = None
        self._seen_in = (0, 0)

    # ------------------------------------------------------------------ places

    @property
    def columns(self) -> int:
        """How wide a line is."""
        return max(self.size.width - GUTTER - 1, 8)

    def _height(self, number: int) -> int:
        assert self.document is not None  # noqa: S101 (nobody asks before there is one)
        return len(self.document.lines(number, self.columns))

    def _forward(self, place: Place, lines: int) -> Place:
        """The place so many lines further, or the last one."""
        assert self.document is not None  # noqa: S101
        number, line = place
        line += lines
        while line >= (height := self._height(number)):
            if number + 1 >= self.document.count:
                return (number, max(height - 1, 0))
            number, line = number + 1, line - height
        return (number, line)

    def _backward(self, place: Place, lines: int) -> Place:
        """The place so many lines before, or the first one."""
        number, line = place
        line -= lines
        while line < 0:
            if number == 0:
                return (0, 0)
            number -= 1
            line += self._height(number)
        return (number, line)

    def _last_top(self) -> Place:
        """The place from which on the rest fills the screen."""
        assert self.document is not None  # noqa: S101
        return self._backward((self.document.count, 0), max(self.size.height, 1))

    def seen(self) -> list[Place]:
        """The places of the lines on the screen."""
        if self._seen is None or self._seen_in != (self.columns, self.size.height):
            self._seen, self._seen_in = [], (self.columns, self.size.height)
            number, line = self.top
            while self.document is not None and number < self.document.count and len(self._seen) < self.size.height:
                height = self._height(number)
                room = self.size.height - len(self._seen)
                self._seen += [(number, each) for each in range(line, min(height, line + room))]
                number, line = number + 1, 0
        return self._seen

    # ------------------------------------------------------------------ moving

    def show(self, document: Document, top: Place = (0, 0), current: int | None = None) -> None:
        """Show a document from a place on."""
        self.document = document
        self._go(top)
        if current is not None:
            self.current = current

    def _go(self, top: Place) -> None:
        """Show from this place on."""
        if self.document is not None:
            self._place(top)
            self.refresh()
            self.post_message(self.Moved())

    def _place(self, top: Place) -> None:
        """Begin with this place, but show no empty screen behind the end."""
        assert self.document is not None  # noqa: S101
        number, line = min(top, self._last_top())
        number = min(number, self.document.count - 1)
        self.top = (number, min(line, max(self._height(number) - 1, 0)))
        self._seen = None
        self._settle()

    def _settle(self) -> None:
        """Keep the current piece on the screen."""
        numbers = [number for number, _ in self.seen()]
        if numbers and self.current not in numbers:
            starts = [number for number, line in self.seen() if line == 0]
            self.current = starts[0] if starts and self.current < numbers[0] else numbers[0 if not starts else -1]
            if self.current == numbers[-1] and starts:
                self.current = starts[-1]

    def scroll_lines(self, lines: int) -> None:
        """Move by so many lines."""
        if self.document is not None:
            self._go(self._forward(self.top, lines) if lines > 0 else self._backward(self.top, -lines))

    def to_start(self) -> None:
        """Show the beginning."""
        self.current = 0
        self._go((0, 0))

    def to_end(self) -> None:
        """Show the end."""
        if self.document is not None:
            self._go((self.document.count, 0))
            self.current = max((number for number, _ in self.seen()), default=0)
            self.refresh()

    @property
    def is_at_end(self) -> bool:
        """Is the end seen?"""
        return self.document is None or self.top >= self._last_top()

    def to_piece(self, number: int, line: int = 0, *, above: int = 0) -> None:
        """Make a piece the current one, and show it from a line on with some lines above."""
        self.current = number
        self._go(self._backward((number, line), above))
        self.current = number
        self.refresh()

    def to_next(self, way: int, *, prompts: bool = False) -> bool:
        """Go to the next piece that is seen, or the next prompt. Returns whether there is one."""
        document = self.document
        number = self.current + way
        while document is not None and 0 <= number < document.count:
            if self._height(number) and (not prompts or document.is_prompt(number)):
                self.current = number
                places = self.seen()
                if (number, 0) not in places or (number, self._height(number) - 1) not in places:
                    self.to_piece(number)
                else:
                    self.refresh()
                    self.post_message(self.Moved())
                return True
            number += way
        return False

    def find(self, way: int, *, here: bool = False) -> bool:
        """Go to the next line that has the words. Returns whether there is one."""
        document = self.document
        if document is None or not self.needle:
            return False
        number, line = (self.current, -1) if here or self._found is None else self._found
        lines = document.lines_with(number, self.needle, self.columns) if document.has(number, self.needle) else []
        further = [one for one in lines if (one > line if way > 0 else one < line)]
        if not further:
            other = document.find(self.needle, number + way, way)
            if other is None:
                return False
            number = other
            further = document.lines_with(number, self.needle, self.columns)
        place = further[0 if way > 0 else -1] if further else 0
        self._found = (number, place)
        self.to_piece(number, place, above=self._above())
        return True

    def _above(self) -> int:
        return max(self.size.height // 4, 1)

    # ------------------------------------------------------------------ drawing

    def on_resize(self, _event: events.Resize) -> None:
        """Lines have another width now; the current piece stays. They are drawn already, unless others are seen."""
        if self.document is not None:
            before, (number, line) = (self.top, self.current), self.top
            self._place((number, min(line, max(self._height(number) - 1, 0))))
            if (self.top, self.current) != before:
                self.refresh()
            self.post_message(self.Moved())

    def changed(self) -> None:
        """The document shows more or less now; the current piece stays where it is."""
        self._go(self.top)

    def on_mouse_scroll_down(self) -> None:
        """The wheel."""
        self.scroll_lines(WHEEL)

    def on_mouse_scroll_up(self) -> None:
        """The wheel."""
        self.scroll_lines(-WHEEL)

    def render_line(self, y: int) -> Strip:
        """A line of the screen: a mark for the current piece, the words, and how far one has read."""
        styles, columns = looks(self.app.theme), self.columns
        base, seen = styles["base"], self.seen()
        bar = Segment(BAR if self._is_thumb(y) else " ", base + styles["faint"])
        if y >= len(seen) or self.document is None:
            return Strip([Segment(" " * (columns + GUTTER), base), bar])
        number, line = seen[y]
        lines = self.document.lines(number, columns)
        is_current = number == self.current and number and (line or lines[0])
        mark = Segment("▌ ", base + styles["accent"]) if is_current else Segment("  ", base)
        words = strip(lines[line], styles, columns, base)
        if self.needle:
            words = _marked(words, self.needle, styles["found"])
        return Strip([mark, *words, bar])

    def _is_thumb(self, y: int) -> bool:
        """Is this line of the screen part of the mark that shows where one is?"""
        document, height = self.document, self.size.height
        if document is None or height < 3:
            return False
        seen = self.seen()
        if not seen or (seen[0] == (0, 0) and self.top >= self._last_top()):
            return False
        first, last = (number / document.count for number in (seen[0][0], seen[-1][0] + 1))
        if self.top >= self._last_top():
            last = 1.0
        size = max(round((last - first) * height), 1)
        start = min(round(first * height), height - size)
        return start <= y < start + size


def _marked(line: Strip, needle: str, style: Style) -> Strip:
    """A line with every place marked at which words occur."""
    text = line.text.lower() if needle.islower() else line.text
    if needle not in text or len(text) != len(line.text):
        return line
    spans = []
    place = text.find(needle)
    while place >= 0:
        spans.append((place, place + len(needle)))
        place = text.find(needle, place + len(needle))
    segments, position = [], 0
    for segment in line:
        edges = sorted({0, len(segment.text), *(e - position for span in spans for e in span)})
        cuts = [edge for edge in edges if 0 <= edge <= len(segment.text)]
        for start, end in pairwise(cuts):
            inside = any(first <= position + start < last for first, last in spans)
            own = segment.style
            segments.append(Segment(segment.text[start:end], (own + style if own else style) if inside else own))
        position += len(segment.text)
    return Strip(segments, width(line.text))
