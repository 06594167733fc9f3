"""Signals at unusual moments, and tests whose parent ignores signals as nohup and the background of a script do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

IGNORING = """
import os, signal, sys
for name in ("SIGINT", "SIGHUP", "SIGQUIT"):
    signal.signal(getattr(signal, name), signal.SIG_IGN)
os.execv(sys.executable, [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *sys.argv[1:]])
"""

IN_A_CLASS = """
import sys
import pollux.cli
import pollux.cli.app
from pollux.system.termination import Terminated

class Interrupted:
    def __set_name__(self, owner, name):
        raise {interrupt}

def importing(*_):
    class Imported:
        value = Interrupted()

{where} = importing
sys.argv[1:] = {arguments}
pollux.cli.main()
"""


@pytest.mark.parametrize(("interrupt", "status"), [("KeyboardInterrupt", 130), ("Terminated(15)", 143)])
@pytest.mark.parametrize(
    ("where", "arguments"), [("pollux.cli._open_ui", []), ("pollux.cli.app.cli.invoke", ["list", "--limit", "1"])]
)
def test_an_interrupted_import_is_an_interruption(
    interrupt: str, status: int, where: str, arguments: list[str]
) -> None:
    code = IN_A_CLASS.format(interrupt=interrupt, where=where, arguments=arguments)
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (process.returncode, process.stderr) == (status, "")


def test_signals_can_be_sent_by_tests_whose_parent_ignores_them() -> None:
    place = Path(__file__).parent.parent
    files = ["tests/index/test_crash.py", "tests/cli/test_cache.py", "tests/tui/test_leaving.py"]
    command = [sys.executable, "-c", IGNORING, *files, "-k", "ctrl_c or interrupted_command or signals_are_told"]
    process = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
    assert "3 passed" in process.stdout, process.stdout
