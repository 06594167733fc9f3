from __future__ import annotations

import pytest

from pollux.export.names import file_name


def test_a_plain_id_is_its_own_name() -> None:
    assert file_name("gemini", "3274cde4-46bd", ".md") == "gemini-3274cde4-46bd.md"


@pytest.mark.parametrize(
    "id", ["../../etc/passwd", "a/b", "a\\b", "..", "", "a\x00b", "a\nb", "x" * 5000, "\udcff", "CON", "架构"]
)
def test_names_are_safe(id: str) -> None:
    name = file_name("gemini", id, ".json")
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789._-")
    assert name.startswith("gemini-")
    assert ".." not in name
    assert len(name) < 120
    assert name == file_name("gemini", id, ".json")


def test_ids_never_share_a_name() -> None:
    ids = ["ab", "AB", "aB", "a/b", "a\\b", "a-b", "a b", "a--b", ".", "..", "x" * 100, "x" * 101, "ab.", "ab-"]
    assert len({file_name("gemini", id, ".md") for id in ids}) == len(ids)
