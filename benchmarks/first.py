"""The first answers on a machine without a cache: whole commands, each beside a bare parse of the same files.

`python -m benchmarks.first FOLDER SESSIONS…` makes histories in a folder, and keeps them for the next time. Other tools
are measured where they are installed.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.store import PROCESSES, history, parsed_together
from pollux.system.locks import try_lock

POLLUX = str(Path(sys.executable).with_name("pollux"))
ROUNDS = 3
COMMANDS: dict[str, tuple[Sequence[str], float]] = {
    "list --limit 20": (("list", "--limit", "20"), 1 / 3),
    "show last": (("show", "last", "--no-pager"), 1 / 3),
    "stats": (("stats",), 5),
    "projects": (("projects",), 5),
    "search, rare word": (("search", "zanzibarquark"), 6),
    "search, common word": (("search", "self"), 6),
    "search, phrase": (("search", '"import subprocess"'), 6),
    "sync": (("sync",), 12),
}
"""Each command, and how many bare parses it may take."""

OTHERS = {
    "ripgrep": ("rg", "-uu", "--follow", "-l", "zanzibarquark", "."),
    "ccusage": ("ccusage", "daily", "--offline"),
    "agentsview": ("agentsview", "sync"),
}
"""Other tools: a plain search, a table of tokens, and a first sync of all sessions."""

ALONE = {"AGENTSVIEW_NO_DAEMON": "1", "AGENTSVIEW_DISABLE_UPDATE_CHECK": "1"}
"""Other tools leave no process behind, and use no network."""


def measured(home: Path, cache: Path, rounds: int = ROUNDS) -> dict[str, Any]:
    """The times of all commands on one history, in seconds and in bare parses. The cache is new for each."""
    files = [str(file) for file in home.rglob("*") if file.is_file()]
    environ = {
        **os.environ,
        "HOME": str(home),
        **{f"XDG_{name}_HOME": str(cache / name.lower()) for name in ("CACHE", "DATA", "CONFIG")},
    }
    environ.pop("POLLUX_BACKGROUND", None)
    result: dict[str, Any] = {"files": len(files), "megabytes": sum(os.path.getsize(file) for file in files) / 1e6}  # noqa: PTH202
    parses: list[float] = []
    for name, (arguments, most) in COMMANDS.items():
        times = []
        for _ in range(rounds):
            parses.append(seconds(lambda: parsed_together(files)))
            _clear(cache)
            times.append(seconds(lambda: _run([POLLUX, *arguments], environ)))  # noqa: B023
            _let_end(cache, environ)
        best, parse = min(times), statistics.median(parses[-rounds:])
        result[name] = {"s": best, "bare parses": best / parse, "wanted": most}
    for name, command in OTHERS.items():
        if shutil.which(command[0]):
            result[name] = {"s": min(_seconds_of_another(command, environ, home, cache) for _ in range(rounds))}
    _clear(cache)
    return {**result, "bare parse": {"s": statistics.median(parses)}}


def _seconds_of_another(command: Sequence[str], environ: dict[str, str], home: Path, cache: Path) -> float:
    """How long another tool takes in a new home with the same history, so that it leaves nothing in ours."""
    _clear(cache)
    for folder in home.iterdir():
        (cache / folder.name).symlink_to(folder)
    own = {"HOME": str(cache), "AGENTSVIEW_DATA_DIR": str(cache / "agentsview"), **ALONE}
    return seconds(lambda: _run(command, {**environ, **own}, cache))


def _run(command: Sequence[str], environ: dict[str, str], folder: Path = Path("/")) -> None:
    subprocess.run(command, env=environ, cwd=folder, capture_output=True, check=False)


def _clear(cache: Path) -> None:
    shutil.rmtree(cache, ignore_errors=True)
    cache.mkdir(parents=True)


def _let_end(cache: Path, environ: dict[str, str]) -> None:
    """End the process that a command left behind, so that it disturbs no other measurement."""
    _run([POLLUX, "cache", "clear"], environ)
    while not _is_free(cache / "cache" / "pollux" / "index" / "background.lock"):
        time.sleep(0.05)


def _is_free(lock: Path) -> bool:
    if not lock.exists():
        return True
    with try_lock(lock) as alone:
        return alone


def seconds(work: Any) -> float:
    """How long some work takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def main() -> None:
    """Print a line of JSON for each history."""
    parser = argparse.ArgumentParser(description="Measure the first answers, with no cache.")
    parser.add_argument("folder", type=Path, help="where histories are made, and kept for the next time")
    parser.add_argument("sessions", type=int, nargs="+")
    parser.add_argument("--kilobytes", type=int, help="the mean size of a session; without it as large as real ones")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="how often each command is measured")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for count in options.sessions:
        home = history(options.folder, count, options.kilobytes)
        figures = measured(home, options.folder / "cold", options.rounds)
        print(json.dumps({"sessions": count, "processes": PROCESSES, **figures}), flush=True)


if __name__ == "__main__":
    main()
