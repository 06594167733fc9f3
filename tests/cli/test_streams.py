"""JSON, errors for programs, closed pipes and full disks, colours and widths."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.program import Pollux


@pytest.mark.parametrize(
    "arguments",
    [
        ["list"],
        ["show", "last"],
        ["search", "weather"],
        ["projects"],
        ["doctor"],
        ["agents"],
        ["writers"],
        ["sync"],
        ["cache", "info"],
    ],
    ids=lambda a: a[0],
)
def test_json_is_one_document(pollux: Pollux, arguments: list[str]) -> None:
    result = pollux(*arguments, "--json")
    assert result.returncode == 0
    assert result.stderr == ""
    json.loads(result.stdout)


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["show", "ffff"], 2),
        (["show", "2"], 2),
        (["show", "/nowhere/x.json"], 3),
        (["list", "--since", "soon"], 2),
        (["list", "--bogus"], 2),
        (["show", "last", "--at", "nowhere"], 2),
        (["search", ""], 2),
        (["search", "--regex", ""], 2),
        (["watch", "ffff"], 2),
        (["cache", "bogus"], 2),
        (["bogus"], 2),
    ],
)
def test_errors_for_programs(pollux: Pollux, arguments: list[str], status: int) -> None:
    result = pollux(*arguments, "--json")
    assert (result.returncode, result.stdout) == (status, "")
    error = json.loads(result.stderr)
    assert error["error"].endswith((".", "?"))
    assert set(error) == {"error", "hint"}


def test_a_closed_pipe_is_silent(pollux: Pollux) -> None:
    command = [sys.executable, "-m", "pollux", "show", "3be08721", "--full"]
    with subprocess.Popen(command, env=pollux.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("arguments", [["list"], ["list", "--json"], ["export", "last", "--to", "json"], ["--version"]])
def test_a_full_disk(pollux: Pollux, arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "pollux", *arguments]
        process = subprocess.run(command, env=pollux.env, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert process.returncode == 5
    assert "No space left" in process.stderr
    assert "Traceback" not in process.stderr


@pytest.mark.parametrize("arguments", ["list", "--version"])
def test_a_closed_stdout(pollux: Pollux, arguments: str) -> None:
    process = subprocess.run(
        ["sh", "-c", f"{sys.executable} -m pollux {arguments} >&-"], env=pollux.env, capture_output=True, check=False
    )
    assert (process.returncode, process.stderr) == (0, b"")


def test_interrupted(pollux: Pollux) -> None:
    program = (
        "import sys; from pollux.cli import app; import pollux.library.library\n"
        "def stop(*a, **k): raise KeyboardInterrupt\n"
        "pollux.library.library.Library.list = stop; sys.exit(app.run(['list']))"
    )
    process = subprocess.run(
        [sys.executable, "-c", program], env=pollux.env, capture_output=True, text=True, check=False
    )
    assert (process.returncode, process.stderr) == (130, "")


def test_a_bug_is_one_sentence_and_debugging_shows_it(pollux: Pollux) -> None:
    program = (
        "import sys; from pollux.cli import app; import pollux.library.library\n"
        "def broken(*a, **k): raise ZeroDivisionError('oops')\n"
        "pollux.library.library.Library.list = broken; sys.exit(app.run(['list']))"
    )
    for debug in ("", "1"):
        env = {**pollux.env, "POLLUX_DEBUG": debug}
        process = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=False)
        assert process.returncode == 70
        assert ("Traceback" in process.stderr) == bool(debug)
        assert "pollux: Something went wrong inside pollux (ZeroDivisionError: oops)." in process.stderr


def test_colours(pollux: Pollux) -> None:
    plain = pollux("list").stdout
    assert "\x1b" not in plain
    assert "\x1b" in pollux("list", "--color", "always").stdout
    assert "\x1b" in pollux("--color", "always", "list").stdout
    assert "\x1b" in pollux("--color", "never", "list", "--color", "always").stdout
    assert pollux("--color", "always", "list", "--color", "never").stdout == plain
    assert "\x1b" in pollux("list", NO_COLOR="", FORCE_COLOR="1").stdout
    assert pollux("list", FORCE_COLOR="1").stdout == plain
    assert pollux("list", "--color", "never", NO_COLOR="", FORCE_COLOR="1").stdout == plain
    assert pollux("list", "--color", "sometimes").returncode == 2


def test_a_pipe_has_no_width(pollux: Pollux) -> None:
    assert "to support wind speed." in pollux("list", COLUMNS="").stdout
    assert "to support wind speed." not in pollux("list", COLUMNS="70").stdout


def test_an_old_locale_still_prints(pollux: Pollux) -> None:
    result = pollux("list", LANG="C", LC_ALL="C", PYTHONCOERCECLOCALE="0", PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert result.returncode == 0
    assert "\\u7528" in result.stdout
    assert "用" in pollux("list", "--json", PYTHONIOENCODING="ascii").stdout


@pytest.mark.parametrize(
    "arguments", [["export", "last", "--to", "markdown"], ["recover", "last", "--to", "json"]], ids=lambda a: a[0]
)
def test_an_old_locale_still_writes_files(pollux: Pollux, arguments: list[str]) -> None:
    (pollux.home / "ü").mkdir()
    old = {"LANG": "C", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    result = pollux(*arguments, "-o", "ü/é.json", **old)
    assert result.returncode == 0, result.stderr
    assert [file.name for file in (pollux.home / "ü").iterdir()] == ["é.json"]


@pytest.mark.parametrize(
    "arguments", [["list"], ["stats"], ["timeline"], ["show", "1ff9"], ["doctor"], ["audit"]], ids=lambda a: a[0]
)
def test_our_marks_have_stand_ins_as_wide_as_they_are(empty: Pollux, arguments: list[str]) -> None:
    usual = empty("--sample", *arguments)
    plain = empty("--sample", *arguments, PYTHONIOENCODING="ascii")
    assert not usual.stdout.isascii()
    assert plain.stdout.isascii()
    assert "\\" not in plain.stdout
    assert [len(line) for line in plain.stdout.splitlines()] == [len(line) for line in usual.stdout.splitlines()]


@pytest.mark.parametrize(
    ("command", "status"), [("timeline", 0), ("show nothing", 2), ("list --json", 0), ("--version", 0)]
)
def test_a_reader_of_both_streams_that_goes_away(pollux: Pollux, command: str, status: int) -> None:
    """Also where processes were at work, and Python ends as it always does."""
    program = "import multiprocessing, sys; from pollux.cli import main; main()"
    reading, writing = os.pipe()
    os.close(reading)
    run = subprocess.Popen(
        [sys.executable, "-c", program, *command.split()],
        env=pollux.env,
        cwd=pollux.home,
        stdout=writing,
        stderr=writing,
    )
    os.close(writing)
    assert run.wait(60) == status


def test_ctrl_c_before_anything_was_begun(pollux: Pollux) -> None:
    program = (
        "import sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'pollux.cli.app': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Finder()); sys.argv = ['pollux', 'list']\n"
        "from pollux.cli import main; main()"
    )
    command = [sys.executable, "-c", program]
    process = subprocess.run(command, env=pollux.env, cwd=pollux.home, capture_output=True, text=True, check=False)
    assert (process.returncode, process.stdout, process.stderr) == (130, "", "")
