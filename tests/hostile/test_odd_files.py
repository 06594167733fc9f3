"""FIFOs, sockets and devices where files are expected: never opened, and nobody else is held up."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

import pollux
from pollux.answers.problems import gaps_sentence
from pollux.errors import PolluxError, RequestError, Unreadable
from pollux.system import files
from tests.hostile.conftest import EVERYTHING, ODD, World, line_of, read_all, within

SOURCE = Path(pollux.__file__).parent
# They write for the user, read what comes with pollux, or are the one way themselves.
MAY_OPEN = {
    "system/files.py",
    "cli/app.py",
    "system/output_file.py",
    "export/folder.py",
    "archive/packs.py",
    "system/locks.py",
}
MAY_OPEN |= {"sources/walk.py", "writers/html/assets/__init__.py"}
# A journal that several processes write, the system's list of processes, and the terminal itself.
MAY_OPEN |= {"marks/journal.py", "system/processes.py", "system/priority.py", "tui/pick/terminal.py"}
# Pages of our own package, where what nobody reads is written to, and the new file that leads a browser on.
MAY_OPEN |= {"library/connect/skill.py", "mcp/run.py", "web/opening.py"}
# Private copies of databases.
MAY_OPEN |= {f"sources/database/{name}.py" for name in ("private_copy", "salvage", "snapshot", "wholeness")}


@pytest.mark.parametrize("kind", ODD)
def test_in_every_place_of_every_agent(world: World, kind: str) -> None:
    everything = read_all(world.library())
    for (agent, role), file in sorted(world.places().items()):
        untouched = {key for key, session in everything.items() if str(file) not in session.files}
        aside = world.folder / "aside"
        file.rename(aside)
        ODD[kind](file)
        with within(120):
            library = world.library()
            there = {one.summary.key for one in library.list(EVERYTHING)}
            account = library.doctor()
        assert untouched <= there, (agent, role)
        status, reason = line_of(account, file)
        assert (status, reason) == ("unreadable", "not a regular file"), (agent, role)
        file.unlink()
        aside.rename(file)
    assert len(world.places()) > 12
    assert read_all(world.library()).keys() == everything.keys()


def test_everywhere_at_once(world: World) -> None:
    for file in world.places().values():
        file.unlink()
        os.mkfifo(file)
    for name in (".gemini/settings.json", ".claude/settings.json", ".codex/config.toml"):
        os.mkfifo(world.home / name)
    with within(120):
        library = world.library()
        assert read_all(library)
        library.doctor()
        library.archive.on()
        library.archive.run()
        list(library.archive.due())


@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize(
    "place",
    [
        "config/pollux/config.toml",
        "data/pollux/projects.json",
        "data/pollux/moved.json",
        "data/pollux/moved/renamed",
        "data/pollux/archive/000001.pack",
        "data/pollux/archive/lock",
        "cache/pollux/prices.json",
        "cache/pollux/archive.db",
        "cache/pollux/index/catalogue.db",
        "cache/pollux/index/catalogue.db-wal",
        "cache/pollux/index/lock",
        "cache/pollux/index/text/meta.json",
    ],
)
def test_where_pollux_has_its_own(tmp_path: Path, place: str, kind: str) -> None:
    world = World(tmp_path, ("gemini/0.44.0",))
    library = world.library()
    library.archive.on()
    count = len(library.list(EVERYTHING))
    library.close()
    file = world.folder / "own" / place
    file.parent.mkdir(parents=True, exist_ok=True)
    file.unlink(missing_ok=True)
    ODD[kind](file)
    with within(120):
        again = world.library()
        try:
            assert len(again.list(EVERYTHING)) == count
            again.doctor()
            again.search("weather")
        except PolluxError as error:
            assert str(file) in str(error) or "cannot be" in str(error)  # noqa: PT017 (most places raise nothing)


def test_an_archive_that_is_none_is_no_archive(world: World) -> None:
    library = world.library()
    fifo = world.folder / "fifo"
    os.mkfifo(fifo)
    with within(120), pytest.raises(Unreadable, match="it is a FIFO, not a regular file"):
        library.archive.import_file(fifo)


def test_named_by_a_person(world: World) -> None:
    fifo = world.folder / "fifo"
    os.mkfifo(fifo)
    for arguments in (["show", str(fifo)], ["export", str(fifo), "--to", "json"], ["archive", "import", str(fifo)]):
        told = world.command(*arguments)
        assert told.returncode == 3, told.stderr
        assert "it is a FIFO, not a regular file" in told.stderr


def test_a_pipe_that_the_shell_opened_is_read(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"What was signed")
    os.close(writing)
    try:
        assert files.read_named(f"/dev/fd/{reading}") == b"What was signed"
    finally:
        os.close(reading)
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(OSError, match="FIFO"):
        files.read_named(tmp_path / "fifo")


def test_the_settings_say_what_is_wrong(world: World) -> None:
    from pollux.system.config import load

    world.config.mkdir(parents=True)
    os.mkfifo(world.config / "config.toml")
    with pytest.raises(RequestError, match="it is a FIFO, not a regular file"):
        load(world.config / "config.toml")


def test_a_small_file_that_is_large_is_not_read(world: World) -> None:
    registry = world.home / ".gemini" / "projects.json"
    count = len(world.library().list(EVERYTHING))
    with registry.open("r+b") as file:
        file.truncate(1 << 40)
    with within(120):
        assert len(world.library().list(EVERYTHING)) == count
    with pytest.raises(OSError, match="larger than 16 MiB"):
        files.read(registry)


def test_no_module_opens_files_by_itself() -> None:
    by_itself = re.compile(
        r"""(?<!def )(?<![\w.])open\(|\b(?:os|io)\.open\(|\.read_(?:bytes|text)\(|\.open\([^)\n]*["'][rwxab+]+["']"""
    )
    found = [
        f"{name}: {line.strip()}"
        for path in sorted(SOURCE.rglob("*.py"))
        if (name := str(path.relative_to(SOURCE))) not in MAY_OPEN and not name.startswith("testing/")
        for line in path.read_text("utf-8").splitlines()
        if by_itself.search(line)
    ]
    assert found == []


def test_a_file_that_was_closed_to_us_after_it_was_read(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    count = world.library().count(EVERYTHING)
    file = next(path for (agent, _), path in world.places().items() if agent == "claude" and path.suffix == ".jsonl")
    file.chmod(0)
    monkeypatch.setattr("pollux.sources.walk.os.access", lambda path, _: path != str(file))  # root may read all
    library = world.library()
    assert library.count(EVERYTHING) == count
    assert [told.path for told in library._index.forbidden_files] == [str(file)]
    said = gaps_sentence(library)
    assert said is not None
    assert said.startswith("1 session could not be read.")
