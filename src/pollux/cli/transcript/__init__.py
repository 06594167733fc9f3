"""A session as a person reads it in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.cli.transcript.head import head, remarks
from pollux.cli.transcript.messages import Reader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pollux.cli.screen import Screen
    from pollux.model import Session


def transcript(
    screen: Screen, session: Session, *, home: str, full: bool = False, raw: bool = False, live: bool = False
) -> Iterator[str]:
    """The lines of a session: its facts, what was said and done, and what is odd about its files.

    `full` unfolds tools and the client's texts, `raw` gives each message's place and record, `live` leaves out what the
    agent would not resume.
    """
    messages = [message for message in session.messages if not live or message.fate == "live"]
    yield from head(screen, session, home)
    if raw:
        from pollux.cli.transcript.raw import raw_lines

        yield from raw_lines(screen, messages)
    else:
        reader = Reader(screen, full=full)
        for message in messages:
            yield from reader.lines(message)
    yield from remarks(screen, session, home, full=full)
