"""What styles look like in a theme."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from rich.style import Style

from pollux.tui.palettes import DARK, PALETTES

_ON_BLANKS = frozenset(("link", "strike", "found", "cursor", "selected"))
"""Styles that are seen on blanks, too."""


class Look(NamedTuple):
    """What a text looks like, and whether that is seen on blanks, too."""

    style: Style
    on_blanks: bool


class Styles(dict[str, Style]):
    """Styles by name."""

    def __init__(self, styles: Mapping[str, Style]) -> None:
        super().__init__(styles)
        self._above: dict[Style, StylesAbove] = {}

    def above(self, base: Style) -> StylesAbove:
        """The styles on top of another one."""
        if base not in self._above:
            self._above[base] = StylesAbove(self, base)
        return self._above[base]


class StylesAbove(dict[str, Look]):
    """Looks by the names of their styles, which blanks divide. Each is worked out once: every frame has hundreds."""

    def __init__(self, styles: Styles, base: Style) -> None:
        super().__init__()
        self._styles = styles
        self._base = base

    def __missing__(self, joined: str) -> Look:
        """A look that was not asked for yet."""
        names = joined.split()
        style = Style.combine([self._base, *(self._styles[name] for name in names)])
        self[joined] = look = Look(style, not _ON_BLANKS.isdisjoint(names))
        return look


_PLAIN = frozenset(colour for one in PALETTES.values() for colour in (one.background, one.raised))


def colourless(style: Style) -> Style:
    """A style without its colours. A background that is none of the plain ones is a mark."""
    behind = style.bgcolor.triplet.hex if style.bgcolor is not None and style.bgcolor.triplet is not None else None
    return Style(
        bold=style.bold,
        italic=style.italic,
        underline=style.underline,
        strike=style.strike,
        reverse=style.reverse or (behind is not None and behind not in _PLAIN),
    )


@cache
def looks(name: str) -> Styles:
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
    styles["cursor"] = Style(color=palette.background, bgcolor=palette.accent)
    styles["base"] = Style(color=palette.text, bgcolor=palette.background)
    styles["title"] = Style(color=palette.text, bgcolor=palette.raised)
    styles["selected"] = Style(bgcolor=palette.selected)
    return Styles(styles)
