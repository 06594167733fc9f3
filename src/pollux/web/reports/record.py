"""`/record`: a message as it stands in its file; without a message, where each of a session stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.draw.transcript.records import Records
from pollux.errors import NotFound, RequestError
from pollux.model import Origin
from pollux.web.pages.record import Found, record_page, records_page
from pollux.web.replies import page_reply
from pollux.web.reports.common import entry_of
from pollux.writers.html.messages import message_names

if TYPE_CHECKING:
    from starlette.responses import Response

    from pollux.library.library import Library
    from pollux.model import Session
    from pollux.web.reports.asked import Asked

_LAST = 10**9
"""No file has more lines."""


def record(library: Library, asked: Asked) -> Response:
    """The record of a message, or at a line of a file. Raises `NotFound` and `RequestError`."""
    if asked.is_json:
        raise RequestError("A record has no JSON of its own.", "The JSON of its session names its place: /s/KEY.json")
    if (key := asked.get("key")) is None:
        raise RequestError("Of which session?", "Its key belongs into the address: /record?key=KEY")
    entry = entry_of(library, key)
    session = library.session(key)
    if asked.get("message") is not None or asked.get("line") is not None:
        return page_reply(record_page(asked, entry, session, _found(session, asked)))
    return page_reply(records_page(asked, entry, session))


def _found(session: Session, asked: Asked) -> Found:
    number, origin = _by_name(session, asked) if asked.get("message") is not None else _by_line(session, asked)
    records = Records()
    if origin is None:
        return Found(number, None, None, None)
    return Found(number, origin, records.line(origin), records.text(origin))


def _by_name(session: Session, asked: Asked) -> tuple[int, Origin | None]:
    """The message with this anchor or id."""
    name = asked.get("message")
    for number, (anchor, message) in enumerate(zip(message_names(session.messages), session.messages, strict=True)):
        if name in (anchor, message.id):
            return number, message.origin
    raise NotFound("This session has no such message.", "Its records are listed without one.")


def _by_line(session: Session, asked: Asked) -> tuple[int | None, Origin]:
    """A line of a file of the session, and the last message that begins there or above."""
    line, file = asked.number("line", most=_LAST), asked.get("file") or next(iter(session.files), "")
    if file not in session.files:
        raise NotFound("This session was not read from such a file.", "Its records are listed without one.")
    above = [
        (message.origin.line, number)
        for number, message in enumerate(session.messages)
        if message.origin is not None
        and message.origin.file == file
        and message.origin.line is not None
        and message.origin.line <= line
    ]
    return max(above)[1] if above else None, Origin(file=file, line=line)
