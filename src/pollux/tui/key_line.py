"""The keys that matter on a screen, in its last line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.draw.width import width
from pollux.tui.keys import brief

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pollux.draw.canvas import Canvas
    from pollux.tui.keys import Key

GAP = "   "
_WAYS = ("help", "back")


def key_line(canvas: Canvas, keys: Iterable[Key], columns: int) -> str:
    """As many keys as there is room for, by rank. The way to all others and the way back come first of all."""
    used = 1
    chosen: list[Key] = []
    ranked = sorted((key for key in keys if key.rank and key.keys), key=lambda key: key.rank)
    for key in sorted(ranked, key=lambda key: _WAYS.index(key.action) if key.action in _WAYS else len(_WAYS)):
        wide = width(f"{brief(key.keys[0])} {key.label}") + len(GAP)
        if used + wide <= columns:
            chosen.append(key)
            used += wide
    return "".join(
        f" {canvas.paint(brief(key.keys[0]), 'accent')} {canvas.paint(key.label, 'dim')}  "
        for key in sorted(chosen, key=lambda key: key.rank)
    )
