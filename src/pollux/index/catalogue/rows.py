"""The rows of a session for the catalogue, made where the session is read, and small enough to be sent on."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import msgspec

from pollux.model import (
    Author,
    Figures,
    Gap,
    Link,
    Message,
    Notice,
    Role,
    Session,
    Severity,
    Summary,
    Tally,
    ToolCall,
    Usage,
    by_name,
    summarize,
    values,
)
from pollux.model.project_hash import unsettled_hash
from pollux.text.folding import fold


class UsageRow(Figures, frozen=True, kw_only=True, array_like=True):
    """The tokens of one request, and where they stand: `file` counts in the session's files."""

    message: str
    at: int | None
    model: str | None
    fate: str
    inherited: bool
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
    seconds: float | None


class AuditFacts(msgspec.Struct, array_like=True, frozen=True):
    """What a session's figures can be checked by: their gaps, and the agent's own totals."""

    gaps: tuple[Gap, ...]
    tallies: tuple[Tally, ...]


class MessageIndex(msgspec.Struct, array_like=True):
    """Each message's id, and the numbers of its role and author, so that a search can look up one message."""

    ids: list[str]
    roles: bytes
    authors: bytes

    def role(self, message: int) -> Role:
        """A message's role."""
        return _ROLES[self.roles[message]]

    def author(self, message: int) -> Author:
        """A message's author."""
        return _AUTHORS[self.authors[message]]


_ROLES, _AUTHORS = tuple(Role), tuple(Author)


class Entry(msgspec.Struct, array_like=True):
    """One session for the catalogue. Its words are indexed under `no`; `cut` of its outputs were too long for that.

    `prompts` has the time of each prompt, `unsettled` the hash of a project whose path is not certain.
    """

    no: int
    cut: int
    summary: Summary
    about: str
    marks: MessageIndex
    troubled: bool
    notices: tuple[Notice, ...]
    links: tuple[Link, ...]
    usage: list[UsageRow]
    calls: list[CallRow]
    prompts: list[int | None]
    proof: AuditFacts
    unsettled: str | None


class BundleRows(msgspec.Struct, array_like=True):
    """The rows of one bundle; `number` is its place in the list of bundles to read.

    `wasted` are numbers whose words were indexed before the reading failed.
    """

    number: int
    problem: str | None
    notices: tuple[Notice, ...]
    dependencies: bytes
    entries: list[Entry]
    wasted: list[int] = []


_LARGEST = 1 << 53  # sums of many such figures must fit, too


def _storable(figure: int | None) -> int | None:
    """A figure that the database can store; None for a larger one."""
    return figure if figure is None or -_LARGEST <= figure <= _LARGEST else None


def entry(session: Session, no: int, cut: int) -> Entry:
    """The rows of a session."""
    summary = summarize(session)
    if (used := summary.usage) != (usable := _storable_usage(used)):
        summary = msgspec.structs.replace(summary, usage=usable)
    names = session.facts.get("name", ())
    texts = [summary.title or "", *names, session.project or "", *(prompt.text for prompt in session.prompts)]
    return Entry(
        no=no,
        cut=cut,
        summary=summary,
        about=fold("\n".join(texts)),
        marks=MessageIndex(
            [message.id for message in session.messages],
            bytes([_ROLES.index(message.role) for message in session.messages]),
            bytes([_AUTHORS.index(message.author) for message in session.messages]),
        ),
        troubled=any(notice.severity is not Severity.INFO for notice in session.notices),
        notices=session.notices,
        links=session.links,
        usage=list(usage_rows(session)),
        calls=[_call(m, part) for m in session.messages for part in m.parts if type(part) is ToolCall],
        prompts=[micros(prompt.at) for prompt in session.prompts if not prompt.inherited],
        proof=AuditFacts(session.gaps, tuple(tally for tally in session.tallies if _storable(tally.total) is not None)),
        unsettled=unsettled_hash(session.project, session.project_evidence, session.project_hash),
    )


def _storable_usage(used: Usage) -> Usage:
    """A sum that the database can store. It is too low if a figure is left out."""
    usable = Usage(**_figures(used), exact=used.exact)
    return usable if usable == used else msgspec.structs.replace(usable, exact=False)


def _figures(used: Figures) -> dict[str, Any]:
    """Those of the figures that the database can hold."""
    return by_name(map(_storable, values(used)))


def usage_rows(session: Session) -> Iterator[UsageRow]:
    """One row for each request, the inherited ones too."""
    places = {name: number for number, name in enumerate(session.files)}
    for message in session.messages:
        if message.usage is not None:
            for usage in message.usage.each or (message.usage,):
                yield _usage(message, usage, places)


def _usage(message: Message, usage: Usage, places: dict[str, int]) -> UsageRow:
    origin = message.origin
    return UsageRow(
        **_figures(usage),
        message=message.id,
        at=micros(message.at),
        model=message.model,
        fate=message.fate,
        inherited=message.inherited,
        exact=usage.exact,
        file=places.get(usage.file or (origin.file if origin is not None else "")),
        line=usage.line or (origin.line if origin is not None else None),
    )


def _call(message: Message, call: ToolCall) -> CallRow:
    at = micros(call.at or message.at)
    return CallRow(
        message.id, call.name, call.canonical, call.tool_kind, call.status, at, message.inherited, call.seconds
    )


def micros(at: datetime | None) -> int | None:
    """A moment as an integer of microseconds."""
    if at is None:
        return None
    return int(at.timestamp()) * 1_000_000 + at.microsecond
