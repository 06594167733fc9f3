from __future__ import annotations

import os
from pathlib import Path

import pytest

from pollux.errors import OutputError
from pollux.system.output_file import OutputFile


def write(path: Path | str, text: str, *, force: bool = False) -> None:
    with OutputFile(str(path), forbidden=(), force=force).open() as out:
        out(text)


@pytest.mark.parametrize("name", ["a.md", "架" * 84 + ".md", "a" * 252 + ".md", "\udcff.md"])
def test_a_file_of_any_name_is_written_whole_and_alone(tmp_path: Path, name: str) -> None:
    write(tmp_path / name, "first")
    write(tmp_path / name, "second", force=True)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text("utf-8") == "second"


def test_it_has_the_rights_of_any_new_file(tmp_path: Path) -> None:
    mask = os.umask(0o027)
    try:
        write(tmp_path / "a", "text")
    finally:
        os.umask(mask)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640


def test_what_fails_leaves_the_old_one_and_nothing_else(tmp_path: Path) -> None:
    write(tmp_path / "a", "old")
    with pytest.raises(TypeError):
        _half(OutputFile(str(tmp_path / "a"), forbidden=(), force=True))
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_text("utf-8") == "old"


def _half(target: OutputFile) -> None:
    with target.open() as out:
        out("half of the new")
        raise TypeError


def test_what_is_there_stays_unless_forced(tmp_path: Path) -> None:
    write(tmp_path / "a", "old")
    with pytest.raises(OutputError, match="exists already"):
        write(tmp_path / "a", "new")


@pytest.mark.parametrize("path", [".", "/", "..", "folder"])
def test_a_folder_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    with pytest.raises(OutputError, match="Is a directory"):
        write(path, "text", force=True)
