"""Everything that is known of one message: its facts and figures, its calls in full, its record with file and line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.draw.times import full
from pollux.draw.transcript.blocks import FULL, Writing
from pollux.draw.transcript.json_layout import is_json, laid_out
from pollux.draw.transcript.messages import tags, who
from pollux.draw.width import wrap
from pollux.text.escape import one_line, visible
from pollux.text.figures import number, tilde
from pollux.writers.transcript import CallBlock, ResultBlock, heading, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pollux.draw.canvas import Canvas
    from pollux.draw.transcript.records import Records
    from pollux.model import Message

_LONGEST = 100_000
"""A longer record (characters) is cut."""

_FIGURES = ("input", "cached", "cache_write", "output", "reasoning", "total")


def detail_lines(canvas: Canvas, message: Message, records: Records, home: str) -> Iterator[str]:
    """The facts, the figures, the calls, the record."""
    top = heading(message)
    yield canvas.paint(who(top), "bold")
    facts = [("time", full(message.at) if message.at else ""), ("model", message.model or ""), ("id", message.id)]
    facts += [("fate", ", ".join(tags(top)) or str(message.fate))]
    for name, value in facts:
        if value:
            yield canvas.paint(f"{name:8}", "dim") + one_line(value)
    yield from _usage(canvas, message)
    writing = Writing(canvas, FULL._replace(diffs=True, most=_LONGEST))
    calls = [block for block in walk([message]) if isinstance(block, (CallBlock, ResultBlock))]
    if calls:
        yield ""
        yield canvas.paint("Calls", "head", "bold")
        for block in calls:
            yield from writing.lines(block)
    yield from _record(canvas, message, records, home)


def _usage(canvas: Canvas, message: Message) -> Iterator[str]:
    if message.usage is None:
        return
    yield ""
    yield canvas.paint("Tokens", "head", "bold")
    for name in _FIGURES:
        value = getattr(message.usage, name)
        if value is not None:
            yield canvas.paint(f"{name.replace('_', ' '):12}", "dim") + f"{number(value):>9}"


def _record(canvas: Canvas, message: Message, records: Records, home: str) -> Iterator[str]:
    yield ""
    yield canvas.paint("Record", "head", "bold")
    place = place_of(message, records)
    if message.origin is None or place is None:
        yield canvas.paint("(no place is known)", "dim")
        return
    yield from (canvas.paint(line, "id") for line in wrap(one_line(tilde(place, home)), canvas.columns))
    record = records.text(message.origin)
    if record is None:
        yield canvas.paint("(the record is not there any more)", "dim")
        return
    shown = visible(record[:_LONGEST])
    yield from laid_out(canvas, shown) if is_json(record) else shown.split("\n")
    if len(record) > _LONGEST:
        yield canvas.paint(f"… {len(record) - _LONGEST:,} more characters", "dim")


def place_of(message: Message, records: Records) -> str | None:
    """The file and line in which a message stands."""
    if message.origin is None:
        return None
    line = records.line(message.origin)
    from pollux.draw.transcript.records import place_text

    return place_text(message.origin, line)
