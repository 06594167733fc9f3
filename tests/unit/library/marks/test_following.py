"""Marks go along with sessions and messages that move."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from pollux import Filter, Library
from pollux.library.marks import Edit, Target
from pollux.model import Anchor, Marks, Text
from tests.unit.library.marks.conftest import CORPUS, SEEDS, SIGNS, STAR, TIDES, Place, exported, found, listed


def test_marks_outlive_the_cache_and_the_session(place: Place, library: Library) -> None:
    library.archive.on()
    library.marks.change([Target(TIDES), Target(SEEDS)], Edit(note="stays"))
    library.index.clear()
    assert listed(library, ("note", "stays")) == [TIDES, SEEDS]
    library.sync()
    library.archive.run()
    for file in place.home.rglob("*aa6812ea*"):
        file.unlink()
    again = place.library()
    assert listed(again, ("note", "stays")) == [TIDES, SEEDS]
    (kept,) = [entry for entry in again.list() if entry.summary.key == TIDES]
    assert kept.summary.kept
    for file in place.home.rglob("*6403bd4e*"):
        if file.is_file():
            file.unlink()
    shutil.rmtree(place.data / "pollux" / "archive")
    shutil.rmtree(place.cache)
    gone = place.library()
    assert SEEDS not in {entry.summary.key for entry in gone.list() if entry.summary.kind == "main"}
    assert {item.key for item in gone.marks.items()} == {TIDES, SEEDS}


def test_a_moved_project_and_a_moved_home_keep_their_marks(place: Place, library: Library) -> None:
    library.marks.change([Target(TIDES), Target(SIGNS)], STAR)
    library.rehome.show("/home/juno/code/tidewatch", "/home/juno/work/tidewatch")
    assert set(listed(place.library(), ("is", "starred"))) == {TIDES, SIGNS}
    place.home.rename(place.home.with_name("elsewhere"))
    moved = Library({**place.environ, "HOME": str(place.home.with_name("elsewhere"))}, place.data, hunt=False)
    assert set(listed(moved, ("is", "starred"))) == {TIDES, SIGNS}


def _rename(place: Place, new: str) -> None:
    """Give the session of the tides another id, as if its file had turned out to belong to another session."""
    (file,) = place.home.rglob("*aa6812ea*.jsonl")
    old = TIDES.partition(":")[2]
    file.write_text(file.read_text("utf-8").replace(old, new), "utf-8")
    file.rename(file.with_name(file.name.replace("aa6812ea", new[:8])))


@pytest.mark.parametrize("sync", [True, False])
def test_marks_go_along_with_a_session_that_gets_another_id(place: Place, library: Library, sync: bool) -> None:
    library.marks.change([Target(TIDES), Target(SEEDS)], Edit(note="stays"))
    message = library.cited(f"{TIDES}#91221ebb").message
    library.marks.change([Target(TIDES, message)], STAR)
    library.close()
    new = "bbbbbbbb-4d8d-44e0-b98d-81820b95da31"
    _rename(place, new)
    again = place.library()
    if sync:
        assert listed(again, ("note", "stays")) == [f"gemini:{new}", SEEDS]
        assert found(again, "is:starred") == {f"gemini:{new}#91221ebb-b5a0-49ca-81dd-e4f1a8f44914"}
    assert {item.key for item in again.marks.items()} == {f"gemini:{new}", SEEDS}
    again.marks.change([Target(f"gemini:{new}")], Edit(note="new"))
    marks = place.library().marks.of(f"gemini:{new}")
    assert marks is not None
    assert marks.session.note == "new"


def test_a_fork_does_not_take_the_marks_of_a_session_that_is_gone(tmp_path: Path) -> None:
    parent, fork = "claude:c3505508-5689-4aca-81a8-194015e3b721", "claude:0d8660fc-0829-4df7-9d01-64cce3065ffd"
    place = Place(tmp_path, CORPUS / "claude" / "walk-two-resumes-at-once" / "home")
    library = place.library()
    library.marks.change([Target(parent)], STAR)
    assert library.session(parent).prompts[0].id in {message.id for message in library.session(fork).messages}
    library.close()
    for file in place.home.rglob("c3505508*.jsonl"):
        file.unlink()
    again = place.library()
    listed = {entry.summary.key for entry in again.list(Filter(everything=True))}
    assert fork in listed
    assert parent not in listed
    assert {item.key for item in again.marks.items()} == {parent}
    assert again.marks.of(fork) is None


COPIED, COPY = "aaaaaaaa-0000-4000-8000-000000000001", "bbbbbbbb-0000-4000-8000-000000000002"
ORIGIN, TWIN = f"claude:{COPIED}", f"claude:{COPY}"


def _write_claude(place: Place, session: str, prompts: int) -> Path:
    """A session whose records have the same ids in every such session, as in a copy without a link."""
    file = place.home / ".claude" / "projects" / "-home-ada-copied" / f"{session}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    records = [
        {
            "type": "user",
            "sessionId": session,
            "cwd": "/home/ada/copied",
            "version": "1.0.128",
            "uuid": f"00000000-0000-4000-8000-{number:012}",
            "timestamp": f"2026-11-11T10:{number:02}:00.000Z",
            "isSidechain": False,
            "userType": "external",
            "message": {"role": "user", "content": f"text {number}"},
        }
        for number in range(prompts)
    ]
    file.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return file


def test_a_session_that_comes_back_has_its_own_marks_again(place: Place, library: Library) -> None:
    origin = _write_claude(place, COPIED, 4)
    library.marks.change([Target(ORIGIN)], Edit(starred=True, tags={"mine": True}))
    library.close()
    _write_claude(place, COPY, 6)
    assert listed(place.library(), ("tag", "mine")) == [ORIGIN]
    content = origin.read_bytes()
    origin.unlink()
    away = place.library()
    assert listed(away, ("tag", "mine")) == [TWIN]
    away.marks.change([Target(TWIN)], Edit(note="of the copy"))
    assert away.marks.undo() == [TWIN]
    assert away.marks.undo() == [TWIN]  # the change was made while its session had the old key
    away.marks.change([Target(TWIN)], Edit(note="of the copy"))
    away.close()
    origin.write_bytes(content)
    back = place.library()
    back.list()
    back.marks.change([Target(ORIGIN)], Edit(private=True))
    assert listed(back, ("is", "private")) == [ORIGIN]
    assert listed(back, ("note", "of the copy")) == [TWIN]


def test_marks_that_moved_on_another_machine_are_those_of_a_session_that_is_here(tmp_path: Path, place: Place) -> None:
    there = Place(tmp_path / "there")
    origin = _write_claude(there, COPIED, 4)
    there.library().marks.change([Target(ORIGIN)], STAR)
    _write_claude(there, COPY, 6)
    origin.unlink()
    assert listed(there.library(), ("is", "starred")) == [TWIN]
    _write_claude(place, COPIED, 4)
    _write_claude(place, COPY, 6)
    here = place.library()
    here.list()
    here.archive.import_file(exported(there.library(), tmp_path / "there.pack"))
    here.close()
    assert listed(place.library(), ("is", "starred")) == [ORIGIN]


@pytest.mark.parametrize("synced", [True, False])
def test_what_is_marked_is_the_session_that_was_named(place: Place, library: Library, synced: bool) -> None:
    origin = _write_claude(place, COPIED, 4)
    library.marks.change([Target(ORIGIN)], STAR)
    library.close()
    _write_claude(place, COPY, 6)
    content = origin.read_bytes()
    origin.unlink()
    away = place.library()
    assert listed(away, ("is", "starred")) == [TWIN]
    origin.write_bytes(content)
    library = place.library() if synced else away  # the latter does not know yet that it is back
    assert listed(library, ("is", "starred")) == [ORIGIN if synced else TWIN]
    assert library.marks.change([Target(ORIGIN)], Edit(tags={"new": True})) == [Target(ORIGIN)]
    marks = library.marks.of(ORIGIN)
    assert marks is not None
    assert marks.session == Marks(starred=True, tags=("new",))
    assert library.marks.of(TWIN) is None
    assert library.marks.undo() == [ORIGIN]


def test_a_prompt_is_nobodys_own_before_all_sessions_are_read(
    place: Place, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write_claude(place, COPY, 6)
    _write_claude(place, COPIED, 4)
    library.list()
    library.marks.change([Target(ORIGIN)], STAR)  # all its prompts are also those of the copy
    library.marks.change([Target(TIDES)], STAR)
    journal = place.data / "pollux" / "marks" / "marks.jsonl"
    assert [bool(json.loads(line).get("prompt")) for line in journal.read_text("utf-8").splitlines()] == [False, True]
    library.close()
    shutil.rmtree(place.cache)
    monkeypatch.setattr("pollux.system.workers.WORTH_FORKING", 0)
    cold = place.library(early=True)
    assert cold.cited(ORIGIN).session.key == ORIGIN
    assert cold.index.unread_files
    cold.marks.change([Target(ORIGIN)], Edit(note="cold"))
    assert "prompt" not in json.loads(journal.read_text("utf-8").splitlines()[-1])


REVIEWED = "codex:01a1ddcb-1090-7640-bd52-c8812f65bff0"


def _note(library: Library, key: str, ids: dict[str, str]) -> None:
    for id, note in ids.items():
        library.marks.change([Target(key, library.cited(f"{key}#{id}").message)], Edit(note=note))


def _shown(library: Library, key: str) -> dict[str, str | None]:
    session, marks = library.session(key), library.marks.of(key)
    assert marks is not None
    return {session.messages[place].id: one.note for place, one in marks.by_message(session.messages).items()}


@pytest.mark.parametrize("synced", [True, False])
def test_a_search_finds_marked_messages_that_moved_to_other_lines(tmp_path: Path, synced: bool) -> None:
    place = Place(tmp_path, CORPUS / "codex" / "0.130.0" / "home")
    library = place.library()
    _note(library, REVIEWED, {"line-15": "on one", "line-17": "on two", "line-19": "on three"})
    library.close()
    shutil.rmtree(place.home)
    shutil.copytree(CORPUS / "codex" / "0.130.0-migrated-by-0.166.0" / "home", place.home)
    library = place.library()
    if synced:
        library.sync()
    shown = _shown(library, REVIEWED)
    assert shown == {"line-17": "on one", "line-19": "on two", "line-21": "on three"}
    assert {hit.message_id: hit.message_marks.note for hit in library.search("note:on").hits} == shown
    (hit,) = library.search("note:three").hits
    assert (hit.message_id, hit.message_marks.note) == ("line-21", "on three")
    others = {hit.message_id for hit in library.search("agent:codex -note:on", limit=1000).hits if hit.key == REVIEWED}
    assert not others & shown.keys()


def test_search_and_session_agree_on_every_marked_message_after_a_line_was_added(tmp_path: Path) -> None:
    place = Place(tmp_path, CORPUS / "codex" / "0.40.0" / "home")
    library = place.library()
    words: dict[str, dict[str, str]] = {}
    for session in list(library.sessions(Filter()))[:4]:
        said = {message.id: message for message in session.messages if any(type(p) is Text for p in message.parts)}
        words[session.key] = {id: f"T {Anchor.of(message).words} {id}" for id, message in said.items()}
        _note(library, session.key, words[session.key])
    library.close()
    for file in (place.home / ".codex" / "sessions").rglob("*.jsonl"):
        first, rest = file.read_bytes().split(b"\n", 1)
        added = b'{"timestamp":"2026-11-15T06:00:00.000Z","type":"event_msg","payload":{"type":"background_event"}}'
        file.write_bytes(b"\n".join((first, added, rest)))
    library = place.library()
    assert sum(map(len, words.values())) > 10
    hits = library.search("note:T", limit=1000).hits
    for key, notes in words.items():
        shown = _shown(library, key)
        assert sorted(shown.values(), key=str) == sorted(notes.values())
        for message in library.session(key).messages:
            assert message.id not in shown or f"T {Anchor.of(message).words} " in str(shown[message.id])
        assert {hit.message_id: hit.message_marks.note for hit in hits if hit.key == key} == shown


def test_marks_of_a_message_that_moved_and_of_the_one_in_its_line_are_kept_apart(tmp_path: Path) -> None:
    place = Place(tmp_path, CORPUS / "codex" / "0.130.0" / "home")
    library = place.library()
    _note(library, REVIEWED, {"line-19": "moved"})
    library.close()
    shutil.rmtree(place.home)
    shutil.copytree(CORPUS / "codex" / "0.130.0-migrated-by-0.166.0" / "home", place.home)
    library = place.library()
    assert [item.message.anchor.id for item in library.marks.items() if item.message] == ["line-21"]
    _note(library, REVIEWED, {"line-19": "in its line"})
    assert _shown(library, REVIEWED) == {"line-19": "in its line", "line-21": "moved"}
    _note(library, REVIEWED, {"line-21": "changed"})
    assert _shown(library, REVIEWED) == {"line-19": "in its line", "line-21": "changed"}
    message = library.cited(f"{REVIEWED}#line-21").message
    assert library.marks.remove([Target(REVIEWED, message)]) == [Target(REVIEWED, message)]
    assert _shown(library, REVIEWED) == {"line-19": "in its line"}
