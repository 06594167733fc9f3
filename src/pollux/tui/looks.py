"""What styles look like in a theme."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from rich.style import Style

from pollux.tui.palettes import DARK, PALETTES

_ON_BLANKS = frozenset(("link", "strike", "found", "cursor", "selected"))
"""Styles that are seen on blanks, too."""


class Styles(dict[str, Style]):
    """Styles by name."""

    def __init__(self, styles: Mapping[str, Style]) -> None:
        super().__init__(styles)
        self._joined: dict[tuple[Style, tuple[str, ...]], Style] = {}

    def of(self, base: Style, names: tuple[str, ...]) -> Style:
        """Some styles on top of another one."""
        if (base, names) not in self._joined:
            self._joined[base, names] = Style.combine([base, *(self[name] for name in names)])
        return self._joined[base, names]

    def leaves_blanks(self, names: tuple[str, ...]) -> bool:
        """Do blanks look the same with these styles and without?"""
        return _ON_BLANKS.isdisjoint(names)


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
    styles["selected"] = Style(bgcolor=palette.selected)
    return Styles(styles)
