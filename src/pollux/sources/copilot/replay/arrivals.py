"""Which messages came along when a conversation was handed over."""

from __future__ import annotations

from collections.abc import Sequence

from pollux.model import Author, Link, Text
from pollux.sources.copilot.replay.entries import Entry
from pollux.sources.handed_over import Said, has_figures, link_of, own_part
from pollux.writers.native.note import read_note


def mark_arrived(entries: Sequence[Entry]) -> tuple[Link, ...]:
    """Mark what is not newer than a note of pollux at the beginning, and link to the session that the note names."""
    first = next((entry for entry in entries if entry.asks and entry.author is Author.HUMAN), None)
    note = read_note(_text(first)) if first is not None else None
    if first is None or note is None:
        return ()
    said = [Said(entry.at, entry.asks, any(map(has_figures, entry.usages))) for entry in entries]
    is_copy = first.inherited
    for entry in entries[: own_part(note, said)]:
        entry.inherited = True
    first.author = Author.CLIENT
    # In a fork, the note is a copy, and the fork's own link names its origin.
    return () if is_copy else (link_of(note),)


def _text(entry: Entry) -> str:
    return "\n".join(part.text for part in entry.parts if type(part) is Text)
