"""Which records lead to which, answered in constant time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

import msgspec

from pollux.sources.claude.format.schema import Line


class Ancestry:
    """The ancestors of records of a kind. All records are walked once, at the first question.

    A cycle has no beginning: its walk begins with its first record in the file.
    """

    def __init__(self, by_uuid: Mapping[str, Line], counts: Callable[[Line], bool]) -> None:
        self._by_uuid = by_uuid
        self._counts = counts

    def leads(self, ancestor: Line, line: Line) -> bool:
        """Is a record above another one?"""
        begins, ends = self._spans.get(ancestor.uuid or "", (0, 0))
        return begins < self._spans.get(line.uuid or "", (0, 0))[0] < ends

    @cached_property
    def _spans(self) -> dict[str, tuple[int, int]]:
        """When a walk through all records reaches a record, and when it has visited all below it."""
        below, tops = self._below()
        spans: dict[str, tuple[int, int]] = {}
        clock = 0
        for top in (*tops, *self._by_uuid):
            stack = [top] if top in below and top not in spans else []
            while stack:
                clock += 1
                uuid = stack[-1]
                if uuid in spans:
                    stack.pop()
                    start, end = spans[uuid]
                    spans[uuid] = (start, end if end > start else clock)
                else:
                    spans[uuid] = (clock, clock)
                    stack += [child for child in below[uuid] if child not in spans]
        return spans

    def _below(self) -> tuple[dict[str, list[str]], list[str]]:
        """The records below each record, and the records without any above them."""
        below: dict[str, list[str]] = {uuid: [] for uuid, line in self._by_uuid.items() if self._counts(line)}
        tops: list[str] = []
        for uuid in below:
            above = self._by_uuid[uuid].parentUuid
            if above is not None and above in below:
                below[above].append(uuid)
            else:
                tops.append(uuid)
        return below, tops


def key_of(value: object) -> object:
    """A key that is the same for equal values."""
    try:
        return msgspec.msgpack.encode(value, order="deterministic")
    except (UnicodeEncodeError, OverflowError):  # a lone surrogate, or a number of 400 digits
        return repr(msgspec.to_builtins(value))
