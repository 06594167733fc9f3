"""A page of a conversation: as many pieces as fit, where the next page begins, and an account of all there is."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from pollux.errors import RequestError
from pollux.mcp.tools.pieces import ALWAYS, Kind, pieces
from pollux.model import Message
from pollux.text.figures import plural

_CURSOR = re.compile(r"(\d{1,7})\.(\d{1,7})\.(\d{1,9})-(\d{1,7})")
_INDENT = "  "
_WORTH_CUTTING = 300
"""A piece is cut if at least so many characters of it fit."""


class Position(NamedTuple):
    """Where a page begins: a character of a piece of a message. `end` is the message before which all pages end."""

    message: int
    piece: int
    character: int
    end: int

    def __str__(self) -> str:
        return f"{self.message}.{self.piece}.{self.character}-{self.end}"

    @classmethod
    def parse(cls, cursor: str) -> Position:
        """The position that a cursor names. Raises `RequestError`."""
        found = _CURSOR.fullmatch(cursor)
        if found is None:
            raise RequestError("This `cursor` was not given by an answer.")
        return cls(*map(int, found.groups()))


class Page(NamedTuple):
    """Lines, the position of the next page, and how many pieces of each kind were shown, left out, or are to come.

    `left_size` has the characters of what was left out, `rest` those that are to come and will be shown.
    """

    lines: Sequence[str]
    following: Position | None
    shown: Counter[Kind]
    left: Counter[Kind]
    left_size: Counter[Kind]
    to_come: int
    rest: int


def page(
    messages: Sequence[Message],
    start: Position,
    extra: Collection[str],
    size: int,
    heading: Callable[[Message], str],
) -> Page:
    """The pieces from a position on that fit into so many characters. A long piece is cut."""
    lines: list[str] = []
    shown, left, left_size = Counter[Kind](), Counter[Kind](), Counter[Kind]()
    following: Position | None = None
    to_come = rest = 0
    for place in range(start.message, min(start.end, len(messages))):
        is_named = False
        for number, piece in enumerate(pieces(messages[place])):
            if place == start.message and number < start.piece:
                continue
            skipped = start.character if (place, number) == (start.message, start.piece) else 0
            is_wanted = piece.kind in ALWAYS or piece.kind in extra
            if following is not None:
                to_come += 1
                rest += len(piece.text) if is_wanted else 0
                continue
            if not is_wanted:
                left[piece.kind] += 1
                left_size[piece.kind] += len(piece.text)
                continue
            head = "" if is_named else heading(messages[place]) + (" (continued)" if skipped else "")
            text = _indented(piece.text[skipped:])
            space = size - (len(head) + 1 if head else 0) - 1
            if len(text) <= space:
                shown[piece.kind] += 1
            else:
                cut = _cut(piece.text[skipped:], space) if space >= _WORTH_CUTTING or not lines else 0
                following = Position(place, number, skipped + cut, start.end)
                to_come += 1
                rest += len(piece.text) - skipped - cut
                if not cut:
                    continue
                text = _indented(piece.text[skipped : skipped + cut].rstrip()) + " […]"
            if head:
                lines.append(head)
                is_named = True
            lines.append(text)
            size -= len(text) + 1 + (len(head) + 1 if head else 0)
    return Page(lines, following, shown, left, left_size, to_come, rest)


def _indented(text: str) -> str:
    return _INDENT + text.replace("\n", f"\n{_INDENT}")


def _cut(text: str, space: int) -> int:
    """How many characters of a text fit, with the indents of its lines and a sign at its end; cut at a line or word."""
    most = max(1, space - len(_INDENT) - len(" […]"))
    while (over := len(_indented(text[:most])) + len(" […]") - space) > 0 and most > 1:
        most = max(1, most - over)
    for sign in ("\n", " "):
        if (place := text.rfind(sign, most // 2, most)) > 0:
            return place + 1
    return most


def account(found: Page, extra: Collection[str]) -> str:
    """What was shown, and what was left out of it: together that is all."""
    said = [
        plural(found.shown[Kind.SAID], "text"),
        plural(found.shown[Kind.CALL], "tool call"),
        *([plural(found.shown[Kind.FILE], "file")] if found.shown[Kind.FILE] else []),
        *(f"{found.shown[kind]:,} {kind}" for kind in Kind if kind in extra),
    ]
    missing = [kind for kind in Kind if found.left[kind]]
    sizes = ", ".join(f"{found.left[kind]:,} of {kind} ({found.left_size[kind]:,} characters)" for kind in missing)
    wanted = ", ".join(f'"{kind}"' for kind in missing)
    left = f' Left out: {sizes}; "with": [{wanted}] gives them.' if missing else " Nothing was left out."
    return f"Shown: {', '.join(said)}.{left}"
