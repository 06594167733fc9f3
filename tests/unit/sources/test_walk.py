"""Going through folders."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from pollux.sources.base import File, Status
from pollux.sources.walk import CLOSED, OTHER, FolderRules, every_file, ignored, walk

THINGS = every_file(("thing", Status.READ, None))


def told(root: Path, files: list[File]) -> list[tuple[str, str, str, str | None]]:
    return [(str(Path(file.path).relative_to(root)), file.role, file.status, file.reason) for file in files]


def test_files_come_by_name_with_what_lies_below_in_its_place(tmp_path: Path) -> None:
    for name in ("b.txt", "a/z.txt", "a/y/x.txt", "c/left.txt", "d.tmp"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    way = FolderRules(
        lambda name: None if name.endswith(".tmp") else ignored("loose"), lambda name: None if name == "c" else THINGS
    )
    files = walk(str(tmp_path), way, [])
    assert told(tmp_path, files) == [
        ("a/y/x.txt", "thing", "read", None),
        ("a/z.txt", "thing", "read", None),
        ("b.txt", OTHER, "ignored", "loose"),
    ]
    stat = (tmp_path / "b.txt").stat()
    assert (files[-1].size, files[-1].mtime_ns, files[-1].inode) == (stat.st_size, stat.st_mtime_ns, stat.st_ino)


def test_what_is_no_plain_file_says_so(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").write_text("")
    (tmp_path / "link").symlink_to(tmp_path / "folder")
    (tmp_path / "lost").symlink_to(tmp_path / "nowhere")
    (tmp_path / "same").symlink_to(tmp_path / "folder" / "file")
    assert told(tmp_path, walk(str(tmp_path), THINGS, [])) == [
        ("folder/file", "thing", "read", None),
        ("link", OTHER, "ignored", "a link to a folder; links are not followed"),
        ("lost", OTHER, "unreadable", os.strerror(2)),
        ("same", "thing", "read", None),
    ]


@pytest.mark.parametrize("call", ["open", "scandir"])
@pytest.mark.parametrize("own", [True, False])
def test_a_folder_that_cannot_be_opened(tmp_path: Path, call: str, own: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").write_text("")
    genuine = getattr(os, call)
    opened: list[Any] = []

    def refuse(place: Any, *given: Any) -> Any:
        opened.append(place)
        if len(opened) == 2:
            raise PermissionError(13, "Permission denied")
        return genuine(place, *given)

    inner = THINGS._replace(own=own)
    monkeypatch.setattr(os, "supports_fd", {refuse if call == "scandir" else os.scandir})
    monkeypatch.setattr(os, call, refuse)
    result = told(tmp_path, walk(str(tmp_path), FolderRules(THINGS.file, lambda _: inner), []))
    refused = [("a", CLOSED, "unreadable", "Permission denied")] if own else []
    assert result == [*refused, ("b", "thing", "read", None)]


def test_without_handles_of_folders_the_files_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").mkdir()
    for name in ("a/x", "b"):
        (tmp_path / name).write_text(name)
    by_handle = walk(str(tmp_path), THINGS, [])
    monkeypatch.setattr(os, "supports_fd", set())
    assert walk(str(tmp_path), THINGS, []) == by_handle
    assert len(by_handle) == 2


def test_there_is_nothing_in_a_folder_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert walk(str(tmp_path / "none"), THINGS, []) == []
    assert walk(str(tmp_path / "file"), THINGS, []) == []
