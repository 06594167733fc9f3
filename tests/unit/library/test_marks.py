"""What views ask about marks."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pollux import Filter, Library, registry
from pollux.errors import RequestError, StoreError, UnknownName
from pollux.export.service import Exporter
from pollux.library.marks import Edit, Target
from pollux.model import Anchor, Marks, Text
from pollux.transforms.redact import Redactor
from pollux.writers import Options

HOME = Path(__file__).parents[3] / "src" / "pollux" / "sample" / "home"
CORPUS = Path(__file__).parents[2] / "corpus"
TIDES = "gemini:aa6812ea-4d8d-44e0-b98d-81820b95da31"
SEEDS = "gemini:6403bd4e-5b4f-4c04-acb7-32a4814e2f43"
SIGNS = "codex:01a1b23d-6e6d-76af-93ee-fed9b94e762c"
STAR = Edit(starred=True)


class Place:
    """A home of one's own that a library can be opened for again and again."""

    def __init__(self, folder: Path, home: Path = HOME) -> None:
        self.home, self.cache, self.data = folder / "home", folder / "cache", folder / "data"
        shutil.copytree(home, self.home)
        self.environ = {
            "HOME": str(self.home),
            "XDG_CACHE_HOME": str(self.cache),
            "XDG_DATA_HOME": str(self.data),
            "POLLUX_BACKGROUND": "0",
        }

    def library(self, *, early: bool = False) -> Library:
        return Library(self.environ, self.home, hunt=False, early=early)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture
def library(place: Place) -> Library:
    return place.library()


def _listed(library: Library, *marks: tuple[str, str]) -> list[str]:
    return [entry.summary.key for entry in library.list(Filter(marks=marks, everything=True))]


def _found(library: Library, query: str) -> set[str]:
    return {f"{hit.key}#{hit.message_id}" for hit in library.search(query, limit=1000).hits}


def test_marks_are_seen_by_every_other_library_at_once(place: Place, library: Library) -> None:
    other = place.library()
    assert other.marks.of(TIDES) is None
    assert library.marks.change([Target(TIDES)], Edit(starred=True, tags={"Tide": True}, note=" n ", name="a\nb")) == [
        Target(TIDES)
    ]
    marks = other.marks.of(TIDES)
    assert marks is not None
    assert marks.session == Marks(starred=True, tags=("tide",), note="n", name="a b")
    assert _listed(other, ("is", "starred"), ("tag", "ti*"), ("note", "N"), ("name", "A B")) == [TIDES]
    (entry,) = [entry for entry in other.list() if entry.summary.key == TIDES]
    assert entry.title == "a b"
    assert entry.summary.title != "a b"


def test_what_is_so_already_is_not_changed_again(library: Library) -> None:
    assert library.marks.change([Target(TIDES), Target(SEEDS)], STAR) == [Target(TIDES), Target(SEEDS)]
    assert library.marks.change([Target(TIDES)], STAR) == []
    assert library.marks.undo() == [TIDES, SEEDS]
    assert library.marks.undo() == []
    assert not library.marks.all()


@pytest.mark.parametrize("tag", ["", "#", "two words", 'a"b', "a(b", "a,b", "a*", "a\x00b", "a\u202eb", "x" * 61])
def test_a_tag_is_one_word(library: Library, tag: str) -> None:
    with pytest.raises(RequestError):
        library.marks.change([Target(TIDES)], Edit(tags={tag: True}))


def test_half_characters_and_long_texts(library: Library) -> None:
    library.marks.change([Target(TIDES)], Edit(note="\ud800", name="\udcff", tags={"\udcff": True}))
    marks = library.marks.of(TIDES)
    assert marks is not None
    assert (marks.session.note, marks.session.name, marks.session.tags) == ("\\ud800", "\\xff", ("\\xff",))
    for edit in (Edit(note="x" * 20_001), Edit(name="x" * 201)):
        with pytest.raises(RequestError, match="at most"):
            library.marks.change([Target(TIDES)], edit)


def test_a_search_has_the_messages_of_marked_sessions_and_marked_messages(library: Library) -> None:
    message = library.cited(f"{SEEDS}#5a7c").message
    assert message is not None
    library.marks.change([Target(TIDES), Target(SEEDS, message)], STAR)
    found = _found(library, "is:starred")
    assert {one for one in found if one.startswith(SEEDS)} == {f"{SEEDS}#{message.id}"}
    assert {one.partition("#")[0] for one in found} == {TIDES, SEEDS}
    every = _found(library, "the")
    starred = _found(library, "the is:starred")
    assert starred
    assert starred < every
    assert _found(library, "the -is:starred") == every - starred
    assert _found(library, "the (is:starred OR agent:codex)") == starred | _found(library, "the agent:codex")
    (hit,) = library.search("is:starred project:seedbank", limit=1).hits
    assert hit.message_marks == Marks(starred=True)
    assert not hit.marks
    assert _listed(library, ("is", "starred")) == [TIDES, SEEDS]
    assert library.count(Filter(marks=(("is", "starred"),))) == 2
    assert [one.key for one in library.sessions(Filter(marks=(("is", "starred"),)))] == [TIDES, SEEDS]


def test_a_name_of_the_agent_is_a_name_too(library: Library) -> None:
    named = [entry.summary for entry in library.list() if entry.summary.facts.get("name")]
    assert named
    for summary in named:
        assert summary.key in _listed(library, ("name", summary.facts["name"][0]))


def test_a_session_is_starred_without_being_read(place: Place, library: Library) -> None:
    library.list()
    for file in place.home.rglob("*aa6812ea*"):
        file.chmod(0)
    library.marks.change([Target(TIDES)], STAR)
    assert _listed(library, ("is", "starred")) == [TIDES]


def test_marks_outlive_the_cache_and_the_session(place: Place, library: Library) -> None:
    library.archive.on()
    library.marks.change([Target(TIDES), Target(SEEDS)], Edit(note="stays"))
    library.index.clear()
    assert _listed(library, ("note", "stays")) == [TIDES, SEEDS]
    library.sync()
    library.archive.run()
    for file in place.home.rglob("*aa6812ea*"):
        file.unlink()
    again = place.library()
    assert _listed(again, ("note", "stays")) == [TIDES, SEEDS]
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
    assert set(_listed(place.library(), ("is", "starred"))) == {TIDES, SIGNS}
    place.home.rename(place.home.with_name("elsewhere"))
    moved = Library({**place.environ, "HOME": str(place.home.with_name("elsewhere"))}, place.data, hunt=False)
    assert set(_listed(moved, ("is", "starred"))) == {TIDES, SIGNS}


def test_what_was_read_and_what_is_new(place: Place, library: Library) -> None:
    session = library.session(TIDES)
    assert {entry.unread for entry in library.list()} == {None}
    assert library.marks.new_from(session) is None
    library.marks.read(session, session.messages[3])
    unread = {entry.summary.key: entry.unread for entry in place.library().list()}
    assert unread[TIDES] is True
    assert set(unread.values()) == {True, False}
    assert _listed(library, ("is", "unread")) == [TIDES]
    assert {hit.key for hit in library.search("is:unread").hits} == {TIDES}
    assert library.marks.new_from(session) == 4
    library.marks.read(session)
    assert library.marks.new_from(session) is None
    assert _listed(library, ("is", "unread")) == []
    library.marks.unread(SEEDS)
    assert _listed(library, ("is", "unread")) == [SEEDS]
    library.marks.read_everything()
    assert _listed(library, ("is", "unread")) == []


def test_names_of_messages(library: Library) -> None:
    assert library.cited(SEEDS).message is None
    assert library.cited("6403#5a7cbec2").message == library.session(SEEDS).messages[1]
    with pytest.raises(UnknownName, match="No message is called 'x'"):
        library.cited("6403#x")
    with pytest.raises(UnknownName, match="No session is called 'none'"):
        library.cited("none#x")


def test_a_path_with_the_sign_is_a_path(place: Place, library: Library) -> None:
    (file,) = place.home.rglob("*aa6812ea*.jsonl")
    copy = place.home / "a#b.jsonl"
    shutil.copy(file, copy)
    assert library.cited(str(copy)).session.key == TIDES


_MARKER = """
import sys
from pathlib import Path
from pollux import Library
from pollux.library.marks import Edit, Target
library = Library(fresh=False)
for number in range(15):
    library.marks.change([Target(sys.argv[1])], Edit(tags={f"{sys.argv[2]}{number}": True}))
"""


def test_two_processes_mark_one_session_at_once(place: Place, library: Library) -> None:
    library.list()
    environ = {**os.environ, **place.environ}
    both = [subprocess.Popen([sys.executable, "-c", _MARKER, TIDES, name], env=environ) for name in "ab"]
    assert [one.wait() for one in both] == [0, 0]
    assert sorted(library.marks.tags()) == sorted(f"{name}{number}" for name in "ab" for number in range(15))


def test_a_folder_that_cannot_be_written_to_is_an_error_for_marks_only(place: Place, library: Library) -> None:
    (place.data / "pollux").mkdir(parents=True)
    (place.data / "pollux" / "marks").write_text("in the way")
    with pytest.raises(StoreError, match="marks"):
        library.marks.change([Target(TIDES)], STAR)
    assert library.list()


@pytest.mark.parametrize("name", ["marks.jsonl", "read.jsonl"])
def test_marks_that_cannot_be_read_cost_no_other_answer(place: Place, library: Library, name: str) -> None:
    (place.data / "pollux" / "marks" / name).mkdir(parents=True)
    assert len(library.list()) == 12
    assert library.search("packet").hits
    assert library.index.problem is not None
    assert name in library.index.problem
    with pytest.raises(StoreError, match=name):
        library.marks.change([Target(TIDES)], STAR) if name == "marks.jsonl" else library.marks.unread(TIDES)
    (place.data / "pollux" / "marks" / name).rmdir()
    library.marks.change([Target(TIDES)], STAR)
    assert _listed(library, ("is", "starred")) == [TIDES]
    assert library.index.problem is None


def test_damage_is_named(place: Place, library: Library) -> None:
    library.marks.change([Target(TIDES)], STAR)
    file = place.data / "pollux" / "marks" / "marks.jsonl"
    file.write_bytes(b"nonsense\n" + file.read_bytes())
    assert _listed(library, ("is", "starred")) == [TIDES]
    assert library.marks.problem == f"1 line of {file} cannot be read."


def test_marks_go_along_with_an_exported_archive_and_are_joined(tmp_path: Path, library: Library) -> None:
    other = Place(tmp_path / "other")
    theirs = other.library()
    library.marks.change([Target(TIDES)], Edit(starred=True, note="first", tags={"a": True, "b": True}))
    theirs.marks.change([Target(TIDES)], Edit(note="second", tags={"c": True}))
    theirs.marks.change([Target(SEEDS)], STAR)
    library.marks.change([Target(TIDES)], Edit(name="third", tags={"b": False}))
    theirs.marks.change([Target(SIGNS)], STAR)
    theirs.marks.undo()
    exported = library.archive.export(tmp_path / "ours.pack")
    assert exported.marks == 2
    assert theirs.archive.import_file(tmp_path / "ours.pack").marks == 2
    assert theirs.archive.import_file(tmp_path / "ours.pack").marks == 0
    assert library.archive.import_file(_exported(theirs, tmp_path / "theirs.pack")).marks == 4
    assert library.marks.all() == theirs.marks.all()
    tides = library.marks.of(TIDES)
    assert tides is not None
    assert tides.session == Marks(starred=True, note="second", name="third", tags=("a", "c"))
    assert set(library.marks.all()) == {TIDES, SEEDS}


def _exported(library: Library, file: Path) -> Path:
    library.archive.export(file)
    return file


def test_marks_that_no_pollux_wrote_are_not_taken(tmp_path: Path, place: Place, library: Library) -> None:
    library.marks.change([Target(TIDES)], STAR)
    journal = place.data / "pollux" / "marks" / "marks.jsonl"
    whole = journal.read_bytes()
    for odd in (b"[]", b'{"at":"2026-11-16T00:00:00","session":"a"}', b'{"at":"9999-12-31T23:59:59.999999Z"}', b"\xff"):
        journal.write_bytes(odd + b"\n" + whole)
        assert _listed(library, ("is", "starred")) == [TIDES]
        library.marks.change([Target(SEEDS)], STAR)
    (tmp_path / "other").mkdir()
    other = Place(tmp_path / "there").library()
    file = _exported(library, tmp_path / "ours.pack")
    data = file.read_bytes()
    assert data.count(b'"starred"') == 2
    file.write_bytes(data.replace(b'"starred"', b'"STARRED"'))  # the checksum tells
    result = other.archive.import_file(file)
    assert (result.marks, result.damaged) == (0, 1)
    assert not other.marks.all()


def test_the_name_that_the_user_gave_is_the_title_of_exports(tmp_path: Path, library: Library) -> None:
    secret = "AKIAQ7NDF2JX4TZ5WPLM"
    library.marks.change(
        [Target(SEEDS)], Edit(starred=True, name=f"Beans {secret}", tags={"seeds": True}, note="later")
    )
    message = library.cited(f"{SEEDS}#5a7c").message
    library.marks.change([Target(SEEDS, message)], Edit(note=f"the {secret}"))
    session = library.session(SEEDS)

    def written(to: str, redactor: Redactor | None = None, **options: bool) -> str:
        pieces: list[str] = []
        Exporter(library, registry.writer(to), Options(**options), redactor).write(session, pieces.append)  # type: ignore[arg-type]
        return "".join(pieces)

    lines = written("markdown", front_matter=True).splitlines()
    assert lines[:3] == ["---", f'title: "Beans {secret}"', 'own_title: "Find the one-packet assumption"']
    assert {"starred: true", 'tags: ["seeds"]', 'note: "later"', f"# Beans {secret}"} <= set(lines)
    assert written("text").startswith(f"Beans {secret}\n")
    assert f'<h1 title="Find the one-packet assumption">Beans {secret}</h1>' in written("html")
    document = json.loads(written("json"))
    assert document["title"] == "Find the one-packet assumption"
    assert document["marks"]["name"] == f"Beans {secret}"
    assert [one["marks"]["note"] for one in document["messages"] if "marks" in one] == [f"the {secret}"]
    for name in ("markdown", "text", "html", "json"):
        clean = written(name, Redactor(), front_matter=name == "markdown")
        assert secret not in clean
        assert "Beans " in clean
    folder = tmp_path / "site"
    Exporter(library, registry.writer("html")).to_folder(library.jobs(Filter()), str(folder))
    assert f"Beans {secret}" in (folder / "index.html").read_text("utf-8")


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
        assert _listed(again, ("note", "stays")) == [f"gemini:{new}", SEEDS]
        assert _found(again, "is:starred") == {f"gemini:{new}#91221ebb-b5a0-49ca-81dd-e4f1a8f44914"}
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
    assert _listed(place.library(), ("tag", "mine")) == [ORIGIN]
    content = origin.read_bytes()
    origin.unlink()
    away = place.library()
    assert _listed(away, ("tag", "mine")) == [TWIN]
    away.marks.change([Target(TWIN)], Edit(note="of the copy"))
    assert away.marks.undo() == [TWIN]
    assert away.marks.undo() == [TWIN]  # the change was made while its session had the old key
    away.marks.change([Target(TWIN)], Edit(note="of the copy"))
    away.close()
    origin.write_bytes(content)
    back = place.library()
    back.list()
    back.marks.change([Target(ORIGIN)], Edit(private=True))
    assert _listed(back, ("is", "private")) == [ORIGIN]
    assert _listed(back, ("note", "of the copy")) == [TWIN]


def test_marks_that_moved_on_another_machine_are_those_of_a_session_that_is_here(tmp_path: Path, place: Place) -> None:
    there = Place(tmp_path / "there")
    origin = _write_claude(there, COPIED, 4)
    there.library().marks.change([Target(ORIGIN)], STAR)
    _write_claude(there, COPY, 6)
    origin.unlink()
    assert _listed(there.library(), ("is", "starred")) == [TWIN]
    _write_claude(place, COPIED, 4)
    _write_claude(place, COPY, 6)
    here = place.library()
    here.list()
    here.archive.import_file(_exported(there.library(), tmp_path / "there.pack"))
    here.close()
    assert _listed(place.library(), ("is", "starred")) == [ORIGIN]


@pytest.mark.parametrize("synced", [True, False])
def test_what_is_marked_is_the_session_that_was_named(place: Place, library: Library, synced: bool) -> None:
    origin = _write_claude(place, COPIED, 4)
    library.marks.change([Target(ORIGIN)], STAR)
    library.close()
    _write_claude(place, COPY, 6)
    content = origin.read_bytes()
    origin.unlink()
    away = place.library()
    assert _listed(away, ("is", "starred")) == [TWIN]
    origin.write_bytes(content)
    library = place.library() if synced else away  # the latter does not know yet that it is back
    assert _listed(library, ("is", "starred")) == [ORIGIN if synced else TWIN]
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


def test_every_character_of_a_tag_stands_for_itself(library: Library) -> None:
    library.marks.change([Target(TIDES)], Edit(tags={"[wip]": True, "a]b[!c]": True}))
    library.marks.change([Target(SEEDS)], Edit(tags={"w": True}))
    for typed in ("[wip]", "[w*", "?wip?", "a]b[!c]", "a*c]"):
        assert _listed(library, ("tag", typed)) == [TIDES]
        assert {one.partition("#")[0] for one in _found(library, f"tag:{typed}")} == {TIDES}
    assert not library.search("tag:[wip]").hints


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
