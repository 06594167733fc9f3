"""The list of teams."""

from __future__ import annotations

from pathlib import Path

import pytest

from pollux.errors import RequestError
from pollux.lake.load import read_teams


def test_each_person_has_a_team(tmp_path: Path) -> None:
    (tmp_path / "teams.toml").write_text('ada = "shop"\n"bob@acme.example" = "tools"\n')
    assert read_teams(tmp_path / "teams.toml") == {"ada": "shop", "bob@acme.example": "tools"}


@pytest.mark.parametrize("text", ["ada = ", "ada = 7", '[shop]\npeople = ["ada"]', "\xff"])
def test_another_list_is_refused_with_an_example(tmp_path: Path, text: str) -> None:
    (tmp_path / "teams.toml").write_text(text, "latin-1")
    with pytest.raises(RequestError) as refused:
        read_teams(tmp_path / "teams.toml")
    assert 'ada = "shop"' in (refused.value.hint or "")
