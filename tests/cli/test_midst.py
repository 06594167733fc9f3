"""Every command in the midst of the work of the process behind, after its end by SIGKILL, and four at once.

Whatever is known by then, the answer is that of a complete cache.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.program import Pollux

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name != "posix", reason="no process is left behind")]

MOMENTS = 100 if os.environ.get("POLLUX_EXHAUSTIVE") else 10
ROUNDS = 12 if os.environ.get("POLLUX_EXHAUSTIVE") else 2
COMMANDS = (
    ("list", "--all"),
    ("list", "--limit", "3"),
    ("list", "agent:gemini", "wombat7"),
    ("show", "last"),
    ("show", "00000003"),
    ("search", "wombat7", "--sort", "newest"),
    ("search", "--regex", "wombat(7|8)", "--sort", "newest"),
    ("brief",),
    ("edits",),
    ("compare", "00000007", "00000008"),
    ("friction",),
    ("stats",),
    ("stats", "--by", "day,model"),
    ("audit",),
    ("timeline",),
    ("projects",),
    ("agents",),
    ("history", "00000007"),
    ("scan", "00000003"),
    ("doctor",),
    ("export", "00000003", "--to", "json"),
    ("resume", "00000003", "--in", ".", "--print"),
)


class Agent:
    """An agent that goes on working: sessions begin, grow and vanish."""

    def __init__(self, pollux: Pollux) -> None:
        self._pollux = pollux
        self._said = 0

    def say(self, number: int, times: int = 40) -> Path:
        """Begin a session, or go on with one."""
        name = f"{number:08d}-0000-4000-8000-000000000000"
        file = self._pollux.home / ".gemini" / "tmp" / "weather" / "chats" / f"session-{name}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a") as out:
            if not out.tell():
                start = "2026-11-14T10:00:00.000Z"
                head = {"sessionId": name, "projectHash": "0" * 64, "startTime": start, "kind": "main"}
                out.write(json.dumps(head) + "\n")
            for _ in range(times):
                self._said += 1
                at = f"2026-11-14T{10 + self._said // 3600 % 10}:{self._said // 60 % 60:02d}:{self._said % 60:02d}.000Z"
                words = f"wombat{number} {self._said} " + "the weather and its report " * 30
                line = {"id": f"{name}-{self._said}", "timestamp": at, "type": "user", "content": words}
                out.write(json.dumps(line) + "\n")
        return file

    def work(self, dice: random.Random) -> None:
        """Go on with some sessions. Those that the commands ask for stay."""
        for _ in range(4):
            self.say(dice.randrange(10), 1)
            file = self.say(number := dice.randrange(10, 70), 20)
            if dice.random() < 0.3 and number > 10:
                file.unlink()


@pytest.fixture
def pollux(tmp_path: Path) -> Pollux:
    """A home with sessions of a real release, and more than are indexed at once."""
    return Pollux(tmp_path, "0.61.0")


@pytest.fixture
def agent(pollux: Pollux) -> Agent:
    agent = Agent(pollux)
    for number in range(60):
        agent.say(number)
    return agent


def start(pollux: Pollux, *arguments: str, stdout: int = subprocess.PIPE) -> subprocess.Popen[str]:
    """Start a command. It leaves no process behind."""
    return subprocess.Popen(
        [sys.executable, "-m", "pollux", *arguments],
        env=pollux.env,
        cwd=pollux.home,
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def kill(process: subprocess.Popen[str]) -> None:
    """Kill a process as a system without memory does; its workers notice, or have done their work."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(process.pid, signal.SIGKILL)
    process.communicate()


def answers(pollux: Pollux) -> dict[tuple[str, ...], tuple[str, int]]:
    """What every command says."""
    return {command: (done.stdout, done.returncode) for command in COMMANDS for done in [pollux(*command)]}


def cache(pollux: Pollux) -> Path:
    return Path(pollux.env["XDG_CACHE_HOME"])


def check_against_a_fresh_cache(pollux: Pollux) -> None:
    """Every command says what it says with a cache that was made just now."""
    known = answers(pollux)
    shutil.rmtree(cache(pollux))
    assert pollux("sync").returncode == 0
    assert known == answers(pollux)


def test_every_command_after_the_end_of_the_process_behind(pollux: Pollux, agent: Agent) -> None:
    dice = random.Random(17)
    commands = [dice.choice(COMMANDS) for _ in range(MOMENTS - len(COMMANDS))] + list(COMMANDS)
    dice.shuffle(commands)
    for moment, command in enumerate(commands[:MOMENTS]):
        agent.work(dice)
        if moment % 4 == 0:
            shutil.rmtree(cache(pollux), ignore_errors=True)
            assert pollux("show", "last").returncode == 0
        process = start(pollux, "sync", "--background")
        time.sleep(dice.random() * 1.0)
        kill(process)
        early = pollux(*command)
        assert pollux("sync").returncode == 0
        complete = pollux(*command)
        assert (early.stdout, early.returncode) == (complete.stdout, complete.returncode), f"{command} at {moment}"
        assert "Traceback" not in early.stderr
    check_against_a_fresh_cache(pollux)


@pytest.mark.usefixtures("agent")
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_in_the_midst_of_the_process_behind(pollux: Pollux, command: tuple[str, ...]) -> None:
    assert pollux("show", "last").returncode == 0
    process = start(pollux, "sync", "--background")
    early = pollux(*command)
    _, complaint = process.communicate(timeout=300)
    assert (process.returncode, complaint) == (0, "")
    complete = pollux(*command)
    assert (early.stdout, early.returncode) == (complete.stdout, complete.returncode)


def test_four_commands_at_once_while_files_grow_and_vanish(pollux: Pollux, agent: Agent) -> None:
    dice, codes = random.Random(29), {command: code for command, (_, code) in answers(pollux).items()}
    for _ in range(ROUNDS):
        shutil.rmtree(cache(pollux))
        commands = [dice.choice(COMMANDS) for _ in range(4)]
        behind = start(pollux, "sync", "--background")
        # Nobody reads what they say until all have ended, and a pipe holds only so much.
        running = [start(pollux, *command, stdout=subprocess.DEVNULL) for command in commands]
        while any(process.poll() is None for process in running):
            agent.work(dice)
            time.sleep(0.05)
        for process, command in zip(running, commands, strict=True):
            _, complaint = process.communicate(timeout=300)
            assert (process.returncode, "Traceback" in complaint) == (codes[command], False), (command, complaint)
        assert behind.communicate(timeout=300) == ("", "")
    check_against_a_fresh_cache(pollux)
