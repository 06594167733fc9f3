"""Links: a home and a root may be one, and nothing below a root leads out of it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from pollux import registry
from pollux.errors import NotFound, UnknownName
from pollux.index.sync.sync import RootScan
from pollux.sources import walk
from pollux.sources.base import SourceContext
from pollux.system import link_bounds
from pollux.system.files import read
from pollux.system.link_bounds import LEADS_OUT
from tests.hostile.conftest import EVERYTHING, World, line_of, read_all, words

SECRET = "the-user-told-nobody"


def _back(link: Path, target: Path) -> str:
    return os.path.relpath(target, link.parent.parent.parent)


def _twice(link: Path, target: Path) -> None:
    between = link.with_name(f"{link.name}.between")
    between.symlink_to(target)
    link.symlink_to(between.name)


LINKS = {
    "absolute": lambda link, target: link.symlink_to(target),
    "relative": lambda link, target: link.symlink_to(os.path.relpath(target, link.parent)),
    "roundabout": lambda link, target: link.symlink_to(
        f"{link.parent}/../{link.parent.name}/./../../{_back(link, target)}"
    ),
    "by way of another": _twice,
}


def _told(world: World) -> str:
    return "\n".join(words(session) for session in read_all(world.library()).values())


@pytest.mark.parametrize("how", LINKS)
def test_no_file_of_any_kind_is_read_from_outside(world: World, how: str) -> None:
    before = read_all(world.library())
    for (agent, role), file in sorted(world.places().items()):
        target = world.outside / file.name
        secret = file.read_bytes().replace(b"weather", SECRET.encode())
        target.write_bytes(secret)
        aside = world.folder / "aside"
        file.rename(aside)
        LINKS[how](file, target)
        library = world.library()
        account = library.doctor()
        assert line_of(account, file) == (
            "unreadable",
            "a link that leads out of the agent's folder; it was not followed",
        ), (agent, role)
        assert str(file) in {notice.file for notice in account.notices if notice.code == "link.refused"}
        assert not account.sound
        sessions = read_all(library)
        told = "\n".join(words(session) for session in sessions.values())
        assert SECRET not in told, (agent, role)
        assert not any(str(file) in session.files for session in sessions.values()), (agent, role)
        for link in (file, file.with_name(f"{file.name}.between")):
            link.unlink(missing_ok=True)
        aside.rename(file)
    after = read_all(world.library())
    assert {key: words(session) for key, session in after.items()} == {key: words(s) for key, s in before.items()}


def test_no_folder_is_entered_that_lies_outside(world: World) -> None:
    folders = sorted({folder for file in world.places().values() for folder in _between(world, file)})
    assert len(folders) > 8
    for folder in folders:
        real = world.outside / "folder"
        shutil.copytree(folder, real)
        for file in real.rglob("*"):
            if file.is_file():
                file.write_bytes(file.read_bytes().replace(b"weather", SECRET.encode()))
        aside = world.folder / "aside"
        folder.rename(aside)
        folder.symlink_to(real)
        library = world.library()
        account = library.doctor()
        status, reason = line_of(account, folder)
        assert (status, reason is not None and "leads out" in reason) == ("unreadable", True), folder
        assert SECRET not in "\n".join(words(session) for session in read_all(library).values()), folder
        folder.unlink()
        aside.rename(folder)
        shutil.rmtree(real)


def _between(world: World, file: Path) -> list[Path]:
    """The folders between a root and a file."""
    roots = [root.path for _, root in world.library().homes.roots()]
    return [folder for folder in file.parents if any(root in folder.parents for root in roots)]


def _swap(world: World, root: Path, path: Path) -> None:
    """Put a link in the place of a file or folder, to a copy outside that holds a secret."""
    target = world.outside / f"{len(list(world.outside.iterdir()))}-{path.name}"
    path.rename(target)
    for file in [target, *target.rglob("*")]:
        if file.is_file():
            file.write_bytes(file.read_bytes().replace(b"weather", SECRET.encode()))
    path.symlink_to(target)
    assert root in path.parents or root.parent == path.parent


def _swaps(world: World, root: Path) -> list[Path]:
    """Every folder right below a root, and every file; those that lie in no such folder first."""
    files = [
        Path(file.path)
        for source, one in world.library().homes.roots()
        if one.path == root
        for file in source.find(root)
    ]
    return [*sorted(files, key=lambda file: len(file.parts)), *sorted(one for one in root.iterdir() if one.is_dir())]


@pytest.mark.parametrize("late", [False, True], ids=["before heads are read", "after heads are read"])
@pytest.mark.parametrize("home", ["gemini/0.44.0", "claude/2.1.325", "codex/0.145.0"])
def test_nothing_is_read_that_was_swapped_since_it_was_seen(tmp_path: Path, home: str, late: bool) -> None:
    _swap_each(World(tmp_path, (home,)), late=late)


def _swap_each(world: World, *, late: bool) -> None:
    library = world.library()
    text = "\n".join(repr(session) for session in read_all(library).values())
    assert "weather" in text
    for source, root in library.homes.roots():
        for path in _swaps(world, root.path) if root.path.is_dir() else ():
            files = list(source.find(root.path))
            around = SourceContext()
            bundles = source.bundles(root.path, files, around) if late else []
            aside = world.folder / "aside"
            shutil.copytree(path, aside) if path.is_dir() else shutil.copy(path, aside)
            _swap(world, root.path, path)
            bundles = bundles or source.bundles(root.path, files, around)
            sessions = [session for bundle in bundles for session in source.read(bundle).sessions]
            assert not any(SECRET in repr(session) for session in sessions), path
            path.unlink()
            aside.rename(path)


def test_what_was_swapped_is_not_kept_and_is_named(world: World) -> None:
    library = world.library()
    archive = library.archive
    looks = [RootScan(source, root) for source, root in library.homes.roots()]
    chat = min((world.home / ".gemini/tmp/weather/chats").glob("session-*.jsonl"))
    _swap(world, world.home / ".gemini/tmp", chat)
    kept = archive._store.keep(looks)
    assert [str(chat) in line and LEADS_OUT in line for line in kept.unread] == [True]
    held = b"".join(file.read_bytes() for file in world.data.rglob("*") if file.is_file())
    assert SECRET.encode() not in held
    with pytest.raises(OSError, match="leads out"):
        read(chat)


def test_a_folder_that_is_swapped_while_it_is_looked_at_is_not_entered(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = world.home / ".claude/projects"
    (project,) = [folder for folder in root.iterdir() if any(folder.glob("*.jsonl"))][:1]
    opened = walk._open_folder

    def late(folder: str) -> int | str:
        if folder == str(project) and not project.is_symlink():
            _swap(world, root, project)
        return opened(folder)

    monkeypatch.setattr(walk, "_open_folder", late)
    (line,) = [file for file in registry.source("claude").find(root) if file.path.startswith(str(project))]
    assert (line.path, line.status, line.reason) == (str(project), "unreadable", LEADS_OUT)


def test_a_system_that_does_not_name_open_files_is_no_less_safe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(tmp_path, ("claude/2.1.325",))
    monkeypatch.setattr(link_bounds, "_place_of", lambda _: "")
    before = read_all(world.library())
    assert before
    _swap_each(world, late=True)
    assert read_all(world.library()).keys() == before.keys()


def test_outputs_that_are_named_lie_in_the_sessions_own_folder(world: World) -> None:
    """A session names its large outputs: by a link, a linked folder or a path of its own choice it gets nothing."""
    secret = world.outside / "secret.txt"
    secret.write_text(SECRET)
    for (agent, role), file in world.places().items():
        if role == "output":
            file.unlink()
            file.symlink_to(secret)
            sessions = [one for one in read_all(world.library()).values() if one.agent == agent]
            assert any(notice.code == "output.unreadable" for one in sessions for notice in one.notices), agent
            text = "\n".join(words(session) for session in sessions)
            assert SECRET not in text
            folder = file.parent
            file.unlink()
            folder.rmdir()
            (world.outside / agent).mkdir()
            (world.outside / agent / file.name).write_text(SECRET)
            folder.symlink_to(world.outside / agent)
            assert SECRET not in _told(world)


@pytest.mark.parametrize(
    "named", ["{outside}/secret.txt", "{root}/../../secret.txt", "..", "/etc/passwd", "tool-outputs/../secret.txt"]
)
def test_a_record_cannot_name_a_file_elsewhere(world: World, named: str) -> None:
    (world.outside / "secret.txt").write_text(SECRET)
    (world.home / "secret.txt").write_text(SECRET)
    chats = world.home / ".gemini/tmp/weather/chats"
    path = named.format(outside=world.outside, root=chats)
    for file in [*chats.glob("*.jsonl"), *(world.home / ".claude/projects").rglob("*.jsonl")]:
        raw = file.read_bytes()
        for word in (b"Full output saved to: ", b"saved to: ", b"For full output see: ", b"Full output available at: "):
            raw = raw.replace(word, word + path.encode() + b"\\n")
        file.write_bytes(raw)
    told = _told(world)
    assert SECRET not in told
    assert "root:x:0" not in told


def test_a_home_that_is_a_link_is_as_good_as_any(world: World) -> None:
    before = read_all(world.library())
    for name in (".gemini", ".claude", ".codex"):
        (world.home / name).rename(world.outside / name)
        (world.home / name).symlink_to(world.outside / name)
    library = world.library()
    assert read_all(library).keys() == before.keys()
    assert not any(notice.code == "link.refused" for notice in library.doctor().notices)


def test_a_root_that_is_a_link_is_as_good_as_any(world: World) -> None:
    before = read_all(world.library())
    for _, root in world.library().homes.roots():
        if root.path.is_dir():
            real = world.outside / f"{root.path.parent.name}-{root.path.name}"
            root.path.rename(real)
            root.path.symlink_to(real)
    library = world.library()
    assert {key: words(session) for key, session in read_all(library).items()} == {
        key: words(session) for key, session in before.items()
    }
    assert not any(notice.code == "link.refused" for notice in library.doctor().notices)
    secret = world.outside / "secret.jsonl"
    chats = world.home / ".gemini/tmp/weather/chats"
    secret.write_bytes(next(chats.glob("session-*.jsonl")).read_bytes().replace(b"weather", SECRET.encode()))
    (chats / "session-2026-11-15T06-00-00000000.jsonl").symlink_to(secret)
    assert SECRET not in _told(world)


def test_a_link_inside_a_root_is_followed(world: World) -> None:
    before = read_all(world.library())
    for root, pattern in ((".claude/projects", "*/*.jsonl"), (".codex/sessions", "*/*/*/*.zst")):
        file = min((world.home / root).glob(pattern))
        real = file.with_name(f"{file.name}.moved")
        file.rename(real)
        file.symlink_to(real.name)
    assert read_all(world.library()).keys() == before.keys()


def test_what_is_kept_is_read_beside_its_neighbours(world: World) -> None:
    """Where something was deleted, what is kept lies beside links to the agent's own files."""
    library = world.library()
    library.archive.on()
    before = {key: words(session) for key, session in read_all(library).items()}
    for (_, role), file in world.places().items():
        if role in ("session", "subagent", "agent", "rollout"):
            file.unlink()
    after = {key: words(session) for key, session in read_all(world.library()).items()}
    assert after == before


def test_what_stands_in_for_a_file_follows_it_nowhere(world: World) -> None:
    """A neighbour that becomes a link out after it was kept is not read by way of what is laid out."""
    library = world.library()
    library.archive.on()
    library.list(EVERYTHING)
    sessions = sorted((world.home / ".gemini/tmp/weather/chats").glob("session-*.jsonl"))
    sessions[0].unlink()
    world.library().list(EVERYTHING)
    (world.outside / "secret").write_bytes(sessions[1].read_bytes().replace(b"weather", SECRET.encode()))
    sessions[1].unlink()
    sessions[1].symlink_to(world.outside / "secret")
    assert SECRET not in _told(world)
    assert SECRET.encode() not in b"".join(
        file.read_bytes() for file in world.cache.rglob("kept/**/*") if file.is_file()
    )


def test_a_file_handed_over_may_be_a_link(world: World) -> None:
    file = min((world.home / ".claude/projects").glob("*/*.jsonl"))
    link = world.outside / "mine.jsonl"
    link.symlink_to(file)
    assert world.library().session(str(link)).messages
    with pytest.raises((UnknownName, NotFound)):
        world.library().session("mine")
