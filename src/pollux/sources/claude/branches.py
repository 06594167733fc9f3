"""Which lines are still part of the conversation: what was edited away and what was folded into a summary is not."""

from __future__ import annotations

from collections.abc import Mapping

from pollux.model import Author, Fate, Message, Role
from pollux.sources.claude.messages import Builder, Item
from pollux.sources.claude.schema import Asked, Fold, Line, Put


def fates(builder: Builder, by_uuid: Mapping[str, Line]) -> dict[int, Fate]:
    """The fate of each message that is not live, by its number."""
    gone = dict.fromkeys(_rewound(builder, by_uuid), Fate.REWOUND)
    # A fold that was rewound folds nothing any more.
    folds = [number for number in builder.folds if number not in gone]
    for number in _folded(builder, folds[-1], by_uuid) if folds else ():
        gone.setdefault(number, Fate.COMPRESSED)
    return gone


def uuids_of(item: Item) -> list[str | None]:
    """The uuids of the lines a message was made of."""
    return [line.uuid for _, line in item] if type(item) is list else [item[1].uuid]  # type: ignore[union-attr]


def _rewound(builder: Builder, by_uuid: Mapping[str, Line]) -> list[int]:
    """What hangs on a prompt that a later prompt under the same parent replaced.

    Results of parallel calls make branches as well: only prompts that were sent compete, not those a running turn
    absorbed. A reply of which one line is live is live.
    """
    prompts = {line.uuid: line for line in builder.prompts if line.uuid is not None}
    rivals: dict[str | None, list[str]] = {}
    for uuid, line in prompts.items() if len(prompts) > 1 else ():
        if line.type == "user":
            rivals.setdefault(_anchor(line, prompts, by_uuid), []).append(uuid)
    dead = {uuid for siblings in rivals.values() for uuid in siblings[:-1]}
    if not dead:
        return []
    below: dict[str | None, list[str]] = {}
    for uuid, line in by_uuid.items():
        below.setdefault(_above(line), []).append(uuid)
    waiting = list(dead)
    while waiting:
        hanging = [uuid for uuid in below.get(waiting.pop(), ()) if uuid not in dead]
        dead.update(hanging)
        waiting += hanging
    return [n for n, item in enumerate(builder.items) if all(uuid in dead for uuid in uuids_of(item))]


def _anchor(line: Line, prompts: Mapping[str, Line], by_uuid: Mapping[str, Line]) -> str | None:
    """What a prompt follows: the nearest prompt, reply or fold above it, beyond what the client put between."""
    seen: set[str] = set()
    above = line.parentUuid
    while above is not None and above not in seen:
        seen.add(above)
        parent = by_uuid.get(above)
        if parent is None or above in prompts or _is_fold(parent):
            return above
        if parent.type == "assistant" and parent.message is not None:
            return parent.message.id or above
        above = parent.parentUuid
    return None


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


def _above(line: Line) -> str | None:
    """What a record hangs on: a fold has no parent, and names the record that it stands behind."""
    return line.parentUuid or (line.logicalParentUuid if type(line) is Put else None)


def _is_fold(line: Line) -> bool:
    """Does a conversation begin anew here? Early releases wrote the summary alone."""
    if type(line) is Put:
        return line.subtype == "compact_boundary"
    return type(line) is Asked and bool(line.isCompactSummary)


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
