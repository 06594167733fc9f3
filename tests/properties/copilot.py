"""What the kit has to know about Copilot CLI's files."""

from __future__ import annotations

from pollux.registry import source
from pollux.testing.subject import Open, Spare, Subject

_TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z"
_UUID = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"


def _unpacked(raw: bytes) -> bytes:
    """A database is no text: its rows are tried elsewhere."""
    return b"" if raw.startswith(b"SQLite format 3") else raw


COPILOT = Subject(
    source=source("copilot"),
    spares=(
        Spare(place="timestamp", values=_TIME, reason="a message has the time of its event; a call, of its beginning"),
        Spare(place="id", values=_UUID, reason="of a response and its figures, the response's id is the message's"),
        Spare(place="parentId", values=_UUID, reason="the event before"),
        Spare(place="type", values=r"[a-z]+\.[a-z_]+|function", reason="becomes the kind of message or part"),
    ),
    opens=(
        Open(place="data", reason="bookkeeping is kept whole: each release adds to it"),
        Open(place="arguments", reason="a tool's arguments are whatever the tool takes"),
    ),
    unpacked=_unpacked,
)
