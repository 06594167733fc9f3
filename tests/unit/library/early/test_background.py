"""Whether a command may leave a process behind."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pollux.library.early.background import VARIABLE, is_enabled
from pollux.system.directories import Places


@pytest.mark.skipif(os.name != "posix", reason="elsewhere none is started")
@pytest.mark.parametrize(
    ("settings", "variable", "wanted"),
    [
        ("", "", True),
        ("[sync]\nbackground = false\n", "", False),
        ("[sync]\nbackground = false\n", "1", True),
        ("[sync]\nbackground = true\n", "0", False),
        ("[sync]\nbackground = true\n", "No", False),
        ('[sync]\nbackground = "no"\n', "", False),
        ("[sync]\nbakground = false\n", "", False),
    ],
)
def test_who_wants_no_process_gets_none(tmp_path: Path, settings: str, variable: str, wanted: bool) -> None:
    """Settings that are wrong may be meant to turn it off."""
    places = Places({"HOME": str(tmp_path), VARIABLE: variable})
    places.settings.parent.mkdir(parents=True)
    places.settings.write_text(settings)
    assert is_enabled(places) is wanted
