"""The tree of a session's records, and the branch that goes on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from operator import attrgetter

import msgspec

from pollux.sources.claude.format.schema import ClientRecord, Line, UserRecord

_timestamp: Callable[[Line], datetime] = attrgetter("timestamp")
_UNSENT = ("thinking", "redacted_thinking", "tool_use")


class Mark(msgspec.Struct, frozen=True):
    """A `last-prompt` record: its line, and the record with which the conversation would go on.

    It is `explicit` if the human went back to that record. `leaf` is None if the human went back to the beginning.
    """

    number: int
    leaf: str | None
    explicit: bool


class Tree:
    """The records of a session in file order. `by_uuid` has the original in place of each copy.

    `is_chain` says that each record follows the one before it, as in most sessions: there are no branches. It is
    examined here unless it is known already.
    """

    def __init__(self, lines: Sequence[Line], by_uuid: Mapping[str, Line], *, is_chain: bool = False) -> None:
        self.is_chain = (is_chain and bool(lines)) or _is_chain(lines, by_uuid)
        self.lines = lines if self.is_chain else [line for line in lines if line.uuid is not None]
        self.by_uuid = by_uuid
        self._before: dict[str | None, Line] | None = None

    def above(self, line: Line) -> Line | None:
        """The record above a record; None at a root.

        A compaction has no parent, but names the record that it follows, or the last one that it kept. If that record
        is lost, or none is named although there must be one, it is the record before.
        """
        parent = line.parentUuid
        if parent is None:
            if is_compaction(line):
                parent = _record_before_fold(line)
            elif not _must_follow(line):
                return None
        named = self.by_uuid.get(parent) if parent is not None else None
        return named if named is not None else self._previous(line)

    def path(self, line: Line | None) -> Iterator[Line]:
        """A record and all records above it."""
        seen: set[str | None] = set()
        known = self.by_uuid.get
        while line is not None and line.uuid not in seen:
            seen.add(line.uuid)
            yield line
            line = known(line.parentUuid or "") or self.above(line)

    def _previous(self, line: Line) -> Line | None:
        if self._before is None:
            self._before = {line.uuid: before for before, line in zip(self.lines, self.lines[1:], strict=False)}
        return self._before.get(line.uuid)


def _is_chain(lines: Sequence[Line], by_uuid: Mapping[str, Line]) -> bool:
    """Does each record follow the one before it, and the first none? Is each the only one with its uuid?"""
    if not lines or len(lines) != len(by_uuid):
        return False
    before: str | None = None
    for line, known in zip(lines, by_uuid.values(), strict=True):
        if line is not known or line.parentUuid != before:
            return False
        before = line.uuid
    return True


def is_compaction(line: Line) -> bool:
    """Does a conversation begin again here after a compaction? Early releases wrote only the summary."""
    if type(line) is ClientRecord:
        return line.subtype == "compact_boundary"
    return type(line) is UserRecord and bool(line.isCompactSummary) and line.parentUuid is None


def _record_before_fold(fold: Line) -> str | None:
    """The uuid of the record that a compaction follows."""
    metadata = fold.compactMetadata if type(fold) is ClientRecord else None
    if metadata is not None and (segment := metadata.preservedSegment) is not None and segment.tailUuid is not None:
        return segment.tailUuid
    if (
        metadata is not None
        and (messages := metadata.preservedMessages) is not None
        and (uuids := messages.allUuids or messages.uuids)
    ):
        return uuids[-1]
    return fold.logicalParentUuid if isinstance(fold, ClientRecord | UserRecord) else None


def _must_follow(line: Line) -> bool:
    """Must a record follow another one: is it a reply or a result?"""
    content = line.message.content if line.message is not None else None
    return line.type == "assistant" or (type(content) is list and any(block.type == "tool_result" for block in content))


_BY_TIME = re.compile(r"2\.(0\.\d+|1\.([1-6]?\d|7[0-7]))(?!\d)")
"""Releases that go on at the record with the latest time: 2.0.14 to 2.1.77. 2.1.112 takes the last of the file."""


def _last(tree: Tree, lines: Sequence[Line]) -> Line | None:
    """The record at which a release goes on. Early releases take the first of several with the latest time.

    They do not send unfinished replies there either: a thought alone, or a call without its result.
    """
    if not lines or not _BY_TIME.match(lines[-1].version or ""):
        return lines[-1] if lines else None
    dated = [line for line in lines if line.timestamp is not None]
    latest = max(dated, key=_timestamp) if dated else lines[-1]
    if latest is lines[-1]:
        return latest
    return next((line for line in tree.path(latest) if not _is_unfinished(line)), latest)


def _is_unfinished(line: Line) -> bool:
    content = line.message.content if line.type == "assistant" and line.message is not None else None
    return type(content) is list and all(block.type in _UNSENT for block in content)


def leaf_of(tree: Tree, rows: Sequence[tuple[int, Line]], mark: Mark | None, prompts: set[str | None]) -> Line | None:
    """The record with which the agent would go on; None if the human went back to the beginning.

    It is the last record of any process; early releases go by the times. `rows` are the lines of the file that was
    written last. A mark in it is valid until another prompt is sent on another branch.
    """
    lines = [line for _, line in rows if line.type != "progress" and line.uuid is not None]
    last = _last(tree, lines or tree.lines)
    if mark is None or last is None:
        return last
    later = [
        line for number, line in rows if number > mark.number and line.type != "progress" and line.uuid is not None
    ]
    if mark.explicit and not later:
        return tree.by_uuid.get(mark.leaf) if mark.leaf is not None else None
    leaf = tree.by_uuid.get(mark.leaf) if mark.leaf is not None else None
    if leaf is None or any(line.uuid in prompts for line in later):
        return last
    if any(line is leaf for line in tree.path(last)):
        return last
    below = {leaf.uuid}
    for line in tree.lines:
        if (above := tree.above(line)) is not None and above.uuid in below:
            below.add(line.uuid)
            leaf = line
    return leaf
