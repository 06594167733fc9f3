"""The store: first sync, unchanged sync, one session that grows, search, whole commands; each beside a yardstick."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Self

from benchmarks.yardsticks import bare_parse
from pollux.library.library import Filter, Library

QUERIES = {
    "rare word": "zanzibarquark",
    "mid word": "subprocess",
    "common word": "self",
    "phrase": '"return self"',
    "mid phrase": '"import subprocess"',
    "two words": "import subprocess",
    "架构": "架构",
    "common, one project": "self project:payments",
    "common, one month": "self since:2025-08-01 before:2025-09-01",
    "prefix": "subproc*",
}
PROCESSES = 2


def history(folder: Path, sessions: int, kilobytes: int | None = None) -> Path:
    """A history of all agents; its sessions are as large as real ones, or of so many kilobytes in the mean."""
    home = folder / f"home-{sessions}{f'-{kilobytes}k' if kilobytes else ''}"
    if not home.exists():
        maker = Path(__file__).with_name("gen.py")
        command = [sys.executable, maker, "--out", home, "--sessions", str(sessions), "--seed", "11", "--procs", "2"]
        if kilobytes is not None:
            command += ["--total-mb", str(sessions * kilobytes / 1000)]
        subprocess.run(command, check=True, capture_output=True)
    return home


def measured(home: Path, cache: Path, rounds: int) -> dict[str, Any]:
    """Everything about one history."""
    shutil.rmtree(cache, ignore_errors=True)
    environ = {"HOME": str(home), "XDG_CACHE_HOME": str(cache), "XDG_DATA_HOME": str(cache / "data")}

    def library(**options: Any) -> Library:
        return Library(environ, home, hunt=False, **options)

    files = [file.path for source, root in library().homes.roots() for file in source.find(root.path)]
    size = sum(Path(name).stat().st_size for name in files)
    parse = min(_wall(lambda: parsed_together(files)) for _ in range(3))
    with Memory() as memory:
        first = _wall(lambda: library().sync())
    unchanged = min(_wall(lambda: library().sync()) for _ in range(5))
    grown = _growing(home, library)
    search = {name: _search(library(fresh=False), text, rounds) for name, text in QUERIES.items()}
    commands = _commands(home, {**os.environ, **environ})
    return {
        "sessions": len(library(fresh=False).list(Filter(everything=True))),
        "files": len(files),
        "megabytes": size / 1e6,
        "cache_megabytes": sum(f.stat().st_size for f in cache.rglob("*") if f.is_file()) / 1e6,
        "bare parse s": parse,
        "first sync s": first,
        "first sync ratio": first / parse,
        "peak MB": memory.peak / 1e6,
        "unchanged sync s": unchanged,
        "unchanged ratio": unchanged / first,
        "one grows s": grown,
        "search": search,
        **commands,
    }


def parsed_together(files: list[str]) -> None:
    """The yardstick: a bare parse of all files by two processes."""
    order = sorted(files, key=lambda name: -Path(name).stat().st_size)
    fork = multiprocessing.get_context("fork")
    workers = [fork.Process(target=bare_parse, args=(order[n::PROCESSES],)) for n in range(PROCESSES)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        if worker.exitcode:
            raise SystemExit("The bare parse met a file that is no session: use a clean history.")


def _growing(home: Path, library: Callable[..., Library]) -> float:
    """From a new line in one file to its word being found."""
    logs = sorted(home.rglob("session-*.jsonl"), key=lambda path: path.stat().st_size)
    file = logs[len(logs) // 2]
    times = []
    for number in range(5):
        word = f"okapi{time.time_ns()}quagga"
        line = {"id": word, "timestamp": f"2026-11-01T00:00:0{number}.000Z", "type": "user", "content": word}
        with file.open("a") as out:
            out.write(json.dumps(line) + "\n")
        started = time.process_time()
        found = library().search(word).hits
        times.append(time.process_time() - started)
        assert [hit.message_id for hit in found] == [word], found
    return min(times)


def _search(library: Library, text: str, rounds: int) -> dict[str, float]:
    library.search(text)
    times = sorted(_wall(lambda: library.search(text)) for _ in range(rounds))
    return {"p50 ms": 1000 * statistics.median(times), "p95 ms": 1000 * times[int(0.95 * (len(times) - 1))]}


def _commands(home: Path, environ: dict[str, str]) -> dict[str, float | None]:
    pollux = str(Path(sys.executable).with_name("pollux"))

    def run(*command: str) -> float:
        return min(
            _wall(lambda: subprocess.run(command, env=environ, capture_output=True, check=False)) for _ in range(5)
        )

    scan, table = shutil.which("rg"), shutil.which("ccusage")
    return {
        "pollux search s": run(pollux, "search", "zanzibarquark"),
        "pollux list s": run(pollux, "list", "--limit", "20"),
        "pollux stats s": run(pollux, "stats", "--by", "day"),
        "ccusage s": run(table, "daily", "--offline") if table else None,
        "ripgrep s": run(scan, "-uu", "-l", "zanzibarquark", str(home)) if scan else None,
    }


class Memory:
    """The most memory that this process and its children hold at once, by what the kernel says they share.

    Another process watches: a thread would keep pollux from forking.
    """

    def __enter__(self) -> Self:
        self._ours, theirs = multiprocessing.Pipe()
        self._watcher = multiprocessing.get_context("fork").Process(target=_watch, args=(os.getpid(), theirs))
        self._watcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ours.send(None)
        self.peak = int(self._ours.recv())
        self._watcher.join()


def _watch(parent: int, pipe: Connection) -> None:
    peak = 0
    while not pipe.poll(0.05):
        peak = max(peak, sum(map(_share, _family(parent) - {os.getpid()})))
    pipe.send(peak)


def _family(process: int) -> set[int]:
    """A process and all its descendants."""
    try:
        tasks = list(Path(f"/proc/{process}/task").glob("*/children"))
        children = {int(child) for task in tasks for child in task.read_text().split()}
    except OSError:
        children = set()
    return {process}.union(*map(_family, children))


def _share(process: int) -> int:
    try:
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def _wall(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def main() -> None:
    """Prints a JSON object a history, which `benchmarks.plot` draws."""
    parser = argparse.ArgumentParser(description="Measure the store with histories of several sizes.")
    parser.add_argument("folder", type=Path, help="where histories are made, and kept for the next time")
    parser.add_argument("sessions", type=int, nargs="+")
    parser.add_argument("--kilobytes", type=int, help="the mean size of a session; without it as large as real ones")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for count in options.sessions:
        home = history(options.folder, count, options.kilobytes)
        print(json.dumps(measured(home, options.folder / "cache", 40)), flush=True)


if __name__ == "__main__":
    main()
