"""Contents come back as they were, and a session that grows costs little more than it is."""

from __future__ import annotations

import hashlib
import json
import random

import zstandard
from hypothesis import given, strategies as st

from pollux.archive.contents import BaseContent, digest, pack, pack_added, unpack
from pollux.archive.packs import Content


def packed(raw: bytes, before: bytes | None) -> tuple[Content, bytes]:
    known = BaseContent(hashlib.sha256(before).digest(), len(before), 0) if before is not None else None
    sha, added = digest(raw, known)
    if added and known is not None:
        return pack_added(raw, sha, known)
    return pack(raw, sha, known, lambda _: before or b"")


@given(st.binary(max_size=300), st.none() | st.binary(max_size=300), st.booleans())
def test_any_content_comes_back(raw: bytes, before: bytes | None, grown: bool) -> None:
    new = before + raw if grown and before is not None else raw
    head, payload = packed(new, before)
    assert unpack(head, payload, before if head.base is not None and before is not None else b"") == new
    assert head.sha == hashlib.sha256(new).digest()
    if grown and before:
        assert head.copied == len(before)


def test_growing_in_two_hundred_steps_costs_little_more_than_the_whole() -> None:
    chance = random.Random(1)
    words = [f"{chance.randbytes(3).hex()}" for _ in range(2000)]
    lines = [
        json.dumps({"id": chance.randbytes(8).hex(), "text": " ".join(chance.choices(words, k=chance.randint(5, 200)))})
        for _ in range(400)
    ]
    whole, cost = b"", 0
    for step in range(200):
        new = whole + "".join(f"{line}\n" for line in lines[2 * step : 2 * step + 2]).encode()
        cost += len(packed(new, whole or None)[1])
        whole = new
    assert cost <= 1.3 * len(zstandard.ZstdCompressor(level=3).compress(whole))
