"""Packs that are cut, gone, or not to be listed: nothing is written over, nothing is called whole, and all is told."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import zstandard

from pollux.archive.index import Index
from pollux.archive.packs import MAGIC, PackWriter, Replaces, State, begin, scan
from pollux.errors import NotFound, OutputError, StoreError
from pollux.library.library import Filter, Library
from pollux.system.files import opened, rename_new
from tests.archive.conftest import World
from tests.cli.running import Pollux

EVERYTHING = Filter(everything=True)


def kept_world(world: World) -> tuple[Library, Path]:
    """A home that is kept, in one pack, and of which a session is gone since."""
    world.furnish("gemini/0.39.1")
    library = world.keeping()
    world.transcripts()[-1].unlink()
    world.tomorrow()
    library.sync()
    library.close()
    (pack,) = library.archive.store.folder.glob("*.pack")
    return library, pack


def keys(library: Library) -> set[str]:
    return {one.summary.key for one in library.list(EVERYTHING)}


# ---------------------------------------------------------------------------------------------- what cannot be listed


@pytest.fixture(params=[errno.EACCES, errno.EIO])
def closed(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Makes a folder one that the system does not list."""
    real = os.scandir

    def close(folder: Path) -> None:
        def scandir(path: Any = ".") -> Any:
            if isinstance(path, str | Path) and Path(path) == folder:
                raise OSError(request.param, os.strerror(request.param), str(path))
            return real(path)

        monkeypatch.setattr(os, "scandir", scandir)

    return close


def test_an_archive_that_cannot_be_listed_is_not_written_over(world: World, closed: Callable[[Path], None]) -> None:
    library, pack = kept_world(world)
    raw = pack.read_bytes()
    closed(library.archive.store.folder)
    acts: list[Callable[[Library], object]] = [
        lambda one: one.archive.run(),
        lambda one: one.archive.verify(),
        lambda one: one.archive.export(world.folder / "all.pollux"),
        lambda one: one.archive.status(),
        lambda one: one.archive.store.exists,
        lambda one: one.archive.store.index,
    ]
    for act in acts:
        with pytest.raises(StoreError, match="cannot be read"):
            act(world.library())
    assert pack.read_bytes() == raw
    assert not (world.folder / "all.pollux").exists()


def test_an_archive_that_cannot_be_listed_keeps_nobody_from_an_answer(
    world: World, closed: Callable[[Path], None]
) -> None:
    library, _ = kept_world(world)
    before = keys(library)
    generation = library.index.info().generation
    closed(library.archive.store.folder)
    after = world.library()
    assert keys(after) == before
    assert f"archive in {library.archive.store.folder} cannot be read" in (after.index.problem or "")
    assert after.index.info().generation == generation  # the cache is not to blame
    assert after.doctor().archive is not None


def test_a_note_that_cannot_be_read_is_no_decision(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    library, _ = kept_world(world)
    real = Path.stat

    def stat(self: Path, **options: Any) -> os.stat_result:
        if self.parent == library.archive.store.folder:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(self))
        return real(self, **options)

    monkeypatch.setattr(Path, "stat", stat)
    with pytest.raises(StoreError, match="cannot be read"):
        _ = library.archive.store.keeping
    assert not library.archive.offer()
    told = library.schedule.state()
    assert told.keeping is None


def test_a_pack_is_never_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pack = tmp_path / "000001.pack"
    pack.write_bytes(MAGIC + b"all there is")
    with pytest.raises(FileExistsError):
        begin(pack)

    def no_links(*_: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", no_links)
    with pytest.raises(FileExistsError):
        begin(pack)
    assert pack.read_bytes() == MAGIC + b"all there is"
    (tmp_path / "new.making").write_bytes(b"new")
    rename_new(tmp_path / "new.making", tmp_path / "new")
    assert (tmp_path / "new").read_bytes() == b"new"


# ---------------------------------------------------------------------------------------------- what is not there


def cut(pack: Path) -> None:
    os.truncate(pack, pack.stat().st_size // 2)


def cut_between_records(pack: Path) -> None:
    with opened(pack) as file:
        ends = [found.end for found in scan(file)]
    os.truncate(pack, ends[len(ends) // 2])


def zero(pack: Path) -> None:
    half = pack.stat().st_size // 2
    with pack.open("r+b") as file:
        file.seek(half)
        file.write(bytes(pack.stat().st_size - half))


HARM: dict[str, Callable[[Path], object]] = {
    "cut": cut,
    "cut between records": cut_between_records,
    "zeros": zero,
    "deleted": Path.unlink,
    "emptied": lambda pack: pack.write_bytes(b""),
    "folder deleted": lambda pack: shutil.rmtree(pack.parent),
}


@pytest.mark.parametrize("cleared", [False, True], ids=["", "cache cleared"])
@pytest.mark.parametrize("harm", HARM.values(), ids=HARM)
def test_a_loss_is_told_until_somebody_accepts_it(world: World, harm: Callable[[Path], object], cleared: bool) -> None:
    library, pack = kept_world(world)
    gone = [told for told in library.archive.store.index.states() if told.sha is None]
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


def places(states: list[Any]) -> set[tuple[str, bytes, bytes]]:
    return {(state.agent, state.home, state.path) for state in states}


def live(world: World) -> set[str]:
    return {str(path) for path in world.session_files()}


def stored(library: Library) -> set[str]:
    states = library.archive.store.index.states()
    return {os.fsdecode(os.path.join(s.home, s.path)) for s in states if s.sha is not None}  # noqa: PTH118


@pytest.mark.parametrize("harm", HARM.values(), ids=HARM)
def test_what_the_agents_still_have_is_kept_again_and_all_is_well(world: World, harm: Callable[[Path], object]) -> None:
    world.furnish("gemini/0.39.1")
    library = world.keeping()
    (pack,) = library.archive.store.folder.glob("*.pack")
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
    other.archive.add(world.folder / "all.pollux")
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
    other.archive.add(early)
    assert other.archive.verify().missing
    other.archive.add(backup)
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
    assert after.archive.store.keeping
    assert live(world) <= stored(after)
    after.archive.turn(on=False)
    assert not world.library().archive.store.keeping


def test_keeping_that_an_earlier_release_turned_on(world: World) -> None:
    library, pack = kept_world(world)
    pack.parent.with_name("archive.keeping").rename(pack.parent / "keeping")
    assert library.archive.store.keeping
    library.archive.turn(on=False)
    assert not library.archive.store.keeping


# ---------------------------------------------------------------------------------------------- pruning after a loss


def hole(pack: Path) -> None:
    """Zeros in the middle, so that the pack is as long as it was."""
    with opened(pack) as file:
        records = list(scan(file))
    place = records[len(records) // 2]
    with pack.open("r+b") as file:
        file.seek(place.offset)
        file.write(bytes(place.end - place.offset))


CUTS = {**{name: HARM[name] for name in ("cut", "cut between records", "zeros", "deleted", "emptied")}, "hole": hole}


def lossy(world: World, harm: Callable[[Path], object]) -> tuple[Library, Path, bytes, set[str]]:
    """A kept world whose pack is harmed. Gives the bytes that it had, and all sessions."""
    library, pack = kept_world(world)
    before, raw = keys(library), pack.read_bytes()
    library.close()
    harm(pack)
    return world.library(), pack, raw, before


def go_on(world: World) -> None:
    """An agent writes on the next day."""
    world.tomorrow()
    with world.transcripts()[0].open("ab") as out:
        out.write(b"{}\n")


def prune_one(world: World) -> str:
    library = world.library()
    (key, *_) = sorted(keys(library))
    library.archive.run()
    library.archive.prune([library.session(key)])
    library.close()
    return key


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
    states = {(s.agent, s.home, s.path, s.sha) for s in world.library().archive.store.index.states()}
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
    assert {(s.agent, s.home, s.path, s.sha) for s in world.library().archive.store.index.states()} >= states


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
    planned = library.archive.plan(library.archive.states(session, None), world.folder / "back")
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
    pen.write(Replaces(packs=(pack.name,)))
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


# ---------------------------------------------------------------------------------------------- damage


def flip(library: Library, pack: Path) -> None:
    """One byte of the content of which only the archive knows."""
    (state, *_) = [one for one in library.archive.store.index.states() if one.change == "gone"]
    (last,) = [one for one in library.archive.store.index.states(*state_place(state)) if one.sha is not None]
    spoil(library, pack, last)


def spoil(library: Library, pack: Path, state: State) -> None:
    location = library.archive.store.index.content(state.sha or b"")
    assert location is not None
    raw = bytearray(pack.read_bytes())
    raw[location.record.payload + location.record.length // 2] ^= 0xFF
    pack.write_bytes(raw)


def state_place(state: State) -> tuple[str, bytes, bytes]:
    return state.agent, state.home, state.path


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
    (pack,) = library.archive.store.folder.glob("*.pack")
    raw = pack.read_bytes()
    (state, *_) = [one for one in library.archive.store.index.states() if one.change in ("rewritten", "cut")]
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
        patch.setattr("pollux.archive.keep.payload_of", fail)
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


# ---------------------------------------------------------------------------------------------- a full disk


@pytest.mark.parametrize("reason", [errno.ENOSPC, errno.EROFS])
def test_what_is_kept_is_shown_though_nothing_more_can_be_kept(
    world: World, monkeypatch: pytest.MonkeyPatch, reason: int
) -> None:
    world.furnish("gemini/0.39.1")
    before = keys(world.keeping())
    for path in world.transcripts()[:2]:
        path.unlink()

    def refuse(*_: object, **__: object) -> None:
        raise OSError(reason, os.strerror(reason))

    monkeypatch.setattr(PackWriter, "write", refuse)
    after = world.library()
    assert keys(after) == before
    assert os.strerror(reason) in (after.index.problem or "")


def test_an_export_that_has_no_place_is_refused(world: World) -> None:
    library, _ = kept_world(world)
    (world.folder / "file").write_bytes(b"")
    with pytest.raises(OutputError, match="cannot be written"):
        library.archive.export(world.folder / "file" / "all.pollux")
    longest = world.folder / ("a" * 255)
    library.archive.export(longest)
    assert longest.stat().st_size
    assert not list(world.folder.glob(".*"))


# ---------------------------------------------------------------------------------------------- two at once


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
    states = library.archive.store.index.states()
    library.close()
    index = world.folder / "cache/pollux/archive.db"
    raw = bytearray(index.read_bytes())
    raw[4096:] = b"\xff" * (len(raw) - 4096)
    index.write_bytes(raw)
    after = world.library()
    assert keys(after) == before
    assert set(after.archive.store.index.states()) == set(states)


# ---------------------------------------------------------------------------------------------- words


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
    told = library.archive.store.keep(looks)
    assert told.unread == []
    assert told.changed
