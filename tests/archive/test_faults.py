"""Damage, a full disk, a second writer, a newer version, a clock that goes back."""

from __future__ import annotations

import errno
import os
import random
import shutil
from pathlib import Path

import pytest

from pollux.archive.archive import Archive
from pollux.archive.packs import MAGIC, PackWriter
from pollux.archive.verify import verify
from pollux.errors import OutputError, StoreError, Unreadable
from pollux.library.library import Filter, Library
from tests.archive.conftest import World


def pack_of(library: Library) -> Path:
    (pack,) = library.archive._store.folder.glob("*.pack")
    return pack


def test_every_flipped_bit_is_found(world: World) -> None:
    world.furnish("gemini/0.39.1")
    library = world.keeping()
    pack = pack_of(library)
    raw = pack.read_bytes()
    last = range(len(raw) - 200, len(raw), 7)
    for place in (*range(0, len(raw) - 200, max(1, len(raw) // 40)), *last):
        broken = bytearray(raw)
        broken[place] ^= 1 << (place % 8)
        pack.write_bytes(broken)
        archive = Archive(library.archive._store.folder, world.folder / "again.db")
        assert not verify(archive).sound, place
        archive.close()
    pack.write_bytes(raw)
    assert verify(library.archive._store).sound


def test_what_is_damaged_is_kept_again_where_the_agent_still_has_it(world: World) -> None:
    world.furnish("gemini/0.39.1")
    library = world.keeping()
    pack = pack_of(library)
    raw = bytearray(pack.read_bytes())
    raw[len(raw) // 2] ^= 1
    pack.write_bytes(raw)
    verdict = library.archive.verify()
    assert not verdict.sound
    library.archive.run()
    again = library.archive.verify()
    assert not again.lost
    assert len(pack.read_bytes()) > len(raw)
    carried = library.archive.export(world.folder / "all.pollux")
    assert (carried.damaged == 0) is again.sound


def test_sessions_around_a_damaged_one_stay(world: World) -> None:
    world.furnish("gemini/0.39.1")
    library = world.keeping()
    keys = {one.summary.key for one in library.list(Filter(everything=True))}
    pack = pack_of(library)
    raw = bytearray(pack.read_bytes())
    raw[len(raw) // 2] ^= 1
    pack.write_bytes(raw)
    for path in world.transcripts():
        path.unlink()
    after = world.library()
    left = {one.summary.key for one in after.list(Filter(everything=True))}
    assert len(keys - left) <= 1
    assert after.index.problem is None or "verify" in after.index.problem


def test_a_full_disk_is_one_sentence_and_leaves_the_archive_whole(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.furnish("gemini/0.39.1")
    library = world.library()
    written = 0
    write = PackWriter.write

    def full(self: PackWriter, head: object, payload: bytes = b"") -> object:
        nonlocal written
        written += 1
        if written > 5:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(self, head, payload)  # type: ignore[arg-type]

    monkeypatch.setattr(PackWriter, "write", full)
    with pytest.raises(StoreError, match="No space left"):
        library.archive.run()
    monkeypatch.undo()
    assert verify(library.archive._store).sound
    assert library.archive.run().changed
    assert verify(library.archive._store).sound


def test_a_second_writer_is_told_to_wait(world: World) -> None:
    world.furnish("gemini/0.39.1")
    library = world.library()
    other = world.library()
    with library.archive._store.appending():
        assert other.archive.run().busy
    assert not other.archive.run().busy


def test_a_newer_version_is_left_alone(world: World) -> None:
    world.furnish("gemini/0.39.1")
    library = world.keeping()
    pack = pack_of(library)
    newer = pack.read_bytes().replace(MAGIC, b"pollux archive 2\n", 1)
    pack.write_bytes(newer)
    library.archive._store.close()
    with pytest.raises(StoreError, match="newer pollux"):
        world.library().archive.run()
    after = world.library()
    assert after.list()
    assert "newer pollux" in (after.index.problem or "")
    assert pack.read_bytes() == newer


def test_a_clock_that_goes_back_puts_nothing_out_of_order(world: World) -> None:
    world.furnish("gemini/0.39.1")
    world.day = 9
    world.tomorrow()
    library = world.keeping()
    path = world.transcripts()[0]
    first = path.read_bytes()
    world.day = 2
    world.tomorrow()
    path.write_bytes(first + b"\n")
    library = world.keeping()
    (session,) = [one.summary.key for one in library.list() if str(path) in one.summary.files]
    changes = [change for change in library.archive.history(library.session(session)) if change.file == str(path)]
    assert [change.change for change in changes] == ["new", "grown"]
    assert changes[0].at < changes[1].at


def test_something_else_is_no_archive(world: World) -> None:
    library = world.keeping()
    other = world.folder / "notes.txt"
    other.write_text("hello")
    with pytest.raises(Unreadable, match="is not a pollux archive"):
        library.archive.import_file(other)
    with pytest.raises(OutputError, match="exists already"):
        library.archive.export(other)


def test_agents_folders_are_only_read(world: World) -> None:
    world.furnish("gemini/0.44.0", "claude/2.1.112", "codex/0.145.0")
    before = world.fingerprint()
    library = world.keeping()
    key = library.list()[0].summary.key
    library.archive.history(library.session(key))
    library.archive.as_of(library.session(key), world.now)
    library.archive.verify()
    library.archive.export(world.folder / "all.pollux")
    library.archive.import_file(world.folder / "all.pollux")
    library.archive.restore(library.archive.plan(library.session(key), world.folder / "back"))
    library.archive.prune([library.session(key)])
    world.keeping()
    assert world.fingerprint() == before


def test_restoring_never_writes_over_a_file(world: World) -> None:
    world.furnish("gemini/0.39.1")
    library = world.keeping()
    path = world.transcripts()[0]
    raw = path.read_bytes()
    (key,) = [one.summary.key for one in library.list() if str(path) in one.summary.files]
    path.write_bytes(raw[:10])
    library = world.library()
    session = library.session(key)
    with pytest.raises(OutputError, match="exists with other content"):
        library.archive.plan(session, None)
    assert path.read_bytes() == raw[:10]
    path.unlink()
    library.archive.restore(library.archive.plan(session, None))
    assert path.read_bytes() == raw


def test_restoring_writes_all_files_or_none(world: World) -> None:
    """The last one cannot be read or written: those before it are taken back, but for one that somebody wrote to."""
    world.furnish("claude/2.1.112")
    library = world.keeping()
    for number, written_to in enumerate((False, True)):
        back = world.folder / f"back-{number}"
        plans = [library.archive.plan(library.session(key.summary.key), back) for key in library.list()]
        # Sessions share the files beside them.
        planned = list({file.place: (restored, file) for plan in plans for restored, file in plan}.values())
        assert len(planned) > 2
        *others, (told, last) = planned

        def broken(change: bool = written_to, place: Path = others[0][1].place) -> bytes:
            if change:
                place.write_bytes(b"more")
            raise StoreError("It is damaged.")

        with pytest.raises(StoreError):
            library.archive.restore([*others, (told, last._replace(content=broken))])
        left = [file for file in back.rglob("*") if file.is_file()]
        assert left == ([others[0][1].place] if written_to else [])


def test_another_machines_archive_is_merged(
    world: World, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.furnish("gemini/0.39.1")
    other = World(tmp_path_factory.mktemp("other"), monkeypatch)
    other.furnish("claude/2.1.112")
    theirs = other.keeping()
    theirs.archive.export(world.folder / "theirs.pollux")
    keys = {one.summary.key for one in theirs.list()}
    ours = world.keeping()
    own = {one.summary.key for one in ours.list()}
    assert ours.archive.import_file(world.folder / "theirs.pollux").states
    assert not ours.archive.import_file(world.folder / "theirs.pollux").states
    merged = {one.summary.key: one.summary.kept for one in world.library().list()}
    assert merged == {**dict.fromkeys(own, False), **dict.fromkeys(keys, True)}


def test_what_was_damaged_and_packed_again_is_carried_whole(world: World) -> None:
    file = world.home / ".gemini/tmp/weather/chats/session-2026-11-01T09-00-0123abcd.jsonl"
    file.parent.mkdir(parents=True)
    file.write_bytes(b'{"sessionId":"0123abcd"}\n' + random.Random(1).randbytes(5000).hex().encode())
    library = world.keeping()
    pack = pack_of(library)
    place = library.archive._store.index.contents()[0].record
    world.tomorrow()
    with file.open("ab") as out:
        out.write(b"more")
    library.archive.run()  # this content stands on the first one
    raw = bytearray(pack.read_bytes())
    raw[place.payload + 1] ^= 1
    pack.write_bytes(raw)
    assert library.archive.verify().damaged == 2
    assert library.archive.export(world.folder / "damaged.pollux").damaged == 1
    whole = file.read_bytes()
    for content in (whole[:-4], whole):
        world.tomorrow()
        file.write_bytes(content)
        library.archive.run()
    assert library.archive.verify().sound
    carried = library.archive.export(world.folder / "all.pollux")
    assert carried.damaged == 0
    library.close()
    shutil.rmtree(library.archive._store.folder)
    other = world.library()
    assert other.archive.import_file(world.folder / "all.pollux").damaged == 0
    verdict = other.archive.verify()
    assert verdict.sound, verdict
