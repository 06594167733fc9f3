"""Very many small records: none is lost, and they take little more room than in the file."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest

from pollux import registry
from pollux.sources.base import SourceContext
from pollux.wire import Notes, record_list
from pollux.wire.record_list import MOST_RECORDS, RecordList
from tests.hostile.conftest import World, read_all
from tests.hostile.test_lines import AGENTS

MANY = 50_000
PLACES = {
    "claude/2.1.325": ".claude/projects/*/*.jsonl",
    "gemini/0.44.0": ".gemini/tmp/*/chats/session-*.jsonl",
    "codex/0.166.0": ".codex/sessions/*/*/*/*.jsonl",
}


@pytest.mark.parametrize("home", PLACES)
def test_every_one_of_very_many_unknown_records_is_kept(tmp_path: Path, home: str) -> None:
    world = World(tmp_path, (home,))
    before = read_all(world.library())
    file = min(world.home.glob(PLACES[home]))
    with file.open("a", encoding="utf-8") as out:
        out.writelines(f'{{"type":"x","payload":{{"n":{number}}}}}\n' for number in range(MANY))
    after = read_all(world.library())
    session = next(one for one in after.values() if str(file) in one.files and one.notices != before[one.key].notices)
    assert len(session.messages) == len(before[session.key].messages)
    assert any(notice.code == "record.many" for notice in session.notices)
    text = str(session.extra)
    assert all(f"n': {number}}}" in text or f'n":{number}}}' in text for number in (0, MOST_RECORDS, MANY - 1))


def test_a_record_list_takes_little_more_room_than_its_records() -> None:
    records = RecordList(Notes())
    for number in range(MOST_RECORDS):
        records.add({"line": number})
    tracemalloc.start()
    for number in range(MOST_RECORDS, MOST_RECORDS + 100_000):
        records.add({"line": number, "record": {"type": "x"}})
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size < 100_000 * len('{"type":"x"}\n') * 1.3
    (run,) = map(json.loads, records.all()[-1]["lines"].splitlines())
    assert run == {"line": MOST_RECORDS, "records": [{"type": "x"}] * 100_000}


def test_a_record_list_says_of_every_record_where_it_stood() -> None:
    records = RecordList(Notes())
    for number in range(MOST_RECORDS):
        records.add({"line": number})
    for line, kind in ((1, "a"), (2, "a"), (3, "b"), (5, "b"), (None, "b"), (None, "b")):
        records.add({"line": line, "kind": kind, "record": {"was": line}})
    assert records.all()[MOST_RECORDS:] == records.all()[MOST_RECORDS:]
    assert [json.loads(line) for line in records.all()[-1]["lines"].splitlines()] == [
        {"line": 1, "kind": "a", "records": [{"was": 1}, {"was": 2}]},
        {"line": 3, "kind": "b", "records": [{"was": 3}]},
        {"line": 5, "kind": "b", "records": [{"was": 5}]},
        {"line": None, "kind": "b", "records": [{"was": None}]},
        {"line": None, "kind": "b", "records": [{"was": None}]},
    ]


@pytest.mark.parametrize("agent", AGENTS)
def test_empty_records_take_no_more_room_than_their_file(
    tmp_path: Path, agent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_list, "MOST_RECORDS", 100)
    world = World(tmp_path, ())
    file = AGENTS[agent](world.home, b"{}\n" * 100_000)
    source = registry.source(agent)
    source.read(source.bundle_of_file(file, SourceContext()))  # so that all modules are imported before
    bundle = source.bundle_of_file(file, SourceContext())
    tracemalloc.start()
    sessions = source.read(bundle).sessions
    size, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(sessions) == 1
    assert size < file.stat().st_size * 2
    assert most < file.stat().st_size * 4
