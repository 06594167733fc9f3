"""Edits that a later edit of the same session undoes."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from pollux.index.catalogue.friction.values import Undoing
from pollux.model import ToolCall
from pollux.writers.attribution.edits import Edit, edits
from pollux.writers.changed_files import located

Found = tuple[str, int, Undoing]
"""A path, the place of the message with the edit that was undone, and how."""


class _File(msgspec.Struct):
    """What is known of a file: what was put in the place of what, and where; all of it, now and before."""

    last: int
    changes: dict[tuple[str, str], int] = {}
    contents: set[str] = set()
    current: str | None = None


class UndoneEdits:
    """The edits so far that went well: `count` of them. What a command did to a file is not known."""

    def __init__(self, project: str | None) -> None:
        self.count = 0
        self._project = project
        self._files: dict[str, _File] = {}

    def undone_by(self, call: ToolCall, place: int) -> Iterator[Found]:
        """The edits that this call undoes, each once. From now on the call is one of the edits."""
        done = list(edits(call))
        self.count += bool(done)
        for edit in done:
            path = located(edit.path, call, self._project)
            if edit.new is None:  # it was deleted or moved, or it is not known what became of it
                self._files.pop(path, None)
                continue
            file = self._files.setdefault(path, _File(last=place))
            found = _whole(file, edit.new) if edit.old is None else _part(file, edit, edit.old, edit.new, place)
            if found is not None and found[0] != place:
                yield path, *found
            file.last = place


def _part(file: _File, edit: Edit, old: str, new: str, place: int) -> tuple[int, Undoing] | None:
    """A text in the place of another: it undoes the edit that did the reverse."""
    if edit.before is not None:
        file.contents.add(edit.before)
    if old == new:
        return None
    file.current = None
    if (earlier := file.changes.pop((new, old), None)) is not None:
        return earlier, Undoing.REVERSED
    file.changes[old, new] = place
    return None


def _whole(file: _File, new: str) -> tuple[int, Undoing] | None:
    """A file as a whole: it undoes the last edit if the file had been so before, and was not so any more."""
    is_back = new in file.contents and file.current != new
    file.contents.add(new)
    file.changes.clear()
    file.current = new
    return (file.last, Undoing.WRITTEN_BACK) if is_back else None
