"""Sessions in lists, whole, and as they are written: `list`, `show`, `watch`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pollux.writers.json import WRITER, message_document, summary_document

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pollux.library.library import Event, Library, ListEntry
    from pollux.model import Session
    from pollux.usage.service import UsageService
    from pollux.usage.sums import Bill


def list_document(usage: UsageService, entries: Sequence[ListEntry]) -> list[dict[str, Any]]:
    """`pollux list --json`."""
    bills = usage.bills([entry.summary.key for entry in entries])
    return [entry_document(entry, bills[entry.summary.key]) for entry in entries]


def entry_document(entry: ListEntry, bill: Bill) -> dict[str, Any]:
    """A session in a list, with what it cost."""
    return {
        **summary_document(entry.summary, entry.family_usage, entry.marks),
        "cost_usd": bill.usd,
        "unpriced_requests": bill.unpriced,
        "short_id": entry.short,
        "unread": entry.unread,
    }


def session_document(
    library: Library, session: Session, out: Callable[[Any], object], *, live_only: bool = False
) -> None:
    """`pollux show KEY --json`, handed over in pieces: a session may be huge."""
    from pollux.export.service import Exporter
    from pollux.writers.base import Options

    Exporter(library, WRITER, Options(live_only=live_only)).write(session, out)


def event_document(event: Event) -> dict[str, Any]:
    """A line of `pollux watch --json`: what happened, in which session, and the message as `show --json` has it."""
    session = event.session
    return {
        "event": event.event,
        "key": session.key,
        "short_id": event.short_id,
        "agent": session.agent,
        "kind": session.kind,
        "parent": session.parent,
        "title": session.title,
        "project": session.project,
        "message": message_document(event.message) if event.message is not None else None,
    }
