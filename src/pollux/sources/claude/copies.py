"""What a release wrote into a file again under new ids: 2.0.77 does so on resume behind a prompt of several parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from pollux.sources.claude.replies import Pair
from pollux.sources.claude.schema import Block, Line, Put
from pollux.wire import tidy

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
        _what_led_to_them(copies, by_uuid, places)
        _what_follows_them(copies, lines, by_uuid)
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
    said: dict[str, list[Line]] = {}
    for _, line in lines:
        name = _name(line)
        if name is None or line.uuid is None:
            continue
        before = said.setdefault(name, [])
        same = next((one for one in before if _is_again(one, line) and not _leads_to(one, line, by_uuid)), None)
        if same is not None:
            copies[line.uuid] = same
        else:
            before.append(line)
    return copies


def _name(line: Line) -> str | None:
    """The id of the reply that a line belongs to, or of the call that it answers."""
    if line.message is None:
        return None
    if line.type == "assistant":
        return line.message.id
    content = line.message.content
    return content[0].tool_use_id if type(content) is list and content and line.type == "user" else None


def _is_again(one: Line, other: Line) -> bool:
    """Do two records of one name say the same? Where both name their request, it must be the same."""
    if one.uuid == other.uuid or one.type != other.type or one.message is None or other.message is None:
        return False
    same = one.requestId == other.requestId or one.requestId is None or other.requestId is None
    return same and one.message.content == other.message.content


def _leads_to(one: Line, line: Line, by_uuid: Mapping[str, Line]) -> bool:
    """Does a line stand above another of the same reply?"""
    seen: set[str | None] = set()
    above: Line | None = line
    while above is not None and above.uuid not in seen and _name(above) is not None:
        seen.add(above.uuid)
        above = by_uuid.get(above.parentUuid or "")
        if above is one:
            return True
    return False


def _what_led_to_them(copies: Copies, by_uuid: Mapping[str, Line], places: Mapping[str | None, int]) -> None:
    """What stands above a copy, and was written later than its original, is a copy as well."""
    for uuid, original in list(copies.items()):
        above, known = by_uuid.get(by_uuid[uuid].parentUuid or ""), by_uuid.get(original.parentUuid or "")
        began = places.get(original.uuid, 0)
        while above is not None and above.uuid is not None and above.uuid not in copies:
            if places.get(above.uuid, -1) < began:
                break
            same = known
            while same is not None and same.type != "assistant" and not _holds(same, above):
                same = by_uuid.get(same.parentUuid or "")
            if same is not None and same.type != "assistant":
                copies[above.uuid] = known = same
            above = by_uuid.get(above.parentUuid or "")


def _what_follows_them(copies: Copies, lines: Sequence[Pair], by_uuid: Mapping[str, Line]) -> None:
    """A prompt that was never answered, behind a copy."""
    below: dict[str | None, list[Line]] = {}
    copied = {original.uuid for original in copies.values()}
    for _, line in lines:
        original = copies.get(line.parentUuid or "")
        if original is not None and line.uuid is not None and line.uuid not in copies and line.type != "assistant":
            halved = len(_blocks(by_uuid[line.parentUuid or ""])) < len(_blocks(original))
            free = [one for one in below.get(original.uuid, ()) if one.uuid not in copied]
            same = next((one for one in [*free, *([original] if halved else [])] if _holds(one, line)), None)
            if same is not None:
                copies[line.uuid] = same
                copied.add(same.uuid)
        below.setdefault(line.parentUuid, []).append(line)


def _holds(one: Line, other: Line) -> bool:
    """Does a record say what the other says, and perhaps more?"""
    if one.type != other.type:
        return False
    if type(one) is Put and type(other) is Put:
        return (one.subtype, one.content, one.attachment) == (other.subtype, other.content, other.attachment)
    said, again = _blocks(one), _blocks(other)
    return bool(again) and all(any(_plain(block) == _plain(known) for known in said) for block in again)


def _blocks(line: Line) -> list[Block]:
    content = line.message.content if line.message is not None else None
    if isinstance(content, str):
        return [Block(type="text", text=content)]
    return content or []


def _plain(block: Block) -> dict[str, Any]:
    built: dict[str, Any] = msgspec.to_builtins(block)
    return built
