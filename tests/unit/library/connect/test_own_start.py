"""How other programs start this pollux."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pollux.errors import RequestError
from pollux.library.connect.own_start import is_passing, own_command
from tests.unit.library.connect.conftest import Machine


def script(place: Path) -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("#!/bin/sh\n")
    place.chmod(0o755)
    return place


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a Python that has nothing beside it yet."""
    monkeypatch.setattr(sys, "executable", str(script(tmp_path / "tool" / "bin" / "python")))
    monkeypatch.setattr(sys, "argv", ["-c"])
    return tmp_path / "tool" / "bin"


def test_the_script_beside_python(tools: Path) -> None:
    own = script(tools / "pollux")
    assert own_command({"PATH": "/nowhere"}) == (str(own),)


def test_a_link_on_the_path_that_leads_to_it(tools: Path, tmp_path: Path) -> None:
    own = script(tools / "pollux")
    link = tmp_path / "local" / "pollux"
    link.parent.mkdir()
    link.symlink_to(own)
    assert own_command({"PATH": str(link.parent)}) == (str(link),)
    link.unlink()
    script(link)
    assert own_command({"PATH": str(link.parent)}) == (str(own),), "that is another pollux"


def test_the_script_that_runs(tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = script(tmp_path / "user" / "pollux")
    monkeypatch.setattr(sys, "argv", [str(own), "mcp", "install"])
    assert own_command({}) == (str(own),)
    monkeypatch.setattr(sys, "argv", [str(script(tmp_path / "other")), "mcp"])
    assert own_command({}) == (str(tools / "python"), "-P", "-m", "pollux")


def test_a_pollux_in_a_cache_is_named(tools: Path, machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    own = script(machine.home / ".cache" / "uv" / "archive-v0" / "x1" / "bin" / "pollux")
    assert is_passing((str(own),))
    assert not is_passing((str(tools / "pollux"),))
    monkeypatch.setattr(sys, "argv", [str(own)])
    (step,) = machine.library().connect.plan_server("codex").steps
    assert any("uv tool install pollux" in note for note in step.notes)


def test_a_relative_folder_is_refused(machine: Machine) -> None:
    with pytest.raises(RequestError, match="relative"):
        machine.library(CODEX_HOME="codex").connect.plan_server("codex")
