"""Which records lead to which, and what they say: told at once, however many there are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

import msgspec

from pollux.sources.claude.format.schema import Line


class Ways:
    """The ways through records of a kind. They are gone once, when somebody first asks.

    A ring has no beginning: its way begins with the first of its records in the file.
    """

    def __init__(self, by_uuid: Mapping[str, Line], counts: Callable[[Line], bool]) -> None:
        self._by_uuid = by_uuid
        self._counts = counts

    def leads(self, one: Line, line: Line) -> bool:
        """Does a record stand above another?"""
        begins, ends = self._spans.get(one.uuid or "", (0, 0))
        return begins < self._spans.get(line.uuid or "", (0, 0))[0] < ends

    @cached_property
    def _spans(self) -> dict[str, tuple[int, int]]:
        """When a walk through everything comes to a record, and when it has seen all below it."""
        below, tops = self._below()
        spans: dict[str, tuple[int, int]] = {}
        clock = 0
        for top in (*tops, *self._by_uuid):
            waiting = [top] if top in below and top not in spans else []
            while waiting:
                clock += 1
                uuid = waiting[-1]
                if uuid in spans:
                    waiting.pop()
                    begun, ended = spans[uuid]
                    spans[uuid] = (begun, ended if ended > begun else clock)
                else:
                    spans[uuid] = (clock, clock)
                    waiting += [one for one in below[uuid] if one not in spans]
        return spans

    def _below(self) -> tuple[dict[str, list[str]], list[str]]:
        """The records that hang on each, and those that hang on none."""
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
    """Something that is the same for values that are the same, and can be looked up."""
    try:
        return msgspec.msgpack.encode(value, order="deterministic")
    except (UnicodeEncodeError, OverflowError):  # half a character, or a number of 400 digits
        return repr(msgspec.to_builtins(value))
