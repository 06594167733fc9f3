"""Damage inside of packs and of the index, and what is no damage."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Callable

import pytest
import zstandard

from pollux.errors import StoreError
from pollux.library.library import Library
from tests.archive.conftest import World
from tests.archive.losses import (
    EVERYTHING,
    flip,
    kept_world,
    keys,
    spoil,
)


def test_a_pack_that_is_put_back_after_damage_was_found_counts_again(world: World) -> None:
    library, pack = kept_world(world)
    before, raw = keys(library), pack.read_bytes()
    flip(library, pack)
    library.close()
    shutil.rmtree(world.folder / "cache")
    harmed = world.library()
    assert keys(harmed) < before
    assert "damaged" in (harmed.index.problem or "")
    assert harmed.archive.verify().damaged
    harmed.close()
    pack.write_bytes(raw)
    assert world.library().archive.verify().sound
    after = world.library()
    assert keys(after) == before
    assert after.index.problem is None


def test_a_joined_file_has_all_states_again_when_one_is_put_back(world: World) -> None:
    world.furnish("gemini/0.39.1")
    library = world.keeping()
    path = world.transcripts()[-1]
    lines = path.read_bytes().splitlines(keepends=True)
    (key,) = [one.summary.key for one in library.list(EVERYTHING) if str(path) in one.summary.files]
    more = {"id": "amber", "timestamp": "2026-11-16T09:00:00Z", "type": "user", "content": "And amber?"}
    path.write_bytes(b"".join([*lines[:-1], json.dumps(more).encode(), b"\n"]))
    world.tomorrow()
    library = world.keeping()
    whole = {message.id for message in library.session(key).messages}
    assert "amber" in whole
    (pack,) = library.archive._store.folder.glob("*.pack")
    raw = pack.read_bytes()
    (state, *_) = [one for one in library.archive._store.index.states() if one.change in ("rewritten", "cut")]
    path.unlink()
    spoil(library, pack, state)
    library.close()
    shutil.rmtree(world.folder / "cache")
    harmed = world.library()
    assert "amber" not in {message.id for message in harmed.session(key).messages}
    assert "damaged" in (harmed.index.problem or "")
    harmed.close()
    pack.write_bytes(raw + pack.read_bytes()[len(raw) :])
    assert world.library().archive.verify().sound
    after = world.library()
    assert {message.id for message in after.session(key).messages} == whole
    assert after.index.problem is None


@pytest.mark.parametrize(
    "fault", [MemoryError(), zstandard.ZstdError("decompression error: Allocation error : not enough memory")]
)
def test_too_little_memory_is_no_damage(world: World, monkeypatch: pytest.MonkeyPatch, fault: Exception) -> None:
    library, _ = kept_world(world)
    before = keys(library)
    library.close()

    class Short:
        def __init__(self, **_: object) -> None:
            pass

        def decompress(self, *_: object, **__: object) -> bytes:
            raise fault

    with monkeypatch.context() as patch:
        patch.setattr(zstandard, "ZstdDecompressor", Short)
        refused(world, "not enough memory")
    assert keys(world.library()) == before
    assert world.library().archive.verify().sound


def test_a_disk_that_does_not_answer_is_no_damage(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    library, _ = kept_world(world)
    before = keys(library)
    library.close()

    def fail(*_: object) -> bytes:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as patch:
        patch.setattr("pollux.archive.archive.payload_of", fail)
        refused(world, os.strerror(errno.EIO))
    assert keys(world.library()) == before
    assert world.library().archive.verify().sound


def refused(world: World, why: str) -> None:
    """Nothing is called damaged, and nothing is given up."""
    acts: list[Callable[[Library], object]] = [lambda one: one.archive.verify(), lambda one: one.archive.prune_lost()]
    for act in acts:
        library = world.library()
        with pytest.raises(StoreError, match=why):
            act(library)
        library.close()
    shutil.rmtree(world.folder / "cache")
    asked = world.library()
    assert keys(asked)
    asked.close()
