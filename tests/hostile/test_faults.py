"""Killed at any moment, on a full disk, before closed doors: the next answer is right, and nothing is half made."""

from __future__ import annotations

import contextlib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

from pollux.archive.archive import Archive
from pollux.archive.verify import verify
from tests import program
from tests.hostile.conftest import EVERYTHING, World, line_of, read_all, words

KILLS = 4
ROOM = 192 << 10


def _listed(world: World) -> list[dict[str, Any]]:
    told = world.command("list", "--all", "--json")
    assert told.returncode == 0, told.stderr
    listed: list[dict[str, Any]] = json.loads(told.stdout)
    return listed


@contextlib.contextmanager
def _killed(world: World, after: float, *arguments: str) -> Iterator[None]:
    """Start the program, kill it and all its helpers, and go on with what that left."""
    process = subprocess.Popen(
        [sys.executable, "-m", "pollux", *arguments],
        env=world.env(),
        cwd=world.home,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        time.sleep(after)
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _moments(world: World, *arguments: str) -> list[float]:
    """Some moments while a command is at work, by the time that it takes."""
    began = time.monotonic()
    assert program.run_new(*arguments, env=world.env(), cwd=world.home).returncode == 0
    chance = random.Random(" ".join(arguments))
    return [chance.uniform(0.3, 1.0) * (time.monotonic() - began) for _ in range(KILLS)]


def test_a_sync_that_was_killed(world: World) -> None:
    moments = _moments(world, "sync")
    truth = _listed(world)
    for moment in moments:
        shutil.rmtree(world.cache)
        with _killed(world, moment, "sync"):
            pass
        assert _listed(world) == truth
        assert world.command("search", "weather").returncode == 0


def test_a_keeping_that_was_killed(world: World) -> None:
    moments = _moments(world, "archive", "run")
    states = len(world.library().archive._store.index.states())
    for number, moment in enumerate(moments):
        shutil.rmtree(world.data)
        with _killed(world, moment, "archive", "run"):
            pass
        told = world.command("archive", "run")
        assert told.returncode == 0, told.stderr
        archive = Archive(world.data / "archive", world.folder / f"fresh-{number}.db")
        assert verify(archive).sound
        assert len(archive.index.states()) == states
        archive.close()


def test_an_export_that_was_killed(world: World) -> None:
    def exported(name: str) -> dict[str, bytes]:
        folder = world.folder / name
        told = world.command("export", "--all", "--to", "markdown", "-o", str(folder))
        assert told.returncode == 0, told.stderr
        return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}

    moments = _moments(world, "export", "--all", "--to", "markdown", "-o", str(world.folder / "first"))
    truth = exported("whole")
    for number, moment in enumerate(moments):
        with _killed(world, moment, "export", "--all", "--to", "markdown", "-o", str(world.folder / f"cut-{number}")):
            pass
        for file in (world.folder / f"cut-{number}").glob("*.md"):
            assert file.read_bytes() == truth[file.name], "a file is there as a whole, or not"
        after = exported(f"cut-{number}")
        assert {name: after[name] for name in truth} == truth
        assert not [name for name in after if name.endswith(".tmp")]


# ---------------------------------------------------------------------------------------------- a full disk


@pytest.fixture(params=["a small disk", "a limit"])
def small(request: pytest.FixtureRequest, world: World) -> Iterator[tuple[World, dict[str, Any]]]:
    """Where pollux keeps its own things there is little room: on a disk of its own, or by a limit for each file."""
    own = world.folder / "own"
    own.mkdir()
    if request.param == "a limit":
        yield world, {"prepare": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, ROOM))}
        return
    mount = shutil.which("mount")
    made = (
        mount is not None
        and not subprocess.run(
            [mount, "-t", "tmpfs", "-o", f"size={ROOM}", "tmpfs", str(own)], capture_output=True, check=False
        ).returncode
    )
    if not made:
        pytest.skip("only root makes a small disk")
    try:
        yield world, {}
    finally:
        subprocess.run(["umount", "-l", str(own)], check=True)


def test_a_disk_that_is_full(small: tuple[World, dict[str, Any]]) -> None:
    world, limits = small
    (world.folder / "roomy").mkdir()
    truth = {one["key"] for one in _listed(World(world.folder / "roomy"))}
    told = world.command("list", "--all", "--json", **limits)
    assert told.returncode == 0, told.stderr
    assert {one["key"] for one in json.loads(told.stdout)} == truth
    assert "Traceback" not in told.stderr
    told = world.command("archive", "run", **limits)
    assert told.returncode in (0, 4), told.stderr
    assert "Traceback" not in told.stderr
    if told.returncode:
        assert "cannot be written" in told.stderr
    target = world.folder / "own" / "out"
    target.mkdir(exist_ok=True)
    told = world.command("export", "--all", "--to", "json", "-o", str(target), **limits)
    assert told.returncode in (0, 5), told.stderr
    assert "Traceback" not in told.stderr
    for file in target.glob("*.json"):
        assert json.loads(file.read_bytes())["key"] in truth, "a file is there as a whole, or not"


def test_there_is_room_again(small: tuple[World, dict[str, Any]]) -> None:
    world, limits = small
    world.command("archive", "on", **limits)
    world.command("search", "weather", **limits)
    if not limits:
        subprocess.run(["mount", "-o", "remount,size=64m", str(world.folder / "own")], check=True)
    assert world.command("archive", "run").returncode == 0
    assert world.command("search", "weather").returncode == 0
    with world.library() as library:
        assert verify(library.archive._store).sound
        kept = {(state.agent, state.path) for state in library.archive._store.index.states()}
        assert len(kept) > len(library.list(EVERYTHING)) / 2


# ---------------------------------------------------------------------------------------------- closed doors


@contextlib.contextmanager
def _nobody(world: World) -> Iterator[None]:
    """Root may look into everything, so somebody else looks."""
    if os.getuid():
        yield
        return
    for path in (world.folder, *world.folder.rglob("*")):
        os.chown(path, 65534, 65534, follow_symlinks=False)
    for above in world.folder.parents:
        if not above.stat().st_mode & 0o001:
            above.chmod(above.stat().st_mode | 0o011)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize(
    ("folder", "agent"),
    [
        (".gemini/tmp/weather/chats", "gemini"),
        (".claude/projects/-home-ada-claude-code-weather", "claude"),
        (".codex/sessions/2026", "codex"),
        (".codex", "codex"),
    ],
)
def test_a_folder_that_cannot_be_opened(world: World, folder: str, agent: str) -> None:
    whole = {key: words(session) for key, session in read_all(world.library()).items()}
    world.library().doctor()
    shutil.rmtree(world.folder / "own")
    closed = world.home / folder
    closed.chmod(0)
    with _nobody(world):
        library = world.library()
        there = {key: words(session) for key, session in read_all(library).items()}
        account = library.doctor()
        library.archive.on()
        library.archive.run()
        library.close()
    assert {key for key in whole if not key.startswith(agent)} <= there.keys() < whole.keys()
    if folder != ".codex":
        assert line_of(account, closed) == ("unreadable", "Permission denied")
        assert not account.sound
    closed.chmod(0o755)
    with _nobody(world):
        assert {key: words(session) for key, session in read_all(world.library()).items()} == whole


def _bound(world: World, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the program so that the modes of files bind it, root or not."""
    bound = ["setpriv", "--bounding-set", "-all", "--inh-caps", "-all"] if not os.getuid() else []
    if bound and shutil.which("setpriv") is None:
        pytest.skip("root may read everything")
    program = [*bound, sys.executable, "-m", "pollux", *arguments]
    return subprocess.run(
        program, env=world.env(), cwd=world.home, capture_output=True, encoding="utf-8", timeout=240, check=False
    )


def test_every_answer_tells_what_could_not_be_read(world: World) -> None:
    (world.home / ".claude/projects/-home-ada-claude-code-weather").chmod(0)
    for arguments, status in (
        (["list"], 0),
        (["list", "--all", "--no-pager"], 0),
        (["stats", "--by", "agent"], 0),
        (["search", "nothing-says-this"], 1),
        (["projects"], 0),
        (["sync"], 0),
        (["audit"], 0),
        (["export", "--all", "--to", "csv", "-o", str(world.folder / "out")], 0),
    ):
        done = _bound(world, *arguments)
        assert done.returncode == status, (arguments, done.stderr)
        assert "-home-ada-claude-code-weather could not be read." in done.stderr, arguments
    done, account = _bound(world, "stats", "--json"), _bound(world, "doctor")
    assert "could not be read" in json.loads(done.stderr)["warning"]
    assert "could not be read" not in account.stderr  # it is the account
    assert "Permission denied" in account.stdout


def test_sums_beside_closed_folders_are_lower_bounds(world: World) -> None:
    """Also where nobody looks again, and of the agent alone whose folder it is."""
    assert json.loads(_bound(world, "stats", "--by", "agent", "--json").stdout)["lacking"] == []
    shut = world.home / ".codex/sessions/2026/12"
    shut.mkdir()
    shut.chmod(0)
    _bound(world, "sync")
    for more in ([], ["--no-sync"]):
        assert json.loads(_bound(world, *more, "stats", "--json").stdout)["lacking"] == ["codex"]
        assert json.loads(_bound(world, *more, "stats", "--by", "tool", "--json").stdout)["lacking"] == ["codex"]
        assert json.loads(_bound(world, *more, "stats", "--agent", "gemini", "--json").stdout)["lacking"] == []
        table = {line.split()[0]: line for line in _bound(world, *more, "stats", "--by", "agent").stdout.splitlines()}
        assert [table[name].count("≥") for name in ("codex", "gemini", "total")] == [3, 0, 3]
        assert "≥" in _bound(world, *more, "stats", "--by", "tool").stdout.splitlines()[-1]
        projects = _bound(world, *more, "projects").stdout
        assert "codex ≥" in projects
        assert "gemini ≥" not in projects
        done = _bound(world, *more, "list", "--json")
        assert "sessions/2026/12 could not be read" in json.loads(done.stderr)["warning"]


def test_what_cannot_be_read_is_not_called_empty(world: World) -> None:
    for folder in (".claude/projects", ".gemini", ".codex"):
        (world.home / folder).chmod(0)
    for arguments in (["list"], ["list", "--json"], ["show", "last"]):
        done = _bound(world, *arguments)
        assert done.returncode == 3, (arguments, done.stderr)
        assert "could not be read" in done.stderr
        assert "There are no" not in done.stderr


def test_one_file_that_cannot_be_read(world: World) -> None:
    file = min(world.home.glob(".claude/projects/*/*.jsonl"))
    file.chmod(0)
    told = {name: _bound(world, name).stderr for name in ("list", "stats")}
    run = _bound(world, "archive", "run")
    assert all("1 session could not be read" in each for each in told.values()), told
    assert run.returncode == 3
    assert f"{file.name}: Permission denied" in run.stderr


def test_a_run_of_the_archive_that_could_not_look_everywhere(world: World) -> None:
    assert world.command("archive", "run").returncode == 0
    closed = world.home / ".claude/projects/-home-ada-claude-code-weather"
    closed.chmod(0)
    for _ in range(2):
        done, told = _bound(world, "archive", "run"), _bound(world, "archive", "run", "--json")
        assert (done.returncode, told.returncode) == (3, 3)
        assert f"{closed}: Permission denied" in done.stderr
        assert json.loads(told.stdout)["gone"] == 0
        assert json.loads(told.stdout)["unread"] == [f"{closed}: Permission denied"]
    closed.chmod(0o755)
    assert _bound(world, "archive", "run").returncode == 0


@pytest.mark.parametrize("mode", [0o000, 0o300, 0o400])
def test_an_archive_that_is_closed(world: World, mode: int) -> None:
    assert world.command("archive", "on").returncode == 0
    shutil.rmtree(world.home / ".codex/sessions")
    truth = {one["key"] for one in _listed(world)}
    folder = world.data / "archive"
    (pack,) = folder.glob("*.pack")
    inode, raw = pack.stat().st_ino, pack.read_bytes()
    folder.chmod(mode)
    told = f"The archive in {folder} cannot be read: Permission denied."
    for arguments in (["run"], ["verify"], ["status"], ["export", str(world.folder / "all.pollux")]):
        done = _bound(world, "archive", *arguments)
        assert (done.returncode, told in done.stderr) == (4, True), (arguments, done.stderr)
    done = _bound(world, "list", "--all", "--json")
    assert {one["key"] for one in json.loads(done.stdout)} == truth
    assert json.loads(done.stderr) == {"warning": told}
    for arguments in (["search", "weather"], ["stats"], ["doctor"], ["show", "last"]):
        done = _bound(world, *arguments)
        assert (done.returncode, told in done.stderr) == (0, True), (arguments, done.stderr)
    folder.chmod(0o700)
    assert (pack.stat().st_ino, pack.read_bytes()) == (inode, raw)
    assert world.command("archive", "verify").returncode == 0


def test_a_folder_of_keys_that_is_closed(world: World) -> None:
    pytest.importorskip("cryptography")
    assert world.command("key", "new", "mine").returncode == 0
    (world.data / "keys").chmod(0o300)
    done = _bound(world, "key", "list")
    assert done.returncode == 4, done.stdout
    assert "cannot be read: Permission denied" in done.stderr


def test_a_journal_of_moves_that_is_closed(world: World) -> None:
    journal = world.data / "moved"
    (journal / "1").mkdir(parents=True)
    journal.chmod(0o300)
    done = _bound(world, "rehome", "/home/ada/code/weather", "--undo")
    assert done.returncode == 4, done.stderr
    assert "cannot be read: Permission denied" in done.stderr


def test_an_archive_that_cannot_begin_is_not_turned_on(small: tuple[World, dict[str, Any]]) -> None:
    world, limits = small
    done = world.command("archive", "on", **limits)
    if done.returncode == 0:
        pytest.skip("there was room enough")
    assert done.returncode == 4
    assert "From now on" not in done.stderr
    assert not (world.data / "archive/keeping").exists()
