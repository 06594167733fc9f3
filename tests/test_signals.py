"""The tests themselves, where their parent ignores signals as nohup and the background of a script do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

IGNORING = """
import os, signal, sys
for name in ("SIGINT", "SIGHUP", "SIGQUIT"):
    signal.signal(getattr(signal, name), signal.SIG_IGN)
os.execv(sys.executable, [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *sys.argv[1:]])
"""


def test_ctrl_c_can_be_pressed_by_tests_whose_parent_ignores_it() -> None:
    place = Path(__file__).parent.parent
    pressing = ["tests/index/test_crash.py", "tests/cli/test_cache.py", "-k", "ctrl_c or interrupted_command"]
    command = [sys.executable, "-c", IGNORING, *pressing]
    process = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
    assert "2 passed" in process.stdout, process.stdout
