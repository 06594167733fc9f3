"""Which lines are still part of the conversation: what was edited away and what was folded into a summary is not."""

from __future__ import annotations

from collections.abc import Mapping

from pollux.model import Author, Fate, Message, Role
from pollux.sources.claude.format.schema import Fold, Line, Put
from pollux.sources.claude.messages.messages import Builder, Item, first_line
from pollux.sources.claude.tree.tree import Tree

_REWOUND, _CANCELLED = Fate.REWOUND, Fate.CANCELLED


def fates(builder: Builder, tree: Tree, leaf: Line | None) -> dict[int, Fate]:
    """The fate of each message that is not live, by its number, where the conversation would go on at a leaf."""
    gone = _left(builder, tree, leaf)
    # A fold that was rewound folds nothing any more.
    folds = [number for number in builder.folds if number not in gone]
    for number in _folded(builder, folds[-1], tree.by_uuid) if folds else ():
        gone.setdefault(number, Fate.COMPRESSED)
    return gone


def uuids_of(item: Item) -> list[str | None]:
    """The uuids of the lines a message was made of."""
    return [line.uuid for _, line in item] if type(item) is list else [item[1].uuid]  # type: ignore[union-attr]


def _left(builder: Builder, tree: Tree, leaf: Line | None) -> dict[int, Fate]:
    """What the way to the leaf leaves aside.

    A branch that begins with a prompt was rewound; one that begins with a reply was broken off. The lines of a reply,
    and what the client puts behind them, as the results of parallel calls, are branches too: they go with the reply.
    """
    way = list(tree.path(leaf))
    known: dict[str | None, Fate | None] = {line.uuid: None for line in way}
    strays = [line for line in tree.lines if line.uuid not in known]
    if not strays:
        return {}
    prompts = {line.uuid for line in builder.prompts if line.type == "user"}
    replies = {line.message.id for line in way if line.type == "assistant" and line.message is not None} - {None}
    for line in strays:
        aside: list[Line] = []
        fate: Fate | None = None
        for above in tree.path(line):
            if above.uuid in known:
                fate = known[above.uuid]
                break
            aside.append(above)
        for one in reversed(aside):
            if one.uuid in prompts:
                fate = _REWOUND
            elif one.type == "assistant":
                fate = None if one.message is not None and one.message.id in replies else fate or _CANCELLED
            known[one.uuid] = fate
    found = {number: [known.get(uuid) for uuid in uuids_of(item)] for number, item in enumerate(builder.items)}
    return {number: all_of[0] for number, all_of in found.items() if all_of[0] is not None and None not in all_of}


def in_order(items: list[Item], tree: Tree) -> list[int] | None:
    """The numbers of messages in the order in which they happened; None where they stand so.

    Two writers at once may put a reply before its prompt: then the prompt, and what it hangs on, comes first.
    """
    if _follow(items):
        return None
    places: dict[str | None, int] = {}
    for number, item in enumerate(items):
        for uuid in uuids_of(item):
            places.setdefault(uuid, number)
    beside: dict[str | None, int] = {}
    above = [_place_above(item, tree, places, beside) for item in items]
    if all(place <= number for number, place in enumerate(above)):
        return None
    order: dict[int, None] = {}
    for number in range(len(items)):
        waiting, now = {number: None}, above[number]
        while now > -1 and now not in order and now not in waiting:
            waiting[now] = None
            now = above[now]
        order.update(dict.fromkeys(reversed(waiting)))
    return list(order)


def _follow(items: list[Item]) -> bool:
    """Does each message hang on one before it, or on nothing? Nearly always."""
    before: set[str | None] = {None}
    for item in items:
        lines = item if isinstance(item, list) else (item,)
        if lines[0][1].parentUuid not in before:
            return False
        for _, line in lines:
            before.add(line.uuid)
    return True


def _place_above(item: Item, tree: Tree, places: Mapping[str | None, int], beside: dict[str | None, int]) -> int:
    """The number of the message that a message hangs on; -1 where there is none.

    `beside` gathers where the records lead that are no messages, so that none is passed twice.
    """
    parent = first_line(item).parentUuid
    if parent is None or (parent not in places and parent not in tree.by_uuid):
        return -1
    if (place := places.get(parent)) is not None:
        return place
    passed: list[str | None] = []
    found = -1
    for one in tree.path(tree.by_uuid[parent]):
        place = places.get(one.uuid, beside.get(one.uuid))
        if place is not None:
            found = place
            break
        passed.append(one.uuid)
    beside.update(dict.fromkeys(passed, found))
    return found


def _folded(builder: Builder, last: int, by_uuid: Mapping[str, Line]) -> list[int]:
    """What stands before the last fold and was not taken along."""
    items = builder.items
    line = items[last][1]
    fold = (line.compactMetadata if type(line) is Put else None) or Fold()
    kept = _preserved(fold, by_uuid)
    end = _waiting(builder.messages, last) if fold.trigger == "auto" else last
    return [n for n in range(end) if not any(uuid in kept for uuid in uuids_of(items[n]))]


def _waiting(messages: list[Message], fold: int) -> int:
    """Where the prompt stands that made the client fold: before the fold, while its answer stands after it."""
    start = fold
    for number in range(fold - 1, -1, -1):
        if messages[number].author is Author.MODEL:
            break
        if messages[number].author is Author.HUMAN and messages[number].role is Role.USER:
            start = number
    return start


def _preserved(fold: Fold, by_uuid: Mapping[str, Line]) -> set[str]:
    """The lines a fold names as taken along: one by one, or by the two ends of a stretch."""
    named, stretch = fold.preservedMessages, fold.preservedSegment
    if named is not None:
        return {*(named.uuids or ()), *(named.allUuids or ())}
    kept: set[str] = set()
    above = stretch.tailUuid if stretch is not None else None
    while stretch is not None and above is not None and above not in kept:
        kept.add(above)
        above = by_uuid[above].parentUuid if above in by_uuid and above != stretch.headUuid else None
    return kept
