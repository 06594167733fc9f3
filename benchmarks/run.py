"""`make bench`: reading, start-up, memory and the store. Prints a table, and JSON with `--json`.

python -m benchmarks.run [--only WORD] [--sessions N] [--megabytes N] [--rounds N] [--store N] [--json]
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import database, modern, more_agents, store, yardsticks
from pollux.library.library import Library

TARGETS = {"read gemini": 1.6, "read claude": 1.6, "read codex": 2.4, "read codex, modern": 4.0}
TARGETS |= dict.fromkeys(("read qwen", "read copilot", "read opencode, rows"), 2.5)
TARGETS |= {"start-up": 6.0, "memory jsonl": 4.0, "memory json": 4.0}
TARGETS |= {"first sync": 8.0, "unchanged sync": 0.01, "search process": 0.5, "stats process": 0.5}


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure pollux against yardsticks.")
    parser.add_argument("--only", default="", metavar="WORD", help="only the rows whose names begin with this")
    parser.add_argument("--sessions", type=int, default=600, help="how many sessions the history has")
    parser.add_argument("--megabytes", type=int, default=100, help="the size of the one large session")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--store", type=int, default=1000, help="how many sessions the store is tried with")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pollux-bench-") as folder:
        results = measured(Path(folder), options)
    if options.json:
        print(json.dumps(results, indent=1))
        return
    print(f"{'what':18} {'yardstick':>12} {'pollux':>12} {'ratio':>7} {'target':>7}")
    for name, result in results.items():
        print(
            f"{name:18} {result['yardstick']:>12} {result['pollux']:>12} {result['ratio']:7.2f} {TARGETS[name]:>7}"
            f"{'' if result['ratio'] <= TARGETS[name] else '  missed'}"
        )


def measured(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """The rows that were asked for, in order; of the store's rows all or none."""
    rounds = options.rounds
    rows: dict[str, Callable[[], dict[str, Any]]] = {
        "read gemini": lambda: reading(generated(folder, "gemini", options.sessions), rounds),
        "read claude": lambda: reading(generated(folder, "claude", options.sessions), rounds),
        "read codex": lambda: reading(generated(folder, "codex", options.sessions), rounds),
        "read codex, modern": lambda: reading(modern.written(folder / "modern", 10, 8), rounds),
        "read qwen": lambda: reading(more_agents.qwen(folder / "qwen", options.sessions), rounds),
        "read copilot": lambda: reading(more_agents.copilot(folder / "copilot", options.sessions), rounds),
        "read opencode, rows": lambda: reading_rows(database.history(folder, options.sessions, 100), rounds),
        "start-up": lambda: starting(rounds),
        "memory jsonl": lambda: memory(folder / "session-large.jsonl", options.megabytes),
        "memory json": lambda: memory(folder / "session-large.json", options.megabytes),
    }
    results = {name: row() for name, row in rows.items() if name.startswith(options.only)}
    if any(name.startswith(options.only) for name in TARGETS.keys() - rows.keys()):
        results |= keeping(folder, options.store)
    return results


def generated(folder: Path, agent: str, sessions: int) -> Path:
    """A home with sessions of one agent."""
    home = folder / agent
    maker = Path(__file__).with_name("gen.py")
    command = [sys.executable, maker, "--out", home, "--sessions", str(sessions), "--seed", "11", "--agents", agent]
    subprocess.run(command, check=True, capture_output=True)
    return home


def reading(home: Path, rounds: int) -> dict[str, Any]:
    """The files of a home into the model, against a bare parse of the same files."""
    library = Library(environ={"HOME": str(home)}, cwd=home, hunt=False)
    bundles = library._files.bundles()
    files = [file.path for _, bundle in bundles for file in bundle.files]
    for source, bundle in bundles:
        source.read(bundle)  # learns which project each folder is, once, as for a user

    def ours() -> None:
        for source, bundle in bundles:
            source.read(bundle)

    figures = yardsticks.beside(ours, lambda: yardsticks.bare_parse(files), rounds)
    size = sum(Path(name).stat().st_size for name in files) / 1e6
    return {
        "yardstick": f"{size / figures['yardstick_s']:.0f} MB/s",
        "pollux": f"{size / figures['pollux_s']:.0f} MB/s",
        "ratio": figures["ratio"],
        "median_ratio": figures["median_ratio"],
        "megabytes": size,
    }


def reading_rows(home: Path, rounds: int) -> dict[str, Any]:
    """The rows of a database into the model, against reading and parsing the same rows with SQLite."""
    library = Library(environ={"HOME": str(home)}, cwd=home, hunt=False)
    bundles = library._files.bundles()
    file = home / database.PLACE

    def ours() -> None:
        for source, bundle in bundles:
            source.read(bundle)

    ours()  # makes the private copy, once, as for a user
    figures = yardsticks.beside(ours, lambda: database.bare_rows(file), rounds)
    size = file.stat().st_size / 1e6
    return {
        "yardstick": f"{size / figures['yardstick_s']:.0f} MB/s",
        "pollux": f"{size / figures['pollux_s']:.0f} MB/s",
        "ratio": figures["ratio"],
        "median_ratio": figures["median_ratio"],
        "megabytes": size,
    }


def keeping(folder: Path, sessions: int) -> dict[str, Any]:
    """The store against a bare parse by two processes, its own first sync, and a scan of all files."""
    found = store.measured(store.history(folder, sessions), folder / "cache", 20)
    rows = {
        "first sync": (found["bare parse s"], found["first sync s"]),
        "unchanged sync": (found["first sync s"], found["unchanged sync s"]),
    }
    if found["ccusage s"] is not None:
        rows["stats process"] = (found["ccusage s"], found["pollux stats s"])
    if found["ripgrep s"] is not None:
        rows["search process"] = (found["ripgrep s"], found["pollux search s"])
    print(json.dumps(found, indent=1), file=sys.stderr)
    return {
        name: {"yardstick": f"{theirs:.2f} s", "pollux": f"{ours:.3f} s", "ratio": ours / theirs}
        for name, (theirs, ours) in rows.items()
    }


def starting(rounds: int) -> dict[str, Any]:
    """`pollux --version` against an empty Python program."""
    bare = yardsticks.start_up(yardsticks.PYTHON, 3 * rounds)
    ours = yardsticks.start_up([str(Path(sys.executable).with_name("pollux")), "--version"], 3 * rounds)
    return {"yardstick": f"{bare * 1000:.0f} ms", "pollux": f"{ours * 1000:.0f} ms", "ratio": ours / bare}


def memory(file: Path, megabytes: int) -> dict[str, Any]:
    """The peak memory of reading and showing one large session, against the file's size."""
    write_large(file, megabytes)
    shown = subprocess.run(
        [sys.executable, "-m", "benchmarks.run", "--show", str(file)], check=True, capture_output=True, text=True
    )
    peak, size = int(shown.stdout), file.stat().st_size
    file.unlink()
    return {"yardstick": f"{size / 1e6:.0f} MB", "pollux": f"{peak / 1e6:.0f} MB", "ratio": peak / size}


def write_large(file: Path, megabytes: int) -> None:
    """One session with ordinary text, Chinese words and large tool output."""
    words = [
        "parse",
        "module",
        "架构",
        "value",
        "状态",
        "return",
        "import",
        "class",
        "test",
        "report",
        "station",
        "humidity",
    ]
    text = " ".join(words[(n * n) % len(words)] for n in range(3000))
    head = {"sessionId": "large", "projectHash": "0" * 64, "startTime": "2026-11-01T08:00:00.000Z"}
    lines = file.suffix == ".jsonl"
    with file.open("w", encoding="utf-8") as out:
        out.write(json.dumps(head) + "\n" if lines else json.dumps(head)[:-1] + ', "messages": [\n')
        for number in range(megabytes * 1_000_000 // len(text.encode())):
            response = {
                "functionResponse": {"id": f"c{number}", "name": "read_file", "response": {"output": text[500:]}}
            }
            call = {"id": f"c{number}", "name": "read_file", "args": {}, "result": [response], "status": "success"}
            turn = {"id": f"g{number}", "type": "gemini", "content": text[:500], "toolCalls": [call]}
            out.write(f"{',' if number and not lines else ''}{json.dumps(turn, ensure_ascii=False)}\n")
        out.write("" if lines else "]}")


def show(file: str) -> None:
    """In a process of its own: read and write one session, then tell the peak."""
    from pollux import registry
    from pollux.writers import Options

    session = Library(environ={"HOME": "/nonexistent"}, hunt=False).open(Path(file))
    with Path("/dev/null").open("w", encoding="utf-8") as out:
        for format_ in ("json", "markdown"):
            registry.writer(format_).write(session, out.write, Options())
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--show"]:
        show(sys.argv[2])
    else:
        main()
