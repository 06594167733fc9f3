"""The rows of a session, as every table of a lake has them."""

from __future__ import annotations

from typing import Any

import msgspec

from pollux.index.catalogue.rows import storable, storable_usage
from pollux.index.search.passages import piece_of
from pollux.lake.tables import CALLS, MESSAGES, SESSIONS, TABLES, USAGE
from pollux.model import (
    FIGURES,
    Attachment,
    FileReference,
    Message,
    Part,
    Session,
    Severity,
    ToolCall,
    ToolResult,
    Unknown,
    summarize,
)
from pollux.writers.json import encode
from pollux.writers.loss import LossCounter
from pollux.writers.parquet import WHY, call_cells, in_utc, message_cells

Row = dict[str, Any]

_WITHOUT_COLUMN = (Attachment, FileReference, ToolResult, Unknown)


def rows_of(session: Session) -> dict[str, list[Row]]:
    """The rows of a session by table, without the columns that only a lake has."""
    place = {"key": session.key, "project": session.project}
    rows: dict[str, list[Row]] = {SESSIONS: [_session(session)], MESSAGES: [], CALLS: [], USAGE: []}
    tally = LossCounter(WHY)  # a document has what these rows do not hold
    for number, message in enumerate(session.messages, 1):
        at = {**place, "number": number, "message": message.id, "inherited": message.inherited}
        rows[MESSAGES].append(_only(MESSAGES, {**at, **message_cells(message, tally), "other": _other(message)}))
        calls = (part for part in message.parts if type(part) is ToolCall)
        rows[CALLS] += [_only(CALLS, {**at, **_call(message, call)}) for call in calls]
        rows[USAGE] += [_only(USAGE, {**at, **request}) for request in _requests(message)]
    return rows


def _only(table: str, cells: Row) -> Row:
    """The cells that a table has columns for."""
    return {column.name: cells.get(column.name) for column in TABLES[table].of_session()}


def _session(session: Session) -> Row:
    summary = summarize(session)
    summary = msgspec.structs.replace(summary, usage=storable_usage(summary.usage))
    counts = summary.counts
    return _only(
        SESSIONS,
        {
            **msgspec.structs.asdict(summary),
            "started": in_utc(summary.started),
            "ended": in_utc(summary.ended),
            "models": list(summary.models),
            "prompts": counts.prompts,
            "replies": counts.replies,
            "calls": counts.tool_calls,
            "failed_calls": counts.failed_tool_calls,
            "messages": len(session.messages),
            "exact": summary.usage.exact,
            "troubled": any(notice.severity is not Severity.INFO for notice in session.notices),
            "summary": encode(summary),
        },
    )


def _other(message: Message) -> str | None:
    """The words of parts that have no columns of their own, so that a search finds them."""
    parts = (part for part in message.parts if isinstance(part, _WITHOUT_COLUMN) or _has_attachments(part))
    return "\n".join(piece_of(part, message.author, cut=False).text for part in parts) or None


def _has_attachments(part: Part) -> bool:
    return type(part) is ToolCall and bool(part.attachments)


def _call(message: Message, call: ToolCall) -> Row:
    """A call without a time of its own was made when its message was written."""
    return {**call_cells(call), "at": in_utc(call.at or message.at)}


def _requests(message: Message) -> list[Row]:
    """A row a request: what it costs depends on its own size."""
    usage = message.usage
    return [
        {
            "request": request,
            "at": in_utc(message.at),
            "model": message.model,
            **{name: storable(getattr(figures, name)) for name in FIGURES},
        }
        for request, figures in enumerate((usage.each or (usage,)) if usage is not None else (), 1)
    ]
