"""A folder to write to that comes from a stranger: nothing outside it is written, changed or taken away."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from pollux import registry
from pollux.errors import OutputError
from pollux.export.folder import RECORD, Folder
from pollux.export.names import Layout
from pollux.export.run import FolderExport, Outcome
from pollux.library.jobs import Job
from pollux.model import Author, Message, Role, Session, Text, summarize
from pollux.system.files import append, below
from pollux.writers.base import Options
from tests.hostile.conftest import World

ONE = Session(
    agent="gemini",
    id="one",
    project="/home/ada/weather",
    messages=(Message(id="m", role=Role.USER, author=Author.HUMAN, parts=(Text(text="hello"),)),),
)


def export(folder: Path, to: str = "markdown", layout: Layout = Layout.SESSION, *forbidden: Path) -> Outcome:
    job = Job(summaries=(summarize(ONE),), load=lambda: [ONE])
    with Folder(str(folder), forbidden=forbidden) as opened:
        return FolderExport(registry.writer(to), Options(), opened, layout=layout).run([job], {}, {})


def noted(file: str, text: str, to: str = "markdown", keys: tuple[str, ...] = ()) -> str:
    digest = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
    return json.dumps({"file": file, "to": to, "keys": keys, "hash": digest}) + "\n"


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """A file that nobody may touch, beside the folder that is written to."""
    file = tmp_path / "victim.txt"
    file.write_text("mine")
    return file


@pytest.mark.parametrize("to", ["markdown", "html"])
@pytest.mark.parametrize("keys", [(), ("gemini:one",)])
@pytest.mark.parametrize("how", ["up", "absolute", "round", "linked"])
def test_a_record_takes_nothing_away_outside(victim: Path, how: str, keys: tuple[str, ...], to: str) -> None:
    folder = victim.parent / "out"
    (folder / "sub").mkdir(parents=True)
    (folder / "link").symlink_to("..")
    names = {
        "up": "../victim.txt",
        "absolute": str(victim),
        "round": "sub/../../victim.txt",
        "linked": "link/victim.txt",
    }
    (folder / RECORD).write_text(noted(names[how], "mine", to, keys))
    export(folder, to)
    assert victim.read_text() == "mine"


def test_a_record_without_sessions_takes_nothing_away(tmp_path: Path) -> None:
    for to in ("markdown", "html"):
        (tmp_path / "notes.md").write_text("mine")
        (tmp_path / RECORD).write_text(noted("notes.md", "mine", to))
        export(tmp_path, to)
        assert (tmp_path / "notes.md").read_text() == "mine"


@pytest.mark.parametrize(
    "name", ["x" * 300, "notes", "a/" * 200 + "b", "\0", "", ".", "..", "/", "a//b", "./a", "\ud800"]
)
def test_a_record_may_name_anything(tmp_path: Path, name: str) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / RECORD).write_text(noted(name, "mine", keys=("gemini:one",)))
    assert export(tmp_path).foreign == []
    assert (tmp_path / "gemini-one.md").exists()


@pytest.mark.parametrize("held", ["", "a line\n"])
def test_a_record_that_is_a_link_is_not_followed(victim: Path, held: str) -> None:
    folder = victim.parent / "out"
    folder.mkdir()
    victim.write_text(held)
    (folder / RECORD).symlink_to(victim)
    with pytest.raises(OutputError, match="it is a link, which is not followed"):
        export(folder)
    assert victim.read_text() == held
    victim.unlink()  # nor one that leads nowhere yet
    with pytest.raises(OutputError, match="it is a link, which is not followed"):
        export(folder)
    assert not victim.exists()


def test_a_record_that_has_another_name_is_copied(victim: Path) -> None:
    folder = victim.parent / "out"
    folder.mkdir()
    os.link(victim, folder / RECORD)
    export(folder)
    assert victim.read_text() == "mine"
    assert "gemini-one.md" in (folder / RECORD).read_text()


def test_a_torn_line_of_the_record_takes_no_other_with_it(tmp_path: Path) -> None:
    (tmp_path / RECORD).write_text('{"file": "gem')
    export(tmp_path)
    assert "gemini-one.md" in (tmp_path / RECORD).read_text()


def test_a_record_that_waits_for_a_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / RECORD)
    with pytest.raises(OutputError, match="a FIFO"):
        export(tmp_path)


@pytest.mark.parametrize(("to", "layout"), [("markdown", Layout.DAY), ("html", Layout.SESSION)])
def test_no_folder_is_written_to_through_a_link(tmp_path: Path, to: str, layout: Layout) -> None:
    export(tmp_path / "plain", to, layout)
    inner = sorted(place.name for place in (tmp_path / "plain").iterdir() if place.is_dir())
    assert inner
    for name in inner:
        folder, outside = tmp_path / f"out-{name}", tmp_path / f"outside-{name}"
        folder.mkdir()
        outside.mkdir()
        (folder / name).symlink_to(outside)
        with pytest.raises(OutputError, match="is a link, which is not followed"):
            export(folder, to, layout)
        assert list(outside.iterdir()) == []


def test_tables_are_not_written_through_links(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    test_no_folder_is_written_to_through_a_link(tmp_path, "parquet", Layout.SESSION)


def test_a_folder_around_an_agents_own_takes_nothing_into_it(tmp_path: Path) -> None:
    """As where a table is called like the folder in which an agent has its sessions."""
    export(tmp_path / "plain", "markdown", Layout.DAY)
    (inner,) = (place.name for place in (tmp_path / "plain").iterdir() if place.is_dir())
    agents = tmp_path / "home" / inner
    agents.mkdir(parents=True)
    with pytest.raises(OutputError, match="lies among an agent's own files"):
        export(tmp_path / "home", "markdown", Layout.DAY, agents)
    assert list(agents.iterdir()) == []


@pytest.mark.parametrize("name", ["../a", "/a", "a/../../b", "", ".", "..", "a/", "a\0b"])
def test_names_that_lead_out(tmp_path: Path, name: str) -> None:
    with pytest.raises(OSError, match="leads out"):
        below(tmp_path, name)


def test_names_within(tmp_path: Path) -> None:
    assert below(tmp_path, "a/b.md") == tmp_path / "a" / "b.md"


def _linked(path: Path, victim: Path) -> None:
    path.symlink_to(victim)


def _doubled(path: Path, victim: Path) -> None:
    os.link(victim, path)


@pytest.mark.parametrize("make", [_linked, _doubled])
def test_nothing_is_added_to_a_file_elsewhere(victim: Path, make: Callable[[Path, Path], None]) -> None:
    place = victim.with_name("log")
    make(place, victim)
    with pytest.raises(OSError, match=r"link|another name"):
        append(place, b"more")
    assert victim.read_text() == "mine"


def test_the_command_says_so(world: World) -> None:
    out, shell = world.folder / "out", world.outside / ".bashrc"
    out.mkdir()
    shell.write_text("")
    (out / RECORD).symlink_to(shell)
    result = world.command("export", "--all", "--to", "markdown", "-o", str(out))
    assert result.returncode == 5
    assert f"{out / RECORD} cannot be written: it is a link, which is not followed." in result.stderr
    assert shell.read_text() == ""


def test_what_a_killed_export_left_goes_with_the_next(tmp_path: Path) -> None:
    left = tmp_path / ".pollux-abcd_123"
    left.mkdir()
    for name in ("lock", "tmp0abc_def"):
        (left / name).write_text("half")
    export(tmp_path)
    assert not left.exists()


def test_but_nothing_that_another_export_is_at(tmp_path: Path) -> None:
    with Folder(str(tmp_path), forbidden=[]), Folder(str(tmp_path), forbidden=[]):
        export(tmp_path)
        assert len(list(tmp_path.glob(".pollux-*"))) == 2


@pytest.mark.parametrize("held", ["nothing", "a note", "a folder", "a link", "a linked lock"])
def test_nor_what_only_has_such_a_name(victim: Path, held: str) -> None:
    folder = victim.parent / "out"
    mine = folder / ".pollux-abcd_123"
    mine.mkdir(parents=True)
    if held not in ("nothing", "a linked lock"):
        (mine / "lock").write_text("")
    if held == "a note":
        (mine / "note.txt").write_text("mine")
    elif held == "a folder":
        (mine / "tmp0abc_def").mkdir()
    elif held == "a link":
        (mine / "tmp0abc_def").symlink_to(victim)
    elif held == "a linked lock":
        (mine / "lock").symlink_to(victim.with_name("new"))
    export(folder)
    assert mine.exists()
    assert victim.read_text() == "mine"
    assert not victim.with_name("new").exists()
