"""One file from several forms of it: every record that any of them holds, once, in its own bytes."""

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


def joined(forms: Iterable[Sequence[bytes]], key: Key = bytes) -> list[bytes]:
    """The records of all forms, the earliest form first; of those with the same key the last one.

    What a later form lacks stands behind the record it stood behind before.
    """
    records: list[bytes] = []
    for later in forms:
        places: dict[Hashable, deque[int]] = defaultdict(deque)
        for place, record in enumerate(later):
            places[key(record)].append(place)
        behind: dict[int, list[bytes]] = {}
        last = -1
        for record in records:
            if same := places.get(key(record)):
                last = same.popleft()
            else:
                behind.setdefault(last, []).append(record)
        records = list(behind.get(-1, ()))
        for place, record in enumerate(later):
            records += [record, *behind.get(place, ())]
    return records


def lines(raw: bytes) -> list[bytes]:
    """The lines of a file that hold a JSON object, each with its end: one that was cut holds none."""
    return [line.rstrip(b"\r") + b"\n" for line in raw.split(b"\n") if value_of(line) is not None]


def mended(raw: bytes) -> bytes | None:
    """A file whose last line, or whose document, was cut off, with that closed; None where it was not."""
    before, end, last = raw.rpartition(b"\n")
    if value_of(before.partition(b"\n")[0]) is None:  # no file of lines, or one that is all there is of one
        return mend(raw)
    closed = mend(last) if last.strip() and value_of(last) is None else None
    return before + end + closed + b"\n" if closed is not None else None


def value_of(raw: bytes) -> dict[str, Any] | None:
    """The JSON object that some bytes are."""
    with contextlib.suppress(Malformed):
        if type(value := plain(raw, Notes())) is dict:
            return value
    return None


class Document(msgspec.Struct):
    """A JSON object with a list in it: the bytes of its members in their order, of the list's items apart.

    `whole` says that it could be read as it is. Else the item in which it was `cut` is what is whole in that one.
    """

    members: dict[str, bytes]
    items: list[bytes]
    whole: bool = True
    cut: bytes | None = None


def document(raw: bytes, name: str) -> Document | None:
    """The document that has a list under a name, or what is left of it."""
    if (found := _document(raw, name)) is not None:
        return found
    closed, end = close(raw)
    found = _document(closed, name)
    if found is None:
        return None
    found.whole = False
    missing = closed[end:]
    if missing.endswith(b"}]}") and found.items:
        found.cut = found.items.pop()
        if missing != b"}]}":  # the cut goes through the last member too
            found.cut = _shorter(found.cut)
    found.items += [block for _, block in blocks(raw[end:], 4) if value_of(block) is not None]
    return found


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


def written(found: Document, name: str) -> bytes:
    """A document as the agents write them: pretty, two spaces to a level."""
    items = b",\n    ".join(found.items)
    members = {**found.members, name: b"[\n    " + items + b"\n  ]" if items else b"[]"}
    pairs = (b"  " + msgspec.json.encode(key) + b": " + value for key, value in members.items())
    return b"{\n" + b",\n".join(pairs) + b"\n}"


def line_of(item: bytes) -> bytes:
    """An item of a document as a line: the same, without the space between."""
    return msgspec.json.format(item, indent=-1) + b"\n"
