"""What pollux is measured against: the least that any program must do with the same files."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import msgspec

_decode = msgspec.json.Decoder().decode


def bare_parse(files: list[str]) -> None:
    """Read and parse every file with msgspec, and keep nothing."""
    for name in files:
        with Path(name).open("rb") as file:
            if name.endswith(".jsonl"):
                for line in file:
                    _decode(line)
            else:
                _decode(file.read())


def beside(ours: Callable[[], object], theirs: Callable[[], object], rounds: int) -> dict[str, float]:
    """CPU seconds of both, taken in turn so that a busy machine slows both; the ratio is of the best rounds."""
    pairs = [(_cpu(theirs), _cpu(ours)) for _ in range(rounds)]
    yardstick, pollux = min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)
    return {
        "yardstick_s": yardstick,
        "pollux_s": pollux,
        "ratio": pollux / yardstick,
        "median_ratio": median(pair[1] / pair[0] for pair in pairs),
    }


def _cpu(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def start_up(command: list[str], rounds: int) -> float:
    """The best wall time of starting a program."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    return min(times)


PYTHON = [sys.executable, "-c", "pass"]
