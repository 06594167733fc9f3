"""What another pollux or an agent does while pollux keeps."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from pollux.archive.index import Index
from pollux.errors import NotFound
from tests.archive.conftest import World
from tests.archive.losses import (
    EVERYTHING,
    kept_world,
    keys,
)


def test_what_another_pollux_keeps_meanwhile_is_not_lost(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.furnish("gemini/0.39.1")
    library = world.keeping()
    contents = Index.contents
    path = world.transcripts()[0]

    def slow(self: Index) -> Any:
        found = contents(self)
        world.tomorrow()
        with path.open("ab") as out:
            out.write(b'{"more": true}\n')
        assert world.library().archive.run().changed
        return found

    monkeypatch.setattr(Index, "contents", slow)
    assert library.archive.verify().sound


def test_a_new_pack_that_takes_the_place_of_others_meanwhile_is_no_loss(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    library, _ = kept_world(world)
    (key, *_) = sorted(one.summary.key for one in library.list(EVERYTHING) if one.summary.kept)
    contents = Index.contents
    pruned: list[str] = []

    def slow(self: Index) -> Any:
        found = contents(self)
        if not pruned:
            pruned.append(key)
            other = world.library()
            other.archive.prune([other.session(key)])
        return found

    monkeypatch.setattr(Index, "contents", slow)
    assert library.archive.verify().sound
    assert pruned


def test_a_damaged_index_is_made_anew(world: World) -> None:
    library, _ = kept_world(world)
    before = keys(library)
    states = library.archive._store.index.states()
    library.close()
    index = world.folder / "cache/pollux/archive.db"
    raw = bytearray(index.read_bytes())
    raw[4096:] = b"\xff" * (len(raw) - 4096)
    index.write_bytes(raw)
    after = world.library()
    assert keys(after) == before
    assert set(after.archive._store.index.states()) == set(states)


def test_a_time_at_which_the_files_were_gone(world: World) -> None:
    world.furnish("gemini/0.39.1")
    library = world.keeping()
    path = world.transcripts()[0]
    (key,) = [one.summary.key for one in library.list(EVERYTHING) if str(path) in one.summary.files]
    first = world.now
    path.unlink()
    world.tomorrow()
    library = world.keeping()
    session = library.session(key)
    with pytest.raises(NotFound, match="were gone by 2026-11-03 12:00 UTC") as gone:
        library.archive.as_of(session, world.now)
    assert gone.value.hint == f"Try: pollux show {key} --as-of 2026-11-02T12:00:00Z"
    assert library.archive.as_of(session, first).messages
    with pytest.raises(NotFound, match="Nothing is kept") as early:
        library.archive.as_of(session, first - timedelta(days=1))
    assert "first kept at 2026-11-02" in str(early.value.hint)


def test_files_that_go_while_they_are_kept_are_not_unread(world: World) -> None:
    world.furnish("gemini/0.39.1")
    library = world.library()
    looks = library.archive._scans()
    assert all(look.files is not None for look in looks)
    path = world.transcripts()[0]
    path.unlink()
    told = library.archive._store.keep(looks)
    assert told.unread == []
    assert told.changed
