"""What a lake holds of people: documents of sessions, news about them, and tombstones; and the paths of all three.

```
sessions/<person>/<machine>/<agent>/<id>/<seq>-<state>.json.zst   one state of one session
news/<person>/<machine>/<seq>.json                                which documents are new: written after them
tombstones/<person>/….json                                        what was erased, and shall not come back
```
"""

from __future__ import annotations

import hashlib
import re
from enum import StrEnum
from typing import TypeVar

import msgspec
import zstandard
from msgspec.structs import replace

from pollux.errors import RequestError, StoreError, Unreadable
from pollux.lake.store import LARGEST
from pollux.model import Session, Value
from pollux.system.decoders import json_decoder
from pollux.writers.json_reader import session_of

EDITION = 1
"""The form of documents, news and tombstones. Who reads a later one than it knows stops."""

SESSIONS, NEWS, TOMBSTONES = "sessions", "news", "tombstones"

V = TypeVar("V", bound=Value)

_PERSON = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}")
_ODD = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST = 100


class Level(StrEnum):
    """How much of a session leaves the machine, from the least."""

    FIGURES = "figures"
    REDACTED = "redacted"
    WHOLE = "whole"

    @property
    def rank(self) -> int:
        """Its place among the levels."""
        return list(Level).index(self)


class Document(Value, frozen=True, kw_only=True):
    """One state of a session, as one machine saw it.

    `seq` grows with every document of a machine. `state` is a hash of everything else. `month` never changes for a
    session of a machine. `redactions` counts the secrets that were taken out, and is null where none was looked for.
    `session` is the document of `pollux export --to json`, without prices and marks.
    """

    edition: int = EDITION
    level: Level
    machine: str
    person: str
    key: str
    agent: str
    id: str
    seq: int
    state: str = ""
    month: str
    project: str | None
    redactions: int | None
    session: msgspec.Raw

    @property
    def path(self) -> str:
        """Where it lies. Documents of a session sort by their age."""
        return _document_path(self.person, self.machine, self)

    def sealed(self) -> Document:
        """The same with its state, which is the same for the same content, whatever its number is."""
        content = msgspec.json.encode(replace(self, seq=0, state=""))
        return replace(self, state=hashlib.blake2b(content, digest_size=16).hexdigest())

    def encode(self) -> bytes:
        """What is stored: the same bytes every time. Raises `Unreadable` where no load would take it."""
        content = msgspec.json.encode(self)
        if len(content) > LARGEST:
            raise Unreadable(f"The document of {self.key} would be larger than any that a load reads.")
        return zstandard.ZstdCompressor(level=6).compress(content)

    def read(self) -> Session:
        """The session. Raises `Unreadable`."""
        try:
            return session_of(bytes(self.session))
        except (ValueError, RecursionError) as error:
            raise Unreadable(f"The document of {self.key} holds no session: {error}.") from error


class NewsEntry(Value, frozen=True, kw_only=True):
    """A document that is new."""

    key: str
    path: str
    seq: int
    state: str

    def is_of(self, person: str, machine: str) -> bool:
        """Does the document lie where this machine of this person would put it?"""
        return "/" not in self.state and self.path == _document_path(person, machine, self)


class News(Value, frozen=True, kw_only=True):
    """What one push brought."""

    edition: int = EDITION
    machine: str
    person: str
    seq: int
    documents: tuple[NewsEntry, ...]

    @property
    def path(self) -> str:
        """Where they lie."""
        return f"{NEWS}/{self.person}/{self.machine}/{self.seq:016}.json"


class Tombstone(Value, frozen=True, kw_only=True):
    """What was erased: all of a person, of one of their machines, or one session. `at` is when, in ISO 8601."""

    edition: int = EDITION
    person: str
    machine: str | None = None
    key: str | None = None
    at: str

    @property
    def path(self) -> str:
        """Where it lies: the same for the same erasure, so that it is written once."""
        scope = _hash(f"{self.machine}\n{self.key}", 16)
        return f"{TOMBSTONES}/{self.person}/{scope}.json"

    def covers(self, person: str, machine: str, key: str) -> bool:
        """Is this session, from this machine of this person, erased?"""
        return self.person == person and self.machine in (None, machine) and self.key in (None, key)


class _Edition(Value, frozen=True):
    edition: int


_edition = json_decoder(_Edition).decode


def decode(data: bytes) -> Document:
    """A stored document. Raises `Unreadable`; where it is of a later edition, `StoreError`."""
    try:
        if zstandard.frame_content_size(data) > LARGEST:  # the limit below is for those that do not tell their size
            raise Unreadable("A document of the lake is larger than any session.")
        content = zstandard.ZstdDecompressor().decompress(data, max_output_size=LARGEST)
    except (zstandard.ZstdError, MemoryError) as error:
        raise Unreadable(f"A document of the lake is damaged: {error}.") from error
    document = read_as(Document, content)
    if document.sealed().state != document.state:
        raise Unreadable(f"The document of {document.key} is damaged: its content is not what was written.")
    return document


def read_as(kind: type[V], data: bytes) -> V:
    """News, or a tombstone, as they are stored. Raises `Unreadable`; where it is of a later edition, `StoreError`."""
    what = f"piece of {kind.__name__.lower()}" if kind is News else kind.__name__.lower()
    try:
        if _edition(data).edition > EDITION:
            raise StoreError(f"A {what} of the lake was written by a later release of pollux.", "Update pollux.")
        return json_decoder(kind).decode(data)
    except (msgspec.DecodeError, RecursionError) as error:
        raise Unreadable(f"A {what} of the lake is damaged: {error}.") from error


# ------------------------------------------------------------------------------------------------------------- paths


def _document_path(person: str, machine: str, one: Document | NewsEntry) -> str:
    return f"{session_folder(person, machine, one.key)}/{one.seq:016}-{one.state}.json.zst"


def session_folder(person: str, machine: str, key: str) -> str:
    """Where the documents of a session lie."""
    agent, _, id = key.partition(":")
    return f"{SESSIONS}/{person}/{machine}/{_part(agent)}/{_part(id)}"


def seq_of(path: str) -> int | None:
    """The number of the document at a path."""
    seq = path.rpartition("/")[2].partition("-")[0]
    return int(seq) if seq.isdecimal() else None


def owner_of(path: str) -> tuple[str, str]:
    """Whose object this is, and from which machine.

    The store's rules decide who may write below a person's name, so the path is proof.
    """
    _, person, machine, *_ = path.split("/")
    return person, machine


def check_person(name: str) -> str:
    """The name of a person, if it can be a part of a path. Raises `RequestError`."""
    if not _PERSON.fullmatch(name):
        raise RequestError(
            f"{name!r} cannot name a person in a lake.", "Letters, digits and ._@+- are possible, up to 64 of them."
        )
    return name


def _part(name: str) -> str:
    """A name as a part of a path; where it had to be changed, a piece of its hash keeps it unique."""
    plain = _ODD.sub("-", name)[:_LONGEST].strip(".-")
    if plain == name != "":
        return name
    return f"{plain}-{_hash(name, 8)}" if plain else _hash(name, 8)


def _hash(text: str, size: int) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=size).hexdigest()
