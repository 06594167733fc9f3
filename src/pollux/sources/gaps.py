"""Gaps in the figures of any agent: in unreadable files, and in interrupted turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from pollux.model import Gap, Kind, Status, ToolCall, exactness
from pollux.wire import display_path

if TYPE_CHECKING:
    from pollux.model import Message, Session
    from pollux.sources.base import Bundle

BROKEN_OFF = "A turn was broken off: it may have used more than was recorded."
_DAMAGE = {
    "document.damaged": "A document could not be read to its end: it may hold figures.",
    "file.damaged": "A file could not be read: it may hold figures.",
    "file.truncated": "A file could not be read to its end: it may hold figures.",
    "file.unreadable": "A file could not be read: it may hold figures.",
    "item.damaged": "A message could not be read: it may hold figures.",
    "line.invalid": "A line could not be read: it may hold figures.",
    "line.not-object": "A line could not be read: it may hold figures.",
    "line.too-long": "A line could not be read: it may hold figures.",
    "line.torn": "A line could not be read: it may hold figures.",
}
"""Notices of damage, and what each means for the figures."""
_ANSWERED = (Status.OK, Status.ERROR)
_WITHOUT_FIGURES = (Kind.CHECKPOINT, Kind.PROMPTS)


def awaits(reply: Message) -> bool:
    """Does a reply end with calls that were all answered, so that the next request may have been under way?"""
    parts = reply.parts
    if not parts or type(parts[-1]) is not ToolCall:
        return False
    for part in parts:  # noqa: SIM110 (faster, and every turn passes here)
        if type(part) is ToolCall and part.status not in _ANSWERED:
            return False
    return True


def with_damage(sessions: list[Session], bundle: Bundle) -> list[Session]:
    """The sessions of a bundle, each with a gap for every damage to a file of its conversation."""
    if not any(session.notices for session in sessions):
        return sessions
    files = {display_path(file.path) for file in bundle.transcripts()}
    gaps = [
        Gap(why=_DAMAGE[notice.code], certain=False, file=notice.file, line=notice.line)
        for session in sessions
        for notice in session.notices
        if notice.code in _DAMAGE and notice.file in files
    ]
    if not gaps:
        return sessions
    # A file that could not be opened may belong to any of the sessions.
    read = {file for session in sessions for file in session.files}
    return [
        _with_gaps(session, [gap for gap in gaps if gap.file in session.files or gap.file not in read])
        for session in sessions
    ]


def _with_gaps(session: Session, added: list[Gap]) -> Session:
    if not added or session.kind in _WITHOUT_FIGURES:
        return session
    gaps = (*session.gaps, *dict.fromkeys(added))
    return replace(session, gaps=gaps, exact=False if session.exact is False else exactness(gaps))
