"""Packs that are cut or gone: nothing is called whole, and all is told until it is mended or given up."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pollux.archive.packs import scan
from pollux.system.files import opened
from tests.archive.conftest import World
from tests.archive.losses import (
    EVERYTHING,
    HARM,
    cut,
    cut_between_records,
    go_on,
    kept_world,
    keys,
    live,
    places,
    stored,
)
from tests.cli.program import Pollux


@pytest.mark.parametrize("cleared", [False, True], ids=["", "cache cleared"])
@pytest.mark.parametrize("harm", HARM.values(), ids=HARM)
def test_a_loss_is_told_until_somebody_accepts_it(world: World, harm: Callable[[Path], object], cleared: bool) -> None:
    library, pack = kept_world(world)
    gone = [told for told in library.archive._store.index.states() if told.sha is None]
    library.close()
    if cleared:
        shutil.rmtree(world.folder / "cache")
    harm(pack)
    verdict = world.library().archive.verify()
    assert verdict.missing
    assert not verdict.sound
    assert cleared or {loss.file for loss in verdict.lost} & {os.fsdecode(b"/".join(s[1:3])) for s in places(gone)}
    assert world.library().archive.export(world.folder / "all.pollux").damaged
    for _ in range(2):
        again = world.library()
        again.list()
        assert "pollux archive verify" in (again.index.problem or "")
        again.archive.run()
    assert not world.library().archive.verify().sound
    world.library().archive.prune_lost()
    assert world.library().archive.verify().sound
    after = world.library()
    after.list()
    assert after.index.problem is None
    assert {path for path in live(world) if path not in stored(after)} == set()


@pytest.mark.parametrize("harm", HARM.values(), ids=HARM)
def test_what_the_agents_still_have_is_kept_again_and_all_is_well(world: World, harm: Callable[[Path], object]) -> None:
    world.furnish("gemini/0.39.1")
    library = world.keeping()
    (pack,) = library.archive._store.folder.glob("*.pack")
    library.close()
    harm(pack)
    assert not world.library().archive.verify().sound
    world.library().archive.run()
    verdict = world.library().archive.verify()
    assert not verdict.lost
    assert not verdict.missing
    # What is in a pack and no record stays there until somebody says that it may go.
    assert verdict.sound is (not verdict.stretches)


@pytest.mark.parametrize("harm", HARM.values(), ids=HARM)
def test_a_pack_that_is_put_back_is_whole_again(world: World, harm: Callable[[Path], object]) -> None:
    library, pack = kept_world(world)
    before, raw = keys(library), pack.read_bytes()
    library.close()
    harm(pack)
    world.library().archive.run()
    pack.write_bytes(raw)
    after = world.library()
    assert after.archive.verify().sound
    assert keys(after) == before
    assert after.index.problem is None


def test_an_import_makes_up_for_a_loss(world: World) -> None:
    library, pack = kept_world(world)
    library.archive.export(world.folder / "all.pollux")
    library.close()
    pack.unlink()
    other = world.library()
    assert not other.archive.verify().sound
    other.archive.import_file(world.folder / "all.pollux")
    assert other.archive.verify().sound


@pytest.mark.parametrize("harm", [cut, cut_between_records])
def test_an_import_of_the_whole_pack_makes_up_for_a_cut_that_nobody_remembers(
    world: World, harm: Callable[[Path], object]
) -> None:
    library, pack = kept_world(world)
    before, raw = keys(library), pack.read_bytes()
    library.close()
    backup, early = world.folder / "backup.pack", world.folder / "early.pack"
    backup.write_bytes(raw)
    with opened(pack) as file:
        early.write_bytes(raw[: list(scan(file))[-2].end])
    harm(pack)
    shutil.rmtree(world.folder / "cache")
    other = world.library()
    other.archive.import_file(early)
    assert other.archive.verify().missing
    other.archive.import_file(backup)
    assert other.archive.verify().sound
    assert keys(other) == before
    assert other.index.problem is None


def test_a_record_that_was_never_finished_is_no_loss(world: World) -> None:
    library, pack = kept_world(world)
    library.close()
    raw = pack.read_bytes()
    with opened(pack) as file:
        last = list(scan(file))[-1]
    pack.write_bytes(raw + raw[last.offset : last.end - 3])
    after = world.library()
    assert after.archive.verify().sound
    assert after.archive.export(world.folder / "all.pollux").damaged == 0
    after.list()
    assert after.index.problem is None


def test_what_was_never_promised_is_no_loss(world: World) -> None:
    """The power went: the index saw what the disk did not."""
    library, pack = kept_world(world)
    note = pack.parent.with_name("archive.json")
    before, told = pack.stat().st_size, note.read_bytes()
    world.transcripts()[0].unlink()
    library.sync()
    library.close()
    note.write_bytes(told)
    os.truncate(pack, before)
    assert world.library().archive.verify().sound


def test_an_archive_of_an_earlier_release(world: World) -> None:
    library, pack = kept_world(world)
    note = pack.parent.with_name("archive.json")
    note.unlink()
    before = keys(library)
    library.close()
    assert world.library().archive.verify().sound
    assert keys(world.library()) == before
    cut(pack)
    assert world.library().archive.verify().missing  # the index knew
    world.library().archive.run()
    shutil.rmtree(world.folder / "cache")
    assert note.exists()
    assert world.library().archive.verify().missing


def test_pruning_is_no_loss(world: World) -> None:
    library, pack = kept_world(world)
    (session, *_) = [library.session(one.summary.key) for one in library.list(EVERYTHING) if one.summary.kept]
    library.archive.prune([session])
    after = world.library()
    assert after.archive.verify().sound
    assert session.key not in keys(after)
    assert after.index.problem is None
    assert not pack.exists()


def test_a_pack_by_another_name_is_read(world: World) -> None:
    library, pack = kept_world(world)
    before = keys(library)
    library.close()
    pack.with_name("folder.pack").mkdir()
    pack.rename(pack.with_name("laptop.pack"))
    pack.parent.with_name("archive.json").unlink()
    after = world.library()
    assert keys(after) == before
    world.transcripts()[0].unlink()
    world.tomorrow()
    after.archive.run()
    assert after.archive.verify().sound


def test_whoever_only_has_a_timer_hears_of_a_loss(tmp_path: Path) -> None:
    pollux = Pollux(tmp_path, "0.44.0")
    assert pollux("archive", "run").returncode == 0
    for path in pollux.home.glob(".gemini/tmp/*/chats/*.jsonl"):
        path.unlink()
    assert pollux("archive", "run").returncode == 0
    assert pollux("list").stderr == ""
    (pack,) = tmp_path.glob("**/archive/000001.pack")
    cut(pack)
    for words in (["archive", "run"], ["archive", "run", "--json"], ["archive", "on"]):
        done = pollux(*words)
        assert "is missing: see pollux archive verify" in done.stderr
        assert done.returncode == 4
    for words in (["list", "--no-sync"], ["list"]):
        done = pollux(*words)
        assert "is missing: see pollux archive verify" in done.stderr
        assert done.returncode == 0


def test_keeping_stays_on_where_the_folder_is_gone(world: World) -> None:
    library, pack = kept_world(world)
    library.archive.run()
    library.close()
    shutil.rmtree(pack.parent)
    go_on(world)
    after = world.library()
    after.list()
    assert "is missing" in (after.index.problem or "")
    assert after.archive._store.enabled
    assert live(world) <= stored(after)
    after.archive.off()
    assert not world.library().archive._store.enabled


def test_keeping_that_an_earlier_release_turned_on(world: World) -> None:
    library, pack = kept_world(world)
    pack.parent.with_name("archive.keeping").rename(pack.parent / "keeping")
    assert library.archive._store.enabled
    library.archive.off()
    assert not library.archive._store.enabled
