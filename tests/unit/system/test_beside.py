"""A process beside this one."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only")

HEAD = """
import os, threading
from pollux.system.beside import Beside

def told_by_another():
    place = os.getpid()
    return lambda question: question + (b" here" if place == parent else b" beside")

parent = os.getpid()
"""


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("print(Beside.begin(told_by_another).ask(b'made'))", "b'made beside'"),
        ("print(Beside.begin(lambda: os._exit(3)).ask(b''))", "None"),
        ("print(Beside.begin(lambda: {}['nothing']).ask(b''))", "None"),
        ("print(Beside.begin(lambda: lambda question: 1 / 0).ask(b''))", "None"),
        ("threading.Thread(target=lambda: print(Beside.begin(told_by_another))).start()", "None"),
        ("Beside.begin(told_by_another); print('not asked')", "not asked"),
    ],
)
def test_what_it_says(lines: str, said: str) -> None:
    run = subprocess.run([sys.executable, "-c", HEAD + lines], capture_output=True, text=True, check=True, timeout=60)
    assert (run.stdout.strip(), run.stderr) == (said, "")


def test_it_ends_with_its_parent() -> None:
    lines = "Beside.begin(lambda: print(os.getpid(), flush=True) or bytes); input()"
    parent = subprocess.Popen([sys.executable, "-c", HEAD + lines], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert parent.stdout is not None
    assert int(parent.stdout.readline()) != parent.pid
    parent.kill()
    assert parent.stdout.read() == b""  # the pipe is closed only when both are gone
    parent.communicate()
