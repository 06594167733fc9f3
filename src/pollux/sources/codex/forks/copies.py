"""Lines compared with those of another file: how far is one a copy of the other?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

import msgspec

from pollux.errors import Unreadable
from pollux.sources.codex.format.compressed import unpacked
from pollux.sources.codex.format.lines import canonical
from pollux.system.clock import recorded
from pollux.wire import REFUSED, Notes


class _Row(msgspec.Struct):
    """A line's time, and what it says as it was written: a copy nearly always says it in the same letters."""

    timestamp: str | None = None
    payload: msgspec.Raw = msgspec.Raw()


_row = msgspec.json.Decoder(_Row).decode


def after(mine: Iterable[tuple[int, bytes | None]], theirs: list[bytes | None], width: int) -> int | None:
    """The first line of a file that is no copy of another's; None where all are.

    A copy may lack some of the other's lines, as many as `width` says. Either file may be damaged: a line that cannot
    be read is passed over, and one that was written twice counts once.
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
            # Perhaps the line that cannot be read there: the next one tells.
            place, guess = place + 1, number if guess is None else guess
        else:
            return number if guess is None else guess
    return None


def _place(content: bytes, theirs: list[bytes | None], place: int, width: int) -> int | None:
    """Where the other file goes on after a line that says the same: at once, as before, or a little later."""
    if place < len(theirs) and theirs[place] == content:
        return place + 1
    meaning = canonical(content)
    likely: list[int] = [place, *([place - 1] if place else []), *range(place + 1, min(place + width, len(theirs)))]
    for other in likely:
        line = theirs[other] if other < len(theirs) else None
        if line is not None and (line == content or canonical(line) == meaning):
            return other + 1
    return None


def lines_of(path: str) -> Iterator[tuple[int, bytes | None, datetime | None]]:
    """Each line with its content apart from its time, and the time. A bare line is content as a whole.

    Blank lines are left out. One that cannot be read has no content; an unfinished last one is left out.
    """
    try:
        with unpacked(path, Notes()) as file:
            for number, line in enumerate(file, start=1):
                try:
                    row = _row(line)
                except REFUSED:
                    if line.endswith(b"\n") and not line.isspace():
                        yield number, _odd(line), None
                    continue
                content = bytes(row.payload) if row.payload else line.rstrip()
                yield number, content, recorded(row.timestamp)
    except Unreadable:
        return


def _odd(line: bytes) -> bytes | None:
    """A line that is not as it should be; None where it cannot be read."""
    try:
        msgspec.json.decode(line)
    except REFUSED:
        return None
    return line.rstrip()
