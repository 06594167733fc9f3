"""Without colours: what they tell is left to words, and a mark on a background becomes reversed."""

from __future__ import annotations

from functools import lru_cache

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from pollux.tui.looks import colourless


class Colourless(LineFilter):
    """Takes every colour away. Textual's own filter leaves shades of grey, which are colours to a terminal."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        """The same segments without colours."""
        return [
            Segment(text, _without(style) if style is not None else None, control) for text, style, control in segments
        ]


_without = lru_cache(1024)(colourless)
