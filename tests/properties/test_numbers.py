"""A number that no machine word holds, wherever one may stand: it costs nothing in reading, keeping and writing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from pollux import Filter, Session, registry
from pollux.testing.homes import Home, Stage, homes
from pollux.testing.layout import Layout, Value, dotted
from pollux.usage.service import Grouping
from pollux.writers import Options
from pollux.writers.vac import WRITER as VAC
from tests.properties.claude import CLAUDE
from tests.properties.codex import CODEX
from tests.properties.gemini import GEMINI
from tests.unit.usage.small_sessions import usage_of

CORPUS = Path(__file__).parent.parent / "corpus"
SUBJECTS = {"gemini": GEMINI, "claude": CLAUDE, "codex": CODEX}
EVERYTHING = Filter(everything=True)
NUMBERS = (
    str(1 << 63),
    str(1 << 64),
    str(-(1 << 63) - 1),
    "9" * 5000,
    "1e20",
    "1e999",
    "-1e999",
    "1e-999",
    "-0",
    "-0.0",
    "1" + "0" * 400 + ".5",
)


@cache
def places(agent: str) -> dict[str, tuple[Home, str, Value]]:
    """One place for each path under which the agent's files hold a number, in the smallest file that has it."""
    result: dict[str, tuple[Home, str, Value]] = {}
    every = [(home, file) for home in homes(SUBJECTS[agent], CORPUS / agent) for file in home.files]
    for home, file in sorted(every, key=lambda one: (one[0].path / one[1]).stat().st_size):
        raw = (home.path / file).read_bytes()
        for value in Layout(raw, lambda _, text: text).values:
            if value.kind == "scalar" and raw[value.start : value.start + 1] in b"-0123456789":
                kind = file.rpartition(".")[2] if "session" not in file else ""
                result.setdefault(f"{kind} {dotted(value.path)}", (home, file, value))
    return result


def use(sessions: list[Session], folder: Path) -> Iterator[str]:
    """Keep the sessions, count them, and write them in every format."""
    usage = usage_of(folder, *sessions)
    for by in Grouping:
        if by is not Grouping.TOOL:
            usage.stats(by)
    usage.tools()
    usage.audit_all()
    for session in sessions:
        usage.audit(session)
        out: list[str | bytes] = []
        for name in registry.writer_names():
            out = []
            registry.writer(name).write(session, out.append, Options(content=True))
            if name == "json":
                yield "".join(map(str, out))
        VAC.cbor.write_bytes(session, out.append, Options())


SHARDS = range(4)


@pytest.mark.parametrize("shard", SHARDS)
@pytest.mark.parametrize("agent", SUBJECTS)
def test_number(agent: str, shard: int, tmp_path: Path) -> None:
    """Every place gets a whole number that is too large, and one of the others."""
    failed: list[str] = []
    mine = list(places(agent).items())[shard :: len(SHARDS)]
    for turn, (place, (home, file, value)) in enumerate(mine):
        raw = (home.path / file).read_bytes()
        with Stage(home, home.around(file)) as stage:
            before = {session.key for session in stage.sessions()}
            for number in ("9" * 30, NUMBERS[turn % len(NUMBERS)]):
                stage.put(file, raw[: value.start] + number.encode() + raw[value.end :])
                try:
                    sessions = stage.sessions()
                    assert before <= {session.key for session in sessions}
                    near = [session for session in sessions if stage.shown(file) in session.files]
                    for text in use(near, tmp_path):
                        json.loads(text, parse_int=str)
                except Exception as error:  # noqa: BLE001 (all places are told at once)
                    failed.append(f"{number[:30]} at {place} in {home.name}/{file}: {type(error).__name__}: {error}")
    assert not failed, "\n".join(failed)
