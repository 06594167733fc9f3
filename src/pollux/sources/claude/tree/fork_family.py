"""Sessions that share records, and the one of them in which each shared record counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pollux.sources.claude.group import ClaudeBundle
from pollux.sources.claude.tree.fork_direction import Member, Side, is_fork, sides_of


class ForkFamily:
    """A session and its peers. Every member of a family comes to the same answers."""

    def __init__(self, bundle: ClaudeBundle) -> None:
        self._own = Member.of(bundle)
        self._peers = [sides_of(self._own, Member.of(peer)) for peer in bundle.peers]

    def parents(self) -> Iterator[tuple[Side, Side]]:
        """The session, and each peer that it may have been copied from: not those that only share its parent."""
        for here, there in self._peers:
            if is_fork(here.member, there.member) and (here.names(there.member) or not here.has_only_copies()):
                yield here, there

    def inherited(self) -> frozenset[str]:
        """The records of the session that count in another member."""
        holders: dict[str, list[Member]] = {}
        for here, there in self._peers:
            for id in here.shared:
                holders.setdefault(id, [self._own]).append(there.member)
        owners = {group: _owner(group) for group in set(map(tuple, holders.values()))}
        return frozenset(id for id, group in holders.items() if owners[tuple(group)] != self._own)


def _owner(group: Sequence[Member]) -> Member:
    """The member of a group in which the records count that all of them hold: the one that is no fork.

    Damage may make each of several members look like a fork of the next. Then the member counts that looks like the
    fork of the fewest others.
    """

    def parents(member: Member) -> Iterator[bool]:
        return (is_fork(member, other) for other in group if other != member)

    first = next((member for member in group if not any(parents(member))), None)
    return first if first is not None else min(group, key=lambda member: (sum(parents(member)), member))
