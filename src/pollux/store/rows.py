"""What the store keeps of a session: worked out once, where it is read, and small enough to be sent on."""

from __future__ import annotations

from datetime import datetime

import msgspec

from pollux.model import Link, Message, Notice, Session, Severity, Summary, ToolCall, summarize

QUARTER = 15 * 60
"""Usage is rolled up by quarters of an hour: every time zone's days begin at one."""


class UsageRow(msgspec.Struct, array_like=True):
    """The tokens of one message, and where they stand: `file` counts in the session's files."""

    message: str
    at: int | None
    model: str | None
    fate: str
    inherited: bool
    input: int | None
    cached: int | None
    cache_write: int | None
    output: int | None
    reasoning: int | None
    requests: int | None
    exact: bool | None
    file: int | None
    line: int | None


class CallRow(msgspec.Struct, array_like=True):
    """One tool call."""

    message: str
    name: str
    canonical: str
    kind: str
    status: str
    at: int | None
    inherited: bool


class Entry(msgspec.Struct, array_like=True):
    """One session, ready to be kept. Its words are kept under `no`; `cut` of its outputs were too long for that.

    `marks` are each message's id, role and author.
    """

    no: int
    cut: int
    summary: Summary
    about: str
    marks: list[tuple[str, str, str]]
    troubled: bool
    notices: tuple[Notice, ...]
    links: tuple[Link, ...]
    usage: list[UsageRow]
    calls: list[CallRow]


class Reading(msgspec.Struct, array_like=True):
    """What came of reading one bundle; `number` is its place in the list of those to be read.

    `wasted` are numbers under which words were kept before reading failed.
    """

    number: int
    problem: str | None
    notices: tuple[Notice, ...]
    leaning: bytes
    entries: list[Entry]
    wasted: list[int] = []


def entry(session: Session, no: int, cut: int) -> Entry:
    """The rows of a session."""
    summary = summarize(session)
    said = [summary.title or "", session.project or "", *(prompt.text for prompt in session.prompts)]
    places = {name: number for number, name in enumerate(session.files)}
    return Entry(
        no=no,
        cut=cut,
        summary=summary,
        about="\n".join(said).casefold(),
        marks=[(message.id, message.role, message.author) for message in session.messages],
        troubled=any(notice.severity is not Severity.INFO for notice in session.notices),
        notices=session.notices,
        links=session.links,
        usage=[_usage(message, places) for message in session.messages if message.usage is not None],
        calls=[
            CallRow(m.id, part.name, part.canonical, part.tool_kind, part.status, micros(part.at or m.at), m.inherited)
            for m in session.messages
            for part in m.parts
            if type(part) is ToolCall
        ],
    )


def _usage(message: Message, places: dict[str, int]) -> UsageRow:
    usage, origin = message.usage, message.origin
    assert usage is not None  # noqa: S101 (the caller looked)
    return UsageRow(
        message.id,
        micros(message.at),
        message.model,
        message.fate,
        message.inherited,
        usage.input,
        usage.cached,
        usage.cache_write,
        usage.output,
        usage.reasoning,
        usage.requests,
        usage.exact,
        places.get(origin.file) if origin is not None else None,
        origin.line if origin is not None else None,
    )


def micros(at: datetime | None) -> int | None:
    """A moment as a whole number that sorts."""
    if at is None:
        return None
    return int(at.timestamp()) * 1_000_000 + at.microsecond
