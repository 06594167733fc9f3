"""The files of the first releases (April to May 2025): one pretty-printed JSON object with all items."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from pollux.errors import Unreadable
from pollux.model import Severity
from pollux.sources.base import File, fingerprint_of
from pollux.sources.codex.format.keys import KNOWN
from pollux.sources.codex.format.records import Record, record_of, report
from pollux.sources.codex.format.schema import Bookkeeping
from pollux.wire import Malformed, Notes, Shape, fit, plain, read_bytes
from pollux.wire.salvage import blocks, close


class Document(Shape):
    """The whole file."""

    session: Any = None
    items: list[Any] | None = None


class Items(msgspec.Struct):
    """What stands for the items of a document, to compare it with others."""

    seals: list[str] = []


def items_of(file: File) -> Items:
    """The items of a document."""
    try:
        items = document(file.path, Notes()).items or []
    except Unreadable:
        return Items()
    return Items([seal_of(item) for item in items])


def seal_of(item: Any) -> str:
    """What stands for an item."""
    return fingerprint_of([repr(item)])


def document(path: str, notes: Notes) -> Document:
    """Read a document, or what is left of one. Raises `Unreadable` only where it cannot be opened."""
    raw = read_bytes(path)
    if not raw.strip():
        return Document()
    try:
        value = plain(raw, notes)
    except Malformed as error:
        value = _salvaged(raw, error, notes)
    if type(value) is not dict:
        notes.add("file.damaged", "Nothing can be read: the file holds no session.", Severity.ERROR)
        return Document()
    return fit(Document, value, notes) or Document()


def _salvaged(raw: bytes, error: Malformed, notes: Notes) -> Any:
    """The whole items of a damaged document, and the beginning of a cut one."""
    notes.add("document.damaged", f"The document is damaged ({error}); read as far as it goes.", Severity.ERROR)
    closed, end = close(raw)
    whole = _closed(closed, notes)
    more = blocks(raw, 4) if b"\n    {" in raw[end:] or whole is None else []
    items = [item for _, block in more if (item := _closed(block, notes)) is not None]
    listed = whole.get("items") if isinstance(whole, dict) else None
    if items and len(items) > (len(listed) if isinstance(listed, list) else 0):
        return {**(whole if isinstance(whole, dict) else {}), "items": items}
    return whole


def _closed(raw: bytes, notes: Notes) -> Any:
    try:
        return plain(raw, notes)
    except Malformed:
        pass
    try:
        return plain(close(raw)[0], notes)
    except Malformed:
        return None


def records_of(content: Document, notes: Notes) -> Iterator[tuple[int, Record]]:
    """The items of a document as records, each with its place in the list."""
    if type(content.session) is dict:
        report("session", content.session, KNOWN["session"], notes)
        yield 0, Bookkeeping(kind="session_meta", payload=content.session)
    for place, item in enumerate(content.items or ()):
        if type(item) is dict and "payload" not in item:
            yield place, record_of(item, notes) if "type" in item else _kept(item, notes)
        else:
            yield place, _kept({"value": item}, notes)


def _kept(item: dict[str, Any], notes: Notes) -> Record:
    notes.add("record.unknown", "An item of a kind we do not know; kept.", subject="item without a kind")
    return Bookkeeping(kind="item", payload=item)
