"""What each command loads, so that it starts at once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

from pollux.cli.app import COMMANDS
from tests.cli.program import Pollux
from tests.program import run_new


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_starts_in_a_new_python(empty: Pollux, command: str) -> None:
    result = run_new(command, "--help", env=empty.env, cwd=empty.home)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith(f"Usage: pollux {command}")


def test_version_loads_next_to_nothing(pollux: Pollux) -> None:
    program = "import sys; sys.argv = ['pollux', '--version']; from pollux.cli import main; main(); print(*sys.modules)"
    process = subprocess.run(
        [sys.executable, "-c", program], env=pollux.env, capture_output=True, text=True, check=True
    )
    version, modules = process.stdout.splitlines()
    assert version == pollux("--color", "never", "--version").stdout.strip()
    loaded = {name.partition(".")[0] for name in modules.split()}
    assert not loaded & {"click", "msgspec", "rich"}
    assert "pollux.library.library" not in modules.split()


def test_the_command_line_itself_is_light(pollux: Pollux) -> None:
    program = "import sys; from pollux.cli.app import run; run(['list', '--help']); print(*sys.modules)"
    process = subprocess.run(
        [sys.executable, "-c", program], env=pollux.env, capture_output=True, text=True, check=True
    )
    modules = process.stdout.splitlines()[-1].split()
    assert not {"msgspec", "rich", "pollux.library.library", "pollux.cli.commands.show"} & set(modules)


def test_list_does_without_rich_where_text_is_plain(home_of: Callable[[str], Pollux]) -> None:
    pollux = home_of("upgrade")
    program = "import sys; from pollux.cli.app import run; run(['list']); print(*sys.modules)"
    process = subprocess.run(
        [sys.executable, "-c", program], env=pollux.env, capture_output=True, text=True, check=True
    )
    assert not {name for name in process.stdout.splitlines()[-1].split() if name.startswith("rich")}


PRICES = """
import sys
from pollux.cli.app import run
from pollux.system.beside import Beside

begun, begin = [], Beside.begin
Beside.begin = lambda make_ready: begun.append(make_ready) or begin(make_ready)
run(sys.argv[1:])
print(bool(begun) or not {"genai_prices", "pydantic"}.isdisjoint(sys.modules))
"""
"""Runs a command, and says whether the list of prices was loaded: in this process, or in one beside it."""


def loads_prices(pollux: Pollux, *command: str) -> bool:
    ran = [sys.executable, "-c", PRICES, *command]
    process = subprocess.run(ran, env=pollux.env, capture_output=True, text=True, check=True)
    return process.stdout.splitlines()[-1] == "True"


@pytest.mark.parametrize("command", [["list"], ["show", "last"], ["stats", "--by", "tool"], ["audit"], ["projects"]])
def test_prices_are_loaded_by_those_alone_who_ask_for_them(pollux: Pollux, command: list[str]) -> None:
    assert not loads_prices(pollux, *command)


def test_the_list_of_prices_is_loaded_once(pollux: Pollux) -> None:
    assert [loads_prices(pollux, "stats") for _ in range(2)] == [True, False]
