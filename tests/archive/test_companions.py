"""What comes back with a session: the files beside it without which it would be read otherwise."""

from __future__ import annotations

import shutil
from pathlib import Path

from pollux.library.library import Filter, Library
from tests.archive.conftest import World

WEATHER = "3274cde4-46bd-475d-a1b3-c05a33f7637f"


def restored(library: Library, key: str, folder: Path | None) -> dict[Path, str]:
    """Put a session back; what became of each file."""
    session, keeping = library.session(key), library.archive
    planned = keeping.plan(session, folder)
    keeping.restore(planned)
    return {Path(told.path): "there" if told.there else "left" if told.left else "written" for told, _ in planned}


def test_the_project_comes_back_with_the_session(world: World) -> None:
    world.furnish("gemini/0.61.0")
    (before,) = [one.summary for one in world.keeping().list() if one.summary.id == WEATHER]
    folder = Path(before.files[0]).parent.parent
    marker = (folder / ".project_root").read_bytes()
    shutil.rmtree(folder)
    (folder.parent.parent / "projects.json").unlink()
    world.tomorrow()
    assert restored(world.library(), WEATHER, None)[folder / ".project_root"] == "written"
    assert (folder / ".project_root").read_bytes() == marker
    world.tomorrow()
    (after,) = [one.summary for one in world.library().list() if one.summary.id == WEATHER]
    assert (after.project, after.project_evidence, after.kept) == (before.project, "marker", False)


def test_a_note_that_is_there_is_never_written_over(world: World) -> None:
    world.furnish("gemini/0.61.0")
    (told,) = [one.summary for one in world.keeping().list() if one.summary.id == WEATHER]
    file = Path(told.files[0])
    marker = file.parent.parent / ".project_root"
    raw = file.read_bytes()
    file.unlink()
    world.tomorrow()
    assert restored(world.library(), WEATHER, None)[marker] == "there"
    assert file.read_bytes() == raw
    file.unlink()
    world.library().archive.off()
    marker.write_text("/x")  # shorter than the one that is kept, which stays the largest
    assert restored(world.library(), WEATHER, None)[marker] == "left"
    assert (marker.read_text(), file.read_bytes()) == ("/x", raw)


def test_what_a_session_goes_on_from_comes_with_it(world: World) -> None:
    world.furnish("codex/0.166.0")
    library = world.keeping()
    forks = {
        link.target: session.key
        for session in library.sessions(Filter(everything=True))
        for link in session.links
        if link.kind == "forked_from" and any(message.inherited for message in session.messages)
    }
    brought = 0
    for parent, fork in forks.items():
        own = {Path(file).name for file in library._index.files_of(parent)}
        back = world.folder / fork.partition(":")[2]
        names = {path.name for path in restored(world.library(), fork, back)}
        brought += bool(own & names)
        for path in back.rglob("*.jsonl"):
            assert path.read_bytes() == (world.home / ".codex" / path.relative_to(back)).read_bytes()
    assert brought


def test_a_family_uses_what_its_members_do_under_whichever_root(world: World) -> None:
    world.furnish("gemini/0.61.0")
    world.keeping()
    (file,) = world.home.glob(".gemini/tmp/*/chats/2ce63cdb-*/*.jsonl")
    half = file.read_bytes()[: file.stat().st_size // 2]
    for content in (half, half + b"\n"):
        file.write_bytes(content)
        for limit in (None, 100):
            listed = [one for one in world.library().list(Filter(everything=True), limit) if "2ce63cdb" in str(one)]
            (child,) = [one.summary for one in listed if one.summary.parent is not None]
            (parent,) = [one for one in listed if one.summary.key == child.parent]
            assert child.kept
            assert parent.family_usage is not None
            assert parent.family_usage.total == (child.usage.total or 0) + (parent.summary.usage.total or 0)
