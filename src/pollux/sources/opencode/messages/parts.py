"""The parts of a message in the words that all agents share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, cast
from urllib.parse import unquote, urlsplit

from msgspec import to_builtins

from pollux.model import Attachment, Context, FileReference, Part as ModelPart, SummaryPart, Text, Thinking, Unknown
from pollux.sources.opencode.format.schema import Part
from pollux.sources.opencode.messages.calls import attachment, call_of
from pollux.sources.opencode.messages.owner import Owner
from pollux.sources.opencode.witnesses.records import PartRecord
from pollux.system.clock import since_epoch
from pollux.wire import tidy

BOOKKEEPING: frozenset[str | None] = frozenset(
    ("step-start", "step-finish", "snapshot", "patch", "compaction", "agent", "retry")
)
"""Parts that say nothing themselves; they are kept beside the message."""

_CALLED = "Called the "


def content(records: Iterable[PartRecord], owner: Owner) -> tuple[list[ModelPart], list[dict[str, Any]]]:
    """The parts of a message, and what else the records say, without the ids that the message has.

    What becomes a part is taken out of its record: what is left there is the rest.
    """
    parts: list[ModelPart] = []
    rest: list[dict[str, Any]] = []
    made_by = _MADE.get
    for record in records:
        part = record.part
        make = made_by(part.type, _unknown)
        if make is not None and (made := make(record, owner)) is not None:
            if type(made) is FileReference:
                made = _with_what_was_read(made, parts)
            parts.append(made)
            if make is _unknown:
                if part.id:
                    rest.append({"id": part.id})
                continue
        if type(part) is Part:  # a usual one names no ids
            if part.messageID == owner.message:
                part.messageID = None
            if part.sessionID == owner.session:
                part.sessionID = None
        if left := to_builtins(part) if record.exact else tidy(part):
            rest.append(left)
    return parts, rest


def _text(record: PartRecord, owner: Owner) -> ModelPart | None:
    part = record.part
    text, part.text = part.text, None
    if text is None:
        return None
    if part.synthetic or part.ignored:
        return Context(source="opencode", text=text)
    return SummaryPart(text=text) if owner.is_summary else Text(text=text)


def _thinking(record: PartRecord, _owner: Owner) -> Thinking | None:
    part = record.part
    text, part.text = part.text, None
    if text is None:
        return None
    return Thinking(text=text, at=since_epoch(part.time.start, 1000) if part.time is not None else None)


def _subtask(record: PartRecord, _owner: Owner) -> Text | None:
    part = cast("Part", record.part)  # no usual one is of this type
    prompt = part.prompt
    if not prompt:
        return None
    part.prompt = None
    return Text(text=prompt)


def _file(record: PartRecord, _owner: Owner) -> FileReference | Attachment:
    """A file: a mention of one in the project, or one whose bytes are in the record."""
    part = cast("Part", record.part)  # no usual one is of this type
    url = part.url
    if url is not None and url.startswith("file:"):
        return FileReference(path=unquote(urlsplit(url).path) or url)
    made = attachment({"mime": part.mime, "url": url})
    part.mime = part.url = None
    return made


def _unknown(record: PartRecord, owner: Owner) -> Unknown:
    """A part of a type that nobody knows, whole: beside the message only its id is kept."""
    part, origin, notes = record.part, record.origin, owner.notes
    notes.file, notes.line = origin.file, origin.line
    notes.add("part.unknown", f"A part is of an unknown type {part.type!r}; kept.", subject=f"part {part.type!r}")
    return Unknown(raw=tidy(part))


_MADE: dict[str | None, Callable[[PartRecord, Owner], ModelPart | None] | None] = {
    **dict.fromkeys(BOOKKEEPING),
    "text": _text,
    "tool": call_of,
    "reasoning": _thinking,
    "subtask": _subtask,
    "file": _file,
}


def _with_what_was_read(mention: FileReference, parts: list[ModelPart]) -> FileReference:
    """A mention of a file, with what was read for it, which stands before it."""
    last = parts[-1] if parts else None
    if type(last) is not Context or last.text.startswith(_CALLED):
        return mention
    parts.pop()
    return FileReference(path=mention.path, text=last.text)
