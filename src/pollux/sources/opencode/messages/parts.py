"""The parts of a message in the words that all agents share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import unquote, urlsplit

from pollux.model import (
    Attachment,
    Context,
    FileReference,
    Part as ModelPart,
    SummaryPart,
    Text,
    Thinking,
    ToolCall,
    Unknown,
)
from pollux.sources.opencode.format.schema import Part, Times
from pollux.sources.opencode.messages.calls import Fetch, attachment, call_of
from pollux.sources.opencode.witnesses.records import PartRecord
from pollux.system.clock import since_epoch
from pollux.wire import Notes, tidy, tidy_without

BOOKKEEPING: frozenset[str | None] = frozenset(
    ("step-start", "step-finish", "snapshot", "patch", "compaction", "agent", "retry")
)
"""Parts that say nothing themselves; they are kept beside the message."""

_CALLED = "Called the "
_USED: dict[str | None, tuple[str, ...]] = {
    "text": ("text",),
    "reasoning": ("text",),
    "tool": ("tool", "callID", "state"),
    "file": ("mime", "url"),
    "subtask": ("prompt",),
}


def content(
    records: Iterable[PartRecord], fetch: Fetch, notes: Notes, *, summary: bool, ends_turn: bool
) -> tuple[list[ModelPart], list[dict[str, Any]]]:
    """The parts of a message, and what else the records say."""
    parts: list[ModelPart] = []
    rest: list[dict[str, Any]] = []
    for record in records:
        notes.file, notes.line = record.origin.file, record.origin.line
        made = _part(record, fetch, notes, summary=summary, ends_turn=ends_turn)
        last = parts[-1] if parts else None
        if type(made) is FileReference and type(last) is Context and not last.text.startswith(_CALLED):
            # What was read for a mention stands before it.
            parts.pop()
            made = FileReference(path=made.path, text=last.text)
        if made is not None:
            parts.append(made)
        rest.append(_rest(record, made))
    return parts, rest


def _part(record: PartRecord, fetch: Fetch, notes: Notes, *, summary: bool, ends_turn: bool) -> ModelPart | None:
    part = record.part
    match part.type:
        case "text" if part.text is not None:
            made = Context(source="opencode", text=part.text) if part.synthetic or part.ignored else None
            return made or (SummaryPart(text=part.text) if summary else Text(text=part.text))
        case "reasoning" if part.text is not None:
            return Thinking(text=part.text, at=since_epoch((part.time or Times()).start, 1000))
        case "tool":
            return call_of(part, fetch, exact=record.exact, ends_turn=ends_turn)
        case "file":
            return _file(part)
        case "subtask":
            return Text(text=part.prompt) if part.prompt else None
        case kind if kind in BOOKKEEPING or kind in ("text", "reasoning"):
            return None
        case kind:
            notes.add("part.unknown", f"A part is of an unknown type {kind!r}; kept.", subject=f"part {kind!r}")
            return Unknown(raw=tidy(part))


def _file(part: Part) -> FileReference | Attachment:
    """A file: a mention of one in the project, or one whose bytes are in the record."""
    if part.url is not None and part.url.startswith("file:"):
        return FileReference(path=unquote(urlsplit(part.url).path) or part.url)
    return attachment({"mime": part.mime, "url": part.url})


def _rest(record: PartRecord, made: ModelPart | None) -> dict[str, Any]:
    part = record.part
    if type(made) is Unknown:
        return {"id": part.id} if part.id else {}
    used = _USED.get(part.type, ()) if made is not None and type(made) is not FileReference else ()
    rest = tidy_without(part, *used, exact=record.exact)
    if type(made) is ToolCall and part.state is not None and part.state.extra:
        rest["state"] = dict(part.state.extra)
    return rest


def says_something(record: PartRecord) -> bool:
    """Is it a part of the conversation itself?"""
    return record.part.type not in BOOKKEEPING


def say_something(records: Iterable[PartRecord]) -> bool:
    """Is one of them a part of the conversation itself?"""
    return not BOOKKEEPING.issuperset([record.part.type for record in records])
