"""What some files still hold of a home's sessions, by their bytes and the oracle alone: pollux has no part in it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import zstandard

from tests.archive.conftest import CORPUS

SHORTEST = 6
"""A shorter text stands in too many files by chance."""


def texts(home: str, file: Path, top: Path) -> set[str]:
    """What the oracle says was said in the sessions of a file: prompts, replies, and what tools were called with."""
    oracle = json.loads((CORPUS / home / "oracle.json").read_bytes())
    name = file.relative_to(top).as_posix()
    results: set[str] = set()
    for session in oracle["sessions"]:
        if name in session["files"]:
            # A title that the client asked for stands in other sessions' files too.
            results.update(session["prompts"], (text for text in session["replies"] if '"title"' not in text))
            queries = (leaf for call in session["tool_calls"] for leaf in leaves(call["input"]))
            results.update(text for text in queries if re.search(r"[\s/]", text))  # a bare word stands in many places
    return {text for text in results if len(text) >= SHORTEST}


def leaves(value: Any) -> Iterator[str]:
    """Every text in a JSON value."""
    match value:
        case str():
            yield value
        case dict():
            for inner in value.values():
                yield from leaves(inner)
        case list() | tuple():
            for inner in value:
                yield from leaves(inner)


def held(wanted: Iterable[str], files: Iterable[Path]) -> set[str]:
    """The texts that stand in one of some files, as JSON writes them."""
    left = set(wanted)
    results: set[str] = set()
    for file in files:
        raw = file.read_bytes()
        raw = unpacked(raw) if raw.startswith(b"\x28\xb5\x2f\xfd") else raw
        here = {text for text in left if any(needle in raw for needle in needles(text))}
        results |= here
        left -= here
    return results


def unpacked(raw: bytes) -> bytes:
    """As far as it goes."""
    frame = zstandard.ZstdDecompressor().decompressobj()
    pieces: list[bytes] = []
    with suppress(zstandard.ZstdError):
        pieces.extend(frame.decompress(raw[place : place + 64]) for place in range(0, len(raw), 64))
    return b"".join(pieces)


def needles(text: str) -> Iterator[bytes]:
    """A text as it may stand in JSON, and in JSON in a string of JSON."""
    for ascii_only in (False, True):
        once = json.dumps(text, ensure_ascii=ascii_only)[1:-1]
        yield once.encode("utf-8", "surrogatepass")
        yield json.dumps(once, ensure_ascii=ascii_only)[1:-1].encode("utf-8", "surrogatepass")
