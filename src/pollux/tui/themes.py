"""The palettes as themes of Textual."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.theme import Theme

if TYPE_CHECKING:
    from pollux.tui.palettes import Palette


def theme(palette: Palette) -> Theme:
    """The theme that Textual's own parts take their colours from."""
    return Theme(
        name=palette.name,
        dark=palette.dark,
        primary=palette.accent,
        accent=palette.accent,
        foreground=palette.text,
        background=palette.background,
        surface=palette.raised,
        panel=palette.selected,
        success=palette.good,
        error=palette.bad,
        warning=palette.warn,
        variables={
            "faint": palette.faint,
            "dim": palette.dim,
            "selected": palette.selected,
            "scrollbar": palette.faint,
            "scrollbar-hover": palette.dim,
            "scrollbar-active": palette.dim,
            "scrollbar-background": palette.background,
            "scrollbar-background-hover": palette.background,
            "scrollbar-background-active": palette.background,
            "scrollbar-corner-color": palette.background,
            "input-cursor-background": palette.accent,
            "input-cursor-foreground": palette.background,
            "input-selection-background": palette.faint,
        },
    )
