"""What all tests share."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# Whoever is started in the background of a script ignores Ctrl-C, and with nohup the end of the terminal; and so do all
# that it starts. Some tests send these signals.
for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, usual)

# No test leaves a process behind, but those that are about it.
os.environ["POLLUX_BACKGROUND"] = "0"

# How long an example takes says something about the machine, not about the code.
settings.register_profile("pollux", deadline=None)
settings.load_profile("pollux")


def pytest_collection_finish() -> None:
    """No collection of garbage goes through the tests themselves again, nor copies them into a forked process."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def no_process_is_left_behind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A process behind that a test did not wait for would go on in a home that nobody needs any more."""
    yield
    mark = f"HOME={tmp_path_factory.getbasetemp()}".encode()
    left = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes().split(b"\0")
            if b"--background" in command and mark in (folder / "environ").read_bytes():
                left.append(folder.name)
        except OSError:  # it ended meanwhile, or belongs to somebody else
            continue
    assert not left, f"processes {', '.join(left)} are left behind"
