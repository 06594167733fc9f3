"""The tree that a session's records form, and which of its branches goes on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from pollux.sources.claude.format.schema import Asked, Line, Put

_UNSENT = ("thinking", "redacted_thinking", "tool_use")


class Mark(msgspec.Struct, frozen=True):
    """A `last-prompt` record: the line it stands in, and the record with which the conversation would go on.

    It is `explicit` where the human went back to that record, or to nothing: then `leaf` is None.
    """

    number: int
    leaf: str | None
    explicit: bool


class Tree:
    """The records of a session, in the order of the file. `by_uuid` knows a copy as the record it was copied from."""

    def __init__(self, lines: Sequence[Line], by_uuid: Mapping[str, Line]) -> None:
        self.lines = [line for line in lines if line.uuid is not None]
        self.by_uuid = by_uuid
        self._before: dict[str | None, Line] | None = None

    def above(self, line: Line) -> Line | None:
        """The record that a record hangs on; None at a root.

        A fold has no parent, and names the record that it stands behind, or the last that it took along. Where the
        record is lost, or where none is named though there must be one, it is the one before.
        """
        parent = line.parentUuid
        if parent is None:
            if is_fold(line):
                parent = _behind(line)
            elif not _follows(line):
                return None
        found = self.by_uuid.get(parent) if parent is not None else None
        return found if found is not None else self._previous(line)

    def path(self, line: Line | None) -> Iterator[Line]:
        """A record and all that it hangs on."""
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


def is_fold(line: Line) -> bool:
    """Does a conversation begin anew here? Early releases wrote the summary alone."""
    if type(line) is Put:
        return line.subtype == "compact_boundary"
    return type(line) is Asked and bool(line.isCompactSummary) and line.parentUuid is None


def _behind(fold: Line) -> str | None:
    """The record that a fold stands behind."""
    told = fold.compactMetadata if type(fold) is Put else None
    if told is not None and (stretch := told.preservedSegment) is not None and stretch.tailUuid is not None:
        return stretch.tailUuid
    if told is not None and (named := told.preservedMessages) is not None and (along := named.allUuids or named.uuids):
        return along[-1]
    return fold.logicalParentUuid if isinstance(fold, Put | Asked) else None


def _follows(line: Line) -> bool:
    """Does a record always answer another: a reply, a result?"""
    content = line.message.content if line.message is not None else None
    return line.type == "assistant" or (type(content) is list and any(one.type == "tool_result" for one in content))


_BY_TIME = re.compile(r"2\.(0\.\d+|1\.([1-6]?\d|7[0-7]))(?!\d)")
"""Releases that go on at the record with the latest time: 2.0.14 to 2.1.77 do, 2.1.112 takes the last of the file."""


def _last(tree: Tree, lines: Sequence[Line]) -> Line | None:
    """The record at which a release goes on; of several with the latest time an early one takes the first.

    What a reply was about to say there, a thought alone or a call without its result, is not sent either.
    """
    if not lines or not _BY_TIME.match(lines[-1].version or ""):
        return lines[-1] if lines else None
    times = [line.timestamp for line in lines]
    known = [at for at in times if at is not None]
    latest = lines[times.index(max(known))] if known else lines[-1]
    if latest is lines[-1]:
        return latest
    return next((line for line in tree.path(latest) if not _is_unfinished(line)), latest)


def _is_unfinished(line: Line) -> bool:
    content = line.message.content if line.type == "assistant" and line.message is not None else None
    return type(content) is list and all(one.type in _UNSENT for one in content)


def leaf_of(tree: Tree, rows: Sequence[tuple[int, Line]], mark: Mark | None, prompts: set[str | None]) -> Line | None:
    """The record with which the agent would go on; None where the human went back to before the beginning.

    It is the last one, of whichever process; early releases go by the times. `rows` are those of the file that was
    written last; what a mark in it says holds until another prompt is sent on another branch.
    """
    rows = [row for row in rows if row[1].type != "progress" and row[1].uuid is not None]
    last = _last(tree, [line for _, line in rows] or tree.lines)
    if mark is None or last is None:
        return last
    later = [line for number, line in rows if number > mark.number]
    if mark.explicit and not later:
        return tree.by_uuid.get(mark.leaf) if mark.leaf is not None else None
    named = tree.by_uuid.get(mark.leaf) if mark.leaf is not None else None
    if named is None or any(line.uuid in prompts for line in later):
        return last
    if any(line is named for line in tree.path(last)):
        return last
    below = {named.uuid}
    for line in tree.lines:
        if (above := tree.above(line)) is not None and above.uuid in below:
            below.add(line.uuid)
            named = line
    return named
