"""The kitchen sink through every writer, against the files in tests/golden. POLLUX_UPDATE_GOLDEN=1 renews them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pollux import registry
from pollux.model import Usage
from pollux.writers.base import NO_CONTEXT, Options, WriterContext
from tests.unit.writers.kitchen_sink import SESSION

GOLDEN = Path(__file__).parents[2] / "golden"
ELSEWHERE = ("html", "parquet")  # html/test_golden.py; each release of pyarrow has its own bytes
VARIANTS = {
    "kitchen-sink": Options(),
    "kitchen-sink-everything": Options(
        thinking=True,
        tools="full",
        tokens=True,
        notices=True,
        content=True,
    ),
    "kitchen-sink-bare": Options(tools="none", live_only=True, front_matter=True),
}
CONTEXTS = {
    "kitchen-sink-everything": WriterContext(family_usage=Usage(input=5000, output=60, requests=3, exact=False))
}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", [name for name in registry.WRITERS if name not in ELSEWHERE])
def test_is_written_as_before(name: str, variant: str) -> None:
    writer = registry.writer(name)
    pieces: list[str] = []
    writer.write(SESSION, pieces.append, VARIANTS[variant], CONTEXTS.get(variant, NO_CONTEXT))
    written = "".join(pieces).encode("utf-8", "backslashreplace")  # as an export writes it
    file = GOLDEN / name / f"{variant}{writer.suffix}"
    if os.environ.get("POLLUX_UPDATE_GOLDEN"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(written)
    assert written == file.read_bytes()
