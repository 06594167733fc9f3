"""The time of a transcript's oldest record, and when nobody knows it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from pollux.sources.claude import find
from pollux.sources.claude.format.oldest_record import oldest_record
from pollux.sources.walk import stat_file
from pollux.system.clock import recorded
from tests.unit.sources.claude.conftest import Json, in_chain, json_lines, model, user

AT, LATER = "2026-11-01T10:00:00.000Z", "2026-11-01T10:00:04.000Z"
OLD: dict[str, Any] = {"version": "1.0.128"}
TORN = b'{"type":"user","uui\n'
MODE = {"type": "mode", "mode": "normal"}


def oldest(folder: Path, content: bytes) -> float | None:
    file = folder / "session.jsonl"
    file.write_bytes(content)
    return oldest_record(stat_file(file, find.SESSION))


def talk(*records: Json) -> bytes:
    return json_lines(*in_chain(records)).encode()


def prompt(at: str | None = AT, **more: Any) -> Json:
    return user("hello", timestamp=at, **more)


def reply(at: str = LATER, **more: Any) -> Json:
    return model("hello", "msg_0123456789", timestamp=at, **more)


KNOWN = {
    "a prompt": talk(prompt()),
    "out of order": talk(prompt(LATER), prompt(AT)),
    "a line that is no record": talk(MODE, prompt(), reply(AT)),
    "a torn end": talk(prompt(), reply()) + TORN,
    "a release that may change times": talk(prompt(**OLD), reply(**OLD)),
}
UNKNOWN = {
    "a torn beginning": TORN + talk(prompt(), reply()),
    "a lost beginning": talk(prompt(parentUuid="lost"), reply()),
    "a boundary": talk(prompt(logicalParentUuid="before"), reply()),
    "a summary": talk(prompt(isCompactSummary=True), reply()),
    "no time": talk(prompt(), reply(at="soon")),
    "null": talk(prompt(None), reply()),
    "no reply": talk(prompt(**OLD)),
    "all at once": talk(prompt(**OLD), reply(AT, **OLD)),
    "copies of prompts": talk(prompt(**OLD), prompt(LATER, **OLD), reply("2026-11-01T10:00:09.000Z", **OLD)),
    "an odd version": talk(prompt(version="unknown"), reply(AT, version="unknown")),
}


@pytest.mark.parametrize("case", KNOWN)
def test_it_is_known(tmp_path: Path, case: str) -> None:
    at = recorded(AT)
    assert at is not None
    assert oldest(tmp_path, KNOWN[case]) == at.timestamp()


@pytest.mark.parametrize("case", UNKNOWN)
def test_nobody_knows_it(tmp_path: Path, case: str) -> None:
    assert oldest(tmp_path, UNKNOWN[case]) is None


def test_without_records_there_is_nothing_to_share(tmp_path: Path) -> None:
    assert oldest(tmp_path, talk(MODE)) == math.inf
    assert oldest(tmp_path, b"") == math.inf


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    file = tmp_path / "session.jsonl"
    file.touch()
    found = stat_file(file, find.SESSION)
    file.unlink()
    assert oldest_record(found) is None
