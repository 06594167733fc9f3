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
    """Short hashes of the ids of a transcript's records, one after another, and the sessions that the records name."""

    hashes: bytes = b""
    sessions: tuple[str, ...] = ()

    def all(self) -> set[int]:
        """The hashes as numbers."""
        return set(memoryview(self.hashes).cast("Q"))


def record_ids_of(entry: File) -> RecordIds:
    """The ids of a file's records. Every reply counts: damage to a file may leave any part of it."""
    names: dict[str, None] = {}
    sessions: dict[str, None] = {}
    try:
        with opened(entry.path) as file:
            for line in file:
                record = envelope(Envelope, line)
                if record is None:
                    continue
                if record.uuid is not None and (session := record.session) is not None:
                    sessions[session] = None
                if (name := _name(record)) is not None:
                    names[name] = None
    except Unreadable:
        pass
    return RecordIds(b"".join(map(_hash, names)), tuple(sessions))


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
