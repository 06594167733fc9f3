"""The cache as people meet it: brought up to date, looked at, thrown away, busy, interrupted, impossible."""

from __future__ import annotations

import fcntl
import json
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pollux.cli.app import run
from pollux.cli.terminal.progress import Bar, line
from pollux.library.library import Progress
from tests.cli.program import Pollux
from tests.cli.session_text import session
from tests.cli.test_terminal import in_terminal

STUCK = "Another pollux holds the cache and makes no progress. The files were read without it."

IMPATIENT = """
import sys
from pollux.cli import app
from pollux.system import locks
locks.PATIENCE = 0.2
sys.exit(app.run(sys.argv[1:]))
"""


def index(pollux: Pollux) -> Path:
    return pollux.folder / "xdg" / "cache" / "pollux" / "index"


def synced(pollux: Pollux) -> dict[str, Any]:
    result = pollux("sync", "--json")
    assert (result.returncode, result.stderr) == (0, "")
    outcome: dict[str, Any] = json.loads(result.stdout)
    assert set(outcome) >= {"sessions", "files", "changed", "removed", "bytes", "seconds"}
    return outcome


def test_sync_tells_what_it_did(pollux: Pollux) -> None:
    first = synced(pollux)
    assert first["sessions"] == first["changed"] == len(json.loads(pollux("list", "--all", "--json").stdout))
    again = synced(pollux)
    assert (again["sessions"], again["files"]) == (first["sessions"], first["files"])
    assert (again["changed"], again["removed"], again["bytes"]) == (0, 0, 0)
    file = pollux.file("p/chats/session-2026-11-15T05-00-one.json", session("one"))
    assert " 1 read (" in pollux("sync").stdout
    file.unlink()
    result = pollux("sync")
    assert ", 1 gone" in result.stdout
    assert result.stderr == ""


def test_what_the_cache_holds(pollux: Pollux) -> None:
    assert not index(pollux).exists()
    assert json.loads(pollux("cache", "info", "--json").stdout)["sessions"] == 0
    assert not index(pollux).exists()
    sessions = synced(pollux)["sessions"]
    document = json.loads(pollux("cache", "info", "--json").stdout)
    assert document["folder"] == str(index(pollux))
    assert document["sessions"] == sessions
    assert min(document["passages"], document["catalogue_bytes"], document["index_bytes"], document["generation"]) > 0
    assert f"sessions    {sessions}" in pollux("cache").stdout
    assert pollux("cache", "clear").stderr.startswith("Removed ")
    assert json.loads(pollux("cache", "info", "--json").stdout)["catalogue_bytes"] == 0
    assert synced(pollux)["changed"] == sessions


def test_another_pollux_has_the_cache_and_does_not_get_on(pollux: Pollux) -> None:
    synced(pollux)
    pollux.file("p/chats/session-2026-11-15T05-00-one.json", session("one", "A zebra, at last."))

    def run(*arguments: str) -> tuple[int, str, str]:
        command = [sys.executable, "-c", IMPATIENT, *arguments]
        process = subprocess.run(command, env=pollux.env, capture_output=True, text=True, check=False)
        return process.returncode, process.stdout, process.stderr

    with (index(pollux) / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        status, out, err = run("search", "zebra")
        assert (status, "A zebra, at last." in out, err) == (0, True, f"pollux: {STUCK}\n")
        status, out, err = run("search", "zebra", "--json")
        assert (status, "A zebra" in out, json.loads(err)) == (0, True, {"warning": STUCK})
        assert run("sync") == (4, "", f"pollux: {STUCK}\n")
        status, out, _ = run("sync", "--json")
        assert (status, json.loads(out)["busy"]) == (4, True)
        process = pollux("cache", "clear")
        assert process.returncode == 4
        assert "Another pollux is writing" in process.stderr
    assert pollux("search", "zebra").returncode == 0


def test_a_cache_that_cannot_be_written(pollux: Pollux) -> None:
    plain = pollux("list")
    for arguments, status in ((["list"], 0), (["show", "last"], 0), (["search", "--regex", "humid"], 0)):
        result = pollux(*arguments, XDG_CACHE_HOME="/proc/none")
        assert result.returncode == status
        assert result.stderr.count("/proc/none/pollux/index cannot be used") == 1
        assert len(result.stderr.splitlines()) == 1
    assert pollux("list", XDG_CACHE_HOME="/proc/none").stdout == plain.stdout
    result = pollux("search", "humidity", XDG_CACHE_HOME="/proc/none")
    assert (result.returncode, result.stdout) == (0, pollux("search", "humidity").stdout)
    assert result.stderr.count("/proc/none/pollux/index cannot be used") == 1
    assert "not indexed yet: " in result.stderr
    assert pollux("sync", XDG_CACHE_HOME="/proc/none").returncode == 4  # all of it was in vain
    assert pollux("sync", "--json", XDG_CACHE_HOME="/proc/none").returncode == 4
    assert pollux("--sample", "sync").returncode == 0


INTERRUPTED = """
import os, signal, sys
from pollux.cli import app
from pollux.cli.terminal import progress
heard = 0
def stop(bar, told):
    global heard
    heard += 1
    if heard == 4:
        os.kill(os.getpid(), signal.SIGINT)
progress.Bar.__call__ = stop
sys.exit(app.run(sys.argv[1:]))
"""


def test_interrupted_nothing_is_lost(pollux: Pollux) -> None:
    (pollux.folder / "other").mkdir()
    whole = Pollux(pollux.folder / "other", "0.61.0")
    command = [sys.executable, "-c", INTERRUPTED, "sync"]
    process = subprocess.run(command, env=pollux.env, capture_output=True, text=True, check=False, timeout=240)
    assert (process.returncode, process.stdout) == (130, "")
    assert process.stderr == "pollux: interrupted. What was read is kept, and the next run goes on from there.\n"
    document = json.loads(pollux("cache", "info", "--json").stdout)["sessions"]
    assert document >= 4
    outcome = synced(pollux)
    assert outcome["changed"] == outcome["sessions"] - document
    assert pollux("list", "--all").stdout == whole("list", "--all").stdout
    assert pollux("search", "humidity").stdout == whole("search", "humidity").stdout


def test_an_interrupted_command_is_silent(pollux: Pollux) -> None:
    command = [sys.executable, "-c", INTERRUPTED, "list"]
    process = subprocess.run(command, env=pollux.env, capture_output=True, text=True, check=False, timeout=240)
    assert (process.returncode, process.stdout, process.stderr) == (130, "", "")


def test_the_cache_is_closed_when_a_command_ends(pollux: Pollux) -> None:
    assert pollux("list").returncode == 0
    left = {file.name for file in (pollux.folder / "xdg" / "cache" / "pollux" / "index").iterdir()}
    assert left == {"catalogue.db", "lock", "text", "words.lock"}


def test_no_bar_where_nobody_watches(pollux: Pollux) -> None:
    assert "Indexing" not in pollux("sync").stderr
    pollux("cache", "clear")
    assert "Indexing" not in in_terminal(pollux, "sync")  # too quick for anyone to wonder


def test_the_bar_leaves_a_clean_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setattr("pollux.cli.terminal.progress._SILENCE", 0.0)
    bar = Bar()
    bar(Progress(files=4, bytes=100, done_files=1, done_bytes=50))
    assert "50%  50 B of 100 B" in capsys.readouterr().err
    bar.close()
    assert capsys.readouterr().err == "\r\x1b[2K"
    bar.close()
    assert capsys.readouterr().err == ""


def test_the_bar_counts_one_thing_and_never_goes_back(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setattr("pollux.cli.terminal.progress._SILENCE", 0.0)
    monkeypatch.setattr("pollux.cli.terminal.progress._PAUSE", 0.0)
    bar = Bar()
    # The total grows on the way; the last file is empty.
    for total, result, read in ((100, 1, 10), (100, 2, 60), (200, 3, 70), (200, 4, 200), (200, 5, 200)):
        bar(Progress(files=5, bytes=total, done_files=result, done_bytes=read))
    drawn = [line for line in capsys.readouterr().err.split("\r\x1b[2K") if line]
    shares = [int(results[1]) for line in drawn if (results := re.search(r"(\d+)%", line))]
    assert shares == sorted(shares) == [10, 60, 60, 99, 100]
    assert all("files" not in line and "MB/s" not in line and line.startswith("Indexing ") for line in drawn)


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (["scan", "--all"], ["Scanning"]),
        (["search", "--regex", "no such words"], ["Searching"]),
        (["search", "--regex", "weather"], ["Searching"]),
        (["export", "--all", "--to", "text", "-o", "{}"], ["Exporting"]),
        (["export", "--all", "--to", "text", "--redact", "-o", "{}"], ["Scanning", "Exporting"]),
    ],
)
def test_long_work_has_a_bar_that_goes_before_the_output(
    pollux: Pollux,
    arguments: list[str],
    names: list[str],
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in pollux.env.items():
        monkeypatch.setenv(name, value)
    assert run(["sync"]) == 0
    capfd.readouterr()
    words = [word.format(pollux.folder / "out") for word in arguments]
    run(words)
    assert "\x1b" not in capfd.readouterr().err  # nobody watches
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setattr("pollux.cli.terminal.progress._SILENCE", 0.0)
    monkeypatch.setattr("pollux.cli.terminal.progress._PAUSE", 0.0)
    monkeypatch.setenv("TERM", "dumb")  # no pager
    monkeypatch.setattr("sys.stdout", sys.stderr)
    run(words)
    output = capfd.readouterr().err.split("\r\x1b[2K")
    drawn = [line for line in output if re.match("(Scanning|Searching|Exporting) .*%", line)]
    assert list(dict.fromkeys(line.split()[0] for line in drawn)) == names
    assert not any("\n" in line for line in drawn)


@pytest.mark.parametrize("columns", [20, 40, 60, 80, 200])
def test_the_bar_fits_on_the_line(columns: int) -> None:
    progress = Progress(files=9, bytes=9_876_543_210, done_files=1, done_bytes=1)
    for part in (0.0, 0.001, 0.5, 1.0):
        assert len(line("Indexing anew", progress, part, 1000, columns)) < max(columns, 24)


def test_waiting_leaves_a_clean_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setattr("pollux.cli.terminal.progress._SILENCE", 0.0)
    bar = Bar()
    bar(Progress(files=4, bytes=100, done_files=1, done_bytes=50, by=7))
    waiting = "Waiting for another pollux (process 7), which is indexing: 50% of 100 B"
    assert capsys.readouterr().err == f"\r\x1b[2K{waiting}"
    bar(Progress())
    assert capsys.readouterr().err == "\r\x1b[2K"


def test_nobody_else_can_look_into_the_cache(pollux: Pollux) -> None:
    """Agents write conversations for their user alone; the cache holds their words."""
    assert pollux("list", "--all").returncode in (0, 1)
    assert stat.S_IMODE((pollux.folder / "xdg" / "cache" / "pollux" / "index").stat().st_mode) == 0o700
