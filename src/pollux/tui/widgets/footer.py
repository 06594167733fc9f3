"""The last line: the keys that matter here, or what just happened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.strip import Strip

from pollux.draw.width import cut, wrap
from pollux.text.escape import one_line
from pollux.tui.canvas import StripCanvas
from pollux.tui.key_line import key_line
from pollux.tui.looks import looks
from pollux.tui.strips import strip
from pollux.tui.widgets.line_widget import LineWidget

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pollux.tui.keys import Key

MOST = 8
"""A sentence has at most so many lines; if it is longer, its last line ends with an ellipsis."""

_OTHERS = 3
"""Lines of a screen that are not for sentences, as the search field and a row."""


class FooterLine(LineWidget):
    """One line. A sentence stays until the next key."""

    DEFAULT_CSS = "FooterLine { height: 1; dock: bottom; }"

    def __init__(self, keys: Sequence[Key]) -> None:
        super().__init__()
        self.keys = tuple(key for key in keys if key.rank)
        self._sentence: tuple[str, str] | None = None

    @property
    def sentence(self) -> str:
        """What it says now, where it says something."""
        return self._sentence[0] if self._sentence is not None else ""

    def say(self, sentence: str, style: str = "text") -> None:
        """Say what happened."""
        self._sentence = (one_line(sentence), style)
        self._fit()

    def quiet(self) -> None:
        """Show the keys again."""
        if self._sentence is not None:
            self._sentence = None
            self._fit()

    def _fit(self) -> None:
        """A long sentence has several lines."""
        self.styles.height = len(self._wrapped()) or 1
        self.refresh()

    def _wrapped(self) -> list[str]:
        columns, most = max(self.app.size.width - 2, 8), max(min(MOST, self.app.size.height - _OTHERS), 1)
        lines = [*wrap(self.sentence, columns)]
        if len(lines) <= most:
            return lines
        return [*lines[: most - 1], cut(" ".join(lines[most - 1 : most + 1]), columns)]

    def on_resize(self) -> None:
        """The width decides how many lines a sentence has."""
        if self._sentence is not None:
            self._fit()

    def render_line(self, y: int) -> Strip:
        """The line."""
        columns, styles = self.size.width, looks(self.app.theme)
        base = styles["base"]
        canvas = StripCanvas(columns)
        if self._sentence is not None:
            lines, (_, style) = self._wrapped(), self._sentence
            words = lines[y] if y < len(lines) else ""
            return strip(" " + canvas.paint(cut(words, columns - 2), style), styles, columns, base)
        if y:
            return Strip.blank(columns, base)
        return strip(key_line(canvas, self.keys, columns), styles, columns, base)
