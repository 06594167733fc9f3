"""What a program printed, as a terminal shows it: with its colours, without any other control."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pollux.writers.html.markup import Html, escape, join, tag

CHUNK = 400
"""Lines a block: a browser lays out only the blocks that are in sight."""

_COLOUR = re.compile(r"\x1b\[([\d;:]*)m")
_STYLES = {1: "b", 2: "dim", 3: "i", 4: "u", 7: "inv", 9: "st"}
_ENDS = {22: ("b", "dim"), 23: ("i",), 24: ("u",), 27: ("inv",), 29: ("st",)}


def terminal(text: str) -> Html:
    """A block of terminal text."""
    lines = text.replace("\r\n", "\n").strip("\n").split("\n")
    pen = _Pen()
    if len(lines) <= CHUNK:
        return _screen(pen.draw("\n".join(lines)))
    chunks = ("\n".join(lines[first : first + CHUNK]) + "\n" for first in range(0, len(lines), CHUNK))
    return _screen(join(tag("span", pen.draw(chunk), class_="chunk") for chunk in chunks))


def _screen(inner: Html) -> Html:
    return tag("pre", inner, class_="screen", tabindex="0")


class _Pen:
    """The present colours and styles."""

    def __init__(self) -> None:
        self._styles: set[str] = set()
        self._ink: str | None = None
        self._paper: str | None = None

    def draw(self, text: str) -> Html:
        """A piece of text; the next goes on in the same colours."""
        if "\x1b" not in text:
            return self._piece(text)
        pieces: list[Html] = []
        position = 0
        for match in _COLOUR.finditer(text):
            pieces.append(self._piece(text[position : match.start()]))
            self._dip([int(number or 0) for number in re.split("[;:]", match.group(1)[:200])])
            position = match.end()
        pieces.append(self._piece(text[position:]))
        return join(pieces)

    def _piece(self, text: str) -> Html:
        classes = " ".join([*sorted(self._styles), *filter(None, (self._ink, self._paper))])
        return tag("span", text, class_=classes) if classes and text else escape(text)

    def _dip(self, numbers: list[int]) -> None:
        rest = iter(numbers)
        for number in rest:
            match number:
                case 0:
                    self.__init__()  # type: ignore[misc]
                case 38:
                    self._ink = _named("f", rest)
                case 48:
                    self._paper = _named("g", rest)
                case 39:
                    self._ink = None
                case 49:
                    self._paper = None
                case _ if number in _STYLES:
                    self._styles.add(_STYLES[number])
                case _ if number in _ENDS:
                    self._styles.difference_update(_ENDS[number])
                case _ if 30 <= number <= 37 or 90 <= number <= 97:
                    self._ink = f"f{number - 30 if number < 90 else number - 82}"
                case _ if 40 <= number <= 47 or 100 <= number <= 107:
                    self._paper = f"g{number - 40 if number < 100 else number - 92}"


def _named(kind: str, rest: Iterator[int]) -> str | None:
    """One of many colours, as the nearest of the sixteen that have names."""
    match next(rest, None):
        case 5:
            number = next(rest, 0)
            if number < 16:
                return f"{kind}{number}"
            if number >= 232:
                return f"{kind}{_nearest(*[(number - 232) * 10 + 8] * 3)}"
            number -= 16
            return f"{kind}{_nearest(*(51 * part for part in (number // 36, number // 6 % 6, number % 6)))}"
        case 2:
            return f"{kind}{_nearest(next(rest, 0), next(rest, 0), next(rest, 0))}"
    return None


def _nearest(red: int, green: int, blue: int) -> int:
    top = max(red, green, blue)
    if top - min(red, green, blue) < 40:  # a grey
        return 0 if top < 64 else 8 if top < 144 else 7 if top < 224 else 15
    return sum(bit for bit, part in ((1, red), (2, green), (4, blue)) if part > top // 2) + (8 if top > 224 else 0)
