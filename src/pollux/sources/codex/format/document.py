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


class ItemFingerprints(msgspec.Struct):
    """The fingerprints of a document's items, to compare it with others."""

    fingerprints: list[str] = []


def fingerprints_of_items(file: File) -> ItemFingerprints:
    """The fingerprints of a document's items."""
    try:
        items = document(file.path, Notes()).items or []
    except Unreadable:
        return ItemFingerprints()
    return ItemFingerprints([item_fingerprint(item) for item in items])


def item_fingerprint(item: Any) -> str:
    """The fingerprint of an item."""
    return fingerprint_of([repr(item)])


def document(path: str, notes: Notes) -> Document:
    """Read a document, or what is left of it. Raises `Unreadable` only if it cannot be opened."""
    raw = read_bytes(path)
    if not raw.strip():
        return Document()
    try:
        value = plain(raw, notes)
    except Malformed as error:
        value = _salvage(raw, error, notes)
    if type(value) is not dict:
        notes.add("file.damaged", "Nothing can be read: the file holds no session.", Severity.ERROR)
        return Document()
    return fit(Document, value, notes, "document") or Document()


def _salvage(raw: bytes, error: Malformed, notes: Notes) -> Any:
    """The complete items of a damaged document, or the beginning of a cut one."""
    notes.add("document.damaged", f"The document is damaged ({error}); read as far as it goes.", Severity.ERROR)
    completed, end = close(raw)
    value = _parse_or_complete(completed, notes)
    more = blocks(raw, 4) if b"\n    {" in raw[end:] or value is None else []
    items = [item for _, block in more if (item := _parse_or_complete(block, notes)) is not None]
    found_items = value.get("items") if isinstance(value, dict) else None
    if items and len(items) > (len(found_items) if isinstance(found_items, list) else 0):
        return {**(value if isinstance(value, dict) else {}), "items": items}
    return value


def _parse_or_complete(raw: bytes, notes: Notes) -> Any:
    try:
        return plain(raw, notes)
    except Malformed:
        pass
    try:
        return plain(close(raw)[0], notes)
    except Malformed:
        return None


def records_of(content: Document, notes: Notes) -> Iterator[tuple[int, Record]]:
    """The items of a document as records, each with its position in the list."""
    if type(content.session) is dict:
        report("session", content.session, KNOWN["session"], notes)
        yield 0, Bookkeeping(kind="session_meta", payload=content.session)
    for place, item in enumerate(content.items or ()):
        if type(item) is dict and "payload" not in item:
            yield place, record_of(item, notes) if "type" in item else _odd_item(item, notes)
        else:
            yield place, _odd_item({"value": item}, notes)


def _odd_item(item: dict[str, Any], notes: Notes) -> Record:
    notes.add("record.unknown", "An item of a kind we do not know; kept.", subject="item without a kind")
    return Bookkeeping(kind="item", payload=item)
