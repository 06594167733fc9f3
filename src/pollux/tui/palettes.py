"""The colours of each theme. There is one accent; all else is a shade of the text, or says good or bad."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


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
