"""Which lines are still part of the conversation: rewound and compacted lines are not."""

from __future__ import annotations

from collections.abc import Mapping

from pollux.model import Author, Fate, Message, Role
from pollux.sources.claude.format.schema import ClientRecord, CompactMetadata, Line
from pollux.sources.claude.messages.messages import Builder, Item, first_line
from pollux.sources.claude.tree.tree import Tree

_REWOUND, _CANCELLED = Fate.REWOUND, Fate.CANCELLED


def fates(builder: Builder, tree: Tree, leaf: Line | None) -> dict[int, Fate]:
    """The fate of each message that is not live, by its number, if the conversation goes on at this leaf."""
    result = _off_path(builder, tree, leaf)
    # A compaction that was rewound has no effect any more.
    folds = [number for number in builder.folds if number not in result]
    for number in _compacted(builder, folds[-1], tree.by_uuid) if folds else ():
        result.setdefault(number, Fate.COMPRESSED)
    return result


def uuids_of(item: Item) -> list[str | None]:
    """The uuids of the lines of a message."""
    return [line.uuid for _, line in item] if type(item) is list else [item[1].uuid]  # type: ignore[union-attr]


def _off_path(builder: Builder, tree: Tree, leaf: Line | None) -> dict[int, Fate]:
    """The fates of messages that are not on the path to the leaf.

    A branch that begins with a prompt was rewound; one that begins with a reply was cancelled. The lines of a reply,
    and the client's lines after them, such as results of parallel calls, are branches, too: they belong to the reply.
    """
    if tree.is_chain and leaf is tree.lines[-1]:
        return {}
    path = list(tree.path(leaf))
    known: dict[str | None, Fate | None] = {line.uuid: None for line in path}
    unknown = [line for line in tree.lines if line.uuid not in known]
    if not unknown:
        return {}
    prompts = {line.uuid for line in builder.prompts if line.type == "user"}
    replies = {line.message.id for line in path if line.type == "assistant" and line.message is not None} - {None}
    for line in unknown:
        aside: list[Line] = []
        fate: Fate | None = None
        for above in tree.path(line):
            if above.uuid in known:
                fate = known[above.uuid]
                break
            aside.append(above)
        for record in reversed(aside):
            if record.uuid in prompts:
                fate = _REWOUND
            elif record.type == "assistant":
                fate = None if record.message is not None and record.message.id in replies else fate or _CANCELLED
            known[record.uuid] = fate
    by_number = {number: [known.get(uuid) for uuid in uuids_of(item)] for number, item in enumerate(builder.items)}
    return {
        number: line_fates[0]
        for number, line_fates in by_number.items()
        if line_fates[0] is not None and None not in line_fates
    }


def in_order(items: list[Item], tree: Tree) -> list[int] | None:
    """The numbers of messages in the order in which they happened; None if that is their order.

    Two writers at once may put a reply before its prompt: then the prompt, and the records above it, come first.
    """
    if _is_in_order(items):
        return None
    places: dict[str | None, int] = {}
    for number, item in enumerate(items):
        for uuid in uuids_of(item):
            places.setdefault(uuid, number)
    skipped: dict[str | None, int] = {}
    above = [_place_above(item, tree, places, skipped) for item in items]
    if all(place <= number for number, place in enumerate(above)):
        return None
    order: dict[int, None] = {}
    for number in range(len(items)):
        chain, current = {number: None}, above[number]
        while current > -1 and current not in order and current not in chain:
            chain[current] = None
            current = above[current]
        order.update(dict.fromkeys(reversed(chain)))
    return list(order)


def _is_in_order(items: list[Item]) -> bool:
    """Does each message follow an earlier one, or nothing? Nearly always."""
    before: set[str | None] = {None}
    for item in items:
        lines = item if isinstance(item, list) else (item,)
        if lines[0][1].parentUuid not in before:
            return False
        for _, line in lines:
            before.add(line.uuid)
    return True


def _place_above(item: Item, tree: Tree, places: Mapping[str | None, int], skipped: dict[str | None, int]) -> int:
    """The number of the message above a message; -1 where there is none.

    `skipped` collects the result for records that are not messages, so that none is visited twice.
    """
    parent = first_line(item).parentUuid
    if parent is None or (parent not in places and parent not in tree.by_uuid):
        return -1
    if (place := places.get(parent)) is not None:
        return place
    passed: list[str | None] = []
    result = -1
    for record in tree.path(tree.by_uuid[parent]):
        place = places.get(record.uuid, skipped.get(record.uuid))
        if place is not None:
            result = place
            break
        passed.append(record.uuid)
    skipped.update(dict.fromkeys(passed, result))
    return result


def _compacted(builder: Builder, last: int, by_uuid: Mapping[str, Line]) -> list[int]:
    """The messages before the last compaction that it did not keep."""
    items = builder.items
    line = items[last][1]
    fold = (line.compactMetadata if type(line) is ClientRecord else None) or CompactMetadata()
    kept_uuids = _kept_lines(fold, by_uuid)
    end = _prompt_before(builder.messages, last) if fold.trigger == "auto" else last
    return [n for n in range(end) if not any(uuid in kept_uuids for uuid in uuids_of(items[n]))]


def _prompt_before(messages: list[Message], fold: int) -> int:
    """The number of the prompt that caused a compaction: it stands before it, and its answer after it."""
    start = fold
    for number in range(fold - 1, -1, -1):
        if messages[number].author is Author.MODEL:
            break
        if messages[number].author is Author.HUMAN and messages[number].role is Role.USER:
            start = number
    return start


def _kept_lines(fold: CompactMetadata, by_uuid: Mapping[str, Line]) -> set[str]:
    """The lines that a compaction kept: named one by one, or by the two ends of a range."""
    messages, segment = fold.preservedMessages, fold.preservedSegment
    if messages is not None:
        return {*(messages.uuids or ()), *(messages.allUuids or ())}
    uuids: set[str] = set()
    above = segment.tailUuid if segment is not None else None
    while segment is not None and above is not None and above not in uuids:
        uuids.add(above)
        above = by_uuid[above].parentUuid if above in by_uuid and above != segment.headUuid else None
    return uuids
