"""Which of two sessions that share records is the fork. Both sessions come to the same answer."""

from __future__ import annotations

import os
import re
from math import inf
from typing import NamedTuple

from pollux.sources.claude.group import ClaudeBundle
from pollux.sources.claude.tree.fork_records import Records

_OTHER = re.compile(r"[^A-Za-z0-9]")
# Longer names of folders are shortened, and end with a hash.
_LONGEST = 200


class Side(NamedTuple):
    """One of two sessions that share records."""

    bundle: ClaudeBundle
    records: Records
    shared: frozenset[str]

    def other_lines(self, *, whole: bool) -> int:
        """How many other lines stand between the first record and the last shared record.

        If the beginning of one of the two files may be lost (not `whole`): between the first shared record and the
        last.
        """
        numbers = [self.records.by_id[id].number for id in self.shared]
        begin = min(record.number for record in self.records.by_id.values()) if whole else min(numbers)
        return max(numbers) - begin + 1 - len(numbers)

    def continued_at(self) -> float:
        """The time of the first own record; infinite where there is none."""
        own = (record.at for id, record in self.records.by_id.items() if id not in self.shared)
        return min((at.timestamp() for at in own if at is not None), default=inf)

    def names(self, bundle: ClaudeBundle) -> bool:
        """Do records of this session have the id of another one?"""
        return any(record.session == bundle.name for record in self.records.by_id.values())

    def shared_times(self) -> list[float]:
        """The times of the shared records."""
        return [at.timestamp() for id in self.shared if (at := self.records.by_id[id].at) is not None]


def is_fork(own: Side, other: Side) -> bool:
    """Is this session the fork, and not its peer?

    Without proof, the fork is the session that went on alone or first: then the parent had only what they share.
    """
    for proof in (_ids(own, other), _places(own, other)):
        if proof is not None:
            return proof
    start, other_start = own.continued_at(), other.continued_at()
    return start < other_start or (start == other_start and own.bundle.id > other.bundle.id)


def doubt(own: Side, other: Side) -> str:
    """Why it is a guess which session is the fork; empty where it is none.

    If both went on, times alone do not show it: a fork from an earlier point goes on later.
    """
    if _ids(own, other) is not None:
        return ""
    if own.records.damaged or other.records.damaged:
        return "; which of the two is the fork is a guess, because one of them is damaged"
    if _places(own, other) is None and max(own.continued_at(), other.continued_at()) < inf:
        return "; which of the two is the fork is a guess, made from when each went on"
    return ""


def _ids(own: Side, other: Side) -> bool | None:
    """Is this session the fork, according to the ids in its records? None where they do not show it.

    A side question is always a fork of a session. In some releases copies keep the id of the parent.
    """
    bundle, peer = own.bundle, other.bundle
    if bundle.kind != peer.kind:
        return bundle.kind != "main"
    here, there = own.names(peer), other.names(bundle)
    return here if here != there else None


def _places(own: Side, other: Side) -> bool | None:
    """Is this session the fork, according to the places of the copies? None where they do not show it.

    Records from another directory than that of this folder were copied, and so were records from before anything was
    typed here. A fork begins with all of its copies, without a gap. In the parent other lines stand between and before
    them: rewound or compacted lines, calls without an answer, the client's bookkeeping.
    """
    end = min(max(side.shared_times(), default=-inf) for side in (own, other))
    whole = not (own.records.damaged or other.records.damaged)
    for here, there in (
        (_is_at_home(own), _is_at_home(other)),
        (_was_typed(own.bundle, end), _was_typed(other.bundle, end)),
        (own.other_lines(whole=whole), other.other_lines(whole=whole)),
        (_span(own), _span(other)),
    ):
        if here != there:
            return here < there
    return None


def _is_at_home(side: Side) -> bool:
    """Do the shared records begin in the directory of this session's folder?"""
    first = min((side.records.by_id[id] for id in side.shared), key=lambda record: record.number)
    name = _OTHER.sub("-", first.directory or "")[:_LONGEST]
    return any(os.path.basename(os.path.dirname(folder))[:_LONGEST] == name for folder in side.bundle.folders)  # noqa: PTH119, PTH120


def _was_typed(bundle: ClaudeBundle, end: float) -> bool:
    """Was something typed in a session before a moment, according to the log of typed prompts?"""
    return any(line.at is not None and line.at.timestamp() <= end for line in bundle.typed)


def _span(side: Side) -> float:
    """The seconds between the first and the last shared record."""
    times = side.shared_times()
    return max(times) - min(times) if times else 0.0
