"""A home whose agents are stand-ins, for programs in a real terminal."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from pollux.library.sample import HOME
from tests.tui.driving import environment
from tests.tui.terminal import pollux_command

STAND_IN = """#!/bin/sh
echo "STAND-IN $PWD $* NO_COLOR=[$NO_COLOR]"
read line
echo "typed $line"
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The sample as a home of one's own, its projects among it."""
    home = Path(shutil.copytree(HOME, tmp_path / "home"))
    for file in home.rglob("*.json*"):
        file.write_text(file.read_text("utf-8").replace("/home/juno", str(home)), "utf-8")
    for name in ("tidewatch", "seedbank", "postcards"):
        (home / "code" / name).mkdir(parents=True, exist_ok=True)
    return home


@pytest.fixture
def env(tmp_path: Path, home: Path) -> dict[str, str]:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("claude", "codex", "gemini"):
        (programs / name).write_text(STAND_IN)
        (programs / name).chmod(stat.S_IRWXU)
    variables = environment(home, tmp_path)
    subprocess.run(
        pollux_command("sync"), env={**variables, "PATH": os.environ["PATH"]}, check=True, capture_output=True
    )
    return {**variables, "PATH": f"{programs}:/usr/bin:/bin", "TERM": "xterm-256color", "LANG": "C.UTF-8"}
