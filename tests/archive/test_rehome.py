"""Projects that were moved in the agents' own files: done, found again, taken back to the byte, and refused."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import pytest

from pollux.errors import NotFound, OutputError, PolluxError, StoreError
from pollux.library.library import Filter, Library
from pollux.model import Kind
from pollux.projects.relocate import Relocations, entries_of
from pollux.sources.rehome_plan import Rename, Rewrite
from tests.archive.conftest import World

EVERY = ("gemini/upgrade", "gemini/0.20.2-tui", "claude/2.1.325", "codex/0.166.0")
OLD, NEW = "/home", "/srv/homes"


def furnished(world: World, *versions: str) -> Library:
    """Homes in which nobody wrote lately."""
    world.furnish(*versions)
    for path in world.home.rglob("*"):
        os.utime(path, (1_760_000_000, 1_760_000_000))
    return world.library()


def content(world: World) -> dict[str, tuple[int, int, bytes]]:
    """Names, times, modes and bytes of everything."""
    return {path: (mtime, mode, raw) for path, (mtime, _, mode, raw) in world.fingerprint().items()}


def projects(library: Library) -> dict[str, str | None]:
    """Where each session is listed. A checkpoint's key is made of its place, so it goes by its file."""
    return {
        Path(told.files[0]).name if told.kind is Kind.CHECKPOINT else told.key: told.project
        for told in (one.summary for one in library.list(Filter(everything=True)))
    }


def test_a_project_nobody_knows_costs_nothing(world: World) -> None:
    library = furnished(world, "codex/0.34.0")
    library.sync()
    with pytest.raises(NotFound, match="No agent has sessions of /home/nobody"):
        library.rehome.show("/home/nobody", "/srv/nobody")
    assert not library.projects.moves()
    assert world.library().sync().changed == 0


def test_a_mistyped_project_is_answered_with_the_one_meant(world: World) -> None:
    library = furnished(world, "claude/2.1.325")
    known = "/home/ada-claude/code/weather"
    for move in (library.rehome.show, library.rehome.plan):
        with pytest.raises(NotFound) as caught:
            move("/home/ada-claude/code/wether", "/srv/weather")
        assert caught.value.hint == f"Did you mean: {known}?"


def test_a_plan_changes_nothing(world: World) -> None:
    library = furnished(world, *EVERY)
    before = content(world)
    plan = library.rehome.plan(OLD, NEW)
    assert content(world) == before
    assert not plan.done
    assert {step.agent for step in plan.steps} == {"gemini", "claude"}
    assert {left.agent for left in plan.left} == {"gemini", "claude", "codex"}
    assert not library.projects.moves()
    names = {Path(step.path).name: step for step in plan.steps}
    assert (
        names["-home-ada-claude-code-weather"].to == f"{world.home}/.claude/projects/-srv-homes-ada-claude-code-weather"
    )
    assert "/home/dev/code/weather → /srv/homes/dev/code/weather" in (names["projects.json"].what or "")


def test_done_found_again_and_taken_back_to_the_byte(world: World) -> None:
    library = furnished(world, *EVERY)
    before, shown = content(world), projects(library)
    assert library.rehome.carry_out(OLD, NEW).done
    moved = {key: path and path.replace(OLD, NEW, 1) for key, path in shown.items()}
    assert projects(library) == moved
    assert projects(world.library()) == moved
    listed = json.loads((world.home / ".gemini" / "projects.json").read_bytes())["projects"]
    assert all(path.startswith(NEW) for path in listed)
    for folder in (world.home / ".gemini" / "tmp").iterdir():
        if (folder / ".project_root").exists():
            assert listed[(folder / ".project_root").read_text()] == folder.name
        else:
            assert folder.name in {sha256(path.encode()).hexdigest() for path in moved.values() if path}
    kept = {raw for _, _, raw in before.values()}
    assert {raw for path, (_, _, raw) in content(world).items() if "/chats/" in path or "/.claude/" in path} <= kept
    assert world.library().rehome.undo(OLD)[0] == NEW
    assert content(world) == before
    assert projects(world.library()) == shown


def test_after_pollux_was_told_of_the_move_the_plan_is_the_same(world: World) -> None:
    library = furnished(world, *EVERY)
    plan = library.rehome.plan(OLD, NEW)
    library.rehome.show(OLD, NEW)
    again = world.library().rehome.plan(OLD, NEW)
    assert set(again.left) == set(plan.left)
    assert {(step.path, step.to) for step in again.steps} == {(step.path, step.to) for step in plan.steps}


def test_in_an_archive_the_sessions_stay_the_agents_own(world: World) -> None:
    furnished(world, *EVERY)
    library = world.keeping()
    count = len(projects(library))
    library.rehome.carry_out(OLD, NEW)
    world.tomorrow()
    listed = [one.summary for one in world.library().list(Filter(everything=True))]
    assert len(listed) == count
    assert not [one.key for one in listed if one.kept]
    world.library().rehome.undo(OLD)
    world.tomorrow()
    listed = [one.summary for one in world.library().list(Filter(everything=True))]
    assert len(listed) == count
    assert not [one.key for one in listed if one.kept]


def _target(world: World) -> None:
    (world.home / ".claude/projects/-srv-homes-ada-claude-code-weather").mkdir()


def _registered(world: World) -> None:
    file = world.home / ".gemini" / "projects.json"
    file.write_text(file.read_text().replace('"projects": {', '"projects": {"/srv/homes/dev/code/weather": "x",'))


def _noted(world: World) -> None:
    (world.home / ".gemini" / "tmp" / "other").mkdir()
    (world.home / ".gemini" / "tmp" / "other" / ".project_root").write_text("/srv/homes/dev/work/weather")


def _written(world: World) -> None:
    file = next((world.home / ".gemini" / "tmp" / "weather" / "chats").glob("*.jsonl"))
    os.utime(file, (world.now.timestamp() - 60,) * 2)


def _linked(world: World) -> None:
    file = world.home / ".gemini" / "projects.json"
    file.rename(world.folder / "elsewhere")
    file.symlink_to(world.folder / "elsewhere")


@pytest.mark.parametrize("trouble", [_target, _registered, _noted, _written, _linked])
def test_refused_with_nothing_changed(world: World, trouble: Callable[[World], None]) -> None:
    library = furnished(world, *EVERY)
    trouble(world)
    before = content(world)
    with pytest.raises(OutputError):
        library.rehome.carry_out(OLD, NEW)
    assert content(world) == before
    assert not library.projects.moves()


def test_a_file_that_changes_meanwhile_ends_it_and_brings_back_what_was_done(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "inner").write_text("1")
    (tmp_path / "note").write_text("old")
    steps: list[Rename | Rewrite] = [
        Rename(path=str(tmp_path / "a"), to=str(tmp_path / "b")),
        Rewrite(path=str(tmp_path / "note"), before=b"old", after=b"new", what=""),
    ]
    entries = entries_of(steps)
    (tmp_path / "note").write_text("agent")
    with pytest.raises(OutputError):
        Relocations(tmp_path / "moved").apply("/old", "/new", entries)
    assert (tmp_path / "a" / "inner").read_text() == "1"
    assert (tmp_path / "note").read_text() == "agent"
    assert Relocations(tmp_path / "moved").last("/old") is None


def test_a_move_that_was_cut_short_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "note").write_text("old")
    steps: list[Rename | Rewrite] = [
        Rewrite(path=str(tmp_path / "note"), before=b"old", after=b"new", what=""),
        Rename(path=str(tmp_path / "a"), to=str(tmp_path / "b")),
    ]

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    moves = Relocations(tmp_path / "moved")
    monkeypatch.setattr(Path, "rename", killed)
    with pytest.raises(KeyboardInterrupt):
        moves.apply("/old", "/new", entries_of(steps))
    monkeypatch.undo()
    assert (tmp_path / "note").read_text() == "new"
    found = moves.last("/old")
    assert found is not None
    assert moves.revert(*found) == [tmp_path / "note"]
    assert (tmp_path / "note").read_text() == "old"
    assert (tmp_path / "a").is_dir()


def _talked_on(world: World) -> None:
    folder = world.home / ".claude/projects/-srv-homes-ada-claude-code-weather"
    with next(folder.glob("*.jsonl")).open("ab") as file:
        file.write(b"{}\n")


def _listed_another(world: World) -> None:
    file = world.home / ".gemini" / "projects.json"
    file.write_text(file.read_text().replace('"projects": {', '"projects": {"/x": "x",'))


def _came_back(world: World) -> None:
    (world.home / ".claude/projects/-home-ada-claude-code-weather").mkdir()


@pytest.mark.parametrize("trouble", [_talked_on, _listed_another, _came_back])
def test_not_taken_back_over_what_happened_since(world: World, trouble: Callable[[World], None]) -> None:
    furnished(world, *EVERY).rehome.carry_out(OLD, NEW)
    trouble(world)
    before = content(world)
    with pytest.raises(OutputError):
        world.library().rehome.undo(OLD)
    assert content(world) == before
    assert world.library().projects.moves() == {OLD: NEW}


def test_a_folder_that_another_project_shares_is_left(world: World) -> None:
    library = furnished(world, "claude/2.1.325")
    folder = world.home / ".claude/projects/-home-ada-claude-code-weather"
    file = next(folder.glob("*.jsonl"))
    other = file.with_name("00000000-0000-4000-8000-000000000000.jsonl")
    other.write_bytes(file.read_bytes().replace(b"/home/ada-claude/code/weather", b"/home/ada/claude/code/weather"))
    plan = library.rehome.plan("/home/ada-claude/code/weather", "/srv/weather")
    assert not plan.steps
    assert "/home/ada/claude/code/weather" in plan.left[0].why


@contextmanager
def unwritable(file: Path) -> Iterator[None]:
    """A folder in place of a file, so that no file of this name can be written."""
    aside = file.with_name("aside")
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.exists():
        file.rename(aside)
    file.mkdir()
    yield
    file.rmdir()
    if aside.exists():
        aside.rename(file)


@pytest.mark.parametrize(
    ("name", "in_place"),
    [
        ("projects.json", False),
        ("projects.json", True),
        ("moved.json", False),
        ("moved.json", True),
        ("moved/renamed", True),
    ],
)
def test_a_move_that_cannot_be_remembered_changes_nothing(world: World, name: str, in_place: bool) -> None:
    library = furnished(world, *EVERY)
    before, shown = content(world), projects(library)
    places = library.rehome._relocations.folder.parent
    with unwritable(places / name), pytest.raises(StoreError, match="cannot be"):
        (library.rehome.carry_out if in_place else library.rehome.show)(OLD, NEW)
    assert content(world) == before
    for after in (library, world.library()):
        assert not after.projects.moves()
        assert projects(after) == shown
    assert library.rehome._relocations.last(OLD) is None


def test_no_sessions_no_move(world: World) -> None:
    library = furnished(world, "claude/2.1.325")
    with pytest.raises(PolluxError) as caught:
        library.rehome.carry_out("/home/nobody", "/srv/nobody")
    assert caught.value.exit_code == 1
