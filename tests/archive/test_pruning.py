"""Pruning after a loss: what is given up, and what is not."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pollux.archive.packs import PackWriter, Replacement, begin
from pollux.errors import OutputError
from tests.archive.conftest import World
from tests.archive.losses import (
    CUTS,
    EVERYTHING,
    cut,
    go_on,
    kept_world,
    keys,
    lossy,
    prune_one,
)


@pytest.mark.parametrize("cleared", [False, True], ids=["", "cache cleared"])
@pytest.mark.parametrize("harm", CUTS.values(), ids=CUTS)
def test_pruning_a_session_gives_up_no_loss(world: World, harm: Callable[[Path], object], cleared: bool) -> None:
    library, pack, raw, before = lossy(world, harm)
    first = library.archive.verify()
    library.close()
    for _ in range(2):  # the second one replaces the pack that replaced the first
        prune_one(world)
        assert not list(pack.parent.glob("*.making"))
        if cleared:
            shutil.rmtree(world.folder / "cache")
        after = world.library()
        after.list()
        assert "pollux archive verify" in (after.index.problem or "")
        verdict = after.archive.verify()
        assert (verdict.missing, verdict.stretches) == (first.missing, first.stretches)
        after.close()
    pack.write_bytes(raw)
    for _ in range(2):
        mended = world.library()
        assert keys(mended) >= before
        assert mended.archive.verify().sound
        assert mended.index.problem is None
        go_on(world)
        assert mended.archive.run().changed
        mended.close()
    assert pack.read_bytes() == raw


@pytest.mark.parametrize("harm", CUTS.values(), ids=CUTS)
def test_a_pack_that_is_put_back_after_its_loss_was_given_up_counts_again(
    world: World, harm: Callable[[Path], object]
) -> None:
    library, pack, raw, before = lossy(world, harm)
    library.archive.prune_lost()
    assert library.archive.verify().sound
    library.close()
    pack.write_bytes(raw)
    states = {(s.agent, s.home, s.path, s.sha) for s in world.library().archive._store.index.states()}
    for _ in range(2):
        after = world.library()
        assert keys(after) == before
        assert after.archive.verify().sound
        go_on(world)
        assert after.archive.run().changed
        after.close()
    assert pack.read_bytes() == raw
    cut(pack)
    assert world.library().archive.verify().missing
    again = world.library()
    again.archive.prune_lost()
    again.close()
    assert not pack.exists()
    pack.write_bytes(raw)
    assert {(s.agent, s.home, s.path, s.sha) for s in world.library().archive._store.index.states()} >= states


def test_a_pack_that_was_taken_over_is_removed(world: World) -> None:
    """The process was killed before it could, or somebody copied the very same pack there."""
    library, pack = kept_world(world)
    raw = pack.read_bytes()
    (key, *_) = sorted(one.summary.key for one in library.list(EVERYTHING) if one.summary.kept)
    library.archive.prune([library.session(key)])
    library.close()
    pack.write_bytes(raw)
    after = world.library()
    assert after.archive.verify().sound
    assert key not in keys(after)
    assert after.index.problem is None
    go_on(world)
    after.archive.run()
    assert not pack.exists()


def test_nothing_is_given_up_where_nothing_is_lost(world: World) -> None:
    assert world.library().archive.prune_lost().states == 0
    assert not (world.folder / "data" / "pollux" / "archive").exists()
    library, pack = kept_world(world)
    raw = pack.read_bytes()
    assert library.archive.prune_lost().states == 0
    assert [path.read_bytes() for path in pack.parent.glob("*.pack")] == [raw]


def test_a_file_in_the_place_of_a_folder_is_named_as_what_it_is(world: World) -> None:
    library, _ = kept_world(world)
    (session, *_) = [library.session(one.summary.key) for one in library.list(EVERYTHING) if one.summary.kept]
    planned = library.archive.plan(session, world.folder / "back")
    (world.folder / "back").write_bytes(b"")
    with pytest.raises(OutputError, match="cannot be written"):
        library.archive.restore(planned)


def test_an_earlier_release_noted_names_alone(world: World) -> None:
    """Nobody knows what was taken over then: a pack by such a name is read, and stays."""
    library, pack = kept_world(world)
    before, raw = keys(library), pack.read_bytes()
    library.close()
    newer = pack.with_name("000002.pack")
    begin(newer)
    pen = PackWriter(newer)
    pen.write(Replacement(packs=(pack.name,)))
    pen.close()
    pack.unlink()
    pack.parent.with_name("archive.json").unlink()
    shutil.rmtree(world.folder / "cache")
    assert world.library().archive.verify().sound
    pack.write_bytes(raw)
    after = world.library()
    assert keys(after) == before
    after.archive.run()
    assert pack.read_bytes() == raw
