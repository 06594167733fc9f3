"""Which of two sessions that share records is the fork. Both sessions come to the same answer."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from math import inf
from typing import NamedTuple

from pollux.sources.claude.group import ClaudeBundle
from pollux.sources.claude.tree.fork_records import Records, records_of

_OTHER = re.compile(r"[^A-Za-z0-9]")
# Longer names of folders are shortened, and end with a hash.
_LONGEST = 200


class Member(NamedTuple):
    """A session among those that share records: what shows which of two is the fork.

    `files` are its transcripts, each with size and time. `typed_at` is when something was first typed in it, according
    to the log of typed prompts; infinite where that is unknown.
    """

    id: str
    name: str
    kind: str
    folders: tuple[str, ...]
    files: tuple[tuple[str, int, int], ...]
    typed_at: float

    @classmethod
    def of(cls, bundle: ClaudeBundle) -> Member:
        """A session as a member."""
        files = tuple((file.path, file.size, file.mtime_ns) for file in bundle.transcripts())
        typed_at = min((line.at.timestamp() for line in bundle.typed if line.at is not None), default=inf)
        return cls(bundle.id, bundle.name, bundle.kind.value, tuple(bundle.folders), files, typed_at)


class Side(NamedTuple):
    """One of two sessions that share records."""

    member: Member
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

    def names(self, member: Member) -> bool:
        """Do records of this session have the id of another one?"""
        return member.name in self.records.sessions

    def has_only_copies(self) -> bool:
        """Were all shared records copied from other sessions, as far as they name one?

        A file with another name than its session has the id of that session in its last record.
        """
        makers = {maker for id in self.shared if (maker := self.records.by_id[id].maker) is not None}
        is_renamed = self.member.name not in self.records.sessions
        return bool(makers) and (self.records.last_session if is_renamed else self.member.name) not in makers

    def shared_times(self) -> list[float]:
        """The times of the shared records."""
        return [at.timestamp() for id in self.shared if (at := self.records.by_id[id].at) is not None]


def sides_of(first: Member, second: Member) -> tuple[Side, Side]:
    """Two sessions, and what they share."""
    one, two = records_of(first.files), records_of(second.files)
    return Side(first, one, one.shared_with(two)), Side(second, two, two.shared_with(one))


def is_fork(member: Member, other: Member) -> bool:
    """Is a session a fork of another one? Of two forks of one session, the later counts as a fork of the earlier."""
    first, second = sorted((member, other))
    return _fork(first, second) == member


@lru_cache(maxsize=1 << 14)
def _fork(first: Member, second: Member) -> Member | None:
    """That of two sessions that is a fork of the other; None if they share nothing, or are one session."""
    here, there = sides_of(first, second)
    if not here.shared or first.id == second.id:
        return None
    return first if _is_copy(here, there) else second


def _is_copy(own: Side, other: Side) -> bool:
    """Is this session the fork, and not its peer?

    Without proof, the fork is the session that went on alone or first: then the parent had only what they share.
    """
    for proof in (_ids(own, other), _ages(own, other), _places(own, other)):
        if proof is not None:
            return proof
    start, other_start = own.continued_at(), other.continued_at()
    return start < other_start or (start == other_start and own.member.id > other.member.id)


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

    A side question is always a fork of a session. In some releases copies keep the id of the parent. If all shared
    records of one session are copies of a third session, the other one does not hold copies of these copies.
    """
    if own.member.kind != other.member.kind:
        return own.member.kind != "main"
    for here, there in (
        (own.names(other.member), other.names(own.member)),
        (own.has_only_copies(), other.has_only_copies()),
    ):
        if here != there:
            return here
    return None


def _ages(own: Side, other: Side) -> bool | None:
    """Did this session go on later? None unless both were copied from a third session."""
    if not (own.has_only_copies() and other.has_only_copies()):
        return None
    return (own.continued_at(), own.member.id) > (other.continued_at(), other.member.id)


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
        (own.member.typed_at <= end, other.member.typed_at <= end),
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
    return any(os.path.basename(os.path.dirname(folder))[:_LONGEST] == name for folder in side.member.folders)  # noqa: PTH119, PTH120


def _span(side: Side) -> float:
    """The seconds between the first and the last shared record."""
    times = side.shared_times()
    return max(times) - min(times) if times else 0.0
