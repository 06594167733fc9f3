"""A text as somebody reads it: without colours and letters that nobody sees, with written-out characters in place.

What a terminal colours, what JSON, a page or an address writes out (`\\u0022`, `&#10;`, `%3D`) and what has no width
comes between the letters of a secret, or between it and its name. Most texts have little or nothing of the kind, so
only what stands near it is read again.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

_COLOUR = r"\[[0-?]{0,60}+[ -/]{0,3}+[@-~]"
_STYLE = (
    rf"(?<=\x1b)(?:{_COLOUR}|\][^\x07\x1b\n]{{0,300}}+(?:\x07|\x1b\\)|[()][A-Z0-9]|[=>A-Z78])"
    rf"|(?<=\\)\\{{0,7}}+(?:[uU]0{{2,6}}1[bB]|x1[bB]|0?33|e){_COLOUR}"
    rf"|(?<=\x9b)[0-?]{{0,60}}+[@-~]|(?<=\^)\[{_COLOUR}"
    r"|(?<=\[)[0-9]{1,3}(?:;[0-9]{1,3}){0,8}m"  # where the escape itself was lost
)
_LETTERS = r"\xad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
_UNSEEN = rf"(?<=[{_LETTERS}])|(?<=\\)\\{{0,7}}+u(?:00[aA][dD]|200[b-fB-F]|20[26][0-9a-fA-F]|[fF][eE][fF][fF])"
_ENTITIES = {"quot": '"', "amp": "&", "lt": "<", "gt": ">", "apos": "'", "nbsp": " ", "newline": "\n", "tab": "\t"}
_WRITTEN = (
    r"(?:(?<=\\)\\{0,7}+(?:u00|u\{|x)|(?<=%)(?:25){0,4}|(?<=&)\#x0{0,5})"
    r"(?P<code>[0-7][0-9A-Fa-f])(?:(?<=\{..)\}|(?<=\#x..);)?"
    rf"|(?<=&)(?:\#0{{0,5}}(?P<number>[0-9]{{1,3}})|(?P<entity>(?i:{'|'.join(_ENTITIES)})));"
    r"|(?<=<)(?P<line>[bB][rR]\s?/?>)"
)
# The first letter by itself: to look for one of a few letters is quick.
_NOISE = re.compile(rf"[\x1b\x9b\\%&<\[\^{_LETTERS}](?:(?P<style>{_STYLE})|(?P<unseen>{_UNSEEN})|{_WRITTEN})")
_MARKS = ("\\", "%", "&", "[", "\x1b", "<br", "<BR")

_BEFORE = 700
_AFTER = 2_000
_MARGIN = 64


Noise = tuple[int, int, str, bool]
"""From where to where, what is read in its place, and whether it is a colour or another style."""


class View:
    """A piece of a text as it is read. It tells where in the text its letters stand."""

    def __init__(self, text: str, noises: Sequence[Noise], start: int, end: int) -> None:
        self._from = start + (_MARGIN if start else 0)
        self._starts, self._ends, self._shifts = [0], [-1], [start]
        pieces: list[str] = []
        length = 0
        for begins, ends, read, _ in noises:
            pieces += (text[start:begins], read)
            length += begins - start
            self._ends.append(length)
            length += len(read)
            start = ends
            self._starts.append(length)
            self._shifts.append(start - length)
        pieces.append(text[start:end])
        self.text = "".join(pieces)

    def origin(self, start: int, end: int) -> tuple[int, int] | None:
        """Where in the text something stands, without the noise around it; None if its beginning may be missing."""
        begins = start + self._shifts[bisect_right(self._starts, start) - 1]
        ends = end + self._shifts[bisect_left(self._ends, end) - 1]
        return (begins, ends) if begins >= self._from else None


def noises(text: str) -> list[Noise]:
    """What comes between the letters of a text."""
    if text.isascii() and not any(mark in text for mark in _MARKS):
        return []
    return [(*found.span(), _read(found), found["style"] is not None) for found in _NOISE.finditer(text)]


def views(text: str, every: Sequence[Noise]) -> Iterator[View]:
    """The pieces of a text that read otherwise than they are written, each with what stands around."""
    first = 0
    for number, noise in enumerate(every):
        if number + 1 == len(every) or every[number + 1][0] - noise[1] > _BEFORE + _AFTER:
            start, end = max(0, every[first][0] - _BEFORE), min(len(text), noise[1] + _AFTER)
            yield View(text, every[first : number + 1], start, end)
            first = number + 1


def blank(text: str, every: Sequence[Noise]) -> str:
    """The text with spaces in place of what colours it: no letter moves."""
    pieces, end = list[str](), 0
    for begins, ends, _, style in every:
        if style:
            pieces += (text[end:begins], " " * (ends - begins))
            end = ends
    return "".join([*pieces, text[end:]]) if pieces else text


def bare(text: str) -> str:
    """The whole text as it is read."""
    return View(text, noises(text), 0, len(text)).text


def _read(noise: re.Match[str]) -> str:
    """What a reader sees in place of it."""
    if noise["code"] is not None:
        return chr(int(noise["code"], 16))
    if noise["style"] is not None:
        return "" if noise[0][-1] in "mK" else " "  # what moves the cursor separates words
    if noise["unseen"] is not None:
        return ""
    if noise["line"] is not None:
        return "\n"
    return _ENTITIES[noise["entity"].lower()] if noise["entity"] is not None else chr(int(noise["number"]))
