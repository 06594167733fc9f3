"""The session as the contract has it: `pollux show --json`."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import msgspec

from pollux.model import (
    Fate,
    Marks,
    Message,
    Origin,
    Part,
    Session,
    SessionMarks,
    Summary,
    Thinking,
    ToolCall,
    Usage,
    summarize,
)
from pollux.text.surrogates import spell_surrogates
from pollux.writers.base import LOST_FATES, NO_CONTEXT, WHY_LOST, Loss, Options, Out, Report, WriterContext


class Json:
    """One JSON object a session."""

    name = "json"
    suffix = ".json"
    purpose = "everything, for programs: the same document as `pollux show --json`"
    supported_options: tuple[str, ...] = ()

    def write(self, session: Session, out: Out, options: Options, context: WriterContext = NO_CONTEXT) -> Report:
        """Write one object and a newline, message by message."""
        known = {"cost_usd": context.cost_usd, "unpriced_requests": context.unpriced_requests}
        summary = msgspec.structs.replace(summarize(session), **known)
        marks = context.marks(session.key)
        head = summary_document(summary, context.family_usage, marks)
        by_message = marks.by_message(session.messages) if marks is not None else {}
        noted = {id(session.messages[place]): one for place, one in by_message.items()}
        out(encode(head)[:-1])
        out(',"messages":[')
        messages = [m for m in session.messages if not options.live_only or m.fate is Fate.LIVE]
        for number, message in enumerate(messages):
            out(("," if number else "") + encode(message_document(message, noted.get(id(message)))))
        out("]")
        tail = {
            "recorded_title": session.title,
            "links": msgspec.to_builtins(session.links),
            "notices": msgspec.to_builtins(session.notices),
            "extra": session.extra,
        }
        # Whatever else a session has, now or later, so that it reads back whole.
        names = {*head, *tail, "messages", "exact"}
        tail |= {
            name: value for name in Session.__struct_fields__ if name not in names and (value := getattr(session, name))
        }
        out("," + encode(tail)[1:] + "\n")
        lost = len(session.messages) - len(messages)
        return Report(kept=len(messages), dropped=[Loss(LOST_FATES, lost, WHY_LOST)] if lost else [])


def encode(value: Any) -> str:
    r"""Compact JSON. Half a character, as of a path that is no text, cannot be written: it becomes the text `\xff`."""
    try:
        return msgspec.json.encode(value).decode()
    except UnicodeEncodeError:
        text = json.dumps(msgspec.to_builtins(value), ensure_ascii=False, separators=(",", ":"))
        return spell_surrogates(text, backslash="\\\\")


def known(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields without those whose value is not known."""
    return {name: value for name, value in fields.items() if value is not None}


def stamp(at: datetime | None) -> str | None:
    """A time in UTC, to the millisecond where that is all there is."""
    if at is None:
        return None
    try:
        at = at.astimezone(UTC)
    except OverflowError:  # the first or last hours of the calendar
        return at.isoformat()
    precision = "milliseconds" if at.microsecond % 1000 == 0 else "microseconds"
    return at.replace(tzinfo=None).isoformat(timespec=precision) + "Z"


def usage_document(usage: Usage | None) -> dict[str, Any] | None:
    """Usage with its total."""
    if usage is None:
        return None
    document: dict[str, Any] = {
        "input": usage.input,
        "cached": usage.cached,
        "cache_write": usage.cache_write,
        "output": usage.output,
        "reasoning": usage.reasoning,
        "total": usage.total,
        "requests": usage.requests,
        "exact": usage.exact,
    }
    for optional in ("cache_write_long", "line", "file", "row"):
        if (value := getattr(usage, optional)) is not None:
            document[optional] = value
    if usage.native:
        document["native"] = usage.native
    if usage.each:
        document["each"] = [usage_document(one) for one in usage.each]
    return document


def marks_document(marks: Marks | None) -> dict[str, Any] | None:
    """What a person noted; None where that is nothing."""
    return msgspec.structs.asdict(marks) if marks else None


def summary_document(
    summary: Summary, family: Usage | None = None, marks: SessionMarks | None = None
) -> dict[str, Any]:
    """A summary as `pollux list --json` prints it."""
    return {
        "key": summary.key,
        "agent": summary.agent,
        "id": summary.id,
        "kind": summary.kind,
        "parent": summary.parent,
        "handed_over_from": summary.handed_over_from,
        "title": summary.title,
        "project": summary.project,
        "project_evidence": summary.project_evidence,
        "project_hash": summary.project_hash,
        "started": stamp(summary.started),
        "ended": stamp(summary.ended),
        "first_prompt": summary.first_prompt,
        "last_prompt": summary.last_prompt,
        "models": summary.models,
        "counts": msgspec.structs.asdict(summary.counts),
        "usage": usage_document(summary.usage),
        "cost_usd": summary.cost_usd,
        "unpriced_requests": summary.unpriced_requests,
        "files": summary.files,
        "notice_count": summary.notice_count,
        "kept": summary.kept,
        "facts": summary.facts,
        "marks": marks_document(marks.session) if marks is not None else None,
        "marked_messages": len(marks.messages) if marks is not None else 0,
        "family_usage": usage_document(family) if family is not None else None,
    }


def message_document(message: Message, marks: Marks | None = None) -> dict[str, Any]:
    """A message as `pollux show --json` prints it."""
    document: dict[str, Any] = {
        "id": message.id,
        "role": message.role,
        "author": message.author,
        "at": stamp(message.at),
        "model": message.model,
        "usage": usage_document(message.usage),
        "inherited": message.inherited,
        "fate": message.fate,
        "parts": [part_document(part) for part in message.parts],
        "origin": _origin(message.origin) if message.origin is not None else None,
    }
    if message.extra:
        document["extra"] = message.extra
    if marks:
        document["marks"] = marks_document(marks)
    return document


def _origin(origin: Origin) -> dict[str, Any]:
    """Where a message stands. Only a database has rows."""
    place = msgspec.structs.asdict(origin)
    if origin.row is None:
        del place["row"]
    return place


def part_document(part: Part) -> dict[str, Any]:
    """A part with its type; empty leftovers are not written."""
    document: dict[str, Any] = {"type": part.__struct_config__.tag}
    document |= msgspec.structs.asdict(part)
    if isinstance(part, ToolCall | Thinking):
        document["at"] = stamp(part.at)
    for optional in ("extra", "attachments", "at_end"):
        if optional in document and not document[optional]:
            del document[optional]
    return document


WRITER = Json()
