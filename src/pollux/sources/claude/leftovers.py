"""What is left of a line when its words are taken: kept with the message, said once where lines repeat it."""

from __future__ import annotations

from typing import Any

import msgspec

from pollux.sources.claude.schema import RARE, SETTING, SETTING_NAMES, SHAPED, Block, Line
from pollux.wire import tidy

_fields = msgspec.structs.astuple
_ELSEWHERE = ("attachment", "rendered")


class Leftovers:
    """Goes through the lines of a session in order.

    `facts` is the setting of the first line: directory, branch, version. A later line's message only tells what
    changed. In the same way a parent is told where it is not the line before.
    """

    def __init__(self, name: str | None) -> None:
        self.facts: dict[str, Any] = {}
        self._name = name
        self._setting: tuple[Any, ...] | None = None
        self._before: str | None = None

    def of(self, line: Line) -> dict[str, Any]:
        """The leftovers of the next line; message, result and attachment are others' to keep."""
        fields = _fields(line)
        extra: dict[str, Any] = {}
        if fields[SETTING] != self._setting:
            self._moved(fields[SETTING], extra)
        if line.parentUuid != self._before and line.parentUuid is not None:
            extra["parentUuid"] = line.parentUuid
        self._before = line.uuid
        if line.promptId is not None:
            extra["promptId"] = line.promptId
        if line.isMeta is not None:
            extra["isMeta"] = line.isMeta
        if type(line) is not Line and (rare := fields[RARE]).count(None) != len(rare):
            for name, value in zip(line.__struct_fields__[RARE], rare, strict=True):
                if value is not None and name not in _ELSEWHERE:
                    extra[name] = tidy(value) if name in SHAPED else value
        if line.extra:
            extra.update(line.extra)
        return extra

    def _moved(self, setting: tuple[Any, ...], extra: dict[str, Any]) -> None:
        before = self._setting or (None,) * len(setting)
        for name, value, old in zip(SETTING_NAMES, setting, before, strict=True):
            if value is not None and value != old and (name != "sessionId" or value != self._name):
                (self.facts if name not in self.facts and old is None else extra)[name] = value
        self._setting = tuple(new if new is not None else old for new, old in zip(setting, before, strict=True))


_BLOCK = len(Block.__struct_fields__)


def is_plain(block: Block, known: int) -> bool:
    """Are no more than so many fields of a block set, `extra` counted?"""
    return _fields(block).count(None) == _BLOCK - known and not block.extra


def others(block: Block, *taken: str) -> dict[str, Any]:
    """A block's fields without those that were taken; an odd value under such a name is still there."""
    rest: dict[str, Any] = tidy(block)
    for name in taken:
        if name not in block.extra:
            rest.pop(name, None)
    return rest
