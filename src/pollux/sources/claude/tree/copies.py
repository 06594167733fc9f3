"""Copies of records under new ids in the same file: 2.0.77 writes them on resume after a prompt of several parts."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from pollux.sources.claude.format.schema import Block, ClientRecord, Line
from pollux.sources.claude.messages.replies import Pair
from pollux.sources.claude.tree.ancestry import Ancestry, key_of
from pollux.wire import tidy

FAR = 100
"""How many records between two replies are searched: a prompt of several parts is copied as fewer records."""

Copies = dict[str, Line]
"""The original records by the uuids of their copies."""


def copies_in(lines: Sequence[Pair], by_uuid: Mapping[str, Line]) -> Copies:
    """The copies among these lines.

    Only one path leads from a record back to the beginning. So a block of a reply, or a result, that occurs again on
    another path is a copy; and so are the records that lead to it. A prompt of several parts is copied as several.
    """
    copies = _copied_replies(lines, by_uuid)
    if copies:
        places = {line.uuid: place for place, (_, line) in enumerate(lines)}
        contents = _Contents()
        _copy_ancestors(copies, by_uuid, places, contents)
        _copy_followers(copies, lines, by_uuid, contents)
    return copies


def difference(copy: Line, original: Line) -> dict[str, Any]:
    """The fields of a copy that differ from its original. The words are the same."""
    fields, original_fields = tidy(copy), tidy(original)
    message, original_message = fields.pop("message", {}), original_fields.pop("message", {})
    rest = {name: value for name, value in fields.items() if original_fields.get(name) != value}
    more = {name: value for name, value in message.items() if name != "content" and original_message.get(name) != value}
    return {**rest, "message": more} if more else rest


def _copied_replies(lines: Sequence[Pair], by_uuid: Mapping[str, Line]) -> Copies:
    """Replies and results that occur again."""
    copies: Copies = {}
    ancestry = Ancestry(by_uuid, lambda line: _name(line) is not None)
    by_name = {name: _SameName(ancestry) for name in _names_off_path(lines)}
    for _, line in lines if by_name else ():
        again = by_name.get(_name(line))
        if again is not None and line.uuid is not None and (original := again.same(line)) is not None:
            copies[line.uuid] = original
    return copies


def _names_off_path(lines: Sequence[Pair]) -> set[str | None]:
    """The names whose records do not each follow the one before. The others are on one path: none is a copy."""
    last: dict[str | None, str] = {}
    result: set[str | None] = set()
    for _, line in lines:
        uuid, name = line.uuid, _name(line)
        if uuid is not None and name is not None:
            if name in last and line.parentUuid != last[name]:
                result.add(name)
            last[name] = uuid
    return result


class _SameName:
    """The records of one name, by their content and by the request that they name."""

    def __init__(self, ancestry: Ancestry) -> None:
        self._ancestry = ancestry
        self._said: dict[object, dict[str | None, list[Line]]] = {}

    def same(self, line: Line) -> Line | None:
        """The original of a record: one with the same content that does not lead to it.

        If both name their request, it must be the same. Each of the compared records leads to the next, so those that
        lead to the record come first.
        """
        by_request = self._said.setdefault(_content(line), {})
        request = line.requestId
        other_request = None if request is not None else next((item for item in by_request if item is not None), None)
        for name in (request, other_request):
            records = by_request.get(name, [])
            place = bisect_left(records, 1, key=lambda item: 0 if self._ancestry.leads(item, line) else 1)
            if place < len(records) and records[place].uuid != line.uuid:
                return records[place]
        by_request.setdefault(request, []).append(line)
        return None


def _name(line: Line) -> str | None:
    """The id of the reply that a line belongs to, or of the call that it answers."""
    if line.message is None:
        return None
    if line.type == "assistant":
        return line.message.id
    content = line.message.content
    return content[0].tool_use_id if type(content) is list and content and line.type == "user" else None


def _content(line: Line) -> object:
    """The content of a record as a key."""
    return line.type, key_of(line.message.content if line.message is not None else None)


def _copy_ancestors(
    copies: Copies, by_uuid: Mapping[str, Line], places: Mapping[str | None, int], contents: _Contents
) -> None:
    """Records above a copy that were written after its original are copies, too."""
    seen: set[str] = set()
    for uuid, original in list(copies.items()):
        above, known = by_uuid.get(by_uuid[uuid].parentUuid or ""), by_uuid.get(original.parentUuid or "")
        original_place = places.get(original.uuid, 0)
        while above is not None and above.uuid is not None and above.uuid not in copies and above.uuid not in seen:
            if places.get(above.uuid, -1) < original_place:
                break
            seen.add(above.uuid)
            match = next(
                (candidate for candidate in _up_to_reply(known, by_uuid) if contents.holds(candidate, above)), None
            )
            if match is not None:
                copies[above.uuid] = known = match
            above = by_uuid.get(above.parentUuid or "")


def _up_to_reply(line: Line | None, by_uuid: Mapping[str, Line]) -> Iterator[Line]:
    """A record and those above it, up to the next reply: a prompt, and the client's records around it."""
    for _ in range(FAR):
        if line is None or line.type == "assistant":
            return
        yield line
        line = by_uuid.get(line.parentUuid or "")


def _copy_followers(copies: Copies, lines: Sequence[Pair], by_uuid: Mapping[str, Line], contents: _Contents) -> None:
    """Unanswered prompts after a copy are copies, too."""
    below: dict[str | None, dict[str | None, Line]] = {}
    copied = {original.uuid for original in copies.values()}
    for _, line in lines:
        original = copies.get(line.parentUuid or "")
        if original is not None and line.uuid is not None and line.uuid not in copies and line.type != "assistant":
            is_part = len(_blocks(by_uuid[line.parentUuid or ""])) < len(_blocks(original))
            candidates = islice(below.get(original.uuid, {}).values(), FAR)
            match = next(
                (
                    candidate
                    for candidate in [*candidates, *([original] if is_part else [])]
                    if contents.holds(candidate, line)
                ),
                None,
            )
            if match is not None:
                copies[line.uuid] = match
                copied.add(match.uuid)
                below.get(original.uuid, {}).pop(match.uuid, None)
        if line.uuid not in copied:
            below.setdefault(line.parentUuid, {})[line.uuid] = line


class _Contents:
    """The contents of records, each calculated once."""

    def __init__(self) -> None:
        self._known: dict[str | None, frozenset[object]] = {}

    def holds(self, first: Line, second: Line) -> bool:
        """Does the first record have all content of the second?"""
        content = self._of(second)
        return bool(content) and content <= self._of(first)

    def _of(self, line: Line) -> frozenset[object]:
        if line.uuid not in self._known:
            items = [(line.subtype, line.content, line.attachment)] if type(line) is ClientRecord else _blocks(line)
            self._known[line.uuid] = frozenset((line.type, key_of(item)) for item in items)
        return self._known[line.uuid]


def _blocks(line: Line) -> list[Block]:
    content = line.message.content if line.message is not None else None
    if isinstance(content, str):
        return [Block(type="text", text=content)]
    return content or []
