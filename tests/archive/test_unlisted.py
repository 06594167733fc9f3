"""An archive that cannot be listed, or not be written: nothing is written over, and what is kept is shown."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pollux.archive.packs import MAGIC, PackWriter, begin
from pollux.errors import OutputError, StoreError
from pollux.library.library import Library
from pollux.system.files import rename_new
from tests.archive.conftest import World
from tests.archive.losses import (
    kept_world,
    keys,
)


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
    closed(library.archive._store.folder)
    acts: list[Callable[[Library], object]] = [
        lambda one: one.archive.run(),
        lambda one: one.archive.verify(),
        lambda one: one.archive.export(world.folder / "all.pollux"),
        lambda one: one.archive.status(),
        lambda one: one.archive._store.exists,
        lambda one: one.archive._store.index,
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
    closed(library.archive._store.folder)
    after = world.library()
    assert keys(after) == before
    assert f"archive in {library.archive._store.folder} cannot be read" in (after.index.problem or "")
    assert after.index.info().generation == generation  # the cache is not to blame
    assert after.doctor().archive is not None


def test_a_note_that_cannot_be_read_is_no_decision(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    library, _ = kept_world(world)
    real = Path.stat

    def stat(self: Path, **options: Any) -> os.stat_result:
        if self.parent == library.archive._store.folder:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(self))
        return real(self, **options)

    monkeypatch.setattr(Path, "stat", stat)
    with pytest.raises(StoreError, match="cannot be read"):
        _ = library.archive._store.enabled
    assert not library.archive._store.should_suggest()
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
