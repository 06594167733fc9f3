"""Briefs of the sample, against the files in tests/golden/brief. POLLUX_UPDATE_GOLDEN=1 renews them."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from pollux.library.library import Library
from pollux.library.redaction import redactor
from pollux.library.sample import sample_environment

GOLDEN = Path(__file__).parents[3] / "golden" / "brief"
REQUESTS = {
    "claude": (["claude:a49ffc28"], 2000),
    "codex": (["codex:01a1778c"], 2000),
    "gemini": (["gemini:aa6812ea"], 2000),
    "compressed": (["gemini:1c0be182"], 400),
    "planned": (["gemini:c883e3cb"], 2000),
    "several": (["gemini:6403bd4e", "codex:01a1b23d", "claude:ba57feba"], 900),
    "query": (["clocks OR packet"], 1500),
}


@pytest.mark.parametrize("name", REQUESTS)
def test_golden(name: str) -> None:
    words, tokens = REQUESTS[name]
    with TemporaryDirectory() as folder:
        environ, cwd = sample_environment(folder)
        with Library(environ, cwd, hunt=False) as library:
            remover = redactor(library.settings_file, library.user_home)
            brief = library.brief.make(library.brief.asked(words), tokens=tokens, redactor=remover)
    file = GOLDEN / f"{name}.txt"
    if os.environ.get("POLLUX_UPDATE_GOLDEN"):
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"{brief.text}\n", "utf-8")
    assert f"{brief.text}\n" == file.read_text("utf-8")
