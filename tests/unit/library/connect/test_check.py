"""What `mcp doctor` finds: entries are started as the agents would."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pytest

from pollux.library.connect import probe
from pollux.library.connect.check import Checks, State
from tests.unit.library.connect.conftest import Machine

ANSWERS = """
import json, os, sys
for line in sys.stdin:
    message = json.loads(line)
    if message.get("method") == "initialize":
        assert sorted(set(os.environ) - {"LC_CTYPE"}) == ["EXTRA", "HOME", "PATH"], sorted(os.environ)
        assert "project" not in os.getcwd()
        result = {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {},
                  "serverInfo": {"name": "pollux", "version": "9.9"}}
    elif message.get("method") == "tools/list":
        result = {"tools": [{"name": "search_sessions"}, {"name": "read_session"}]}
    else:
        assert message == {"jsonrpc": "2.0", "method": "notifications/initialized"}
        continue
    print(json.dumps({"jsonrpc": "2.0", "method": "notifications/message"}), flush=True)
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""
SILENT = "import sys, time\nsys.stdin.read()\ntime.sleep(60)\n"
ENDS = "import sys\nsys.stderr.write('no such luck\\n')\nsys.exit(7)\n"
CHATTY = "print('Welcome!', flush=True)\n" + SILENT
REFUSES = """
import json, sys
for line in sys.stdin:
    error = {"code": -1, "message": "not today"}
    print(json.dumps({"jsonrpc": "2.0", "id": json.loads(line)["id"], "error": error}), flush=True)
"""
ODD = """
import json, sys
for line in sys.stdin:
    print(json.dumps({"jsonrpc": "2.0", "id": json.loads(line).get("id"), "result": {"tools": 3, "serverInfo": []}}))
    sys.stdout.flush()
"""


def server(machine: Machine, text: str, name: str = "bin/pollux") -> str:
    file = machine.file(name, f"#!{sys.executable} -E\n{text}")
    file.chmod(0o755)
    return str(file)


def codex(machine: Machine, command: str, more: str = "") -> Checks:
    machine.file(".codex/config.toml", f'[mcp_servers.pollux]\ncommand = "{command}"\nargs = ["mcp"]\n{more}')
    return machine.library(SECRET="x").connect.check()


def test_an_entry_answers(machine: Machine) -> None:
    command = server(machine, ANSWERS)
    checks = codex(machine, command, 'env = { EXTRA = "1" }\n')
    (entry,) = checks.entries
    assert entry.state is State.ANSWERS, entry.why
    assert (entry.agent, entry.scope, entry.name) == ("codex", "user", "pollux")
    assert (entry.server, entry.version, entry.protocol) == ("pollux", "9.9", probe.PROTOCOL)
    assert entry.tools == ("search_sessions", "read_session")
    assert entry.seconds is not None
    assert 0 < entry.seconds < 30
    assert entry.command == (command, "mcp")
    assert checks.good
    assert checks.duplicates == ()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (SILENT, "does not answer initialize in time"),
        (ENDS, "ends with status 7: no such luck"),
        (CHATTY, "not of the protocol: Welcome!"),
        (REFUSES, "refuses initialize: not today"),
    ],
)
def test_an_entry_that_does_not_answer(machine: Machine, text: str, why: str) -> None:
    began = time.monotonic()
    checks = codex(machine, server(machine, text), "startup_timeout_sec = 2\n" if text in (SILENT, CHATTY) else "")
    assert [entry.state for entry in checks.entries] == [State.FAILS]
    assert why in str(checks.entries[0].why)
    assert not checks.good
    assert time.monotonic() - began < 20


def test_an_odd_answer_is_no_error(machine: Machine) -> None:
    (entry,) = codex(machine, server(machine, ODD)).entries
    assert (entry.state, entry.server, entry.tools) == (State.ANSWERS, None, ())


def test_a_program_that_cannot_run(machine: Machine) -> None:
    broken = machine.file("bin/pollux", "\0\0")
    broken.chmod(0o755)
    (entry,) = codex(machine, str(broken)).entries
    assert entry.state is State.FAILS
    assert "cannot be started" in str(entry.why)


def test_a_program_that_is_gone(machine: Machine) -> None:
    checks = codex(machine, "/gone/pollux")
    assert [entry.state for entry in checks.entries] == [State.GONE]
    assert "pollux mcp install codex" in str(checks.entries[0].why)
    assert not checks.good


def test_a_variable_in_a_command_is_understood(machine: Machine) -> None:
    server(machine, ANSWERS)
    entry = {"command": "${HOME}/${NONE:-bin}/pollux", "args": ["mcp"], "env": {"EXTRA": "1"}}
    machine.file(".claude.json", json.dumps({"mcpServers": {"pollux": entry}}))
    (checked,) = machine.library().connect.check().entries
    assert (checked.state, checked.command[0]) == (State.ANSWERS, str(machine.home / "bin/pollux"))


def test_an_entry_that_is_switched_off_is_not_started(machine: Machine) -> None:
    checks = codex(machine, server(machine, ENDS), "enabled = false\n")
    assert [entry.state for entry in checks.entries] == [State.OFF]
    assert checks.good


def test_something_else_is_not_started(machine: Machine, tmp_path: Path) -> None:
    touched = tmp_path / "touched"
    machine.file(
        ".gemini/settings.json", json.dumps({"mcpServers": {"pollux": {"command": "touch", "args": [str(touched)]}}})
    )
    machine.file(".codex/config.toml", '[mcp_servers.pollux]\nurl = "https://example.org/mcp"\n')
    checks = machine.library(PATH="/usr/bin:/bin").connect.check()
    assert [entry.state for entry in checks.entries] == [State.OTHER, State.OTHER]
    assert "https://example.org/mcp" in str(checks.entries[1].why)
    assert not touched.exists()


def test_a_program_that_a_project_names_is_not_started(machine: Machine, tmp_path: Path) -> None:
    touched = tmp_path / "touched"
    evil = server(machine, f"open({str(touched)!r}, 'w')", "project/pollux")
    machine.file("project/.mcp.json", json.dumps({"mcpServers": {"x": {"command": evil, "args": ["mcp"]}}}))
    checks = machine.library().connect.check()
    assert [entry.state for entry in checks.entries] == [State.STRANGE]
    assert not touched.exists()


def test_several_entries_are_named(machine: Machine) -> None:
    ours = {"command": server(machine, ANSWERS), "args": ["mcp"], "env": {"EXTRA": "1"}}
    local = {str(machine.project): {"mcpServers": {"old": ours}}}
    machine.file(".claude.json", json.dumps({"mcpServers": {"pollux": ours}, "projects": local}))
    checks = machine.library().connect.check()
    assert [(entry.scope, entry.state) for entry in checks.entries] == [("user", "answers"), ("local", "answers")]
    assert "2 entries" in checks.duplicates[0]
    assert checks.good


def test_a_file_that_is_not_understood_is_named_once(machine: Machine) -> None:
    machine.file(".claude.json", "{")
    checks = machine.library().connect.check()
    assert [entry.state for entry in checks.entries] == [State.UNREADABLE]
    assert ".claude.json" in str(checks.entries[0].why)
    assert not checks.good


def test_nothing_is_there(machine: Machine) -> None:
    assert machine.library().connect.check() == Checks(entries=(), duplicates=())
