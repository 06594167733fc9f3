"""A session's rows as a document: JSON lines, a row each, always the same for the same rows.

The archive keeps such documents instead of a database, which holds every session, and keys besides.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

import msgspec

from pollux.sources.base import File
from pollux.sources.database.snapshot import Row
from pollux.wire.join_versions import join_records, object_lines, value_of

_encode = msgspec.json.Encoder(order="sorted").encode


_FOLDER = ".rows"
_SUFFIX = ".jsonl"
_DAMAGED = b'{"damaged":true}\n'
"""The last line of a document whose database was damaged: rows that are not in it may have been lost."""


class Document(NamedTuple):
    """A session in a database, as a file that could lie in a folder beside the database.

    The file's time changes with every change of a row, and its size is not known before the content is made.
    """

    file: File
    content: Callable[[], bytes]


def document_path(database: str, id: str) -> str:
    """Where the document of a session would lie."""
    return f"{database}{_FOLDER}/{quote(id, safe='')}{_SUFFIX}"


def is_document(path: str) -> bool:
    """Is it the path of such a document?"""
    folder, _, name = path.rpartition("/")
    return folder.endswith(_FOLDER) and name.endswith(_SUFFIX)


def session_of(path: str) -> str:
    """The id of the session whose document lies there."""
    return unquote(path.rpartition("/")[2].removesuffix(_SUFFIX))


def document_file(database: File, id: str, fingerprint: str, changed_ms: int) -> File:
    """The file of a document. The part of its time below a millisecond is made of the fingerprint of its rows."""
    digest = int.from_bytes(hashlib.sha256(fingerprint.encode()).digest()[:4]) % 10**6
    changed = min(max(changed_ms, 0), (1 << 62) // 10**6) * 10**6 + digest
    return File(path=document_path(database.path, id), role="document", mtime_ns=changed, mode=0o600)


def document_of(tables: Mapping[str, Iterable[Row]], *, damaged: bool = False) -> bytes:
    """The document of these rows, in their order. `damaged`: others may have been lost."""
    lines = [
        _encode({"table": name, "row": {column: _written(value) for column, value in row.items()}})
        for name, rows in tables.items()
        for row in rows
    ]
    return b"".join(line + b"\n" for line in lines) + (_DAMAGED if damaged else b"")


class DocumentRow(NamedTuple):
    """A row in a document. `removed`: a later state of the session does not have it any more."""

    line: int
    table: str
    row: Row
    removed: bool


def rows_of(lines: Iterable[tuple[int, Mapping[str, Any]]]) -> Iterator[DocumentRow]:
    """The rows in the lines of a document, as the database gave them."""
    for number, line in lines:
        table, row = line.get("table"), line.get("row")
        if isinstance(table, str) and isinstance(row, dict):
            values = {column: _read(value) for column, value in row.items()}
            yield DocumentRow(number, table, values, line.get("removed") is True)


def joined_documents(versions: Sequence[bytes], key: Mapping[str, str]) -> bytes:
    """All rows of several states of a document; of a row that changed, the last form.

    `key` names the column that identifies a row of a table. A row that a later state lacks is marked as removed, but
    not if the database was damaged then: nobody took it out.
    """

    def row_key(line: bytes) -> tuple[Any, ...]:
        value = value_of(line) or {}
        row = value.get("row")
        table = value.get("table")
        column = key.get(table) if isinstance(table, str) else None
        name = row.get(column) if isinstance(row, dict) and column is not None else None
        return (table, name) if isinstance(name, str | int) else (line,)

    states = [object_lines(version) for version in versions]
    whole = max((number for number, lines in enumerate(states) if _DAMAGED not in lines), default=None)
    records = [[line for line in lines if line != _DAMAGED] for lines in states]
    present = {row_key(line) for lines in records[whole or 0 :] for line in lines}
    joined = join_records(records, row_key)
    rows = b"".join(line if row_key(line) in present else _marked(line) for line in joined)
    return rows + (_DAMAGED if whole != len(states) - 1 else b"")


def _marked(line: bytes) -> bytes:
    return _encode({**(value_of(line) or {}), "removed": True}) + b"\n"


def _written(value: Any) -> Any:
    """A value for JSON: a text as text, other bytes in base64."""
    if not isinstance(value, bytes):
        return value
    try:
        return value.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(value).decode()}


def _read(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace")
    if isinstance(value, dict) and isinstance(encoded := value.get("base64"), str):
        try:
            return base64.b64decode(encoded)
        except ValueError:
            return encoded.encode("utf-8", "replace")
    return value
