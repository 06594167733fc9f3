"""Texts between tags."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Container, Iterator
from typing import NamedTuple

_TAG = re.compile(r"<(/?)([A-Za-z][\w-]*)>")


class Tagged(NamedTuple):
    """A text between a tag and the next one that closes it, and where both tags with it begin and end."""

    name: str
    text: str
    begin: int
    end: int


def tagged(text: str, names: Container[str] | None = None) -> Iterator[Tagged]:
    """What stands between tags (of these names), from left to right. What stands inside another is not told apart.

    A pattern such as `<(a|b)>.*?</(a|b)>` looks through the whole text for each tag that nobody closed; this does not.
    """
    tags = [tag for tag in _TAG.finditer(text) if names is None or tag[2] in names]
    closing: dict[str, deque[re.Match[str]]] = {}
    for tag in tags:
        if tag[1]:
            closing.setdefault(tag[2], deque()).append(tag)
    place = 0
    for tag in tags:
        if tag[1] or tag.start() < place:
            continue
        ends = closing.get(tag[2])
        while ends and ends[0].start() < tag.end():
            ends.popleft()
        if ends:
            place = ends[0].end()
            yield Tagged(tag[2], text[tag.end() : ends[0].start()], tag.start(), place)


def untagged(text: str, names: Container[str] | None = None) -> str:
    """A text without what stands between tags."""
    pieces: list[str] = []
    place = 0
    for one in tagged(text, names):
        pieces.append(text[place : one.begin])
        place = one.end
    return "".join((*pieces, text[place:])) if place else text
