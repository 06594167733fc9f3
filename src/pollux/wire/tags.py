"""Texts between tags."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Container, Iterator
from typing import NamedTuple

_TAG = re.compile(r"<(/?)([A-Za-z][\w-]*)>")


class Tagged(NamedTuple):
    """A text between a tag and the next tag that closes it. `begin` and `end` include both tags."""

    name: str
    text: str
    begin: int
    end: int


def tagged(text: str, names: Container[str] | None = None) -> Iterator[Tagged]:
    """The texts between tags (of these names), from left to right. Tags inside another tagged text stay in it.

    A pattern such as `<(a|b)>.*?</(a|b)>` would search the whole text again for each tag that is not closed.
    """
    tags = [tag for tag in _TAG.finditer(text) if names is None or tag[2] in names]
    closing: dict[str, deque[re.Match[str]]] = {}
    for tag in tags:
        if tag[1]:
            closing.setdefault(tag[2], deque()).append(tag)
    position = 0
    for tag in tags:
        if tag[1] or tag.start() < position:
            continue
        ends = closing.get(tag[2])
        while ends and ends[0].start() < tag.end():
            ends.popleft()
        if ends:
            position = ends[0].end()
            yield Tagged(tag[2], text[tag.end() : ends[0].start()], tag.start(), position)


def untagged(text: str, names: Container[str] | None = None) -> str:
    """A text without its tagged texts."""
    pieces: list[str] = []
    position = 0
    for match in tagged(text, names):
        pieces.append(text[position : match.begin])
        position = match.end
    return "".join((*pieces, text[position:])) if position else text
