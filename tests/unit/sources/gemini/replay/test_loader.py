"""What is live is exactly what Gemini CLI's own loader would give: compared with that loader, written down plainly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pollux.model import Fate
from pollux.sources.gemini_sessions.format import records
from pollux.sources.gemini_sessions.replay.replay import Replay
from pollux.wire import Notes

CORPUS = Path(__file__).parents[4] / "corpus" / "gemini"
LOGS = sorted(CORPUS.glob("*/home/.gemini/tmp/*/chats/**/*.jsonl"))


def loaded(path: Path) -> list[str]:
    """The ids of the messages the loader ends with: a map that keeps first places, rewound, cleared and filled."""
    live: dict[str, Any] = {}
    for line in path.read_text("utf-8").split("\n"):
        record = json.loads(line) if line else {}
        if "$rewindTo" in record:
            ids = list(live)
            start = ids.index(record["$rewindTo"]) if record["$rewindTo"] in live else 0
            live = {name: live[name] for name in ids[:start]}
        elif isinstance(record.get("id"), str):
            live[record["id"]] = record
        elif isinstance(record.get("$set", {}).get("messages"), list):
            live = {message["id"]: message for message in record["$set"]["messages"]}
    return list(live)


def test_there_are_logs() -> None:
    assert len(LOGS) > 50


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem[-14:])
def test_live_is_what_the_loader_gives(path: Path) -> None:
    result = records.parse_file(str(path), Notes())
    assert isinstance(result, records.Log)
    replay = Replay(Notes()).run(result.records)
    assert list(replay.live) == loaded(path)
    still = {id(entry) for entry in replay.entries if entry.fate is Fate.LIVE}
    assert still == {id(entry) for entry in replay.live.values()}
