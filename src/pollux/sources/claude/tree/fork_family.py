"""Sessions that share records, and the one of them in which each shared record counts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from pollux.sources.claude.group import ClaudeBundle
from pollux.sources.claude.tree.fork_direction import Side, is_fork
from pollux.sources.claude.tree.fork_records import Records, records_of


class ForkFamily:
    """A session and its peers, by number; the session itself is 0.

    Every member of a family comes to the same answers.
    """

    def __init__(self, bundle: ClaudeBundle) -> None:
        self.members = [bundle, *bundle.peers]
        self._records: dict[int, Records] = {}
        self._sides: dict[tuple[int, int], tuple[Side, Side]] = {}

    def sides(self, first: int, second: int) -> tuple[Side, Side]:
        """Two members, and what they share."""
        if (first, second) not in self._sides:
            one, two = self._records_of(first), self._records_of(second)
            here = Side(self.members[first], one, one.shared_with(two))
            there = Side(self.members[second], two, two.shared_with(one))
            self._sides[first, second], self._sides[second, first] = (here, there), (there, here)
        return self._sides[first, second]

    @cached_property
    def inherited(self) -> frozenset[str]:
        """The records of the session that count in another member."""
        holders: dict[str, list[int]] = {}
        for peer in range(1, len(self.members)):
            for id in self.sides(0, peer)[0].shared:
                holders.setdefault(id, [0]).append(peer)
        owners = {group: self._owner(group) for group in set(map(tuple, holders.values()))}
        return frozenset(id for id, group in holders.items() if owners[tuple(group)] != 0)

    def is_fork(self, first: int, second: int) -> bool:
        """Is the first of two members a fork of the second?"""
        here, there = self.sides(first, second)
        return bool(here.shared) and is_fork(here, there)

    def _records_of(self, member: int) -> Records:
        if member not in self._records:
            self._records[member] = records_of(self.members[member].transcripts())
        return self._records[member]

    def _owner(self, group: Sequence[int]) -> int:
        """The member of a group in which the records count that all of them hold: the one that is no fork.

        Damage may make each of several members look like a fork of the next. Then the member counts that looks like the
        fork of the fewest others.
        """

        def parents(member: int) -> int:
            return sum(self.is_fork(member, other) for other in group if other != member)

        first = next((member for member in group if not parents(member)), None)
        return first if first is not None else min(group, key=lambda member: (parents(member), self._name(member)))

    def _name(self, member: int) -> tuple[str, str]:
        bundle = self.members[member]
        return bundle.id, bundle.files[0].path
