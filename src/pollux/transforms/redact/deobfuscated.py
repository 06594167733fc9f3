r"""A text as people read it: without colours and invisible letters, with escaped characters replaced.

Colours of a terminal, escapes of JSON, of pages and of addresses (`\u0022`, `&#10;`, `%3D`) and letters without width
may stand between the letters of a secret, or between a secret and its name. Most texts have few of them, so only the
text around them is read again.
"""

from __future__ import annotations

import re
import string
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_COLOUR = r"\[[0-?]{0,60}+[ -/]{0,3}+[@-~]"
_STYLE = (
    rf"(?<=\x1b)(?:{_COLOUR}|\][^\x07\x1b\n]{{0,300}}+(?:\x07|\x1b\\)|[()][A-Z0-9]|[=>A-Z78])"
    rf"|(?<=\\)\\{{0,7}}+(?:[uU]0{{2,6}}1[bB]|x1[bB]|0?33|e){_COLOUR}"
    rf"|(?<=\x9b)[0-?]{{0,60}}+[@-~]|(?<=\^)\[{_COLOUR}"
    r"|(?<=\[)[0-9]{1,3}(?:;[0-9]{1,3}){0,8}m"  # the escape character itself was lost
)
_LETTERS = r"\xad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
_INVISIBLE = rf"(?<=[{_LETTERS}])|(?<=\\)\\{{0,7}}+u(?:00[aA][dD]|200[b-fB-F]|20[26][0-9a-fA-F]|[fF][eE][fF][fF])"
_ENTITIES = {"quot": '"', "amp": "&", "lt": "<", "gt": ">", "apos": "'", "nbsp": " ", "newline": "\n", "tab": "\t"}
_ESCAPED = (
    r"(?:(?<=\\)\\{0,7}+(?:u00|u\{|x)|(?<=%)(?:25){0,4}|(?<=&)\#x0{0,5})"
    r"(?P<code>[0-7][0-9A-Fa-f])(?:(?<=\{..)\}|(?<=\#x..);)?"
    rf"|(?<=&)(?:\#0{{0,5}}(?P<number>[0-9]{{1,3}})|(?P<entity>(?i:{'|'.join(_ENTITIES)})));"
    r"|(?<=<)(?P<line>[bB][rR]\s?/?>)"
)
# The first letter by itself: searching for one of a few letters is fast.
_NOISE = re.compile(rf"[\x1b\x9b\\%&<\[\^{_LETTERS}](?:(?P<style>{_STYLE})|(?P<unseen>{_INVISIBLE})|{_ESCAPED})")
_NOISE_MARKS = ("\\", "%", "&", "[", "\x1b", "<br", "<BR")

_BEFORE = 700
_AFTER = 2_000
_MARGIN = 64
_WORD = frozenset(string.ascii_letters + string.digits + "_")


class Noise(NamedTuple):
    """Characters between the letters of a text, from `start` to `end`, and their two readings.

    An escape is first read as it stands (None), then as the character that it means. A colour in the middle of a word
    is first read as nothing, then as the end of a word.
    """

    start: int
    end: int
    first: str | None
    then: str


class View:
    """A piece of a text as people read it. It knows where its letters stand in the text."""

    def __init__(self, text: str, readings: Iterable[tuple[Noise, str]], start: int, end: int) -> None:
        self._from = start + (_MARGIN if start else 0)
        self._starts, self._ends, self._shifts = [0], [-1], [start]
        pieces: list[str] = []
        length = 0
        for noise, reading in readings:
            pieces += (text[start : noise.start], reading)
            length += noise.start - start
            self._ends.append(length)
            length += len(reading)
            start = noise.end
            self._starts.append(length)
            self._shifts.append(start - length)
        pieces.append(text[start:end])
        self.text = "".join(pieces)

    def origin(self, start: int, end: int) -> tuple[int, int] | None:
        """The place of a span in the text, without the noise around it; None if its beginning may be missing."""
        begins = start + self._shifts[bisect_right(self._starts, start) - 1]
        ends = end + self._shifts[bisect_left(self._ends, end) - 1]
        return (begins, ends) if begins >= self._from else None


def views(text: str) -> list[View]:
    """Every view of a text that differs from its writing: the whole text, then the doubtful pieces."""
    noises = _noises(text)
    if not noises:
        return []
    doubts = [noise for noise in noises if noise.first != noise.then]
    plain = ((noise, noise.first) for noise in noises if noise.first is not None)
    return [View(text, plain, 0, len(text)), *_doubtful_views(text, noises, doubts)]


def as_read(text: str) -> str:
    """The whole text as people read it."""
    readings = ((noise, noise.then if noise.first is None else noise.first) for noise in _noises(text))
    return View(text, readings, 0, len(text)).text


def _noises(text: str) -> list[Noise]:
    if text.isascii() and not any(mark in text for mark in _NOISE_MARKS):
        return []
    noises: list[Noise] = []
    before, last = "", -1
    for match in _NOISE.finditer(text):
        start, end = match.span()
        before = before if start == last else text[start - 1 : start]
        last = end
        first, then = _read(match)
        if first == "" and before in _WORD and text[end : end + 1] in _WORD:
            then = " "
        noises.append(Noise(start, end, first, then))
    return noises


def _doubtful_views(text: str, noises: list[Noise], doubts: list[Noise]) -> Iterator[View]:
    """Views of the pieces of a text around doubtful noise."""
    first = 0
    for number, noise in enumerate(doubts):
        if number + 1 < len(doubts) and doubts[number + 1].start - noise.end <= _BEFORE + _AFTER:
            continue
        start, end = max(0, doubts[first].start - _BEFORE), min(len(text), noise.end + _AFTER)
        low, high = (bisect_left(noises, place, key=lambda item: item.start) for place in (start, end))
        inside = [(item, item.then) for item in noises[low:high] if item.end <= end]
        yield View(text, inside, start, end)
        first = number + 1


def _read(noise: re.Match[str]) -> tuple[str | None, str]:
    """The two readings of a match."""
    if noise["style"] is not None:
        return ("", "") if noise[0][-1] in "mK" else (" ", " ")  # moving the cursor separates words
    if noise["unseen"] is not None:
        return "", ""
    if noise["code"] is not None:
        return None, chr(int(noise["code"], 16))
    if noise["line"] is not None:
        return None, "\n"
    return None, _ENTITIES[noise["entity"].lower()] if noise["entity"] is not None else chr(int(noise["number"]))
