"""Where to cut a session that is too large for one page.

A browser needs a tenth of a second and six megabytes of memory for each megabyte of a page, and a telephone has little
of both. So a site holds such a session in parts, which link to one another.
"""

from __future__ import annotations

import msgspec

from pollux.model import Message, Part, Session, Text, Thinking
from pollux.writers.base import WriterContext
from pollux.writers.html.links import between

LIMIT = 20_000_000
"""Bytes of messages on one page, which is then at most half as large again."""

_AROUND = 400
"""So many bytes has a message beside its parts: its id, place, time and figures, in JSON as on a page."""


def page_parts(session: Session, context: WriterContext) -> list[range]:
    """The messages of each part. Only a site has parts: one file is one page, however large."""
    every = range(len(session.messages))
    if session.key not in context.files:
        return [every]
    parts: list[range] = []
    first = total = 0
    room = bytearray()  # the same for every message
    for number, message in enumerate(session.messages):
        inside = message.parts
        if len(inside) == 1 and type(part := inside[0]) is Text and part.text.isascii():  # which most are
            size = _AROUND + len(part.text)
        else:
            size = _size(message, room)
        if total and total + size > LIMIT:
            parts.append(range(first, number))
            first, total = number, 0
        total += size
    return [*parts, range(first, len(every))]


def file(context: WriterContext, key: str, number: int) -> str:
    """The name of the file with a part."""
    whole = context.files[key]
    return whole if number == 0 else f"{whole.removesuffix('.html')}.part-{number + 1}.html"


def address(context: WriterContext, key: str, here: int, there: int) -> str:
    """The way from one part to another."""
    return "" if here == there else between(file(context, key, here), file(context, key, there))


_encode_into = msgspec.json.Encoder().encode_into


def _size(message: Message, room: bytearray) -> int:
    """Bytes of a message: of its texts, of the JSON of other parts, and of what stands around them."""
    return _AROUND + sum(
        _length(part.text) if type(part) is Text or type(part) is Thinking else _encoded(part, room)
        for part in message.parts
    )


def _length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _encoded(part: Part, room: bytearray) -> int:
    try:
        _encode_into(part, room)
        return len(room)
    except UnicodeEncodeError:  # half a character
        return len(repr(part))
