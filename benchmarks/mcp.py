"""The server for agents: how soon it lists its tools and how much memory that takes, and how long its answers take.

Start-up is CPU time beside `python -c pass`, in turn with it. Answers are CPU time inside the server, after the check
for changes, which is measured by itself.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.store import QUERIES, history
from pollux.library.for_agents.search import AgentRequest
from pollux.library.for_agents.texts import LIST, READ, SEARCH
from pollux.library.library import Library
from pollux.mcp.toolbox import Toolbox

LIST_TOOLS = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n'
QUESTIONS = {"question": "how did we fix the subprocess timeout last time", "nothing": "xylophonist harpsichord"}


def start(environ: dict[str, str], rounds: int) -> dict[str, float]:
    """From the start of the server to its list of tools, and the memory that it has then."""
    ours, pythons, walls, peaks = [], [], [], []
    for _ in range(rounds):
        pythons.append(_cpu([sys.executable, "-c", "pass"], environ))
        ours.append(_cpu([sys.executable, "-m", "pollux", "mcp"], environ, LIST_TOOLS))
        process = subprocess.Popen(
            [sys.executable, "-m", "pollux", "mcp"], env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert process.stdin is not None
        assert process.stdout is not None
        begun = time.perf_counter()
        process.stdin.write(LIST_TOOLS)
        process.stdin.flush()
        assert b"search_sessions" in process.stdout.readline()
        walls.append(time.perf_counter() - begun)
        status = Path(f"/proc/{process.pid}/status").read_text("utf-8")
        peaks.append(next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) / 1e3)
        process.communicate()
    return {
        "python -c pass ms": 1e3 * min(pythons),
        "tools/list ms": 1e3 * min(ours),
        "tools/list ratio": min(ours) / min(pythons),
        "tools/list wall ms": 1e3 * min(walls),
        "memory MB": max(peaks),
    }


def _cpu(command: list[str], environ: dict[str, str], text: bytes = b"") -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, input=text, env=environ, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def answers(environ: dict[str, str], home: Path, rounds: int) -> dict[str, Any]:
    """CPU time of the check for changes, of searches after it, and of whole calls."""
    with Library(environ, home, hunt=False) as library:
        library.sync()
    with Library(environ, home, hunt=False, complete_later=True) as library:
        view = library.for_agents
        view.keys(_everything())
        project = next(iter(library.list(limit=1))).summary.project or ""

        def check() -> None:
            view.look_again()
            view.hidden()

        queries = {**QUERIES, **QUESTIONS}
        searches = {
            name: _percentiles(lambda text=text: view.search(AgentRequest(text, here=project)), rounds)  # type: ignore[misc]
            for name, text in queries.items()
        }
        every = [time_ for found in searches.values() for time_ in found["all"]]
        key = library.list(limit=1)[0].summary.key
        found = {"check ms": _percentiles(check, rounds)["p95"], "search p95 ms": _percentile(every)}
    os.environ.update(environ)
    os.chdir(home)
    toolbox = Toolbox()
    calls: dict[str, tuple[str, dict[str, Any]]] = {
        SEARCH: (SEARCH, {"query": "subprocess"}),
        READ: (READ, {"key": key}),
        LIST: (LIST, {}),
    }
    whole = {
        name: _percentiles(lambda tool=tool, given=given: toolbox(tool, given, {}), rounds)["p95"]  # type: ignore[misc]
        for name, (tool, given) in calls.items()
    }
    toolbox.close()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    by_query = {name: {"p50 ms": found["p50"], "p95 ms": found["p95"]} for name, found in searches.items()}
    return {**found, "searches": by_query, "whole calls p95 ms": whole, "peak MB of the benchmark": memory}


def _everything() -> Any:
    from pollux.library.library import Filter

    return Filter(everything=True)


def _percentiles(work: Callable[[], object], rounds: int) -> dict[str, Any]:
    work()
    times = []
    for _ in range(rounds):
        begun = time.process_time()
        work()
        times.append(1e3 * (time.process_time() - begun))
    return {"p50": statistics.median(times), "p95": _percentile(times), "all": times}


def _percentile(times: list[float]) -> float:
    return sorted(times)[min(len(times) - 1, round(0.95 * len(times)))]


def main() -> None:
    """Measure, and print one JSON document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where histories are made, and left for the next time")
    parser.add_argument("--sessions", type=int, default=10_000)
    parser.add_argument("--kilobytes", type=int, default=50, help="the mean size of a session")
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    home = history(options.folder, options.sessions, options.kilobytes)
    cache = options.folder / f"cache-mcp-{options.sessions}"
    own = {"HOME": str(home), "XDG_CACHE_HOME": str(cache), "XDG_DATA_HOME": str(cache / "data")}
    environ = {**os.environ, **own, "XDG_CONFIG_HOME": str(cache / "config"), "POLLUX_BACKGROUND": "1"}
    result = {**start(environ, options.rounds), **answers(environ, home, options.rounds)}
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
