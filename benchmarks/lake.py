"""A lake from the laptops to the questions, and the same homes on Spark: bytes, CPU seconds, and how both grow.

`python -m benchmarks.lake FOLDER 500 8000` prints a JSON object for each history, which `benchmarks.plot` draws, and at
the end a table of the slopes. Each history is the work of sixteen people, each with a home and a machine.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.lake_slopes import report

PEOPLE = 16
POLLUX = str(Path(sys.executable).with_name("pollux"))
QUESTIONS = {
    "stats": ["stats", "--by", "person"],
    "list": ["list", "--limit", "20"],
    "search, rare word": ["search", "zanzibarquark"],
    "search, common words": ["search", "import subprocess"],
}


class Cost(NamedTuple):
    """What some commands took together."""

    cpu: float
    wall: float


def homes(folder: Path, sessions: int, kilobytes: int | None) -> Path:
    """The homes of all people, with so many sessions in all."""
    made = folder / f"people-{sessions}{f'-{kilobytes}k' if kilobytes else ''}"
    for person in range(PEOPLE):
        home = made / f"p{person:02}"
        if not (home / ".complete").exists():
            maker = Path(__file__).with_name("gen.py")
            command = [sys.executable, maker, "--out", home, "--sessions", str(sessions // PEOPLE)]
            command += ["--seed", str(100 + person), "--procs", "2"]
            if kilobytes is not None:
                command += ["--total-mb", str(sessions / PEOPLE * kilobytes / 1000)]
            subprocess.run(command, check=True, capture_output=True)
            (home / ".complete").touch()
    return made


def run(*commands: list[str], **environ: str) -> Cost:
    """What some commands take that run at once, with all processes that they start."""
    where = {**os.environ, "POLLUX_BACKGROUND": "0", **environ}
    started = time.perf_counter()
    null = subprocess.DEVNULL
    running = [subprocess.Popen([POLLUX, *command], env=where, stdout=null, stderr=null) for command in commands]
    cpu = 0.0
    for process in running:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode in (0, 1), f"{process.args} ended with status {process.returncode}"
        cpu += used.ru_utime + used.ru_stime
    return Cost(cpu, time.perf_counter() - started)


def together(costs: list[Cost]) -> Cost:
    """What commands took one after the other."""
    return Cost(sum(cost.cpu for cost in costs), sum(cost.wall for cost in costs))


def measured(people: Path, work: Path, workers: list[int]) -> dict[str, Any]:
    """Everything about one history. `work` is a folder that is emptied first."""
    shutil.rmtree(work, ignore_errors=True)
    lake, second = work / "lake", work / "second"
    everybody = sorted(people.iterdir())

    def each(*command: str) -> Cost:
        return together([run([*command, *_who(home, command)], **_environ(home, work)) for home in everybody])

    run(["lake", "init", str(lake)])
    steps = {"index": each("sync")}
    each("lake", "allow", "--every-project")
    steps["push"] = each("lake", "push", str(lake))
    steps["push, nothing new"] = each("lake", "push", str(lake))
    raw, documents = _size(people), _size(lake / "sessions")
    shutil.copytree(lake, second)
    steps["load"] = run(["lake", "load", str(lake)])
    parts = [["lake", "load", str(second), "--part", part] for part in ("1/2", "2/2")]
    steps["load, two loaders"] = run(*parts)
    loaded = _size(lake / "tables")
    steps["tidy"] = run(["lake", "tidy", "--nobody-loads", str(lake)])
    for name, (question, *options) in QUESTIONS.items():
        steps[name] = run(["lake", question, str(lake), *options])
    sessions = _sessions(lake)
    assert sessions == _sessions(second)
    for count in workers:
        steps[f"Spark, {('one worker', 'two workers')[count - 1]}"] = on_spark(people, count)
    return {
        "sessions": sessions,
        "raw MB": raw / 1e6,
        "documents MB": documents / 1e6,
        "tables MB": _size(lake / "tables") / 1e6,
        "tables before tidy MB": loaded / 1e6,
        "lake": {name: {"cpu s": cost.cpu, "wall s": cost.wall} for name, cost in steps.items()},
    }


def _who(home: Path, command: tuple[str, ...]) -> list[str]:
    return ["--person", home.name] if "push" in command else []


def _environ(home: Path, work: Path) -> dict[str, str]:
    own = {f"XDG_{name}_HOME": str(work / home.name / name.lower()) for name in ("CACHE", "CONFIG", "DATA", "STATE")}
    return {"HOME": str(home), **own}


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _sessions(lake: Path) -> int:
    from deltalake import DeltaTable

    return int(DeltaTable(lake / "tables" / "sessions").count())


def on_spark(people: Path, workers: int) -> Cost:
    """What it takes a cluster to add up the tokens of all homes, once it runs."""
    environ = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    command = [sys.executable, "-m", "benchmarks.lake_spark", str(people), str(workers)]
    done = subprocess.run(
        command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, start_new_session=True
    )
    return Cost(**json.loads(done.stdout))


def main() -> None:
    """Measures, and prints."""
    parser = argparse.ArgumentParser(description="Measure a lake with histories of several sizes.")
    parser.add_argument("folder", type=Path, help="where histories are made, and kept for the next time")
    parser.add_argument("sessions", type=int, nargs="+")
    parser.add_argument("--kilobytes", type=int, help="the mean size of a session; without it as large as real ones")
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2], choices=[1, 2], help="of Spark; none without")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for count in options.sessions:
        people = homes(options.folder, count, options.kilobytes)
        rows.append(measured(people, options.folder / "lake-work", options.workers))
        print(json.dumps(rows[-1]), flush=True)
    print(report(rows), file=sys.stderr)


if __name__ == "__main__":
    main()
