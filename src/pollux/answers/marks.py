"""What a person noted: `mark`, and the fields `marks` of other answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pollux.writers.json import marks_document

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pollux.library.marks import MarkedItem


def marked_document(items: Iterable[MarkedItem]) -> list[dict[str, Any]]:
    """`pollux mark --json`: a row for each marked session, and for each marked message."""
    return [item_document(item) for item in items]


def item_document(item: MarkedItem) -> dict[str, Any]:
    """A session or a message, with its marks."""
    entry = item.entry
    return {
        "key": item.key,
        "short_id": entry.short if entry is not None else None,
        "message_id": item.message.anchor.id if item.message is not None else None,
        "title": entry.summary.title if entry is not None else None,
        "known": entry is not None,
        "marks": marks_document(item.marks),
    }
