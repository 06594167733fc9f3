"""What became of each message: put back by the user, or replaced by a summary."""

from __future__ import annotations

from msgspec.structs import replace

from pollux.model import Fate, Message
from pollux.sources.opencode.format.schema import Revert
from pollux.sources.opencode.messages.messages import Entry


def with_fates(entries: list[Entry], revert: Revert | None) -> list[Entry]:
    """The entries with their fates, as OpenCode would go on with the session now."""
    put_back = [_put_back(entry, revert) for entry in entries] if revert is not None else entries
    end = _compacted(put_back)
    if not end:
        return put_back
    return [
        replace(entry, message=replace(entry.message, fate=Fate.COMPRESSED))
        if place < end and entry.message.fate is Fate.LIVE
        else entry
        for place, entry in enumerate(put_back)
    ]


def _put_back(entry: Entry, revert: Revert | None) -> Entry:
    """A message from the one on to which the session was put back. With a part, that message stays before the part."""
    if revert is None or not revert.messageID or entry.message.fate not in (Fate.LIVE, Fate.FAILED):
        return entry
    if entry.record > revert.messageID or (
        entry.record == revert.messageID and (not revert.partID or _is_behind(entry.message, revert.partID))
    ):
        return replace(entry, message=replace(entry.message, fate=Fate.REWOUND))
    return entry


def _is_behind(message: Message, part: str) -> bool:
    """Do all parts of a message stand at this part or behind it?"""
    ids = [one.get("id") for one in message.extra.get("parts", ()) if isinstance(one, dict)]
    return bool(ids) and all(isinstance(id, str) and id >= part for id in ids)


def _compacted(entries: list[Entry]) -> int:
    """The place before which nothing is sent any more: that of the last compaction whose summary was written."""
    for place in range(len(entries) - 1, -1, -1):
        entry = entries[place]
        if entry.is_summary and entry.message.fate is Fate.LIVE and entry.says and entry.error is None:
            before = [n for n in range(place) if entries[n].is_compaction and entries[n].message.fate is Fate.LIVE]
            first = next((n for n in range(place + 1) if entries[n].record == entry.record), place)
            return before[-1] if before and not any(e.is_summary for e in entries[before[-1] + 1 : first]) else first
    return 0
