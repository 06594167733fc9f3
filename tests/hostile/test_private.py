"""What pollux writes is for its user alone, and what comes from elsewhere does not choose where it goes."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from pollux.archive import transfer
from pollux.archive.archive import Archive
from pollux.archive.packs import Content, PackWriter, State, begin, is_safe
from pollux.errors import OutputError
from pollux.signing.keys import ED25519, Keys
from pollux.system.clock import now
from tests.hostile.conftest import EVERYTHING, World, read_all

OTHERS = 0o077


@pytest.fixture(params=[0o022, 0o000], ids=["the usual mask", "no mask"])
def _mask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


def _open_to_others(folder: Path) -> list[str]:
    found = [folder, *folder.rglob("*")]
    return [
        f"{path} {stat.S_IMODE(path.lstat().st_mode):o}"
        for path in found
        if not path.is_symlink() and path.lstat().st_mode & OTHERS
    ]


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.usefixtures("_mask")
def test_nobody_else_reads_what_pollux_keeps(world: World) -> None:
    library = world.library()
    library.archive.on()
    library.list(EVERYTHING)
    library.search("weather")
    then = now()
    for (_, role), file in world.places().items():
        if role in ("session", "rollout"):
            file.unlink()
    again = world.library()
    session = next(one for one in read_all(again).values() if one.kept)
    again.search("weather")
    again.projects.add("/home/ada/code/weather")
    again.rehome.show("/home/ada/code/weather", "/home/ada/weather")
    Keys(world.data / "keys").new("work", ED25519)
    again.archive.as_of(session, then)
    assert (world.cache / "index" / "catalogue.db-wal").exists()
    assert any((world.cache / "index" / "text").glob("*.store"))
    assert _open_to_others(world.cache) == []
    assert _open_to_others(world.data) == []
    assert _open_to_others(world.folder / "own") == []
    carried = world.folder / "carried.pollux"
    again.archive.export(carried)
    assert _mode(carried) == 0o600


@pytest.mark.usefixtures("_mask")
def test_what_was_open_to_others_is_closed(world: World) -> None:
    library = world.library()
    library.archive.on()
    library.search("weather")
    library.close()
    for path in (world.folder / "own").rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    file = min((world.home / ".claude/projects").glob("*/*.jsonl"))
    file.write_bytes(file.read_bytes() + b"\n")
    with world.library() as again:
        again.search("weather")
    assert [line for line in _open_to_others(world.folder / "own") if re.search(r"text|\.db|\.pack", line)] == []


@pytest.mark.usefixtures("_mask")
def test_what_is_put_back_has_the_mode_it_had(world: World) -> None:
    files = sorted((world.home / ".claude/projects").glob("*/*.jsonl"))[:3]
    for file, mode in zip(files, (0o640, 0o600, 0o444), strict=True):
        file.chmod(mode)
    library = world.library()
    library.archive.on()
    library.list(EVERYTHING)
    for file, mode in zip(files, (0o640, 0o600, 0o444), strict=True):
        file.unlink()
        again = world.library()
        session = again.session(f"claude:{file.stem}")
        planned = again.archive.plan(session, None)
        again.archive.restore(planned)
        assert _mode(file) == mode
        below = world.folder / "back"
        again.archive.restore(again.archive.plan(session, below))
        copy = below / file.relative_to(world.home / ".claude")
        assert _mode(copy) == mode
        assert [_mode(folder) for folder in (below, copy.parent)] == [0o700, 0o700]


@pytest.mark.usefixtures("_mask")
def test_what_is_made_anew_is_private(world: World) -> None:
    library = world.library()
    library.archive.on()
    library.list(EVERYTHING)
    file = min((world.home / ".claude/projects").glob("*/*.jsonl"))
    file.unlink()
    again = world.library()
    rebuilt = again.recover.rebuild(again.recover.session(f"claude:{file.stem}"))
    again.archive.restore(again.recover.plan(rebuilt, world.folder / "rebuilt"))
    assert _open_to_others(world.folder / "rebuilt") == []
    told = world.command("recover", f"claude:{file.stem}", "-o", str(world.folder / "whole.json"))
    assert told.returncode == 0, told.stderr
    assert _mode(world.folder / "whole.json") == 0o600


# ---------------------------------------------------------------------------------------------- from elsewhere


def _carried(folder: Path, home: str, **changes: object) -> Path:
    """An archive of somebody else, with a session whose states say something else than they should."""
    other = World(folder, ("claude/2.1.325",))
    library = other.library()
    library.archive.on()
    library.list(EVERYTHING)
    file = folder / "carried.pollux"
    begin(file)
    pen = PackWriter(file)
    archive = Archive(other.data / "archive", other.cache / "archive.db")
    for place in archive.index.contents():
        assert isinstance(place.record.head, Content)
        pen.write(place.record.head, archive.payload(place))
    for state in archive.index.states():
        pen.write(msgspec.structs.replace(state, home=home.encode(), **changes))
    pen.settle()
    pen.close()
    return file


@pytest.mark.parametrize("step", ["", "/.gemini/../elsewhere", "/../outside/deep/.."])
def test_an_archive_does_not_choose_where_it_is_put_back(tmp_path: Path, step: str) -> None:
    (tmp_path / "their").mkdir()
    (tmp_path / "mine").mkdir()
    world = World(tmp_path / "mine", ())
    home = f"{world.home}{step}" if step else str(world.outside)
    carried = _carried(tmp_path / "their", home)
    library = world.library()
    library.archive.import_file(carried)
    again = world.library()
    sessions = read_all(again)
    assert sessions, "what was taken in is shown"
    before = sorted(map(str, (*world.home.rglob("*"), *world.outside.rglob("*"))))
    for session in list(sessions.values())[:3]:
        with pytest.raises(OutputError, match=f"no folder {os.path.realpath(home)} on this machine"):
            again.archive.plan(session, None)
        rebuilt = again.recover.rebuild(session)
        with pytest.raises(OutputError, match="on this machine"):
            again.recover.plan(rebuilt, None)
    told = world.command("archive", "restore", next(iter(sessions)), "--in-place", "--yes")
    assert told.returncode == 5
    assert os.path.realpath(home) in told.stderr
    assert ".." not in told.stderr
    assert sorted(map(str, (*world.home.rglob("*"), *world.outside.rglob("*")))) == before


def test_an_archive_is_put_back_where_the_agent_has_its_home(tmp_path: Path) -> None:
    (tmp_path / "their").mkdir()
    (tmp_path / "mine").mkdir()
    world = World(tmp_path / "mine", ())
    carried = _carried(tmp_path / "their", f"{world.home}/somewhere/../.claude", mode=0o6777)
    library = world.library()
    library.archive.import_file(carried)
    again = world.library()
    session = next(iter(read_all(again).values()))
    planned = again.archive.plan(session, None)
    assert all(told.path.startswith(f"{world.home}/.claude/") for told, _ in planned)
    assert not any(".." in told.path for told, _ in planned)
    again.archive.restore(planned)
    assert {_mode(piece.place) for _, piece in planned} == {0o600}, "no rights for others, nor to run it"


def test_a_link_in_the_home_leads_nothing_out(tmp_path: Path) -> None:
    (tmp_path / "their").mkdir()
    (tmp_path / "mine").mkdir()
    world = World(tmp_path / "mine", ())
    carried = _carried(tmp_path / "their", f"{world.home}/.claude")
    library = world.library()
    library.archive.import_file(carried)
    again = world.library()
    session = next(iter(read_all(again).values()))
    projects = world.home / ".claude" / "projects"
    projects.mkdir(parents=True)
    for state in again.archive._states(session, None):
        folder = projects / os.fsdecode(state.path).split("/")[1]
        if not folder.is_symlink():
            folder.symlink_to(world.outside)
    with pytest.raises(OutputError, match="does not lie among the agent's sessions"):
        again.archive.plan(session, None)


@pytest.mark.parametrize(
    "changes",
    [
        {"agent": "../../../../escaped"},
        {"agent": "claude/../../../../escaped"},
        {"path": b"../escaped"},
        {"path": b"/tmp/escaped"},
        {"path": b"projects/../../escaped"},
        {"path": b".about"},
        {"path": b".held"},
        {"path": b".unions/x"},
        {"path": b""},
        {"path": b"projects/x\0.jsonl"},
    ],
)
def test_an_archive_writes_nothing_beside_what_is_laid_out(tmp_path: Path, changes: dict[str, object]) -> None:
    (tmp_path / "their").mkdir()
    (tmp_path / "mine").mkdir()
    world = World(tmp_path / "mine", ("gemini/0.44.0",))
    before = len(world.library().list(EVERYTHING))
    carried = _carried(tmp_path / "their", "/home/ada/.claude", **changes)
    library = world.library()
    taken = library.archive.import_file(carried)
    assert taken.states == 0
    assert taken.damaged
    again = world.library()
    assert len(again.list(EVERYTHING)) == before
    assert not list(tmp_path.rglob("*escaped*"))
    assert not Path("/tmp/escaped").exists()  # noqa: S108


def test_paths_that_cannot_lie_beside_one_another_cost_no_other(tmp_path: Path) -> None:
    """A file where another one has its folder, and a name that is too long."""
    (tmp_path / "mine").mkdir()
    world = World(tmp_path / "mine", ("gemini/0.44.0",))
    library = world.library()
    before = len(library.list(EVERYTHING))
    folder = tmp_path / "their"
    folder.mkdir()
    carried = _carried(folder, "/home/ada/.claude")
    pen = PackWriter(carried)
    archive = Archive(folder / "own/data/pollux/archive", folder / "own/cache/pollux/archive.db")
    state = next(state for state in archive.index.states() if state.path.count(b"/") > 1 and state.sha)
    for path in (state.path + b"/below", os.path.dirname(state.path), b"projects/" + b"x" * 300):  # noqa: PTH120
        assert is_safe(path)
        pen.write(msgspec.structs.replace(state, home=b"/home/ada/.claude", path=path))
    pen.settle()
    pen.close()
    library.archive.import_file(carried)
    assert len(world.library().list(EVERYTHING)) > before


def test_a_content_does_not_become_larger_than_it_says(tmp_path: Path) -> None:
    import hashlib

    import zstandard

    file = tmp_path / "carried.pollux"
    begin(file)
    pen = PackWriter(file)
    large = bytes(64 << 20)
    sha = hashlib.sha256(large).digest()
    for size in (1, 1 << 60, -5):
        pen.write(Content(sha=sha, size=size), zstandard.ZstdCompressor().compress(large))
    pen.write(State(agent="claude", home=b"/home/ada/.claude", path=b"projects/x/y.jsonl", at=1, change="new", sha=sha))
    pen.settle()
    pen.close()
    taken = transfer.import_file(Archive(tmp_path / "archive", tmp_path / "index.db"), file)
    assert (taken.contents, taken.states, taken.damaged) == (0, 0, 3)
