"""What a release wrote into a file again under new ids: 2.0.77 does so on resume behind a prompt of several parts."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from pollux.sources.claude.format.schema import Block, Line, Put
from pollux.sources.claude.messages.replies import Pair
from pollux.sources.claude.tree.ways import Ways, key_of
from pollux.wire import tidy

FAR = 100
"""So many records between two replies are looked through: a prompt of several parts comes back as fewer."""

Copies = dict[str, Line]
"""The records that copies are copies of, by the uuids of the copies."""


def copies_in(lines: Sequence[Pair], by_uuid: Mapping[str, Line]) -> Copies:
    """The copies among some lines.

    Only one way leads from a record back to the beginning. So a block of a reply, or a result, that is there once more
    on another way was written again; and so was what leads to it. A prompt of several parts comes back as several.
    """
    copies = _spoken(lines, by_uuid)
    if copies:
        places = {line.uuid: place for place, (_, line) in enumerate(lines)}
        sayings = _Sayings()
        _what_led_to_them(copies, by_uuid, places, sayings)
        _what_follows_them(copies, lines, by_uuid, sayings)
    return copies


def difference(copy: Line, original: Line) -> dict[str, Any]:
    """What a copy says that its original does not; the words are the same."""
    mine, theirs = tidy(copy), tidy(original)
    said, known = mine.pop("message", {}), theirs.pop("message", {})
    rest = {name: value for name, value in mine.items() if theirs.get(name) != value}
    more = {name: value for name, value in said.items() if name != "content" and known.get(name) != value}
    return {**rest, "message": more} if more else rest


def _spoken(lines: Sequence[Pair], by_uuid: Mapping[str, Line]) -> Copies:
    """Replies and results that are there again."""
    copies: Copies = {}
    ways = Ways(by_uuid, lambda line: _name(line) is not None)
    said = {name: _Again(ways) for name in _scattered(lines)}
    for _, line in lines if said else ():
        again = said.get(_name(line))
        if again is not None and line.uuid is not None and (same := again.same(line)) is not None:
            copies[line.uuid] = same
    return copies


def _scattered(lines: Sequence[Pair]) -> set[str | None]:
    """The names whose records do not each hang on the one before. The others are on one way: none repeats another."""
    last: dict[str | None, str] = {}
    scattered: set[str | None] = set()
    for _, line in lines:
        uuid, name = line.uuid, _name(line)
        if uuid is not None and name is not None:
            if name in last and line.parentUuid != last[name]:
                scattered.add(name)
            last[name] = uuid
    return scattered


class _Again:
    """The records of one name, by what they say and by the request they name."""

    def __init__(self, ways: Ways) -> None:
        self._ways = ways
        self._said: dict[object, dict[str | None, list[Line]]] = {}

    def same(self, line: Line) -> Line | None:
        """The record that a record repeats: one that says the same and does not lead to it.

        Where both name their request, it must be the same. Each of those that are compared leads to the next, so that
        those which lead to the record come first.
        """
        said = self._said.setdefault(_content(line), {})
        request = line.requestId
        other = None if request is not None else next((one for one in said if one is not None), None)
        for asked in (request, other):
            found = said.get(asked, [])
            place = bisect_left(found, 1, key=lambda one: 0 if self._ways.leads(one, line) else 1)
            if place < len(found) and found[place].uuid != line.uuid:
                return found[place]
        said.setdefault(request, []).append(line)
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
    """What a record says, as something that can be looked up."""
    return line.type, key_of(line.message.content if line.message is not None else None)


def _what_led_to_them(
    copies: Copies, by_uuid: Mapping[str, Line], places: Mapping[str | None, int], sayings: _Sayings
) -> None:
    """What stands above a copy, and was written later than its original, is a copy as well."""
    seen: set[str] = set()
    for uuid, original in list(copies.items()):
        above, known = by_uuid.get(by_uuid[uuid].parentUuid or ""), by_uuid.get(original.parentUuid or "")
        began = places.get(original.uuid, 0)
        while above is not None and above.uuid is not None and above.uuid not in copies and above.uuid not in seen:
            if places.get(above.uuid, -1) < began:
                break
            seen.add(above.uuid)
            same = next((one for one in _put_in(known, by_uuid) if sayings.holds(one, above)), None)
            if same is not None:
                copies[above.uuid] = known = same
            above = by_uuid.get(above.parentUuid or "")


def _put_in(line: Line | None, by_uuid: Mapping[str, Line]) -> Iterator[Line]:
    """A record and those above it, up to the next reply: a prompt, and what the client puts beside it."""
    for _ in range(FAR):
        if line is None or line.type == "assistant":
            return
        yield line
        line = by_uuid.get(line.parentUuid or "")


def _what_follows_them(copies: Copies, lines: Sequence[Pair], by_uuid: Mapping[str, Line], sayings: _Sayings) -> None:
    """A prompt that was never answered, behind a copy."""
    below: dict[str | None, dict[str | None, Line]] = {}
    copied = {original.uuid for original in copies.values()}
    for _, line in lines:
        original = copies.get(line.parentUuid or "")
        if original is not None and line.uuid is not None and line.uuid not in copies and line.type != "assistant":
            halved = len(_blocks(by_uuid[line.parentUuid or ""])) < len(_blocks(original))
            free = islice(below.get(original.uuid, {}).values(), FAR)
            same = next((one for one in [*free, *([original] if halved else [])] if sayings.holds(one, line)), None)
            if same is not None:
                copies[line.uuid] = same
                copied.add(same.uuid)
                below.get(original.uuid, {}).pop(same.uuid, None)
        if line.uuid not in copied:
            below.setdefault(line.parentUuid, {})[line.uuid] = line


class _Sayings:
    """What records say, each looked at once."""

    def __init__(self) -> None:
        self._known: dict[str | None, frozenset[object]] = {}

    def holds(self, one: Line, other: Line) -> bool:
        """Does a record say what the other says, and perhaps more?"""
        again = self._of(other)
        return bool(again) and again <= self._of(one)

    def _of(self, line: Line) -> frozenset[object]:
        if line.uuid not in self._known:
            said = [(line.subtype, line.content, line.attachment)] if type(line) is Put else _blocks(line)
            self._known[line.uuid] = frozenset((line.type, key_of(one)) for one in said)
        return self._known[line.uuid]


def _blocks(line: Line) -> list[Block]:
    content = line.message.content if line.message is not None else None
    if isinstance(content, str):
        return [Block(type="text", text=content)]
    return content or []
