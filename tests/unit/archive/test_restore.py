"""Files put back: all of them, or nothing is left behind."""

from __future__ import annotations

import hashlib
from functools import partial
from pathlib import Path

import pytest

from pollux.archive.restore import FileToWrite, plan, write
from pollux.errors import OutputError, StoreError


def file(place: Path, content: bytes = b"kept") -> FileToWrite:
    return FileToWrite(place, len(content), hashlib.sha256(content).hexdigest(), 0, partial(bytes, content))


def damaged() -> bytes:
    raise StoreError("What is kept is damaged.")


def everything(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_what_could_not_be_written_leaves_no_folder_behind(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    planned = plan([file(tmp_path / "there" / "a" / "b" / "one"), file(tmp_path / "there" / "a" / "c" / "two")])
    planned[1] = planned[1][0], planned[1][1]._replace(content=damaged)
    with pytest.raises(StoreError):
        write(planned)
    assert everything(tmp_path) == ["there"]


def test_a_folder_in_which_somebody_put_something_stays(tmp_path: Path) -> None:
    planned = plan([file(tmp_path / "a" / "one"), file(tmp_path / "a" / "two")])

    def busy() -> bytes:
        (tmp_path / "a" / "two").write_text("somebody else's")
        return b"kept"

    planned[1] = planned[1][0], planned[1][1]._replace(content=busy)
    with pytest.raises(OutputError, match="was created by another program meanwhile"):
        write(planned)
    assert everything(tmp_path) == ["a", "a/two"]
