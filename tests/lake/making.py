"""Documents in a lake, as machines push them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

from pollux.lake.documents import Document, Level, News, NewsEntry
from pollux.lake.store import Store
from pollux.model import Session
from pollux.writers.base import Options
from pollux.writers.json import WRITER


def document(session: Session, person: str = "ada", machine: str = "m1", seq: int = 1) -> Document:
    """The document of a session, whole."""
    pieces: list[str] = []
    WRITER.write(session, pieces.append, Options())
    return Document(
        level=Level.WHOLE,
        machine=machine,
        person=person,
        key=session.key,
        agent=session.agent,
        id=session.id,
        seq=seq,
        month=session.started.strftime("%Y-%m") if session.started is not None else "undated",
        project=session.project,
        redactions=None,
        session=msgspec.Raw("".join(pieces).strip().encode()),
    ).sealed()


def push(store: Store, sessions: Iterable[Session], person: str = "ada", machine: str = "m1", seq: int = 1) -> None:
    """Put documents of sessions into a lake, and the news about them."""
    put(store, [document(session, person, machine, seq) for session in sessions], seq)


def put(store: Store, documents: Sequence[Document], news: int) -> None:
    """Put documents of one machine into a lake, and one piece of news about them."""
    told = []
    for one in documents:
        store.put_if_absent(one.path, one.encode())
        told.append(NewsEntry(key=one.key, path=one.path, seq=one.seq, state=one.state))
    piece = News(machine=documents[0].machine, person=documents[0].person, seq=news, documents=tuple(told))
    store.put_if_absent(piece.path, msgspec.json.encode(piece))


def contents(store: Store) -> Iterator[tuple[Path, bytes]]:
    """Every file of a lake, decompressed."""
    for path in Path(store.url).rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            yield path, data
            yield path, unpacked(path.name, data)


def unpacked(name: str, data: bytes) -> bytes:
    """What a file of a lake says."""
    if name.endswith(".zst"):
        return zstandard.ZstdDecompressor().decompress(data)
    return str(pq.read_table(pa.BufferReader(data)).to_pylist()).encode() if name.endswith(".parquet") else data
