"""What a transcript took over from another session: by a hand-over of pollux, or by casr or session-migrate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from pollux.model import Author, Message
from pollux.sources.base import File
from pollux.sources.claude.messages.messages import Item
from pollux.sources.handed_over import Arrival, as_copies, casr_links, is_casr_notice, with_note
from pollux.sources.session_migrate import Manifest, read_manifest
from pollux.wire import Notes, display_path

_CASR = "casr"
# The API's own ids of replies have nothing but letters and digits after `msg_`.
_REPLIES = ("msg_casr_", "msg_session_migrate_")


def manifests_in(files: Iterable[File], notes: Notes) -> dict[str, Manifest]:
    """The manifests in these files, by path."""
    return {display_path(file.path): one for file in files if (one := read_manifest(file, notes)) is not None}


def arrival_of(messages: list[Message], items: Sequence[Item], manifests: Mapping[str, Manifest]) -> Arrival:
    """The messages, those marked that came from another session, and the links to it."""
    records = next((manifest.records for manifest in manifests.values()), None)
    converted = _with_converted(messages, items, records)
    named = (manifest.link(file) for file, manifest in manifests.items())
    arrival = with_note(converted)
    links = (*arrival.links, *(link for link in named if link is not None), *casr_links(converted[:1]))
    return Arrival(arrival.messages, links)


def _with_converted(messages: list[Message], items: Sequence[Item], records: int | None) -> list[Message]:
    """The messages, those marked that were converted: all up to the last mark, or up to the line `records`.

    Both programs write a conversion at once, into a new file, so everything after it is the agent's own.
    """
    last = _last_converted(items, records)
    if last is None:
        return messages
    copies = as_copies(messages, [number <= last for number in range(len(messages))])
    return [
        replace(copy, author=Author.CLIENT) if copy.inherited and is_casr_notice(copy.author, copy.text) else copy
        for copy in copies
    ]


def _last_converted(items: Sequence[Item], records: int | None) -> int | None:
    """The place of the last item that a program converted. Every transcript passes here, and nearly all have none."""
    last = None
    for place, item in enumerate(items):
        number, line = item[-1] if isinstance(item, list) else item
        message = line.message
        if (
            line.version == _CASR
            or (records is not None and number <= records)
            or (message is not None and message.id is not None and message.id.startswith(_REPLIES))
        ):
            last = place
    return last
