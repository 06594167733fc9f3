"""A session that comes back to an agent which deletes what is old: it stays."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from pollux.library.library import Library
from pollux.model import Session
from pollux.system.clock import now
from tests.archive.conftest import World

CASES = {
    "a log": ("gemini/0.44.0", "*/chats/session-*.jsonl"),
    "a document": ("gemini/0.30.1", "*/chats/session-*.json"),
    "by the file's time": ("claude/2.1.112", "*/*.jsonl"),
}
OLD, FRESH = 90, 5


def lost(world: World, home: str, pattern: str, days: float) -> tuple[Library, Session, Path]:
    """A session that was kept, and then deleted by its agent; some days pass."""
    world.furnish(home)
    kept = world.keeping()
    files = {str(path) for _, root in kept.homes.roots() for path in root.path.glob(pattern)}
    session = next(one for one in kept.sessions() if set(one.files) & files and one.kind == "main")
    file = next(Path(path) for path in session.files if path in files)
    assert session.ended is not None
    world.later((session.ended - now()).total_seconds() / 86400 + days)
    file.unlink()
    library = world.keeping()
    return library, library.session(session.key), file


def last_use(file: Path) -> str:
    text = file.read_text()
    if file.suffix == ".json":
        return str(json.loads(text)["lastUpdated"])
    return str(json.loads(text.splitlines()[-1]).get("$set", {}).get("lastUpdated"))


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("way", ["restore", "recover"])
def test_an_old_session_gets_the_present_as_its_last_use(world: World, case: str, way: str) -> None:
    library, session, file = lost(world, *CASES[case], OLD)
    before = time.time() - 60
    if way == "restore":
        plan = library.archive.plan(session, None)
    else:
        plan = library.recover.plan(library.recover.rebuild(session), None)
    assert all(restored.refreshed for restored, _ in plan if restored.missing)
    library.archive.restore(plan)
    written = next(Path(restored.path) for restored, _ in plan if Path(restored.path).stem == file.stem)
    if session.agent == "gemini":
        assert last_use(written) == f"{now():%Y-%m-%dT%H:%M:%S}.{now().microsecond // 1000:03}Z"
    assert written.stat().st_mtime >= before
    back = world.library().session(session.key)
    assert not back.kept
    assert [(m.id, m.text, m.at, m.fate) for m in back.messages] == [
        (m.id, m.text, m.at, m.fate) for m in session.messages
    ]
    assert (back.started, back.title, back.usage) == (session.started, session.title, session.usage)


@pytest.mark.parametrize("case", CASES)
def test_a_session_that_is_not_old_comes_back_as_it_was(world: World, case: str) -> None:
    library, session, file = lost(world, *CASES[case], FRESH)
    plan = library.archive.plan(session, None)
    assert not any(restored.refreshed for restored, _ in plan)
    library.archive.restore(plan)
    assert file.exists()


def test_a_copy_in_a_folder_of_ones_own_is_as_it_was(world: World, tmp_path: Path) -> None:
    library, session, _ = lost(world, *CASES["a log"], OLD)
    plan = library.archive.plan(session, tmp_path / "back")
    assert not any(restored.refreshed for restored, _ in plan)


def test_a_file_that_is_there_stays_as_it_is(world: World) -> None:
    library, session, _ = lost(world, *CASES["a log"], OLD)
    library.archive.restore(library.archive.plan(session, None))
    plan = world.keeping().archive.plan(session, None)
    assert [(restored.there, restored.refreshed) for restored, _ in plan] == [(True, False)] * len(plan)
