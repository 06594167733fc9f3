"""Handing a session over by a command: the plan comes first, and only a person or `--yes` has it written."""

from __future__ import annotations

import json
import os
import pty
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from select import select
from typing import Any

import pytest

from tests.cli.program import Pollux
from tests.cli.test_terminal import _read
from tests.resumable import IDS, Desk

AGENTS = sorted(IDS)
QUESTION = b"Write it?"


class Room(Desk):
    """A desk at which pollux is started."""

    def __init__(self, folder: Path) -> None:
        self.pollux = Pollux(folder)
        (folder / "home").rmdir()
        super().__init__(folder)
        for agent in AGENTS:
            self.install(agent)
        self.furnish()
        self.pollux.env |= {"PATH": str(self.bin), "STARTED": str(self.started)}

    def files(self) -> dict[str, bytes]:
        """Every file in the home."""
        return {str(file): file.read_bytes() for file in self.home.rglob("*") if file.is_file()}

    def plan(self, *words: str) -> dict[str, Any]:
        """What a command says in JSON."""
        told = self.pollux("handoff", *words, "--json")
        assert told.returncode == 0, told.stderr
        document: dict[str, Any] = json.loads(told.stdout)
        return document

    def answer(self, typed: bytes | signal.Signals, *words: str) -> tuple[int, str]:
        """The status and the output of a command in a terminal in which somebody answers its question."""
        ours, theirs = pty.openpty()
        command = [sys.executable, "-m", "pollux", "handoff", *words]
        environ = {**self.pollux.env, "TERM": "xterm", "PAGER": "cat"}
        with subprocess.Popen(
            command, env=environ, cwd=self.home, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
        ) as process:
            os.close(theirs)
            output = b""
            asked = False
            try:
                while True:
                    if not select([ours], [], [], 1)[0]:
                        if asked and isinstance(typed, signal.Signals):
                            process.send_signal(typed)  # the first one may come just before the program waits
                        continue
                    if not (piece := _read(ours)):
                        break
                    output += piece
                    if not asked and QUESTION in output:
                        asked = True
                        if isinstance(typed, bytes):
                            os.write(ours, typed)
                        else:
                            process.send_signal(typed)
                status = process.wait(timeout=120)
            finally:
                process.kill()
        os.close(ours)
        return status, output.decode().replace("\r\n", "\n")


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path)


def test_without_a_terminal_nothing_is_written_unless_it_is_said(room: Room) -> None:
    before = room.files()
    told = room.pollux("handoff", IDS["claude"], "--to", "codex")
    assert (told.returncode, room.files()) == (0, before)
    assert told.stderr.endswith("Nothing was written. Add --yes to do it.\n")
    told = room.pollux("handoff", IDS["claude"], "--to", "codex", "--yes")
    assert told.returncode == 0
    (new,) = {*room.files()} - {*before}
    assert new in told.stdout.replace("~", str(room.home))


def test_the_plan_in_json_is_what_is_written(room: Room) -> None:
    before = room.files()
    plan = room.plan(IDS["gemini"], "--to", "codex")
    assert room.files() == before
    assert not plan["written"]
    done = room.plan(IDS["gemini"], "--to", "codex", "--yes")
    assert {**done, "written": False} == plan
    assert done["written"]
    assert {file["path"] for file in done["files"]} | {done["appended"]["path"]} == {*room.files()} - {*before}


@pytest.mark.parametrize(("typed", "is_written"), [(b"y\n", True), (b"n\n", False), (b"\n", False), (b"\x04", False)])
def test_in_a_terminal_it_asks(room: Room, typed: bytes, is_written: bool) -> None:
    before = room.files()
    status, shown = room.answer(typed, IDS["claude"], "--to", "codex")
    assert shown.index("command") < shown.index("vendor") < shown.index("Write it?")
    assert (room.files() != before) == is_written
    assert (status == 0) == is_written
    assert "Traceback" not in shown


def test_interrupted_at_the_question(room: Room) -> None:
    before = room.files()
    status, shown = room.answer(signal.SIGINT, IDS["claude"], "--to", "codex", "--run")
    assert status == 130
    assert "Traceback" not in shown
    assert room.files() == before
    assert not room.started.exists()


@pytest.mark.parametrize("to", AGENTS)
def test_the_agent_is_started_afterwards(room: Room, to: str) -> None:
    words = [IDS["claude"], "--to", to, "--in", str(room.elsewhere)]
    plan = room.plan(*words)
    told = room.pollux("handoff", *words, "--yes", "--run")
    assert told.returncode == 7
    assert told.stdout.endswith("the agent speaks\n")
    start = room.start()
    assert start["words"] == [str(room.bin / to), *plan["command"][1:]]
    assert start["folder"] == str(room.elsewhere)
    assert Path(plan["files"][0]["path"]).exists()


def test_opencode_takes_it_over_before_it_is_started(room: Room) -> None:
    program = room.install("opencode")
    stand_in = program.resolve().with_name("stand-in")
    program.resolve().rename(stand_in)
    took = f'read line < "$2"; echo "$line" > "{room.home}/taken"; echo "$line"'
    program.resolve().write_text(f'#!/bin/sh\nif [ "$1" = import ]; then {took}; else exec "{stand_in}" "$@"; fi\n')
    program.resolve().chmod(0o755)
    told = room.pollux("handoff", IDS["claude"], "--to", "opencode", "--yes", "--run")
    assert told.returncode == 7, told.stderr
    (name, option, id) = room.start()["words"]
    assert (Path(name).name, option) == ("stand-in", "--session")
    assert id in (room.home / "taken").read_text()
    program.resolve().write_text("#!/bin/sh\necho No such file\n")
    room.started.unlink()
    words = ["--to", "opencode", "--in", str(room.elsewhere)]
    told = room.pollux("handoff", IDS["claude"], *words, "--yes", "--run")
    assert told.returncode == 5
    assert "OpenCode did not take the session over: No such file" in told.stderr
    assert not room.started.exists()


def test_an_agent_that_is_not_installed(room: Room) -> None:
    (room.bin / "codex").unlink()
    before = room.files()
    told = room.pollux("handoff", IDS["claude"], "--to", "codex", "--yes", "--run")
    assert (told.returncode, room.files()) == (2, before)
    assert "not installed" in told.stderr
    told = room.pollux("handoff", IDS["claude"], "--to", "codex", "--yes")
    assert told.returncode == 0
    assert "works where it is" in told.stderr
    assert room.files() != before


def test_without_a_key_it_is_the_last_session_here(room: Room) -> None:
    command = [sys.executable, "-m", "pollux", "handoff", "--to", "claude", "--json"]
    told = subprocess.run(
        command, env=room.pollux.env, cwd=room.project, capture_output=True, text=True, timeout=120, check=False
    )
    newest = json.loads(room.pollux("list", "--json", "--limit", "1").stdout)[0]
    assert json.loads(told.stdout)["origin"] == newest["key"]


def test_a_message_behind_the_key(room: Room) -> None:
    short = room.plan(f"{IDS['claude']}#u1", "--to", "codex")
    assert short["account"]["messages"] == {"native": 1, "text": 0, "left_out": 1, "total": 2}
    assert short == room.plan(IDS["claude"], "--to", "codex", "--upto", "u1")


# ------------------------------------------------------------------------------------ what the agent no longer has


def test_a_session_that_only_pollux_has(room: Room) -> None:
    plan = room.plan(IDS["claude"], "--to", "codex")
    room.pollux("archive", "run")
    shutil.rmtree(room.home / ".claude")
    assert room.plan(IDS["claude"], "--to", "codex")["account"]["messages"] == plan["account"]["messages"]


def test_a_session_as_it_was(room: Room) -> None:
    file = next((room.home / ".claude").rglob("*.jsonl"))
    whole = file.read_text()
    file.write_text(whole.splitlines(keepends=True)[0])
    room.pollux("archive", "run", POLLUX_NOW="2026-11-15T10:00:00Z")
    file.write_text(whole)
    assert room.plan(IDS["claude"], "--to", "codex")["account"]["messages"]["total"] == 2
    then = room.plan(IDS["claude"], "--to", "codex", "--as-of", "2026-11-15T11:00:00Z")
    assert then["account"]["messages"]["total"] == 1


def test_a_session_that_was_recovered(room: Room) -> None:
    whole = room.plan(IDS["claude"], "--to", "codex")
    document = room.home / "recovered.json"
    assert room.pollux("recover", IDS["claude"], "-o", str(document)).returncode == 0
    shutil.rmtree(room.home / ".claude")
    plan = room.plan(str(document), "--to", "codex")
    assert (plan["origin"], plan["account"]["messages"]) == (whole["origin"], whole["account"]["messages"])


# ------------------------------------------------------------------------------------ a full disk


@pytest.fixture
def small(room: Room) -> Iterator[Room]:
    """The sessions of Codex CLI are on a disk with little room."""
    place = room.home / ".codex" / "sessions"
    shutil.rmtree(place)
    place.mkdir()
    mount = shutil.which("mount")
    command = [str(mount), "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(place)]
    if mount is None or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("only root makes a small disk")
    try:
        yield room
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_disk_that_is_full(small: Room) -> None:
    file = next((small.home / ".claude").rglob("*.jsonl"))
    file.write_text(file.read_text().replace("It is.", "It is. " * 10_000))
    before = small.files()
    told = small.pollux("handoff", IDS["claude"], "--to", "codex", "--yes")
    assert told.returncode == 5
    assert "No space left on device" in told.stderr
    assert small.files() == before
    assert [*(small.home / ".codex" / "sessions").iterdir()] == []
    assert small.pollux("handoff", IDS["claude"], "--undo").returncode == 1
