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
    """The place before which nothing is sent any more: that of the last compaction whose summary was written.

    Early releases wrote a summary that nothing asked for.
    """
    live = [(place, entry) for place, entry in enumerate(entries) if entry.message.fate is Fate.LIVE]
    asked = {entry.record: (place, entry) for place, entry in live if entry.is_compaction}
    is_early = not any(entry.is_compaction for entry in entries)
    for _, entry in reversed(live):
        if not entry.is_summary or entry.error is not None:
            continue
        if entry.finished and (found := asked.get(entry.finished)) is not None:
            place, request = found
            return _tail(entries, request.tail) if request.tail is not None else place
        if is_early and entry.says:
            return next(place for place, other in enumerate(entries) if other.record == entry.record)
    return 0


def _tail(entries: list[Entry], id: str) -> int:
    """The place of the first message that a compaction kept: 1.15 kept the last turns. All are sent if it is gone."""
    return next((place for place, entry in enumerate(entries) if entry.record == id), 0)
