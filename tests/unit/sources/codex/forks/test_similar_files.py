"""Which of many files with the same beginning one goes on from: the same as if it were compared with all of them."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from pollux.sources.codex.find import ROLLOUT
from pollux.sources.codex.forks.similar_files import SimilarFiles
from pollux.sources.walk import stat_file

HEAD = '{"id":"x","timestamp":"2025-08-15T06:00:00Z"}'
TORN = '{"type":'


def _line(number: int, chance: random.Random) -> str:
    spaces = (",", ":") if chance.random() < 0.5 else None
    return json.dumps({"type": "message", "id": f"m{number}", "role": "assistant"}, separators=spaces)


@pytest.mark.slow
def test_only_the_likely_ones_are_compared(tmp_path: Path) -> None:
    chance = random.Random(3)
    result = 0
    for number in range(150):
        folder = tmp_path / str(number)
        folder.mkdir()
        for name in range(7):
            lines = [_line(chance.randrange(2), chance) for _ in range(chance.randrange(6))]
            lines = [TORN if chance.random() < 0.03 else line for line in lines]
            (folder / f"{chance.random()}-{name}").write_text("".join(f"{line}\n" for line in (HEAD, *lines)))
        files = [stat_file(path, ROLLOUT) for path in folder.iterdir()]
        for file in files:
            some, every = SimilarFiles(files), SimilarFiles(files)
            others = [place for place, other in enumerate(files) if other != file]
            every._likely = lambda _, others=others: others  # type: ignore[method-assign,misc]
            assert some.origin(file.path) == every.origin(file.path)
            result += some.origin(file.path)[1] is not None
    assert result > 100
