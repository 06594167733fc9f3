"""Times at the ends of the calendar, and numbers that are no times, wherever a session may hold one."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from pollux.system.clock import recorded, since_epoch
from tests.hostile.conftest import World, read_all, words

TIMES = (
    "9999-12-31T23:59:59-23:59",
    "0001-01-01T00:00:00+23:59",
    "9999-12-31T23:59:59.999999Z",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59",
    "0001-01-01",
)
NUMBERS = (-(10**30), 10**30, 253402300799999, -62135596800000, 1e300, -1)
HOMES = ("gemini/0.44.0", "claude/2.1.325", "codex/0.166.0")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S*")
_NUMBER_KEYS = {"timestamp", "ts", "started_at", "completed_at", "started_at_ms", "completed_at_ms"}


def _other(value: Any, time: str, number: float, key: str = "") -> Any:
    """A JSON value with another time in the place of each."""
    if isinstance(value, dict):
        return {name: _other(item, time, number, name) for name, item in value.items()}
    if isinstance(value, list):
        return [_other(item, time, number) for item in value]
    if isinstance(value, str):
        return time if _TIME.fullmatch(value) else value
    return number if key in _NUMBER_KEYS and isinstance(value, int | float) else value


def _spoil(file: Path, time: str, number: float, *, each: int) -> None:
    """Put other times into every so manieth line of a file, and into a document as a whole."""
    text = file.read_bytes().decode("utf-8", "surrogateescape")
    if file.suffix == ".json":
        with contextlib.suppress(ValueError):
            file.write_text(json.dumps(_other(json.loads(text), time, number)), encoding="utf-8")
        return
    lines = text.split("\n")
    for place in range(0, len(lines), each):
        with contextlib.suppress(ValueError):
            lines[place] = json.dumps(_other(json.loads(lines[place]), time, number))
    file.write_bytes("\n".join(lines).encode("utf-8", "surrogateescape"))


def _files(world: World) -> Iterator[Path]:
    for source, root in world.library().homes.roots():
        for file in source.find(root.path):
            if file.path.endswith((".jsonl", ".json")):
                yield Path(file.path)


@pytest.mark.parametrize(("time", "each"), [(time, 1 + place % 3) for place, time in enumerate(TIMES)])
def test_a_time_that_no_calendar_holds_costs_nothing_but_itself(tmp_path: Path, time: str, each: int) -> None:
    world = World(tmp_path, HOMES)
    before = read_all(world.library())
    for place, file in enumerate(sorted(set(_files(world)))):
        _spoil(file, time, NUMBERS[place % len(NUMBERS)], each=each)
    after = read_all(world.library())
    assert {key for key in before if not key.endswith("-prompts")} <= after.keys()
    for key, session in after.items():
        assert all(message.at is None or 100 <= message.at.year <= 9900 for message in session.messages), key
        if key in before and not key.endswith("-prompts"):
            assert len(session.messages) >= len([m for m in before[key].messages if not m.inherited]), key
    text = "\n".join(words(session) for session in after.values())
    assert "weather" in text


COMMANDS = (
    "list --all --json",
    "list --all",
    "doctor",
    "stats --by day --timezone Pacific/Kiritimati",
    "stats --by week --timezone Pacific/Pago_Pago",
    "stats --by month --json",
    "timeline",
    "audit",
    "scan --all",
    "search weather --since 0002-01-01 --until 9999-12-30",
    "search weather since:0002-01-01 until:9999-12-30",
    "show last --full",
    "show last --json",
    "archive run",
)
FORMATS = (
    "json",
    "markdown",
    "html",
    "events",
    "otel",
    "atif",
    "acp",
    "agent-trace",
    "sharegpt",
    "vac",
    "csv",
    "openai",
    "hf",
    "parquet",
    "text",
)


def test_no_command_fails_over_a_time_that_no_calendar_holds(tmp_path: Path) -> None:
    world = World(tmp_path, HOMES)
    for place, file in enumerate(sorted(set(_files(world)))):
        _spoil(file, TIMES[place % len(TIMES)], NUMBERS[place % len(NUMBERS)], each=1 + place % 2)
    exports = [f"export --all --to {name} -o {tmp_path / name}" for name in FORMATS]
    for command in (*COMMANDS, *exports):
        result = world.command(*command.split())
        assert result.returncode in (0, 1), (command, result.stderr)
        assert "Reading failed" not in result.stdout + result.stderr, command


@pytest.mark.parametrize("text", TIMES)
def test_a_recorded_time_can_be_used_in_every_zone_or_is_none(text: str) -> None:
    assert recorded(text) is None
    assert recorded("2026-11-15T06:00:00+02:00") == datetime.fromisoformat("2026-11-15T04:00:00Z")


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -1e300, 10**400, 253402300799, -62135596800])
def test_a_number_that_is_no_time_is_none(number: float) -> None:
    assert since_epoch(number) is None
    assert since_epoch(0) == datetime.fromisoformat("1970-01-01T00:00:00Z")
