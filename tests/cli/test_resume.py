"""pollux becomes the agent: the same process, in the session's folder, with nothing in between."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.program import Pollux
from tests.cli.test_terminal import in_terminal
from tests.resumable import IDS, OTHER_ID, Desk

AGENTS = sorted(IDS)
WORDS = {
    "claude": ["--resume", IDS["claude"]],
    "codex": ["resume", IDS["codex"]],
    "gemini": ["--resume", IDS["gemini"]],
}


class Room(Desk):
    """A desk at which pollux is started."""

    def __init__(self, folder: Path) -> None:
        self.pollux = Pollux(folder)
        (folder / "home").rmdir()
        super().__init__(folder)
        for agent in AGENTS:
            self.install(agent)
        self.files = self.furnish()
        self.pollux.env |= {"PATH": str(self.bin), "STARTED": str(self.started), "KEEP": "as it is"}


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path)


@pytest.mark.parametrize("agent", AGENTS)
def test_the_agent_is_started_as_if_the_user_had_typed_it(room: Room, agent: str) -> None:
    result = room.pollux("resume", IDS[agent])
    assert (result.returncode, result.stdout, result.stderr) == (7, "the agent speaks\n", "")
    start = room.start()
    assert start["words"] == [str(room.bin / agent), *WORDS[agent]]
    assert start["folder"] == str(room.project)
    assert start["environ"].items() >= {**room.pollux.env, "PWD": str(room.project)}.items()
    assert not {"CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME"} & {*start["environ"]}


def test_it_is_the_same_process(room: Room) -> None:
    command = [sys.executable, "-m", "pollux", "resume", IDS["claude"]]
    with subprocess.Popen(command, env=room.pollux.env, cwd=room.home, stdout=subprocess.PIPE) as process:
        process.communicate(timeout=120)
    assert room.start()["pid"] == process.pid
    assert process.returncode == 7


def test_in_a_terminal_nothing_is_said_before_the_agent(room: Room) -> None:
    assert in_terminal(room.pollux, "resume", IDS["claude"]) == "the agent speaks\n"
    assert room.start()["terminal"] == [True, True, True]


def test_a_guessed_folder_is_said_before_the_agent_speaks(room: Room) -> None:
    room.guessed(room.home / ".gemini")
    result = room.pollux("resume", IDS["gemini"])
    assert result.returncode == 7
    assert result.stderr.splitlines()[0].startswith(f"pollux: The folder {room.elsewhere} is a guess")
    assert room.start()["folder"] == str(room.elsewhere)
    plan = json.loads(room.pollux("resume", IDS["gemini"], "--json").stdout)
    assert plan["warnings"][0] == result.stderr.splitlines()[0].removeprefix("pollux: ")


def test_arguments_for_the_agent(room: Room) -> None:
    room.pollux("resume", IDS["codex"], "--", "--model", "x", "--", "--json", "")
    assert room.start()["words"][1:] == [*WORDS["codex"], "--model", "x", "--", "--json", ""]


def test_without_a_key_it_says_which_session_it_is(room: Room) -> None:
    command = [sys.executable, "-m", "pollux", "resume", "--", "-x"]
    result = subprocess.run(
        command, env=room.pollux.env, cwd=room.project, capture_output=True, text=True, timeout=120, check=False
    )
    newest = json.loads(room.pollux("list", "--json", "--limit", "1").stdout)[0]
    assert result.stderr == f"pollux: {newest['key']}: {newest['title']}\n"
    assert room.start()["words"][1:] == [*WORDS[newest["agent"]], "-x"]


def test_a_copy_in_another_folder(room: Room) -> None:
    room.pollux("resume", IDS["claude"], "--fork", "--in", str(room.elsewhere))
    assert room.start()["words"][1:] == [*WORDS["claude"], "--fork-session"]
    assert room.start()["folder"] == str(room.elsewhere)


def test_the_home_of_the_session(room: Room) -> None:
    home = room.home / "other"
    (room.home / ".codex").rename(home)
    room.pollux("resume", IDS["codex"], CODEX_HOME=str(home))
    assert room.start()["environ"]["CODEX_HOME"] == str(home)
    room.pollux("resume", IDS["codex"], CODEX_HOME=str(room.elsewhere), CODEX_SESSIONS_DIR=str(home / "sessions"))
    assert room.start()["environ"]["CODEX_HOME"] == str(home)


def test_the_printed_line_does_the_same(room: Room) -> None:
    home = room.home / "it's other"
    (room.home / ".codex").rename(home)
    room.pollux.env["CODEX_HOME"] = str(home)
    printed = room.pollux("resume", IDS["codex"], "--print", "--", "say 'hi'")
    assert (printed.returncode, printed.stderr) == (0, "")
    assert not room.started.exists()
    usual = {"PATH": f"{room.bin}:{os.defpath}", "STARTED": str(room.started)}
    subprocess.run(["/bin/sh", "-c", printed.stdout], env=usual, check=False, timeout=60)
    start = room.start()
    assert start["words"][1:] == [*WORDS["codex"], "say 'hi'"]
    assert (start["folder"], start["environ"]["CODEX_HOME"]) == (str(room.project), str(home))


def test_json_says_what_would_be_done_and_does_nothing(room: Room) -> None:
    result = room.pollux("resume", IDS["gemini"], "--json")
    assert json.loads(result.stdout) == {
        "key": f"gemini:{IDS['gemini']}",
        "agent": "gemini",
        "id": IDS["gemini"],
        "command": ["gemini", *WORDS["gemini"]],
        "folder": str(room.project),
        "environment": {},
        "line": f"cd {room.project} && gemini --resume {IDS['gemini']}",
        "fork": False,
        "program": str(room.bin / "gemini"),
        "files": [str(room.files["gemini"])],
        "open": None,
        "warnings": [],
    }
    assert not room.started.exists()
    assert room.pollux("history", IDS["gemini"]).returncode == 1


@pytest.mark.parametrize("agent", AGENTS)
def test_what_an_agent_wipes_was_kept_before(room: Room, agent: str) -> None:
    room.pollux("resume", IDS[agent], WIPE=str(room.files[agent]))
    assert room.files[agent].read_bytes() == b""
    assert "first kept" in room.pollux("history", f"{agent}:{IDS[agent]}").stdout
    assert "Is it raining?" in room.pollux("recover", f"{agent}:{IDS[agent]}").stdout


@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_that_has_the_session_open(room: Room, agent: str) -> None:
    with room.running(agent, *WORDS[agent]) as pid:
        result = room.pollux("resume", IDS[agent])
        assert result.returncode == 2
        assert f"(process {pid}) has {agent}:{IDS[agent]} open." in result.stderr
        assert not room.started.exists()
        error = json.loads(room.pollux("resume", IDS[agent], "--json").stdout)
        assert error["open"]["pid"] == pid
        printed = room.pollux("resume", IDS[agent], "--print")
        assert printed.returncode == 0
        assert f"(process {pid})" in printed.stderr
        assert room.pollux("resume", IDS[agent], "--fork").returncode == 7


def test_what_cannot_be_kept_is_not_started(room: Room) -> None:
    data = room.home.parent / "xdg" / "data" / "pollux"
    data.mkdir(parents=True, exist_ok=True)
    (data / "archive").write_text("no folder")
    assert room.pollux("resume", IDS["claude"]).returncode == 4
    assert not room.started.exists()


def test_a_program_that_cannot_be_started(room: Room) -> None:
    (room.bin / "claude").unlink()
    (room.bin / "claude").write_text("#!/nowhere/at/all\n")
    (room.bin / "claude").chmod(0o755)
    result = room.pollux("resume", IDS["claude"])
    assert result.returncode == 5
    assert result.stderr.startswith(f"pollux: {room.bin / 'claude'} cannot be started: ")


def test_control_characters_of_a_title_or_a_folder_do_not_reach_the_terminal(room: Room) -> None:
    evil = room.elsewhere / "a\x1b]0;b"
    evil.mkdir()
    room.claude(room.home / ".claude", id=OTHER_ID, project=evil)
    shown = in_terminal(room.pollux, "resume", OTHER_ID, "--print")
    assert "\x1b" not in shown


def test_the_terminal_is_the_agents_when_pollux_is_interrupted(room: Room) -> None:
    """What is typed reaches the agent, not pollux."""
    (room.bin / "claude").unlink()
    (room.bin / "claude").write_text(f'#!{sys.executable}\nprint("ready", flush=True)\nprint(f"heard {{input()}}")\n')
    (room.bin / "claude").chmod(0o755)
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "pollux", "resume", IDS["claude"]]
    with subprocess.Popen(
        command, env=room.pollux.env, cwd=room.home, stdin=theirs, stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        output = b""
        while b"ready" not in output:
            output += os.read(ours, 1024)
        os.write(ours, b"you\n")
        while b"heard you" not in output:
            output += os.read(ours, 1024)
        assert process.wait(60) == 0
    os.close(ours)
