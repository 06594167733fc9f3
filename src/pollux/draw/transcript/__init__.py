"""A session as a person reads it in a terminal."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from pollux.draw.transcript.blocks import BRIEF, FULL
from pollux.draw.transcript.head import head, remarks
from pollux.draw.transcript.messages import Reader
from pollux.errors import RequestError, UnknownName
from pollux.text.escape import one_line
from pollux.text.suggest import closest
from pollux.writers.transcript import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pollux.draw.canvas import Canvas
    from pollux.model import Message, Session


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
) -> Iterator[str]:
    """The lines of a session: its facts, what was said and done, and what is odd about its files.

    `full` unfolds tools and the client's texts, `raw` gives each message's place and record, `live` leaves out what the
    agent would not resume. The message `at` is unfolded, and the line above it is `Here`.
    """
    messages = [message for message in session.messages if not live or message.fate == "live"]
    here = None if at is None else find(messages, at)
    yield from head(canvas, session, home)
    if raw:
        from pollux.draw.transcript.raw import raw_lines

        yield from raw_lines(canvas, messages[:here])
        if here is not None:
            yield from _here(canvas, messages[here])
            yield from raw_lines(canvas, messages[here:])
    else:
        yield from _lines(canvas, messages[:here], full=full)
        if here is not None:
            yield from _here(canvas, messages[here])
            yield from islice(_lines(canvas, messages[here : here + 1], full=True), 1, None)
            yield from _lines(canvas, messages[here + 1 :], full=full)
    yield from remarks(canvas, session, home, full=full)


def _lines(canvas: Canvas, messages: list[Message], *, full: bool) -> Iterator[str]:
    """What was said and done in messages, drawn block by block."""
    reader = Reader(canvas, FULL if full else BRIEF)
    yield from reader.lines(walk(messages))
    yield from reader.rest()


def find(messages: list[Message], name: str) -> int:
    """The place of the message whose id is this, or begins like this."""
    exact = [number for number, message in enumerate(messages) if message.id == name]
    numbers = exact or [number for number, message in enumerate(messages) if name and message.id.startswith(name)]
    if not numbers:
        close = closest(name, {message.id[: len(name)] for message in messages}, alike=0.8)
        hint = f"Did you mean: {close}?" if close else "pollux show KEY --raw tells the id of each message."
        raise UnknownName("message", name, hint=hint)
    if len({messages[number].id for number in numbers}) > 1:
        several = ", ".join(messages[number].id for number in numbers[:5]) + (", …" if len(numbers) > 5 else "")
        raise RequestError(f"{len(numbers)} messages start with {name!r}.", f"Type more of the id: {several}")
    return numbers[0]


def _here(canvas: Canvas, message: Message) -> Iterator[str]:
    yield ""
    yield Here(canvas.paint(f"▶ {one_line(message.id)}", "match"))
