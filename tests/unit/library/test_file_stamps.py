from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from pollux.library.file_stamps import file_stamps


def test_a_change_shows_and_what_is_gone_has_none(tmp_path: Path) -> None:
    file = tmp_path / "session.jsonl"
    files = [str(file), "no\0path"]
    assert file_stamps(files) == (None, None)
    file.write_text("one")
    first = file_stamps(files)
    assert first == file_stamps(files)
    assert first[0] is not None
    file.write_text("other")
    assert file_stamps(files) not in (first, (None, None))
    file.unlink()
    os.mkfifo(file)
    assert file_stamps(files) == (None, None)


def test_what_is_new_in_a_database_stands_beside_it_first(tmp_path: Path) -> None:
    file = tmp_path / "agent.db"
    with closing(sqlite3.connect(file)) as agent:
        agent.execute("PRAGMA journal_mode=WAL")
        agent.execute("CREATE TABLE message (id)")
        (before,) = file_stamps([str(file)])
        with agent:
            agent.execute("INSERT INTO message VALUES (1)")
        (after,) = file_stamps([str(file)])
        assert before is not None
        assert after is not None
        assert (before.size, before.changed_ns) == (after.size, after.changed_ns)
        assert before != after
