"""Every message with the place it was read from and the record as it stands there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.draw.times import full
from pollux.draw.transcript.messages import tags, who
from pollux.draw.transcript.records import Records, place_text
from pollux.text.escape import one_line, visible
from pollux.writers.transcript import heading

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pollux.draw.canvas import Canvas
    from pollux.model import Message, Origin


def raw_lines(canvas: Canvas, messages: Iterable[Message]) -> Iterator[str]:
    """Place, heading and record of each message."""
    records = Records()
    before: Origin | None = None
    for message in messages:
        yield ""
        origin = message.origin
        if origin is None:
            place = "(no place is known)"
        else:
            line = records.line(origin)
            place = one_line(place_text(origin, line))
        yield canvas.paint(place, "bold")
        top = heading(message)
        facts = [who(top), full(message.at) if message.at else "", f"id {one_line(message.id)}", *tags(top)]
        yield canvas.paint(" · ".join(fact for fact in facts if fact), "dim")
        if origin is None:
            continue
        if origin == before:
            yield canvas.paint("(the same record as above)", "dim")
            continue
        before = origin
        record = records.text(origin)
        if record is None:
            yield canvas.paint("(the record is not there any more)", "dim")
        else:
            yield from visible(record).split("\n")
