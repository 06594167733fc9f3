"""The process that a command leaves behind: it holds no pipe, is in no hurry, completes the cache, and ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.program import Pollux

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are looked up in /proc")

SESSIONS = 60
LINE = "a long line about the weather and its report " * 40
PATIENCE = 600.0
"""How long (seconds) the process behind may take on a busy machine, which gives it next to nothing."""


@pytest.fixture
def large(tmp_path: Path) -> Pollux:
    """A home of more bytes than are indexed at once."""
    pollux = Pollux(tmp_path)
    for number in range(SESSIONS):
        name = f"{number:08d}-0000-4000-8000-000000000000"
        start = f"2026-11-14T10:{number:02d}:00.000Z"
        lines: list[dict[str, str]] = [{"sessionId": name, "projectHash": "0" * 64, "startTime": start, "kind": "main"}]
        lines += [
            {"id": f"{name}-{place}", "timestamp": start, "type": "user", "content": f"wombat{number} {place} {LINE}"}
            for place in range(50)
        ]
        pollux.file(f"weather/chats/session-{name}.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    return pollux


def processes_behind(pollux: Pollux) -> dict[int, int]:
    """The processes that work for this home, each with its niceness."""
    mark = f"HOME={pollux.home}".encode()
    niceness: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if b"--background" in (folder / "cmdline").read_bytes() and mark in (folder / "environ").read_bytes():
                niceness[int(folder.name)] = os.getpriority(os.PRIO_PROCESS, int(folder.name))
        except OSError:  # it ended meanwhile, or belongs to somebody else
            continue
    return niceness


def run(pollux: Pollux, *arguments: str, background: str = "1") -> subprocess.CompletedProcess[str]:
    """Run a real command to the end of its pipes: a process behind that held one would make this wait."""
    return subprocess.run(
        [sys.executable, "-m", "pollux", *arguments],
        env={**pollux.env, "POLLUX_BACKGROUND": background},
        cwd=pollux.home,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


def pending(pollux: Pollux) -> int:
    return int(json.loads(pollux("cache", "info", "--json").stdout)["pending"])


def test_a_search_leaves_the_words_to_the_process_behind(large: Pollux) -> None:
    answer = run(large, "search", "--json", "wombat7")
    hits, (line,) = json.loads(answer.stdout), answer.stderr.splitlines()
    assert len(hits) == 20
    assert json.loads(line) == {
        "warning": f"{SESSIONS} of {SESSIONS} sessions are not indexed yet: their files were searched.",
        "pending": SESSIONS,
    }
    end, seen = time.monotonic() + PATIENCE, set[int]()
    while time.monotonic() < end and (behind := processes_behind(large)):
        seen |= set(behind.values())
        time.sleep(0.02)
    assert not processes_behind(large)
    assert pending(large) == 0
    assert seen <= {os.getpriority(os.PRIO_PROCESS, 0), 19}, (
        "it starts like any process, and then has the lowest priority"
    )
    assert 19 in seen
    complete = large("search", "--json", "wombat7")
    assert complete.stderr == ""
    assert {hit["key"] for hit in json.loads(complete.stdout)} == {hit["key"] for hit in hits}


def wait_for_the_end(pollux: Pollux) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and processes_behind(pollux):
        time.sleep(0.02)
    assert not processes_behind(pollux)


def test_it_holds_neither_the_terminal_nor_the_folder(large: Pollux) -> None:
    """All of them are in a session of their own, which no terminal ends, and write to nobody."""
    assert run(large, "list", "--limit", "3").returncode == 0
    seen: list[tuple[str, int, set[str]]] = []
    end = time.monotonic() + PATIENCE
    while not seen and time.monotonic() < end:
        for process in processes_behind(large):
            folder = Path("/proc", str(process))
            try:
                files = {str((folder / "fd" / str(number)).readlink()) for number in range(3)}
                seen.append((str((folder / "cwd").readlink()), os.getsid(process), files))
            except OSError:  # it ended meanwhile
                continue
    assert {place for place, _, _ in seen} == {"/"}
    assert os.getsid(0) not in {session for _, session, _ in seen}
    assert set().union(*(files for _, _, files in seen)) == {os.devnull}
    wait_for_the_end(large)


def test_the_user_may_turn_it_off(large: Pollux) -> None:
    settings = Path(large.env["XDG_CONFIG_HOME"]) / "pollux" / "config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text("[sync]\nbackground = false\n")
    for variable in ("", "0"):
        assert run(large, "list", "--limit", "3", background=variable).returncode == 0
        assert not processes_behind(large)
    assert run(large, "projects", background="").returncode == 0
    assert (processes_behind(large), pending(large)) == ({}, SESSIONS)
    assert run(large, "projects", background="1").returncode == 0
    wait_for_the_end(large)
    assert pending(large) == 0, "the variable counts more than the settings"


@pytest.mark.parametrize("background", ["0", "1"])
def test_a_view_leaves_the_words_to_it(large: Pollux, background: str) -> None:
    """What a view starts ends when all sessions are known, or adds the words itself."""
    done = run(large, "sync", "--in-steps", background=background)
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)
    assert json.loads(large("cache", "info", "--json").stdout)["sessions"] == SESSIONS
    assert background == "1" or pending(large) == 0
    wait_for_the_end(large)
    assert pending(large) == 0


def test_people_see_one_line(large: Pollux) -> None:
    assert large("stats").returncode == 0
    answer = large("search", "--no-sync", "wombat7", POLLUX_BACKGROUND="1")  # it leaves nothing behind
    assert answer.stderr == f"{SESSIONS} of {SESSIONS} sessions are not indexed yet: their files were searched.\n"
    assert large("search", "wombat7").stderr == "", "without a process behind, words are indexed first"
    assert pending(large) == 0


def test_an_early_answer_says_what_is_not_known(large: Pollux) -> None:
    answer = large("show", "00000007", "--json")
    (line,) = answer.stderr.splitlines()
    assert json.loads(line) == {
        "warning": f"{SESSIONS - 1} older files are not read yet. "
        "Until then, some projects and all sums with sub-agents are not known.",
        "unread_files": SESSIONS - 1,
    }
    assert json.loads(answer.stdout)["family_usage"] is None
    assert large("stats").returncode == 0
    complete = json.loads(large("show", "00000007", "--json").stdout)
    assert complete["family_usage"] == complete["usage"]


def test_a_cache_that_is_used_as_it_is_says_how_far_it_is(large: Pollux) -> None:
    known = SESSIONS - json.loads(large("show", "00000007", "--json").stderr)["unread_files"]
    for command in ("list", "stats", "projects", "timeline", "audit", "edits", "friction"):
        answer = large("--no-sync", command, "--json")
        assert json.loads(answer.stderr) == {
            "warning": f"The cache does not hold everything yet: {SESSIONS - known} files are not read yet. "
            "This answer may lack sessions. Try it without --no-sync.",
            "unread_files": SESSIONS - known,
        }, command
        lines = large("--no-sync", command).stderr.splitlines()
        assert sum(f": {SESSIONS - known} files are not read yet." in line for line in lines) == 1
    assert "not read yet" not in large("projects").stderr
    assert "not read yet" not in large("--no-sync", "list").stderr


@pytest.mark.parametrize(
    "command",
    [
        ("list", "--all"),
        ("list", "--limit", "3"),
        ("show", "last"),
        ("search", "wombat7", "--sort", "newest"),
        ("brief",),
        ("edits",),
        ("compare", "00000007", "00000008"),
        ("friction",),
        ("stats",),
        ("audit",),
        ("timeline",),
        ("scan", "00000007"),
        ("projects",),
        ("history", "00000007"),
        ("doctor",),
    ],
    ids=" ".join,
)
def test_a_cold_answer_is_that_of_a_complete_cache(large: Pollux, command: tuple[str, ...]) -> None:
    cold = large(*command)
    assert large("sync").returncode == 0
    complete = large(*command)
    assert (cold.stdout, cold.returncode) == (complete.stdout, complete.returncode)


@pytest.mark.parametrize(
    "command",
    [
        ("export", "00000007", "--to", "json", "-o", "session.json"),
        ("export", "00000007", "--to", "markdown"),
        ("resume", "00000007", "--in", ".", "--json"),
        ("resume", "00000007", "--in", ".", "--print"),
        ("mark", "00000007", "--star"),
        ("history", "00000007"),
        ("recover", "00000007", "-o", "found"),
        ("audit", "00000007", "--json"),
        ("stats", "00000007", "--json"),
    ],
    ids=" ".join,
)
def test_what_lasts_or_is_acted_on_waits_for_all_sessions(large: Pollux, command: tuple[str, ...]) -> None:
    answer = large(*command)
    assert "not read yet" not in answer.stderr
    assert json.loads(large("cache", "info", "--json").stdout)["sessions"] == SESSIONS
    if command[0] == "export" and "-o" in command:
        document = json.loads((large.home / "session.json").read_text())
        assert document["family_usage"] == document["usage"]
