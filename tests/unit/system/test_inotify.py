"""What Linux reports of folders: everything below them, also what is new, and nothing outside."""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pollux.system import inotify
from pollux.system.inotify import Inotify

pytestmark = pytest.mark.skipif(not inotify.is_available(), reason="only Linux has inotify")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "root" / "deep" / "deeper").mkdir(parents=True)
    (tmp_path / "root" / "deep" / "file").write_text("one\n")
    (tmp_path / "elsewhere").mkdir()
    return tmp_path / "root"


@pytest.fixture
def reports(folder: Path) -> Iterator[Inotify]:
    with Inotify([folder]) as found:
        yield found


def is_told(reports: Inotify) -> bool:
    """Is something told, and then no more?"""
    told = reports.wait(5)
    while reports.wait(0.05):
        pass
    return told


def append(file: Path) -> None:
    with file.open("a") as out:
        out.write("two\n")


CHANGES: dict[str, Callable[[Path], object]] = {
    "a line more": lambda root: append(root / "deep" / "file"),
    "a new file": lambda root: (root / "deep" / "deeper" / "new").write_text("x"),
    "a file that is gone": lambda root: (root / "deep" / "file").unlink(),
    "a file in place of another": lambda root: (root / "deep" / "file").rename(root / "file"),
    "other permissions": lambda root: (root / "deep" / "file").chmod(0o600),
    "a folder that is gone": lambda root: (root / "deep" / "deeper").rmdir(),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_told_and_then_no_more(folder: Path, reports: Inotify, name: str) -> None:
    assert not reports.wait(0)
    CHANGES[name](folder)
    assert is_told(reports)
    assert not reports.wait(0)


def test_whoever_waits_is_woken_at_once(folder: Path, reports: Inotify) -> None:
    threading.Timer(0.2, (folder / "new").write_text, ["x"]).start()
    began = time.monotonic()
    assert reports.wait(60)
    assert time.monotonic() - began < 30


def test_reading_is_no_change(folder: Path, reports: Inotify) -> None:
    assert (folder / "deep" / "file").read_text() == "one\n"
    assert len([*folder.rglob("*")]) == 3
    assert not reports.wait(0.2)


def test_new_folders_are_watched_with_what_is_below_them(folder: Path, reports: Inotify) -> None:
    (folder / "new" / "newer").mkdir(parents=True)
    assert is_told(reports)
    (folder / "new" / "newer" / "file").write_text("x")
    assert is_told(reports)


def test_a_folder_that_moves_stays_watched_and_so_does_what_comes_into_it(folder: Path, reports: Inotify) -> None:
    (folder / "deep").rename(folder / "moved")
    assert is_told(reports)
    (folder / "moved" / "deeper" / "newest").mkdir()
    assert is_told(reports)
    (folder / "moved" / "deeper" / "newest" / "file").write_text("x")
    assert is_told(reports)


def test_a_root_may_be_a_link_and_no_other_link_is_followed(folder: Path) -> None:
    elsewhere = folder.parent / "elsewhere"
    (folder / "out").symlink_to(elsewhere)
    (folder.parent / "link").symlink_to(folder)
    with Inotify([folder.parent / "link"]) as reports:
        (folder / "later").symlink_to(elsewhere)
        assert is_told(reports)
        (elsewhere / "file").write_text("x")
        assert not reports.wait(0.2)
        (folder / "deep" / "file").write_text("x")
        assert is_told(reports)


def test_a_root_that_is_gone_ends_it(folder: Path) -> None:
    with Inotify([folder]) as reports:
        folder.rename(folder.parent / "other")
        with pytest.raises(FileNotFoundError):
            reports.wait(5)


def test_a_root_that_is_not_there_is_left_alone(folder: Path) -> None:
    with Inotify([folder.parent / "nowhere", folder]) as reports:
        (folder / "file").write_text("x")
        assert is_told(reports)


def test_after_lost_reports_new_folders_are_found(
    folder: Path, reports: Inotify, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "new").mkdir()
    lost = struct.pack("iIII", -1, 0x4000, 0, 0)
    with monkeypatch.context() as patch:
        read = os.read
        patch.setattr(os, "read", lambda handle, size: (read(handle, size), lost)[1])
        assert reports.wait(5)
    (folder / "new" / "file").write_text("x")
    assert is_told(reports)


def test_no_more_watches_is_an_error(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, open_before = inotify._libc(), len([*Path("/proc/self/fd").iterdir()])

    class Full:
        inotify_init1 = real.inotify_init1

        def inotify_add_watch(self, *_: Any) -> int:
            ctypes.set_errno(errno.ENOSPC)
            return -1

    monkeypatch.setattr(inotify, "_libc", Full)
    with pytest.raises(OSError, match="No space"):
        Inotify([folder])
    assert len([*Path("/proc/self/fd").iterdir()]) == open_before
