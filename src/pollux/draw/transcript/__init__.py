"""A session as a person reads it in a terminal."""

from __future__ import annotations

from itertools import islice, pairwise
from typing import TYPE_CHECKING

from pollux.draw.marks import message_marks
from pollux.draw.transcript.blocks import BRIEF, FULL
from pollux.draw.transcript.head import head, remarks
from pollux.draw.transcript.messages import Reader
from pollux.library.reader import find_message
from pollux.model import NO_MARKS
from pollux.text.escape import one_line
from pollux.writers.transcript import walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pollux.draw.canvas import Canvas
    from pollux.model import Message, Session, SessionMarks


class Here(str):
    """The line above the message that was asked for."""

    __slots__ = ()


def transcript(  # noqa: PLR0913
    canvas: Canvas,
    session: Session,
    *,
    home: str,
    full: bool = False,
    raw: bool = False,
    live: bool = False,
    at: str | None = None,
    marks: SessionMarks | None = None,
    heirs: Sequence[str] = (),
) -> Iterator[str]:
    """The lines of a session: its facts, what was said and done, and what is odd about its files.

    `full` unfolds tools and the client's texts, `raw` gives each message's place and record, `live` leaves out what the
    agent would not resume. The message `at` is unfolded, and the line above it is `Here`. `marks` stand above what they
    belong to. `heirs` are the sessions that this one was handed over to.
    """
    messages = [message for message in session.messages if not live or message.fate == "live"]
    here = None if at is None else find_message(messages, at)
    by_message = marks.by_message(messages) if marks is not None else {}
    yield from head(canvas, session, home, marks.session if marks is not None else NO_MARKS, heirs)
    if raw:
        from pollux.draw.transcript.raw import raw_lines

        yield from raw_lines(canvas, messages[:here])
        if here is not None:
            yield from _here(canvas, messages[here])
            yield from raw_lines(canvas, messages[here:])
    else:
        starts = sorted({0, *by_message, *((here, here + 1) if here is not None else ())})
        for start, end in pairwise([*starts, len(messages)]):
            if start in by_message:
                yield from message_marks(canvas, by_message[start])
            if start == here:
                yield from _here(canvas, messages[start])
                yield from islice(_lines(canvas, messages[start:end], full=True), 1, None)
            else:
                yield from _lines(canvas, messages[start:end], full=full)
    yield from remarks(canvas, session, home, full=full)


def _lines(canvas: Canvas, messages: list[Message], *, full: bool) -> Iterator[str]:
    """What was said and done in messages, drawn block by block."""
    reader = Reader(canvas, FULL if full else BRIEF)
    yield from reader.lines(walk(messages))
    yield from reader.rest()


def _here(canvas: Canvas, message: Message) -> Iterator[str]:
    yield ""
    yield Here(canvas.paint(f"▶ {one_line(message.id)}", "match"))
