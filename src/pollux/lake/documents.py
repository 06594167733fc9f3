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

from pollux.errors import RequestError, StoreError, Unreadable
from pollux.model import Session, Value
from pollux.writers.json_reader import session_of

EDITION = 1
"""The form of documents, news and tombstones. Who reads a later one than it knows stops."""

SESSIONS, NEWS, TOMBSTONES = "sessions", "news", "tombstones"

V = TypeVar("V", bound=Value)

_PERSON = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}")
_ODD = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST = 100
_LARGEST = 1 << 31


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
    state: str
    month: str
    project: str | None
    redactions: int | None
    session: msgspec.Raw

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


class News(Value, frozen=True, kw_only=True):
    """What one push brought."""

    edition: int = EDITION
    machine: str
    person: str
    seq: int
    documents: tuple[NewsEntry, ...]


class Tombstone(Value, frozen=True, kw_only=True):
    """What was erased: all of a person, of one of their machines, or one session. `at` is when, in ISO 8601."""

    edition: int = EDITION
    person: str
    machine: str | None = None
    key: str | None = None
    at: str

    def covers(self, person: str, machine: str, key: str) -> bool:
        """Is this session, from this machine of this person, erased?"""
        return self.person == person and self.machine in (None, machine) and self.key in (None, key)


# ------------------------------------------------------------------------------------------------------------- bytes


def state_of(document: Document) -> str:
    """The hash of a document, whatever its number is."""
    content = msgspec.json.encode(msgspec.structs.replace(document, seq=0, state=""))
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def encode(document: Document) -> bytes:
    """A document as it is stored: the same bytes every time."""
    return zstandard.ZstdCompressor(level=6).compress(msgspec.json.encode(document))


def decode(data: bytes) -> Document:
    """A stored document. Raises `Unreadable`; where it is of a later edition, `StoreError`."""
    try:
        if zstandard.frame_content_size(data) > _LARGEST:  # the limit below is for those that do not tell their size
            raise Unreadable("A document of the lake is larger than any session.")
        content = zstandard.ZstdDecompressor().decompress(data, max_output_size=_LARGEST)
    except (zstandard.ZstdError, MemoryError) as error:
        raise Unreadable(f"A document of the lake is damaged: {error}.") from error
    document = _decoded(content, Document, "document")
    if state_of(document) != document.state:
        raise Unreadable(f"The document of {document.key} is damaged: its content is not what was written.")
    return document


def encode_news(news: News) -> bytes:
    """News as they are stored."""
    return msgspec.json.encode(news)


def decode_news(data: bytes) -> News:
    """Stored news. Raises `Unreadable`; where they are of a later edition, `StoreError`."""
    return _decoded(data, News, "piece of news")


def encode_tombstone(tombstone: Tombstone) -> bytes:
    """A tombstone as it is stored."""
    return msgspec.json.encode(tombstone)


def decode_tombstone(data: bytes) -> Tombstone:
    """A stored tombstone. Raises `Unreadable`; where it is of a later edition, `StoreError`."""
    return _decoded(data, Tombstone, "tombstone")


class _Edition(Value, frozen=True):
    edition: int


def _decoded(data: bytes, kind: type[V], what: str) -> V:
    try:
        if msgspec.json.decode(data, type=_Edition).edition > EDITION:
            raise StoreError(f"A {what} of the lake was written by a later release of pollux.", "Update pollux.")
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, RecursionError) as error:
        raise Unreadable(f"A {what} of the lake is damaged: {error}.") from error


# ------------------------------------------------------------------------------------------------------------- paths


def document_path(document: Document) -> str:
    """Where a document lies. Documents of a session sort by their age."""
    return _document_path(document.person, document.machine, document)


def is_own(entry: NewsEntry, person: str, machine: str) -> bool:
    """Does a document that news tell of lie where this machine of this person would put it?"""
    return "/" not in entry.state and entry.path == _document_path(person, machine, entry)


def _document_path(person: str, machine: str, one: Document | NewsEntry) -> str:
    return f"{SESSIONS}/{person}/{machine}/{session_part(one.key)}/{one.seq:016}-{one.state}.json.zst"


def session_part(key: str) -> str:
    """The part of a document's path that names its session."""
    agent, _, id = key.partition(":")
    return f"{_part(agent)}/{_part(id)}"


def news_path(news: News) -> str:
    """Where news lie."""
    return f"{NEWS}/{news.person}/{news.machine}/{news.seq:016}.json"


def tombstone_path(tombstone: Tombstone) -> str:
    """Where a tombstone lies: the same for the same erasure, so that it is written once."""
    scope = hashlib.blake2b(f"{tombstone.machine}\n{tombstone.key}".encode(), digest_size=16).hexdigest()
    return f"{TOMBSTONES}/{tombstone.person}/{scope}.json"


def person_of(path: str) -> str:
    """Whose object this is: the store's rules decide who may write below a person's name, so the path is proof."""
    return path.split("/")[1]


def machine_of(path: str) -> str:
    """From which machine an object came, by its path."""
    return path.split("/")[2]


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
    if plain == name:
        return name
    digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    return f"{plain}-{digest}" if plain else digest
