"""The ids by which copies are recognised: transcripts with a common one hold the same reply or the same prompt."""

from __future__ import annotations

import hashlib

import msgspec

from pollux.errors import Unreadable
from pollux.sources.base import File
from pollux.sources.claude.format.envelope import Envelope, envelope, is_unique
from pollux.wire import opened

_SIZE = 8


class RecordIds(msgspec.Struct, frozen=True):
    """What shows whose records a transcript holds.

    `hashes` are short hashes of the ids of its records, one after another. `beginnings` are those of the records with
    which a copy of a part can begin. `sessions` are the sessions that the records name. `is_cut`: the parent of the
    first record is missing.
    """

    hashes: bytes = b""
    beginnings: bytes = b""
    sessions: tuple[str, ...] = ()
    is_cut: bool = False

    def all(self) -> set[int]:
        """The hashes as numbers."""
        return set(memoryview(self.hashes).cast("Q"))

    def heads(self) -> list[str]:
        """The beginnings as texts."""
        return [self.beginnings[start : start + _SIZE].hex() for start in range(0, len(self.beginnings), _SIZE)]


def record_ids_of(entry: File) -> RecordIds:
    """The ids of a file's records. Every reply counts: damage to a file may leave any part of it.

    A copy of a part begins with a record without a parent, such as a compaction. If the copy has new uuids, the first
    reply after that record shows what it is.
    """
    names: dict[str, None] = {}
    sessions: dict[str | None, None] = {}
    uuids: dict[str, str | None] = {}
    beginnings: dict[str, None] = {}
    needs_reply = True
    try:
        with opened(entry.path) as file:
            for line in file:
                record = None if line.isspace() else envelope(Envelope, line)
                if record is None:
                    continue
                if record.uuid is not None:
                    uuids.setdefault(record.uuid, record.parentUuid)
                    sessions[record.sessionId] = sessions[record.origin] = None
                    if record.parentUuid is None:
                        beginnings[record.uuid] = None
                        needs_reply = True
                if (name := _name(record)) is not None:
                    names[name] = None
                    if needs_reply and record.is_reply:
                        beginnings[name] = None
                        needs_reply = False
    except Unreadable:
        pass
    parent = next(iter(uuids.values()), None)
    return RecordIds(
        hashes=b"".join(map(_hash, names)),
        beginnings=b"".join(map(_hash, beginnings)),
        sessions=tuple(name for name in sessions if name is not None),
        is_cut=parent is not None and parent not in uuids,
    )


def _name(record: Envelope) -> str | None:
    """The id by which a copy of a record is recognised; None for a record that always has a recognisable neighbour.

    A reply has the id that the API gave it, which remains if a copy gets a new uuid. Some vendors give every reply the
    same id: then the requests differ. Prompts, and records without a parent, such as compactions, have only a uuid.
    """
    reply = record.reply
    if reply is not None and is_unique(reply):
        return f"{reply} {record.requestId}"
    is_prompt = record.type == "user" and not record.toolUseResult
    return record.uuid if is_prompt or record.is_reply or record.parentUuid is None else None


def _hash(name: str) -> bytes:
    return hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=_SIZE).digest()
