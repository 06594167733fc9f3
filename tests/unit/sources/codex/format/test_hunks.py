"""The files that a patch names."""

from __future__ import annotations

import pytest

from pollux.index.search.passages import paths_in
from pollux.sources.codex.format.tools import hunks


@pytest.mark.parametrize(
    ("written", "name"),
    [("a b.txt", "a b.txt"), ("a.txt \t\r", "a.txt"), (" a", " a"), ("  ", " "), ("a   b  ", "a   b"), ("a\n\n", "a")],
)
def test_a_name_ends_before_the_blanks(written: str, name: str) -> None:
    patch = f"*** Begin Patch\n*** Update File: {written}\n*** Move to: {written}\n*** End Patch"
    assert hunks(patch) == [{"kind": "move", "path": name, "to": name}]
    assert list(paths_in({"input": patch})) == [name, name]
