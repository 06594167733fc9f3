"""Changes of marks as the journal has them, and the marks that all changes together make.

The newest change of a field wins, wherever it was made. So two journals are joined by taking the lines of both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from pollux.model.marks import NO_MARKS, Anchor, Marks, MessageMarks, SessionMarks
from pollux.system.clock import is_usable


class Change(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A line of the journal: some marks of a session, or of one of its messages, got new values.

    `id` is the same for all lines of one command, and `at` is when it was given. `tags` says of each tag whether it was
    added or removed. `prompt` is the id of a prompt that only this session had: by it, the session is found again if
    its key changes. `becomes` says that the marks of the session belong to another key from now on, or to its own key
    again. `undoes` names a command that does not count any more.
    """

    id: str = ""
    at: datetime
    session: str = ""
    message: Anchor | None = None
    starred: bool | UnsetType = UNSET
    private: bool | UnsetType = UNSET
    tags: Mapping[str, bool] = {}
    note: str | UnsetType | None = UNSET
    name: str | UnsetType | None = UNSET
    prompt: str | None = None
    becomes: str | None = None
    undoes: str | None = None

    def __post_init__(self) -> None:
        if self.at.tzinfo is None or not is_usable(self.at):
            raise ValueError("a time that cannot be compared with others")

    def fields(self) -> dict[str, Any]:
        """The values that it sets, other than tags."""
        pairs = {name: getattr(self, name) for name in ("starred", "private", "note", "name")}
        return {name: value for name, value in pairs.items() if value is not UNSET}

    def needed(self, marks: Marks) -> Change | None:
        """What of this change the marks do not have yet; None where that is nothing."""
        same = {name: UNSET for name, value in self.fields().items() if getattr(marks, name) == value}
        tags = {tag: is_set for tag, is_set in self.tags.items() if is_set is not (tag in marks.tags)}
        rest = msgspec.structs.replace(self, **same, tags=tags)
        return rest if rest.fields() or rest.tags else None


class Replay:
    """The marks of all sessions after these changes. `prompts` has a prompt of each, by which it is known."""

    def __init__(self, changes: Iterable[Change]) -> None:
        ordered = sorted(changes, key=lambda change: (change.at, change.id))
        undone = {change.undoes for change in ordered}
        self._marks: dict[tuple[str, str | None], Marks] = {}
        self._anchors: dict[tuple[str, str], Anchor] = {}
        self._becomes: dict[str, str] = {}
        self.prompts: dict[str, str] = {}
        for change in ordered:
            if change.becomes is not None:
                self._becomes[change.session] = change.becomes
                self._becomes.pop(change.becomes, None)  # it may have come back
        for change in ordered:
            if change.session and change.id not in undone and change.becomes is None:
                self._apply(change)

    def current(self, key: str) -> str:
        """The key that a session has now."""
        for _ in range(len(self._becomes)):
            if key not in self._becomes:
                break
            key = self._becomes[key]
        return key

    @property
    def moved(self) -> dict[str, str]:
        """The keys whose marks belong to another key now, and that key."""
        return {key: self.current(key) for key in self._becomes}

    def _apply(self, change: Change) -> None:
        key = self.current(change.session)
        place = (key, change.message.key if change.message is not None else None)
        before = self._marks.get(place, NO_MARKS)
        tags = dict.fromkeys(before.tags)
        for tag, is_set in change.tags.items():
            if is_set:
                tags.setdefault(tag)
            else:
                tags.pop(tag, None)
        self._marks[place] = msgspec.structs.replace(before, **change.fields(), tags=tuple(tags))
        if change.message is not None:
            self._anchors[key, change.message.key] = change.message
        if change.prompt is not None:
            self.prompts[key] = change.prompt

    def sessions(self) -> dict[str, SessionMarks]:
        """The sessions that have marks, those marked first first."""
        by_key: dict[str, tuple[list[Marks], dict[str, MessageMarks]]] = {}
        for (key, message), marks in self._marks.items():
            if not marks:
                continue
            own, messages = by_key.setdefault(key, ([], {}))
            if message is None:
                own.append(marks)
            else:
                messages[message] = MessageMarks(anchor=self._anchors[key, message], marks=marks)
        return {
            key: SessionMarks(session=own[0] if own else NO_MARKS, messages=messages)
            for key, (own, messages) in by_key.items()
        }


def last_command(changes: Iterable[Change]) -> str | None:
    """The id of the last command that can be undone: one that was not undone, and is no undoing itself."""
    ordered = sorted(changes, key=lambda change: (change.at, change.id))
    undone = {change.undoes for change in ordered}
    ids = [c.id for c in ordered if c.id and c.undoes is None and c.becomes is None and c.id not in undone]
    return ids[-1] if ids else None
