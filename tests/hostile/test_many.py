"""Very many small records: none is lost, and they take little more room than in the file."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from pollux.wire import Notes
from pollux.wire.pile import MOST, Pile
from tests.hostile.conftest import World, read_all

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
    told = str(session.extra)
    assert all(f"n': {number}}}" in told or f'n":{number}}}' in told for number in (0, MOST, MANY - 1))


def test_a_pile_takes_little_more_room_than_its_records() -> None:
    pile = Pile(Notes())
    for number in range(MOST):
        pile.add({"line": number})
    tracemalloc.start()
    for number in range(MOST, MOST + 100_000):
        pile.add({"line": number, "record": {"type": "x"}})
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size < 100_000 * 80
    assert pile.all()[-1]["lines"].count("\n") == 100_000
