"""Compare the lines of two files: how far is one a copy of the other?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

import msgspec

from pollux.errors import Unreadable
from pollux.sources.base import File
from pollux.sources.codex.forks.joined_file import opened_rollout
from pollux.sources.codex.format.compressed import unpacked
from pollux.sources.codex.format.lines import canonical
from pollux.system.clock import recorded
from pollux.system.decoders import json_decoder
from pollux.wire import REFUSED, Notes

TimedLine = tuple[int, bytes | None, datetime | None]
"""The number, the content and the time of a line."""


class _Row(msgspec.Struct):
    """The time of a line and its payload as bytes. A copy of a line nearly always has the same bytes."""

    timestamp: str | None = None
    payload: msgspec.Raw = msgspec.Raw()


_row = json_decoder(_Row).decode


def after(mine: Iterable[tuple[int, bytes | None]], theirs: list[bytes | None], width: int) -> int | None:
    """The number of the first line that is not a copy of the other file's lines; None if all lines are copies.

    A copy may lack fewer than `width` of the other file's lines in a row. Either file may be damaged: unreadable lines
    are skipped, and a line that was written twice counts once.
    """
    place = torn = 0
    guess: int | None = None
    for number, content in mine:
        if content is None:
            torn += 1
            continue
        next_place = _place(content, theirs, place, width + torn)
        if next_place is not None:
            place, torn, guess = next_place, 0, None
        elif content and place < len(theirs) and theirs[place] is None:
            # Perhaps this is the line that is unreadable there. The next line decides.
            place, guess = place + 1, number if guess is None else guess
        else:
            return number if guess is None else guess
    return None


def _place(content: bytes, theirs: list[bytes | None], place: int, width: int) -> int | None:
    """The position after the equal line of the other file: the next line, the one before, or one a little later."""
    if place < len(theirs) and theirs[place] == content:
        return place + 1
    meaning = canonical(content)
    likely: list[int] = [place, *([place - 1] if place else []), *range(place + 1, min(place + width, len(theirs)))]
    for other in likely:
        line = theirs[other] if other < len(theirs) else None
        if line is not None and (line == content or canonical(line) == meaning):
            return other + 1
    return None


def lines_of(path: str) -> Iterator[TimedLine]:
    """The number, the content and the time of each line. The content of a bare line is the whole line.

    An unreadable line has no content. Blank lines and an unfinished last line are left out.
    """
    try:
        with unpacked(path, Notes()) as opened:
            yield from _rows(opened)
    except Unreadable:
        return


def lines_in(file: File) -> Iterator[TimedLine]:
    """The same of a file that may be joined from several."""
    try:
        with opened_rollout(file, Notes()) as opened:
            yield from _rows(opened)
    except Unreadable:
        return


def _rows(lines: Iterable[bytes]) -> Iterator[TimedLine]:
    for number, line in enumerate(lines, start=1):
        try:
            row = _row(line)
        except REFUSED:
            if line.endswith(b"\n") and not line.isspace():
                yield number, _content_of_odd_line(line), None
            continue
        content = bytes(row.payload) if row.payload else line.rstrip()
        yield number, content, recorded(row.timestamp)


def _content_of_odd_line(line: bytes) -> bytes | None:
    """The content of a line in an unknown form; None if it is no JSON."""
    try:
        msgspec.json.decode(line)
    except REFUSED:
        return None
    return line.rstrip()
