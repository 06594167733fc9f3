"""What styles look like in a theme. There is one accent; all else is a shade of the text, or says good or bad."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from rich.style import Style
from textual.theme import Theme


class Palette(NamedTuple):
    """The colours of a theme."""

    name: str
    dark: bool
    background: str
    raised: str
    selected: str
    text: str
    dim: str
    faint: str
    accent: str
    good: str
    bad: str
    warn: str
    cool: str
    soft: str


DARK = Palette(
    name="pollux-dark",
    dark=True,
    background="#15171c",
    raised="#1c1f26",
    selected="#2b2f3a",
    text="#d5d8de",
    dim="#8b929e",
    faint="#3a3f4a",
    accent="#e8a95b",
    good="#8fb878",
    bad="#e0707a",
    warn="#d9b25f",
    cool="#7fb0c9",
    soft="#b59bc9",
)
LIGHT = Palette(
    name="pollux-light",
    dark=False,
    background="#fbfaf7",
    raised="#f2f0ea",
    selected="#e6e1d5",
    text="#2c2f36",
    dim="#6a707a",
    faint="#d3cfc5",
    accent="#9c5700",
    good="#3f7a2c",
    bad="#b3303f",
    warn="#8a6100",
    cool="#1f6a8c",
    soft="#7a4c96",
)
CONTRAST = Palette(
    name="pollux-contrast",
    dark=True,
    background="#000000",
    raised="#000000",
    selected="#3a3a00",
    text="#ffffff",
    dim="#d0d0d0",
    faint="#808080",
    accent="#ffd000",
    good="#5cff5c",
    bad="#ff7a7a",
    warn="#ffe36a",
    cool="#7fe3ff",
    soft="#ffb3ff",
)
PALETTES = {palette.name: palette for palette in (DARK, LIGHT, CONTRAST)}


def palette_name(theme: str, environ: Mapping[str, str]) -> str:
    """The palette of a theme. Some terminals say their colours in COLORFGBG; the others count as dark."""
    if theme == "auto":
        background = environ.get("COLORFGBG", "").rpartition(";")[2]
        theme = "light" if background in ("7", "15") else "dark"
    return f"pollux-{theme}"


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


@cache
def looks(name: str) -> dict[str, Style]:
    """The style of each name that lines are painted with, in the theme of this name."""
    palette = PALETTES.get(name, DARK)
    bold, dim = Style(bold=True), Style(color=palette.dim)
    colours = {
        "good": palette.good,
        "bad": palette.bad,
        "warn": palette.warn,
        "human": palette.accent,
        "model": palette.text,
        "id": palette.dim,
        "match": palette.accent,
        "code": palette.cool,
        "link": palette.cool,
        "keyword": palette.soft,
        "string": palette.good,
        "number": palette.cool,
        "name": palette.cool,
        "comment": palette.dim,
        "added": palette.good,
        "removed": palette.bad,
        "accent": palette.accent,
        "faint": palette.faint,
        "text": palette.text,
    }
    styles = {style: Style(color=colour) for style, colour in colours.items()}
    styles |= {"bold": bold, "dim": dim, "head": dim, "italic": Style(italic=True), "strike": Style(strike=True)}
    for strong in ("human", "model", "match"):
        styles[strong] += bold
    styles["link"] += Style(underline=True)
    styles["found"] = Style(color=palette.background, bgcolor=palette.accent)
    styles["base"] = Style(color=palette.text, bgcolor=palette.background)
    styles["selected"] = Style(bgcolor=palette.selected)
    return styles
