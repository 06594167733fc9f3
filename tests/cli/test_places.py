"""Nothing that a command writes may lie among the agents' own files, whichever command it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from pollux.cli.app import COMMANDS, cli
from tests.cli.program import ROOT, Pollux

WRITING = {
    ("archive", "export", "{}/all.pack"): "file",
    ("archive", "restore", "last", "-o", "{}/back"): "output",
    ("brief", "last", "-o", "{}/brief.md"): "output",
    ("export", "last", "--to", "json", "-o", "{}/one.json"): "output",
    ("export", "last", "--to", "json", "--json-report", "{}/report.json"): "report_file",
    ("export", "--all", "--to", "json", "-o", "{}/all"): "output",
    ("hide", "record.salted.json", "--place", "session", "-o", "{}/copy.json"): "output",
    ("key", "new", "spare", "--folder", "{}/keys"): "folder",
    ("recover", "last", "-o", "{}/back"): "output",
    ("recover", "last", "-o", "{}/one.json"): "output",
    ("sign", "record.json", "--issuer", "Ada", "-o", "{}/signature.cose"): "output",
    ("stats", "--by", "day", "-o", "{}/chart.svg"): "output",
    ("timeline", "-o", "{}/calendar.svg"): "output",
}
"""Every command that takes a place to write, and the name of what takes it."""

READING = {
    "check file",
    "verify file",
    "verify signature",
    "hide file",
    "sign file",
    "projects add",
    "archive import file",
    "resume folder",
    "handoff folder",
    "edits path",
    "lake load teams",
}


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Pollux:
    """A home with something kept, a key, and a record to sign and to hide in."""
    pytest.importorskip("cryptography")
    pollux = Pollux(tmp_path_factory.mktemp("places"), "0.61.0")
    for command in (
        ("archive", "run"),
        ("key", "new", "work"),
        ("export", "last", "--to", "vac", "-o", "record.json"),
        ("sign", "record.json", "--issuer", "Ada", "--salted"),
    ):
        assert pollux(*command).returncode == 0, command
    return pollux


def files(folder: Path) -> dict[Path, bytes]:
    return {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.mark.parametrize("command", WRITING, ids=" ".join)
@pytest.mark.parametrize("way", ["straight", "by a link"])
def test_nothing_is_written_among_the_agents_files(ready: Pollux, command: tuple[str, ...], way: str) -> None:
    folder = ready.home / ROOT
    if way == "by a link":
        folder = ready.folder / "link"
        folder.unlink(missing_ok=True)
        folder.symlink_to(ready.home / ROOT)
    before = files(ready.home / ROOT)
    result = ready(*(word.format(folder) for word in command))
    assert result.returncode == 5, result.stderr
    assert "lies among an agent's own files, which pollux only reads." in result.stderr
    assert files(ready.home / ROOT) == before
    assert not [place for place in (ready.home / ROOT).rglob("*") if place.name in ("back", "all", "keys")]


@pytest.mark.parametrize("command", WRITING, ids=" ".join)
def test_nor_beside_their_sessions(ready: Pollux, command: tuple[str, ...]) -> None:
    """Where an agent keeps its logs, names and settings."""
    folder = (ready.home / ROOT).parent
    before = files(folder)
    result = ready(*(word.format(folder) for word in command))
    assert result.returncode == 5, result.stderr
    assert files(folder) == before


def test_nor_over_the_file_that_is_read(ready: Pollux, tmp_path: Path) -> None:
    loose = tmp_path / "session.jsonl"
    loose.write_bytes(next((ready.home / ROOT).rglob("session-*.jsonl")).read_bytes())
    before = loose.read_bytes()
    for places in (("-o", str(loose)), ("-o", str(tmp_path / "a.json"), "--json-report", str(loose))):
        result = ready("export", str(loose), "--to", "json", *places, "--force")
        assert result.returncode == 5, result.stderr
    assert loose.read_bytes() == before


def test_the_home_is_nobodys_own(ready: Pollux) -> None:
    """Also where an agent's sessions lie right in it."""
    environ = {"CLAUDE_CONFIG_DIR": str(ready.home)}
    result = ready("export", "last", "--to", "markdown", "-o", str(ready.home / "kept.md"), **environ)
    assert result.returncode == 0, result.stderr


def test_nor_where_a_variable_leads_away_from(ready: Pollux, tmp_path: Path) -> None:
    place = ready.home / ".codex" / "sessions" / "mine.md"
    result = ready("export", "last", "--to", "markdown", "-o", str(place), CODEX_HOME=str(tmp_path))
    assert result.returncode == 5, result.stderr


def test_nor_around_them(ready: Pollux) -> None:
    """Below a folder that is not the agent's, but has the agent's in it."""
    before = files(ready.home / ROOT)
    for command in (("archive", "restore", "last"), ("recover", "last", "--to", "gemini")):
        result = ready(*command, "-o", str((ready.home / ROOT).parent))
        assert result.returncode == 5, result.stderr
    assert files(ready.home / ROOT) == before


def test_nor_through_a_link_in_the_folder(ready: Pollux, tmp_path: Path) -> None:
    out, outside = tmp_path / "out", tmp_path / "outside"
    out.mkdir()
    outside.mkdir()
    (out / "tmp").symlink_to(outside)
    for command in (("archive", "restore", "last"), ("recover", "last")):
        result = ready(*command, "-o", str(out))
        assert (result.returncode, "is a link, which is not followed" in result.stderr) == (5, True), result.stderr
    assert list(outside.iterdir()) == []


def _taking(group: click.Group, names: list[str], above: str = "") -> Iterator[str]:
    """Every argument and option that takes a path."""
    ctx = click.Context(group)
    for name in names:
        command = group.get_command(ctx, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from _taking(command, command.list_commands(ctx), f"{name} ")
        for param in command.params:
            if isinstance(param.type, click.Path):
                yield f"{above}{name} {param.name}"


def test_every_command_that_takes_a_place_is_tried() -> None:
    tried = {" ".join([*command[: 1 + (command[0] == "archive")], name]) for command, name in WRITING.items()}
    assert isinstance(cli, click.Group)
    assert set(_taking(cli, list(COMMANDS))) == tried | READING
