"""One file joined from several versions of it: every record of every version, once, in its own bytes."""

from __future__ import annotations

import contextlib
from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

import msgspec

from pollux.wire.notes import Notes
from pollux.wire.salvage import blocks, close, mend
from pollux.wire.shapes import REFUSED, Malformed, plain

Key = Callable[[bytes], Hashable]


def join_records(versions: Iterable[Sequence[bytes]], key: Key = bytes) -> list[bytes]:
    """The records of all versions, the earliest first; of records with the same key, the last one.

    A record that a later version lacks follows the same record as before.
    """
    records: list[bytes] = []
    for later in versions:
        places: dict[Hashable, deque[int]] = defaultdict(deque)
        for place, record in enumerate(later):
            places[key(record)].append(place)
        missing: dict[int, list[bytes]] = {}
        anchor = -1
        for record in records:
            if matches := places.get(key(record)):
                anchor = matches.popleft()
            else:
                missing.setdefault(anchor, []).append(record)
        records = list(missing.get(-1, ()))
        for place, record in enumerate(later):
            records += [record, *missing.get(place, ())]
    return records


def object_lines(raw: bytes) -> list[bytes]:
    """The lines of a file that hold a whole JSON object, each with its line feed. A line that was cut holds none."""
    return [line.rstrip(b"\r") + b"\n" for line in raw.split(b"\n") if value_of(line) is not None]


def close_cut_file(raw: bytes) -> bytes | None:
    """A file whose last line or document was cut off, with its brackets closed; None where nothing was cut off."""
    before, end, last = raw.rpartition(b"\n")
    if value_of(before.partition(b"\n")[0]) is None:  # not a file of lines, or its only line was cut
        return mend(raw)
    last_line = mend(last) if last.strip() and value_of(last) is None else None
    return before + end + last_line + b"\n" if last_line is not None else None


def value_of(raw: bytes) -> dict[str, Any] | None:
    """The JSON object in these bytes; None where they hold none."""
    with contextlib.suppress(Malformed):
        if type(value := plain(raw, Notes())) is dict:
            return value
    return None


class Document(msgspec.Struct):
    """A JSON object with a list in it: the bytes of its members in their order, and of each item of the list.

    `whole` says that nothing was cut off. Otherwise `cut` has what is left of the item in which the document ends.
    """

    members: dict[str, bytes]
    items: list[bytes]
    whole: bool = True
    cut: bytes | None = None


def parse_document(raw: bytes, name: str) -> Document | None:
    """A document with a list under this name, or what is left of it."""
    if (document := _document(raw, name)) is not None:
        return document
    closed, end = close(raw)
    document = _document(closed, name)
    if document is None:
        return None
    document.whole = False
    missing = closed[end:]
    if missing.endswith(b"}]}") and document.items:
        document.cut = document.items.pop()
        if missing != b"}]}":  # the last member is cut, too
            document.cut = _shorter(document.cut)
    document.items += [block for _, block in blocks(raw[end:], 4) if value_of(block) is not None]
    return document


def _document(raw: bytes, name: str) -> Document | None:
    with contextlib.suppress(*REFUSED):
        members = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
        items = msgspec.json.decode(members.setdefault(name, msgspec.Raw(b"[]")), type=list[msgspec.Raw])
        return Document({key: bytes(value) for key, value in members.items()}, [bytes(item) for item in items])
    return None


def _shorter(item: bytes) -> bytes:
    """An item without its last member."""
    members = msgspec.json.decode(item, type=dict[str, msgspec.Raw])
    members.popitem()
    return msgspec.json.format(msgspec.json.encode(members), indent=2)


def format_document(document: Document, name: str) -> bytes:
    """A document as the agents write it: indented by two spaces a level."""
    items = b",\n    ".join(document.items)
    members = {**document.members, name: b"[\n    " + items + b"\n  ]" if items else b"[]"}
    pairs = (b"  " + msgspec.json.encode(key) + b": " + value for key, value in members.items())
    return b"{\n" + b",\n".join(pairs) + b"\n}"


def as_line(item: bytes) -> bytes:
    """An item of a document as a line: the same JSON without white space."""
    return msgspec.json.format(item, indent=-1) + b"\n"
