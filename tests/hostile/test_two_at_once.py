"""Several pollux at once from the first second: each gives the whole answer, and nobody waits for ever or in silence.

A lock that the test itself holds stands in for a pollux that is indexing; where that must be a real one, it reads a
history that takes it some seconds.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import msgspec
import pytest

import pollux
from pollux.library.library import Enough, Filter, Library, Progress
from pollux.system import locks as lock
from pollux.system.locks import write_lock

CORPUS = Path(__file__).parent.parent / "corpus"
HOMES = ("gemini/0.61.0", "claude/2.1.325", "codex/0.100.0")

COMMANDS = (
    "list --json",
    "list --all --jsonl",
    "stats --json",
    "search weather --json",
    "search --regex weath.r --json",
    "projects --json",
    "doctor --strict --json",
    "show last --json",
    "show KEY --json",
    "audit last --json",
    "timeline --json",
    "scan --all --json",
    "recover --json",
    "agents --json",
    "archive status --json",
    "export --all --to text -o OUT",
)


class Machine:
    """A home, and directories of pollux's own in which nothing is yet."""

    def __init__(self, home: Path, folder: Path) -> None:
        self.home = home
        self.folder = folder
        self.env = {
            "HOME": str(home),
            "PATH": os.environ.get("PATH", os.defpath),
            "PYTHONPATH": str(Path(pollux.__file__).parent.parent),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "NO_COLOR": "1",
            "POLLUX_NOW": "2026-11-15T12:00:00Z",
            "TMPDIR": str(folder / "tmp"),
            **{f"XDG_{name}_HOME": str(folder / name.lower()) for name in ("CACHE", "CONFIG", "DATA")},
        }
        (folder / "tmp").mkdir(parents=True)

    @property
    def lock(self) -> Path:
        return self.folder / "cache" / "pollux" / "index" / "lock"

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "pollux", *arguments]
        return subprocess.Popen(
            command, env=self.env, cwd=self.home, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def answer(self, *arguments: str) -> tuple[int, str]:
        return answered(self.start(*arguments))

    def library(self, **options: Any) -> Library:
        return Library(self.env, self.home, hunt=False, **options)

    @contextlib.contextmanager
    def indexing(self) -> Iterator[IO[str]]:
        """Somebody else has the cache from the first second on."""
        self.lock.parent.mkdir(parents=True, exist_ok=True)
        with self.lock.open("w") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            yield held


def answered(process: subprocess.Popen[str], seconds: float = 240) -> tuple[int, str]:
    out, err = process.communicate(timeout=seconds)
    assert "Traceback" not in err
    return process.returncode, out


def furnish(home: Path) -> None:
    for name in HOMES:
        shutil.copytree(CORPUS / name / "home", home, dirs_exist_ok=True)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    home = tmp_path / "home"
    furnish(home)
    return Machine(home, tmp_path / "own")


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A history whose first sync takes a while, by several processes."""
    home = tmp_path_factory.mktemp("large") / "home"
    maker = Path(__file__).parents[2] / "benchmarks" / "gen.py"
    made = [sys.executable, str(maker), "--out", str(home), "--sessions", "40", "--seed", "7", "--total-mb", "14"]
    subprocess.run(made, check=True, capture_output=True)
    return home


def everything(library: Library) -> dict[str, Any]:
    """What a library answers."""
    return {
        "list": msgspec.to_builtins(library.list(Filter(everything=True))),
        "search": sorted((hit.key, hit.message_id) for hit in library.search("weather", limit=500).hits),
        "projects": msgspec.to_builtins(library.projects.all()),
        "doctor": msgspec.to_builtins(library.doctor().totals),
    }


def truth(machine: Machine) -> dict[str, Any]:
    fresh = machine.folder.with_name("truth")
    shutil.rmtree(fresh, ignore_errors=True)
    return everything(Machine(machine.home, fresh).library())


# ---------------------------------------------------------------------- each command


def test_every_command_waits_and_then_answers_whole(machine: Machine, tmp_path: Path) -> None:
    other = Machine(machine.home, tmp_path / "other")
    key = json.loads(other.answer("list", "--json")[1])[3]["key"]

    def words(command: str, folder: Path) -> list[str]:
        return command.replace("KEY", key).replace("OUT", str(folder / "out")).split()

    def told(own: Machine, process: subprocess.Popen[str]) -> tuple[int, str]:
        status, out = answered(process)
        return status, out.replace(str(own.folder), "OWN")

    expected = {command: told(other, other.start(*words(command, other.folder))) for command in COMMANDS}
    with machine.indexing():
        started = {command: machine.start(*words(command, machine.folder)) for command in COMMANDS}
        time.sleep(4)
        assert [command for command, process in started.items() if process.poll() is not None] == []
    for command, process in started.items():
        assert told(machine, process) == expected[command], command
    assert {status for status, _ in expected.values()} <= {0, 1}
    assert [command for command, (status, _) in expected.items() if status] == ["scan --all --json", "recover --json"]
    exported = [sorted(path.name for path in (own.folder / "out").rglob("*")) for own in (machine, other)]
    assert exported[0] == exported[1] != []


def test_whoever_waits_says_so(machine: Machine) -> None:
    with machine.indexing() as held:
        held.write('{"files":40,"bytes":400,"done_files":10,"done_bytes":100,"sessions":9,"by":4711}\n')
        held.flush()
        plain, program = machine.start("list"), machine.start("list", "--json")
        said = [process.stderr.readline() for process in (plain, program) if process.stderr is not None]
        assert "4711" in said[0]
    expected = "Waiting for another pollux (process 4711), which is indexing: 25% of 400 B."
    assert said == [f"pollux: {expected}\n", json.dumps({"warning": expected}) + "\n"]
    assert answered(plain)[0] == answered(program)[0] == 0


def test_completion_does_not_wait(machine: Machine) -> None:
    asked = {"_POLLUX_COMPLETE": "bash_complete", "COMP_WORDS": "pollux show ", "COMP_CWORD": "2"}
    machine.env |= asked
    with machine.indexing():
        assert machine.answer()[0] == 0


def test_make_run_shows_no_sample_to_one_with_a_history(machine: Machine) -> None:
    with machine.indexing():
        process = machine.start("--or-sample")
        time.sleep(1.5)
        assert process.poll() is None
    status, out = answered(process)
    assert (status, out) == machine.answer("list")


def test_the_sample_is_for_those_without_a_history(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    bare = Machine(tmp_path / "home", tmp_path / "own")
    status, out = bare.answer("--or-sample", "list", "--json")
    assert (status, len(json.loads(out)) > 3) == (0, True)
    assert bare.answer("list", "--json") == (1, "[]\n")


# ---------------------------------------------------------------------- real ones


def test_four_from_the_first_second(large: Path, tmp_path: Path) -> None:
    machine = Machine(large, tmp_path / "own")
    asked = (("stats", "--json"), ("list", "--json"), ("doctor", "--json"), ("projects", "--json"))
    searched = ("search", "the", "--json", "--limit", "100000")
    started = [machine.start(*words) for words in (*asked, searched)]
    *answers, (status, hits) = (answered(process) for process in started)
    other = Machine(large, tmp_path / "other")
    assert answers == [other.answer(*words) for words in asked]
    # Which of two equally good hits comes first is not said.
    found, expected = (
        sorted(hit["message_id"] for hit in json.loads(one)) for one in (hits, other.answer(*searched)[1])
    )
    assert (status, found) == (0, expected)
    assert len(found) > 100


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_the_first_one_is_cut_down_at_some_moment(large: Path, tmp_path: Path, how: signal.Signals) -> None:
    dice = random.Random(how)
    other = Machine(large, tmp_path / "other")
    began = time.monotonic()
    expected = other.answer("stats", "--json")
    whole = time.monotonic() - began
    for moment in range(2):
        machine = Machine(large, tmp_path / f"own-{moment}")
        first = machine.start("list")
        time.sleep(dice.uniform(0.1, 0.9) * whole)
        first.send_signal(how)
        try:
            second, third = (machine.start("stats", "--json") for _ in range(2))
            assert answered(second) == answered(third) == expected
        finally:
            first.kill()
            first.communicate()
        assert machine.answer("stats", "--json") == expected
        assert list((machine.folder / "tmp").iterdir()) == []


# ---------------------------------------------------------------------- the library


@pytest.mark.parametrize("begun", [False, True], ids=["from nothing", "from a part"])
def test_somebody_who_hangs_is_left_behind(machine: Machine, monkeypatch: pytest.MonkeyPatch, begun: bool) -> None:
    monkeypatch.setattr(lock, "PATIENCE", 0.3)
    heard: list[Progress] = []

    def few(progress: Progress) -> None:
        if progress.done_files > 5:
            raise Enough

    if begun:
        assert machine.library(report=few).sync().busy
    with machine.indexing(), machine.library(report=lambda told: heard.append(msgspec.structs.replace(told))) as here:
        assert everything(here) == truth(machine)
        assert any(told.by == 0 for told in heard)
        assert "makes no progress" in (here.index.cache_problem or "")
        assert here.sync().busy
        before = len(heard)
        assert here.sync().busy
        assert len(heard) == before
    here = machine.library()
    assert not here.sync().busy
    assert (here.index.cache_problem, everything(here)) == (None, truth(machine))


def test_one_that_lives_long_comes_back_to_the_cache(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "PATIENCE", 0.3)
    library = machine.library()
    with machine.indexing():
        assert library.sync().busy
    shutil.rmtree(machine.home / ".codex")
    assert not library.sync().busy
    assert library.index.cache_problem is None
    assert everything(library) == truth(machine)


def test_one_that_waits_while_the_cache_is_made_anew_does_no_harm_to_it(machine: Machine) -> None:
    machine.library().sync()
    here = machine.library()
    assert here.list()
    machine.library().index.clear()
    machine.library().sync()
    shutil.rmtree(machine.home / ".codex")
    here.sync()
    here.close()
    assert everything(machine.library(fresh=False)) == truth(machine)


def test_a_cache_that_is_made_just_now_is_awaited(machine: Machine) -> None:
    """Also by one that found it of another edition, or half made."""
    machine.lock.parent.mkdir(parents=True)
    (machine.lock.parent / "catalogue.db").write_bytes(b"")
    with machine.indexing():
        process = machine.start("search", "weather", "--json")
        time.sleep(2)
        assert process.poll() is None
    status, out = answered(process)
    assert (status, out != "[]\n") == (0, True)


def test_who_waits_hears_how_far_the_other_is(tmp_path: Path) -> None:
    heard: list[Progress] = []
    done = threading.Event()

    def wait() -> None:
        with write_lock(tmp_path / "lock", heard.append) as mine:
            assert mine is not None
            assert mine.waited
            done.set()

    with write_lock(tmp_path / "lock", heard.append) as mine:
        assert mine is not None
        waiting = threading.Thread(target=wait)
        waiting.start()
        until = time.monotonic() + 20
        while not any(told.done_files == 3 for told in heard) and time.monotonic() < until:
            mine.report(Progress(files=7, done_files=3))
            time.sleep(0.1)
        assert not done.is_set()
    waiting.join(20)
    assert done.is_set()
    assert [(told.files, told.by) for told in heard[-2:]] == [(7, os.getpid()), (0, None)]


def test_what_is_written_while_one_waits_is_in_the_answer(machine: Machine) -> None:
    with machine.indexing():
        process = machine.start("list", "--json", "--all")
        time.sleep(2)
        late = machine.home / ".gemini" / "tmp" / "weather" / "chats" / "session-late.jsonl"
        header = {"sessionId": "late", "projectHash": "0" * 64, "startTime": "2026-11-15T06:00:00.000Z"}
        said = {"id": "a", "timestamp": "2026-11-15T06:00:01.000Z", "type": "user", "content": "Late, but not lost."}
        late.write_text(f"{json.dumps(header)}\n{json.dumps(said)}\n")
    assert "Late, but not lost." in answered(process)[1]


# ---------------------------------------------------------------------- a cache that is taken as it is


def test_a_cache_that_never_held_everything_claims_nothing(machine: Machine) -> None:
    for command in ("list", "stats", "projects", "doctor"):
        assert machine.answer("--no-sync", command)[0] == 4

    def few(progress: Progress) -> None:
        if progress.done_files > 5:
            raise Enough

    assert machine.library(report=few).sync().busy
    process = machine.start("--no-sync", "list")
    _, err = process.communicate()
    assert (process.returncode, "does not hold everything" in err) == (0, True)
    whole = machine.library().doctor()
    part = Machine(machine.home, machine.folder.with_name("part"))
    assert part.library(report=few).sync().busy
    assert part.library(fresh=False).doctor().files == whole.files


# ---------------------------------------------------------------------- what is kept


def test_what_only_pollux_kept_is_awaited(machine: Machine) -> None:
    assert machine.answer("archive", "run")[0] == 0
    shutil.rmtree(machine.home / ".codex")
    laid_out = machine.folder / "cache" / "pollux" / "kept" / "lock"
    laid_out.parent.mkdir(parents=True, exist_ok=True)
    with laid_out.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        process = machine.start("list", "--json", "--agent", "codex")
        time.sleep(2)
        assert process.poll() is None
    status, out = answered(process)
    assert (status, {one["kept"] for one in json.loads(out)}) == (0, {True})


def test_the_index_of_the_archive_is_locked_by_one_that_was_stopped(machine: Machine) -> None:
    import sqlite3

    assert machine.answer("archive", "run")[0] == 0
    shutil.rmtree(machine.home / ".codex")
    with contextlib.closing(sqlite3.connect(machine.folder / "cache" / "pollux" / "archive.db")) as sql:
        sql.execute("BEGIN IMMEDIATE")
        status, out = machine.answer("list", "--json", "--agent", "codex")
        assert (status, {one["kept"] for one in json.loads(out)}) == (0, {True})
        assert machine.answer("archive", "status")[0] == 0


def test_nothing_is_said_of_what_another_pollux_is_about_to_keep(machine: Machine) -> None:
    folder = machine.folder / "data" / "pollux" / "archive"
    folder.mkdir(parents=True)
    with (folder / "lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert machine.answer("archive", "restore", "last", "-o", str(machine.folder / "back"))[0] == 4
        assert json.loads(machine.answer("archive", "status", "--json")[1])["busy"] is True
    assert machine.answer("archive", "restore", "last", "-o", str(machine.folder / "back"))[0] == 1
