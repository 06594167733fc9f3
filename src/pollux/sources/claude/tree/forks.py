"""What a fork inherited from its parent: shown in both, counted in the parent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from pollux.model import Message
from pollux.sources.claude.format.envelope import is_unique
from pollux.sources.claude.format.schema import AssistantRecord, ClientRecord, Line, UserRecord
from pollux.sources.claude.group import ClaudeBundle
from pollux.sources.claude.messages.messages import Item
from pollux.sources.claude.messages.replies import Pair
from pollux.sources.claude.transcript import Transcript
from pollux.sources.claude.tree.fork_direction import Side, doubt
from pollux.sources.claude.tree.fork_family import ForkFamily
from pollux.sources.claude.tree.fork_records import id_of

_NAMED = "copied records carry its id"


class Fork(msgspec.Struct, frozen=True):
    """The parent of a fork, the evidence, and the ids of the records that it inherited.

    The parent is unknown if it is gone and no record names it. Then the records are inherited from another fork of it.
    """

    name: str | None
    evidence: str
    shared: frozenset[str]


class _Candidate(NamedTuple):
    """A session that this one may have been forked from. The one with the highest `rank` is the parent."""

    rank: tuple[int, int, float, int]
    name: str
    evidence: str


def has_copies(transcript: Transcript) -> bool:
    """Do records name another session? Copies come first."""
    return transcript.foreign or any(_origin(line) is not None for _, line in transcript.lines[:1])


def fork_of(bundle: ClaudeBundle, pairs: Iterable[Pair]) -> Fork | None:
    """The session that this one was forked from, if any.

    Copies keep their uuids; if a release gives them new ones, the replies still have their ids. Times prove nothing:
    some releases give copies new times. Some keep the parent's id in the copies, others name it in another field;
    otherwise `is_fork` decides. Of several candidates, the one with the most common records is the parent. What the
    parent lost, or a parent that is gone, may be inherited from another session; what no other session holds is not
    inherited, because it counts here.
    """
    own_pairs = list(pairs)
    parent = _named_parent(bundle, own_pairs)
    family = ForkFamily(bundle)
    if parent is not None:
        return Fork(parent, _NAMED, family.inherited())
    candidates = [_candidate(here, there) for here, there in family.parents()]
    best = max(candidates, key=lambda candidate: candidate.rank, default=None)
    if best is not None:
        return Fork(best.name, best.evidence, family.inherited())
    records = family.inherited()
    return Fork(None, "", records) if records else None


def _candidate(here: Side, there: Side) -> _Candidate:
    """A peer as the parent of the session."""
    rank = (len(here.shared), there.other_lines(whole=True), there.continued_at(), -len(there.records.by_id))
    evidence = f"both hold {len(here.shared)} records with the same ids{doubt(here, there)}"
    return _Candidate(rank, there.member.id, evidence)


def _source(line: Line, name: str) -> str | None:
    """The id of another session in a copied record."""
    return line.sessionId if line.sessionId != name else _origin(line)


def _origin(line: Line) -> str | None:
    """The session that `/branch` copied a record from."""
    mark = line.forkedFrom if isinstance(line, UserRecord | AssistantRecord | ClientRecord) else None
    return mark.sessionId if mark is not None else None


def _named_parent(bundle: ClaudeBundle, pairs: list[Pair]) -> str | None:
    """The session that the last copied record names. Copies come first; sub-agents always have their session's id.

    The first prompt shows whether there are copies. If it was lost, the file begins with a reply, which shows it too.
    """
    lines = [line for _, line in pairs if not line.isSidechain and line.sessionId is not None]
    prompt = [line for line in lines if line.type == "user"][:1]
    beginning = [line for line in lines if line.type in ("user", "assistant")][:1]
    if bundle.kind != "main" or not any(_source(line, bundle.name) for line in [*beginning, *prompt]):
        return None
    sources = [_source(line, bundle.name) for line in lines]
    last = next((source for source in reversed(sources) if source is not None), None)
    is_named = any(line.sessionId == bundle.name for line in lines)
    return last if is_named or last in [peer.id for peer in bundle.peers] else None


def inherited(messages: list[Message], items: list[Item], shared: frozenset[str]) -> list[Message]:
    """The messages, marked as inherited if they are copies."""
    return [
        msgspec.structs.replace(message, inherited=True) if _is_inherited(item, shared) else message
        for message, item in zip(messages, items, strict=True)
    ]


def _is_inherited(item: Item, shared: frozenset[str]) -> bool:
    """Is a message a copy? A reply with a unique id is one reply, even if not all of its lines are in both files."""
    lines = [line for _, line in item] if isinstance(item, list) else [item[1]]
    copies = [id_of(line) in shared for line in lines]
    message = lines[0].message
    is_one = isinstance(item, list) and message is not None and is_unique(message.id or "")
    return any(copies) if is_one else all(copies)
