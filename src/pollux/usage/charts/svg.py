"""What all pictures share: colours for light and dark pages, letters, round figures for an axis."""

from __future__ import annotations

import html
import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence

FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"
_LIGHT = {"ground": "#ffffff", "ink": "#1f2328", "soft": "#59636e", "line": "#d8dee4", "empty": "#ebedf0"}
_DARK = {"ground": "#0d1117", "ink": "#e6edf3", "soft": "#9198a1", "line": "#30363d", "empty": "#1c2128"}
_SERIES = ("#3569b5", "#d9822b", "#2b9a66", "#b0457c", "#7a5bb0", "#8a6d2b", "#3f9fbf")
_SERIES_DARK = ("#5b8fdb", "#e89c4c", "#46b981", "#d06a9c", "#9b7fd1", "#b3954f", "#63bcd9")
_HEAT = ("#c6dbef", "#8fbbe0", "#4e8fc9", "#1f5fa6")
_HEAT_DARK = ("#12365f", "#1d5796", "#3a83cf", "#79b8f5")
OTHERS = 7
"""The colour of the series that have none of their own."""

LETTER = 7.7
"""The greatest mean width of a letter: the font is not known."""

_NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

Label = Callable[[float], str]


def escape(words: str) -> str:
    """Words as XML can hold them: it has no place for some characters."""
    return html.escape(_NO_XML.sub("\N{REPLACEMENT CHARACTER}", words))


def wide(words: str) -> float:
    """How much room words need."""
    return LETTER * (len(words) + sum(unicodedata.east_asian_width(letter) in "WF" for letter in words))


def fitting(words: str, room: float) -> str:
    """As much of the end as fits: the end of a path says most."""
    if wide(words) <= room:
        return words
    first = next(n for n in range(1, len(words) + 1) if wide(f"…{words[n:]}") <= room)
    return f"…{words[first:]}"


def picture(width: float, height: float, title: str, body: Iterable[str]) -> str:
    """A whole picture."""
    rules = _rules(_LIGHT, _SERIES, _HEAT)
    dark = _rules(_DARK, _SERIES_DARK, _HEAT_DARK)
    parts = "\n".join(body)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_n(width)} {_n(height)}" width="{_n(width)}" '
        f'height="{_n(height)}" role="img" font-family="{FONT}" font-size="12">\n<title>{escape(title)}</title>\n'
        f"<style>\n{rules}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}\n</style>\n"
        f'<rect class="ground" width="100%" height="100%" rx="6"/>\n{parts}\n</svg>\n'
    )


def _rules(named: dict[str, str], series: Sequence[str], heat: Sequence[str]) -> str:
    rules = [f".{name} {{ fill: {color}; }}" for name, color in named.items() if name != "line"]
    rules += [f".line {{ stroke: {named['line']}; stroke-width: 1; }}", f".s{OTHERS} {{ fill: {named['soft']}; }}"]
    rules += [f".s{number} {{ fill: {color}; }}" for number, color in enumerate(series)]
    rules += [f".h{number} {{ fill: {color}; }}" for number, color in enumerate(heat, start=1)]
    return "\n".join([*rules, f".h0 {{ fill: {named['empty']}; }}"])


def text(x: float, y: float, words: str, style: str = "ink", more: str = "") -> str:
    """Words at a place."""
    return f'<text class="{style}" x="{_n(x)}" y="{_n(y)}"{f" {more}" if more else ""}>{escape(words)}</text>'


def box(place: tuple[float, float, float, float], style: str, tip: str = "", round_: float = 0) -> str:
    """A rectangle from x, y, width and height; `tip` shows when somebody points at it."""
    x, y, width, height = place
    corners = f' rx="{_n(round_)}"' if round_ else ""
    shape = f'<rect class="{style}" x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"{corners}'
    return f"{shape}><title>{escape(tip)}</title></rect>" if tip else f"{shape}/>"


def rule(x: float, y: float, length: float) -> str:
    """A line across."""
    return f'<line class="line" x1="{_n(x)}" y1="{_n(y)}" x2="{_n(x + length)}" y2="{_n(y)}"/>'


def ticks(most: float, about: int = 4) -> list[float]:
    """Round figures from 0 to at least the largest value."""
    if most <= 0:
        return [0.0, 1.0]
    rough = most / about
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * factor for factor in (1, 2, 2.5, 5, 10) if unit * factor >= rough)
    return [step * number for number in range(math.ceil(most / step - 1e-9) + 1)]


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
