"""The server comes into the agents' settings and goes again; nothing else in them changes."""

from __future__ import annotations

import json
import os
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from pollux.errors import NotFound, OutputError, RequestError, UnknownName
from pollux.library.connect import files
from pollux.library.connect.entries import Wanted, is_ours, new_entry, renewed
from pollux.library.connect.plan import Change, ConnectPlan
from pollux.library.library import Library
from pollux.sources.tool_host import Scope, ServerSettings
from tests.unit.library.connect.conftest import COMMAND, Machine

HOSTS = ("gemini", "claude", "codex", "copilot", "opencode", "qwen")
"""The agents whose settings pollux writes servers into."""

FILES = {"claude": ".claude.json", "codex": ".codex/config.toml", "gemini": ".gemini/settings.json"}
PROJECT = {"claude": ".mcp.json", "codex": ".codex/config.toml", "gemini": ".gemini/settings.json"}
CONTENTS = {
    "claude": '{\n  "userID": "x",\n  "projects": {"/a": {"mcpServers": {}}}\n}',
    "codex": '# mine\nmodel = "gpt" # best\n[mcp_servers.other]\ncommand = "x"\n',
    "gemini": '{\n  // dark\n  "ui": {"theme": "x"}\n}\n',
}
AGENTS = sorted(FILES)
agents = pytest.mark.parametrize("agent", AGENTS)


def install(library: Library, agent: str, scope: str = "user", *, remove: bool = False) -> ConnectPlan:
    return library.connect.write(library.connect.plan_server(agent, scope, remove=remove))


def entry(file: Path) -> Any:
    text = file.read_text("utf-8")
    if file.suffix == ".toml":
        return tomllib.loads(text)["mcp_servers"]["pollux"]
    lines = (line for line in text.splitlines() if not line.lstrip().startswith("//"))
    return json.loads("\n".join(lines))["mcpServers"]["pollux"]


def changes(plan: ConnectPlan) -> list[Change]:
    return [step.change for step in plan.steps]


@agents
@pytest.mark.parametrize("scope", ["user", "project"])
def test_the_entry_comes_and_goes(machine: Machine, agent: str, scope: str) -> None:
    machine.have(agent)
    file = machine.file(FILES[agent] if scope == "user" else f"project/{PROJECT[agent]}", CONTENTS[agent])
    file.chmod(0o640)
    library = machine.library()
    assert changes(library.connect.plan_server(agent, scope)) == [Change.ADD]
    assert file.read_text() == CONTENTS[agent], "a plan writes nothing"
    done = install(library, agent, scope)
    assert done.written
    assert entry(file)["command"] == COMMAND
    assert entry(file)["args"] == ["mcp"]
    assert "env" not in entry(file)
    assert file.stat().st_mode & 0o777 == 0o640
    assert [copy.read_text() for copy in machine.copies] == [CONTENTS[agent]]
    assert done.steps[0].copy == machine.copies[0]
    assert machine.copies[0].stat().st_mode & 0o077 == 0
    assert changes(library.connect.plan_server(agent, scope)) == [Change.NONE]
    assert install(library, agent, scope).steps[0].copy is None
    assert changes(install(library, agent, scope, remove=True)) == [Change.REMOVE]
    assert file.read_text() == CONTENTS[agent]
    assert changes(install(library, agent, scope, remove=True)) == [Change.ABSENT]


@agents
@pytest.mark.parametrize("scope", ["user", "project"])
def test_a_file_that_pollux_made_goes_as_a_whole(machine: Machine, agent: str, scope: str) -> None:
    file = machine.home / (FILES[agent] if scope == "user" else f"project/{PROJECT[agent]}")
    before = sorted(machine.home.rglob("*"))
    library = machine.library()
    install(library, agent, scope)
    assert file.stat().st_mode & 0o077 == (0 if scope == "user" else 0o044)
    install(library, agent, scope, remove=True)
    assert [path for path in sorted(machine.home.rglob("*")) if ".local" not in path.parts] == before


@agents
def test_a_pollux_that_moved_is_renewed_and_the_rest_of_its_entry_stays(machine: Machine, agent: str) -> None:
    own = {"command": "/old/bin/pollux", "args": ["mcp", "--also", "usage"], "timeout": 5}
    toml = '[mcp_servers.pollux]\ncommand = "/old/bin/pollux" # mine\nargs = ["mcp", "--also", "usage"]\ntimeout = 5\n'
    text = toml if agent == "codex" else json.dumps({"mcpServers": {"pollux": own}}, indent=3)
    file = machine.file(FILES[agent], text)
    assert changes(install(machine.library(), agent)) == [Change.RENEW]
    assert file.read_text() == text.replace("/old/bin/pollux", COMMAND)


@pytest.mark.parametrize(
    ("words", "ours"),
    [
        (["/x/bin/pollux", "mcp"], True),
        (["pollux.exe", "mcp", "--also", "usage"], True),
        (["/usr/bin/python3", "-P", "-m", "pollux", "mcp"], True),
        (["uvx", "pollux", "mcp"], True),
        (["uv", "run", "--with", "x", "pollux", "mcp"], True),
        (["npx", "-y", "pollux", "mcp"], False),
        (["/x/bin/pollux", "serve"], False),
        (["mcp"], False),
        (["/x/pollux-mcp"], False),
        ([], False),
    ],
)
def test_what_leads_to_pollux(words: list[str], ours: bool) -> None:
    assert is_ours({"command": words[0], "args": words[1:]} if words else {"url": "http://x"}) is ours
    assert not is_ours({"command": 3, "args": ["mcp"]})
    assert not is_ours("pollux mcp")


@agents
def test_an_entry_that_leads_elsewhere_is_named_and_replaced_and_never_removed(machine: Machine, agent: str) -> None:
    toml = '[mcp_servers.pollux]\ncommand = "npx"\nargs = ["star-chart", "mcp"]\n[mcp_servers.pollux.env]\nA = "b"\n'
    other = {"mcpServers": {"pollux": {"command": "npx", "args": ["star-chart", "mcp"]}}}
    file = machine.file(FILES[agent], toml if agent == "codex" else json.dumps(other))
    before = file.read_text()
    library = machine.library()
    plan = library.connect.plan_server(agent)
    assert changes(plan) == [Change.REPLACE]
    assert "npx star-chart mcp" in plan.steps[0].notes[0]
    left = install(library, agent, remove=True)
    assert changes(left) == [Change.LEFT]
    assert file.read_text() == before
    install(library, agent)
    assert entry(file)["command"] == COMMAND
    assert "env" not in entry(file)


@agents
def test_folders_that_variables_name_go_into_the_entry(machine: Machine, agent: str) -> None:
    names = {"claude": "CLAUDE_CONFIG_DIR", "codex": "CODEX_HOME", "gemini": "GEMINI_CLI_HOME"}
    moved = machine.home / "moved"
    variables = {names[agent]: str(moved), "XDG_CACHE_HOME": str(machine.home / "cache"), "UNRELATED": "x"}
    library = machine.library(**variables)
    plan = install(library, agent)
    expected = {"claude": ".claude.json", "codex": "config.toml", "gemini": ".gemini/settings.json"}
    assert plan.steps[0].place == moved / expected[agent]
    del variables["UNRELATED"]
    assert entry(moved / expected[agent])["env"] == variables
    assert changes(library.connect.plan_server(agent)) == [Change.NONE]
    assert library.connect.server_fragments(agent)[0].command is None, "its own command would lack them"


def test_an_old_file_of_claudes_comes_first(machine: Machine) -> None:
    old = machine.file(".claude/.config.json", "{}")
    assert install(machine.library(), "claude").steps[0].place == old


def test_all_means_the_agents_of_this_machine(machine: Machine) -> None:
    with pytest.raises(NotFound, match="Gemini CLI, Claude Code, Codex CLI"):
        machine.library().connect.plan_server("all")
    machine.have("codex", "claude")
    plan = machine.library().connect.plan_server("all")
    assert [step.agents for step in plan.steps] == [("claude",), ("codex",)]
    assert plan.absent == ("Gemini CLI", "GitHub Copilot CLI", "OpenCode", "Qwen Code")
    (program := machine.home / "gemini").write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert machine.library(PATH=str(machine.home)).connect.plan_server("all").absent == (
        "GitHub Copilot CLI",
        "OpenCode",
        "Qwen Code",
    )
    assert len(machine.library().connect.plan_server("all", remove=True).steps) == len(HOSTS)


def test_an_agent_that_is_not_here_is_written_with_a_remark(machine: Machine) -> None:
    assert "Codex CLI is not on this machine yet." in machine.library().connect.plan_server("codex").steps[0].notes
    machine.have("codex")
    assert machine.library().connect.plan_server("codex").steps[0].notes == ()
    with pytest.raises(UnknownName):
        machine.library().connect.plan_server("cursor")


def test_entries_that_are_there_twice_are_named(machine: Machine) -> None:
    ours = {"command": "/x/pollux", "args": ["mcp"]}
    local = {str(machine.project): {"mcpServers": {"p": ours}}}
    machine.file(".claude.json", json.dumps({"mcpServers": {"memory": ours}, "projects": local}))
    notes = machine.library().connect.plan_server("claude").steps[0].notes
    assert any("'memory'" in note for note in notes)
    assert any("(local)" in note for note in notes)
    notes = machine.library().connect.plan_server("claude", "project").steps[0].notes
    assert any("(user)" in note for note in notes)


# ------------------------------------------------------------------------------------------- what cannot be changed


@pytest.mark.parametrize(
    ("agent", "content"),
    [
        ("claude", '{"a": 1'),
        ("claude", '{"a": "\ud800"}'),
        ("claude", "[]"),
        ("claude", '{"mcpServers": []}'),
        ("claude", "{" * 100_000),
        ("gemini", '{"a": 1,}'),
        ("gemini", '{"mcpServers": "x"}'),
        ("codex", "model = "),
        ("codex", "mcp_servers = 1"),
        ("codex", "mcp_servers = {}"),
        ("codex", "[[mcp_servers]]"),
    ],
)
def test_what_is_not_understood_is_refused_and_stays(machine: Machine, agent: str, content: str) -> None:
    file = machine.home / FILES[agent]
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(content.encode("utf-8", "surrogatepass"))
    before = file.read_bytes()
    with pytest.raises(OutputError, match=file.name) as error:
        machine.library().connect.plan_server(agent)
    assert "Nothing was written" in (error.value.hint or "")
    assert file.read_bytes() == before


@agents
def test_a_link_of_the_users_is_followed(machine: Machine, agent: str) -> None:
    kept = machine.file("dotfiles/settings", CONTENTS[agent])
    link = machine.home / FILES[agent]
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(kept)
    plan = install(machine.library(), agent)
    assert link.is_symlink()
    assert plan.steps[0].place == kept
    assert any("is a link to this file" in note for note in plan.steps[0].notes)
    kept.unlink()
    with pytest.raises(OutputError, match=r"is a link to .*, which is missing"):
        machine.library().connect.plan_server(agent)


@agents
def test_no_link_is_followed_in_a_project(machine: Machine, agent: str, tmp_path: Path) -> None:
    (outside := tmp_path / "outside").mkdir()
    target = outside / Path(PROJECT[agent]).name
    link = machine.project / PROJECT[agent]
    if link.parent == machine.project:
        link.symlink_to(target)
    else:
        link.parent.symlink_to(outside)
    for content in (None, CONTENTS[agent]):
        if content is not None:
            target.write_text(content)
        with pytest.raises(OutputError, match="is a link"):
            machine.library().connect.plan_server(agent, "project")
    assert target.read_text() == CONTENTS[agent]


@agents
def test_a_file_that_is_no_file_is_refused(machine: Machine, agent: str) -> None:
    file = machine.home / FILES[agent]
    file.parent.mkdir(exist_ok=True)
    os.mkfifo(file)
    with pytest.raises(OutputError, match="FIFO"):
        machine.library().connect.plan_server(agent)


@agents
def test_a_file_that_its_owner_protects_stays(machine: Machine, agent: str) -> None:
    file = machine.file(FILES[agent], CONTENTS[agent])
    file.chmod(0o444)
    with pytest.raises(OutputError, match="is read-only"):
        install(machine.library(), agent)
    assert file.read_text() == CONTENTS[agent]
    assert machine.copies == []


@agents
def test_what_an_agent_changed_meanwhile_stays(machine: Machine, agent: str) -> None:
    file = machine.file(FILES[agent], CONTENTS[agent])
    library = machine.library()
    plan = library.connect.plan_server(agent)
    changed = CONTENTS[agent].replace('"x"', '"y"')
    file.write_text(changed)
    library.connect.write(plan)
    assert entry(file)["command"] == COMMAND
    assert machine.copies[0].read_text() == changed
    plan = library.connect.plan_server(agent, remove=True)
    file.write_text(file.read_text().replace('"y"', '"z"'))
    library.connect.write(plan)
    assert file.read_text() == changed.replace('"y"', '"z"')


@agents
def test_an_entry_that_changed_meanwhile_stays(machine: Machine, agent: str) -> None:
    file = machine.file(FILES[agent], CONTENTS[agent])
    library = machine.library()
    plan = library.connect.plan_server(agent)
    install(library, agent)
    changed = file.read_text().replace(COMMAND, "/elsewhere/pollux")
    file.write_text(changed)
    with pytest.raises(OutputError, match="was changed meanwhile"):
        library.connect.write(plan)
    assert file.read_text() == changed
    file.write_text("{")
    with pytest.raises(OutputError, match="is not valid"):
        library.connect.write(plan)
    assert file.read_text() == "{"


def test_a_full_disk_leaves_every_file_as_it_was(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    for agent in AGENTS:
        machine.file(FILES[agent], CONTENTS[agent])
    machine.have(*AGENTS)
    library = machine.library()
    plan = library.connect.plan_server("all")
    put, calls = files._put, []

    def failing(step: Any) -> None:
        calls.append(step)
        if len(calls) == 3:
            raise OSError(28, "No space left on device")
        put(step)

    monkeypatch.setattr(files, "_put", failing)
    with pytest.raises(OutputError, match="No space left on device"):
        library.connect.write(plan)
    assert len(calls) == 5, "two were written and taken back"
    for agent in AGENTS:
        assert (machine.home / FILES[agent]).read_text() == CONTENTS[agent]
        assert not list((machine.home / FILES[agent]).parent.glob("*.making"))


def test_copies_that_cannot_be_kept_stop_it(machine: Machine) -> None:
    machine.file(FILES["codex"], CONTENTS["codex"])
    machine.file(".local/share/pollux/replaced", "a file in the way")
    with pytest.raises(OutputError, match="replaced"):
        install(machine.library(), "codex")
    assert (machine.home / FILES["codex"]).read_text() == CONTENTS["codex"]


def test_two_at_once_write_it_once(machine: Machine) -> None:
    file = machine.file(FILES["codex"], CONTENTS["codex"])
    library = machine.library()
    plans = [library.connect.plan_server("codex") for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        assert all(plan.written for plan in pool.map(library.connect.write, plans))
    assert file.read_text().count("[mcp_servers.pollux]") == 1
    assert len(machine.copies) == 1


def test_claudes_own_lock_is_respected(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_PATIENCE", 0.1)
    file = machine.file(FILES["claude"], CONTENTS["claude"])
    lock = machine.home / ".claude.json.lock"
    lock.mkdir()
    with pytest.raises(OutputError, match=r"An agent is writing to .*\.claude\.json"):
        install(machine.library(), "claude")
    assert file.read_text() == CONTENTS["claude"]
    os.utime(lock, (1, 1))
    install(machine.library(), "claude")
    assert not lock.exists()
    assert entry(file)["type"] == "stdio"


def test_a_path_that_is_no_text_is_refused(machine: Machine) -> None:
    with pytest.raises(RequestError, match="no text"):
        machine.library(XDG_DATA_HOME=os.fsdecode(b"/tmp/\xff")).connect.plan_server("codex")


@agents
@pytest.mark.parametrize("scope", ["user", "project"])
def test_what_is_printed_is_what_would_be_written(machine: Machine, agent: str, scope: str) -> None:
    (fragment,) = machine.library().connect.server_fragments(agent, scope)
    install(machine.library(), agent, scope)
    assert fragment.place.read_text() == fragment.text
    if fragment.command is not None:
        assert fragment.command[:3] == (agent, "mcp", "add")
        assert fragment.command[-2:] == (COMMAND, "mcp")
    assert len(machine.library().connect.server_fragments("all")) == len(HOSTS)


@pytest.mark.parametrize("name", ["opencode.json", "opencode.jsonc"])
def test_opencode_has_command_and_arguments_in_one_list(machine: Machine, name: str) -> None:
    text = '{\n  // mine\n  "mcp": {"other": {"type": "local", "command": ["x"]}}\n}\n'
    file = machine.file(f".config/opencode/{name}", text)
    library = machine.library()
    assert changes(install(library, "opencode")) == [Change.ADD]
    entries = json.loads(file.read_text().replace("// mine", ""))["mcp"]
    assert entries["other"] == {"type": "local", "command": ["x"]}
    assert entries["pollux"]["command"] == [COMMAND, "mcp"]
    assert "args" not in entries["pollux"]
    assert is_ours(entries["pollux"])
    file.write_text(file.read_text().replace(COMMAND, "/old/bin/pollux"))
    assert changes(install(library, "opencode")) == [Change.RENEW]
    assert json.loads(file.read_text().replace("// mine", ""))["mcp"] == entries
    assert changes(install(library, "opencode", remove=True)) == [Change.REMOVE]
    assert file.read_text() == text


def test_opencode_calls_variables_environment() -> None:
    settings = ServerSettings(scope=Scope.USER, file=Path("x"), format="json", names=("mcp",), joined=True)
    wanted = Wanted(("/new/pollux",), {"A": "1"})
    entry = new_entry(settings, wanted)
    assert entry == {"command": ["/new/pollux", "mcp"], "environment": {"A": "1"}}
    old = {"command": ["/old/pollux", "mcp", "-v"], "environment": {"B": "2"}, "enabled": True}
    assert renewed(old, wanted) == {
        "command": ["/new/pollux", "mcp", "-v"],
        "environment": {"B": "2", "A": "1"},
    }
    assert not is_ours({"command": []})
