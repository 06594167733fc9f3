"""A process in its own session lets all others go first, until somebody waits for it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pollux.system import locks
from pollux.system.locks import write_lock
from pollux.system.priority import LOWEST, lent_priority
from pollux.system.progress import Progress

pytestmark = pytest.mark.skipif(not Path("/proc/self/autogroup").exists(), reason="sessions have no priority here")

LOWERED = "from pollux.system.priority import take_lowest_priority; take_lowest_priority(); print(flush=True); input()"
HOLDING = """
import sys
from pathlib import Path
from pollux.system.locks import write_lock
from pollux.system.priority import take_lowest_priority
take_lowest_priority()
with write_lock(Path(sys.argv[1]), lambda _: None):
    print(flush=True)
    input()
"""


@contextmanager
def started(code: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process in a session of its own, until its input ends."""
    command = [sys.executable, "-c", code, *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield process
        finally:
            process.stdin.close()


def session_priority(process: subprocess.Popen[bytes]) -> int:
    found = re.search(r"nice (-?\d+)", Path(f"/proc/{process.pid}/autogroup").read_text())
    assert found is not None
    return int(found[1])


def own_priority(process: int) -> int:
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[16])


def test_the_process_and_its_session_get_the_lowest_priority() -> None:
    with started(LOWERED) as process:
        assert (own_priority(process.pid), session_priority(process)) == (LOWEST, LOWEST)


def test_a_session_of_several_processes_keeps_its_priority() -> None:
    starts_another = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {LOWERED!r}])"
    with started(starts_another) as process:
        (child,) = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        assert own_priority(int(child)) == LOWEST
        assert session_priority(process) == 0


def test_priority_is_lent_and_given_back() -> None:
    with started(LOWERED) as process:
        with lent_priority(process.pid):
            assert session_priority(process) == 0
        assert session_priority(process) == LOWEST


def test_nothing_is_lent_to_a_process_with_the_usual_priority() -> None:
    with started("print(flush=True); input()") as process, lent_priority(process.pid), lent_priority(None):
        assert session_priority(process) == 0


def test_who_waits_for_a_writer_lends_its_priority(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "_LEND_AFTER", 0.0)
    seen: list[int] = []
    with started(HOLDING, str(tmp_path / "lock")) as process:

        def watch(progress: Progress) -> None:
            if progress.by == process.pid:
                seen.append(session_priority(process))

        with write_lock(tmp_path / "lock", watch, patience=0.2) as lock:
            assert lock is None
        assert seen
        assert set(seen) == {0}
        assert session_priority(process) == LOWEST
