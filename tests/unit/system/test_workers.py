"""Work shared out among processes."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time

import pytest

LOST = """
import os, re
from pollux.system.workers import run_jobs

def job(number):
    os.write(1, b"%d\\n" % os.getpid())
    return re.match("(a+)+$", "a" * 60 + "!") or b""

list(run_jobs(job, 4, 2))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only")
def test_nobody_stays_lost_in_work_when_the_maker_is_gone() -> None:
    maker = subprocess.Popen([sys.executable, "-c", LOST], stdout=subprocess.PIPE, text=True)
    assert maker.stdout is not None
    lost = [int(maker.stdout.readline()) for _ in range(2)]
    assert all(_lives(process) for process in lost)
    maker.send_signal(signal.SIGKILL)
    maker.wait(10)
    until = time.monotonic() + 10
    while any(_lives(process) for process in lost) and time.monotonic() < until:
        time.sleep(0.1)
    maker.stdout.close()
    assert not any(_lives(process) for process in lost)


def _lives(process: int) -> bool:
    """Is the process at work? One that is gone may stay in the table for a while."""
    try:
        os.kill(process, 0)
        with open(f"/proc/{process}/stat", encoding="utf-8") as file:  # noqa: PTH123
            return re.search(r"\) [ZX] ", file.read()) is None
    except (ProcessLookupError, FileNotFoundError):
        return False


HOLDS_A_LOCK = """
import threading
from functools import cached_property
from pollux.system.workers import run_jobs

class Value:
    def __init__(self, hold):
        self.hold = hold

    @cached_property
    def lazy(self):
        if self.hold:
            held.set()
            over.wait(60)
        return b"made"

held, over = threading.Event(), threading.Event()
other = threading.Thread(target=lambda: Value(True).lazy)
other.start()
held.wait(30)
# Before Python 3.12 the other thread holds the lock of the property now.
print([content for _, content in run_jobs(lambda _: Value(False).lazy, 2, 2)], flush=True)
over.set()
other.join()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only")
def test_a_lock_that_another_thread_holds_in_the_fork_stops_no_worker() -> None:
    done = subprocess.run([sys.executable, "-c", HOLDS_A_LOCK], capture_output=True, text=True, timeout=40, check=True)
    assert done.stdout == "[b'made', b'made']\n"


SHARES_MEMORY = """
import gc
from pathlib import Path
from pollux.system.workers import run_jobs

def job(_number):
    gc.collect()
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return next(line for line in lines if line.startswith("Private_Dirty:")).split()[1].encode()

values = [[number] for number in range(400_000)]
print(int(next(run_jobs(job, 1, 1))[1]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux only")
def test_a_collection_in_a_worker_does_not_copy_the_memory_of_its_parent() -> None:
    own = subprocess.run([sys.executable, "-c", SHARES_MEMORY], capture_output=True, text=True, check=True).stdout
    assert int(own) < 10_000, "kilobytes that the worker holds alone; the values take forty thousand"
