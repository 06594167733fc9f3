"""Where a project is now, after any number of moves."""

from __future__ import annotations

from pathlib import Path

import pytest

from pollux.errors import NotFound, RequestError
from pollux.projects.moves import Moves
from pollux.system.directories import Places


def moves(tmp_path: Path) -> Moves:
    return Moves(Places({"HOME": str(tmp_path)}))


def test_moves_add_up_and_take_what_lies_below_along(tmp_path: Path) -> None:
    moves(tmp_path).move("/a", "/b")
    moves(tmp_path).move("/b", "/c")
    assert moves(tmp_path).now("/a/inner") == "/c/inner"
    assert moves(tmp_path).now("/ab") == "/ab"
    assert moves(tmp_path).undo("/b") == "/c"
    assert moves(tmp_path).now("/a") == "/b"
    with pytest.raises(NotFound):
        moves(tmp_path).undo("/b")


@pytest.mark.parametrize(("old", "new"), [("/a", "/a"), ("/a", "/a/inner"), ("/b", "/a")])
def test_a_move_in_a_circle_makes_no_sense(tmp_path: Path, old: str, new: str) -> None:
    moves(tmp_path).move("/a", "/b") if old == "/b" else None
    with pytest.raises(RequestError):
        moves(tmp_path).move(old, new)
