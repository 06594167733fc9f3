"""Records and keys for the tests of evidence."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from pollux import registry
from pollux.signing.keys import Keys
from pollux.signing.subject import Subject, of_record
from pollux.writers.base import Options, WriterContext
from pollux.writers.vac import WRITER
from tests.unit.writers.kitchen_sink import SESSION

if TYPE_CHECKING:
    from pollux.signing.keys import Private

ALGORITHMS = ("ed25519", "es256")


@cache
def record() -> bytes:
    pieces: list[str] = []
    WRITER.write(SESSION, pieces.append, Options(), WriterContext(knowledge=registry.knowledge))
    return "".join(pieces).encode()


def subject(data: bytes | None = None) -> Subject:
    result = of_record(record() if data is None else data)
    assert result is not None
    return result


@cache
def key(algorithm: str) -> Private:
    with TemporaryDirectory() as folder:
        keys = Keys(Path(folder))
        keys.new("test", algorithm)
        return keys.private("test")
