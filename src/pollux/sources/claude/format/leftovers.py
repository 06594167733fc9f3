"""The fields of a line besides its words. They are kept with the message, repeated ones only once."""

from __future__ import annotations

from typing import Any

import msgspec

from pollux.sources.claude.format.schema import RARE, SETTING, SHAPED, Block, Line, SlimRecord
from pollux.wire import tidy

_fields = msgspec.structs.astuple
_ELSEWHERE = ("attachment", "rendered")


class Leftovers:
    """Goes through the lines of a session in order.

    `facts` is the setting of the first line: directory, branch, version. The message of a later line only has what
    changed. In the same way, a parent is only kept if it is not the line before.
    """

    def __init__(self, name: str | None) -> None:
        self.facts: dict[str, Any] = {}
        self._name = name
        self._setting: tuple[str | None, ...] = ()
        self._place: dict[str, str] = {}
        self._before: str | None = None

    def of(self, line: Line) -> dict[str, Any]:
        """The leftovers of the next line, without its message, result and attachment."""
        extra: dict[str, Any] = {}
        fields = _fields(line)
        setting = fields[SETTING]
        if setting != self._setting:
            self._setting = setting
            self._note_changes(setting, extra)
        parent = line.parentUuid
        if parent != self._before and parent is not None:
            extra["parentUuid"] = parent
        self._before = line.uuid
        if line.promptId is not None:
            extra["promptId"] = line.promptId
        if line.isMeta is not None:
            extra["isMeta"] = line.isMeta
        if type(line) is not SlimRecord and (rare := fields[RARE]).count(None) != len(rare):
            for name, value in zip(line.__struct_fields__[RARE], rare, strict=True):
                if value is not None and name not in _ELSEWHERE:
                    extra[name] = tidy(value) if name in SHAPED else value
        if line.extra:
            extra.update(line.extra)
        return extra

    def _note_changes(self, setting: tuple[str | None, ...], extra: dict[str, Any]) -> None:
        place, facts = self._place, self.facts
        for name, value in zip(Line.__struct_fields__[SETTING], setting, strict=True):
            old = place.get(name)
            if value is None or value == old:
                continue
            if name != "sessionId" or value != self._name:
                (facts if name not in facts and old is None else extra)[name] = value
            place[name] = value


_BLOCK = len(Block.__struct_fields__)


def is_plain(block: Block, known: int) -> bool:
    """Does a block have exactly `known` fields, including an empty `extra`?"""
    return _fields(block).count(None) == _BLOCK - known and not block.extra


def other_fields(block: Block, *taken: str) -> dict[str, Any]:
    """A block's fields without those in `taken`. An odd value under such a name stays."""
    rest: dict[str, Any] = tidy(block)
    for name in taken:
        if name not in block.extra:
            rest.pop(name, None)
    return rest
