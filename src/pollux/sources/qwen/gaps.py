"""Do the files hold every token that was used?"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from pollux.model import Author, Gap, Message, Role, SummaryPart, gap
from pollux.sources.gaps import BROKEN_OFF, awaits
from pollux.sources.qwen.transcript import Row

_UNANSWERED = "A prompt has no answer: what it cost, if anything, was not written."
_CUT_OFF = "An answer was broken off: its figures were not written."
_COMPRESSED = "The conversation was compressed: that request was not recorded."
_LOST = "The record before this one is missing: it may hold figures."


def gaps(messages: Iterable[Message]) -> Iterator[Gap]:
    """The gaps in the figures: what is missing, or may be."""
    unanswered: Message | None = None
    unfinished: Message | None = None
    compression = False
    for message in messages:
        if message.inherited:
            unanswered = unfinished = None
            continue
        compression = compression or message.extra.get("evidence") == "telemetry"
        if message.role is Role.ASSISTANT and message.author is Author.MODEL:
            unanswered, unfinished = None, message
            if message.usage is None:
                yield gap(_CUT_OFF, message, certain=True)
            elif not message.usage.exact:
                yield gap("An answer has only a part of its figures.", message, certain=message.usage.total is None)
        elif message.role is Role.USER and message.author is not Author.CLIENT:
            yield from _turn(unanswered, unfinished)
            unanswered, unfinished = message, None
        elif any(type(part) is SummaryPart for part in message.parts) and not compression:
            yield gap(_COMPRESSED, message, certain=True)
    yield from _turn(unanswered, unfinished)


def _turn(unanswered: Message | None, unfinished: Message | None) -> Iterator[Gap]:
    """The gap of a turn that ended early: a prompt without an answer, or tool results without a reply."""
    if unfinished is not None and awaits(unfinished):
        yield gap(BROKEN_OFF, unfinished)
    elif unanswered is not None:
        yield gap(_UNANSWERED, unanswered)


def lost_records(rows: Iterable[Row], known: Container[str | None]) -> Iterator[Gap]:
    """The gaps before records whose parent is in no file."""
    for row in rows:
        parent = row.record.parentUuid
        if parent is not None and parent not in known and row.record.forkedFrom is None:
            yield Gap(why=_LOST, certain=False, file=row.file, line=row.line)
