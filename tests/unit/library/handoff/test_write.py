"""A hand-over is written as a whole or not at all, and is taken back only as long as nobody changed it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pollux.archive import restore
from pollux.errors import Ambiguous, NotFound, OutputError, StoreError, UnknownName
from pollux.library.handoff.plan import HandoffPlan
from pollux.library.handoff.undo import Removal
from tests.resumable import IDS, Desk

AGENTS = sorted(IDS)


@pytest.fixture(autouse=True)
def noon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLLUX_NOW", "2026-11-15T12:00:00Z")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path)
    for agent in AGENTS:
        desk.install(agent)
    desk.furnish()
    return desk


def record(desk: Desk) -> Path:
    return desk.home.parent / "data" / "pollux" / "handed-over" / "record.jsonl"


def hand_over(desk: Desk, origin: str = "claude", to: str = "codex", **options: Any) -> HandoffPlan:
    with desk.library() as library:
        return library.handoff.write(library.handoff.plan(IDS[origin], to, **options))


def tree(desk: Desk) -> dict[str, bytes | None]:
    """All files and folders in the agents' homes and in pollux's data, but for its record."""
    places = [*desk.home.rglob("*"), *(desk.home.parent / "data").rglob("*")]
    own = {record(desk), record(desk).with_name("lock"), record(desk).parent, record(desk).parent.parent}
    return {str(place): place.read_bytes() if place.is_file() else None for place in places if place not in own}


# ------------------------------------------------------------------------------------ writing


@pytest.mark.parametrize("to", AGENTS)
@pytest.mark.parametrize("origin", AGENTS)
def test_every_direction(desk: Desk, origin: str, to: str) -> None:
    before = tree(desk)
    made = hand_over(desk, origin, to)
    assert made.written
    file = Path(made.files[0].path)
    assert file.read_bytes() == made.contents[0][1].content()
    assert file.stat().st_mode & 0o777 == 0o600
    after = tree(desk)
    assert {place: after[place] for place in before} == before
    with desk.library() as library:
        session = library.session(made.key if made.key is not None else file)
        assert [message.text for message in session.messages if "rain" in message.text] == ["Is it raining?"]
        assert session.messages[-1].text == "It is."
        assert session.title == ("Is it raining?" if origin != "gemini" else "Rain") or to == "codex"
        (entry,) = library.handoff.all()
    assert (entry.origin, entry.agent, entry.id, entry.key) == (f"{origin}:{IDS[origin]}", to, made.id, made.key)
    assert entry.files[0].place == file


def test_a_title_is_added_to_the_index_of_codex(desk: Desk) -> None:
    index = desk.home / ".codex" / "session_index.jsonl"
    index.write_text('{"id":"x","thread_name":"y"}')  # its last line has no end
    made = hand_over(desk, "gemini", "codex")
    first, second = index.read_text().splitlines()
    assert first == '{"id":"x","thread_name":"y"}'
    assert json.loads(second)["thread_name"] == "Rain"
    with desk.library() as library:
        assert library.session(str(made.key)).title == "Rain"


def test_a_new_session_is_found_by_the_same_library(desk: Desk) -> None:
    with desk.library() as library:
        assert len(library.list()) == 3
        library.handoff.write(library.handoff.plan(IDS["claude"], "codex"))
        assert len(library.list()) == 4


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root gives files away")
def test_what_root_writes_belongs_to_the_owner_of_the_folder(desk: Desk) -> None:
    for place in (desk.home / ".codex").rglob("*"):
        os.chown(place, 65534, 65534)
    made = hand_over(desk, "claude", "codex")
    file = Path(made.files[0].path)
    for place in (file, file.parent):
        assert (place.stat().st_uid, place.stat().st_gid) == (65534, 65534)


def test_a_folder_whose_name_is_no_text(desk: Desk) -> None:
    folder = Path(os.fsdecode(os.fsencode(desk.elsewhere) + b"/caf\xe9"))
    folder.mkdir()
    for to in AGENTS:
        made = hand_over(desk, "claude", to, folder=str(folder))
        assert made.folder == str(folder)
        with desk.library() as library:
            (file,) = library.handoff.undo(made.id).files
        assert file.state is Removal.REMOVED


def test_a_file_with_this_name(desk: Desk) -> None:
    with desk.library() as library:
        made = library.handoff.plan(IDS["claude"], "codex")
        file = Path(made.files[0].path)
        file.parent.mkdir(parents=True)
        file.write_text("another")
        with pytest.raises(OutputError, match="exists already"):
            library.handoff.write(made)
        assert library.handoff.all() == []
    assert file.read_text() == "another"
    with desk.library() as library, pytest.raises(OutputError, match="exists already"):
        library.handoff.plan(IDS["claude"], "codex")


def test_written_twice(desk: Desk) -> None:
    with desk.library() as library:
        made = library.handoff.plan(IDS["claude"], "codex")
        library.handoff.write(made)
        with pytest.raises(OutputError, match="exists already"):
            library.handoff.write(made)
        assert len(library.handoff.all()) == 1
    assert Path(made.files[0].path).exists()


def _fails(error: BaseException) -> Callable[..., None]:
    def fail(*_: Any, **__: Any) -> None:
        raise error

    return fail


@pytest.mark.parametrize(
    ("error", "told"), [(OSError(28, "No space left on device"), OutputError), (KeyboardInterrupt(), KeyboardInterrupt)]
)
@pytest.mark.parametrize("module", ["restore", "write"])
def test_nothing_stays_of_what_could_not_be_finished(
    desk: Desk, module: str, error: BaseException, told: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the first file, or at the line that comes last."""
    before = tree(desk)
    if module == "restore":
        monkeypatch.setattr(restore, "write_file", _fails(error))
    else:
        monkeypatch.setattr("pollux.library.handoff.write.append", _fails(error))
    with pytest.raises(told):
        hand_over(desk, "gemini", "codex")
    assert tree(desk) == before
    with desk.library() as library:
        assert library.handoff.all() == []


def test_without_a_record_nothing_is_written(desk: Desk) -> None:
    record(desk).mkdir(parents=True)
    before = tree(desk)
    with pytest.raises(StoreError):
        hand_over(desk)
    assert tree(desk) == before


# ------------------------------------------------------------------------------------ taking it back


@pytest.mark.parametrize("to", AGENTS)
@pytest.mark.parametrize("by", ["new", "origin", "id", "beginning", "file"])
def test_undone(desk: Desk, to: str, by: str) -> None:
    before = tree(desk)
    made = hand_over(desk, "gemini", to)
    names = {
        "new": made.key or made.id,
        "origin": made.origin,
        "id": made.id,
        "beginning": made.id[:8],
        "file": made.files[0].path,
    }
    with desk.library() as library:
        undone = library.handoff.undo(names[by])
        assert (undone.origin, undone.id, undone.key) == (made.origin, made.id, made.key)
        assert {file.state for file in undone.files} == {Removal.REMOVED}
        with pytest.raises(NotFound):
            library.handoff.undo(names[by])
    assert {place for place in tree(desk) if "handed-over" not in place} == {*before}


def test_what_the_agent_went_on_with_stays(desk: Desk) -> None:
    made = hand_over(desk, "gemini", "codex")
    file = Path(made.files[0].path)
    with file.open("a") as lines:
        lines.write("{}\n")
    before = tree(desk)
    with desk.library() as library:
        with pytest.raises(OutputError, match="changed since"):
            library.handoff.undo(made.origin)
        assert len(library.handoff.all()) == 1
    assert tree(desk) == before


def test_a_file_that_is_gone(desk: Desk) -> None:
    made = hand_over(desk)
    Path(made.files[0].path).unlink()
    with desk.library() as library:
        (file,) = library.handoff.undo(made.origin).files
        assert file.state is Removal.GONE
        assert library.handoff.all() == []


def test_what_is_left_of_a_file_whose_writing_was_broken_off_by_force(desk: Desk) -> None:
    before = tree(desk)
    made = hand_over(desk)
    file = Path(made.files[0].path)
    draft = file.with_name(f".{file.name[:80]}.4711-1.making")
    file.rename(draft)
    with desk.library() as library:
        (undone,) = library.handoff.undo(str(made.key)).files
    assert undone.state is Removal.GONE
    assert tree(desk) == before


def test_lines_of_others_stay(desk: Desk) -> None:
    made = hand_over(desk, "gemini", "codex")
    index = desk.home / ".codex" / "session_index.jsonl"
    with index.open("a") as lines:
        lines.write('{"id":"x","thread_name":"y"}\n')
    before = index.read_bytes()
    with desk.library() as library:
        main, line = library.handoff.undo(str(made.key)).files
    assert (main.state, line.state) == (Removal.REMOVED, Removal.LEFT)
    assert index.read_bytes() == before
    with desk.library() as library:
        assert [entry.summary.key for entry in library.list()].count(str(made.key)) == 0


def test_a_marker_that_others_need_stays(desk: Desk) -> None:
    desk.install("gemini", "0.42.0")
    made = hand_over(desk, "claude", "gemini", folder=str(desk.elsewhere))
    chat, marker = (Path(file.path) for file in made.files)
    (chat.parent / "session-another.jsonl").write_text("{}")
    with desk.library() as library:
        states = [file.state for file in library.handoff.undo(made.origin).files]
    assert states == [Removal.REMOVED, Removal.LEFT]
    assert marker.exists()
    assert not chat.exists()


def test_the_last_one_first(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    first = hand_over(desk)
    monkeypatch.setenv("POLLUX_NOW", "2026-11-15T12:00:01Z")
    second = hand_over(desk)
    with desk.library() as library:
        assert library.handoff.undo(first.origin).id == second.id
        assert library.handoff.undo(first.origin).id == first.id


def test_a_session_that_gemini_began_with_it(desk: Desk) -> None:
    """It has another id, but the note of the hand-over."""
    made = hand_over(desk, "claude", "gemini")
    id = "8c9e6679-7425-40de-944b-0000000000aa"
    chats = desk.home / ".gemini" / "tmp" / "weather" / "chats"
    text = Path(made.files[0].path).read_text().replace(made.id, id)
    (chats / f"session-2026-11-15T12-01-{id[:8]}.jsonl").write_text(text)
    with desk.library() as library:
        assert library.handoff.undo(f"gemini:{id}").id == made.id
    assert not Path(made.files[0].path).exists()


def test_names_that_mean_nothing(desk: Desk) -> None:
    with desk.library() as library:
        with pytest.raises(NotFound, match="Nothing was handed over"):
            library.handoff.undo("x")
        library.handoff.write(library.handoff.plan(IDS["claude"], "codex"))
        library.handoff.write(library.handoff.plan(IDS["codex"], "claude"))
        with pytest.raises(UnknownName):
            library.handoff.undo("nothing")
        with pytest.raises(NotFound, match="no record"):
            library.handoff.undo(IDS["gemini"])
        with pytest.raises(UnknownName):
            library.handoff.undo("claude:")


def test_a_beginning_that_several_have(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    made = [hand_over(desk, origin, to) for origin in AGENTS for to in AGENTS]
    for second in range(1, 3):
        monkeypatch.setenv("POLLUX_NOW", f"2026-11-15T12:00:0{second}Z")
        made += [hand_over(desk, origin, to) for origin in AGENTS for to in AGENTS]
    initials = [one.id[0] for one in made]
    shared = next(initial for initial in initials if initials.count(initial) > 1)
    with desk.library() as library, pytest.raises(Ambiguous):
        library.handoff.undo(shared)
