"""Where programs are, which release they have, and what becomes of a process that becomes one."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pollux.system.programs import find_program, release_of


def program(file: Path, content: str = "#!/bin/sh\n") -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content)
    file.chmod(0o755)
    return file


def test_a_program_on_the_path_or_in_another_place(tmp_path: Path) -> None:
    first, other = program(tmp_path / "a" / "tool"), program(tmp_path / "b" / "tool")
    environ = {"PATH": f"{tmp_path / 'nowhere'}{os.pathsep}{tmp_path / 'a'}"}
    assert find_program("tool", environ, [other]) == str(first)
    first.chmod(0o644)
    assert find_program("tool", environ, [tmp_path / "missing", other]) == str(other)
    assert find_program("tool", environ) is None


def test_a_relative_folder_of_the_path_is_one_here_and_not_where_the_program_will_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = program(tmp_path / "here" / "tools" / "tool")
    monkeypatch.chdir(tmp_path / "here")
    assert find_program("tool", {"PATH": "tools"}) == str(tool)


def test_a_release_by_the_package_of_a_program(tmp_path: Path) -> None:
    file = program(tmp_path / "lib" / "@maker" / "tool" / "bin" / "tool.js")
    description = tmp_path / "lib" / "@maker" / "tool" / "package.json"
    link = tmp_path / "bin" / "tool"
    link.parent.mkdir()
    link.symlink_to(file)
    assert release_of(str(link), "@maker/tool") is None
    description.write_text(json.dumps({"name": "@maker/tool", "version": "2.1.30-nightly.4"}))
    assert release_of(str(link), "@maker/tool") == (2, 1, 30)
    assert release_of(str(link), "@other/tool") is None
    description.write_text("no JSON")
    assert release_of(str(link), "@maker/tool") is None


def test_a_release_by_the_name_of_a_file(tmp_path: Path) -> None:
    file = program(tmp_path / "versions" / "2.1.325")
    link = tmp_path / "tool"
    link.symlink_to(file)
    assert release_of(str(link), "@maker/tool") == (2, 1, 325)


BECOME = """
import os, signal, sys
from pollux.system.programs import become
become(sys.argv[1], ("tool", "a b", ""), sys.argv[2], {"ONLY": "this"})
"""
TOOL = f"""#!{sys.executable}
import json, os, sys
ignored = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("SigIgn"))
handles = sorted(os.listdir("/proc/self/fd"))
print(json.dumps([os.getpid(), os.getcwd(), sys.argv[1:], dict(os.environ), int(ignored, 16), len(handles)]))
sys.exit(5)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not show signals")
def test_a_process_becomes_a_program(tmp_path: Path) -> None:
    tool = program(tmp_path / "tool", TOOL)
    command = [sys.executable, "-c", BECOME, str(tool), str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        output, _ = process.communicate(timeout=60)
    pid, folder, words, environ, ignored, handles = json.loads(output)
    assert (pid, folder, words) == (process.pid, str(tmp_path), ["a b", ""])
    assert environ.items() >= {"ONLY": "this"}.items()
    assert "HOME" not in environ
    assert process.returncode == 5
    # Python itself ignores SIGPIPE (13) and SIGXFSZ (25) again; else only that is inherited which the tests ignore
    # themselves, as in the background of a shell. From 32 on, signals are the C library's.
    found = re.search(r"SigIgn:\s*(\w+)", Path("/proc/self/status").read_text())
    assert found is not None
    assert ignored % (1 << 31) & ~(1 << 12 | 1 << 24 | int(found[1], 16)) == 0
    assert handles <= 5


def test_a_program_does_not_inherit_that_python_ignores_a_closed_pipe(tmp_path: Path) -> None:
    tool = program(tmp_path / "tool", "#!/bin/sh\ngrep SigIgn /proc/self/status\n")
    command = [sys.executable, "-c", BECOME, str(tool), str(tmp_path)]
    result = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60, preexec_fn=lambda: None)
    assert int(result.stdout.split()[1], 16) & (1 << 12 | 1 << 24) == 0


@pytest.mark.parametrize("missing", ["tool", "folder"])
def test_what_cannot_be_started_is_an_error(tmp_path: Path, missing: str) -> None:
    tool = program(tmp_path / "tool")
    place = tmp_path / "folder"
    place.mkdir()
    tool.unlink() if missing == "tool" else place.rmdir()
    command = [sys.executable, "-c", BECOME, str(tool), str(place)]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert "FileNotFoundError" in result.stderr
